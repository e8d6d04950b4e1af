"""Reads of several partitions: what is estimated is what the engine charges, partition by partition."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright import (
    GSI,
    Bucket,
    Entity,
    Keys,
    Mixed,
    Query,
    Shard,
    SoftDelete,
    Table,
    attr,
    between,
    is_in,
    query,
    sparse,
)
from tablewright.cost.estimating import estimate
from tablewright.cost.showing import shown
from tablewright.errors import ModelError
from tablewright.values.keybuilding.shards import shard_of
from tablewright.values.sizes import item_size

START = datetime(2026, 1, 31, 12, 0, 0, 1, tzinfo=UTC)
Kind = Literal["red", "tan", "sky"]
KINDS: tuple[Kind, Kind] = ("red", "tan")


class Board:
    """Notes that are read over all shards, over the constants of a list, and over both; perhaps with tombstones."""

    def __init__(self, shards: int, *, soft: bool = False) -> None:
        self.table = table = Table("Board", indexes=[GSI("GSI1"), GSI("GSI2")])

        class Note(Entity, table=table, soft_delete=SoftDelete() if soft else None):
            keys = Keys(
                "NOTE#{note}",
                "NOTE",
                GSI1=("NOTES#{shard}", "{at}#{note}"),
                GSI2=("KIND#{kind}#{shard}", "{at}#{note}"),
                derive={"shard": Shard("note", of=shards)},
            )
            note: str
            at: datetime
            kind: Kind
            text: str

        @table.pattern
        def newest() -> Query[Note]:
            return query(Note).sorted_by(Note.at).newest_first()

        @table.pattern
        def of_kinds() -> Query[Note]:
            return query(Note, is_in(Note.kind, KINDS)).sorted_by(Note.at)

        self.Note, self.newest, self.of_kinds = Note, newest, of_kinds


def balanced(shards: int, each: int) -> list[list[str]]:
    """As many ids for every shard."""
    spread: list[list[str]] = [[] for _ in range(shards)]
    numbers = count()
    while any(len(ids) < each for ids in spread):
        name = f"{next(numbers):08}"
        ids = spread[shard_of(name, shards)]
        if len(ids) < each:
            ids.append(name)
    return spread


@settings(max_examples=settings().max_examples // 6)
@given(
    shards=st.integers(2, 5),
    each=st.integers(1, 6),
    page=st.integers(1, 8),
    text=st.integers(1, 5000),
    soft=st.booleans(),
)
def test_a_page_takes_from_every_partition_what_is_estimated(
    shards: int, each: int, page: int, text: int, soft: bool
) -> None:
    board = Board(shards, soft=soft)
    spread = balanced(shards, 2 * each)
    with board.table.open("memory:", cursor_keys=[b"k" * 32]) as db:
        for position in range(2 * each):
            for shard in range(shards):
                at = START + timedelta(seconds=position * shards + shard)
                kind = KINDS[position % 2]
                db.put(board.Note(note=spread[shard][position], at=at, kind=kind, text="t" * text))
        sizes = [item_size(item) for item in db.send("Scan", {"TableName": "Board"})["Items"]]
        board.table.expect(board.Note, items=2 * each * shards, size=max(sizes), per={"kind": each * shards})
        for pattern in (board.newest, board.of_kinds):
            board.table.expect(pattern, results=page)
        costs = {cost.name: cost for cost in estimate(board.table).patterns}
        for pattern in (board.newest, board.of_kinds):
            with db.measure() as measured:
                db.run(pattern).page(page)
            cost = costs[pattern.name]
            assert len(measured.requests) == cost.requests
            assert measured.capacity.read == pytest.approx(cost.units)


@pytest.mark.parametrize(("each", "page"), [(3, 2), (3, 20), (60, 4)], ids=["few", "a large page", "a hundred at once"])
def test_entities_that_are_read_together_are_read_from_every_shard(each: int, page: int) -> None:
    table = Table("Feed", indexes=[GSI("GSI1")])

    class Post(Entity, table=table):
        keys = Keys("POST#{n}", "POST", GSI1=("FEED#{shard}", "{at}#POST#{n}"), derive={"shard": Shard("n", of=3)})
        n: str
        at: datetime
        text: str = "t" * 900

    class Pict(Entity, table=table):
        keys = Keys("PICT#{n}", "PICT", GSI1=("FEED#{shard}", "{at}#PICT#{n}"), derive={"shard": Shard("n", of=3)})
        n: str
        at: datetime
        text: str = "t" * 900

    @table.pattern
    def feed() -> Mixed[Post | Pict]:
        return query(Post) | query(Pict)

    spread = balanced(3, each)
    with table.open("memory:", cursor_keys=[b"k" * 32]) as db:
        with db.batch() as batch:
            for position in range(each):
                for shard in range(3):
                    at = START + timedelta(seconds=position * 3 + shard)
                    for kind in (Post, Pict):
                        batch.put(kind(n=spread[shard][position], at=at))
        size = max(item_size(item) for item in db.send("Scan", {"TableName": "Feed", "Limit": 10})["Items"])
        for kind in (Post, Pict):
            table.expect(kind, items=3 * each, size=size)
        table.expect(feed, results=page)
        (cost,) = estimate(table).patterns
        with db.measure() as measured:
            db.run(feed).page(page)
        assert (len(measured.requests), measured.capacity.read) == (cost.requests, cost.units)


def waiting(*, said: bool) -> Table:
    table = Table("Clinic", indexes=[GSI("GSI1")])

    class Visit(Entity, table=table):
        keys = Keys("VISIT#{visit}", "VISIT", GSI1=sparse("WAITING", "{visit}", when=attr("waiting") == True))  # noqa: E712
        visit: str
        waiting: bool = False

    @table.pattern
    def waiting_room() -> Query[Visit]:
        return query(Visit, Visit.waiting == True)  # noqa: E712

    table.expect(Visit, items=400_000, size=250)
    if said:
        table.expect(Visit, indexed={"GSI1": 10})
    return table


def test_a_sparse_index_holds_as_many_as_was_said() -> None:
    whole, few = estimate(waiting(said=False)), estimate(waiting(said=True))
    assert whole.stored - few.stored == (400_000 - 10) * (250 + 100)
    assert [p.items for p in whole.patterns] == [400_000]
    assert [p.items for p in few.patterns] == [10]
    assert "Sparse indexes hold less" in shown(whole)
    assert "Sparse indexes hold less" not in shown(few)
    proofs = [waiting(said=said).prove().of("waiting_room").requests[0].items_at_worst for said in (False, True)]
    assert proofs == [400_000, 10]


@pytest.mark.parametrize(
    ("given_one", "message"),
    [(5, "a mapping"), ({"GSI9": 5}, "names 'GSI9'"), ({"GSI1": -1}, "no whole number"), ({"GSI1": True}, "no whole")],
    ids=["no mapping", "no index", "negative", "no number"],
)
def test_what_an_index_holds_is_a_number(given_one: Any, message: str) -> None:
    table = waiting(said=False)
    (entity,) = table.entities.values()
    with pytest.raises(ModelError, match=message):
        table.expect(entity, indexed=given_one)


@settings(max_examples=settings().max_examples // 8)
@given(days=st.integers(1, 6), each=st.integers(1, 5), text=st.integers(1, 5000))
def test_the_buckets_of_a_range_cost_what_was_said_of_them(days: int, each: int, text: int) -> None:
    table = Table("Readings")

    class Reading(Entity, table=table):
        keys = Keys("DEVICE#{device}#{day}", "{at}", derive={"day": Bucket("at", by="day")})
        device: str
        at: datetime
        text: str = ""

    @table.pattern
    def read(device: str, since: datetime, until: datetime) -> Query[Reading]:
        return query(Reading, Reading.device == device, between(Reading.at, since, until))

    with table.open("memory:") as db:
        for day in range(days):
            for number in range(each):
                at = START + timedelta(days=day, seconds=number)
                db.put(Reading(device="d", at=at, text="t" * text))
        (size,) = {item_size(item) for item in db.send("Scan", {"TableName": "Readings"})["Items"]}
        table.expect(Reading, size=size, per={("device", "day"): each})
        table.expect(read, results=days * each, partitions=days)
        (cost,) = estimate(table).patterns
        with db.measure() as measured:
            assert len(list(db.run(read, "d", START, START + timedelta(days=days - 1, hours=1)))) == days * each
        assert (len(measured.requests), measured.capacity.read) == (cost.requests, cost.units)
        assert cost.assumed == ()


@settings(max_examples=settings().max_examples // 8)
@given(kinds=st.integers(1, 12), each=st.integers(1, 4), text=st.integers(1, 5000), told=st.booleans())
def test_the_values_of_a_list_cost_what_was_said_of_them(kinds: int, each: int, text: int, told: bool) -> None:
    table = Table("Kinds")

    class Thing(Entity, table=table):
        keys = Keys("KIND#{kind}", "{number:3}")
        kind: str
        number: int
        text: str = ""

    @table.pattern
    def things(kinds: list[str]) -> Query[Thing]:
        return query(Thing, is_in(Thing.kind, kinds))

    with table.open("memory:") as db:
        for kind in range(kinds):
            for number in range(each):
                db.put(Thing(kind=f"{kind:02}", number=number, text="t" * text))
        size = max(item_size(item) for item in db.send("Scan", {"TableName": "Kinds"})["Items"])
        table.expect(Thing, size=size, per={"kind": each})
        table.expect(things, results=kinds * each)
        if told:  # else it takes as many values as hold what is returned
            table.expect(things, partitions=kinds)
        (cost,) = estimate(table).patterns
        with db.measure() as measured:
            assert len(list(db.run(things, [f"{kind:02}" for kind in range(kinds)]))) == kinds * each
        assert (len(measured.requests), measured.capacity.read) == (cost.requests, pytest.approx(cost.units))
        assert any("partitions=" in note for note in cost.assumed) is not told


def test_what_is_said_of_partitions_is_checked() -> None:
    table = Table("Days")

    class Day(Entity, table=table):
        keys = Keys("DAY#{day}", "{at}", derive={"day": Bucket("at", by="day")})
        at: datetime

    table.expect(Day, per={"day": 5})
    assert table.expectations.of(Day).at_most(frozenset({"day"})) == 5
    with pytest.raises(ModelError, match="Did you mean 'day'"):
        table.expect(Day, per={"dayy": 5})

    @table.pattern
    def days(since: datetime, until: datetime) -> Query[Day]:
        return query(Day, between(Day.at, since, until))

    with pytest.raises(ModelError, match="partitions is a whole number"):
        table.expect(days, partitions=1.5)  # type: ignore[call-overload]


class Shelves:
    """Books by kind, over shards."""

    def __init__(self) -> None:
        self.table = table = Table("Shelves", indexes=[GSI("GSI1")])

        class Book(Entity, table=table):
            keys = Keys(
                "BOOK#{book}",
                "BOOK",
                GSI1=("KIND#{kind}#{shard}", "{book}"),
                derive={"shard": Shard("book", of=3)},
            )
            book: str
            kind: str
            sold: bool = False

        @table.pattern
        def books(kinds: list[str]) -> Query[Book]:
            return query(Book, is_in(Book.kind, kinds))

        table.expect(Book, size=100, per={"kind": 6})
        self.Book, self.books = Book, books


@pytest.mark.parametrize(
    ("partitions", "results", "requests"),
    [(1, 4, 3), (9, 4, 9), (None, 6, 3), (None, 12, 6), (None, 13, 9)],
    ids=["fewer than shards", "as said", "one value", "two values", "three values"],
)
def test_every_value_of_a_list_asks_all_shards(partitions: int | None, results: int, requests: int) -> None:
    shelves = Shelves()
    shelves.table.expect(shelves.books, results=results)
    if partitions is not None:
        shelves.table.expect(shelves.books, partitions=partitions)
    (cost,) = estimate(shelves.table).patterns
    # Each shard holds two of a kind at most.
    assert (cost.requests, cost.items, cost.units) == (requests, requests * 2, requests * 0.5)


def test_what_a_filter_leaves_out_is_read_as_well() -> None:
    table = Table("Filtered")

    class Thing(Entity, table=table):
        keys = Keys("KIND#{kind}", "{number}")
        kind: str
        number: str
        old: bool = False

    @table.pattern
    def things(kind: str, old: bool | None = None) -> Query[Thing]:
        found = query(Thing, Thing.kind == kind)
        return found if old is None else found.filter(Thing.old == old)

    table.expect(Thing, size=1000, per={"kind": 50})
    table.expect(things, results=5)
    (cost,) = estimate(table).patterns
    # The call that filters is the dearer one: it reads all 50 for the 5 that it returns.
    assert (cost.items, cost.units) == (50, 6.5)
    assert cost.assumed == ("its filter reads all 50 items that the key leads to",)


def test_entities_that_are_read_together_on_an_index_have_a_cost() -> None:
    table = Table("Joined", indexes=[GSI("GSI1")])

    class Order(Entity, table=table):
        keys = Keys("ORDER#{order}", "ORDER", GSI1=("OF#{customer}", "ORDER#{order}"))
        order: str
        customer: str

    class Mail(Entity, table=table):
        keys = Keys("MAIL#{mail}", "MAIL", GSI1=("OF#{customer}", "MAIL#{mail}"))
        mail: str
        customer: str

    @table.pattern
    def history(customer: str) -> Mixed[Order | Mail]:
        return query(Order, Order.customer == customer) | query(Mail, Mail.customer == customer)

    for entity in (Order, Mail):
        table.expect(entity, size=1_000)
    table.expect(history, results=9)
    (cost,) = estimate(table).patterns
    assert (cost.index, cost.items, cost.units) == ("GSI1", 10, 1.5)
