"""Items of other code whose ids stand in PK and SK alone: what the key tells is read from it, everywhere."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

import pytest
from pydantic import BaseModel, Field

from tablewright import GSI, Bucket, Entity, Get, Keys, KeyStyle, Query, Session, Table, Unique, get, key, query, ulid
from tablewright.errors import DecodeError

lists = Table("Lists", indexes=[GSI("GSI1")], key_style=KeyStyle.adopted("#"))


class Todo(Entity, table=lists):
    """As somebody's f-strings wrote it: f"LIST#{id}", f"TODO#{number:05}"."""

    keys = Keys(
        "LIST#{list_id}",
        "TODO#{number:5}",
        GSI1=("DUE#{due}", "{list_id}#{number:5}"),
        unique=[Unique("list_id", "slug")],
    )
    list_id: str
    number: int = 0  # a default that says nothing about stored items
    slug: str
    due: date | None = None
    done: bool = False


class Event(Entity, table=lists):
    """Its key holds the day alone, of a time that is a field."""

    keys = Keys("EVENT#{name}", "DAY#{day}", derive={"day": Bucket("at", by="day")})
    name: str
    at: datetime


class Sighting(Entity, table=lists):
    """Its id is made when none is given."""

    keys = Keys("SIGHTING#{sighting_id}", "SIGHTING")
    sighting_id: str = Field(default_factory=ulid)

    def model_post_init(self, context: Any) -> None:
        """Code of the user's own."""


class Short(BaseModel):
    """A view with a field that only the key has."""

    number: int
    slug: str


@lists.pattern
def todos(list_id: str) -> Query[Todo]:
    return query(Todo, Todo.list_id == list_id)


@lists.pattern
def short(list_id: str) -> Query[Short]:
    return query(Todo, Todo.list_id == list_id).only(Short)


@lists.pattern
def on(due: date, list_id: str, number: int) -> Get[Todo]:
    return get(Todo, Todo.due == due, Todo.list_id == list_id, Todo.number == number).via("GSI1")


SEVEN = key(Todo, list_id="l1", number=7)
DAY = date(2026, 1, 5)
OLD = {"PK": {"S": "LIST#l1"}, "SK": {"S": "TODO#00007"}, "slug": {"S": "milk"}}


@pytest.fixture(params=["memory:", "a file"])
def db(request: pytest.FixtureRequest, tmp_path: Any) -> Iterator[Session]:
    where = request.param if request.param == "memory:" else str(tmp_path / "lists.db")
    with lists.open(where) as session:
        store(session, OLD)
        yield session


def store(db: Session, item: dict[str, Any]) -> None:
    """Past the model."""
    db.send("PutItem", {"TableName": "Lists", "Item": item})


def stored(db: Session) -> dict[str, Any]:
    """Past the model, too."""
    found: dict[str, Any] = db.send("GetItem", {"TableName": "Lists", "Key": {n: OLD[n] for n in ("PK", "SK")}})["Item"]
    return found


MILK = Todo(list_id="l1", number=7, slug="milk")


def test_every_read_tells_the_id(db: Session) -> None:
    assert db.get(SEVEN) == MILK
    assert db.get(SEVEN, consistent=True) == MILK
    assert db.get_many([SEVEN]) == [MILK]
    assert db.get_many([SEVEN], only=Short) == [Short(number=7, slug="milk")]
    assert db.run(todos, "l1").all() == [MILK]
    assert db.run(todos, "l1").page(5).items == (MILK,)
    assert db.run(short, "l1").all() == [Short(number=7, slug="milk")]
    store(db, {**OLD, "Type": {"S": "Todo"}})
    assert list(db.scan_for_maintenance(Todo)) == [MILK]


def test_old_and_new_items_stand_side_by_side(db: Session) -> None:
    db.create(Todo(list_id="l1", number=8, slug="bread"))
    assert [t.number for t in db.run(todos, "l1")] == [7, 8]


def test_writes_make_the_keys_of_indexes_from_it(db: Session) -> None:
    assert db.update(SEVEN, set={"due": DAY}) == MILK.model_copy(update={"due": DAY})
    assert stored(db)["GSI1SK"] == {"S": "l1#00007"}
    found = db.run(on, DAY, "l1", 7)
    assert found is not None
    assert found.number == 7
    assert db.update(on(DAY, "l1", 7), set={"done": True}).number == 7
    with db.edit(SEVEN) as todo:
        todo.slug = "oat milk"
    assert db.revise(SEVEN, lambda t: setattr(t, "done", False)) == Todo(
        list_id="l1", number=7, slug="oat milk", due=DAY
    )
    db.put(MILK)
    assert stored(db)["number"] == {"N": "7"}, "whoever puts it completes it"


def test_unique_values_of_it_change_hands(db: Session) -> None:
    db.claim_unique(SEVEN)
    db.update(SEVEN, set={"slug": "oat"})
    db.create(Todo(list_id="l1", number=9, slug="milk"))
    db.delete(SEVEN)
    db.create(Todo(list_id="l1", number=10, slug="oat"))


def test_an_id_is_never_made_up(db: Session) -> None:
    store(db, {"PK": {"S": "SIGHTING#s1"}, "SK": {"S": "SIGHTING"}})
    assert db.get(key(Sighting, sighting_id="s1")) == Sighting(sighting_id="s1")


def test_a_key_that_does_not_tell_is_named(db: Session) -> None:
    store(db, {"PK": {"S": "EVENT#a"}, "SK": {"S": "DAY#2026-01-05"}})
    with pytest.raises(DecodeError, match=r"lacks 'at'.*only a shard or bucket") as caught:
        db.get(key(Event, name="a", at=datetime(2026, 1, 5, tzinfo=UTC)))
    assert "Give the field a default" not in str(caught.value)
    store(db, {"PK": {"S": "LIST#l1"}, "SK": {"S": "TODO#7"}, "slug": {"S": "x"}, "Type": {"S": "Todo"}})
    with pytest.raises(DecodeError, match=r"lacks 'number'.*SK is not of the form \"TODO#\{number:5\}\""):
        list(db.scan_for_maintenance(Todo))


def test_async_reads_are_the_same() -> None:
    async def story() -> None:
        async with lists.open_async("memory:") as db:
            await db.send("PutItem", {"TableName": "Lists", "Item": OLD})
            assert await db.get(SEVEN) == MILK
            assert await db.run(todos, "l1").all() == [MILK]

    asyncio.run(story())
