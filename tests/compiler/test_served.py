"""What is served, and exactly how: the whole request that each kind of read becomes, and what it answers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from tablewright import (
    GSI,
    LSI,
    Bucket,
    Collection,
    Entity,
    Get,
    Keys,
    NaturalKey,
    Query,
    Session,
    Shard,
    Table,
    all_of,
    attr,
    between,
    collect,
    contains,
    created,
    exists,
    get,
    is_in,
    many,
    number,
    one,
    query,
    size,
    sparse,
    sparse_local,
    starts_with,
)
from tablewright.engine import open_engine
from tablewright.model.operations import Op
from tablewright.transport.embedded import EmbeddedTransport

T0 = datetime(2025, 1, 1, tzinfo=UTC)
D1, D2, D3, D4 = (T0 + timedelta(days=d) for d in (1, 2, 3, 4))
K1, K2, K3, K4 = (f"2025-01-0{d}T00:00:00.000000Z" for d in (2, 3, 4, 5))
Status = Literal["NEW", "SENT"]

table = Table(
    "Served",
    indexes=[
        GSI("GSI1"),
        GSI("GSI2"),
        GSI("Due"),
        GSI("Daily"),
        GSI("Narrow", projection=["Type", "name"]),
        GSI("Places", pk=["tenant", "region"], sk=["country", "city", number("rank")]),
        GSI("Plain", pk="plain_pk", sk=None),
        LSI("Total"),
        LSI("Weight", sk=number("weight")),
        LSI("Slim", projection="KEYS_ONLY"),
    ],
)


class User(Entity, table=table):
    keys = Keys(
        "USER#{user_id}",
        "USER#{user_id}",
        GSI1=("EMAIL#{email}", "EMAIL#{email}"),
        Narrow=("NAME#{name}", "USER#{user_id}"),
        Plain=("AGE#{age}",),
    )
    user_id: str
    email: NaturalKey
    name: str
    age: int = 7


class Order(Entity, table=table):
    keys = Keys(
        "USER#{user_id}",
        "ORDER#{placed_at}#{order_id}",
        GSI1=("ORDER#{order_id}", "ORDER#{order_id}"),
        GSI2=("STATUS#{status}", "{placed_at}#{order_id}"),
        Due=sparse("DUE", "{placed_at}#{order_id}", when=attr("status") == "NEW"),
        Daily=("DAY#{day}", "{placed_at}#{order_id}"),
        Total="TOTAL#{total:6.2}",
        Weight="{weight}",
        Slim=sparse_local("NOTE#{note}", when=exists(attr("note"))),
        derive={"day": Bucket("placed_at", "day")},
    )
    user_id: str
    order_id: str
    placed_at: datetime
    status: Status = "NEW"
    total: Decimal = Decimal(0)
    weight: int = 0
    note: str | None = None
    tags: list[str] = Field(default_factory=list)


class Place(Entity, table=table):
    keys = Keys("PLACE#{place_id}", "PLACE", Places=(("{tenant}", "{region}"), ("{country}", "{city}", "{rank}")))
    place_id: str
    tenant: str = "t"
    region: str = "r"
    country: str
    city: str
    rank: int


class Hit(Entity, table=table):
    keys = Keys("HIT#{shard}", "{at}#{hit_id}", derive={"shard": Shard("hit_id", of=3)})
    hit_id: str
    at: datetime


class Word(Entity, table=table):
    keys = Keys("WORDS", "WORD#{word}#{n:3}", GSI1=("NEWEST", "{created_at}#{word}#{n:3}"))
    word: str
    n: int


class Card(BaseModel):
    user_id: str
    name: str


ITEMS: list[Entity] = [
    User(user_id="u1", email="Ada@X.org", name="Ada"),
    Order(user_id="u1", order_id="o1", placed_at=D1, total=Decimal("9.50"), weight=5, tags=["a"]),
    Order(user_id="u1", order_id="o2", placed_at=D2, total=Decimal("10"), weight=-3, status="SENT", note="x"),
    Order(user_id="u1", order_id="o3", placed_at=D3, total=Decimal("0.25"), weight=40, note="xy#z"),
    Order(user_id="u2", order_id="o4", placed_at=D4),
    Place(place_id="p1", country="AT", city="Graz", rank=1),
    Place(place_id="p2", country="AT", city="Graz", rank=12),
    Place(place_id="p3", country="AT", city="Wien", rank=2),
    Place(place_id="p4", country="CH", city="Bern", rank=3),
    *(Hit(hit_id=f"h{n}", at=T0 + timedelta(hours=n)) for n in range(5)),
    Word(word="a", n=1),
    Word(word="a", n=10),
    Word(word="ab", n=2),
    Word(word="a#b", n=3),
]


@dataclass
class Recorder:
    """A transport that notes what it sends."""

    inner: EmbeddedTransport
    sent: list[tuple[str, dict[str, Any]]]

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.sent.append((operation, request))
        return self.inner.send(operation, request)

    def close(self) -> None:
        self.inner.close()


@pytest.fixture(scope="module")
def recorder() -> Iterator[Recorder]:
    with open_engine("memory:") as engine:
        yield Recorder(EmbeddedTransport(engine, owned=False), [])


@pytest.fixture(scope="module")
def db(recorder: Recorder) -> Iterator[Session]:
    with table.open(recorder, create=True, clock=lambda: T0) as opened:
        for item in ITEMS:
            opened.create(item)
        yield opened


def resolved(operation: str, request: dict[str, Any]) -> dict[str, Any]:
    """The request with the placeholders of its expressions filled in, and checked to be used up."""
    request = dict(request)
    assert request.pop("TableName") == "Served"
    names = request.pop("ExpressionAttributeNames", {})
    values = request.pop("ExpressionAttributeValues", {})
    used: set[str] = set()

    def fill(found: re.Match[str]) -> str:
        used.add(found[0])
        if found[0] in names:
            return str(names[found[0]])
        ((tag, value),) = values[found[0]].items()
        return repr(value) if tag == "S" else f"{tag}:{value}"

    for key in request:
        if key.endswith("Expression"):
            request[key] = re.sub(r"[#:]\w+", fill, request[key])
    assert used == names.keys() | values.keys()
    return {"": operation, **request}


def ids(found: Any) -> list[str]:
    items = [] if found is None else [found] if isinstance(found, BaseModel) else list(found)
    return [_id(i) for i in items]


def _id(item: Any) -> str:
    if isinstance(item, Word):
        return f"{item.word}{item.n}"
    return str(next(iter(v for k, v in item if k in ("order_id", "place_id", "hit_id")), None) or item.user_id)


def key_query(condition: str, **more: Any) -> dict[str, Any]:
    return {"": "Query", "KeyConditionExpression": condition, **more}


# ------------------------------------------------------------------------------------------------ single requests

U1 = "PK = 'USER#u1'"
of_u1 = Order.user_id == "u1"
at_graz = (Place.tenant == "t", Place.region == "r", Place.country == "AT", Place.city == "Graz")

READS: dict[str, tuple[Op[Any, Any], dict[str, Any], list[str]]] = {
    # Gets
    "get by the table's key": (
        get(User, User.user_id == "u1"),
        {"": "GetItem", "Key": {"PK": {"S": "USER#u1"}, "SK": {"S": "USER#u1"}}},
        ["u1"],
    ),
    "consistent get": (
        get(User, User.user_id == "u1").consistent(),
        {"": "GetItem", "Key": {"PK": {"S": "USER#u1"}, "SK": {"S": "USER#u1"}}, "ConsistentRead": True},
        ["u1"],
    ),
    "get of what is not there": (
        get(User, User.user_id == "u#9"),
        {"": "GetItem", "Key": {"PK": {"S": "USER#u%239"}, "SK": {"S": "USER#u%239"}}},
        [],
    ),
    "get of all key fields": (
        get(Order, of_u1, Order.placed_at == D2, Order.order_id == "o2"),
        {"": "GetItem", "Key": {"PK": {"S": "USER#u1"}, "SK": {"S": f"ORDER#{K2}#o2"}}},
        ["o2"],
    ),
    "get through an index": (
        get(Order, Order.order_id == "o4"),
        key_query("GSI1PK = 'ORDER#o4' AND GSI1SK = 'ORDER#o4'", IndexName="GSI1", Limit=2),
        ["o4"],
    ),
    "get by a natural key": (
        get(User, User.email == " ADA@x.ORG "),
        key_query("GSI1PK = 'EMAIL#ada@x.org' AND GSI1SK = 'EMAIL#ada@x.org'", IndexName="GSI1", Limit=2),
        ["u1"],
    ),
    "get of some fields": (
        get(User, User.user_id == "u1").only(Card),
        {
            "": "GetItem",
            "Key": {"PK": {"S": "USER#u1"}, "SK": {"S": "USER#u1"}},
            "ProjectionExpression": "PK, SK, Type, user_id, name",
        },
        ["u1"],
    ),
    # Operators on a template
    "whole partition of one entity": (
        query(Order, of_u1),
        key_query(f"{U1} AND SK BETWEEN 'ORDER' AND 'ORDER$'"),
        ["o1", "o2", "o3"],
    ),
    "equal": (
        query(Order, of_u1, Order.placed_at == D2),
        key_query(f"{U1} AND SK BETWEEN 'ORDER#{K2}' AND 'ORDER#{K2}$'"),
        ["o2"],
    ),
    "equal to the whole key": (
        query(Order, of_u1, Order.placed_at == D2, Order.order_id == "o2"),
        key_query(f"{U1} AND SK = 'ORDER#{K2}#o2'"),
        ["o2"],
    ),
    "less": (
        query(Order, of_u1, Order.placed_at < D2),
        key_query(f"{U1} AND SK BETWEEN 'ORDER#' AND 'ORDER#{K2}'"),
        ["o1"],
    ),
    "less or equal": (
        query(Order, of_u1, Order.placed_at <= D2),
        key_query(f"{U1} AND SK BETWEEN 'ORDER#' AND 'ORDER#{K2}$'"),
        ["o1", "o2"],
    ),
    "greater": (
        query(Order, of_u1, Order.placed_at > D2),
        key_query(f"{U1} AND SK BETWEEN 'ORDER#{K2}$' AND 'ORDER$'"),
        ["o3"],
    ),
    "greater or equal": (
        query(Order, of_u1, Order.placed_at >= D2),
        key_query(f"{U1} AND SK BETWEEN 'ORDER#{K2}' AND 'ORDER$'"),
        ["o2", "o3"],
    ),
    "between": (
        query(Order, of_u1, between(Order.placed_at, D1, D2)),
        key_query(f"{U1} AND SK BETWEEN 'ORDER#{K1}' AND 'ORDER#{K2}$'"),
        ["o1", "o2"],
    ),
    "lower and upper bound": (
        query(Order, of_u1, Order.placed_at >= D1, Order.placed_at < D3),
        key_query(f"{U1} AND SK BETWEEN 'ORDER#{K1}' AND 'ORDER#{K3}'"),
        ["o1", "o2"],
    ),
    "open bounds on both sides": (
        query(Order, all_of(of_u1, Order.placed_at > D1, Order.placed_at < D3)),
        key_query(f"{U1} AND SK BETWEEN 'ORDER#{K1}$' AND 'ORDER#{K3}'"),
        ["o2"],
    ),
    "newest first": (
        query(Order, of_u1).newest_first(),
        key_query(f"{U1} AND SK BETWEEN 'ORDER' AND 'ORDER$'", ScanIndexForward=False),
        ["o3", "o2", "o1"],
    ),
    "consistent, with a page size": (
        query(Order, of_u1).consistent().per_page(50),
        key_query(f"{U1} AND SK BETWEEN 'ORDER' AND 'ORDER$'", ConsistentRead=True, Limit=50),
        ["o1", "o2", "o3"],
    ),
    "on an index, without a lead": (
        query(Order, Order.status == "NEW", Order.placed_at >= D3),
        key_query(f"GSI2PK = 'STATUS#NEW' AND GSI2SK >= '{K3}'", IndexName="GSI2"),
        ["o3", "o4"],
    ),
    "on an index, up to": (
        query(Order, Order.status == "NEW", Order.placed_at <= D3),
        key_query(f"GSI2PK = 'STATUS#NEW' AND GSI2SK <= '{K3}$'", IndexName="GSI2"),
        ["o1", "o3"],
    ),
    "on an index, the whole partition": (
        query(Order, Order.status == "SENT"),
        key_query("GSI2PK = 'STATUS#SENT'", IndexName="GSI2"),
        ["o2"],
    ),
    "text equal": (
        query(Word, Word.word == "a"),
        key_query("PK = 'WORDS' AND SK BETWEEN 'WORD#a' AND 'WORD#a$'"),
        ["a1", "a10"],
    ),
    "text that holds the separator": (
        query(Word, Word.word == "a#b"),
        key_query("PK = 'WORDS' AND SK BETWEEN 'WORD#a%23b' AND 'WORD#a%23b$'"),
        ["a#b3"],
    ),
    "text starts with": (
        query(Word, starts_with(Word.word, "a")),
        key_query("PK = 'WORDS' AND begins_with(SK, 'WORD#a')"),
        ["a1", "a10", "a#b3", "ab2"],
    ),
    "padded number": (
        query(Word, Word.word == "a", Word.n > 1),
        key_query("PK = 'WORDS' AND SK BETWEEN 'WORD#a#001$' AND 'WORD#a$'"),
        ["a10"],
    ),
    "the library's time stamp": (
        query(Word, created(Word) == T0, Word.word == "ab"),
        key_query(
            "GSI1PK = 'NEWEST' AND GSI1SK BETWEEN '2025-01-01T00:00:00.000000Z#ab' AND '2025-01-01T00:00:00.000000Z#ab$'",
            IndexName="GSI1",
        ),
        ["ab2"],
    ),
    # Other keys
    "index without a sort key": (
        query(User, User.age == 7),
        key_query("plain_pk = 'AGE#7'", IndexName="Plain"),
        ["u1"],
    ),
    "local index": (
        query(Order, of_u1, Order.total >= Decimal("9.5")),
        key_query(f"{U1} AND TotalSK BETWEEN 'TOTAL#000009.50' AND 'TOTAL$'", IndexName="Total"),
        ["o1", "o2"],
    ),
    "consistent read of a local index": (
        query(Order, of_u1, Order.total == Decimal("9.5")).consistent(),
        key_query(f"{U1} AND TotalSK = 'TOTAL#000009.50'", IndexName="Total", ConsistentRead=True),
        ["o1"],
    ),
    "numeric local index": (
        query(Order, of_u1, Order.weight <= 5),
        key_query(f"{U1} AND weight <= N:5", IndexName="Weight"),
        ["o2", "o1"],
    ),
    "numeric local index between": (
        query(Order, of_u1, Order.weight >= -3, Order.weight <= 5).newest_first(),
        key_query(f"{U1} AND weight BETWEEN N:-3 AND N:5", IndexName="Weight", ScanIndexForward=False),
        ["o1", "o2"],
    ),
    "local index with a narrow projection": (
        query(Order, of_u1, starts_with(Order.note, "x")),
        key_query(f"{U1} AND begins_with(SlimSK, 'NOTE#x')", IndexName="Slim", Select="ALL_ATTRIBUTES"),
        ["o2", "o3"],
    ),
    "narrow projection into a view": (
        query(User, User.name == "Ada").only(Card),
        key_query(
            "NarrowPK = 'NAME#Ada' AND NarrowSK BETWEEN 'USER' AND 'USER$'",
            IndexName="Narrow",
            ProjectionExpression="NarrowPK, NarrowSK, PK, SK, Type, name",
        ),
        ["u1"],
    ),
    # Multi-attribute keys
    "multi-attribute partition": (
        query(Place, Place.tenant == "t", Place.region == "r"),
        key_query("tenant = 't' AND region = 'r'", IndexName="Places"),
        ["p1", "p2", "p3", "p4"],
    ),
    "multi-attribute prefix": (
        query(Place, *at_graz[:3]),
        key_query("tenant = 't' AND region = 'r' AND country = 'AT'", IndexName="Places"),
        ["p1", "p2", "p3"],
    ),
    "multi-attribute range on the next": (
        query(Place, *at_graz[:3], starts_with(Place.city, "W")),
        key_query("tenant = 't' AND region = 'r' AND country = 'AT' AND begins_with(city, 'W')", IndexName="Places"),
        ["p3"],
    ),
    "multi-attribute range on the last": (
        query(Place, *at_graz, Place.rank > 2).newest_first(),
        key_query(
            "tenant = 't' AND region = 'r' AND country = 'AT' AND city = 'Graz' AND rank > N:2",
            IndexName="Places",
            ScanIndexForward=False,
        ),
        ["p2"],
    ),
    "multi-attribute, written in any order": (
        query(Place, Place.rank == 12, *reversed(at_graz)),
        key_query(
            "tenant = 't' AND region = 'r' AND country = 'AT' AND city = 'Graz' AND rank = N:12", IndexName="Places"
        ),
        ["p2"],
    ),
    # Derived and sparse keys
    "the shard that is known": (
        get(Hit, Hit.hit_id == "h3", Hit.at == T0 + timedelta(hours=3)),
        {"": "GetItem", "Key": {"PK": {"S": "HIT#2"}, "SK": {"S": "2025-01-01T03:00:00.000000Z#h3"}}},
        ["h3"],
    ),
    "the bucket that is known": (
        query(Order, Order.placed_at == D4),
        key_query(f"DailyPK = 'DAY#2025-01-05' AND DailySK BETWEEN '{K4}' AND '{K4}$'", IndexName="Daily"),
        ["o4"],
    ),
    "sparse index whose condition the read fixes": (
        query(Order, Order.status == "NEW", Order.placed_at >= D3).via("Due"),
        key_query(f"DuePK = 'DUE' AND DueSK >= '{K3}'", IndexName="Due"),
        ["o3", "o4"],
    ),
    "sparse index that was asked for": (
        query(Order).via("Due").newest_first(),
        key_query("DuePK = 'DUE'", IndexName="Due", ScanIndexForward=False),
        ["o4", "o3", "o1"],
    ),
    # Filters
    "filter": (
        query(Order, of_u1).filter(Order.status == "SENT", Order.weight < 0),
        key_query(f"{U1} AND SK BETWEEN 'ORDER' AND 'ORDER$'", FilterExpression="status = 'SENT' AND weight < N:0"),
        ["o2"],
    ),
    "filter with functions": (
        query(Order, of_u1).filter(
            exists(Order.note) | contains(Order.tags, "a"), is_in(Order.status, ["NEW", "SENT"]), size(Order.tags) < 2
        ),
        key_query(
            f"{U1} AND SK BETWEEN 'ORDER' AND 'ORDER$'",
            FilterExpression="(attribute_exists(note) OR contains(tags, 'a')) AND status IN ('NEW', 'SENT') "
            "AND (attribute_not_exists(tags) OR size(tags) < N:2)",
        ),
        ["o1", "o2", "o3"],
    ),
}


@pytest.mark.parametrize("name", READS)
def test_the_request_of_a_read(name: str, db: Session, recorder: Recorder) -> None:
    read, request, answer = READS[name]
    recorder.sent.clear()
    found = db.execute(read)
    assert ids(found) == answer
    assert [resolved(*sent) for sent in recorder.sent] == [request]


def test_the_meter_sees_the_same_requests(db: Session, recorder: Recorder) -> None:
    recorder.sent.clear()
    with db.measure() as meter:
        assert ids(db.execute(get(Order, Order.order_id == "o4"))) == ["o4"]
        assert ids(db.execute(query(Order, of_u1))) == ["o1", "o2", "o3"]
    assert [(s.operation, s.index) for s in meter.requests] == [("Query", "GSI1"), ("Query", None)]
    assert [operation for operation, _ in recorder.sent] == ["Query", "Query"]
    assert meter.capacity.read > 0
    assert meter.capacity.write == 0


# ------------------------------------------------------------------------------------------------------- patterns


@table.pattern
def orders_of(
    user_id: str, since: datetime | None = None, until: datetime | None = None, newest: bool = False
) -> Query[Order]:
    found = query(Order, Order.user_id == user_id)
    found = found.when(since, lambda t: Order.placed_at >= t).when(until, lambda t: Order.placed_at < t)
    return found.newest_first() if newest else found


@pytest.mark.parametrize(
    ("arguments", "condition", "answer"),
    [
        ({}, "SK BETWEEN 'ORDER' AND 'ORDER$'", ["o1", "o2", "o3"]),
        ({"since": D2}, f"SK BETWEEN 'ORDER#{K2}' AND 'ORDER$'", ["o2", "o3"]),
        ({"until": D2}, f"SK BETWEEN 'ORDER#' AND 'ORDER#{K2}'", ["o1"]),
        ({"since": D1, "until": D3}, f"SK BETWEEN 'ORDER#{K1}' AND 'ORDER#{K3}'", ["o1", "o2"]),
        ({"since": None, "until": D3}, f"SK BETWEEN 'ORDER#' AND 'ORDER#{K3}'", ["o1", "o2"]),
    ],
)
@pytest.mark.parametrize("newest", [False, True])
def test_optional_parameters_choose_the_variant(
    arguments: dict[str, Any], condition: str, answer: list[str], newest: bool, db: Session, recorder: Recorder
) -> None:
    recorder.sent.clear()
    found = db.run(orders_of, "u1", newest=newest, **arguments)
    assert ids(found) == (answer[::-1] if newest else answer)
    direction = {"ScanIndexForward": False} if newest else {}
    assert [resolved(*sent) for sent in recorder.sent] == [key_query(f"{U1} AND {condition}", **direction)]


def test_a_range_that_holds_nothing_is_not_sent(db: Session, recorder: Recorder) -> None:
    recorder.sent.clear()
    assert db.run(orders_of, "u1", since=D3, until=D1).all() == []
    assert db.execute(query(Order, of_u1, between(Order.weight, 5, 4))).all() == []
    assert db.run(orders_of, "u1", since=D3, until=D1).count() == 0
    assert recorder.sent == []


def test_explain_shows_every_variant_with_its_parameters() -> None:
    shown = [str(s) for s in table.explain(orders_of)]
    assert len(shown) == len(set(shown)) == 8
    for note in ("", " (newest first)"):
        for rest in ("ORDER AND ORDER$", "ORDER#{since} AND ORDER$", "ORDER#{since} AND ORDER#{until}"):
            assert f"Query table: PK = USER#{{user_id}} AND SK BETWEEN {rest}{note}" in shown


@table.pattern
def hits() -> Query[Hit]:
    return query(Hit)


@table.pattern
def hits_since(since: datetime) -> Query[Hit]:
    return query(Hit, Hit.at >= since).newest_first()


@table.pattern
def orders_on(low: datetime, high: datetime) -> Query[Order]:
    return query(Order, between(Order.placed_at, low, high))


def test_every_shard_is_asked_and_merged_in_order(db: Session, recorder: Recorder) -> None:
    recorder.sent.clear()
    assert ids(db.run(hits)) == ["h0", "h1", "h2", "h3", "h4"]
    assert [resolved(*s) for s in recorder.sent] == [key_query(f"PK = 'HIT#{shard}'") for shard in range(3)]
    recorder.sent.clear()
    assert ids(db.run(hits_since, T0 + timedelta(hours=2))) == ["h4", "h3", "h2"]
    assert [resolved(*s) for s in recorder.sent] == [
        key_query(f"PK = 'HIT#{shard}' AND SK >= '2025-01-01T02:00:00.000000Z'", ScanIndexForward=False)
        for shard in range(3)
    ]
    assert str(table.explain(hits)[0]) == "Query table: PK = HIT#{shard} (one request per shard)"


def test_every_bucket_of_a_range_is_asked(db: Session, recorder: Recorder) -> None:
    recorder.sent.clear()
    assert ids(db.run(orders_on, D2, D4)) == ["o2", "o3", "o4"]
    assert [resolved(*s) for s in recorder.sent] == [
        key_query(f"DailyPK = 'DAY#2025-01-0{day}' AND DailySK BETWEEN '{K2}' AND '{K4}$'", IndexName="Daily")
        for day in (3, 4, 5)
    ]
    recorder.sent.clear()
    assert ids(db.run(orders_on, D2 + timedelta(hours=1), D2 + timedelta(hours=2))) == []
    assert len(recorder.sent) == 1


# ---------------------------------------------------------------------------------------------------- collections


@dataclass
class UserPage:
    user: User | None
    orders: list[Order]


@table.pattern
def user_page(user_id: str, since: datetime | None = None) -> Collection[UserPage]:
    orders = query(Order, Order.user_id == user_id).when(since, lambda t: Order.placed_at >= t)
    return collect(UserPage, user=one(query(User, User.user_id == user_id)), orders=many(orders))


@table.pattern
def newest_page(user_id: str) -> Collection[UserPage]:
    return collect(
        UserPage,
        user=one(query(User, User.user_id == user_id).newest_first()),
        orders=many(query(Order, Order.user_id == user_id).newest_first()),
    ).consistent()


def test_a_collection_is_one_request_over_the_smallest_range(db: Session, recorder: Recorder) -> None:
    recorder.sent.clear()
    page = db.run(user_page, "u1")
    assert (ids(page.user), ids(page.orders)) == (["u1"], ["o1", "o2", "o3"])
    page = db.run(user_page, "u1", since=D3)
    assert (ids(page.user), ids(page.orders)) == (["u1"], ["o3"])
    page = db.run(newest_page, "u1")
    assert (ids(page.user), ids(page.orders)) == (["u1"], ["o3", "o2", "o1"])
    page = db.run(user_page, "u9")
    assert page == UserPage(None, [])
    assert [resolved(*s) for s in recorder.sent] == [
        key_query(f"{U1} AND SK BETWEEN 'ORDER' AND 'USER#u1'"),
        key_query(f"{U1} AND SK BETWEEN 'ORDER#{K3}' AND 'USER#u1'"),
        key_query(f"{U1} AND SK BETWEEN 'ORDER' AND 'USER#u1'", ConsistentRead=True, ScanIndexForward=False),
        key_query("PK = 'USER#u9' AND SK BETWEEN 'ORDER' AND 'USER#u9'"),
    ]


# ------------------------------------------------------------------------------------------- counting and paging


def test_counting_sends_the_same_condition(db: Session, recorder: Recorder) -> None:
    recorder.sent.clear()
    assert db.run(orders_of, "u1", since=D2).count() == 2
    assert [resolved(*s) for s in recorder.sent] == [
        key_query(f"{U1} AND SK BETWEEN 'ORDER#{K2}' AND 'ORDER$'", Select="COUNT")
    ]


def test_a_page_and_the_first_item_limit_the_request(db: Session, recorder: Recorder) -> None:
    recorder.sent.clear()
    assert ids(db.run(orders_of, "u1").page(2)) == ["o1", "o2"]
    assert ids(db.run(orders_of, "u1", newest=True).first()) == ["o3"]
    assert [r.get("Limit") for _, r in recorder.sent] == [2, 1]


@table.pattern
def words(word: str) -> Query[Word]:
    return query(Word, Word.word == word)


@table.pattern
def order(order_id: str) -> Get[Order]:
    return get(Order, Order.order_id == order_id)


def test_the_table_comes_first_then_local_then_global_indexes() -> None:
    assert [str(s) for p in (words, order) for s in table.explain(p)] == [
        "Query table: PK = WORDS AND SK BETWEEN WORD#{word} AND WORD#{word}$",
        "Query GSI1: GSI1PK = ORDER#{order_id} AND GSI1SK = ORDER#{order_id} (one item or none)",
    ]
