"""Versions where lists and forms need them: in views, and expected of a put."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from pydantic import BaseModel, TypeAdapter

from tablewright import GSI, Entity, Get, Keys, Query, Session, Stored, Table, get, key, query, stored
from tablewright.errors import ArgumentError, ConcurrentModificationError, NotFoundError, PatternError
from tests.client.conftest import CURSOR_KEYS

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
wiki = Table("Wiki", indexes=[GSI("GSI1"), GSI("GSI2", projection="KEYS_ONLY"), GSI("GSI3", projection=["CreatedAt"])])


class Sheet(Entity, table=wiki, version=True):
    keys = Keys("WIKI#{wiki}", "SHEET#{name}", GSI1=("ALL#{wiki}", "{name}"), unique=["title"])
    wiki: str = "w"
    name: str
    title: str
    text: str = ""


class Line(Entity, table=wiki, lock="updated_at"):
    keys = Keys("LINES#{wiki}", "{name}", GSI2=("LINES#{wiki}", "{name}"), GSI3=("INCLUDED#{wiki}", "{name}"))
    wiki: str = "w"
    name: str


class Row(BaseModel):
    """What a list shows; `known` is for the ETag."""

    name: str
    known: Stored


class LineRow(BaseModel):
    name: str
    known: Stored | None


@wiki.pattern
def sheets(of: str) -> Query[Row]:
    "A list."
    return query(Sheet, Sheet.wiki == of).only(Row)


@wiki.pattern
def sheet(of: str, name: str) -> Get[Row]:
    "One row."
    return get(Sheet, Sheet.wiki == of, Sheet.name == name).only(Row)


@pytest.fixture
def db() -> Iterator[Session]:
    with wiki.open("memory:", cursor_keys=CURSOR_KEYS, clock=lambda: NOON) as opened:
        opened.create(Sheet(name="a", title="A"))
        opened.create(Line(name="l"))
        yield opened


def test_a_view_may_have_the_version_and_times(db: Session) -> None:
    home = key(Sheet, wiki="w", name="a")
    db.update(home, set={"text": "new"})
    found = db.get(home)
    assert found is not None
    expected = Row(name="a", known=cast(Stored, stored(found)))
    assert expected.known.version == 2
    assert expected.known.updated_at == NOON
    assert list(db.run(sheets, "w")) == [expected]
    assert db.run(sheet, "w", "a") == expected
    assert db.get_many([home], only=Row) == [expected]
    assert list(db.scan_for_maintenance(Sheet, only=Row)) == [expected]
    (line,) = db.execute(query(Line, Line.wiki == "w").only(LineRow))
    assert line.known is not None
    assert (line.known.version, line.known.updated_at) == (None, NOON)


def test_a_stored_is_an_object_in_json() -> None:
    row = Row(name="a", known=Stored(3, "2026-01-01T12:00:00.000000Z"))
    assert Row.model_validate_json(row.model_dump_json()) == row
    assert row.model_dump(mode="json")["known"]["version"] == 3
    for mode in ("validation", "serialization"):
        schema = TypeAdapter(Row).json_schema(mode=cast(Any, mode))
        assert "version" in schema["properties"]["known"]["properties"]


def test_an_index_that_lacks_the_times_is_refused() -> None:
    for index in ("GSI2", "GSI3"):
        with pytest.raises(PatternError, match="lacks the version and times"):
            wiki.plan.read(query(Line, Line.wiki == "w").only(LineRow).via(index))


def test_a_put_may_expect_a_version(db: Session) -> None:
    db.put(Sheet(name="a", title="A", text="from a form"), expected_version=1)
    with pytest.raises(ConcurrentModificationError):
        db.put(Sheet(name="a", title="A", text="an old form"), expected_version=1)
    with pytest.raises(NotFoundError):
        db.put(Sheet(name="b", title="B"), expected_version=1)
    again = db.put(Sheet(name="a", title="A2", text="third"), expected_version=2)
    known = stored(again)
    assert known is not None
    assert known.version == 3
    before = db.put(Sheet(name="a", title="A3"), expected_version=3, returns="old")
    assert before is not None
    assert before.title == "A2"
    found = db.get(again)
    assert found is not None
    assert (found.title, found.text) == ("A3", "")


def test_it_counts_more_than_what_was_read(db: Session) -> None:
    read = db.get(key(Sheet, wiki="w", name="a"))
    assert read is not None
    db.update(key(Sheet, wiki="w", name="a"), set={"text": "x"})
    db.put(read, expected_version=2)
    known = stored(read)
    assert known is not None
    assert known.version == 3


def test_in_a_transaction_and_by_time(db: Session) -> None:
    with db.transaction() as tx:
        tx.put(Sheet(name="a", title="A", text="tx"), expected_version=1)
    with pytest.raises(ConcurrentModificationError), db.transaction() as tx:
        tx.put(Sheet(name="a", title="A"), expected_version=1)
    db.put(Line(name="l"), expected_version=NOON)
    with pytest.raises(ConcurrentModificationError):
        db.put(Line(name="l"), expected_version=NOON)


def test_wrong_expectations_are_refused(db: Session) -> None:
    for wrong in (0, True, "1", NOON):
        with pytest.raises(ArgumentError, match="whole number"):
            db.put(Sheet(name="a", title="A"), expected_version=cast(Any, wrong))
    with pytest.raises(ArgumentError, match="locked by time"):
        db.put(Line(name="l"), expected_version=1)


def test_the_same_with_asyncio() -> None:
    async def go() -> None:
        async with wiki.open_async("memory:", cursor_keys=CURSOR_KEYS) as db:
            await db.create(Sheet(name="a", title="A"))
            await db.put(Sheet(name="a", title="B"), expected_version=1)
            with pytest.raises(ConcurrentModificationError):
                await db.put(Sheet(name="a", title="C"), expected_version=1)
            assert [row.known.version async for row in db.run(sheets, "w")] == [2]

    asyncio.run(go())
