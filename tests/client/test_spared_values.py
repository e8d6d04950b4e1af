"""Offloaded values are fetched once at most in one call, and not at all where nobody wants them; sweeps over many kinds."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from tablewright import GSI, Entity, Get, Keys, Offloaded, Session, SoftDelete, Swept, Table, get, key, require
from tablewright.errors import ArgumentError, ConditionalCheckError, CursorError, ModelError, PatternError
from tests.client.conftest import CURSOR_KEYS


class CountingStore:
    """Keeps values in memory and counts how often each is got."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.got = Counter[str]()

    def put(self, name: str, data: bytes) -> None:
        self.kept[name] = data

    def get(self, name: str) -> bytes:
        self.got[name] += 1
        return self.kept[name]

    def delete(self, name: str) -> None:
        self.kept.pop(name, None)

    def names(self, prefix: str) -> Iterator[tuple[str, datetime]]:
        return iter(())


store = CountingStore()
library = Table("Library", indexes=[GSI("GSI1")])


class Book(Entity, table=library):
    """Found through an index; its text is kept elsewhere."""

    keys = Keys("SHELF#{shelf}", "BOOK#{book}", GSI1=("BOOK#{book}", "BOOK"), unique=["isbn"])
    shelf: str
    book: str
    isbn: str = ""
    state: str = "new"
    text: Annotated[str, Offloaded(store, above=10)] = ""


class Shelf(Entity, table=library):
    """Something else in the same table."""

    keys = Keys("SHELF#{shelf}", "SHELF")
    shelf: str
    text: Annotated[str, Offloaded(store, above=10)] = ""


class Draft(Entity, table=library, soft_delete=SoftDelete()):
    """Leaves tombstones."""

    keys = Keys("DRAFT#{draft}", "DRAFT")
    draft: str
    shelf: str = "none"
    text: Annotated[str, Offloaded(store, above=10)] = ""


class Row(BaseModel):
    """What a list shows."""

    shelf: str


@library.pattern
def book(book_id: str) -> Get[Book]:
    "One book."
    return get(Book, Book.book == book_id)


@library.change
def lend(it: Book, to: str) -> None:
    "Lends a new book."
    require(it.state == "new")
    it.state = to


LONG = "once upon a time"


@pytest.fixture
def db() -> Iterator[Session]:
    store.kept.clear()
    with library.open("memory:", cursor_keys=CURSOR_KEYS) as opened:
        opened.create(Book(shelf="s", book="b", isbn="1", text=LONG))
        opened.create(Shelf(shelf="s", text=LONG))
        opened.create(Draft(draft="d", text=LONG))
        store.got.clear()
        yield opened


def test_a_call_gets_a_value_once(db: Session) -> None:
    assert db.apply(lend, book("b"), "ada").text == LONG
    assert list(store.got.values()) == [1]
    store.got.clear()
    deleted = db.delete(book("b"))
    assert deleted is not None
    assert deleted.text == LONG
    assert list(store.got.values()) == [1]
    store.got.clear()
    buried = db.delete(key(Draft, draft="d"))
    assert buried is not None
    assert buried.text == LONG
    assert list(store.got.values()) == [1]


def test_a_change_may_return_nothing(db: Session) -> None:
    by_key = key(Book, shelf="s", book="b")
    db.apply_only(lend, by_key, to="ada")
    assert not store.got
    found = db.get(by_key)
    assert found is not None
    assert found.state == "ada"
    with pytest.raises(ConditionalCheckError):
        db.apply_only(lend, by_key, "bob")


def test_scans_and_sweeps_leave_out_what_a_view_has_not(db: Session) -> None:
    assert list(db.scan_for_maintenance(Book, only=Row)) == [Row(shelf="s")]
    seen: list[Row] = []
    assert db.sweep_for_maintenance([Book, Draft], seen.extend, only=Row).items == 2
    assert sorted(row.shelf for row in seen) == ["none", "s"]
    db.delete(key(Draft, draft="d"), returns="none")
    store.got.clear()
    assert [row.shelf for row in db.scan_for_maintenance([Draft, Book], only=Row)] == ["s"]
    assert not store.got


def test_one_sweep_over_several_entities(db: Session) -> None:
    seen: list[Any] = []
    with db.measure() as meter:
        swept = db.sweep_for_maintenance([Shelf, Book, Book], seen.extend, segments=1)
    assert {type(e) for e in seen} == {Book, Shelf}
    assert (len(seen), swept.items, len(meter.requests)) == (2, 2, 1)
    assert {type(e) for e in db.scan_for_maintenance((Shelf, Draft))} == {Shelf, Draft}
    assert {type(e) for e in db.scan_for_maintenance([Shelf, Draft], segments=2, segment=0)} <= {Shelf, Draft}


def test_a_cursor_of_a_sweep_belongs_to_its_entities(db: Session) -> None:
    told: list[Swept] = []
    db.sweep_for_maintenance([Shelf, Book], len, segments=2, progress=told.append)
    cursor = told[0].cursor  # the other segment may end at any time, but not before this was told
    assert cursor is not None
    assert db.sweep_for_maintenance([Book, Shelf], len, segments=2, since=cursor).cursor is None
    with pytest.raises(CursorError):
        db.sweep_for_maintenance(Book, len, segments=2, since=cursor)


def test_what_is_no_list_of_entities_is_refused(db: Session) -> None:
    wrong: Any
    for wrong in ([], (), "Book", 5, None):
        with pytest.raises(ArgumentError, match="list of entities"):
            list(db.scan_for_maintenance(wrong))
        with pytest.raises(ArgumentError, match="list of entities"):
            db.sweep_for_maintenance(wrong, len)
    for wrong in (["Book"], int, [Book, Row]):
        with pytest.raises(ModelError, match="no entity of Library"):
            list(db.scan_for_maintenance(wrong))

    class Other(BaseModel):
        isbn: str

    with pytest.raises(PatternError, match="'isbn', which Shelf does not have"):
        list(db.scan_for_maintenance([Book, Shelf], only=Other))


def test_the_same_with_asyncio() -> None:
    store.kept.clear()

    async def go() -> None:
        async with library.open_async("memory:", cursor_keys=CURSOR_KEYS) as db:
            await db.create(Book(shelf="s", book="b", isbn="1", text=LONG))
            await db.create(Shelf(shelf="t", text=LONG))
            store.got.clear()
            await db.apply_only(lend, key(Book, shelf="s", book="b"), "ada")
            rows = [row async for row in db.scan_for_maintenance([Book, Shelf], only=Row)]
            assert sorted(row.shelf for row in rows) == ["s", "t"]
            seen: list[Row] = []

            async def work(found: list[Row]) -> None:
                seen.extend(found)

            await db.sweep_for_maintenance([Book, Shelf], work, only=Row)
            assert len(seen) == 2
            assert not store.got
            assert {type(e) async for e in db.scan_for_maintenance([Book, Shelf])} == {Book, Shelf}

    asyncio.run(go())
