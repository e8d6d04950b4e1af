"""Feeds, lists, sweeps, statements and plain tables on an engine that throttles, lags and loses things."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from tablewright import GSI, Entity, Keys, Query, Session, Table, attr, between, key, open_table, query
from tablewright.engine import Engine, open_engine
from tablewright.errors import OutcomeUnknownError
from tablewright.testing import IndexLag, LostReply, Throttle, Unprocessed
from tests.client.conftest import AT_ONCE, CURSOR_KEYS

START = datetime(2026, 1, 1, tzinfo=UTC)
log = Table("Log", indexes=[GSI("GSI1")])


class Line(Entity, table=log):
    """Sorted by time, with an id behind it."""

    keys = Keys("BOOK#{book}", "LINE#{at}#{line}", GSI1=("CHANGES#{book}", "{updated_at}#{line}"))
    book: str
    at: datetime
    line: str


@log.pattern
def inclusive(book: str, start: datetime, end: datetime) -> Query[Line]:
    return query(Line, Line.book == book, between(Line.at, start, end))


@log.pattern
def half_open(book: str, start: datetime, end: datetime) -> Query[Line]:
    return query(Line, Line.book == book, Line.at >= start, Line.at < end)


@log.pattern
def after(book: str, start: datetime) -> Query[Line]:
    return query(Line, Line.book == book, Line.at > start).newest_first()


@pytest.fixture
def engine() -> Iterator[Engine]:
    with open_engine("memory:") as opened:
        yield opened


@pytest.fixture
def db(engine: Engine) -> Session:
    opened = log.open(engine, retry=AT_ONCE, cursor_keys=CURSOR_KEYS)
    with opened.batch() as batch:
        for n in range(12):
            batch.put(Line(book="b", at=START + timedelta(hours=n // 2), line=f"{n:02}"))
    return opened


def lines(found: object) -> list[str]:
    return [line.line for line in found]  # type: ignore[attr-defined]


def test_ranges_of_time_keep_their_ends_whatever_follows_in_the_key(db: Session) -> None:
    one, three = START + timedelta(hours=1), START + timedelta(hours=3)
    assert lines(db.run(inclusive, "b", one, three)) == ["02", "03", "04", "05", "06", "07"]
    assert lines(db.run(half_open, "b", one, three)) == ["02", "03", "04", "05"]
    assert lines(db.run(after, "b", three)) == ["11", "10", "09", "08"]
    assert db.run(inclusive, "b", one, one).count() == 2
    assert db.run(half_open, "b", one, one).count() == db.run(inclusive, "b", three, one).count() == 0


def test_a_feed_finds_what_an_index_shows_late(engine: Engine, db: Session) -> None:
    first = db.changes(Line, Line.book == "b")
    with engine.faults.inject(IndexLag()) as lag:
        db.create(Line(book="b", at=START, line="late"))
        lag.release()
        db.create(Line(book="b", at=START, line="later"))
        second = db.changes(Line, Line.book == "b", since=first.cursor)
        assert [c.key.fields["line"] for c in second.items] == ["late"]
        lag.release()
    third = db.changes(Line, Line.book == "b", since=second.cursor)
    assert [c.key.fields["line"] for c in third.items] == ["later"]


def test_reads_go_on_through_throttling(engine: Engine, db: Session) -> None:
    seen: list[str] = []
    with engine.faults.inject(Throttle(operations="reads", every=2)) as throttle:
        assert len(db.changes(Line, Line.book == "b").items) == 12
        swept = db.sweep_for_maintenance(Line, lambda page: seen.extend(lines(page)), segments=3)
        assert db.tally(inclusive("b", START, START + timedelta(days=1))).count == 12
        assert len(db.statement('SELECT * FROM "{table}" WHERE PK = ?', ["BOOK#b"], into=Line).all()) == 12
        assert throttle.fired >= 2
    assert swept.items == len(set(seen)) == 12


def test_a_plain_table_leaves_nothing_over_and_tells_what_it_cannot_know(engine: Engine, db: Session) -> None:
    table = open_table("Log", engine, retry=AT_ONCE)
    keys = [{"PK": "BOOK#c", "SK": f"{n:03}"} for n in range(60)]
    with engine.faults.inject(Unprocessed(share=0.3, seed=5)) as unprocessed:
        with table.batch() as batch:
            for n, each in enumerate(keys):
                batch.put({**each, "n": n})
        found = table.get_many(keys, projection=["n"], chunk_size=25)
        assert unprocessed.fired > 0
    assert found == [{"n": n} for n in range(60)]
    with engine.faults.inject(LostReply(operations="UpdateItem")), pytest.raises(OutcomeUnknownError):
        table.update(keys[0], add={"n": 1})
    assert table.get(keys[0], projection=["n"]) == {"n": 1}
    with engine.faults.inject(LostReply(operations="PutItem", times=1)):
        table.put({**keys[0], "n": 7})
    assert table.get(keys[0], projection=["n"]) == {"n": 7}
    with engine.faults.inject(LostReply(operations="TransactWriteItems", times=1)), table.transaction() as tx:
        tx.update(keys[0], add={"n": 1}, when=attr("n") == 7)
    assert table.get(keys[0], projection=["n"]) == {"n": 8}
    assert db.get(key(Line, book="b", at=START, line="00")) is not None
