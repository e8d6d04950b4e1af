"""Aggregates that cannot be read and written as a whole are refused where they are defined."""

# mypy: disable-error-code="valid-type"

from __future__ import annotations

import types
from typing import Any

import pytest

from tablewright import GSI, Aggregate, Entity, Keys, Node, Table, child, children
from tablewright.errors import ArgumentError, ModelError
from tests.client.surveys import Section, SectionNode, Survey, SurveyTree, surveys


def shop() -> tuple[Table, Any, Any]:
    table = Table("Shop", indexes=[GSI("GSI1")])

    class Order(Entity, table=table):
        keys = Keys("CUSTOMER#{customer}", "ORDER#{order}")
        customer: str
        order: str
        lines: int = 0
        note: str = ""

    class Line(Entity, table=table):
        keys = Keys("CUSTOMER#{customer}", "ORDER#{order}#LINE#{line:3}")
        customer: str
        order: str
        line: int

    return table, Order, Line


def test_an_aggregate_becomes_one_query_for_each_depth() -> None:
    plan = surveys.plan.aggregates[SurveyTree]
    assert [len(c.parts) for c in plan.collections] == [1, 3, 4, 5]
    shown = plan.collections[-1].shown()
    assert shown.operation == "Query"
    assert shown.index is None
    assert "Photo" in shown.note
    assert surveys.aggregates == {"SurveyTree": SurveyTree}


def test_names_of_links_may_differ() -> None:
    table, order, _ = shop()

    class Parcel(Entity, table=table):
        keys = Keys("CUSTOMER#{who}", "ORDER#{order}#PARCEL#{parcel}")
        who: str
        order: str
        parcel: str

    class Sent(Aggregate[order]):
        parcels: list[Parcel] = children(by={"who": "customer"})

    with table.open("memory:") as db:
        tree = Sent(entity=order(customer="ada", order="o1"), parcels=[Parcel(who="", order="", parcel="p1")])
        db.save_tree(tree)
        found: Sent = db.load_tree(Sent, tree.entity)
        assert found == tree
        assert found.parcels[0].who == "ada"


def declare(name: str, base: Any, annotation: Any, branch: Any) -> None:
    """A class statement with one branch."""
    types.new_class(name, (base,), {}, lambda body: body.update(__annotations__={"lines": annotation}, lines=branch))


def refused(message: str) -> Any:
    return pytest.raises(ModelError, match=message)


def test_what_does_not_hang_together_is_refused() -> None:
    table, order, line = shop()

    class Loose(Entity, table=table):
        keys = Keys("LOOSE#{customer}", "ORDER#{order}#LOOSE#{loose}", GSI1=("ORDER#{order}", "{loose}"))
        customer: str
        order: str
        loose: str

    class Numbered(Entity, table=table):
        keys = Keys("CUSTOMER#{customer}", "NUMBER#{order:4}#{number}")
        customer: str
        order: int
        number: str

    class Bare(Entity, table=table, timestamps=False):
        keys = Keys("CUSTOMER#{customer}", "BARE#{bare}")
        customer: str
        bare: str

    class Item(Entity, table=table):
        keys = Keys("CUSTOMER#{customer}", "BARE#{bare}#ITEM#{item}")
        customer: str
        bare: str
        item: str

    with refused("lies in another partition than Order"):

        class Apart(Aggregate[order]):
            loose: list[Loose] = children()

    with refused("Numbered.order is int, but Order.order is str"):

        class Typed(Aggregate[order]):
            numbers: list[Numbered] = children()

    with refused("Bare has no field 'order'"):

        class Unlinked(Aggregate[order]):
            bares: list[Bare] = children()

    with refused("neither a version nor time stamps"):

        class Unstamped(Aggregate[Bare]):
            items: list[Item] = children()

    with refused("order_by names 'position'"):

        class Unsorted(Aggregate[order]):
            lines: list[line] = children(order_by="position")

    with refused("Order has no field 'count' to count in"):

        class Uncounted(Aggregate[order]):
            lines: list[line] = children(count="count")

    with refused("Order.note cannot count"):

        class Miscounted(Aggregate[order]):
            lines: list[line] = children(count="note")

    with refused("has Line in two places"):

        class Double(Aggregate[order]):
            lines: list[line] = children()
            more: list[line] = children()

    with refused("Section, which is no entity of the same table"):

        class Foreign(Aggregate[order]):
            sections: list[Section] = children()

    assert table.aggregates == {}


def test_a_class_that_is_no_tree_is_refused() -> None:
    _, order, line = shop()
    with refused("does not say which entity"):

        class Nothing(Node):  # type: ignore[type-arg]
            pass

    with refused("is no branch"):

        class Plain(Node[order]):
            lines: list[line]

    for annotation, branch in ((list[str], children()), (line, children()), (line, child()), (list[line], child())):
        with refused("is annotated otherwise"):
            declare("Wrong", Node[order], annotation, branch)

    with refused("a name that every tree has already"):

        class Taken(Node[order]):
            orphans: list[line] = children()

    with refused("names 'Unknown', which is not defined"):

        class Early(Node[order]):
            lines: list[Unknown] = children()  # type: ignore[name-defined]  # noqa: F821 - the mistake


def test_a_name_stands_for_one_aggregate() -> None:
    _, order, line = shop()

    class Basket(Aggregate[order]):
        lines: list[line] = children(count="lines")

    with refused("already has an aggregate Basket"):
        declare("Basket", Aggregate[order], list[line], children())


def test_a_constructor_takes_the_entity_and_every_branch() -> None:
    root = Survey(tenant="t", survey="s")
    with pytest.raises(ArgumentError, match="lacks 'cover'"):
        SurveyTree(entity=root, chapters=[])  # type: ignore[call-arg]
    with pytest.raises(ArgumentError, match="Did you mean 'chapters'"):
        SurveyTree(entity=root, chapters=[], cover=None, chapter=[])  # type: ignore[call-arg]
    with pytest.raises(ArgumentError, match="takes a Survey, not Section"):
        SurveyTree(entity=Section(tenant="t", survey="s", section="x"), chapters=[], cover=None)  # type: ignore[arg-type]
    with pytest.raises(AttributeError, match="no attribute 'pages'"):
        _ = SectionNode(entity=Section(tenant="t", survey="s", section="x"), parts=[]).pages  # type: ignore[attr-defined]
