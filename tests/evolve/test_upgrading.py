"""The job that upgrades an entity: it finds older items and nothing else, and what it writes is what a read shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright import Entity, Keys, Table, key
from tablewright.engine import Engine, open_engine
from tablewright.errors import ArgumentError, ConditionalCheckFailed, TransactionCanceled, UniqueViolationError
from tablewright.evolve.jobs.work import Skipped, Work, Writes
from tablewright.evolve.upgrading import Upgrade
from tests.client.people import OldPerson, OldPet, Person, Pet, new, old


@pytest.fixture
def engine() -> Iterator[Engine]:
    with open_engine("memory:") as made:
        with old.open(made) as db:
            for number in range(3):
                db.create(OldPerson(id=str(number), email=f"{number}@x", name=f"Ann Lee{number}", town="Rom"))
            db.create(OldPet(owner="1", name="Rex", species="dog"))
            db.create(OldPet(owner="1", name="Tom", species="cat"))
            db.delete(key(OldPet, owner="1", name="Tom"))
        yield made
        assert made.verify() == []


def items(engine: Engine, **reads: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = engine.execute("Scan", {"TableName": "People", **reads})["Items"]
    return found


def carried_out(engine: Engine, work: Work) -> int:
    """What a runner does, without its care."""
    written = 0
    for item in items(engine, **work.reads):
        decision = work.look(item)
        if isinstance(decision, Writes):
            engine.execute("TransactWriteItems", {"TransactItems": list(decision.actions)})
            written += 1
    return written


def test_all_items_are_upgraded_once(engine: Engine) -> None:
    work: Work = Upgrade(new.plan.of(Person), "People")
    others = [item for item in items(engine) if item["Type"] != {"S": "Person"}]
    assert (work.name, work.table) == ("upgrade Person to version 3", "People")
    assert (carried_out(engine, work), carried_out(engine, work)) == (3, 0)
    assert [item for item in items(engine) if item["Type"] != {"S": "Person"}] == others
    with new.open(engine) as db:
        assert sorted(one.last for one in db.scan_for_maintenance(Person)) == ["Lee0", "Lee1", "Lee2"]
    assert {item["SchemaVersion"]["N"] for item in items(engine) if item["Type"] == {"S": "Person"}} == {"3"}
    assert all(work.look(item) is None for item in items(engine))


def test_each_entity_is_other_work() -> None:
    people, pets = Upgrade(new.plan.of(Person), "People"), Upgrade(new.plan.of(Pet), "People")
    elsewhere = Upgrade(new.plan.of(Pet), "Others")
    assert len({people.identity, pets.identity, elsewhere.identity}) == 3
    assert Upgrade(new.plan.of(Pet), "People").identity == pets.identity


def test_tombstones_are_left(engine: Engine) -> None:
    work = Upgrade(new.plan.of(Pet), "People")
    assert carried_out(engine, work) == 1
    with new.open(engine) as db:
        assert db.get(key(Pet, owner="1", name="Rex")) == Pet(owner="1", name="Rex", kind="dog")
        assert db.undelete(key(Pet, owner="1", name="Tom")) == Pet(owner="1", name="Tom", kind="cat")


def test_an_item_that_changed_or_went_is_not_written(engine: Engine) -> None:
    work = Upgrade(new.plan.of(Person), "People")
    found = {item["id"]["S"]: work.look(item) for item in items(engine, **work.reads)}
    with old.open(engine) as db:
        db.update(key(OldPerson, id="1"), add={"n": 1})
        db.delete(key(OldPerson, id="2"))
    before = items(engine)
    for number in ("1", "2"):
        decision = found[number]
        assert isinstance(decision, Writes)
        ((operation, body),) = decision.actions[0].items()
        with pytest.raises(ConditionalCheckFailed):
            engine.execute(f"{operation}Item", body)
    assert items(engine) == before


def test_what_cannot_be_upgraded_is_skipped_with_a_reason_without_values(engine: Engine) -> None:
    work = Upgrade(new.plan.of(Person), "People")
    (item, *_) = items(engine, **work.reads)
    broken = {name: value for name, value in item.items() if name != "name"}
    for odd, why in (
        ({**item, "SchemaVersion": {"N": "9"}}, "is of version 9"),
        ({**item, "SchemaVersion": {"S": "x"}}, "is no version"),
        (broken, "from version 1 failed with KeyError"),
        ({**item, "n": {"S": "many"}}, "has a 'n'"),
        ({**item, "id": {"S": "another"}}, "change a field of its primary key"),
    ):
        decision = work.look(odd)
        assert isinstance(decision, Skipped)
        assert why in decision.reason
        assert "Ann" not in decision.reason
        assert "many" not in decision.reason


def test_unique_values_move_with_the_upgrade() -> None:
    before, after = Table("Mail"), Table("Mail")

    class Old(Entity, table=before, type="User"):
        keys = Keys("USER#{id}", "USER", unique=["email"])
        id: str
        email: str

    class User(Entity, table=after, schema_version=2):
        keys = Keys("USER#{id}", "USER", unique=["email"])
        id: str
        email: str

    @after.upcast(User, 1)
    def lower(item: dict[str, Any]) -> dict[str, Any]:
        return {**item, "email": item["email"].lower()}

    work = Upgrade(after.plan.of(User), "Mail")
    with open_engine("memory:") as engine:
        with before.open(engine) as db:
            db.create(Old(id="1", email="Ann@X"))
            db.create(Old(id="2", email="ann@X"))
        found = [work.look(item) for item in engine.execute("Scan", {"TableName": "Mail"})["Items"]]
        first, second = (list(decision.actions) for decision in found if isinstance(decision, Writes))
        engine.execute("TransactWriteItems", {"TransactItems": first})
        with pytest.raises(TransactionCanceled):
            engine.execute("TransactWriteItems", {"TransactItems": second})
        one, other = (actions[0]["Update"]["Key"]["PK"]["S"].removeprefix("USER#") for actions in (first, second))
        with after.open(engine) as now:
            assert now.get(key(User, id=one)) == User(id=one, email="ann@x")
            with pytest.raises(UniqueViolationError, match="belongs to another one"):
                now.update(key(User, id=other), set={"email": "bob@x"})
            now.delete(key(User, id=one))
            assert now.update(key(User, id=other), set={"email": "bob@x"}).email == "bob@x"
        assert {item["Type"]["S"] for item in engine.execute("Scan", {"TableName": "Mail"})["Items"]} == {
            "User",
            "Unique",
        }


def test_nothing_to_upgrade_by_is_refused() -> None:
    table = Table("Plain")

    class Plain(Entity, table=table, schema_version=2):
        keys = Keys("PLAIN#{id}", "P")
        id: str

    with pytest.raises(ArgumentError, match="There is nothing to upgrade Plain by"):
        Upgrade(table.plan.of(Plain), "Plain")
