"""A reply is lost, and somebody else writes the item before the next attempt, or before the caller is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tablewright import Entity, Keys, RetryPolicy, Session, Table, key
from tablewright.engine import Engine, open_engine
from tablewright.errors import OutcomeUnknownError
from tablewright.testing import LostReply

shelf = Table("Shelf")


class Card(Entity, table=shelf):
    keys = Keys("CARD#{name}", "CARD")
    name: str
    count: int = 0


class Book(Entity, table=shelf, version=True):
    keys = Keys("BOOK#{name}", "BOOK")
    name: str
    count: int = 0


@pytest.fixture
def engine() -> Iterator[Engine]:
    """An engine in memory."""
    with open_engine("memory:") as engine:
        yield engine


def put(db: Session, kind: type[Any]) -> None:
    found = db.get(key(kind, name="a"))
    assert found is not None
    found.count = 1
    db.put(found)


def put_anew(db: Session, kind: type[Any]) -> None:
    db.put(kind(name="a", count=1))


def set_field(db: Session, kind: type[Any]) -> None:
    db.update(key(kind, name="a"), set={"count": 1})


def delete(db: Session, kind: type[Any]) -> None:
    db.delete(key(kind, name="a"))


def repeated(engine: Engine, kind: type[Any], work: Callable[[Session, type[Any]], None]) -> list[float]:
    """Does the work, whose first reply is lost. What is repeated comes after a change of somebody else's."""
    pauses: list[float] = []
    with shelf.open(engine) as other:
        other.create(kind(name="a"))

        def meanwhile(pause: float) -> None:
            pauses.append(pause)
            other.put(other.get(key(kind, name="a")) or kind(name="a", count=42))

        with shelf.open(engine, retry=RetryPolicy(sleep=meanwhile)) as db:
            engine.faults.inject(LostReply(operations="writes", nth=1))
            work(db, kind)
    return pauses


@pytest.mark.parametrize(
    "work", [put, put_anew, set_field, delete], ids=["put", "put of a fresh entity", "set", "delete"]
)
def test_with_a_version_nothing_is_repeated(engine: Engine, work: Callable[[Session, type[Any]], None]) -> None:
    with pytest.raises(OutcomeUnknownError) as caught:
        repeated(engine, Book, work)
    assert caught.value.context["retries"] == 0


@pytest.mark.parametrize("work", [put, put_anew, delete], ids=["put", "put of a fresh entity", "delete"])
def test_a_blind_write_counts_from_its_last_attempt(engine: Engine, work: Callable[[Session, type[Any]], None]) -> None:
    assert len(repeated(engine, Card, work)) == 1
    with shelf.open(engine) as db:
        assert db.get(key(Card, name="a")) == (None if work is delete else Card(name="a", count=1))
