"""Reads in pages of a declared size: what is estimated, and proved at worst, held against what the engine charges."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright import GSI, Entity, Keys, Query, Shard, Table, query
from tablewright.cost.estimating import estimate
from tablewright.values.keybuilding.shards import shard_of
from tablewright.values.sizes import item_size


class Shelf:
    """Notes of a shelf, in one partition and over shards, so many a page."""

    def __init__(self, shards: int, page: int, *, strong: bool) -> None:
        self.table = table = Table("Shelf", indexes=[GSI("GSI1")])

        class Note(Entity, table=table):
            keys = Keys(
                "SHELF#{shelf}",
                "{note}",
                GSI1=("SHELF#{shelf}#{shard}", "{note}"),
                derive={"shard": Shard("note", of=shards)},
            )
            shelf: str
            note: str
            text: str

        @table.pattern
        def notes(shelf: str) -> Query[Note]:
            found = query(Note, Note.shelf == shelf).per_page(page)
            return found.consistent() if strong else found

        @table.pattern
        def spread(shelf: str) -> Query[Note]:
            return query(Note, Note.shelf == shelf).via("GSI1").per_page(page)

        self.Note, self.patterns = Note, (notes, spread)


@settings(max_examples=settings().max_examples // 6)
@given(
    shards=st.integers(2, 4),
    each=st.integers(1, 12),
    page=st.integers(1, 8),
    text=st.integers(1, 5000),
    strong=st.booleans(),
)
def test_every_page_begins_a_unit_of_its_own(shards: int, each: int, page: int, text: int, strong: bool) -> None:
    shelf = Shelf(shards, page, strong=strong)
    there, numbers = [0] * shards, count()
    with shelf.table.open("memory:") as db:
        while min(there) < each:
            note = f"{next(numbers):08}"
            if there[shard_of(note, shards)] < each:
                there[shard_of(note, shards)] += 1
                db.put(shelf.Note(shelf="s", note=note, text="t" * text))
        size = max(item_size(item) for item in db.send("Scan", {"TableName": "Shelf", "Limit": 9})["Items"])
        total = shards * each
        shelf.table.expect(shelf.Note, items=total, size=size, per={"shelf": total})
        for pattern in shelf.patterns:
            shelf.table.expect(pattern, results=total)
        costs, proof = {cost.name: cost for cost in estimate(shelf.table).patterns}, shelf.table.prove()
        for pattern in shelf.patterns:
            with db.measure() as measured:
                assert len(list(db.run(pattern, "s"))) == total
            (request,) = proof.of(pattern.name).requests
            assert request.items_at_worst == total
            assert request.read_units_at_worst is not None
            assert measured.capacity.read <= request.read_units_at_worst
            cost = costs[pattern.name]
            if total > page:  # else one page is meant, and nobody asks whether another follows
                assert (len(measured.requests), measured.capacity.read) == (cost.requests, pytest.approx(cost.units))


def test_one_page_is_one_request() -> None:
    shelf = Shelf(2, 10, strong=False)
    shelf.table.expect(shelf.Note, size=100, per={"shelf": 1_000})
    for pattern in shelf.patterns:
        shelf.table.expect(pattern, results=10)
    assert [(cost.requests, cost.units) for cost in estimate(shelf.table).patterns] == [(1, 0.5), (2, 1.0)]


def test_every_megabyte_begins_a_unit_of_its_own() -> None:
    table = Table("Shelf")

    class Note(Entity, table=table):
        keys = Keys("SHELF#{shelf}", "{note}")
        shelf: str
        note: str
        text: str

    @table.pattern
    def notes(shelf: str) -> Query[Note]:
        return query(Note, Note.shelf == shelf)

    with table.open("memory:") as db:
        with db.batch() as batch:
            for number in range(40):
                batch.put(Note(shelf="s", note=f"{number:02}", text="t" * 90_000))
        (item,) = db.send("Scan", {"TableName": "Shelf", "Limit": 1})["Items"]
        table.expect(Note, items=40, size=item_size(item), per={"shelf": 40})
        with db.measure() as measured:
            assert len(list(db.run(notes, "s"))) == 40
    (cost,), (request,) = estimate(table).patterns, table.prove().of("notes").requests
    assert len(measured.requests) == 4
    assert cost.units == request.read_units_at_worst
    assert measured.capacity.read <= cost.units <= measured.capacity.read + 2  # half a unit for each page at most
