"""Tables that exist already: their own separators, raw values, plain and numeric keys; what cannot be proved is said."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from pydantic import Field

from tablewright import (
    GSI,
    AttributeNames,
    Entity,
    Get,
    Keys,
    KeyStyle,
    Query,
    Table,
    between,
    get,
    key,
    number,
    query,
    starts_with,
)
from tablewright.errors import KeyCollisionError, KeyValueError, PatternError

DAY = datetime(2025, 1, 1, tzinfo=UTC)


def test_a_numeric_key_without_a_sort_key_is_the_field_itself() -> None:
    table = Table("Numbers", pk=number("id"), sk=None)

    class Thing(Entity, table=table):
        keys = Keys("{id}")
        id: Decimal
        name: str

    @table.pattern
    def thing(id_: Decimal) -> Get[Thing]:
        return get(Thing, Thing.id == id_)

    with table.open("memory:") as db:
        db.create(Thing(id=Decimal("5.5"), name="a"))
        db.put(Thing(id=Decimal("5.5"), name="b"))
        db.update(key(Thing, id=Decimal("5.5")), set={"name": "c"})
        assert db.run(thing, Decimal("5.50")) == Thing(id=Decimal("5.5"), name="c")
        (item,) = db.send("Scan", {"TableName": "Numbers"})["Items"]
        assert item["id"] == {"N": "5.5"}
    assert table.plan.warnings == ()


def test_plain_keys_are_the_fields_themselves() -> None:
    table = Table("Plain", pk="user_id", sk="at", names=AttributeNames(type="kind"))

    class Event(Entity, table=table, nested="data"):
        keys = Keys("{user_id}", "{at}")
        user_id: str
        at: datetime
        text: str = ""

    @table.pattern
    def events(user_id: str, since: datetime | None = None) -> Query[Event]:
        return query(Event, Event.user_id == user_id).when(since, lambda t: Event.at >= t)

    with table.open("memory:") as db:
        for day in (1, 2, 3):
            db.create(Event(user_id="a#$ %b", at=DAY.replace(day=day), text=str(day)))
        assert [e.text for e in db.run(events, "a#$ %b", DAY.replace(day=2))] == ["2", "3"]
        item = db.send("Scan", {"TableName": "Plain"})["Items"][0]
        assert item["user_id"] == {"S": "a#$ %b"}, "not escaped"
        assert item["data"] == {"M": {"text": {"S": "1"}}}
        with pytest.raises(KeyValueError, match=r"Event\.user_id is empty, and key attributes cannot be"):
            db.create(Event(user_id="", at=DAY))


def adopted() -> tuple[Table, Any, Any]:
    table = Table("Adopted", indexes=[GSI("GSI1")], key_style=KeyStyle.adopted("|"))

    class User(Entity, table=table):
        keys = Keys("USER-{user_id}", "PROFILE")
        user_id: str

    class Order(Entity, table=table):
        keys = Keys("USER-{user_id}", "ORDER|{placed_at}|{order_id}", GSI1=("O|{order_id}", "{total:6.2}"))
        user_id: str
        placed_at: datetime
        order_id: str
        total: Decimal = Field(default=Decimal(0), ge=0)

    return table, User, Order


def test_raw_values_and_text_beside_fields() -> None:
    table, user, order = adopted()

    @table.pattern
    def orders(user_id: str, low: datetime | None = None, high: datetime | None = None) -> Query[Any]:
        found = query(order, order.user_id == user_id)
        return found.when(low, lambda t: order.placed_at > t).when(high, lambda t: order.placed_at <= t)

    @table.pattern
    def profile(user_id: str) -> Get[Any]:
        return get(user, user.user_id == user_id)

    with table.open("memory:") as db:
        db.create(user(user_id="a b#c"))
        for day in (1, 2, 3):
            db.create(order(user_id="a b#c", placed_at=DAY.replace(day=day), order_id=f"o{day}|x"))
        assert db.run(profile, "a b#c") == user(user_id="a b#c")
        assert [o.order_id for o in db.run(orders, "a b#c")] == ["o1|x", "o2|x", "o3|x"]
        assert [o.order_id for o in db.run(orders, "a b#c", DAY)] == ["o2|x", "o3|x"]
        assert [o.order_id for o in db.run(orders, "a b#c", DAY, DAY.replace(day=2))] == ["o2|x"]
        item = db.send("Scan", {"TableName": "Adopted"})["Items"][0]
        assert item["PK"] == {"S": "USER-a b#c"}
    assert str(table.explain(orders)[-1]) == "Query table: PK = USER-{user_id} AND begins_with(SK, ORDER|)"


def test_a_separator_inside_a_value_is_refused_where_it_could_not_be_read_back() -> None:
    table = Table("Guarded", key_style=KeyStyle.adopted("|"))

    class Part(Entity, table=table):
        keys = Keys("P|{a}", "{b}|{c}")
        a: str
        b: str
        c: str

    with table.open("memory:") as db:
        db.create(Part(a="x|y", b="b", c="c|c"))
        assert db.get(key(Part, a="x|y", b="b", c="c|c")) is not None
        with pytest.raises(KeyValueError, match=r'Part.b: holds "\|", which separates the parts'):
            db.create(Part(a="x", b="b|", c="c"))


def test_what_only_odd_values_could_do_is_a_warning_and_what_ordinary_ones_do_an_error() -> None:
    table = Table("Doubt", key_style=KeyStyle.adopted("|"))

    class Survey(Entity, table=table):
        keys = Keys("T|{tenant}", "S|{survey}")
        tenant: str
        survey: str

    class Section(Entity, table=table):
        keys = Keys("T|{tenant}", "S|{survey}|P|{part}")
        tenant: str
        survey: str
        part: str

    @table.pattern
    def survey(tenant: str, survey: str) -> Get[Survey]:
        return get(Survey, Survey.tenant == tenant, Survey.survey == survey)

    warnings = " ".join(table.plan.warnings)
    assert "Section and Survey have the same key for some values" in warnings
    assert "may hold the separator" in warnings
    assert "The pattern survey(): it may also read Section" in warnings

    with pytest.raises(KeyCollisionError, match="Twin and Section can produce the same key"):

        class Twin(Entity, table=table):
            keys = Keys("T|{t}", "S|{s}|P|{p}")
            t: str
            s: str
            p: str

    with pytest.raises(PatternError, match="it would also read Section"):

        @table.pattern
        def surveys(tenant: str) -> Query[Survey]:
            return query(Survey, Survey.tenant == tenant)

    with table.open("memory:") as db:
        for name in ("1", "10"):
            db.create(Survey(tenant="t", survey=name))
            db.create(Section(tenant="t", survey=name, part="p"))
        assert db.run(survey, "t", "1") == Survey(tenant="t", survey="1")


def test_ranges_over_values_that_may_not_sort_are_refused() -> None:
    table = Table("Unsorted", key_style=KeyStyle.adopted("|"))

    class Word(Entity, table=table):
        keys = Keys("W", "{word}|{n}")
        word: str
        n: int

    assert any("Keys do not always sort by word" in w for w in table.plan.warnings)
    assert any("Keys do not sort by n" in w for w in table.plan.warnings)

    def later(word: str) -> Query[Word]:
        return query(Word, Word.word > word)

    def some(word: str, low: int, high: int) -> Query[Word]:
        return query(Word, Word.word == word, between(Word.n, low, high))

    for function, name in ((later, "word"), (some, "n")):
        with pytest.raises(PatternError, match=f"its keys do not always sort by '{name}'"):
            table.pattern(function)  # type: ignore[arg-type]

    @table.pattern
    def beginning(prefix: str) -> Query[Word]:
        return query(Word, starts_with(Word.word, prefix))

    with table.open("memory:") as db:
        for word in ("a", "ab", "b"):
            db.create(Word(word=word, n=1))
        assert sorted(w.word for w in db.run(beginning, "a")) == ["a", "ab"]


def test_escaped_values_of_an_adopted_table_can_be_told_apart() -> None:
    table = Table("Escaped", key_style=KeyStyle.adopted("|", escape=True))

    class A(Entity, table=table):
        keys = Keys("A", "{x}")
        x: str

    class B(Entity, table=table):
        keys = Keys("A", "{x}|{y}")
        x: str
        y: str

    with table.open("memory:") as db:
        db.create(A(x="1|2"))
        db.create(B(x="1", y="2"))
        assert db.get(key(A, x="1|2")) == A(x="1|2")
        assert db.get(key(B, x="1", y="2")) == B(x="1", y="2")
