"""Verification finds what differs, in both directions, names no value, and ends with an exit code."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from msgspec.structs import replace

from tablewright.client.calls import Call, Pause
from tablewright.evolve.moving import BadRow, Moving, open_moving
from tablewright.evolve.moving.deriving import Part, malformed
from tablewright.evolve.moving.sides import get_many
from tablewright.evolve.moving.verifying import Tally
from tests.evolve.moving.conftest import Ground
from tests.evolve.moving.merchants import a_merchant, a_review


@pytest.fixture
def moved(ground: Ground) -> Ground:
    ground.fill()
    ground.into("dual")
    ground.backfill()
    return ground


def change_new(ground: Ground, key: str, name: str, value: dict[str, Any]) -> None:
    ground.new.execute(
        "UpdateItem",
        {
            "TableName": "Market",
            "Key": {"PK": {"S": key}, "SK": {"S": key}},
            "UpdateExpression": "SET #n = :v",
            "ExpressionAttributeNames": {"#n": name},
            "ExpressionAttributeValues": {":v": value},
        },
    )


def test_all_is_well(moved: Ground) -> None:
    found = moved.session.verify()
    assert found.exit_code == 0
    assert found.text().splitlines() == [
        "Merchant: 6 expected, 6 found, checksums equal",
        "Review: 18 expected, 18 found, checksums equal",
        "All is well.",
    ]


def test_while_applications_write_sums_are_not_compared(moved: Ground) -> None:
    lines = moved.session.verify(writing=True).text().splitlines()
    assert lines[0] == "Merchant: 6 expected, 6 found, checksums not compared, since applications write"
    assert lines[-1] == "All is well."


def test_sums_that_differ_through_a_write_meanwhile_are_told_with_what_to_do(moved: Ground) -> None:
    found = replace(moved.session.verify(), entities={"Merchant": Tally(7, 6, "0", "1")})
    assert found.text().splitlines()[-2:] == [
        "Nothing differs but counts or checksums, which are of different moments where applications write meanwhile: verify with "
        "writing=True, or --writing, then.",
        "Not all is well.",
    ]
    assert "--writing" not in replace(found, writing=True).text()
    assert "--writing" not in replace(found, differences={("Merchant", "missing"): 1}).text()


@pytest.mark.parametrize("name", ["name", "category_id", "GSI1PK", "Type"])
def test_a_field_or_key_that_differs(moved: Ground, name: str) -> None:
    change_new(moved, "MERCHANT#m1", name, {"S": "secret"})
    found = moved.session.verify()
    assert found.exit_code == 1
    assert found.differences == {("Merchant", f"field {name}"): 1}
    assert not found.entities["Merchant"].equal
    assert "secret" not in found.text()


WRONG = [None, {"S": "garbage"}, {"S": ""}, {"N": "5"}, {"NULL": True}]


@pytest.mark.parametrize("writing", [False, True])
@pytest.mark.parametrize("value", WRONG, ids=str)
@pytest.mark.parametrize("name", ["CreatedAt", "UpdatedAt", "moved_from"])
def test_an_own_attribute_that_is_missing_or_malformed(
    moved: Ground, name: str, value: dict[str, Any] | None, writing: bool
) -> None:
    if value is not None:
        change_new(moved, "MERCHANT#m1", name, value)
    else:
        key = {"PK": {"S": "MERCHANT#m1"}, "SK": {"S": "MERCHANT#m1"}}
        update = {"UpdateExpression": "REMOVE #n", "ExpressionAttributeNames": {"#n": name}}
        moved.new.execute("UpdateItem", {"TableName": "Market", "Key": key, **update})
    found = moved.session.verify(writing=writing)
    assert found.differences == {("Merchant", f"field {name}"): 1}
    assert found.exit_code == 1
    if name != "moved_from":  # without it, it may be somebody else's
        assert moved.session.mend().well


@pytest.mark.parametrize("name", ["CreatedAt", "UpdatedAt"])
def test_another_time_is_no_difference(moved: Ground, name: str) -> None:
    for text in ("2020-01-01T00:00:00.000000Z", "2020-01-01T00:00:00+01:00"):  # as older writers left it
        change_new(moved, "MERCHANT#m1", name, {"S": text})
        assert moved.session.verify().well


def test_a_version_is_a_number() -> None:
    own: dict[str, Any] = {"Version": {"N": "1"}, "name": {"S": "x"}}
    part = Part("Thing", {}, own, frozenset({"Version", "UpdatedAt"}))
    assert malformed(part, own | {"Version": {"N": "7"}}) == []
    for wrong in ({"N": "1.5"}, {"N": "-1"}, {"S": "1"}):
        assert malformed(part, own | {"Version": wrong}) == ["Version"]
    assert malformed(part, {}) == ["Version"]


def test_an_item_that_is_missing(moved: Ground) -> None:
    moved.new.execute(
        "DeleteItem", {"TableName": "Market", "Key": {"PK": {"S": "MERCHANT#m1"}, "SK": {"S": "MERCHANT#m1"}}}
    )
    found = moved.session.verify()
    assert found.differences == {("Merchant", "missing"): 1, ("Review", "no parent"): 3}
    assert (found.entities["Merchant"].expected, found.entities["Merchant"].found) == (6, 5)


def test_an_item_without_origin_and_its_children(moved: Ground) -> None:
    moved.legacy.execute("DeleteItem", {"TableName": "MerchantsTable", "Key": {"merchantId": {"S": "m1"}}})
    assert moved.session.verify().differences == {("Merchant", "no origin"): 1}
    assert moved.session.mend().settled == 1
    assert moved.session.verify().differences == {("Review", "no parent"): 3}


def test_checksums_find_what_counts_do_not(moved: Ground) -> None:
    before = moved.session.verify().entities["Merchant"]
    change_new(moved, "MERCHANT#m1", "name", {"S": "x"})
    after = moved.session.verify().entities["Merchant"]
    assert before.found == after.found
    assert before.found_sum != after.found_sum
    assert before.expected_sum == after.expected_sum


def test_each_difference_is_told_with_its_key_as_often_as_it_counts(moved: Ground) -> None:
    change_new(moved, "MERCHANT#m1", "name", {"S": "secret"})
    change_new(moved, "MERCHANT#m1", "category_id", {"S": "secret"})
    key = {"PK": {"S": "MERCHANT#m2"}, "SK": {"S": "MERCHANT#m2"}}
    moved.new.execute("DeleteItem", {"TableName": "Market", "Key": key})
    moved.legacy.execute("DeleteItem", {"TableName": "MerchantsTable", "Key": {"merchantId": {"S": "m3"}}})
    moved.put_legacy("MerchantsTable", {"merchantId": "m9", "category": "c1"})
    rows: list[BadRow] = []
    found = moved.session.verify(bad_row=rows.append)
    assert Counter((row.where, row.reason) for row in rows) == {**found.differences, **found.unfit}
    legacy = {
        (r.table, r.key["merchantId"]["S"], r.reason) for r in rows if r.side == "legacy" and r.where == "Merchant"
    }
    assert legacy == {
        ("MerchantsTable", "m1", "field category_id"),
        ("MerchantsTable", "m1", "field name"),
        ("MerchantsTable", "m2", "missing"),
    }
    new = [row for row in rows if row.side == "new"]
    assert {row.table for row in new} == {"Market"}
    assert {(row.key["PK"]["S"], row.reason) for row in new} == {
        ("MERCHANT#m2", "no parent"),
        ("MERCHANT#m3", "no origin"),
    }
    again: list[BadRow] = []
    assert moved.session.verify(writing=True, bad_row=again.append).differences == found.differences
    assert again == rows


def test_items_of_others_are_told_and_left(moved: Ground) -> None:
    item = {"PK": {"S": "OTHER"}, "SK": {"S": "OTHER"}}
    moved.new.execute("PutItem", {"TableName": "Market", "Item": item})
    found = moved.session.verify()
    assert found.well
    assert found.others == 1
    assert "1 item of the new table came from elsewhere" in found.text()


def test_a_write_in_between_is_no_difference(moved: Ground) -> None:
    """The application changes an item after its legacy form was read and before its new form is."""
    other = moved.open()
    other.put("MerchantsTable", a_merchant(5, name="warm"))
    start = len(moved.wire.sent)
    wrote: list[int] = []
    for number in range(start, start + 40):
        moved.wire.before[number] = lambda n=number: write_once(n)  # type: ignore[misc]

    def write_once(number: int) -> None:
        if moved.wire.sent[number][0] == "BatchGetItem" and not wrote:
            wrote.append(number)
            other.update("MerchantsTable", {"merchantId": "m1"}, set={"name": "Just now"})
            other.delete("ReviewsTable", {"merchantId": "m2", "reviewId": "r1"})

    found = moved.session.verify(writing=True)
    assert wrote
    assert found.differences == {}, found.text()
    assert found.well


def test_a_page_is_all_that_is_held(moved: Ground) -> None:
    moved.session.verify()
    limits = [r.get("Limit") for o, r in moved.wire.sent if o == "Scan" and r["TableName"] != moved.moving.ledger]
    assert limits
    assert set(limits) == {100}


def test_plan_names_what_is_wrong_without_values(ground: Ground) -> None:
    ground.put_legacy("MerchantsTable", a_merchant(1, colour="secret"))
    ground.put_legacy("MerchantsTable", {"merchantId": "m2", "category": "c1"})
    ground.put_legacy("MerchantsTable", a_merchant(3, rating="secret"))
    plan = ground.session.plan()
    text = plan.text()
    assert plan.exit_code == 1
    assert "the attribute 'colour' is neither mapped nor dropped, 1 time" in text
    assert "name" in text
    assert "rating" in text
    assert "secret" not in text
    assert plan.made == {"Merchant": 1}
    assert ground.new_items() == []


def test_what_somebody_changed_is_mended(anyhow: Ground) -> None:
    anyhow.fill(3, 1)
    anyhow.into("dual")
    anyhow.backfill()
    anyhow.session.repair()
    change_new(anyhow, "MERCHANT#m1", "name", {"S": "by hand"})
    key = {"PK": {"S": "MERCHANT#m2"}, "SK": {"S": "MERCHANT#m2"}}
    anyhow.new.execute("DeleteItem", {"TableName": "Market", "Key": key})
    anyhow.legacy.execute(
        "DeleteItem", {"TableName": "ReviewsTable", "Key": {"merchantId": {"S": "m1"}, "reviewId": {"S": "r0"}}}
    )
    assert anyhow.session.mend().settled == 3
    assert anyhow.session.verify().well
    assert anyhow.session.mend().settled == 0


def test_items_with_an_origin_that_is_none_came_from_elsewhere(ground: Ground) -> None:
    ground.fill(1, 1)
    ground.into("dual")
    ground.session.backfill(write=True)
    for number, told in enumerate(({"S": "x"}, {"M": {}}, {"M": {"move": {"N": "1"}, "key": {"S": "x"}}})):
        item = {"PK": {"S": f"OTHER#{number}"}, "SK": {"S": "OTHER"}, "moved_from": told}
        ground.new.execute("PutItem", {"TableName": "Market", "Item": item})
    found = ground.session.verify()
    assert found.well
    assert found.others == 3
    assert ground.session.mend().exit_code == 0


def test_two_legacy_items_that_become_one_are_told(anyhow: Ground) -> None:
    when = "2026-07-01T00:00:00+00:00"
    for mark in ("r", "R"):  # the mapping below makes one of both
        anyhow.put_legacy("ReviewsTable", a_review(1, 1, reviewId=f"{mark}1", ts=when, body=mark))
    anyhow.put_legacy("MerchantsTable", a_merchant(1))
    move = anyhow.moving.by_name["ReviewsTable"]
    lower = replace(move, fields={**move.fields, "review_id": lambda item: item["reviewId"].lower()})
    moving = Moving("market", table=anyhow.moving.table, moves=[anyhow.moving.moves[0], lower])
    apart = None if anyhow.legacy is anyhow.new else anyhow.legacy
    with open_moving(moving, anyhow.new, legacy=apart, clock=anyhow.clock) as session:
        assert session.plan().problems == {("ReviewsTable", "two legacy items become one Review"): 1}
        session.advance("dual")
        anyhow.hold()
        session.backfill(write=True)
        session.repair()
        for writing in (True, False):
            found = session.verify(writing=writing)
            assert found.exit_code == 1
            assert found.differences == {("Review", "its place is taken by another legacy item"): 1}


def test_keys_that_the_table_did_not_answer_for_are_asked_for_again_after_a_pause() -> None:
    asked = [{"PK": {"S": str(number)}} for number in range(3)]
    walk = get_many("new", "Market", [*asked, asked[0]])
    first = next(walk)
    assert isinstance(first.call, Call)
    assert first.call.request["RequestItems"]["Market"]["Keys"] == asked
    left = {"Market": {"Keys": asked[1:]}}
    pause = walk.send({"Responses": {"Market": asked[:1]}, "UnprocessedKeys": left})
    assert isinstance(pause.call, Pause)
    again = walk.send({})
    assert isinstance(again.call, Call)
    assert again.call.request["RequestItems"]["Market"]["Keys"] == asked[1:]
    with pytest.raises(StopIteration) as end:
        walk.send({"Responses": {"Market": asked[1:]}})
    assert end.value.value == asked
