"""Locks by the time of the last write: each write has a newer one, whatever the clock does, and old copies are refused."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from tablewright import Entity, Keys, Session, Table, key, stored
from tablewright.engine import open_engine
from tablewright.errors import (
    ArgumentError,
    ConcurrentModificationError,
    ContentionError,
    DecodeError,
    ModelError,
    NotFoundError,
)
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.conftest import AT_ONCE, Laboratory
from tests.client.doubles import OnTheWay
from tests.client.lab import Note, Sheet, lab

ONE = key(Sheet, sheet_id="1")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def backwards() -> Callable[[], datetime]:
    """A clock that goes back by a minute at each look."""
    looks = iter(range(10_000))
    return lambda: NOON - timedelta(minutes=next(looks))


@pytest.fixture(params=["standing", "backwards"])
def clock(request: pytest.FixtureRequest) -> Callable[[], datetime]:
    """A clock that cannot be trusted."""
    return backwards() if request.param == "backwards" else lambda: NOON


@pytest.fixture
def place(clock: Callable[[], datetime]) -> Iterator[Laboratory]:
    """Two sessions on such a clock."""
    with open_engine("memory:") as engine:
        wire = OnTheWay(EmbeddedTransport(engine, owned=False))
        with (
            lab.open(EmbeddedTransport(engine, owned=False), create=True, clock=clock) as other,
            lab.open(wire, clock=clock, retry=AT_ONCE) as db,
        ):
            yield Laboratory(db, wire, other, engine)


def stamp(laboratory: Laboratory) -> str:
    text: str = laboratory.item("SHEET#1", "SHEET#1")["UpdatedAt"]["S"]
    return text


def seen(db: Session) -> Sheet:
    found = db.get(ONE, consistent=True)
    assert found is not None
    return found


def in_a_transaction(db: Session, act: Callable[[Any], object]) -> None:
    with db.transaction() as tx:
        act(tx)


WRITES: dict[str, Callable[[Session], Any]] = {
    "fresh put": lambda db: db.put(Sheet(sheet_id="1", sum=2)),
    "put": lambda db: db.put(seen(db)),
    "update": lambda db: db.update(ONE, set={"note": "x"}),
    "update of a key": lambda db: db.update(ONE, add={"sum": 1}),
    "locked update": lambda db: db.update(seen(db), add={"sum": 1}),
    "increment": lambda db: db.increment(ONE, Sheet.sum),
    "upsert": lambda db: db.upsert(Sheet(sheet_id="1", note="y")),
    "revise": lambda db: db.revise(ONE, lambda s: setattr(s, "note", s.note + "z")),
    "put in a transaction": lambda db: in_a_transaction(db, lambda tx: tx.put(seen(db))),
    "update in a transaction": lambda db: in_a_transaction(db, lambda tx: tx.update(ONE, add={"sum": 1})),
    "upsert in a transaction": lambda db: in_a_transaction(db, lambda tx: tx.upsert(Sheet(sheet_id="1", sum=5))),
    "put in a batch": lambda db: _batched(db),
}


def _batched(db: Session) -> None:
    with db.batch(transactional=True) as batch:
        batch.put(Sheet(sheet_id="1", note="batch"))


@pytest.mark.parametrize("name", WRITES)
def test_every_write_is_newer(place: Laboratory, name: str) -> None:
    place.db.create(Sheet(sheet_id="1"))
    for _ in range(3):
        before = stamp(place)
        WRITES[name](place.db)
        assert stamp(place) > before


LOCKED: dict[str, Callable[[Session, Sheet], Any]] = {
    "put": lambda db, old: db.put(old),
    "save": lambda db, old: db.save(old),
    "update": lambda db, old: db.update(old, set={"note": "mine"}),
    "update of a key": lambda db, old: db.update(old, add={"sum": 1}),
    "delete": lambda db, old: db.delete(old),
    "expected": lambda db, old: db.update(ONE, set={"note": "mine"}, expected_version=_time(old)),
    "expected delete": lambda db, old: db.delete(ONE, expected_version=_time(old)),
    "put in a transaction": lambda db, old: in_a_transaction(db, lambda tx: tx.put(old)),
    "delete in a transaction": lambda db, old: in_a_transaction(db, lambda tx: tx.delete(old)),
    "check in a transaction": lambda db, old: in_a_transaction(
        db, lambda tx: (tx.check(old), tx.create(Note(note_id="1")))
    ),
}


def _time(sheet: Sheet) -> datetime | None:
    known = stored(sheet)
    assert known is not None
    return known.updated_at


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("name", LOCKED)
def test_an_old_copy_is_refused_and_a_new_one_taken(place: Laboratory, name: str, write: str) -> None:
    place.db.create(Sheet(sheet_id="1"))
    old = seen(place.db)
    WRITES[write](place.other)
    items = place.items()
    with pytest.raises(ConcurrentModificationError) as caught:
        LOCKED[name](place.db, old)
    assert "revise" in (caught.value.hint or "")
    assert place.items() == items
    LOCKED[name](place.db, seen(place.db))


def test_a_write_in_between_is_noticed(place: Laboratory) -> None:
    db, wire = place.db, place.wire
    db.create(Sheet(sheet_id="1"))
    old = seen(db)
    wire.restart()
    wire.before = {0: lambda: place.other.update(ONE, set={"note": "faster"})}
    with pytest.raises(ConcurrentModificationError):
        db.update(old, set={"note": "mine"})
    wire.restart()
    wire.before = {0: lambda: place.other.update(ONE, set={"note": "faster again"})}
    assert db.update(ONE, add={"sum": 1}).note == "faster again"  # by bare key there is no lock
    wire.restart()
    wire.before = {n: lambda: place.other.update(ONE, set={"note": "faster"}) for n in range(30)}
    with pytest.raises(ContentionError):
        db.update(ONE, set={"note": "never"})


def test_a_conflict_is_revised(place: Laboratory) -> None:
    db, wire = place.db, place.wire
    db.create(Sheet(sheet_id="1"))
    wire.restart()
    wire.before = {1: lambda: place.other.update(ONE, set={"note": "other"})}

    def more(sheet: Sheet) -> None:
        sheet.sum += 1

    assert db.revise(ONE, more) == Sheet(sheet_id="1", sum=1, note="other")


def test_an_item_that_is_gone(place: Laboratory) -> None:
    made = place.db.create(Sheet(sheet_id="1"))
    place.other.delete(ONE)
    writes: list[Callable[[], object]] = [
        lambda: place.db.put(made),
        lambda: place.db.update(made, set={"note": "x"}),
    ]
    for write in writes:
        with pytest.raises(NotFoundError):
            write()
    assert place.items() == []


def test_the_same_moment_in_another_zone(laboratory: Laboratory) -> None:
    db = laboratory.db
    made = db.create(Sheet(sheet_id="1"))
    known = stored(made)
    assert known is not None
    assert known.updated_at is not None
    elsewhere = known.updated_at.astimezone(timezone(timedelta(hours=5)))
    assert db.update(ONE, set={"note": "x"}, expected_version=elsewhere).note == "x"


@pytest.mark.parametrize("wrong", [1, "2026-01-01T00:00:00Z", datetime(2026, 1, 1)], ids=["int", "text", "no zone"])
def test_an_expected_time_is_a_time(laboratory: Laboratory, wrong: Any) -> None:
    laboratory.db.create(Sheet(sheet_id="1"))
    with pytest.raises(ArgumentError, match="with a time zone"):
        laboratory.db.update(ONE, set={"note": "x"}, expected_version=wrong)


def test_none_expects_an_item_without_a_time(laboratory: Laboratory) -> None:
    db = laboratory.db
    db.create(Sheet(sheet_id="1"))
    with pytest.raises(ConcurrentModificationError):
        db.update(ONE, set={"note": "x"}, expected_version=None)
    laboratory.engine.execute(
        "UpdateItem",
        {
            "TableName": "Lab",
            "Key": {"PK": {"S": "SHEET#1"}, "SK": {"S": "SHEET#1"}},
            "UpdateExpression": "REMOVE UpdatedAt",
        },
    )
    assert db.update(ONE, set={"note": "x"}, expected_version=None).note == "x"


def test_a_time_that_is_none_is_reported(laboratory: Laboratory) -> None:
    laboratory.db.create(Sheet(sheet_id="1"))
    laboratory.overwrite("SHEET#1", "SHEET#1", "UpdatedAt", {"S": "yesterday"})
    with pytest.raises(DecodeError, match="no time"):
        laboratory.db.update(ONE, set={"note": "x"})


def test_two_locks_are_one_too_many() -> None:
    table = Table("Any")
    with pytest.raises(ModelError, match="both a version and a lock"):

        class Both(Entity, table=table, version=True, lock="updated_at"):
            keys = Keys("BOTH#{name}", "BOTH")
            name: str

    with pytest.raises(ModelError, match="time stamps"):

        class Neither(Entity, table=table, timestamps=False, lock="updated_at"):
            keys = Keys("NEITHER#{name}", "NEITHER")
            name: str

    with pytest.raises(ModelError, match='must be "updated_at"'):

        class Other(Entity, table=table, lock="created_at"):
            keys = Keys("OTHER#{name}", "OTHER")
            name: str


@pytest.mark.parametrize(("lock", "own"), [({"version": True}, "version"), ({"lock": "updated_at"}, "updated_at")])
def test_a_field_that_looks_like_the_lock_is_refused(lock: dict[str, Any], own: str) -> None:
    with pytest.raises(ModelError, match=f"has a field '{own}'.*stored\\(entity\\).{own}"):

        class Page(Entity, table=Table("Any"), **lock):
            keys = Keys("PAGE#{name}", "PAGE")
            name: str
            version: int = 0
            updated_at: datetime


def test_async_locks() -> None:
    async def work() -> None:
        async with lab.open_async("memory:", clock=lambda: NOON) as db:
            made = await db.create(Sheet(sheet_id="1"))
            old = await db.get(made)
            await db.put(made)
            assert old is not None
            with pytest.raises(ConcurrentModificationError):
                await db.put(old)

    asyncio.run(work())


def test_locks_by_time_on_every_engine(anywhere: Session) -> None:
    made = anywhere.create(Sheet(sheet_id="1"))
    old = seen(anywhere)
    anywhere.put(made)
    with pytest.raises(ConcurrentModificationError):
        anywhere.update(old, add={"sum": 1})
    assert anywhere.update(made, add={"sum": 1}).sum == 1


def test_the_last_moment_that_can_be_written_down_is_told(place: Laboratory) -> None:
    place.other.create(Sheet(sheet_id="1"))
    place.overwrite("SHEET#1", "SHEET#1", "UpdatedAt", {"S": "9999-12-31T23:59:59.999999Z"})
    with pytest.raises(DecodeError, match="UpdatedAt"):
        place.db.update(ONE, set={"note": "x"})
