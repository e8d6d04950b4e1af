"""Queries: all pages, pages of a size, filters, and merged partitions with equal sort keys."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from tablewright import (
    GSI,
    Bucket,
    Collection,
    Entity,
    Get,
    Keys,
    Query,
    Session,
    Shard,
    Table,
    collect,
    get,
    key,
    many,
    one,
    query,
    starts_with,
)
from tablewright.compiler.sortkeys import _within
from tablewright.errors import (
    AmbiguousResultError,
    ArgumentError,
    ModelError,
    UnknownEntityTypeError,
    UnprocessedError,
)
from tablewright.transport.embedded import EmbeddedTransport
from tablewright.values.keycodec import KeyRange
from tablewright.values.sizes import text_size
from tests.client.conftest import AT_ONCE
from tests.client.doubles import OnTheWay, Scripted

reads = Table("Reads", indexes=[GSI("GSI1"), GSI("GSI2"), GSI("Loose", pk="LoosePK", sk=None)])
SHARDS = 5
START = datetime(2026, 1, 1, tzinfo=UTC)
SECRET = [b"a secret of the tests, no more"]


class Event(Entity, table=reads):
    """Spread over shards, with many equal sort keys; over days; and over shards without a sort key."""

    keys = Keys(
        "STREAM#{stream}",
        "EVENT#{number:6}",
        GSI1=("KIND#{kind}#{shard}", "{level:2}"),
        GSI2=("DAY#{day}", "{at}"),
        Loose=("LOOSE#{kind}#{shard}",),
        derive={"shard": Shard("number", of=SHARDS), "day": Bucket("at", by="day")},
    )
    stream: str
    number: int
    kind: str = "k"
    level: int = 0
    at: datetime = START
    body: str = ""


class Stream(Entity, table=reads):
    """The parent of events."""

    keys = Keys("STREAM#{stream}", "STREAM")
    stream: str
    title: str = ""


class Brief(BaseModel):
    """Little of an event."""

    number: int
    level: int


@dataclass
class Whole:
    """A stream with its events."""

    stream: Stream | None
    events: list[Event]


@reads.pattern
def events_of(stream: str) -> Query[Event]:
    "The events of a stream."
    return query(Event, Event.stream == stream)


@reads.pattern
def latest(stream: str, since: int | None = None) -> Query[Event]:
    "The events of a stream, newest first, seven at a time."
    return query(Event, Event.stream == stream).when(since, lambda n: Event.number >= n).newest_first().per_page(7)


@reads.pattern
def important(stream: str, level: int) -> Query[Event]:
    "The events of a stream of one level, after reading them all."
    return query(Event, Event.stream == stream).filter(Event.level == level)


@reads.pattern
def of_kind(kind: str, level: int | None = None) -> Query[Event]:
    "Events of a kind by level, over all shards."
    return query(Event, Event.kind == kind).via("GSI1").when(level, lambda v: Event.level >= v)


@reads.pattern
def of_kind_down(kind: str) -> Query[Event]:
    "The same, highest level first."
    return query(Event, Event.kind == kind).via("GSI1").newest_first()


@reads.pattern
def of_kind_filtered(kind: str, body: str) -> Query[Event]:
    "The same with a filter."
    return query(Event, Event.kind == kind).via("GSI1").filter(Event.body == body)


@reads.pattern
def loose(kind: str) -> Query[Event]:
    "Events of a kind in no order."
    return query(Event, Event.kind == kind).via("Loose")


@reads.pattern
def between_days(since: datetime, until: datetime) -> Query[Event]:
    "Events of a time, over its days."
    return query(Event, Event.at >= since, Event.at <= until)


@reads.pattern
def event(stream: str, number: int) -> Get[Event]:
    "One event."
    return get(Event, Event.stream == stream, Event.number == number)


@reads.pattern
def brief(stream: str, number: int) -> Get[Brief]:
    "Little of one event."
    return get(Event, Event.stream == stream, Event.number == number).only(Brief)


@reads.pattern
def briefs(stream: str) -> Query[Brief]:
    "Little of all events of a stream."
    return query(Event, Event.stream == stream).only(Brief)


@reads.pattern
def whole(stream: str) -> Collection[Whole]:
    "A stream with its events."
    return collect(
        Whole,
        stream=one(query(Stream, Stream.stream == stream)),
        events=many(query(Event, Event.stream == stream)),
    )


@pytest.fixture
def wire() -> OnTheWay:
    """What stands between the session and its engine."""
    return OnTheWay(EmbeddedTransport.open("memory:"))


@pytest.fixture
def db(wire: OnTheWay) -> Iterator[Session]:
    """An empty table."""
    with reads.open(wire, create=True, cursor_keys=SECRET) as opened:
        wire.restart()
        yield opened


def fill(db: Session, count: int, **fields: Any) -> None:
    with db.batch() as batch:
        for number in range(count):
            batch.put(Event(stream="s", number=number, **fields))


def numbers(events: Any) -> list[int]:
    return [e.number for e in events]


def all_pages(results: Any, size: int) -> list[list[int]]:
    pages = [results.page(size)]
    while pages[-1].cursor is not None:
        pages.append(results.page(size, pages[-1].cursor))
    return [numbers(page) for page in pages]


# ---------------------------------------------------------------------------------------------------- one partition


def test_iterating_reads_everything_over_the_limit_of_a_megabyte(db: Session, wire: OnTheWay) -> None:
    fill(db, 12, body="x" * 300_000)
    wire.restart()
    assert numbers(db.run(events_of, "s")) == list(range(12))
    assert len(wire.sent) >= 3
    assert db.run(events_of, "s").count() == 12


def test_pages_are_read_as_they_are_needed(db: Session, wire: OnTheWay) -> None:
    fill(db, 12, body="x" * 300_000)
    wire.restart()
    events = iter(db.run(events_of, "s"))
    next(events)
    assert len(wire.sent) == 1


def test_every_iteration_reads_anew(db: Session) -> None:
    fill(db, 3)
    results = db.run(events_of, "s")
    assert numbers(results) == numbers(results) == [0, 1, 2]
    db.delete(event("s", 1))
    assert numbers(results.all()) == [0, 2]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 10, 11])
def test_pages_of_any_size_hold_everything_once(db: Session, size: int) -> None:
    fill(db, 10)
    pages = all_pages(db.run(events_of, "s"), size)
    assert list(itertools.chain(*pages)) == list(range(10))
    assert all(len(page) == size for page in pages[:-1])


def test_an_empty_cursor_is_the_first_page(db: Session) -> None:
    fill(db, 3)
    assert numbers(db.run(events_of, "s").page(2, "")) == [0, 1]


def test_a_page_larger_than_a_megabyte_is_filled_by_several_requests(db: Session, wire: OnTheWay) -> None:
    fill(db, 12, body="x" * 300_000)
    wire.restart()
    page = db.run(events_of, "s").page(9)
    assert numbers(page) == list(range(9))
    assert len(wire.sent) > 1
    assert numbers(db.run(events_of, "s").page(9, page.cursor)) == [9, 10, 11]


def test_a_pattern_has_a_page_size_and_a_direction(db: Session) -> None:
    fill(db, 10)
    page = db.run(latest, "s").page()
    assert numbers(page) == [9, 8, 7, 6, 5, 4, 3]
    assert page.has_more
    assert numbers(db.run(latest, "s").page(cursor=page.cursor)) == [2, 1, 0]
    assert numbers(db.run(latest, "s", since=8)) == [9, 8]


def test_a_filtered_page_may_be_short_and_even_empty_while_there_is_more(db: Session, wire: OnTheWay) -> None:
    fill(db, 60)
    db.update(event("s", 59), set={"level": 1})
    wire.restart()
    pages = all_pages(db.run(important, "s", 1), 3)
    assert list(itertools.chain(*pages)) == [59]
    assert pages[0] == []
    assert len(wire.sent) >= 20
    assert all(request["Limit"] <= 3 for _, request in wire.sent)
    first = db.run(important, "s", 1).first()
    assert first is not None
    assert first.number == 59
    assert db.run(important, "s", 1).count() == 1


def test_first_asks_for_one_item(db: Session, wire: OnTheWay) -> None:
    fill(db, 5)
    wire.restart()
    found = db.run(latest, "s").first()
    assert found is not None
    assert found.number == 4
    assert [request["Limit"] for _, request in wire.sent] == [1]
    assert db.run(latest, "nobody").first() is None


@pytest.mark.parametrize("limit", [0, -1, True, "3", 2.5])
def test_a_page_holds_at_least_one_item(db: Session, wire: OnTheWay, limit: Any) -> None:
    with pytest.raises(ArgumentError):
        db.run(events_of, "s").page(limit)
    assert wire.sent == []


def test_a_view_reads_a_projection(db: Session, wire: OnTheWay) -> None:
    fill(db, 2, level=3, body="x" * 1000)
    wire.restart()
    assert db.run(brief, "s", 1) == Brief(number=1, level=3)
    assert db.run(brief, "s", 9) is None
    assert list(db.run(briefs, "s")) == [Brief(number=0, level=3), Brief(number=1, level=3)]
    assert all("ProjectionExpression" in request for _, request in wire.sent)
    assert numbers(db.run(briefs, "s").page(1)) == [0]


# ------------------------------------------------------------------------------------------------ many partitions


def fill_shards(db: Session, levels: list[int]) -> list[int]:
    """Events with these levels; returns the numbers in the order in which they must come."""
    with db.batch() as batch:
        for number, level in enumerate(levels):
            batch.put(Event(stream="s", number=number, level=level, body=f"b{number % 3}"))
    return [number for _, number in sorted((level, number) for number, level in enumerate(levels))]


def test_shards_are_merged_in_order(db: Session, wire: OnTheWay) -> None:
    expected = fill_shards(db, [7, 3, 3, 9, 1, 3, 3, 3, 3, 2, 8, 3, 3, 0, 3, 3])
    wire.restart()
    assert numbers(db.run(of_kind, "k")) == expected
    assert len(wire.sent) == SHARDS
    assert numbers(db.run(of_kind_down, "k")) == expected[::-1]
    assert db.run(of_kind, "k").count() == 16
    first = db.run(of_kind, "k").first()
    assert first is not None
    assert first.number == expected[0]


@settings(max_examples=40)
@given(
    levels=st.lists(st.integers(0, 4), max_size=30),
    size=st.integers(1, 9),
    down=st.booleans(),
    least=st.one_of(st.none(), st.integers(0, 4)),
)
def test_pages_over_shards_hold_everything_once_and_in_order(
    levels: list[int], size: int, down: bool, least: int | None
) -> None:
    with reads.open("memory:", cursor_keys=SECRET) as db:
        expected = fill_shards(db, levels)
        if down:
            results, expected = db.run(of_kind_down, "k"), expected[::-1]
        else:
            results = db.run(of_kind, "k", least)
            expected = [n for n in expected if least is None or levels[n] >= least]
        pages = all_pages(results, size)
        assert list(itertools.chain(*pages)) == expected
        assert all(len(page) == size for page in pages[:-1])
        assert numbers(results) == expected


def test_filters_over_shards(db: Session) -> None:
    expected = [n for n in fill_shards(db, [1, 2, 1, 2, 1, 2, 1, 1, 1, 1]) if n % 3 == 0]
    assert numbers(db.run(of_kind_filtered, "k", "b0")) == expected
    for size in (1, 2, 3):
        assert list(itertools.chain(*all_pages(db.run(of_kind_filtered, "k", "b0"), size))) == expected


def test_a_cursor_over_shards_has_the_size_of_one_position(db: Session) -> None:
    fill_shards(db, [3] * 40)
    sizes = set()
    page = db.run(of_kind, "k").page(3)
    while page.cursor is not None:
        sizes.add(len(page.cursor))
        page = db.run(of_kind, "k").page(3, page.cursor)
    assert len(sizes) == 1
    one_partition = db.run(events_of, "s").page(3).cursor
    assert one_partition is not None
    assert max(sizes) < 2 * len(one_partition)


def test_buckets_are_read_for_the_days_of_a_range(db: Session, wire: OnTheWay) -> None:
    with db.batch() as batch:
        for number in range(10):
            batch.put(Event(stream="s", number=number, at=START + timedelta(hours=12 * number)))
    wire.restart()
    since, until = START + timedelta(hours=12), START + timedelta(hours=72)
    assert numbers(db.run(between_days, since, until)) == [1, 2, 3, 4, 5, 6]
    assert len(wire.sent) == 4
    assert all_pages(db.run(between_days, since, until), 4) == [[1, 2, 3, 4], [5, 6]]
    assert numbers(db.run(between_days, until, since)) == []
    with pytest.raises(ArgumentError, match="buckets"):
        db.run(between_days, START, START + timedelta(days=5000)).first()


def test_partitions_without_a_sort_key_are_read_one_after_another(db: Session, wire: OnTheWay) -> None:
    fill_shards(db, [0] * 23)
    wire.restart()
    found = numbers(db.run(loose, "k"))
    assert sorted(found) == list(range(23))
    assert len(wire.sent) == SHARDS
    wire.restart()
    pages = all_pages(db.run(loose, "k"), 4)
    assert list(itertools.chain(*pages)) == found
    assert all(len(page) == 4 for page in pages[:-1])
    assert len(wire.sent) <= len(pages) + SHARDS
    assert db.run(loose, "k").count() == 23
    assert db.run(loose, "k").first() is not None


# ------------------------------------------------------------------------------------------- single items, batches


def test_get_many_keeps_the_order_and_asks_for_each_once(db: Session, wire: OnTheWay) -> None:
    fill(db, 4)
    wire.restart()
    found = db.get_many([event("s", 3), key(Event, stream="s", number=9), event("s", 0), event("s", 3)])
    assert [e and e.number for e in found] == [3, None, 0, 3]
    ((operation, request),) = wire.sent
    assert (operation, len(request["RequestItems"]["Reads"]["Keys"])) == ("BatchGetItem", 3)
    assert "ConsistentRead" not in request["RequestItems"]["Reads"]
    wire.restart()
    assert db.get_many([]) == []
    assert wire.sent == []


def test_get_many_asks_for_a_hundred_at_a_time(db: Session, wire: OnTheWay) -> None:
    fill(db, 230)
    wire.restart()
    found = db.get_many([event("s", n) for n in range(240)], consistent=True)
    assert [e.number for e in found if e is not None] == list(range(230))
    assert found[230:] == [None] * 10
    assert [len(r["RequestItems"]["Reads"]["Keys"]) for _, r in wire.sent] == [100, 100, 40]
    assert all(r["RequestItems"]["Reads"]["ConsistentRead"] for _, r in wire.sent)


def test_get_many_together_is_one_moment(db: Session, wire: OnTheWay) -> None:
    fill(db, 3)
    wire.restart()
    found = db.get_many([event("s", 2), event("s", 9), event("s", 0), event("s", 2)], together=True)
    assert [e and e.number for e in found] == [2, None, 0, 2]
    assert wire.operations == ["TransactGetItems"]
    with pytest.raises(ArgumentError, match="101"):
        db.get_many([event("s", n) for n in range(101)], together=True)
    assert db.get_many([], together=True) == []


def keys_left(*numbers: int) -> dict[str, Any]:
    keys = [{"PK": {"S": "STREAM#s"}, "SK": {"S": f"EVENT#{n:06}"}} for n in numbers]
    return {"Responses": {"Reads": []}, "UnprocessedKeys": {"Reads": {"Keys": keys}}}


def test_unprocessed_keys_are_asked_for_again_as_long_as_there_is_progress() -> None:
    progress = [keys_left(*range(n)) for n in range(19, 0, -1)]
    wire = Scripted(*progress, {"Responses": {"Reads": []}})
    with reads.open(wire, retry=AT_ONCE) as db:
        assert db.get_many([event("s", n) for n in range(20)]) == [None] * 20
    assert len(wire.sent) == 20


def test_keys_that_stay_unprocessed_are_reported() -> None:
    wire = Scripted(*[keys_left(0, 1)] * 20)
    with reads.open(wire, retry=AT_ONCE) as db, pytest.raises(UnprocessedError) as caught:
        db.get_many([event("s", 0), event("s", 1)])
    assert [k["SK"]["S"] for k in caught.value.keys] == ["EVENT#000000", "EVENT#000001"]
    assert len(wire.sent) == 9


def test_a_get_through_an_index_notices_a_second_item(db: Session) -> None:
    fill(db, 1)
    day = get(Event, Event.kind == "k", Event.level == 0, Event.number == 0).via("Loose")
    with pytest.raises(ModelError):
        db.execute(day)
    table = Table("Twins", indexes=[GSI("GSI1")])

    class Twin(Entity, table=table):
        keys = Keys("TWIN#{number}", "TWIN#{number}", GSI1=("NAME#{name}", "NAME#{name}"))
        number: str
        name: str

    with table.open("memory:") as twins:
        twins.put(Twin(number="1", name="a"))
        by_name = get(Twin, Twin.name == "a")
        assert twins.execute(by_name) is not None
        twins.put(Twin(number="2", name="a"))
        with pytest.raises(AmbiguousResultError):
            twins.execute(by_name)
        with pytest.raises(AmbiguousResultError):
            twins.update(by_name, set={"name": "b"})


def test_a_get_by_a_target_is_one_request_unless_it_must_be_consistent(db: Session, wire: OnTheWay) -> None:
    fill(db, 1)
    wire.restart()
    found = db.get(event("s", 0))
    assert found is not None
    assert db.get(found, consistent=True) == found
    assert db.get(key(Event, stream="s", number=7)) is None
    assert [r.get("ConsistentRead", False) for _, r in wire.sent] == [False, True, False]


def test_reads_of_another_table_are_refused(db: Session, wire: OnTheWay) -> None:
    table = Table("Other")

    class Thing(Entity, table=table):
        keys = Keys("THING#{number}", "THING#{number}")
        number: str

    @table.pattern
    def thing(number: str) -> Get[Thing]:
        "A thing."
        return get(Thing, Thing.number == number)

    for attempt in (
        lambda: db.run(thing, "1"),
        lambda: db.get(thing("1")),
        lambda: db.execute(query(Thing, Thing.number == "1")),
        lambda: db.create(Thing(number="1")),
        lambda: db.update(key(Thing, number="1"), set={}),
    ):
        with pytest.raises(ModelError, match="Thing"):
            attempt()
    with pytest.raises(ArgumentError):
        db.execute("nothing")  # type: ignore[arg-type]
    assert wire.sent == []


def test_an_item_of_another_type_is_not_passed_off(db: Session) -> None:
    fill(db, 1)
    keys = {"PK": {"S": "STREAM#s"}, "SK": {"S": "EVENT#000000"}}
    odd = {"ExpressionAttributeNames": {"#t": "Type"}, "ExpressionAttributeValues": {":t": {"S": "Odd"}}}
    db.send("UpdateItem", {"TableName": "Reads", "Key": keys, "UpdateExpression": "SET #t = :t", **odd})
    with pytest.raises(UnknownEntityTypeError):
        db.run(event, "s", 0)
    with pytest.raises(UnknownEntityTypeError):
        db.run(events_of, "s").all()


# ------------------------------------------------------------------------------------------ collections and scans


def test_a_collection_is_one_query(db: Session, wire: OnTheWay) -> None:
    db.put(Stream(stream="s", title="S"))
    fill(db, 3)
    db.put(Stream(stream="empty"))
    wire.restart()
    found = db.run(whole, "s")
    assert found.stream is not None
    assert (found.stream.title, numbers(found.events)) == ("S", [0, 1, 2])
    assert wire.operations == ["Query"]
    assert db.run(whole, "empty") == Whole(Stream(stream="empty"), [])
    assert db.run(whole, "nobody") == Whole(None, [])


def test_a_collection_is_read_over_the_limit_of_a_megabyte(db: Session, wire: OnTheWay) -> None:
    db.put(Stream(stream="s"))
    fill(db, 8, body="x" * 300_000)
    wire.restart()
    assert numbers(db.run(whole, "s").events) == list(range(8))
    assert len(wire.sent) > 1


def test_a_scan_reads_one_entity_in_segments_and_says_what_it_costs(
    db: Session, wire: OnTheWay, caplog: pytest.LogCaptureFixture
) -> None:
    fill(db, 30, body="x" * 100_000)
    db.put(Stream(stream="s"))
    wire.restart()
    assert sorted(numbers(db.scan_for_maintenance(Event))) == list(range(30))
    assert len(wire.sent) > 2
    parts = [numbers(db.scan_for_maintenance(Event, segment=n, segments=3)) for n in range(3)]
    assert sorted(itertools.chain(*parts)) == list(range(30))
    assert [r.getMessage() for r in caplog.records] == [caplog.records[0].getMessage()] * 4
    assert "query" in caplog.records[0].getMessage()
    assert [s.stream for s in db.scan_for_maintenance(Stream)] == ["s"]
    for segment, segments in ((1, 1), (-1, 2), (0, 0)):
        with pytest.raises(ArgumentError):
            next(db.scan_for_maintenance(Event, segment=segment, segments=segments))


# ------------------------------------------------------------------------------------------------- bounds of keys

TEXTS = st.text(st.sampled_from("ab\x7fé\u07ff\u0800\uffff\U00010000\U0010fffe"), max_size=6)


@given(TEXTS, TEXTS, TEXTS, st.integers(4, 7))
def test_shortened_bounds_hold_the_same_keys(one: str, other: str, item: str, limit: int) -> None:
    low, high = sorted((one, other))
    asked = KeyRange(low or None, high or None)
    sent = _within(asked, limit)
    if text_size(item) <= limit:
        assert (item in sent) == (item in asked)
    if not sent.empty:
        assert all(text_size(b) <= limit for b in (sent.low, sent.high) if b is not None)


class Leaf(Entity, table=reads):
    """A key of two texts, which together may just fit."""

    keys = Keys("LEAF", "{branch}#{leaf}")
    branch: str
    leaf: str


@pytest.mark.parametrize("place", ["memory", pytest.param("dynamodb-local", marks=pytest.mark.dynamodb_local)])
def test_a_parent_as_long_as_a_key_can_be_is_asked_for(
    place: str, request: pytest.FixtureRequest, fresh_table_name: str
) -> None:
    url = "memory:" if place == "memory" else request.getfixturevalue("dynamodb_local_url")
    with reads.open(url, create=True, table_name=fresh_table_name) as db:
        db.create(Leaf(branch="b" * 1022, leaf="x"))
        db.create(Leaf(branch="c", leaf="x"))
        for length, found in ((1022, 1), (1023, 0), (1024, 0), (1025, 0), (3000, 0)):
            branch = "b" * length
            assert len(db.query(Leaf, Leaf.branch == branch).all()) == found
            assert len(db.query(Leaf, Leaf.branch >= branch).all()) == found + 1
            assert len(db.query(Leaf, Leaf.branch <= branch).all()) == 1
        assert len(db.query(Leaf, starts_with(Leaf.branch, "b" * 1022)).all()) == 1
        assert db.query(Leaf, starts_with(Leaf.branch, "b" * 1025)).all() == []
