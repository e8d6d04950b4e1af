"""People with unique mail addresses: a legacy table whose items come one for one, with a way back."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from tablewright import Entity, Get, Keys, Table, get
from tablewright.engine import Engine
from tablewright.evolve.moving import LegacyGet, Move, Moving, MovingSession, Read
from tests.evolve.moving.merchants import Clock

people = Table("People")


class Person(Entity, table=people):
    keys = Keys("PERSON#{person_id}", "PERSON", unique=["mail"])
    person_id: str
    mail: str
    name: str = ""


@people.pattern
def person(person_id: str) -> Get[Person]:
    return get(Person, Person.person_id == person_id)


ONE = Read(Person, lambda person_id: LegacyGet("Old", {"id": person_id}), person)


def told(entity: Person) -> dict[str, Any]:
    """The legacy item of a person."""
    item = {"id": entity.person_id, "mail": entity.mail}
    return item | {"name": entity.name} if entity.name else item


def people_moving(back: Any = told, **more: Any) -> Moving:
    fields = {"person_id": "id", "mail": "mail", "name": "name"}
    move = Move(table="Old", key=("id",), entity=Person, fields=fields, back=back)
    return Moving("people", table=people, moves=[move], safety_period=timedelta(0), **more)


def old_table(name: str = "Old") -> dict[str, Any]:
    """The CreateTable request of a legacy table."""
    return {
        "TableName": name,
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    }


def fill(engine: Engine, *numbers: int) -> None:
    """People of yesterday."""
    for number in numbers:
        item = {"id": {"S": str(number)}, "mail": {"S": f"m{number}"}}
        engine.execute("PutItem", {"TableName": "Old", "Item": item})


def into_new(
    session: MovingSession, clock: Clock, read: Read[Any] = ONE, subject: str = "1", *, until: str = "new"
) -> None:
    """Through the phases, with what each needs."""
    session.prepare()
    for phase in ("dual", "shadow", "switched", "new"):
        if phase != "dual":
            session.backfill(write=True)
            assert session.repair().exit_code == 0
            session.shadow(read, subject)
            session.tell()
            assert session.verify().well
        if phase == "new":
            session.switch(100)
            assert session.verify().well
        session.advance(phase)
        clock.pass_(seconds=11)
        if phase == until:
            return
