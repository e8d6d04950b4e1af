"""Links with mirrors: one request writes both, and both are counted once."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright import GSI, Entity, Keys, Relationship, Table, key
from tablewright.cost.estimating import Estimate, estimate
from tablewright.values.sizes import item_size


class Network:
    """Who follows whom, readable from both sides; one of them has an index of its own."""

    def __init__(self) -> None:
        self.table = table = Table("Network", indexes=[GSI("GSI1"), GSI("GSI2", projection="KEYS_ONLY")])

        class Person(Entity, table=table):
            keys = Keys("PERSON#{name}", "PERSON")
            name: str

        class Follow(Entity, table=table):
            keys = Keys("PERSON#{one}", "FOLLOWS#{other}", GSI1=("TAG#{tag}", "{one}#{other}"))
            one: str
            other: str
            tag: str = "none"
            note: str = ""

        class Follower(Follow, table=table):
            keys = Keys("PERSON#{other}", "FOLLOWER#{one}", GSI2=("TAGS#{tag}", "{other}#{one}"))

        table.relate(
            Relationship(
                Person,
                Person,
                "M:N",
                "adjacency list",
                via=Follow,
                mirror=Follower,
                source_fields=("one",),
                target_fields=("other",),
            )
        )

        @table.change
        def tag(link: Follow, name: str) -> None:
            link.tag = name

        @table.change
        def write(link: Follow, text: str) -> None:
            link.note = text

        self.Follow, self.Follower, self.tag, self.write = Follow, Follower, tag, write


@settings(max_examples=settings().max_examples // 5)
@given(note=st.integers(0, 5000), mirrored=st.booleans())
def test_both_items_cost_what_is_measured(note: int, mirrored: bool) -> None:
    network = Network()
    kind = network.Follower if mirrored else network.Follow
    with network.table.open("memory:") as db:
        with db.measure() as created:
            db.create(kind(one="a", other="b", note="n" * note))
        sizes = {item["Type"]["S"]: item_size(item) for item in db.send("Scan", {"TableName": "Network"})["Items"]}
        for entity in (network.Follow, network.Follower):
            network.table.expect(entity, size=sizes[entity.__name__])
        costs = {cost.name: cost for cost in estimate(network.table).entities}
        place, cost = key(kind, one="a", other="b"), costs[kind.__name__]
        assert created.capacity.write == cost.create.total
        assert (costs["Follow"].own + costs["Follower"].own).total == cost.create.total
        if not mirrored:
            changes: list[tuple[Any, dict[str, str]]] = [
                (network.tag, {"name": "kept"}),
                (network.write, {"text": "m" * note}),
            ]
            for change, arguments in changes:
                with db.measure() as changed:
                    db.apply(change, place, **arguments)
                # A change that leaves all as it was is not one in an index.
                if note or change is network.tag:
                    assert changed.capacity.write == cost.changes[change.name].total
        with db.measure() as deleted:
            db.delete(place)
        assert deleted.capacity.write == cost.delete.total


def said(follow: dict[str, Any], follower: dict[str, Any]) -> Estimate:
    network = Network()
    network.table.expect(network.Follow, size=300, **follow)
    network.table.expect(network.Follower, size=300, **follower)
    return estimate(network.table)


@pytest.mark.parametrize(
    ("follow", "follower"),
    [
        ({"items": 100, "writes": 2}, {}),
        ({}, {"items": 100, "writes": 2}),
        ({"items": 100, "writes": 1}, {"items": 100, "writes": 2}),
    ],
    ids=["the link", "the mirror", "both"],
)
def test_it_does_not_matter_of_which_it_was_said(follow: dict[str, Any], follower: dict[str, Any]) -> None:
    found = said(follow, follower)
    # Two items in a transaction, and one copy of each.
    assert found.writes == {"the table": 2 * 4, "GSI1": 2, "GSI2": 2}
    links = [e for e in found.entities if e.name != "Person"]
    assert [(e.items, e.writes, e.create.total) for e in links] == [(100, 2, 6)] * 2
    assert [a for a in found.assumptions if "nobody said" in a and "Follow" in a] == []
    assert sum(s.month for s in found.shares if s.what == "writes") == pytest.approx(found.bill().writes)


def test_a_change_of_a_link_is_one_of_its_mirror() -> None:
    network = Network()
    network.table.expect(network.Follow, writes=5)
    network.table.expect(network.tag, rate=2)
    follow, follower = (one for one in estimate(network.table).entities if one.name != "Person")

    assert (follow.writes, follower.writes) == (5, 5)
    # A delete and an insert in two of five, and a create in the others.
    assert (follow.own.indexes, follower.own.indexes) == ({"GSI1": 1.4}, {"GSI2": 1.4})
    assert follow.own.table == follower.own.table == 2
