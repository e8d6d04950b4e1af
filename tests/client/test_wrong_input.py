"""Wrong input: each kind gets its own typed error before anything is written, tells no values, and changes nothing."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Literal, Protocol

import pydantic
import pytest
from pydantic import BaseModel, Field

from tablewright import GSI, Entity, Get, Key, Keys, Query, Table, get, key, number, query, require
from tablewright.engine import Engine, open_engine
from tablewright.errors import (
    ArgumentError,
    ChangeError,
    CursorError,
    EmptySetError,
    FieldTypeError,
    ImmutableFieldError,
    ItemTooLargeError,
    KeyTemplateError,
    KeyTooLongError,
    KeyValueError,
    MissingKeyPartError,
    ModelError,
    NumberError,
    PatternError,
    ReservedNameError,
    TablewrightError,
    TransactionError,
    UniqueViolationError,
    UnknownFieldError,
    UnknownIndexError,
)

SECRET = "s3cr3t"
DIGITS = "98765432"
SECRETS = (SECRET, DIGITS)
LONE = "\ud800" + SECRET
NAIVE = datetime(2026, 1, 1)
NAN, INFINITY = Decimal("NaN"), Decimal("-Infinity")
PRECISE = Decimal("1." + DIGITS + "1" * 30)
"""39 digits, one more than DynamoDB holds."""
WIDE = int(DIGITS + "1" * 31)
HUGE = int(DIGITS) * 10**130
TINY = Decimal(DIGITS).scaleb(-140)
LONG = SECRET * 400

wares = Table("Wares", indexes=[GSI("GSI1"), GSI("GSI2"), GSI("ByCountry", pk=["country"], sk=[number("score")])])
elsewhere = Table("Elsewhere")


class Part(BaseModel):
    """Something inside of a ware."""

    name: str
    count: int = Field(default=1, ge=0)
    price: Decimal = Decimal("1")
    marks: set[str] = Field(default_factory=set)
    seals: set[str] = Field(default_factory=lambda: {"x"})


class Ware(Entity, table=wares):
    """A field of every kind, some of them in index keys."""

    keys = Keys(
        "SHOP#{shop}",
        "WARE#{code}",
        GSI1=("STATE#{state}", "{made_at}#{code}"),
        GSI2=("OWNER#{owner}", "{rank:4}#{code}"),
        ByCountry=(("{country}",), ("{score}",)),
    )
    shop: str
    code: str
    state: Literal["new", "sold"] = "new"
    made_at: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    owner: str | None = None
    rank: int = 0
    country: str | None = None
    score: Decimal | None = None
    price: Decimal = Decimal("1")
    weight: float = 1.0
    size: int = 0
    seen_at: datetime | None = None
    tags: set[str] = Field(default_factory=set)
    seals: set[str] = Field(default_factory=lambda: {"x"})
    sizes: set[int] = Field(default_factory=set)
    notes: list[str] = Field(default_factory=list)
    parts: list[Part] = Field(default_factory=list)
    box: Part | None = None
    extra: dict[str, int] = Field(default_factory=dict)
    free: Any = None
    body: str = ""


class Member(Entity, table=wares, version=True):
    """A version and a unique email."""

    keys = Keys("MEMBER#{member_id}", "MEMBER#{member_id}", unique=["email"])
    member_id: str
    email: str


class Stranger(Entity, table=elsewhere):
    """An entity of another table."""

    keys = Keys("STRANGER#{name}", "STRANGER#{name}")
    name: str


@wares.pattern
def ware(shop: str, code: str) -> Get[Ware]:
    "One ware."
    return get(Ware, Ware.shop == shop, Ware.code == code)


@wares.pattern
def member_of(member_id: str) -> Get[Member]:
    "One member."
    return get(Member, Member.member_id == member_id)


@wares.pattern
def wares_of(shop: str, least: Decimal | None = None) -> Query[Ware]:
    "All wares of a shop, perhaps from a price on."
    found = query(Ware, Ware.shop == shop)
    return found if least is None else found.filter(Ware.price >= least)


@wares.pattern
def wares_in(state: Literal["new", "sold"], since: datetime) -> Query[Ware]:
    "Wares in a state from a time on."
    return query(Ware, Ware.state == state, Ware.made_at >= since)


@wares.pattern
def owned(owner: str, rank: int) -> Query[Ware]:
    "Somebody's wares of one rank."
    return query(Ware, Ware.owner == owner, Ware.rank == rank)


@wares.pattern
def from_country(country: str, least: Decimal) -> Query[Ware]:
    "Wares of a country from a score on."
    return query(Ware, Ware.country == country, Ware.score >= least)


@elsewhere.pattern
def stranger(name: str) -> Get[Stranger]:
    "One stranger."
    return get(Stranger, Stranger.name == name)


@wares.change
def relabel(w: Ware, price: Decimal, note: str, tag: str) -> None:
    "Another price, a note and a tag."
    require(w.price <= price)
    w.price = price
    w.notes.append(note)
    w.tags.add(tag)


@wares.change
def grow(w: Ware, by: int, size: int) -> None:
    "Another rank and size."
    w.rank = w.rank + by
    w.box.count = w.box.count + size  # type: ignore[union-attr]


@wares.change
def rename(m: Member, email: str) -> None:
    "Another email."
    m.email = email


ONE = key(Ware, shop="s", code="1")
READS = {"GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"}


def build(**fields: Any) -> Ware:
    """A ware that was not validated, as one that was changed in place is not."""
    made = Ware(shop="s", code="2")
    vars(made).update(fields)
    return made


# ------------------------------------------------------------------------------------------ sessions of both kinds


class User(Protocol):
    """Either session, used the same way."""

    sent: list[str]
    engine: Engine

    def do(self, method: str, /, *args: Any, **kwargs: Any) -> Any: ...
    def edit(self, target: Any, spoil: Callable[[Any], None]) -> None: ...
    def transaction(self, fill: Callable[[Any], Any], token: str | None = None) -> None: ...
    def batch(self, fill: Callable[[Any], Any]) -> None: ...
    def all(self, method: str, /, *args: Any, **kwargs: Any) -> Any: ...
    def page(self, results: Callable[[Any], Any], *args: Any, **kwargs: Any) -> Any: ...
    def close(self) -> None: ...


class SyncUser:
    """A sync session, noting what it sends."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.sent: list[str] = []
        self.db = wares.open(self, cursor_keys=[b"a secret of the tests, no more"])

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.sent.append(operation)
        return self.engine.execute(operation, request)

    def close(self) -> None:
        pass

    def do(self, method: str, /, *args: Any, **kwargs: Any) -> Any:
        return getattr(self.db, method)(*args, **kwargs)

    def edit(self, target: Any, spoil: Callable[[Any], None]) -> None:
        with self.db.edit(target) as entity:
            spoil(entity)

    def transaction(self, fill: Callable[[Any], Any], token: str | None = None) -> None:
        with self.db.transaction(token) as transaction:
            fill(transaction)

    def batch(self, fill: Callable[[Any], Any]) -> None:
        with self.db.batch() as batch:
            fill(batch)

    def all(self, method: str, /, *args: Any, **kwargs: Any) -> Any:
        return list(getattr(self.db, method)(*args, **kwargs))

    def page(self, results: Callable[[Any], Any], *args: Any, **kwargs: Any) -> Any:
        return results(self.db).page(*args, **kwargs)


class AsyncUser:
    """An async session, used from outside of its loop."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.sent: list[str] = []
        self.runner = asyncio.Runner()
        self.db = wares.open_async(_Awaited(self), cursor_keys=[b"a secret of the tests, no more"])

    def close(self) -> None:
        self.runner.close()

    def do(self, method: str, /, *args: Any, **kwargs: Any) -> Any:
        async def call() -> Any:
            return await getattr(self.db, method)(*args, **kwargs)

        return self.runner.run(call())

    def edit(self, target: Any, spoil: Callable[[Any], None]) -> None:
        async def call() -> None:
            async with self.db.edit(target) as entity:
                spoil(entity)

        self.runner.run(call())

    def transaction(self, fill: Callable[[Any], Any], token: str | None = None) -> None:
        async def call() -> None:
            async with self.db.transaction(token) as transaction:
                fill(transaction)

        self.runner.run(call())

    def batch(self, fill: Callable[[Any], Any]) -> None:
        async def call() -> None:
            async with self.db.batch() as batch:
                fill(batch)

        self.runner.run(call())

    def all(self, method: str, /, *args: Any, **kwargs: Any) -> Any:
        async def call() -> Any:
            return [item async for item in getattr(self.db, method)(*args, **kwargs)]

        return self.runner.run(call())

    def page(self, results: Callable[[Any], Any], *args: Any, **kwargs: Any) -> Any:
        async def call() -> Any:
            return await results(self.db).page(*args, **kwargs)

        return self.runner.run(call())


class _Awaited:
    def __init__(self, user: AsyncUser) -> None:
        self._user = user

    async def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self._user.sent.append(operation)
        return self._user.engine.execute(operation, request)

    async def close(self) -> None:
        pass


@pytest.fixture(params=[SyncUser, AsyncUser], ids=["sync", "async"])
def user(request: pytest.FixtureRequest) -> Iterator[User]:
    """A session on a table that holds three items."""
    with open_engine("memory:") as engine:
        with wares.open(_Direct(engine), create=True) as db:
            part = Part(name="b", marks={"m"})
            first = Ware(shop="s", code="1", owner="o", country="c", score=Decimal(1), parts=[part], box=part)
            db.create(first)
            db.create(Ware(shop="s", code="9"))
            db.create(Member(member_id="1", email="a@b"))
        used: User = request.param(engine)
        yield used
        used.close()
        assert engine.verify() == []


class _Direct:
    def __init__(self, engine: Engine) -> None:
        self.send = engine.execute

    def close(self) -> None:
        pass


# --------------------------------------------------------------------------------------------------------- cases

Act = Callable[[User], Any]


@dataclass(frozen=True)
class Wrong:
    """A call, the error it must get, and the words that must be in its message."""

    act: Act
    error: type[TablewrightError]
    says: tuple[str, ...] = ("Ware",)
    reads: bool = field(default=False, kw_only=True)
    """Whether something must be read before the mistake can be known."""

    def check(self, user: User) -> None:
        before = user.engine.execute("Scan", {"TableName": "Wares"})
        user.sent.clear()
        with pytest.raises(TablewrightError) as caught:
            self.act(user)
        error = caught.value
        assert user.engine.execute("Scan", {"TableName": "Wares"}) == before
        assert type(error) is self.error, repr(error)
        for word in self.says:
            assert word in str(error), f"{word} is not named in: {error}"
        told = [str(error), repr(error), repr(error.context), repr(error.hint), repr(getattr(error, "field", None))]
        told += traceback.format_exception(error)
        assert [s for s in SECRETS if s in "".join(told)] == []
        assert set(user.sent) <= (READS if self.reads else set()), user.sent


# What cannot be stored in which field. In an index key some of it can only be seen with the whole item at hand.
VALUES: dict[str, tuple[str, Any, type[TablewrightError]]] = {
    "a literal": ("state", SECRET, FieldTypeError),
    "a text for a time": ("made_at", SECRET, FieldTypeError),
    "a naive time in a key": ("made_at", NAIVE, FieldTypeError),
    "a naive time": ("seen_at", NAIVE, FieldTypeError),
    "a number for a text": ("owner", int(DIGITS), FieldTypeError),
    "None where it may not be": ("body", None, FieldTypeError),
    "a text for an int": ("rank", SECRET, FieldTypeError),
    "a fraction for an int": ("size", 1.98765432, FieldTypeError),
    "39 digits in an int": ("size", WIDE, NumberError),
    "an int beyond DynamoDB": ("size", HUGE, NumberError),
    "an int beyond printing": ("size", 10**5000, NumberError),
    "NaN": ("price", NAN, FieldTypeError),
    "a signalling NaN": ("price", Decimal("sNaN98765432"), FieldTypeError),
    "infinity": ("price", INFINITY, FieldTypeError),
    "NaN in a key": ("score", NAN, FieldTypeError),
    "39 digits in a Decimal": ("price", PRECISE, NumberError),
    "39 digits in a native key": ("score", PRECISE, NumberError),
    "a Decimal beyond DynamoDB": ("price", Decimal(HUGE), NumberError),
    "a Decimal below DynamoDB": ("price", TINY, NumberError),
    "a float NaN": ("weight", float("nan"), NumberError),
    "a float infinity": ("weight", float("inf"), NumberError),
    "a float beyond DynamoDB": ("weight", 9.8765432e299, NumberError),
    "a text for a float": ("weight", SECRET, FieldTypeError),
    "a set of mixed types": ("tags", {SECRET, 5}, FieldTypeError),
    "a set of mixed numbers": ("sizes", {1, SECRET}, FieldTypeError),
    "39 digits in a set": ("sizes", {WIDE}, NumberError),
    "a text for a set": ("tags", SECRET, FieldTypeError),
    "an empty set": ("seals", set(), EmptySetError),
    "a wrong member of a list": ("notes", [SECRET, 5], FieldTypeError),
    "a wrong part": ("parts", [{"name": SECRET, "count": SECRET}], FieldTypeError),
    "a part without a name": ("box", {"count": 98765432}, FieldTypeError),
    "an empty set in a part": ("parts", [{"name": SECRET, "seals": set()}], EmptySetError),
    "39 digits in a part": ("box", {"name": SECRET, "price": PRECISE}, NumberError),
    "NaN in a part": ("box", {"name": SECRET, "price": NAN}, FieldTypeError),
    "a wrong value in a map": ("extra", {"a": SECRET}, FieldTypeError),
    "39 digits in a map": ("extra", {SECRET: WIDE}, NumberError),
    "what has no wire form": ("free", [[object()]], FieldTypeError),
    "a mixed set as anything": ("free", {1, SECRET}, FieldTypeError),
    "an empty set as anything": ("free", {SECRET: set()}, EmptySetError),
    "a map with numbers as names": ("free", {SECRET: {5: 1}}, FieldTypeError),
    "a lone surrogate as anything": ("free", [LONE], FieldTypeError),
    "NaN as anything": ("free", [NAN], NumberError),
}
LATE: dict[str, tuple[str, Any, type[TablewrightError]]] = {
    "an empty text in a key": ("owner", "", KeyValueError),
    "an empty text in a native key": ("country", "", KeyValueError),
    "a lone surrogate in a key": ("owner", LONE, FieldTypeError),
    "a lone surrogate": ("body", LONE, FieldTypeError),
    "a lone surrogate in a native key": ("country", LONE, FieldTypeError),
    "a lone surrogate in a set": ("tags", {LONE}, FieldTypeError),
    "a lone surrogate in a list": ("notes", [LONE], FieldTypeError),
    "a lone surrogate in a part": ("box", {"name": LONE}, FieldTypeError),
    "a lone surrogate as a map's name": ("extra", {LONE: 1}, FieldTypeError),
    "a key too long": ("owner", LONG, KeyTooLongError),
    "a native key too long": ("country", LONG, KeyTooLongError),
    "a number wider than its place in a key": ("rank", 98765432, KeyValueError),
    "a negative number in a key": ("rank", -98765432, KeyValueError),
}

WAYS: dict[str, Callable[[User, str, Any], Any]] = {
    "create": lambda u, f, v: u.do("create", build(**{"owner": "o", f: v})),
    "put": lambda u, f, v: u.do("put", build(**{"code": "1", "owner": "o", f: v})),
    "update": lambda u, f, v: u.do("update", ONE, set={f: v}),
    "edit": lambda u, f, v: u.edit(ONE, lambda w: vars(w).update({f: v})),
    "revise": lambda u, f, v: u.do("revise", ONE, lambda w: vars(w).update({f: v})),
    "create in a transaction": lambda u, f, v: u.transaction(lambda t: t.create(build(**{"owner": "o", f: v}))),
    "put in a transaction": lambda u, f, v: u.transaction(
        lambda t: [t.delete(key(Ware, shop="s", code="9")), t.put(build(**{"owner": "o", f: v}))]
    ),
    "update in a transaction": lambda u, f, v: u.transaction(
        lambda t: [t.delete(key(Ware, shop="s", code="9")), t.update(ONE, set={f: v})]
    ),
    "put in a batch": lambda u, f, v: u.batch(
        lambda b: [b.put(Ware(shop="s", code="8")), b.put(build(**{"owner": "o", f: v}))]
    ),
}
READING = {"edit", "revise"}
UPDATES = {"update", "update in a transaction"}


def value_cases(table: dict[str, tuple[str, Any, type[TablewrightError]]], *, late: bool = False) -> list[Any]:
    cases = []
    for way, write in WAYS.items():
        for what, (name, value, error) in table.items():
            reads = way in READING or (late and way in UPDATES)

            def act(u: User, write: Any = write, name: str = name, value: Any = value) -> Any:
                return write(u, name, value)

            cases.append(pytest.param(Wrong(act, error, ("Ware", name), reads=reads), id=f"{way}: {what}"))
    return cases


@pytest.mark.parametrize("wrong", [*value_cases(VALUES), *value_cases(LATE, late=True)])
def test_a_value_that_does_not_fit_its_field(user: User, wrong: Wrong) -> None:
    wrong.check(user)


# --------------------------------------------------------------------------------------------------- key parts

KEYS: dict[str, tuple[dict[str, Any], type[TablewrightError], str]] = {
    "no code": ({"shop": SECRET}, MissingKeyPartError, "code"),
    "nothing": ({}, MissingKeyPartError, "code"),
    "an unknown field": ({"shop": "s", "code": "1", "cod": SECRET}, UnknownFieldError, "cod"),
    "a field outside of the key": ({"shop": "s", "code": "1", "owner": SECRET}, ArgumentError, "owner"),
    "a number": ({"shop": "s", "code": 98765432}, FieldTypeError, "code"),
    "None": ({"shop": "s", "code": None}, FieldTypeError, "code"),
    "an empty text": ({"shop": "", "code": "1"}, KeyValueError, "shop"),
    "a lone surrogate": ({"shop": LONE, "code": "1"}, KeyValueError, "shop"),
    "a long partition": ({"shop": LONG, "code": "1"}, KeyTooLongError, "shop"),
    "a long sort key": ({"shop": "s", "code": SECRET * 200}, KeyTooLongError, "code"),
}
KEYED: dict[str, Callable[[User, Any], Any]] = {
    "get": lambda u, k: u.do("get", k),
    "get_many": lambda u, k: u.do("get_many", [ONE, k]),
    "get_many together": lambda u, k: u.do("get_many", [ONE, k], together=True),
    "update": lambda u, k: u.do("update", k, set={"size": 1}),
    "apply": lambda u, k: u.do("apply", relabel, k, Decimal(2), "n", "t"),
    "edit": lambda u, k: u.edit(k, lambda w: None),
    "revise": lambda u, k: u.do("revise", k, lambda w: None),
    "delete": lambda u, k: u.do("delete", k),
    "update in a transaction": lambda u, k: u.transaction(lambda t: t.update(k, set={"size": 1})),
    "apply in a transaction": lambda u, k: u.transaction(lambda t: t.apply(relabel, k, Decimal(2), "n", "t")),
    "delete in a transaction": lambda u, k: u.transaction(lambda t: t.delete(k)),
    "check in a transaction": lambda u, k: u.transaction(lambda t: t.check(k)),
    "delete in a batch": lambda u, k: u.batch(lambda b: [b.delete(ONE), b.delete(k)]),
}


@pytest.mark.parametrize("what", KEYS)
@pytest.mark.parametrize("way", KEYED)
def test_a_key_that_cannot_be(user: User, way: str, what: str) -> None:
    fields, error, name = KEYS[what]
    Wrong(lambda u: KEYED[way](u, Key(Ware, fields)), error, ("Ware", name)).check(user)


@pytest.mark.parametrize("what", ["no code", "nothing", "an unknown field", "a field outside of the key"])
def test_names_of_a_key_are_checked_where_it_is_written(what: str) -> None:
    fields, error, name = KEYS[what]
    with pytest.raises(error, match=name) as caught:
        key(Ware, **fields)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("what", ["a number", "an empty text", "a lone surrogate", "a long partition"])
@pytest.mark.parametrize("way", KEYED)
def test_a_pattern_with_a_key_that_cannot_be(user: User, way: str, what: str) -> None:
    fields, error, name = KEYS[what]
    Wrong(lambda u: KEYED[way](u, ware(**fields)), error, ("Ware", name)).check(user)


@pytest.mark.parametrize("what", ["a number", "None", "an empty text", "a lone surrogate", "a long partition"])
@pytest.mark.parametrize("way", KEYED)
def test_an_entity_whose_key_was_spoilt(user: User, way: str, what: str) -> None:
    fields, error, name = KEYS[what]
    Wrong(lambda u: KEYED[way](u, build(**fields)), error, ("Ware", name)).check(user)


WHOLE: dict[str, Callable[[User, Any], Any]] = {
    "create": lambda u, e: u.do("create", e),
    "put": lambda u, e: u.do("put", e),
    "create in a transaction": lambda u, e: u.transaction(lambda t: t.create(e)),
    "put in a transaction": lambda u, e: u.transaction(lambda t: [t.delete(ONE), t.put(e)]),
    "put in a batch": lambda u, e: u.batch(lambda b: [b.delete(ONE), b.put(e)]),
}


@pytest.mark.parametrize(("name", "value"), [("name", 98765432), ("count", -98765432), ("count", SECRET)])
@pytest.mark.parametrize("way", [*WHOLE, "edit"])
def test_a_model_inside_that_was_spoilt_in_place(user: User, way: str, name: str, value: Any) -> None:
    def spoil(w: Ware) -> None:
        setattr(w.box, name, value)

    def act(u: User) -> Any:
        if way == "edit":
            return u.edit(ONE, spoil)
        spoilt = build(box=Part(name="b"))
        spoil(spoilt)
        return WHOLE[way](u, spoilt)

    Wrong(act, FieldTypeError, ("Ware.box",), reads=way == "edit").check(user)


@pytest.mark.parametrize("what", ["a number", "None", "an empty text", "a lone surrogate", "a long partition"])
@pytest.mark.parametrize("way", WHOLE)
def test_a_whole_entity_whose_key_was_spoilt(user: User, way: str, what: str) -> None:
    fields, error, name = KEYS[what]
    Wrong(lambda u: WHOLE[way](u, build(**fields)), error, ("Ware", name)).check(user)


@pytest.mark.parametrize("way", WHOLE)
def test_an_entity_that_was_built_without_validation(user: User, way: str) -> None:
    Wrong(lambda u: WHOLE[way](u, Ware.model_construct(shop=SECRET)), FieldTypeError, ("Ware.code",)).check(user)


@pytest.mark.parametrize("way", WHOLE)
def test_a_collection_that_was_spoilt_in_place(user: User, way: str) -> None:
    for spoil, name in (
        (lambda w: w.notes.append(5), "notes"),
        (lambda w: w.tags.add(98765432), "tags"),
        (lambda w: w.parts.append(SECRET), "parts"),
        (lambda w: w.extra.update(a=SECRET), "extra"),
    ):
        spoilt = build()
        spoil(spoilt)
        Wrong(lambda u, e=spoilt: WHOLE[way](u, e), FieldTypeError, (f"Ware.{name}",)).check(user)


# ------------------------------------------------------------------------------------ what is no item of this table

NOTHING: dict[str, tuple[Any, type[TablewrightError]]] = {
    "None": (None, ArgumentError),
    "a text": (SECRET, ArgumentError),
    "a dict": ({"shop": SECRET, "code": "1"}, ArgumentError),
    "a class": (Ware, ArgumentError),
    "a pattern that was not called": (ware, ArgumentError),
    "a query": (wares_of("s"), ArgumentError),
    "a model that is no entity": (Part(name=SECRET), ArgumentError),
    "an entity of another table": (Stranger(name=SECRET), ModelError),
    "a key of another table": (key(Stranger, name=SECRET), ModelError),
    "a pattern of another table": (stranger(SECRET), ModelError),
}


@pytest.mark.parametrize("what", NOTHING)
@pytest.mark.parametrize("way", KEYED)
def test_what_names_no_item_of_the_table(user: User, way: str, what: str) -> None:
    target, error = NOTHING[what]
    Wrong(lambda u: KEYED[way](u, target), error, ()).check(user)


@pytest.mark.parametrize("thing", [Part, None, SECRET, Part(name=SECRET)])
def test_a_key_is_a_key_of_an_entity(thing: Any) -> None:
    with pytest.raises(ArgumentError) as caught:
        key(thing, name=SECRET)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("thing", [None, SECRET, {"shop": SECRET}, Ware, Part(name=SECRET), Stranger(name=SECRET)])
@pytest.mark.parametrize("way", WHOLE)
def test_what_is_no_entity_of_the_table(user: User, way: str, thing: Any) -> None:
    Wrong(lambda u: WHOLE[way](u, thing), ModelError, ()).check(user)


# ------------------------------------------------------------------------------------------------ changes by name


def update(target: Any = ONE, **changes: Any) -> Act:
    return lambda u: u.do("update", target, **changes)


def in_transaction(**changes: Any) -> Act:
    return lambda u: u.transaction(lambda t: [t.delete(key(Ware, shop="s", code="9")), t.update(ONE, **changes)])


CHANGES: dict[str, tuple[dict[str, Any], type[TablewrightError], tuple[str, ...]]] = {
    "set unknown": ({"set": {"sice": SECRET}}, UnknownFieldError, ("Ware", "'sice'", "'size'")),
    "set unknown inside": ({"set": {"box.nam": SECRET}}, UnknownFieldError, ("Ware.box", "'nam'")),
    "set inside of a text": ({"set": {"body.x": SECRET}}, UnknownFieldError, ("Ware.body",)),
    "set a position of a map": ({"set": {"box[0]": SECRET}}, UnknownFieldError, ("Ware.box",)),
    "set a name of a list": ({"set": {"notes.first": SECRET}}, UnknownFieldError, ("Ware.notes",)),
    "set a library's name": ({"set": {"PK": SECRET}}, UnknownFieldError, ("Ware", "'PK'")),
    "set an index key": ({"set": {"GSI1PK": SECRET}}, UnknownFieldError, ("Ware", "'GSI1PK'")),
    "set a key field": ({"set": {"code": SECRET}}, ImmutableFieldError, ("Ware.code",)),
    "set inside, wrong type": ({"set": {"parts[0].count": SECRET}}, FieldTypeError, ("Ware.parts[0].count",)),
    "set inside, out of bounds": ({"set": {"box.count": -98765432}}, FieldTypeError, ("Ware.box.count",)),
    "set inside, NaN": ({"set": {"box.price": NAN}}, FieldTypeError, ("Ware.box.price",)),
    "set inside, empty set": ({"set": {"box.seals": set()}}, EmptySetError, ("Ware.box.seals",)),
    "set a list's member": ({"set": {"notes[0]": 98765432}}, FieldTypeError, ("Ware.notes[0]",)),
    "set a map's value": ({"set": {"extra.a": SECRET}}, FieldTypeError, ("Ware.extra.a",)),
    "set no mapping": ({"set": [("size", SECRET)]}, ArgumentError, ("set",)),
    "set no path": ({"set": {"box..name": SECRET}}, ArgumentError, ("field path",)),
    "set twice": ({"set": {"box": None, "box.name": SECRET}}, ArgumentError, ("Ware", "box.name")),
    "set and add": ({"set": {"size": 98765432}, "add": {"size": 1}}, ArgumentError, ("Ware", "size")),
    "add unknown": ({"add": {"sice": 98765432}}, UnknownFieldError, ("Ware", "'sice'")),
    "add to a key field": ({"add": {"code": 98765432}}, ImmutableFieldError, ("Ware.code",)),
    "add to a text": ({"add": {"body": 98765432}}, FieldTypeError, ("Ware.body",)),
    "add a text": ({"add": {"size": SECRET}}, FieldTypeError, ("Ware.size",)),
    "add True": ({"add": {"size": True}}, FieldTypeError, ("Ware.size",)),
    "add a fraction": ({"add": {"size": 9.8765432}}, FieldTypeError, ("Ware.size",)),
    "add a float to a Decimal": ({"add": {"price": 9.8765432}}, FieldTypeError, ("Ware.price",)),
    "add NaN": ({"add": {"price": NAN}}, NumberError, ("Ware.price",)),
    "add infinity": ({"add": {"price": INFINITY}}, NumberError, ("Ware.price",)),
    "add a float NaN": ({"add": {"weight": float("nan")}}, NumberError, ("Ware.weight",)),
    "add 39 digits": ({"add": {"price": PRECISE}}, NumberError, ("Ware.price",)),
    "add too much": ({"add": {"size": HUGE}}, NumberError, ("Ware.size",)),
    "add inside, a text": ({"add": {"parts[0].count": SECRET}}, FieldTypeError, ("Ware.parts[0].count",)),
    "add inside, 39 digits": ({"add": {"box.price": PRECISE}}, NumberError, ("Ware.box.price",)),
    "add inside, unknown": ({"add": {"box.weight": 98765432}}, UnknownFieldError, ("Ware.box", "'weight'")),
    "remove unknown": ({"remove": ["sice"]}, UnknownFieldError, ("Ware", "'sice'")),
    "remove unknown inside": ({"remove": ["box.nam"]}, UnknownFieldError, ("Ware.box", "'nam'")),
    "remove a key field": ({"remove": "code"}, ImmutableFieldError, ("Ware.code",)),
    "remove what is required": ({"remove": ["box.name"]}, ArgumentError, ("Ware.box.name",)),
    "remove no list": ({"remove": 98765432}, ArgumentError, ("remove",)),
    "append unknown": ({"append": {"note": [SECRET]}}, UnknownFieldError, ("Ware", "'note'")),
    "append a wrong member": ({"append": {"notes": [SECRET, 5]}}, FieldTypeError, ("Ware.notes",)),
    "append a wrong part": ({"append": {"parts": [{"name": 98765432}]}}, FieldTypeError, ("Ware.parts",)),
    "append to a set": ({"append": {"tags": [SECRET]}}, FieldTypeError, ("Ware.tags",)),
    "append to a text": ({"append": {"body": [SECRET]}}, FieldTypeError, ("Ware.body",)),
    "append a text": ({"append": {"notes": SECRET}}, ArgumentError, ("append",)),
    "include unknown": ({"include": {"tag": {SECRET}}}, UnknownFieldError, ("Ware", "'tag'")),
    "include a wrong member": ({"include": {"tags": [SECRET, 5]}}, FieldTypeError, ("Ware.tags",)),
    "include mixed": ({"include": {"sizes": {1, SECRET}}}, FieldTypeError, ("Ware.sizes",)),
    "include nothing": ({"include": {"tags": []}}, EmptySetError, ("Ware.tags",)),
    "include in a list": ({"include": {"notes": {SECRET}}}, FieldTypeError, ("Ware.notes",)),
    "include inside, wrong": ({"include": {"box.marks": [98765432]}}, FieldTypeError, ("Ware.box.marks",)),
    "include inside, nothing": ({"include": {"box.marks": ()}}, EmptySetError, ("Ware.box.marks",)),
    "include a text": ({"include": {"tags": SECRET}}, ArgumentError, ("include",)),
    "discard unknown": ({"discard": {"tag": {SECRET}}}, UnknownFieldError, ("Ware", "'tag'")),
    "discard a wrong member": ({"discard": {"tags": [SECRET, 5]}}, FieldTypeError, ("Ware.tags",)),
    "discard nothing": ({"discard": {"tags": []}}, EmptySetError, ("Ware.tags",)),
    "discard from a text": ({"discard": {"body": {SECRET}}}, FieldTypeError, ("Ware.body",)),
    "expect a text": ({"set": {"size": 1}, "expected_version": SECRET}, ArgumentError, ("Ware", "version")),
    "when of a wrong type": ({"set": {"size": 1}, "when": Ware.size == SECRET}, FieldTypeError, ("Ware.size",)),
    "when NaN": ({"set": {"size": 1}, "when": Ware.price > NAN}, FieldTypeError, ("Ware.price",)),
    "when on another entity": ({"set": {"size": 1}, "when": Member.email == SECRET}, ArgumentError, ("Ware", "Member")),
}
ENCODED_CHANGES: dict[str, tuple[dict[str, Any], type[TablewrightError], tuple[str, ...]]] = {
    "set inside, 39 digits": ({"set": {"box.price": PRECISE}}, NumberError, ("Ware.box.price",)),
    "append 39 digits": ({"append": {"parts": [{"name": SECRET, "price": PRECISE}]}}, NumberError, ("Ware.parts",)),
    "append an empty set": ({"append": {"parts": [{"name": SECRET, "seals": set()}]}}, EmptySetError, ("Ware.parts",)),
    "include 39 digits": ({"include": {"sizes": [WIDE]}}, NumberError, ("Ware.sizes",)),
    "discard 39 digits": ({"discard": {"sizes": [WIDE]}}, NumberError, ("Ware.sizes",)),
    "when 39 digits": ({"set": {"size": 1}, "when": Ware.price == PRECISE}, NumberError, ("Ware.price",)),
    "when a naive time": ({"set": {"size": 1}, "when": Ware.seen_at == NAIVE}, FieldTypeError, ("Ware.seen_at",)),
}
READ_FIRST: dict[str, tuple[dict[str, Any], type[TablewrightError], tuple[str, ...]]] = {
    "add past the width of a key": ({"add": {"rank": 98765432}}, KeyValueError, ("Ware.rank",)),
    "discard the last member": ({"discard": {"seals": {"x"}}}, EmptySetError, ("Ware.seals",)),
    "discard the last member inside": ({"discard": {"box.seals": {"x"}}}, EmptySetError, ("Ware.box",)),
}


@pytest.mark.parametrize("what", CHANGES)
@pytest.mark.parametrize("way", [update, in_transaction])
def test_a_change_that_cannot_be(user: User, way: Any, what: str) -> None:
    changes, error, says = CHANGES[what]
    Wrong(way(**changes), error, says).check(user)


@pytest.mark.parametrize("what", ENCODED_CHANGES)
@pytest.mark.parametrize("way", [update, in_transaction])
def test_a_change_that_cannot_be_encoded(user: User, way: Any, what: str) -> None:
    changes, error, says = ENCODED_CHANGES[what]
    Wrong(way(**changes), error, says).check(user)


@pytest.mark.parametrize("what", READ_FIRST)
@pytest.mark.parametrize("way", [update, in_transaction])
def test_a_change_that_only_the_stored_item_forbids(user: User, way: Any, what: str) -> None:
    changes, error, says = READ_FIRST[what]
    Wrong(way(**changes), error, says, reads=True).check(user)


SIZES: dict[str, tuple[Act, bool]] = {
    "create": (lambda u: u.do("create", build(body=SECRET * 70_000)), False),
    "put": (lambda u: u.do("put", build(notes=[SECRET] * 60_000)), False),
    "update": (update(set={"body": SECRET * 70_000}), False),
    "update inside": (update(set={"box.name": SECRET * 70_000}), False),
    "edit": (lambda u: u.edit(ONE, lambda w: setattr(w, "body", SECRET * 70_000)), True),
    "in a transaction": (in_transaction(set={"body": SECRET * 70_000}), False),
    "in a batch": (lambda u: u.batch(lambda b: [b.delete(ONE), b.put(build(body=SECRET * 70_000))]), False),
}


@pytest.mark.parametrize("way", SIZES)
def test_an_item_over_400_kb(user: User, way: str) -> None:
    act, reads = SIZES[way]
    Wrong(act, ItemTooLargeError, reads=reads).check(user)


# ---------------------------------------------------------------------------------------------- declared changes

APPLIED: dict[str, tuple[tuple[Any, ...], dict[str, Any], type[TablewrightError], tuple[str, ...]]] = {
    "a text for a Decimal": ((relabel, ONE, SECRET, "n", "t"), {}, FieldTypeError, ("Ware.price",)),
    "NaN": ((relabel, ONE, NAN, "n", "t"), {}, FieldTypeError, ("Ware.price",)),
    "a wrong note": ((relabel, ONE, Decimal(2), 98765432, "t"), {}, FieldTypeError, ("Ware.notes",)),
    "a wrong tag": ((relabel, ONE, Decimal(2), SECRET, 98765432), {}, FieldTypeError, ("Ware.tags",)),
    "None": ((relabel, ONE, Decimal(2), SECRET, None), {}, ArgumentError, ("relabel", "tag")),
    "an argument missing": ((relabel, ONE, Decimal(2), SECRET), {}, ArgumentError, ("relabel", "tag")),
    "an argument too many": ((relabel, ONE, Decimal(2), "n", "t", SECRET), {}, ArgumentError, ("relabel",)),
    "an unknown argument": ((relabel, ONE, Decimal(2), "n", "t"), {"colour": SECRET}, ArgumentError, ("colour",)),
    "a wrong step": ((grow, ONE, SECRET, 1), {}, FieldTypeError, ("Ware.rank",)),
    "a wrong step inside": ((grow, ONE, 1, SECRET), {}, FieldTypeError, ("Ware.box.count",)),
    "a change of another entity": ((rename, ONE, SECRET), {}, ChangeError, ("rename", "Member", "Ware")),
}


@pytest.mark.parametrize("what", APPLIED)
@pytest.mark.parametrize("together", [False, True], ids=["alone", "in a transaction"])
def test_a_declared_change_with_wrong_arguments(user: User, what: str, together: bool) -> None:
    args, kwargs, error, says = APPLIED[what]
    if together:
        Wrong(lambda u: u.transaction(lambda t: t.apply(*args, **kwargs)), error, says).check(user)
    else:
        Wrong(lambda u: u.do("apply", *args, **kwargs), error, says).check(user)


# --------------------------------------------------------------------------------------------------------- reads

SINCE = datetime(2026, 1, 1, tzinfo=UTC)
RUN: dict[str, tuple[tuple[Any, ...], dict[str, Any], type[TablewrightError], tuple[str, ...]]] = {
    "an argument missing": ((wares_of,), {}, ArgumentError, ("wares_of", "shop")),
    "an unknown argument": ((wares_of, "s"), {"colour": SECRET}, ArgumentError, ("wares_of", "colour")),
    "None": ((wares_of, None), {}, ArgumentError, ("wares_of", "shop")),
    "a number for a text": ((wares_of, 98765432), {}, FieldTypeError, ("Ware.shop",)),
    "an empty text": ((wares_of, ""), {}, KeyValueError, ("Ware.shop",)),
    "a lone surrogate": ((wares_of, LONE), {}, KeyValueError, ("Ware.shop",)),
    "a key too long": ((wares_of, LONG), {}, KeyTooLongError, ("Ware", "shop")),
    "a filter's text": ((wares_of, "s", SECRET), {}, FieldTypeError, ("Ware.price",)),
    "a filter's NaN": ((wares_of, "s", NAN), {}, FieldTypeError, ("Ware.price",)),
    "a literal": ((wares_in, SECRET, SINCE), {}, ArgumentError, ("state",)),
    "a text for a time": ((wares_in, "new", SECRET), {}, FieldTypeError, ("Ware.made_at",)),
    "a naive time": ((wares_in, "new", NAIVE), {}, KeyValueError, ("Ware.made_at",)),
    "a number too wide": ((owned, "o", 98765432), {}, KeyValueError, ("Ware.rank",)),
    "a negative number": ((owned, "o", -98765432), {}, KeyValueError, ("Ware.rank",)),
    "an empty native key": ((from_country, "", Decimal(1)), {}, KeyValueError, ("Ware.country",)),
    "a native NaN": ((from_country, "c", NAN), {}, FieldTypeError, ("Ware.score",)),
}
WAYS_TO_READ: dict[str, Callable[[User, tuple[Any, ...], dict[str, Any]], Any]] = {
    "run": lambda u, args, kwargs: u.all("run", *args, **kwargs),
    "execute": lambda u, args, kwargs: u.all("execute", args[0](*args[1:], **kwargs)),
    "page": lambda u, args, kwargs: u.page(lambda db: db.run(*args, **kwargs), 10),
}


@pytest.mark.parametrize("what", RUN)
@pytest.mark.parametrize("way", WAYS_TO_READ)
def test_a_pattern_with_wrong_arguments(user: User, way: str, what: str) -> None:
    args, kwargs, error, says = RUN[what]
    Wrong(lambda u: WAYS_TO_READ[way](u, args, kwargs), error, says).check(user)


QUERIES: dict[str, tuple[Callable[[], tuple[Any, ...]], type[TablewrightError], tuple[str, ...]]] = {
    "an empty text": (lambda: (Ware, Ware.shop == ""), KeyValueError, ("Ware.shop",)),
    "a key too long": (lambda: (Ware, Ware.shop == LONG), KeyTooLongError, ("Ware", "shop")),
    "no key that serves": (lambda: (Ware, Ware.body == SECRET), PatternError, ("Ware", "body")),
    "a key part missing": (lambda: (Ware, Ware.code == SECRET), PatternError, ("Ware", "code")),
    "another entity's field": (lambda: (Ware, Member.email == SECRET), PatternError, ("Ware", "Member")),
    "an entity of another table": (lambda: (Stranger, Stranger.name == SECRET), ModelError, ("Stranger",)),
    "no condition": (lambda: (Ware, SECRET), ArgumentError, ("query",)),
    "no entity": (lambda: (Part, Ware.shop == SECRET), PatternError, ()),
    "a part that is not there": (lambda: (Ware, Ware.box.nam == SECRET), UnknownFieldError, ("Ware.box", "'nam'")),  # type: ignore[union-attr]
}


@pytest.mark.parametrize("what", QUERIES)
def test_a_query_that_cannot_be(user: User, what: str) -> None:
    make, error, says = QUERIES[what]
    Wrong(lambda u: u.all("query", *make()), error, says).check(user)


@pytest.mark.parametrize("read", [query(Ware, Ware.shop == SECRET), get(Ware, Ware.shop == SECRET, Ware.code == "1")])
def test_an_index_that_is_not_there(user: User, read: Any) -> None:
    Wrong(lambda u: u.all("execute", read.via("GSI9")), UnknownIndexError, ("Wares", "'GSI9'")).check(user)


@pytest.mark.parametrize("thing", [None, SECRET, Ware, wares_of])
def test_what_is_no_read(user: User, thing: Any) -> None:
    Wrong(lambda u: u.all("execute", thing), ArgumentError, ()).check(user)


def test_many_targets_at_one_moment_are_limited(user: User) -> None:
    targets = [key(Ware, shop=SECRET, code=str(n)) for n in range(101)]
    Wrong(lambda u: u.do("get_many", targets, together=True), ArgumentError, ("100",)).check(user)


@pytest.mark.parametrize("limit", [0, -1, True, "10", 1.5])
def test_a_page_without_size(user: User, limit: Any) -> None:
    Wrong(lambda u: u.page(lambda db: db.run(wares_of, "s"), limit), ArgumentError, ("page",)).check(user)


def test_a_cursor_that_is_not_this_reads(user: User) -> None:
    cursor = user.page(lambda db: db.run(wares_of, "s"), 1).cursor
    changed = cursor[:-2] + ("AA" if cursor[-2:] != "AA" else "BB")
    others = [SECRET, 98765432, SECRET.encode(), changed, cursor + "A", cursor[1:], LONE]
    for other in others:
        Wrong(lambda u, c=other: u.page(lambda db: db.run(wares_of, "s"), 1, c), CursorError, ("cursor",)).check(user)
    for args in ((wares_of, SECRET), (wares_of, "s", Decimal(1)), (wares_in, "new", SINCE)):
        Wrong(lambda u, a=args: u.page(lambda db: db.run(*a), 1, cursor), CursorError, ("cursor",)).check(user)


@pytest.mark.parametrize(("segment", "segments"), [(1, 1), (-1, 4), (4, 4), (0, 0), (0, 1_000_001)])
def test_a_segment_that_is_not_there(user: User, segment: int, segments: int) -> None:
    Wrong(
        lambda u: u.all("scan_for_maintenance", Ware, segment=segment, segments=segments), ArgumentError, ("segment",)
    ).check(user)


# ------------------------------------------------------------------------------------- transactions, batches, locks

UNITS: dict[str, tuple[Act, type[TablewrightError], tuple[str, ...]]] = {
    "one item twice": (
        lambda u: u.transaction(lambda t: [t.update(ONE, set={"size": 1}), t.delete(ONE)]),
        TransactionError,
        (),
    ),
    "too many actions": (
        lambda u: u.transaction(lambda t: [t.create(build(code=f"{SECRET}{n}")) for n in range(101)]),
        TransactionError,
        ("100",),
    ),
    "too many with their markers": (
        lambda u: u.transaction(
            lambda t: [t.create(Member(member_id=f"{SECRET}{n}", email=f"{SECRET}{n}")) for n in range(51)]
        ),
        TransactionError,
        ("100",),
    ),
    "two members with one email": (
        lambda u: u.transaction(lambda t: [t.create(Member(member_id=f"{n}", email=SECRET)) for n in (8, 9)]),
        UniqueViolationError,
        ("email",),
    ),
    "a token too long": (lambda u: u.transaction(lambda t: None, SECRET * 7), TransactionError, ("token",)),
    "a token that is none": (lambda u: u.transaction(lambda t: None, int(DIGITS)), TransactionError, ("token",)),  # type: ignore[arg-type]
    "a batch of versions": (
        lambda u: u.batch(lambda b: b.put(Member(member_id=SECRET, email=SECRET))),
        ArgumentError,
        ("Member",),
    ),
    "a batch that deletes versions": (
        lambda u: u.batch(lambda b: b.delete(key(Member, member_id=SECRET))),
        ArgumentError,
        ("Member",),
    ),
    "an expected version that is a text": (
        lambda u: u.do("delete", member_of("1"), expected_version=SECRET),
        ArgumentError,
        ("expected_version",),
    ),
    "an expected version that is True": (
        lambda u: u.do("update", member_of("1"), set={"email": SECRET}, expected_version=True),
        ArgumentError,
        ("expected_version",),
    ),
    "a unique value too long": (
        lambda u: u.do("create", Member(member_id="9", email=LONG)),
        KeyTooLongError,
        ("Member", "email"),
    ),
    "a unique value that is empty": (
        lambda u: u.do("create", Member(member_id="9", email="")),
        KeyValueError,
        ("Member", "email"),
    ),
    "a check that cannot be": (
        lambda u: u.transaction(lambda t: t.check(ONE, Ware.size == SECRET)),
        FieldTypeError,
        ("Ware.size",),
    ),
    "a check on another entity": (
        lambda u: u.transaction(lambda t: t.check(ONE, Member.email == SECRET)),
        ArgumentError,
        ("Ware", "Member"),
    ),
    "a delete on another entity's field": (
        lambda u: u.do("delete", ONE, when=Member.email == SECRET),
        ArgumentError,
        ("Ware", "Member"),
    ),
    "a put under a wrong condition": (
        lambda u: u.do("put", build(), when=Ware.made_at > SECRET),
        FieldTypeError,
        ("Ware.made_at",),
    ),
    "a condition that is none": (lambda u: u.do("delete", ONE, when=SECRET), ArgumentError, ("when",)),
    "no attempt": (lambda u: u.do("revise", ONE, lambda w: None, attempts=0), ArgumentError, ("attempt",)),
}


@pytest.mark.parametrize("what", UNITS)
def test_a_unit_of_work_or_lock_that_cannot_be(user: User, what: str) -> None:
    act, error, says = UNITS[what]
    Wrong(act, error, says, reads=what == "two members with one email").check(user)


def test_a_mistake_in_a_block_sends_nothing_of_the_block(user: User) -> None:
    def fill(unit: Any) -> None:
        unit.delete(ONE)
        unit.put(build(size=SECRET))

    Wrong(lambda u: u.transaction(fill), FieldTypeError, ("Ware.size",)).check(user)
    Wrong(lambda u: u.batch(fill), FieldTypeError, ("Ware.size",)).check(user)


# ----------------------------------------------------------------------------------------- before there is a session


@pytest.mark.parametrize("fields", [{"sice": SECRET}, {"size": SECRET}, {"price": NAN}, {"tags": {98765432}}])
def test_an_entity_tells_no_values_when_it_refuses_them(fields: dict[str, Any]) -> None:
    with pytest.raises(pydantic.ValidationError) as caught:
        Ware(shop="s", code="1", **fields)
    assert next(iter(fields)) in str(caught.value)
    assert [s for s in SECRETS if s in str(caught.value) + repr(caught.value)] == []


@pytest.mark.parametrize("name", ["PK", "SK", "GSI1PK", "GSI1SK", "_type", "_created", "_updated", "_version"])
def test_names_that_the_library_writes_itself(name: str) -> None:
    table = Table("Reserved", indexes=[GSI("GSI1")])
    assert name in {"PK", "SK", "GSI1PK", "GSI1SK", *table.names.own()} or name.startswith("_")
    attribute = name if not name.startswith("_") else getattr(table.names, name.removeprefix("_"))
    with pytest.raises(ReservedNameError) as caught:

        class Item(Entity, table=table, version=True, stored={"taken": attribute}):
            keys = Keys("ITEM#{item_id}", "ITEM#{item_id}", GSI1=("ALL", "{item_id}"))
            item_id: str
            taken: str = ""

    assert caught.value.field == "taken"
    assert "Item.taken" in str(caught.value)
    assert table.entities == {}


@pytest.mark.parametrize(
    ("index", "template", "error"),
    [("GSI9", "{item_id}", ModelError), ("GSI1", "{item}", KeyTemplateError)],
)
def test_a_model_with_a_name_that_is_not_there(index: str, template: str, error: type[TablewrightError]) -> None:
    table = Table("Unknown", indexes=[GSI("GSI1")])
    with pytest.raises(error) as caught:

        class Item(Entity, table=table):
            keys = Keys("ITEM#{item_id}", "ITEM#{item_id}", **{index: ("ALL", template)})
            item_id: str

    assert "Item" in str(caught.value)
    assert index in str(caught.value)
    assert table.entities == {}
