"""Whatever a read asks, it is refused in our words before anything is sent, or answered: whole, by pages and counted."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any, Literal

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from tablewright import (
    GSI,
    LSI,
    Entity,
    Keys,
    Session,
    Shard,
    Table,
    all_of,
    any_of,
    attr,
    between,
    contains,
    exists,
    get,
    is_in,
    missing,
    negate,
    number,
    query,
    size,
    sparse,
    starts_with,
)
from tablewright.errors import ServiceError, TablewrightError

DAY = datetime(2025, 1, 1, tzinfo=UTC)
table = Table(
    "Wild",
    indexes=[
        GSI("GSI1"),
        GSI("GSI2", projection=["name"]),
        GSI("Multi", pk=["tenant", number("num")], sk=["country", number("rank")]),
        GSI("Alone", sk=None),
        LSI("LSI1", sk=number("weight")),
        LSI("LSI2", projection="KEYS_ONLY"),
    ],
)


class Part(BaseModel):
    x: int = 0
    path: str = ""


class Thing(Entity, table=table):
    keys = Keys(
        "A#{id}",
        "A#{at}#{n:3}",
        GSI1=("S#{state}", "{at}"),
        GSI2=sparse("{name}", "{id}", when=attr("state") == "x"),
        Multi=(("{tenant}", "{num}"), ("{country}", "{rank}")),
        Alone=("K#{id}#{shard}",),
        LSI1="{weight}",
        LSI2="{name}#{n:3}",
        derive={"shard": Shard("n", of=2)},
    )
    id: str
    at: datetime
    n: int
    state: Literal["x", "y"] = "x"
    name: str = "a"
    tenant: str = "a"
    num: int = 1
    country: str = "a"
    rank: int = 0
    weight: int = 1
    maybe: str | None = None
    tags: set[str] = Field(default_factory=set)
    parts: list[Part] = Field(default_factory=list)
    more: dict[str, int] = Field(default_factory=dict)
    price: Decimal = Decimal(1)
    open: bool = False
    blob: bytes = b"x"


class Named(BaseModel):
    id: str
    name: str


class Bare(BaseModel):
    id: str


VALUES: dict[str, list[Any]] = {
    "id": ["a", "", "b#"],
    "at": [DAY, datetime(2025, 1, 1), "x"],
    "n": [1, -1, 5000, "q", 1.5],
    "state": ["x", "y", "z"],
    "num": [1, 10**40],
    "weight": [1, 2],
    "rank": [0, 1],
    "maybe": ["x", None],
    "tags": [{"a"}, set(), ["a"]],
    "parts": [[Part()], []],
    "more": [{"a": 1}, {}],
    "price": [Decimal("1.5"), Decimal("1e200"), 1],
    "open": [True, 1, 0],
    "blob": [b"x", b"", ""],
}
SELECTIONS = (
    "id",
    "id at",
    "id at n",
    "state",
    "state at",
    "tenant num",
    "tenant num country",
    "name id",
    "id weight",
    "",
)


def field(random: Random) -> tuple[str, Any]:
    name = random.choice(list(Thing.model_fields))
    found: Any = getattr(Thing, name)
    if name == "parts" and random.random() < 0.6:
        found = random.choice([lambda: found[0], lambda: found[0].x, lambda: found[1].path, lambda: found[-1]])()
    if name == "more" and random.random() < 0.5:
        found = found["a"]
    return name, found


def condition(random: Random, depth: int = 0) -> Any:
    name, of = field(random)

    def value() -> Any:
        return random.choice([*VALUES.get(name, ["a", "b", 5]), None, "a", 3])

    def inner() -> Any:
        return condition(random, depth + 1)

    kinds: list[Callable[[], Any]] = [
        lambda: of == value(),
        lambda: of != value(),
        lambda: of < value(),
        lambda: of <= value(),
        lambda: of > value(),
        lambda: of >= value(),
        lambda: between(of, value(), value()),
        lambda: starts_with(of, value()),
        lambda: contains(of, value()),
        lambda: is_in(of, [value() for _ in range(random.randrange(3))]),
        lambda: exists(of),
        lambda: missing(of),
        lambda: size(of) > value(),
    ]
    if depth < 2:
        kinds += [lambda: all_of(inner(), inner()), lambda: any_of(inner()), lambda: negate(inner())]
    return random.choice(kinds)()


def wild_read(random: Random) -> Any:
    conditions = [getattr(Thing, n) == VALUES.get(n, ["a"])[0] for n in random.choice(SELECTIONS).split()]
    if random.random() < 0.5:
        conditions.append(condition(random))
    read: Any = random.choice([query, query, get])(Thing, *conditions)
    if random.random() < 0.2:
        read = read.via(random.choice([*table.indexes, "Nope"]))
    if random.random() < 0.2:
        read = read.consistent()
    if random.random() < 0.3:
        read = read.only(random.choice([Named, Bare]))
    if hasattr(read, "filter"):
        if random.random() < 0.4:
            read = read.filter(condition(random))
        if random.random() < 0.3:
            read = read.newest_first().per_page(2)
    return read


@pytest.fixture(scope="module")
def db() -> Iterator[Session]:
    with table.open("memory:", cursor_keys=[b"a secret of the tests"]) as opened:
        for n in range(10):
            tags = {"a"} if n % 2 else set()
            opened.create(
                Thing(id="a", at=DAY + timedelta(days=n), n=n, tags=tags, parts=[Part(x=n)], more={"a": n}, weight=n)
            )
        yield opened


@given(random=st.randoms(use_true_random=False))
def test_reads_are_answered_or_refused_in_our_words(db: Session, random: Random) -> None:
    for _ in range(10):
        try:
            read = wild_read(random)
            table.plan.read(read)
        except TablewrightError as error:
            event(f"refused: {type(error).__name__}")
            continue
        try:
            found = db.execute(read)
            every = found.all() if hasattr(found, "all") else None
        except ServiceError:
            raise
        except TablewrightError as error:
            event(f"not sent: {type(error).__name__}")
            continue
        event("answered")
        if every is not None:
            assert found.count() == len(every)
            assert pages(found) == every


def pages(found: Any) -> list[Any]:
    page = found.page(3)
    items = list(page.items)
    while page.cursor is not None:
        page = found.page(3, page.cursor)
        items += page.items
    return items
