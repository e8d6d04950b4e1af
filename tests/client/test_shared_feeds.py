"""Change feeds over an index that several entities share: all of them in one order, some of them, or one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tablewright import GSI, ChangePage, Entity, Keys, Mixed, Session, SoftDelete, Table, key, query
from tablewright.errors import ArgumentError, CursorError, PatternError, UnknownEntityTypeError
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.conftest import CURSOR_KEYS
from tests.client.doubles import OnTheWay

START = datetime(2026, 1, 1, tzinfo=UTC)
desk = Table("Desk", indexes=[GSI("GSI1"), GSI("GSI2")])


class Note(Entity, table=desk, soft_delete=SoftDelete(feed="GSI1")):
    keys = Keys("USER#{user}", "NOTE#{note_id}", GSI1=("CHANGES#{user}", "{updated_at}#{note_id}"))
    user: str
    note_id: str
    text: str = ""


class Folder(Entity, table=desk):
    keys = Keys(
        "USER#{user}",
        "FOLDER#{folder_id}",
        GSI1=("CHANGES#{user}", "{updated_at}#F#{folder_id}"),
        GSI2=("OTHER#{user}", "F#{updated_at}"),
    )
    user: str
    folder_id: str


class Tag(Entity, table=desk):
    keys = Keys(
        "USER#{user}",
        "TAG#{tag_id}",
        GSI1=("CHANGES#{user}", "{updated_at}#T#{tag_id}"),
        GSI2=("OTHER#{user}", "T#{updated_at}"),
    )
    user: str
    tag_id: str


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def wire() -> OnTheWay:
    return OnTheWay(EmbeddedTransport.open("memory:"))


@pytest.fixture
def db(wire: OnTheWay) -> Iterator[Session]:
    with desk.open(wire, create=True, cursor_keys=CURSOR_KEYS, clock=Clock()) as opened:
        yield opened


def told(page: ChangePage[Any]) -> list[str]:
    return [f"{'-' if c.deleted else ''}{next(v for n, v in c.key.fields.items() if n != 'user')}" for c in page.items]


def both(user: str) -> Mixed[Note | Folder]:
    return query(Note, Note.user == user) | query(Folder, Folder.user == user)


def fill(db: Session) -> None:
    db.create(Note(user="u", note_id="n1"))
    db.create(Folder(user="u", folder_id="f1"))
    db.create(Tag(user="u", tag_id="t1"))
    db.create(Note(user="u", note_id="n2"))
    db.create(Note(user="v", note_id="n9"))


def test_several_entities_are_one_feed_and_others_are_left_out(db: Session) -> None:
    fill(db)
    page = db.changes(both("u"))
    assert told(page) == ["n1", "f1", "n2"]
    assert [type(c.entity) for c in page.items] == [Note, Folder, Note]
    db.delete(key(Note, user="u", note_id="n1"))
    db.put(Tag(user="u", tag_id="t2"))
    db.put(Folder(user="u", folder_id="f2"))
    page = db.changes(both("u"), since=page.cursor)
    assert told(page) == ["-n1", "f2"]
    assert page.items[0].entity == Note(user="u", note_id="n1")
    assert told(db.changes(both("u"), since=page.cursor)) == []


def test_one_entity_of_a_shared_index_is_a_feed(db: Session) -> None:
    fill(db)
    assert told(db.changes(Note, Note.user == "u")) == ["n1", "n2"]
    assert told(db.changes(Tag, Tag.user == "u")) == ["t1"]


def test_a_feed_over_a_global_index_cannot_be_consistent(db: Session) -> None:
    fill(db)
    one = query(Note, Note.user == "u").consistent()
    for feed in (both("u").consistent(), one | query(Folder, Folder.user == "u")):
        with (
            db.measure() as meter,
            pytest.raises(PatternError, match="global indexes have no consistent reads") as refused,
        ):
            db.changes(feed)
        assert refused.value.hint is not None
        assert "Leave .consistent() out" in refused.value.hint
        assert not meter.requests


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_pages_end_anywhere(db: Session, limit: int) -> None:
    for number in range(5):
        db.create(Tag(user="u", tag_id=f"t{number}"))
        db.create(Note(user="u", note_id=f"n{number}"))
        db.create(Folder(user="u", folder_id=f"f{number}"))
    seen: list[str] = []
    cursor: str | None = None
    for _ in range(20):
        page = db.changes(both("u"), since=cursor, limit=limit)
        assert len(page.items) <= limit
        seen += told(page)
        cursor = page.cursor
        if not page.has_more:
            break
    assert seen == [f"{kind}{number}" for number in range(5) for kind in "nf"]


def test_a_cursor_belongs_to_what_its_feed_hands_out(db: Session) -> None:
    fill(db)
    cursor = db.changes(both("u")).cursor
    for other in (query(Tag, Tag.user == "u") | query(Folder, Folder.user == "u"), both("v")):
        with pytest.raises(CursorError):
            db.changes(other, since=cursor)
    with pytest.raises(CursorError):
        db.changes(Note, Note.user == "u", since=cursor)
    turned = query(Folder, Folder.user == "u") | query(Note, Note.user == "u")
    assert told(db.changes(turned, since=cursor)) == []


def test_items_of_unknown_types_are_told_or_left_out(db: Session) -> None:
    fill(db)
    stranger = {n: {"S": v} for n, v in (("PK", "X"), ("SK", "X"), ("GSI1PK", "CHANGES#u"), ("Type", "Gone"))}
    stranger["GSI1SK"] = {"S": "2026-01-01T00:00:00.500000Z#x"}
    db.send("PutItem", {"TableName": "Desk", "Item": stranger})
    with pytest.raises(UnknownEntityTypeError, match="a type that the model does not know"):
        db.changes(both("u"))
    assert told(db.changes(both("u").skipping_unknown())) == ["n1", "f1", "n2"]


def test_what_is_no_feed_is_refused_before_anything_is_sent(db: Session, wire: OnTheWay) -> None:
    wire.restart()
    apart = query(Folder, Folder.user == "u").via("GSI2") | query(Tag, Tag.user == "u").via("GSI2")
    with pytest.raises(PatternError, match=r"The changes of Folder and Tag .*different texts before \{updated_at\}"):
        db.changes(apart)
    with pytest.raises(PatternError, match="The changes of Note and Folder cannot be read in order"):
        db.changes(query(Note, Note.note_id == "n") | query(Folder, Folder.user == "u"))
    with pytest.raises(ArgumentError, match="takes no conditions beside them"):
        db.changes(both("u"), Note.user == "u")
    with pytest.raises(ArgumentError, match="in the order of time"):
        db.changes(query(Note, Note.user == "u").newest_first() | query(Folder, Folder.user == "u").newest_first())
    assert wire.sent == []


def test_a_pattern_can_be_the_feed(db: Session) -> None:
    table = Table("Desk2", indexes=[GSI("GSI1")])

    class Left(Entity, table=table):
        keys = Keys("L#{x}", "L", GSI1=("ALL#{of}", "{updated_at}#L#{x}"))
        x: str
        of: str

    class Right(Entity, table=table):
        keys = Keys("R#{x}", "R", GSI1=("ALL#{of}", "{updated_at}#R#{x}"))
        x: str
        of: str

    @table.pattern
    def everything(of: str) -> Mixed[Left | Right]:
        return query(Left, Left.of == of) | query(Right, Right.of == of)

    with table.open("memory:", clock=Clock(), cursor_keys=CURSOR_KEYS) as other:
        other.create(Left(x="1", of="a"))
        other.create(Right(x="2", of="a"))
        other.create(Right(x="3", of="b"))
        page = other.changes(everything("a"))
        assert [c.key.fields["x"] for c in page.items] == ["1", "2"]
        with pytest.raises(CursorError):
            other.changes(everything("b"), since=page.cursor)


def test_the_same_with_asyncio() -> None:
    async def main() -> None:
        async with desk.open_async("memory:", clock=Clock(), cursor_keys=CURSOR_KEYS) as db:
            await db.create(Tag(user="u", tag_id="t1"))
            await db.create(Folder(user="u", folder_id="f1"))
            await db.create(Note(user="u", note_id="n1"))
            assert told(await db.changes(both("u"))) == ["f1", "n1"]

    asyncio.run(main())
