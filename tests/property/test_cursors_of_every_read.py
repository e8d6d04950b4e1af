"""Every kind of cursor is refused wherever it does not belong, before any request."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tablewright import Entity, PlainTable, Session, attr, open_table, query, sort_key, starts_with
from tablewright.errors import CursorError
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.conftest import CURSOR_KEYS
from tests.client.doubles import OnTheWay
from tests.property.estate import (
    House,
    Path,
    Room,
    estate,
    fill,
    in_house,
    looks,
    of_some,
    paths_from,
    paths_to,
    roads_to,
    streets,
)

NOW = datetime(2026, 1, 31, tzinfo=UTC)
STATEMENT = 'SELECT * FROM "{table}" WHERE PK = ?'
Going = Callable[[Any, str, "str | None"], Any]
"""One page of a read for a tenant, from a cursor on."""

SESSION_READS: dict[str, Going] = {
    "query": lambda db, t, c: db.run(paths_from, t, "0").page(1, c),
    "filled": lambda db, t, c: db.run(paths_from, t, "0").page(1, c, fill=True),
    "filtered": lambda db, t, c: db.execute(query(House, House.tenant == t).filter(House.colour == "white")).page(1, c),
    "newest first": lambda db, t, c: db.execute(query(House, House.tenant == t).newest_first()).page(1, c),
    "view": lambda db, t, c: db.run(looks, t).page(1, c),
    "shards": lambda db, t, c: db.run(streets, t).page(1, c),
    "list": lambda db, t, c: db.run(of_some, [t, "x"]).page(1, c),
    "several entities": lambda db, t, c: db.run(in_house, t, "0").page(1, c),
    "index": lambda db, t, c: db.execute(query(Room, Room.tenant == t).via("GSI1")).page(1, c),
    "mirror": lambda db, t, c: db.run(paths_to, t, "0").page(1, c),
    "inverted index": lambda db, t, c: db.run(roads_to, t, "0").page(1, c),
    "statement": lambda db, t, c: db.statement(STATEMENT, [f"FROM#{t}#0"], into=Path).page(1, c),
    "changes": lambda db, t, c: db.changes(House, House.tenant == t, since=c, limit=1),
}
PLAIN_READS: dict[str, Going] = {
    "plain query": lambda table, t, c: table.query(f"TENANT#{t}").page(1, c),
    "plain range": lambda table, t, c: table.query(f"TENANT#{t}", starts_with(sort_key, "HOUSE#")).page(1, c),
    "plain index": lambda table, t, c: table.query(f"ROOMS#{t}", index="GSI1").page(1, c),
    "plain scan": lambda table, t, c: table.scan(filter=attr("tenant") == t).page(1, c, fill=True),
}


def sweeping(db: Session, entity: type[Entity], cursor: str | None) -> str:
    """The cursor of a sweep that stops at its first page."""
    swept = db.sweep_for_maintenance(entity, len, segments=2, since=cursor, progress=lambda _: False)
    assert swept.cursor is not None
    return swept.cursor


class Ground:
    """Two tables with the same items for two tenants, and every way to them."""

    def __init__(self) -> None:
        self.now = NOW
        self.wire = OnTheWay(EmbeddedTransport.open("memory:"))
        self.tables: dict[str, PlainTable] = {}
        self.sessions: dict[str, Session] = {}
        for name in ("Estate", "Another"):
            self.sessions[name] = self.open(name)
            for tenant in ("mine", "yours"):
                fill(self.sessions[name], [(tenant, str(n), str(n + m)) for n in range(3) for m in range(2)])
            self.tables[name] = open_table(
                name, self.wire, cursor_keys=CURSOR_KEYS, cursor_max_age=60, clock=lambda: self.now
            )
        self.wire.restart()

    def open(self, name: str, **more: Any) -> Session:
        return estate.open(
            self.wire,
            create=True,
            table_name=name,
            cursor_keys=CURSOR_KEYS,
            cursor_max_age=60,
            clock=lambda: self.now,
            **more,
        )

    def reads(self, name: str) -> dict[str, Callable[[str, str | None], Any]]:
        """Every read of one table."""
        db, table = self.sessions[name], self.tables[name]
        of_session = {n: lambda t, c, go=go: go(db, t, c) for n, go in SESSION_READS.items()}
        return {**of_session, **{n: lambda t, c, go=go: go(table, t, c) for n, go in PLAIN_READS.items()}}


@pytest.fixture(scope="module")
def ground() -> Ground:
    return Ground()


def altered(cursor: str) -> Iterable[str]:
    """Cursors with one character changed, left out or added, here and there."""
    for place in range(0, len(cursor), 7):
        other = "A" if cursor[place] != "A" else "B"
        yield cursor[:place] + other + cursor[place + 1 :]
        yield cursor[:place] + cursor[place + 1 :]
    yield cursor + "A"
    yield cursor + "="


EVERY_READ = [*SESSION_READS, *PLAIN_READS]


@pytest.mark.parametrize("kind", EVERY_READ)
def test_a_cursor_of_any_kind_goes_on_with_its_own_read_and_no_other(kind: str, ground: Ground) -> None:
    reads = ground.reads("Estate")
    cursor = reads[kind]("mine", None).cursor
    assert cursor is not None
    assert reads[kind]("mine", cursor) is not None
    ground.wire.restart()
    same = {"query", "filled"} if kind in ("query", "filled") else {kind}  # a page is filled by the same requests
    wrong: list[Callable[[], object]] = [lambda go=go: go("mine", cursor) for n, go in reads.items() if n not in same]
    wrong.append(lambda: reads[kind]("yours", cursor))
    wrong.append(lambda: ground.reads("Another")[kind]("mine", cursor))
    wrong.append(lambda: sweeping(ground.sessions["Estate"], House, cursor))
    wrong += [lambda text=text: reads[kind]("mine", text) for text in altered(cursor)]
    for attempt in wrong:
        with pytest.raises(CursorError):
            attempt()
    assert ground.wire.sent == []


@pytest.mark.parametrize("kind", EVERY_READ)
def test_an_empty_cursor_is_the_beginning(kind: str, ground: Ground) -> None:
    read = ground.reads("Estate")[kind]
    assert str(read("mine", "").items) == str(read("mine", None).items)
    assert ground.sessions["Estate"].sweep_for_maintenance(House, len, since="").items == 6


@pytest.mark.parametrize("kind", SESSION_READS)
def test_a_cursor_belongs_to_the_tenant_of_its_session(kind: str, ground: Ground) -> None:
    going = SESSION_READS[kind]
    cursor = going(ground.open("Estate", tenant="mine"), "mine", None).cursor
    others = ground.open("Estate", tenant="yours"), ground.open("Estate")
    ground.wire.restart()
    for other in others:
        with pytest.raises(CursorError):
            going(other, "mine", cursor)
    assert ground.wire.sent == []


@pytest.mark.parametrize("kind", EVERY_READ)
def test_a_cursor_of_any_kind_expires(kind: str) -> None:
    ground = Ground()
    read = ground.reads("Estate")[kind]
    cursor = read("mine", None).cursor
    ground.now += timedelta(seconds=61)
    ground.wire.restart()
    with pytest.raises(CursorError, match="expired"):
        read("mine", cursor)
    assert ground.wire.sent == []


def test_the_cursor_of_a_sweep_is_refused_like_any_other() -> None:
    ground = Ground()
    inner = ground.wire.inner.send
    ground.wire.inner.send = lambda operation, request: inner(  # type: ignore[method-assign]
        operation, {**request, "Limit": 2} if operation == "Scan" else request
    )
    db = ground.sessions["Estate"]
    cursor = sweeping(db, House, None)
    sweeping(db, House, cursor)
    mine = ground.open("Estate", tenant="mine")
    ground.wire.restart()
    wrong: list[Callable[[], object]] = [
        *(lambda text=text: sweeping(db, House, text) for text in altered(cursor)),
        *(lambda go=go: go("mine", cursor) for go in ground.reads("Estate").values()),
        lambda: sweeping(db, Room, cursor),
        lambda: sweeping(ground.sessions["Another"], House, cursor),
        lambda: sweeping(mine, House, cursor),
    ]
    for attempt in wrong:
        with pytest.raises(CursorError):
            attempt()
    ground.now += timedelta(seconds=61)
    with pytest.raises(CursorError, match="expired"):
        sweeping(db, House, cursor)
    assert ground.wire.sent == []
