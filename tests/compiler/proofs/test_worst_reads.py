"""What a read of several partitions takes at worst, held against what the engine charges for full ones."""

from __future__ import annotations

from datetime import date
from typing import Literal

import pytest

from tablewright import GSI, Bucket, Entity, Keys, Query, Shard, Table, attr, between, is_in, query, sparse
from tablewright.compiler.proofs.showing import shown
from tablewright.values import item_size

Colour = Literal["red", "blue", "green"]
table = Table("Worst", indexes=[GSI("Colours"), GSI("Spread"), GSI("Months"), GSI("Open")])


class Thing(Entity, table=table):
    keys = Keys(
        "THING#{thing}",
        "THING",
        Colours=("SHOP#{shop}#COLOUR#{colour}", "{thing}"),
        Spread=("SHOP#{shop}#{shard}", "{thing}"),
        Months=("SHOP#{shop}#MONTH#{month}", "{day}#{thing}"),
        Open=sparse("OPEN#{shop}", "{thing}", when=is_in(attr("colour"), ["red", "blue"])),
        derive={"shard": Shard("thing", of=4), "month": Bucket("day", "month")},
    )
    shop: str
    thing: str
    colour: Colour
    day: date
    text: str


@table.pattern
def spread(shop: str) -> Query[Thing]:
    return query(Thing, Thing.shop == shop).via("Spread")


@table.pattern
def two_colours(shop: str) -> Query[Thing]:
    return query(Thing, Thing.shop == shop, is_in(Thing.colour, ["red", "green"]))


@table.pattern
def colours(shop: str, several: list[str]) -> Query[Thing]:
    return query(Thing, Thing.shop == shop, is_in(Thing.colour, several))


@table.pattern
def in_days(shop: str, since: date, until: date) -> Query[Thing]:
    return query(Thing, Thing.shop == shop, between(Thing.day, since, until)).via("Months")


@table.pattern
def open_reds(shop: str) -> Query[Thing]:
    return query(Thing, Thing.shop == shop, Thing.colour == "red").via("Open")


COUNT = 60
SIZE = 3_000
table.expect(
    Thing, items=100 * COUNT, size=SIZE, per={"shop": COUNT, ("shop", "colour"): COUNT // 3}, indexed={"Open": COUNT}
)
table.expect(colours, partitions=2)
table.expect(in_days, partitions=3)


@pytest.mark.parametrize(
    ("name", "items", "partitions", "arguments"),
    [
        ("spread", COUNT, 4, ["s"]),
        ("two_colours", 2 * COUNT // 3, 2, ["s"]),
        ("colours", 2 * COUNT // 3, None, ["s", ["red", "blue"]]),
        ("in_days", COUNT, None, ["s", date(2026, 1, 1), date(2026, 3, 31)]),
        ("open_reds", COUNT, 1, ["s"]),
    ],
)
def test_no_more_is_read_than_was_said(name: str, items: int, partitions: int | None, arguments: list[object]) -> None:
    (request,) = table.prove().of(name).requests
    assert (request.items_at_worst, request.partitions) == (items, partitions)
    assert request.read_units_at_worst is not None
    with table.open("memory:") as db:
        db.ensure_table()
        for position in range(COUNT):
            colours_there: tuple[Colour, ...] = ("red", "blue", "green")
            made = Thing(
                shop="s",
                thing=f"{position:03}",
                colour=colours_there[position % 3],
                day=date(2026, position % 3 + 1, 1),
                text="x" * 2_500,
            )
            db.create(made)
        stored = db.send("GetItem", {"TableName": "Worst", "Key": {"PK": {"S": "THING#000"}, "SK": {"S": "THING"}}})
        assert item_size(stored["Item"]) <= SIZE
        with db.measure() as measured:
            found = list(db.run(table.patterns[name], *arguments))
    assert len(found) == (COUNT // 3 if name == "open_reds" else items)
    assert 0.5 * request.read_units_at_worst < measured.capacity.read <= request.read_units_at_worst


def test_a_partition_more_is_a_page_more() -> None:
    """Few small items cost a page of each partition."""
    few = Table("Few", indexes=[GSI("GSI1")])

    class Note(Entity, table=few):
        keys = Keys("NOTE#{note}", "NOTE", GSI1=("ALL#{shard}", "{note}"), derive={"shard": Shard("note", of=8)})
        note: str

    @few.pattern
    def everything() -> Query[Note]:
        return query(Note)

    few.expect(Note, items=2, size=100)
    (request,) = few.prove().of("everything").requests
    assert (request.items_at_worst, request.read_units_at_worst) == (2, 4.0)


def test_what_is_counted_for_some_partitions_says_so() -> None:
    lines = [line.text for line in shown(table.prove())]
    (told,) = [line for line in lines if "each month of day" in line]
    assert "one for each month of day, counted for 3 of them" in told
