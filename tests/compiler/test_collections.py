"""Item collections: parents with children of their own below them, read one by one or all in one query."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tablewright import (
    GSI,
    Collection,
    Entity,
    Get,
    Keys,
    NaturalKey,
    Query,
    Session,
    Shard,
    Table,
    collect,
    get,
    many,
    one,
    query,
)
from tablewright.errors import ArgumentError, PatternError

table = Table("Surveys", indexes=[GSI("GSI1")])


class Survey(Entity, table=table):
    keys = Keys("TENANT#{tenant}", "SURVEY#{survey}")
    tenant: str
    survey: str
    title: str = ""


class Section(Entity, table=table):
    keys = Keys("TENANT#{tenant}", "SURVEY#{survey}#SECTION#{order:3}#{section}")
    tenant: str
    survey: str
    order: int
    section: str


class Element(Entity, table=table):
    keys = Keys("TENANT#{tenant}", "SURVEY#{survey}#SECTION#{order:3}#{section}#ELEMENT#{element}")
    tenant: str
    survey: str
    order: int
    section: str
    element: str


class Snapshot(Entity, table=table):
    keys = Keys("TENANT#{tenant}", "SNAPSHOT#{survey}#{n:3}")
    tenant: str
    survey: str
    n: int


class Settings(Entity, table=table):
    keys = Keys("TENANT#{tenant}", "SETTINGS")
    tenant: str
    color: str = "red"


class AppConfig(Entity, table=table):
    keys = Keys("config", "app_settings")
    limit: int = 5


class FeatureFlags(Entity, table=table):
    keys = Keys("config", "feature_flags")
    beta: bool = False


@dataclass
class Whole:
    survey: Survey | None
    sections: list[Section]
    elements: list[Element]


@table.pattern
def survey(tenant: str, survey: str) -> Get[Survey]:
    return get(Survey, Survey.tenant == tenant, Survey.survey == survey)


@table.pattern
def complete(tenant: str, survey: str) -> Collection[Whole]:
    return collect(
        Whole,
        survey=one(query(Survey, Survey.tenant == tenant, Survey.survey == survey)),
        sections=many(query(Section, Section.tenant == tenant, Section.survey == survey)),
        elements=many(query(Element, Element.tenant == tenant, Element.survey == survey)),
    )


@table.pattern
def elements(tenant: str, survey: str, order: int, section: str) -> Query[Element]:
    return query(
        Element,
        Element.tenant == tenant,
        Element.survey == survey,
        Element.order == order,
        Element.section == section,
    )


@table.pattern
def settings(tenant: str) -> Get[Settings]:
    return get(Settings, Settings.tenant == tenant)


@table.pattern
def config() -> Get[AppConfig]:
    return get(AppConfig)


@pytest.fixture(scope="module", params=["memory", pytest.param("dynamodb-local", marks=pytest.mark.dynamodb_local)])
def db(request: pytest.FixtureRequest) -> Iterator[Session]:
    place = "memory:" if request.param == "memory" else request.getfixturevalue("dynamodb_local_url")
    with table.open(place, create=True, table_name=f"surveys-{uuid.uuid4().hex}") as opened:
        for name in ("1", "10", "1-x", "1#2"):
            opened.create(Survey(tenant="t", survey=name))
            for order in (2, 10):
                opened.create(Section(tenant="t", survey=name, order=order, section="s"))
                opened.create(Element(tenant="t", survey=name, order=order, section="s", element="e"))
        opened.create(Snapshot(tenant="t", survey="1", n=1))
        opened.create(Settings(tenant="t", color="blue"))
        opened.create(AppConfig(limit=9))
        opened.create(FeatureFlags())
        yield opened


def test_a_parent_is_read_without_its_children(db: Session) -> None:
    assert db.run(survey, "t", "1") == Survey(tenant="t", survey="1")


def test_a_whole_tree_is_one_query_and_nobody_else_s(db: Session) -> None:
    with db.measure() as meter:
        whole = db.run(complete, "t", "1")
    assert len(meter.requests) == 1
    assert whole.survey == Survey(tenant="t", survey="1")
    assert [s.order for s in whole.sections] == [2, 10], "padded numbers sort as numbers"
    assert [e.order for e in whole.elements] == [2, 10]
    assert {e.survey for e in whole.elements} == {"1"}
    nothing = db.run(complete, "t", "none")
    assert (nothing.survey, nothing.sections, nothing.elements) == (None, [], [])


def test_children_of_one_parent(db: Session) -> None:
    assert len(db.run(elements, "t", "1", 2, "s").all()) == 1


def test_facets_and_singletons_have_fixed_keys(db: Session) -> None:
    assert db.run(settings, "t") == Settings(tenant="t", color="blue")
    assert db.run(config) == AppConfig(limit=9)
    assert db.execute(get(FeatureFlags)) == FeatureFlags()
    item = db.send("GetItem", {"TableName": db.table_name, "Key": {"PK": {"S": "config"}, "SK": {"S": "app_settings"}}})
    assert item["Item"]["limit"] == {"N": "9"}


def test_a_middle_level_alone_would_also_read_what_is_below_it() -> None:
    with pytest.raises(PatternError, match="the table's key: it would also read Element"):

        @table.pattern
        def sections(tenant: str, survey: str) -> Query[Section]:
            return query(Section, Section.tenant == tenant, Section.survey == survey)


def test_what_lies_between_the_parts_is_said() -> None:
    @dataclass
    class Both:
        settings: Settings | None
        survey: Survey | None

    read = collect(
        Both,
        settings=one(query(Settings, Settings.tenant == "t")),
        survey=one(query(Survey, Survey.tenant == "t", Survey.survey == "1")),
    )
    assert table.plan.read(read).shown().note == "Settings + Survey; may also read Element, Section, Snapshot"


def test_a_parent_may_stand_exactly_where_its_children_begin() -> None:
    table = Table("Parents")

    class Parent(Entity, table=table):
        keys = Keys("P", "X#{x}")
        x: str

    class Child(Entity, table=table):
        keys = Keys("P", "X#{x}#{n:2}")
        x: str
        n: int

    @table.pattern
    def children(x: str) -> Query[Child]:
        return query(Child, Child.x == x)

    with table.open("memory:") as db:
        for x in ("a", "ab", "a#1"):
            db.create(Parent(x=x))
            db.create(Child(x=x, n=1))
        assert db.run(children, "a").all() == [Child(x="a", n=1)]
    assert table.explain(children)[0].key == "PK = P AND SK BETWEEN X#{x}# AND X#{x}$"


def test_parts_that_cannot_be_read_together() -> None:
    table = Table("Apart", indexes=[GSI("GSI1")])

    class A(Entity, table=table):
        keys = Keys("A#{x}", "A")
        x: str

    class B(Entity, table=table):
        keys = Keys("A#{x}", "B#{n:2}")
        x: str
        n: int

    class C(Entity, table=table):
        keys = Keys("C#{x}#{shard}", "C#{n:2}", derive={"shard": Shard("n", of=2)})
        x: str
        n: int

    class Lower(Entity, table=table):
        keys = Keys("A#{x}", "L")
        x: NaturalKey

    @dataclass
    class Page:
        a: Any
        b: Any

    a, b, c = query(A, A.x == "x"), query(B, B.x == "x"), query(C, C.x == "x")
    for parts, message in (
        ({"a": one(a), "b": many(query(B, B.x == "y"))}, "B lies in another partition than A"),
        ({"a": one(a), "b": many(c)}, "the part 'b' is spread over shards, and collect"),
        ({"a": one(a), "b": many(b.newest_first())}, "its parts are sorted in different directions"),
        ({"a": one(a), "b": many(b.filter(B.n > 1))}, "the part 'b' has a filter"),
    ):
        with pytest.raises(PatternError, match=message):
            table.plan.read(collect(Page, **parts))

    @table.pattern
    def page(x: str) -> Collection[Page]:
        return collect(Page, a=one(query(A, A.x == x)), b=one(query(Lower, Lower.x == x)))

    with table.open("memory:") as db:
        db.create(A(x="x"))
        db.create(Lower(x="X"))
        assert db.run(page, "x") == Page(A(x="x"), Lower(x="x"))
        with pytest.raises(ArgumentError, match="With these arguments Lower lies in another partition than A"):
            db.run(page, "X")


def test_an_empty_range_of_a_collection_finds_nothing() -> None:
    table = Table("Empty")

    class Item(Entity, table=table):
        keys = Keys("I", "{n:2}")
        n: int

    @dataclass
    class Page:
        items: list[Item]

    @table.pattern
    def items(low: int, high: int) -> Collection[Page]:
        return collect(Page, items=many(query(Item, Item.n >= low, Item.n <= high)))

    with table.open("memory:") as db:
        for n in range(5):
            db.create(Item(n=n))
        assert [i.n for i in db.run(items, 1, 3).items] == [1, 2, 3]
        assert db.run(items, 3, 1).items == []
