"""What a body or a definition gets wrong is answered in our words, at the user's line, never with Python's raw errors."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel, Field, model_validator

from tablewright import GSI, Entity, Epoch, Get, Keys, Table, Unique, get, key, query, require, stored
from tablewright.errors import (
    ArgumentError,
    ChangeError,
    FieldTypeError,
    ModelError,
    PatternError,
    TablewrightError,
    UnknownFieldError,
)
from tablewright.model.change import Change as ChangeOf
from tablewright.model.change import Discard, Include, Remove

table = Table("Unkind", indexes=[GSI("GSI1")])


class Sub(BaseModel):
    x: int = 0
    y: str | None = None


class Thing(Entity, table=table):
    keys = Keys("T#{id}", "T#{id}")
    id: str
    n: int = 0
    price: Decimal = Decimal(0)
    ready: bool = False
    rows: list[int] = Field(default_factory=list)
    tags: set[str] = Field(default_factory=set)
    counts: dict[str, int] = Field(default_factory=dict)
    note: str | None = None
    sub: Sub = Sub()
    at: datetime | None = None
    moments: list[datetime] = Field(default_factory=list)

    @model_validator(mode="after")
    def bounded(self) -> "Thing":
        if self.n > 5:
            raise ValueError("too many")
        return self


def deletes(t: Thing) -> None:
    del t.note


def deletes_required(t: Thing) -> None:
    del t.n


def deletes_a_part(t: Thing) -> None:
    del t.sub.y


def updates_a_map(t: Thing) -> None:
    t.counts.update({"a": 1})


def indexes_with_a_parameter(t: Thing, name: str) -> None:
    t.counts[name] = 1


def slices(t: Thing) -> None:
    t.rows[:2] = [1]


def joins_maps(t: Thing) -> None:
    t.counts |= {"a": 1}


def joins_a_list(t: Thing) -> None:
    t.tags |= ["a"]  # type: ignore[operator]


def multiplies(t: Thing) -> None:
    t.n *= 2


def negates(t: Thing) -> None:
    t.n = -t.n


def subtracts_from(t: Thing) -> None:
    t.n = 5 - t.n


def prepends(t: Thing) -> None:
    t.rows = [1] + t.rows  # noqa: RUF005 - the mistake


def measures(t: Thing) -> None:
    require(len(t.rows) < 3)
    t.n += 1


def builds(t: Thing, x: int) -> None:
    t.sub = Sub(x=x)


def adds_a_fraction(t: Thing) -> None:
    t.n += 1.5  # type: ignore[assignment]


def adds_a_float_to_a_decimal(t: Thing) -> None:
    t.price += 1.5  # type: ignore[operator]


def sets_a_naive_moment(t: Thing) -> None:
    t.at = datetime(2020, 1, 1)


def appends_a_naive_moment(t: Thing) -> None:
    t.moments.append(datetime(2020, 1, 1))


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (deletes, "Thing.note is deleted, but the fields of a model are always there. Assign None: x.note = None."),
        (deletes_required, "Thing.n is deleted.*Assign another value"),
        (deletes_a_part, "Thing.sub.y is deleted.*Assign None: x.sub.y = None."),
        (updates_a_map, 'Thing.counts.update is called.*one by one: x.map\\["key"\\]'),
        (indexes_with_a_parameter, "Thing.counts is indexed with the parameter 'name', whose value is not known yet"),
        (joins_maps, r"Thing.counts is used in a calculation"),
        (joins_a_list, "Thing.tags is set.*it can only be joined with another set"),
        (multiplies, r"Thing.n is used in a calculation.*\+= and -="),
        (negates, "Thing.n is used in a calculation"),
        (subtracts_from, "Thing.n is used in a calculation"),
        (prepends, "Thing.rows is put after other members. A list only grows at its end."),
        (measures, r"len\(\) asks for a value now. Write size\(Thing.rows\)."),
        (builds, r"The change builds\(\) builds a Sub of values that do not fit it. A parameter has no value yet"),
        (adds_a_fraction, "Thing.n is int; a float cannot be added to it"),
        (adds_a_float_to_a_decimal, "Thing.price is Decimal; a float cannot be added to it"),
        (sets_a_naive_moment, "Thing.at: a datetime without a time zone cannot be stored"),
        (appends_a_naive_moment, "Thing.moments: a datetime without a time zone cannot be stored"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_bodies_are_refused_with_a_hint(body: Any, says: str) -> None:
    with pytest.raises(ChangeError, match=says):
        table.change(body)
    assert body.__name__ not in table.changes


def test_slices_are_no_places() -> None:
    with pytest.raises(UnknownFieldError, match=r"Thing.rows cannot be indexed with slice"):
        table.change(slices)


def test_sets_are_joined_and_members_deleted() -> None:
    def tidy(t: Thing, words: set[str]) -> None:
        t.tags |= words
        del t.rows[0]
        del t.counts["old"]

    def untag(t: Thing) -> None:
        t.tags -= {"a"}

    tidied, untagged = ChangeOf(tidy), ChangeOf(untag)
    assert tidied.plan({"a"}).actions == (Include(("tags",), {"a"}), Remove(("rows", 0)), Remove(("counts", "old")))
    assert untagged.plan().actions == (Discard(("tags",), ["a"]),)
    plain = Thing(id="1", rows=[1, 2], counts={"old": 1}, tags={"b"})
    tidied(plain, {"a"})
    assert (plain.tags, plain.rows, plain.counts) == ({"a", "b"}, [2], {})


tidy_table = Table("Tidy")


class Item(Entity, table=tidy_table):
    keys = Keys("I#{id}", "I#{id}")
    id: str
    rows: list[int] = Field(default_factory=list)
    tags: set[str] = Field(default_factory=set)
    counts: dict[str, int] = Field(default_factory=dict)


@tidy_table.change
def clean(i: Item, words: set[str]) -> None:
    i.tags |= words
    del i.rows[0]
    del i.counts["old"]


def test_the_stored_item_follows() -> None:
    with tidy_table.open("memory:") as db:
        item = db.create(Item(id="1", rows=[1, 2], counts={"old": 1, "new": 2}, tags={"b"}))
        after = db.apply(clean, item, {"a"})
        assert (after.tags, after.rows, after.counts) == ({"a", "b"}, [2], {"new": 2})
        assert after == db.get(key(Item, id="1"))


@pytest.mark.parametrize(
    ("define", "error", "says"),
    [
        (lambda: Table("Tab", indexes=["GSI1"]), ModelError, r"indexes= holds str, not an index. Write GSI\('GSI1'\)."),
        (lambda: Table("Tab", indexes=GSI("GSI1")), ModelError, "indexes= takes a list of indexes, not GSI"),
        (lambda: Table("Tab", indexes=5), ModelError, "indexes= takes a list of indexes, not int"),
        (lambda: Table(5), ModelError, "The name of a table is a text, not int"),
        (lambda: Epoch("h"), ModelError, r"""Epoch\('h'\) is unknown. Use "s", "ms" or "us"."""),
        (lambda: Keys("A", unique=[5]), ModelError, "Unique.. names fields by their names, not by int"),
        (lambda: Keys("A", unique="email"), ModelError, r"takes a list of rules, not str. Write unique=\['email'\]."),
        (lambda: Keys("A", unique=Unique("a")), ModelError, "takes a list of rules, not Unique"),
        (lambda: Keys("A", unique=5), ModelError, "takes a list of rules, not int"),
        (lambda: table.pattern("x"), PatternError, r"pattern\(\) was given str, not a function"),
        (lambda: table.pattern(Thing), PatternError, r"pattern\(\) was given EntityMeta, not a function"),
        (lambda: table.change(None), ChangeError, r"change\(\) was given NoneType.*@table.change above a function"),
        (lambda: table.explain(5), ArgumentError, r"explain\(\) was given int, which is no pattern of Unkind"),
        (lambda: table.explain(one_thing), ArgumentError, "one_thing, which is no pattern of Unkind"),
        (lambda: stored(None), ArgumentError, r"stored\(\) was given NoneType, not an entity"),
        (lambda: query(Thing, Thing.n * 2 > 5), PatternError, "Thing.n is used in a calculation"),
        (lambda: (Thing.n > 1) & "x", ArgumentError, "was given str, not a condition"),
        (lambda: (Thing.n > 1) | Thing.n, ArgumentError, "was given Field, not a condition"),
    ],
    ids=range(18),
)
def test_definitions_are_refused_with_a_hint(
    define: Callable[[], Any], error: type[TablewrightError], says: str
) -> None:
    with pytest.raises(error, match=says):
        define()


def one_thing(thing_id: str) -> Get[Thing]:
    return get(Thing, Thing.id == thing_id)


def test_a_flag_may_stand_beside_a_condition() -> None:
    condition = (Thing.n > 1) & Thing.ready
    assert [leaf.path for leaf in condition.leaves()] == [("n",), ("ready",)]


def test_what_a_model_validator_says_is_about_the_whole() -> None:
    thing = Thing(id="1")
    thing.__dict__["n"] = 9
    with pytest.raises(FieldTypeError, match=r"^Thing: Value error, too many"):
        table.plan.of(Thing).validated(thing)


def test_a_moment_beyond_the_calendar_is_named_as_such() -> None:
    plan = table.plan.of(Thing)
    early = Thing(id="1", at=datetime.min.replace(tzinfo=timezone(timedelta(hours=5))))
    with pytest.raises(FieldTypeError, match=r"Thing.at: a datetime outside of the years 1 to 9999 in UTC"):
        plan.encode_fields(plan.validated(early))
    plan.encode_fields(plan.validated(Thing(id="1", at=datetime.min.replace(tzinfo=UTC))))


def test_an_empty_key_of_a_map_is_refused_before_it_is_sent() -> None:
    plan = table.plan.of(Thing)
    with pytest.raises(FieldTypeError, match=r"Thing.counts: a map cannot have an empty key"):
        plan.encode_fields(plan.validated(Thing(id="1", counts={"": 1})))
