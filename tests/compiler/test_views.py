"""Views: some fields of an entity, also through an index that holds no more than these."""

import enum
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model, field_validator

from tablewright import (
    GSI,
    LSI,
    Collection,
    Entity,
    Get,
    Keys,
    Query,
    Session,
    Shard,
    SoftDelete,
    Table,
    collect,
    get,
    key,
    many,
    number,
    query,
)
from tablewright.errors import DecodeError, ModelError, PatternError

table = Table(
    "Views",
    indexes=[
        GSI("Keys", projection="KEYS_ONLY"),
        GSI("Some", projection=["name", "data", "Type"]),
        GSI("Spread", projection=["name"]),
        LSI("Local", sk=number("total"), projection="KEYS_ONLY"),
    ],
)
DAY = datetime(2025, 1, 1, tzinfo=UTC)


class Order(Entity, table=table, nested="data", flat=["name"]):
    keys = Keys(
        "C#{customer}",
        "O#{at}#{order_id}",
        Keys=("S#{status}", "{at}#{order_id}"),
        Some=("N#{name}", "{order_id}"),
        Spread=("ALL#{shard}", "{at}#{order_id}"),
        Local="{total}",
        derive={"shard": Shard("order_id", of=3)},
    )
    customer: str
    at: datetime
    order_id: str
    status: Literal["NEW", "SENT"] = "NEW"
    total: int = 0
    name: str = "x"
    note: str | None = None
    price: Decimal = Decimal(1)


class Ref(BaseModel):
    customer: str
    order_id: str
    at: datetime
    status: Literal["NEW", "SENT"]


class Pointer(BaseModel):
    customer: str
    order_id: str


class Named(BaseModel):
    model_config = ConfigDict(frozen=True)
    order_id: str
    name: str
    note: str | None = None


class Priced(BaseModel):
    price: Decimal
    note: str | None


@table.pattern
def by_status(status: Literal["NEW", "SENT"]) -> Query[Ref]:
    return query(Order, Order.status == status).only(Ref)


@table.pattern
def named(name: str) -> Query[Named]:
    return query(Order, Order.name == name).only(Named)


@table.pattern
def every() -> Query[Pointer]:
    return query(Order).only(Pointer)


@table.pattern
def cheap(customer: str, total: int) -> Query[Priced]:
    return query(Order, Order.customer == customer, Order.total <= total).only(Priced)


@table.pattern
def whole(customer: str, total: int) -> Query[Order]:
    return query(Order, Order.customer == customer, Order.total <= total)


@table.pattern
def price(customer: str, at: datetime, order_id: str) -> Get[Priced]:
    return get(Order, Order.customer == customer, Order.at == at, Order.order_id == order_id).only(Priced)


@dataclass
class Page:
    prices: list[Priced]


@table.pattern
def prices(customer: str) -> Collection[Page]:
    return collect(Page, prices=many(query(Order, Order.customer == customer).only(Priced)))


@pytest.fixture(scope="module", params=["memory", pytest.param("dynamodb-local", marks=pytest.mark.dynamodb_local)])
def db(request: pytest.FixtureRequest) -> Iterator[Session]:
    place = "memory:" if request.param == "memory" else request.getfixturevalue("dynamodb_local_url")
    with table.open(place, create=True, table_name=f"views-{uuid.uuid4().hex}") as opened:
        for n in range(5):
            opened.create(
                Order(customer="c#1", at=DAY.replace(day=n + 1), order_id=f"o{n}", total=n, note="n" if n % 2 else None)
            )
        yield opened


def test_keys_alone_are_enough_for_what_they_are_made_of(db: Session) -> None:
    found = db.run(by_status, "NEW").all()
    assert found[0] == Ref(customer="c#1", order_id="o0", at=DAY, status="NEW")
    assert len(found) == db.run(by_status, "NEW").count() == 5
    page = db.run(by_status, "NEW").page(2)
    assert [r.order_id for r in page] == ["o0", "o1"]
    assert [r.order_id for r in db.run(by_status, "NEW").page(2, page.cursor)] == ["o2", "o3"]


def test_projected_attributes_and_keys_together(db: Session) -> None:
    assert db.run(named, "x").all()[1] == Named(order_id="o1", name="x", note="n")


def test_views_over_several_partitions(db: Session) -> None:
    assert [r.order_id for r in db.run(every)] == ["o0", "o1", "o2", "o3", "o4"]
    pages = []
    cursor = None
    while True:
        page = db.run(every).page(2, cursor)
        pages.append([r.order_id for r in page])
        cursor = page.cursor
        if cursor is None:
            break
    assert pages == [["o0", "o1"], ["o2", "o3"], ["o4"]]


def test_a_local_index_fetches_what_it_lacks(db: Session) -> None:
    assert db.run(cheap, "c#1", 1).all() == [Priced(price=Decimal(1), note=None), Priced(price=Decimal(1), note="n")]
    assert [o.price for o in db.run(whole, "c#1", 1)] == [Decimal(1), Decimal(1)]


def test_gets_and_collections_can_be_views(db: Session) -> None:
    assert db.run(price, "c#1", DAY, "o0") == Priced(price=Decimal(1), note=None)
    assert db.run(price, "c#1", DAY, "nope") is None
    assert len(db.run(prices, "c#1").prices) == 5


def test_only_what_is_needed_is_asked_for(db: Session) -> None:
    plan: Any = table.plan.read(named("x"))
    (request,) = [q.request() for q in plan.queries({"name": "x"}, "Views")]
    asked = {
        request["ExpressionAttributeNames"].get(p, p)
        for p in request["ProjectionExpression"].replace(".", ", ").split(", ")
    }
    assert asked == {"PK", "SK", "SomePK", "SomeSK", "Type", "name", "data", "note"}


class Wrong(BaseModel):
    order_id: str
    nmae: str


class Renamed(BaseModel):
    name: str = Field(alias="Name")


def test_views_that_cannot_be_read() -> None:
    with pytest.raises(
        PatternError, match=r"Wrong has the field 'nmae', which Order does not have\. Did you mean 'name'"
    ):
        table.plan.read(query(Order, Order.customer == "c").only(Wrong))
    with pytest.raises(ModelError, match=r"Renamed\.name has an alias"):
        table.plan.read(query(Order, Order.customer == "c").only(Renamed))
    with pytest.raises(PatternError, match=r"Keys: its projection \(KEYS_ONLY\) lacks note, price; read fewer fields"):
        table.plan.read(query(Order, Order.status == "NEW").only(Priced))
    with pytest.raises(PatternError, match=r"Keys: its projection \(KEYS_ONLY\) lacks .*name"):
        table.plan.read(query(Order, Order.status == "NEW"))
    with pytest.raises(PatternError, match="Keys does not project 'Type', so its items cannot be told apart"):
        table.plan.read(collect(Page, prices=many(query(Order, Order.status == "NEW").only(Ref))))  # type: ignore[arg-type]


def test_items_that_do_not_fit_the_view(db: Session) -> None:
    plan: Any = table.plan.read(price("c", DAY, "o"))
    with pytest.raises(DecodeError, match=r"A stored Order has a 'price' that does not fit its field"):
        plan.plan.decode({"data": {"M": {"price": {"S": "no number"}}}})


class Shade(enum.Enum):
    DARK = "dark"


class Wide(Entity, table=table):
    keys = Keys("W#{id}", "W#{id}")
    id: str
    n: int = 0
    maybe: int | None = None
    exact: Decimal = Decimal(0)
    at: datetime = DAY
    names: list[str] = Field(default_factory=list)
    shade: Shade = Shade.DARK
    status: Literal["NEW", "SENT"] = "NEW"


def _view(**fields: Any) -> type[BaseModel]:
    return create_model("View", **{name: (kind, ...) for name, kind in fields.items()})


@pytest.mark.parametrize(
    ("name", "kind", "says"),
    [
        ("n", str, "View has 'n' as str, but in Wide it is int"),
        ("maybe", str | None, "View has 'maybe' as str | None, but in Wide it is int | None"),
        ("n", list[int], "in Wide it is int"),
        ("n", UUID, "in Wide it is int"),
        ("exact", str, "in Wide it is Decimal"),
        ("at", int, "in Wide it is datetime"),
        ("names", str, r"View has 'names' as str, but in Wide it is list\[str\]"),
        ("names", dict[str, str], "in Wide it is list"),
        ("shade", list[int], "in Wide it is Shade"),
        ("status", Literal["LOST"], "in Wide it is Literal"),
    ],
)
def test_a_view_whose_type_can_never_be_read_is_refused(name: str, kind: Any, says: str) -> None:
    with pytest.raises(PatternError, match=says):
        table.plan.read(get(Wide, Wide.id == "1").only(_view(**{name: kind})))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("n", float),
        ("n", Decimal),
        ("n", int | str),
        ("n", Any),
        ("n", Annotated[str, BeforeValidator(str)]),
        ("n", Annotated[str | None, BeforeValidator(str)]),
        ("maybe", int),
        ("exact", int),
        ("at", date),
        ("id", int),
        ("id", UUID),
        ("names", tuple[str, ...]),
        ("names", set[str]),
        ("shade", Shade),
        ("status", str),
        ("status", Literal["SENT"]),
    ],
)
def test_a_view_whose_type_may_be_read_is_not(name: str, kind: Any) -> None:
    table.plan.read(get(Wide, Wide.id == "1").only(_view(**{name: kind})))


def test_a_view_with_validators_of_its_own_decides_itself() -> None:
    class Shown(BaseModel):
        n: str

        @field_validator("n", mode="before")
        @classmethod
        def as_text(cls, value: object) -> str:
            return str(value)

    table.plan.read(get(Wide, Wide.id == "1").only(Shown))


class Name(BaseModel):
    name: str


def test_an_index_that_tombstones_leave_need_not_tell_them() -> None:
    table = Table("Things", indexes=[GSI("GSI1", projection=["name"])])

    class Thing(Entity, table=table, soft_delete=SoftDelete()):
        keys = Keys("THING#{thing_id}", "THING", GSI1=("TEAM#{team}", "THING#{thing_id}"))
        thing_id: str
        team: str
        name: str

    @table.pattern
    def names(team: str) -> Query[Name]:
        return query(Thing, Thing.team == team).only(Name)

    with table.open("memory:") as db:
        db.ensure_table()
        for thing_id in ("a", "b"):
            db.create(Thing(thing_id=thing_id, team="t", name=thing_id))
        db.delete(key(Thing, thing_id="b"))
        assert list(db.run(names, "t")) == [Name(name="a")]
