"""Writes on both sides: one that fails is detected, noted and repaired; nobody overtakes anybody."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.errors import (
    AlreadyExistsError,
    ArgumentError,
    NotFoundError,
    ResourceNotFound,
    Throttled,
)
from tablewright.evolve.moving import BadRow
from tablewright.evolve.moving.ledger import note_id
from tablewright.evolve.moving.sides import Place
from tests.evolve.moving.conftest import Ground
from tests.evolve.moving.merchants import IN_CATEGORY, ONE, a_merchant, a_review


def both(ground: Ground) -> tuple[int, int]:
    return len(ground.legacy_items("MerchantsTable")), len(ground.new_items())


def test_create_update_delete(anyhow: Ground) -> None:
    session = anyhow.session
    anyhow.into("dual")
    session.create("MerchantsTable", a_merchant(1, rating=4))
    with pytest.raises(AlreadyExistsError):
        session.create("MerchantsTable", a_merchant(1))
    session.update("MerchantsTable", {"merchantId": "m1"}, set={"category": "c7"}, remove=["rating"])
    (item,) = anyhow.new_items()
    assert item["GSI1PK"] == "CATEGORY#c7"
    assert "rating" not in item
    written = session.revise("MerchantsTable", {"merchantId": "m1"}, lambda old: old | {"name": old["name"] + "!"})
    assert written.item is not None
    assert written.item["name"] == "Shop 1!"
    assert anyhow.new_items()[0]["name"] == "Shop 1!"
    session.delete("MerchantsTable", {"merchantId": "m1"})
    assert both(anyhow) == (0, 0)
    with pytest.raises(NotFoundError):
        session.update("MerchantsTable", {"merchantId": "m1"}, set={"name": "x"})


def test_a_new_key_takes_the_old_item_away(anyhow: Ground) -> None:
    anyhow.into("dual")
    anyhow.session.put("ReviewsTable", a_review(1, 1))
    anyhow.session.put("ReviewsTable", a_review(1, 1, ts="2026-05-02T00:00:00+00:00"))
    assert [i["SK"] for i in anyhow.new_items()] == ["REVIEW#2026-05-02T00:00:00.000000Z#r1"]


def test_wrong_input_is_refused_before_anything_is_written(ground: Ground) -> None:
    ground.into("dual")
    sent = len(ground.wire.sent)
    with pytest.raises(ArgumentError, match="no legacy table"):
        ground.session.put("Nowhere", {"id": "1"})
    with pytest.raises(ArgumentError, match="The key of ReviewsTable"):
        ground.session.delete("ReviewsTable", {"merchantId": "m1"})
    with pytest.raises(ArgumentError, match="part of the key"):
        ground.session.update("MerchantsTable", {"merchantId": "m1"}, set={"merchantId": "m2"})
    assert all(operation == "GetItem" for operation, _ in ground.wire.sent[sent:])


def refuse_new_side(ground: Ground, error: Exception, table: str = "Market") -> None:
    """Every write that the new table takes part in fails."""
    inner = getattr(ground.wire.inner, "working", ground.wire.inner)

    class Refusing:
        working = inner

        def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
            if operation == "TransactWriteItems" and f"'{table}'" in str(request):
                raise error
            return inner.send(operation, request)

        def close(self) -> None:
            inner.close()

    ground.wire.inner = Refusing()


def test_a_failing_new_side_does_not_hurt_the_application(anyhow: Ground) -> None:
    ground, session = anyhow, anyhow.session
    ground.into("dual")
    session.create("MerchantsTable", a_merchant(0))
    working = ground.wire.inner
    refuse_new_side(ground, ResourceNotFound("gone"))
    for written in (
        session.create("MerchantsTable", a_merchant(1)),
        session.update("MerchantsTable", {"merchantId": "m1"}, set={"name": "Later"}),
        session.delete("MerchantsTable", {"merchantId": "m0"}),
    ):
        assert not written.settled
        assert written.reason is not None
    assert both(ground) == (1, 1)
    with pytest.raises(ArgumentError, match="pending"):
        session.verify(writing=True)
        session.advance("shadow")
    ground.wire.inner = working
    repaired = session.repair()
    assert (repaired.settled, repaired.failed) == (2, {})
    assert [i["name"] for i in ground.new_items()] == ["Later"]
    assert session.repair().settled == 0  # once more changes nothing
    assert session.verify().well


def test_once_both_sides_are_read_a_write_is_on_both_or_none(ground: Ground) -> None:
    ground.fill(1, 0)
    ground.into("dual", "shadow")
    ground.session.read_one(ONE, "m0", subject="u")
    ground.session.tell()
    ground.into("switched")
    refuse_new_side(ground, Throttled("slow down"))
    with pytest.raises(Throttled):
        ground.session.update("MerchantsTable", {"merchantId": "m0"}, set={"name": "x"})
    assert ground.legacy_items("MerchantsTable")[0]["name"] == "Shop 0"


def test_a_failing_legacy_side_fails_the_write_and_leaves_nothing_behind(anyhow: Ground) -> None:
    ground, session = anyhow, anyhow.session
    ground.into("dual")
    session.create("MerchantsTable", a_merchant(0))
    working, before = ground.legacy_wire.inner, (ground.legacy_items("MerchantsTable"), ground.new_items())

    class Refusing:
        def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
            if operation == "TransactWriteItems" and "'MerchantsTable'" in str(request):
                raise Throttled("slow down")
            return working.send(operation, request)

        def close(self) -> None:
            working.close()

    ground.legacy_wire.inner = Refusing()
    for write in (
        lambda: session.create("MerchantsTable", a_merchant(1)),
        lambda: session.update("MerchantsTable", {"merchantId": "m0"}, set={"name": "Later"}),
        lambda: session.delete("MerchantsTable", {"merchantId": "m0"}),
    ):
        with pytest.raises(Throttled):
            write()
    ground.legacy_wire.inner = working
    assert (ground.legacy_items("MerchantsTable"), ground.new_items()) == before
    assert session.repair().settled == 0
    assert session.verify().well


def test_an_item_that_cannot_be_moved_is_noted_with_its_reason(anyhow: Ground) -> None:
    anyhow.into("dual")
    written = anyhow.session.put("ReviewsTable", a_review(1, 1, stars="many and secret"))
    assert not written.settled
    assert "secret" not in str(written.reason)
    repaired = anyhow.session.repair()
    assert repaired.exit_code == 1
    assert sum(repaired.failed.values()) == 1
    assert "secret" not in str(repaired)
    anyhow.session.update("ReviewsTable", {"merchantId": "m1", "reviewId": "r1"}, set={"stars": 3})
    assert anyhow.session.repair().exit_code == 0
    assert [i["stars"] for i in anyhow.new_items()] == [3]


def test_a_write_that_changes_nothing_settles_what_was_left(anyhow: Ground) -> None:
    anyhow.put_legacy("MerchantsTable", a_merchant(1))
    anyhow.put_legacy("MerchantsTable", a_merchant(2))
    anyhow.into("dual")
    assert anyhow.session.put("MerchantsTable", a_merchant(1)).settled  # by yesterday's code, and not moved yet
    assert [i["merchant_id"] for i in anyhow.new_items()] == ["m1"]
    assert anyhow.session.update("MerchantsTable", {"merchantId": "m2"}, set={"name": "Shop 2"}).settled
    assert len(anyhow.new_items()) == 2

    anyhow.legacy.execute("DeleteItem", {"TableName": "MerchantsTable", "Key": {"merchantId": {"S": "m1"}}})
    assert anyhow.session.delete("MerchantsTable", {"merchantId": "m1"}).settled
    assert anyhow.session.repair().exit_code == 0
    assert not anyhow.session.verify().well  # nothing tells of what yesterday's code deleted
    assert anyhow.session.mend().failed == {}
    assert [i["merchant_id"] for i in anyhow.new_items()] == ["m2"]


def test_a_delete_of_nothing_settles_a_delete_that_was_noted(apart: Ground) -> None:
    apart.into("dual")
    apart.session.put("MerchantsTable", a_merchant(1))
    apart.wire.restart()
    apart.wire.refuse = {number: Throttled("slow down") for number in range(20)}
    assert not apart.session.delete("MerchantsTable", {"merchantId": "m1"}).settled
    apart.wire.restart()
    assert len(apart.new_items()) == 1
    assert apart.session.delete("MerchantsTable", {"merchantId": "m1"}).settled
    assert apart.new_items() == []


def test_a_mended_item_takes_what_it_was_before_it_could_not_be_moved(ground: Ground) -> None:
    ground.into("dual")
    ground.session.put("ReviewsTable", a_review(1, 1))
    assert not ground.session.update("ReviewsTable", {"merchantId": "m1", "reviewId": "r1"}, set={"stars": "x"}).settled
    moved = {"stars": 2, "ts": "2026-06-01T00:00:00+00:00"}  # under another key
    assert ground.session.update("ReviewsTable", {"merchantId": "m1", "reviewId": "r1"}, set=moved).settled
    assert [i["stars"] for i in ground.new_items()] == [2]
    assert ground.session.verify().entities["Review"].equal


def test_a_key_that_somebody_else_holds_is_not_overwritten(ground: Ground) -> None:
    ground.into("dual")
    stranger = {"PK": {"S": "MERCHANT#m1"}, "SK": {"S": "MERCHANT#m1"}, "Type": {"S": "Merchant"}, "own": {"S": "x"}}
    ground.new.execute("PutItem", {"TableName": "Market", "Item": stranger})
    assert not ground.session.create("MerchantsTable", a_merchant(1)).settled
    assert ground.new_items()[0]["own"] == "x"
    assert list(ground.session.repair().failed) == ["a key is taken by an item that came from elsewhere"]


def test_a_faster_writer_is_not_overwritten(anyhow: Ground) -> None:
    ground, other = anyhow, anyhow.open()
    ground.into("dual")
    ground.session.create("MerchantsTable", a_merchant(1))
    other.put("MerchantsTable", a_merchant(2))
    wire, done = ground.legacy_wire, list[str]()

    def overtake() -> None:
        wire.before.clear()
        done.append("x")
        other.update("MerchantsTable", {"merchantId": "m1"}, set={"category": "c9"})

    wire.before[len(wire.sent) + 1] = overtake  # after the item was read
    ground.session.update("MerchantsTable", {"merchantId": "m1"}, set={"name": "Mine"})
    assert done
    item = next(i for i in ground.new_items() if i["merchant_id"] == "m1")
    assert (item["name"], item["category_id"]) == ("Mine", "c9")
    assert ground.session.verify().well


def test_a_slow_repair_does_not_bring_back_an_older_state(apart: Ground) -> None:
    """It has read an older state, and writes after somebody else has written a newer one and deleted it."""
    ground, other = apart, apart.open()
    ground.into("dual")
    other.put("MerchantsTable", a_merchant(2))
    working = ground.wire.inner
    refuse_new_side(ground, ResourceNotFound("gone"))
    ground.session.create("MerchantsTable", a_merchant(1))
    ground.wire.inner = working

    def overtake() -> None:
        ground.wire.before.clear()
        other.delete("MerchantsTable", {"merchantId": "m1"})

    ground.wire.before = {len(ground.wire.sent) + n: overtake for n in range(3)}
    ground.session.repair()
    assert [i["merchant_id"] for i in ground.new_items()] == ["m2"]
    assert ground.session.verify().well


def test_other_attributes_of_legacy_items_stay(ground: Ground) -> None:
    ground.put_legacy("MerchantsTable", a_merchant(1, legacyFlag=True, unknown=1))
    ground.into("dual")
    ground.session.update("MerchantsTable", {"merchantId": "m1"}, set={"name": "x"})
    (item,) = ground.legacy_items("MerchantsTable")
    assert item["legacyFlag"] is True
    assert item["unknown"] == 1


def test_one_transaction_where_that_is_possible(ground: Ground) -> None:
    ground.into("dual")
    ground.session.put("MerchantsTable", a_merchant(1))
    sent = len(ground.wire.sent)
    ground.session.update("MerchantsTable", {"merchantId": "m1"}, set={"name": "x"})
    operations = [operation for operation, _ in ground.wire.sent[sent:]]
    assert operations == ["GetItem", "TransactWriteItems"]
    notes = ground.legacy.execute("Scan", {"TableName": ground.moving.ledger})["Items"]
    assert not any(note["id"]["S"].startswith("note#") for note in notes)


def test_reading_by_the_old_index(ground: Ground) -> None:
    ground.fill(7, 0)
    ground.into("dual", "shadow")
    assert {m.merchant_id for m in ground.session.read(IN_CATEGORY, "c0", subject="u")} == {"m0", "m3", "m6"}
    assert ground.session.shadow_report().differed == 0


LONG = [("x" * 2040, "r1"), ("x" * 1000, "r" * 1000), ("\u00e9" * 450, "r" * 900), ("\x01" * 700, '"' * 1024)]


@pytest.mark.parametrize(("merchant", "review"), LONG, ids=["one", "two", "two bytes each", "escaped"])
def test_a_long_key_never_fails_the_application(anyhow: Ground, merchant: str, review: str) -> None:
    ground, session = anyhow, anyhow.session
    ground.into("dual")
    one = a_review(1, 1, merchantId=merchant, reviewId=review)
    written = session.create("ReviewsTable", one)
    assert ground.legacy_items("ReviewsTable") == [one]
    assert written.settled == (ground.new_items() != [])
    pending: list[BadRow] = []
    assert sum(session.pending(bad_row=pending.append).values()) == len(pending) == (not written.settled)
    assert all(row.key == {"merchantId": {"S": merchant}, "reviewId": {"S": review}} for row in pending)
    session.update("ReviewsTable", {"merchantId": merchant, "reviewId": review}, set={"stars": 1})
    assert session.repair().settled == 0
    session.delete("ReviewsTable", {"merchantId": merchant, "reviewId": review})
    assert session.repair().exit_code == 0
    assert (ground.legacy_items("ReviewsTable"), ground.new_items(), session.pending()) == ([], [], {})
    assert session.verify().well


def test_a_long_key_is_written_later_where_the_new_side_fails(anyhow: Ground) -> None:
    ground, session = anyhow, anyhow.session
    ground.into("dual")
    session.put("ReviewsTable", a_review(1, 1))
    working = ground.wire.inner
    refuse_new_side(ground, ResourceNotFound("gone"))
    key = {"merchantId": "x" * 1100, "reviewId": "r" * 960}
    assert not session.create("ReviewsTable", a_review(1, 1, **key)).settled
    assert not session.create("ReviewsTable", a_review(1, 1, **key | {"reviewId": "s" * 960})).settled
    session.delete("ReviewsTable", {"merchantId": "m1", "reviewId": "r1"})
    ground.wire.inner = working
    assert (session.repair().settled, session.pending()) == (3, {})
    assert sorted(i["review_id"][0] for i in ground.new_items()) == ["r", "s"]


def test_the_ids_of_notes_are_digests_only_where_they_have_to_be(ground: Ground) -> None:
    place = Place(ground.moving, "Market", True, lambda: "", lambda: "")
    move = ground.moving.by_name["MerchantsTable"]
    text = 'note#market#MerchantsTable#{"M":{"merchantId":{"S":"%s"}}}'
    room = 2048 - len(text % "")
    assert note_id(place, move, {"merchantId": {"S": "x" * room}}) == {"id": {"S": text % ("x" * room)}}
    longer = [note_id(place, move, {"merchantId": {"S": "x" * room + end}})["id"]["S"] for end in ("y", "z")]
    assert len({*longer}) == 2
    assert all(len(one) == len("note#market#") + 64 for one in longer)
