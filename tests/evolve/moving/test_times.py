"""The library's own times where the legacy items of one move tell them here and not there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright import GSI, Entity, Keys, Table
from tablewright.engine import Engine, open_engine
from tablewright.evolve.moving import Made, Move, Moving, MovingSession, open_moving
from tablewright.values.wire import from_wire_item, to_wire_item
from tests.evolve.moving.conftest import AT_ONCE
from tests.evolve.moving.merchants import Clock
from tests.evolve.moving.people import Person, old_table, people

OLD, NEWER = "2020-01-01T00:00:00.000000Z", "2021-01-01T00:00:00.000000Z"
TOLD: dict[str, dict[str, Any]] = {
    "none": {},
    "made": {"made": OLD},
    "changed": {"changed": NEWER},
    "both": {"made": OLD, "changed": NEWER},
}
lines = Table("Lines", indexes=[GSI("GSI1")])


class Line(Entity, table=lines):
    keys = Keys("LINE#{line_id}", "LINE", GSI1=("LINES", "{created_at}#{line_id}"))
    line_id: str


FIELDS = {"person_id": "id", "mail": "mail"}


def split(row: dict[str, Any]) -> Iterator[Made]:
    yield Made(Person(person_id=row["id"], mail=row["mail"]), created=row.get("made"), updated=row.get("changed"))


MOVES = {
    "fields": Move(table="Old", key=("id",), entity=Person, fields=FIELDS, created="made", updated="changed"),
    "split": Move(table="Old", key=("id",), split=split, makes=(Person,), uses=("mail", "made", "changed")),
}


@pytest.fixture
def engine() -> Iterator[Engine]:
    with open_engine("memory:") as opened:
        opened.execute("CreateTable", old_table())
        for name, times in TOLD.items():
            item = to_wire_item({"id": name, "mail": name, **times})
            opened.execute("PutItem", {"TableName": "Old", "Item": item})
        yield opened


def opened(engine: Engine, kind: str, clock: Clock) -> MovingSession:
    moving = Moving("people", table=people, moves=[MOVES[kind]])
    return open_moving(moving, engine, clock=clock, retry=AT_ONCE)


@pytest.mark.parametrize("kind", MOVES)
def test_what_an_item_does_not_tell_is_of_the_write_itself(engine: Engine, kind: str) -> None:
    clock = Clock()
    with opened(engine, kind, clock) as session:
        session.prepare()
        session.advance("dual")
        clock.pass_(seconds=11)
        began = session._meanwhile.place.now()
        session.backfill(write=True)
        clock.pass_(seconds=60)  # whoever looks later gets another time of a write
        found = session.verify()
        assert found.well, found.text()
        assert all(report.nothing_to_change for report in session.backfill(write=True))
    items = map(from_wire_item, engine.execute("Scan", {"TableName": "People"})["Items"])
    times = {item["person_id"]: (item["CreatedAt"], item["UpdatedAt"]) for item in items if "person_id" in item}
    assert times == {
        "none": (began, began),
        "made": (OLD, began),
        "changed": (NEWER, NEWER),
        "both": (OLD, NEWER),
    }


@pytest.mark.parametrize("kind", MOVES)
@pytest.mark.parametrize("name", ["CreatedAt", "UpdatedAt"])
def test_what_an_item_tells_is_compared(engine: Engine, kind: str, name: str) -> None:
    clock = Clock()
    with opened(engine, kind, clock) as session:
        session.prepare()
        session.advance("dual")
        clock.pass_(seconds=11)
        session.backfill(write=True)
        for person in TOLD:
            engine.execute(
                "UpdateItem",
                {
                    "TableName": "People",
                    "Key": {"PK": {"S": f"PERSON#{person}"}, "SK": {"S": "PERSON"}},
                    "UpdateExpression": "SET #n = :v",
                    "ExpressionAttributeNames": {"#n": name},
                    "ExpressionAttributeValues": {":v": {"S": "2022-02-02T00:00:00.000000Z"}},
                },
            )
        told = {"CreatedAt": 3, "UpdatedAt": 2}[name]
        assert session.verify().differences == {("Person", f"field {name}"): told}


def test_keys_do_not_hold_the_time_of_the_write(engine: Engine) -> None:
    clock = Clock()
    move = Move(
        table="Old", key=("id",), entity=Line, fields={"line_id": "id"}, created="made", dropped=("mail", "changed")
    )
    with open_moving(Moving("lines", table=lines, moves=[move]), engine, clock=clock, retry=AT_ONCE) as session:
        session.prepare()
        reason = "nothing tells created_at, which keys of Line hold"
        assert session.plan().problems == {("Old", reason): 2}
        session.advance("dual")
        clock.pass_(seconds=11)
        (report,) = session.backfill(write=True)
        assert (report.counts.written, report.counts.skipped) == (2, {reason: 2})
