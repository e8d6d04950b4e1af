"""A body is read once, so a value that is new at each reading would be frozen: it is refused at definition."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tablewright import Entity, Get, Keys, Query, Table, get, query, ulid
from tablewright.errors import PatternError

table = Table("Frozen")


class Event(Entity, table=table):
    """Something that happened."""

    keys = Keys("EVENT#{name}", "{at}")
    name: str
    at: datetime
    seen: datetime | None = None
    tag: str = ""


def stamp(e: Event) -> None:
    e.seen = datetime.now(UTC)


def tag(e: Event) -> None:
    e.tag = ulid()


def constant(e: Event) -> None:
    e.tag = "seen"


def recent(name: str) -> Query[Event]:
    return query(Event, Event.name == name, Event.at >= datetime.now(UTC))


def at_new_year(name: str) -> Get[Event]:
    return get(Event, Event.name == name, Event.at == datetime(2026, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize("function", [stamp, tag])
def test_a_change_that_makes_a_new_value_is_refused(function: object) -> None:
    before = dict(table.changes)
    with pytest.raises(PatternError, match="parameter"):
        table.change(function)  # type: ignore[arg-type]
    assert table.changes == before


def test_a_pattern_that_looks_at_the_clock_is_refused() -> None:
    with pytest.raises(PatternError, match="different each time"):
        table.pattern(recent)
    assert "recent" not in table.patterns


def test_constants_are_fine() -> None:
    seen = table.change(constant)
    new_year = table.pattern(at_new_year)
    with table.open("memory:") as db:
        event = db.create(Event(name="n", at=datetime(2026, 1, 1, tzinfo=UTC)))
        assert db.apply(seen, event).tag == "seen"
        assert db.run(new_year, "n") is not None
