"""The way back from the last phase for entities with unique values, which code of the new table has changed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from tablewright import Entity, Get, Keys, Table, get, key
from tablewright.engine import Engine, open_engine
from tablewright.errors import ArgumentError
from tablewright.evolve.moving import LegacyGet, Move, Moving, MovingSession, Read, open_moving
from tests.evolve.moving.merchants import Clock

people = Table("People")


class Person(Entity, table=people):
    keys = Keys("PERSON#{person_id}", "PERSON", unique=["mail"])
    person_id: str
    mail: str


@people.pattern
def person(person_id: str) -> Get[Person]:
    return get(Person, Person.person_id == person_id)


ONE = Read(Person, lambda person_id: LegacyGet("Old", {"id": person_id}), person)


def moving(back: Any) -> Moving:
    move = Move(table="Old", key=("id",), entity=Person, fields={"person_id": "id", "mail": "mail"}, back=back)
    return Moving("people", table=people, moves=[move], safety_period=timedelta(0))


@pytest.fixture
def engine() -> Iterator[Engine]:
    with open_engine("memory:") as made:
        made.execute(
            "CreateTable",
            {
                "TableName": "Old",
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )
        for number in "123":
            item = {"id": {"S": number}, "mail": {"S": f"m{number}"}}
            made.execute("PutItem", {"TableName": "Old", "Item": item})
        yield made


def into_new(session: MovingSession, clock: Clock) -> None:
    session.prepare()
    for phase in ("dual", "shadow", "switched", "new"):
        if phase != "dual":
            session.backfill(write=True)
            session.shadow(ONE, "1")
            session.tell()
            assert session.verify().well
        if phase == "new":
            session.switch(100)
            assert session.verify().well
        session.advance(phase)
        clock.pass_(seconds=11)


def test_values_that_were_changed_meanwhile_belong_to_both_sides_again(engine: Engine) -> None:
    clock = Clock()
    with open_moving(moving(lambda p: {"id": p.person_id, "mail": p.mail}), engine, clock=clock) as session:
        into_new(session, clock)
        session.db.update(key(Person, person_id="1"), set={"mail": "changed"})
        session.db.create(Person(person_id="9", mail="new"))
        session.db.delete(key(Person, person_id="3"))
        assert session.restore_legacy(write=False) == session.restore_legacy()
        assert session.restore_legacy().written == 0
        found = session.verify()
        assert found.well, found.text()
        session.go_back("switched")
        clock.pass_(seconds=11)
        assert session.put("Old", {"id": "1", "mail": "again"}).settled
        assert session.put("Old", {"id": "8", "mail": "m3"}).settled  # whose owner is gone
        assert session.delete("Old", {"id": "9"}).settled
        found = session.verify()
        assert found.well, found.text()


def test_a_function_for_the_way_back_that_fails_is_told_without_values(engine: Engine) -> None:
    clock = Clock()

    def failing(entity: Any) -> dict[str, Any]:
        raise KeyError(entity.mail)

    with open_moving(moving(failing), engine, clock=clock) as session:
        into_new(session, clock)
        with pytest.raises(ArgumentError, match="back= of 'Old' raised KeyError") as told:
            session.restore_legacy()
        assert "m1" not in f"{told.value}"
