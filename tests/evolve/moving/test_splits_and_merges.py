"""One legacy item that becomes many, however many, and items of two tables that become one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from tablewright.engine import open_engine
from tablewright.errors import ArgumentError, ResourceNotFound
from tablewright.evolve.moving import BadRow, Moving
from tablewright.transport.base import Transport
from tablewright.values.wire import from_wire_item
from tests.evolve.moving.conftest import Ground, ground_on
from tests.evolve.moving.families import definitions, moving
from tests.evolve.moving.families import house as house_table


@pytest.fixture(params=["together", "apart"])
def house(request: pytest.FixtureRequest) -> Iterator[Ground]:
    with open_engine("memory:") as one, open_engine("memory:") as two:
        yield ground_on(moving, one, one if request.param == "together" else two, definitions())


def keys(ground: Ground) -> list[str]:
    items = ground.new.execute("Scan", {"TableName": "House"})["Items"]
    return sorted(f"{i['PK']['S']} {i['SK']['S']}" for i in items)


def a_family(*children: str, **more: Any) -> dict[str, Any]:
    return {"id": "f1", "name": "Weasley", "children": [{"name": c, "age": 9} for c in children], **more}


def test_children_come_and_go(house: Ground) -> None:
    house.into("dual")
    house.session.put("Families", a_family("Ron", "Ginny"))
    assert keys(house) == ["FAMILY#f1 CHILD#Ginny", "FAMILY#f1 CHILD#Ron", "FAMILY#f1 FAMILY"]
    house.session.put("Families", a_family("Ron"))
    assert keys(house) == ["FAMILY#f1 CHILD#Ron", "FAMILY#f1 FAMILY"]
    assert house.session.verify().well
    house.session.delete("Families", {"id": "f1"})
    assert keys(house) == []


def test_more_children_than_a_transaction_holds(house: Ground) -> None:
    many = [f"Child {n:03}" for n in range(250)]
    house.put_legacy("Families", a_family(*many))
    house.into("dual")
    house.backfill()
    assert house.session.repair().settled == 1
    assert len(keys(house)) == 251
    assert house.session.put("Families", a_family(*many[100:], "New")).settled
    assert len(keys(house)) == 152
    assert house.session.verify().well
    assert house.session.delete("Families", {"id": "f1"}).settled
    assert keys(house) == []


def test_parts_that_differ_are_looked_at_again_together(house: Ground) -> None:
    """Each would have its legacy item read and split anew, which is the square of what there is."""
    house.put_legacy("Families", a_family(*(f"Child {n:03}" for n in range(250))))
    house.into("dual")
    house.legacy_wire.restart()
    found = house.session.verify(writing=True)
    assert found.differences == {("Family", "missing"): 1, ("Child", "missing"): 250}
    asked = [o for o, r in house.legacy_wire.sent if o == "GetItem" and r["TableName"] == "Families"]
    assert len(asked) == 2
    assert house.session.mend().settled == 1
    assert len(keys(house)) == 251
    assert house.session.verify().well


def test_children_of_one_key_are_found(house: Ground) -> None:
    house.put_legacy("Families", a_family("Ron", "Ron"))
    plan = house.session.plan()
    assert plan.problems == {("Families", "two items that it becomes have one key (Child)"): 1}
    assert plan.exit_code == 1


def account(ground: Ground) -> dict[str, Any]:
    items = ground.new.execute("Scan", {"TableName": "House"})["Items"]
    return next((from_wire_item(i) for i in items if i.get("Type") == {"S": "Account"}), {})


def test_a_merge_follows_both_tables(house: Ground) -> None:
    house.into("dual")
    session = house.session
    assert session.put("Accounts", {"id": "a1", "email": "a@b.c"}).settled
    assert account(house)["theme"] == "light"
    assert session.put("Settings", {"accountId": "a1", "theme": "dark"}).settled
    assert account(house)["theme"] == "dark"
    assert session.update("Settings", {"accountId": "a1"}, set={"theme": "blue"}).settled
    assert account(house)["theme"] == "blue"
    assert session.delete("Settings", {"accountId": "a1"}).settled
    assert account(house)["theme"] == "light"
    assert session.verify().well, session.verify().text()
    assert session.delete("Accounts", {"id": "a1"}).settled
    assert keys(house) == []


def test_a_merge_is_backfilled(house: Ground) -> None:
    for number in range(3):
        house.put_legacy("Accounts", {"id": f"a{number}", "email": f"{number}@b.c"})
    house.put_legacy("Settings", {"accountId": "a1", "theme": "dark"})
    house.into("dual")
    house.backfill()
    assert house.session.repair().settled == 3
    assert house.session.verify().well, house.session.verify().text()
    before = house.new.execute("Scan", {"TableName": "House"})["Items"]
    house.backfill()
    house.session.repair()
    assert house.new.execute("Scan", {"TableName": "House"})["Items"] == before


def test_unique_values_have_their_markers(house: Ground) -> None:
    house.into("dual")
    house.session.put("Accounts", {"id": "a1", "email": "a@b.c"})
    assert len(keys(house)) == 2
    taken = house.session.put("Accounts", {"id": "a2", "email": "a@b.c"})
    assert not taken.settled
    house.session.update("Accounts", {"id": "a1"}, set={"email": "new@b.c"})
    assert house.session.repair().exit_code == 0
    assert len(keys(house)) == 4
    assert house.session.verify().well, house.session.verify().text()


def test_there_is_no_way_back_without_a_function(house: Ground) -> None:
    house.into("dual", "shadow")
    progress = house.session.progress()
    assert progress.phase == "shadow"
    with pytest.raises(ArgumentError, match="does not belong"):
        house.session.restore_legacy()


def once(ground: Ground, when: Callable[[str, str], bool], do: Callable[[], object]) -> None:
    """Does something before the first request that is meant."""
    for wire in {id(w): w for w in (ground.wire, ground.legacy_wire)}.values():
        inner, done = wire.inner, list[str]()

        class Way:
            def send(
                self, operation: str, request: dict[str, Any], inner: Transport = inner, done: list[str] = done
            ) -> dict[str, Any]:
                if not done and when(operation, str(request)):
                    done.append(operation)
                    do()
                return inner.send(operation, request)

            def close(self) -> None: ...

        wire.inner = Way()


def test_what_is_merged_may_change_while_it_is_written(house: Ground) -> None:
    house.into("dual")
    other = house.open()
    other.put("Accounts", {"id": "a1", "email": "a@b.c"})
    once(
        house,
        lambda operation, request: operation == "TransactWriteItems" and "'House'" in request,
        lambda: other.put("Settings", {"accountId": "a1", "theme": "blue"}),
    )
    house.session.put("Settings", {"accountId": "a1", "theme": "dark"})
    house.session.repair()
    legacy = house.legacy_items("Settings")[0]["theme"]
    assert account(house)["theme"] == legacy == "blue"
    assert house.session.verify().well, house.session.verify().text()


def test_keys_are_noted_before_they_are_written(house: Ground) -> None:
    """Whoever settles an item dies before it can say so, and the next state has other keys."""
    house.into("dual")

    def away() -> None:
        raise ResourceNotFound("away")

    once(house, lambda operation, request: operation == "UpdateItem" and "digest" in request, away)
    assert not house.session.put("Accounts", {"id": "a1", "email": "a@b.c"}).settled
    assert len(keys(house)) == 2  # the account and the marker of its address
    assert house.session.update("Accounts", {"id": "a1"}, set={"email": "new@b.c"}).settled
    assert len(keys(house)) == 2
    assert house.session.verify().well, house.session.verify().text()


def test_attributes_of_merged_tables_are_looked_at_too(house: Ground) -> None:
    house.put_legacy("Settings", {"accountId": "a1", "theme": "dark", "font": "secret"})
    found = house.session.verify()
    assert ("Settings", "the attribute 'font' is neither mapped nor dropped") in found.unmapped
    assert found.exit_code == 1
    assert "secret" not in found.text()


def test_a_unique_marker_that_nothing_is_made_of_any_more_is_told_as_one(house: Ground) -> None:
    house.into("dual")
    house.session.put("Accounts", {"id": "a1", "email": "a@b.c"})
    house.legacy.execute("DeleteItem", {"TableName": "Accounts", "Key": {"id": {"S": "a1"}}})
    found = house.session.verify()
    assert found.differences == {("Account", "no origin"): 1, ("a unique marker", "no origin"): 1}


LOST = ("Settings", "joined to nothing, so that it would be lost")


def test_what_is_joined_to_nothing_is_told(house: Ground) -> None:
    house.put_legacy("Accounts", {"id": "a1", "email": "a@b.c"})
    for account_id in ("a1", "a2", "a3"):
        house.put_legacy("Settings", {"accountId": account_id, "theme": "dark"})
    rows: list[BadRow] = []
    plan = house.session.plan(None, bad_row=rows.append)
    assert (plan.problems, plan.exit_code) == ({LOST: 2}, 1)
    assert sorted(row.key["accountId"]["S"] for row in rows) == ["a2", "a3"]
    house.into("dual")
    house.backfill()
    house.session.repair()
    found = house.session.verify()
    assert (found.unmapped, found.exit_code) == ({LOST: 2}, 1)
    assert "Settings: joined to nothing, so that it would be lost, 2 items" in found.text()
    assert "Join(..., alone=True)" in found.text()
    for account_id in ("a2", "a3"):
        house.session.delete("Settings", {"accountId": account_id})
    assert house.session.verify().well


def test_a_joined_item_whose_leading_one_is_written_meanwhile_is_not_lost(house: Ground) -> None:
    house.put_legacy("Settings", {"accountId": "a1", "theme": "dark"})
    house.into("dual")
    account = {"id": {"S": "a1"}, "email": {"S": "a@b.c"}}
    once(
        house,
        lambda operation, request: operation == "BatchGetItem" and "'Settings'" in request,
        lambda: house.legacy.execute("PutItem", {"TableName": "Accounts", "Item": account}),
    )
    assert house.session.verify(writing=True).unmapped == {}


@pytest.mark.parametrize(
    ("join", "told"),
    [
        ({"alone": True}, {}),
        ({"owner": lambda settings: None}, {LOST: 2}),
        ({"find": lambda account: {"accountId": "a2"}}, {LOST: 1}),
        ({"find": lambda account: {"id": "a2"}}, {LOST: 1}),
        ({"owner": lambda settings: settings["nobody"]}, {}),  # that is what is told
    ],
)
def test_a_join_says_what_belongs_to_whom(join: dict[str, Any], told: dict[Any, int]) -> None:
    accounts = moving.moves[1]
    changed = replace(accounts, joins={"settings": replace(accounts.joins["settings"], **join)})
    with open_engine("memory:") as engine:
        ground = ground_on(Moving("house", table=house_table, moves=[changed]), engine, engine, definitions())
        ground.put_legacy("Accounts", {"id": "a1", "email": "a@b.c"})
        for account_id in ("a1", "a2"):
            ground.put_legacy("Settings", {"accountId": account_id, "theme": "dark"})
        problems = ground.session.plan().problems
        assert {what: count for what, count in problems.items() if what[0] == "Settings"} == told
        assert ground.session.verify().unmapped == told
