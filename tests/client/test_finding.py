"""Statements, sweeps and tallies: reads beside patterns, typed all the same."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, cast

import boto3
import pytest
from pydantic import BaseModel

from tablewright import (
    GSI,
    Bucket,
    Entity,
    Keys,
    Query,
    Session,
    Shard,
    Swept,
    Table,
    Tally,
    between,
    get,
    is_in,
    query,
)
from tablewright.errors import ArgumentError, CursorError, DecodeError, ModelError, TablewrightError
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.conftest import CURSOR_KEYS
from tests.client.doubles import OnTheWay

START = datetime(2026, 1, 1, tzinfo=UTC)
plant = Table("Plant", indexes=[GSI("GSI1")])


class Reading(Entity, table=plant):
    """One partition for each month, another for each shard of a kind."""

    keys = Keys(
        "SENSOR#{sensor}#{month}",
        "{at}",
        GSI1=("KIND#{kind}#{shard}", "{at}"),
        derive={"month": Bucket("at", "month"), "shard": Shard("at", of=2)},
    )
    sensor: str
    at: datetime
    value: Decimal = Decimal(1)
    kind: str = "k"
    note: str | None = None


class Sensor(Entity, table=plant):
    """Something else in the same table."""

    keys = Keys("SENSOR#{sensor}", "SENSOR")
    sensor: str
    place: str = "roof"


class Point(BaseModel):
    """What a statement selects."""

    sensor: str
    value: Decimal


@plant.pattern
def readings(sensor: str, start: datetime, end: datetime) -> Query[Reading]:
    "What a sensor said."
    return query(Reading, Reading.sensor == sensor, between(Reading.at, start, end))


@plant.pattern
def of_kind(kind: str) -> Query[Reading]:
    "All of a kind."
    return query(Reading, Reading.kind == kind)


@pytest.fixture
def wire() -> OnTheWay:
    return OnTheWay(EmbeddedTransport.open("memory:"))


@pytest.fixture
def db(wire: OnTheWay) -> Iterator[Session]:
    with plant.open(wire, create=True, cursor_keys=CURSOR_KEYS) as opened:
        with opened.batch() as batch:
            for n in range(90):
                batch.put(Reading(sensor="s", at=START + timedelta(days=n), value=Decimal(n) / 2))
            batch.put(Sensor(sensor="s"))
        wire.restart()
        yield opened


# ---------------------------------------------------------------------------------------------------- statements


def test_a_statement_gives_entities_and_models(db: Session) -> None:
    month = db.statement(
        'SELECT * FROM "{table}" WHERE PK = ? AND SK < ?', ["SENSOR#s#2026-02", "2026-02-04"], into=Reading
    )
    assert [r.at.day for r in month] == [1, 2, 3]
    first = month.first()
    assert first == Reading(sensor="s", at=START + timedelta(days=31), value=Decimal("15.5"))
    assert month.count() == 3
    points = db.statement('SELECT sensor, "value" FROM "{table}" WHERE PK = ?', ["SENSOR#s#2026-03"], into=Point)
    assert points.all()[0] == Point(sensor="s", value=Decimal("29.5"))
    indexed = db.statement('SELECT * FROM "{table}"."GSI1" WHERE GSI1PK = ?', ["KIND#k#1"], into=Reading, page_size=7)
    assert len(indexed.all()) > 10
    assert (
        db.statement('SELECT * FROM "{table}" WHERE PK = ?', ["nobody"], into=Sensor, consistent=True).first() is None
    )


def test_statements_page_with_bound_cursors(db: Session, wire: OnTheWay) -> None:
    text = 'SELECT * FROM "{table}" WHERE PK = ?'
    january = db.statement(text, ["SENSOR#s#2026-01"], into=Reading)
    page = january.page(20, "")
    rest = january.page(20, page.cursor)
    assert [r.at.day for r in (*page, *rest)] == list(range(1, 32))
    assert rest.cursor is None
    wire.restart()
    with pytest.raises(CursorError):
        db.statement(text, ["SENSOR#s#2026-02"], into=Reading).page(20, page.cursor)
    assert wire.sent == []


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("DELETE FROM \"{table}\" WHERE PK = ? AND SK = ?", ["a", "b"]),
        ("INSERT INTO \"{table}\" VALUE ?", [{"PK": "x"}]),
        ("SELECT * FROM \"{table}\" WHERE PK = 'a'", []),
        ("SELECT * FROM \"Plant\" WHERE PK = ?", ["a"]),
        ("SELECT * FROM \"{table}\" WHERE PK = ?", []),
        ("SELECT * FROM \"{table}\" WHERE PK = ?", ["a", "b"]),
        ("SELECT * FROM \"{table}\" WHERE PK = ?", "a"),
        ("SELECT * FROM \"{table}\" WHERE PK = ?", [0.5]),
        (None, []),
    ],
    ids=["delete", "insert", "a value", "another table", "too few", "too many", "a text", "a float", "nothing"],
)  # fmt: skip
def test_statements_that_write_or_hold_values_are_refused(
    db: Session, wire: OnTheWay, text: Any, parameters: Any
) -> None:
    with pytest.raises(TablewrightError):
        db.statement(text, parameters, into=Reading)
    assert wire.sent == []


def test_statements_promise_what_they_give(db: Session) -> None:
    text = 'SELECT * FROM "{table}" WHERE PK = ?'
    with pytest.raises(ArgumentError, match="into="):
        db.statement(text, ["a"], into=cast(Any, dict))
    other = Table("Other")

    class Foreign(Entity, table=other):
        keys = Keys("X#{x}", "X")
        x: str

    with pytest.raises(ModelError, match="no entity of Plant"):
        db.statement(text, ["a"], into=Foreign)
    with pytest.raises(TablewrightError, match="Sensor"):
        db.statement(text, ["SENSOR#s#2026-01"], into=Sensor).all()
    with pytest.raises(DecodeError, match="cannot be read as Point"):
        db.statement(text, ["SENSOR#s"], into=Point).all()


# -------------------------------------------------------------------------------------------------------- sweeps


@pytest.mark.parametrize("segments", [1, 3])
def test_a_sweep_hands_out_every_item_of_an_entity(
    db: Session, wire: OnTheWay, caplog: pytest.LogCaptureFixture, segments: int
) -> None:
    found: list[datetime] = []
    lock = threading.Lock()

    def work(page: list[Reading]) -> None:
        with lock:
            found.extend(r.at for r in page)

    told: list[Swept] = []
    with caplog.at_level(logging.WARNING, logger="tablewright"):
        swept = db.sweep_for_maintenance(Reading, work, segments=segments, progress=told.append)
    assert sorted(found) == [START + timedelta(days=n) for n in range(90)]
    assert (swept.items, swept.segments_done, swept.cursor) == (90, segments, None)
    assert told[-1] == swept
    assert len(told) == swept.pages == len(wire.sent) == segments
    assert "from end to end" in caplog.text


def bounded(wire: OnTheWay, size: int) -> None:
    """Lets every scan read so many items at most, as if they were large."""
    inner = wire.inner.send

    def send(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        return inner(operation, {**request, "Limit": size} if operation == "Scan" else request)

    wire.inner.send = send  # type: ignore[method-assign]


def test_a_sweep_stops_and_goes_on(db: Session, wire: OnTheWay) -> None:
    bounded(wire, 5)
    seen: list[datetime] = []
    cursors: list[str | None] = []

    def enough(so_far: Swept) -> bool:
        cursors.append(so_far.cursor)
        return so_far.items < 20

    stopped = db.sweep_for_maintenance(
        Reading, lambda page: seen.extend(r.at for r in page), segments=3, progress=enough
    )
    assert 20 <= stopped.items < 90
    assert stopped.cursor is not None
    assert stopped.items == len(seen)
    again = db.sweep_for_maintenance(
        Reading, lambda page: seen.extend(r.at for r in page), segments=3, since=stopped.cursor
    )
    assert again.cursor is None
    assert sorted(seen) == [START + timedelta(days=n) for n in range(90)]


def test_an_error_stops_a_sweep_and_leaves_the_last_cursor(db: Session, wire: OnTheWay) -> None:
    bounded(wire, 5)
    seen: list[datetime] = []
    progress: list[Swept] = []

    def work(page: list[Reading]) -> None:
        if len(seen) >= 30:
            raise RuntimeError("full")
        seen.extend(r.at for r in page)

    with pytest.raises(RuntimeError, match="full"):
        db.sweep_for_maintenance(Reading, work, segments=1, progress=progress.append)
    assert len(wire.sent) < 12
    rest: list[datetime] = []
    db.sweep_for_maintenance(
        Reading, lambda page: rest.extend(r.at for r in page), segments=1, since=progress[-1].cursor
    )
    assert sorted(seen + rest) == [START + timedelta(days=n) for n in range(90)]


def test_the_cursor_of_a_sweep_belongs_to_it(db: Session, wire: OnTheWay) -> None:
    bounded(wire, 5)
    cursor = db.sweep_for_maintenance(Reading, len, segments=2, progress=lambda _: False).cursor
    wire.restart()
    with pytest.raises(CursorError):
        db.sweep_for_maintenance(Sensor, len, segments=2, since=cursor)
    with pytest.raises(CursorError):
        db.sweep_for_maintenance(Reading, len, segments=3, since=cursor)
    for wrong in (0, 65, True, "4"):
        with pytest.raises(ArgumentError, match="1 to 64"):
            db.sweep_for_maintenance(Reading, len, segments=cast(int, wrong))
    assert wire.sent == []


# ------------------------------------------------------------------------------------------------------- tallies


def test_a_tally_counts_and_sums_each_bucket_and_all(db: Session, wire: OnTheWay) -> None:
    end = START + timedelta(days=80)
    tally = db.tally(readings("s", START, end), of=lambda r: r.value)
    assert (tally.count, tally.total) == (81, sum((Decimal(n) / 2 for n in range(81)), Decimal(0)))
    assert [(p.chosen["month"], p.count) for p in tally.parts] == [("2026-01", 31), ("2026-02", 28), ("2026-03", 22)]
    assert tally.parts[1].total == sum((Decimal(n) / 2 for n in range(31, 59)), Decimal(0))
    wire.restart()
    counted = db.tally(readings("s", START, end))
    assert [p.count for p in counted.parts] == [31, 28, 22]
    assert (counted.count, counted.total) == (81, 0)
    assert all(request["Select"] == "COUNT" for _, request in wire.sent)


def test_a_tally_tells_shards_and_listed_values_apart(db: Session) -> None:
    shards = db.tally(of_kind("k"), of=lambda r: 1)
    assert [p.chosen for p in shards.parts] == [{"shard": 0}, {"shard": 1}]
    assert shards.count == shards.total == 90
    nothing = db.tally(query(Reading, is_in(Reading.kind, ["none", "k"])).via("GSI1"))
    assert sorted((p.chosen["kind"], p.count > 0) for p in nothing.parts) == [
        ("k", True), ("k", True), ("none", False), ("none", False)
    ]  # fmt: skip


def test_only_queries_of_numbers_can_be_tallied(db: Session) -> None:
    with pytest.raises(ArgumentError, match="takes a query"):
        db.tally(cast(Any, get(Sensor, Sensor.sensor == "s")))
    with pytest.raises(ArgumentError, match="cannot sum up str"):
        db.tally(of_kind("k"), of=lambda r: r.sensor)
    assert db.tally(of_kind("k"), of=lambda r: r.note).total == 0


# --------------------------------------------------------------------------------------------------------- other


@pytest.mark.usefixtures("tablewright_boto3")
def test_the_client_behind_a_session_can_be_reached(db: Session) -> None:
    client = boto3.client("dynamodb")
    with plant.open(client) as opened:
        assert opened.boto3_client is client
    assert db.boto3_client is None


def test_the_same_with_asyncio() -> None:
    async def go() -> None:
        async with plant.open_async("memory:", cursor_keys=CURSOR_KEYS) as db:
            for n in range(40):
                await db.create(Reading(sensor="s", at=START + timedelta(days=n)))
            text = 'SELECT * FROM "{table}" WHERE PK = ?'
            found = db.statement(text, ["SENSOR#s#2026-02"], into=Reading)
            assert [r.at.day async for r in found] == list(range(1, 10))
            assert await found.count() == 9
            tally = await db.tally(readings("s", START, START + timedelta(days=50)))
            assert isinstance(tally, Tally)
            assert [p.count for p in tally.parts] == [31, 9]
            seen: list[Reading] = []

            async def work(page: list[Reading]) -> None:
                seen.extend(page)

            swept = await db.sweep_for_maintenance(Reading, work, segments=3)
            assert (swept.items, len(seen), swept.cursor) == (40, 40, None)
            plain: Any = seen.extend  # what type checkers refuse works all the same
            await db.sweep_for_maintenance(Reading, plain, segments=3)
            assert len(seen) == 80

            async def fail(page: list[Reading]) -> None:
                raise RuntimeError("stop")

            with pytest.raises(RuntimeError, match="stop"):
                await db.sweep_for_maintenance(Reading, fail, segments=2)

    asyncio.run(go())
