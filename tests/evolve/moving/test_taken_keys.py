"""A write whose new form is in the way of another item, once reads are switched: both sides take it, or none, and it says why."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tablewright.engine import Engine, open_engine
from tablewright.errors import AlreadyExistsError, ConditionalCheckError, UniqueViolationError
from tablewright.evolve.moving import MovingSession, open_moving
from tablewright.values.wire import from_wire_item
from tests.evolve.moving.conftest import AT_ONCE
from tests.evolve.moving.merchants import Clock
from tests.evolve.moving.people import Person, fill, into_new, old_table, people_moving


def switched(legacy: Engine, new: Engine) -> MovingSession:
    legacy.execute("CreateTable", old_table())
    fill(legacy, 1, 2)
    clock, other = Clock(), None if legacy is new else legacy
    session = open_moving(people_moving(), new, legacy=other, clock=clock, retry=AT_ONCE)
    into_new(session, clock, until="switched")
    return session


@pytest.fixture
def together() -> Iterator[tuple[MovingSession, Engine]]:
    with open_engine("memory:") as engine, switched(engine, engine) as session:
        yield session, engine


@pytest.fixture
def apart() -> Iterator[tuple[MovingSession, Engine]]:
    with open_engine("memory:") as legacy, open_engine("memory:") as new, switched(legacy, new) as session:
        yield session, legacy


def rows(engine: Engine) -> list[dict[str, Any]]:
    return sorted(map(from_wire_item, engine.execute("Scan", {"TableName": "Old"})["Items"]), key=str)


Write = Callable[[MovingSession], Any]
WRITES: list[tuple[Write, type[ConditionalCheckError], str]] = [
    (
        lambda s: s.create("Old", {"id": "3", "mail": "m1"}),
        UniqueViolationError,
        "its value of Person.mail belongs to another item",
    ),
    (
        lambda s: s.update("Old", {"id": "2"}, set={"mail": "m1"}),
        UniqueViolationError,
        "its value of Person.mail belongs to another item",
    ),
    (
        lambda s: s.put("Old", {"id": "9", "mail": "m9"}),
        AlreadyExistsError,
        "the key of its Person is taken by another item",
    ),
]


@pytest.mark.parametrize(("write", "kind", "said"), WRITES, ids=["create", "update", "key"])
def test_a_key_that_is_taken_is_told_and_nothing_is_written(
    together: tuple[MovingSession, Engine], write: Write, kind: type[ConditionalCheckError], said: str
) -> None:
    session, engine = together
    session.db.create(Person(person_id="9", mail="secret"))  # which no move brought
    before = rows(engine), engine.execute("Scan", {"TableName": "People"})["Items"]
    with pytest.raises(kind, match=f"An item of Old cannot be written: {said}") as told:
        write(session)
    assert told.value.entity == "Person"
    assert "Nothing was written" in str(told.value)
    assert not any(value in str(told.value) for value in ("m1", "m9", "secret", "None"))
    assert (rows(engine), engine.execute("Scan", {"TableName": "People"})["Items"]) == before
    assert session.pending() == {}
    assert session.put("Old", {"id": "3", "mail": "m3"}).settled


def test_where_no_transaction_spans_both_it_is_noted(apart: tuple[MovingSession, Engine]) -> None:
    session, legacy = apart
    written = session.create("Old", {"id": "3", "mail": "m1"})
    assert (written.settled, written.reason) == (False, "a key is taken by an item that came from elsewhere")
    assert len(rows(legacy)) == 3
