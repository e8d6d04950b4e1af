"""Models inside a value are validated again before they are stored, from their own data and by their own class."""

import dataclasses
from decimal import Decimal
from typing import Annotated, Any, NamedTuple

import pytest
from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, RootModel, field_serializer, model_serializer
from typing_extensions import TypedDict

from tablewright import Entity, Keys, Table
from tablewright.compiler.revalidating import holds_records, revalidated
from tablewright.errors import FieldTypeError


class Secret(BaseModel):
    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True)
    password: str
    note: str = Field(default="none", exclude=True)
    rate: Annotated[Decimal, PlainSerializer(float)] = Decimal(0)
    zip: str = Field(default="none", serialization_alias="zipCode")

    @field_serializer("password")
    def mask(self, value: str) -> str:
        return "***"


class Hidden(BaseModel):
    x: int

    @model_serializer
    def nothing(self) -> dict[str, Any]:
        return {}


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    known: int


class Narrow(BaseModel):
    x: int


class Wide(BaseModel):
    x: int
    y: int = 0


class Names(RootModel[list[Narrow]]):
    pass


@dataclasses.dataclass
class Point:
    x: int = 0
    inner: Narrow | None = None
    area: int = dataclasses.field(default=7, init=False)


@dataclasses.dataclass(slots=True)
class Slim:
    x: int


class Row(TypedDict):
    cell: Narrow


class Pair(NamedTuple):
    left: Narrow
    right: int


shelf = Table("Shelf")


class Box(Entity, table=shelf):
    keys = Keys("BOX#{id}", "BOX#{id}")
    id: str
    secret: Secret | None = None
    secrets: list[Secret] = Field(default_factory=list)
    by_name: dict[str, Secret | Hidden] = Field(default_factory=dict)
    either: Wide | Narrow | None = None
    open: Open | None = None
    names: Names | None = None
    point: Point | None = None
    slim: Slim | None = None
    row: Row | None = None
    level: int = 0


PLAN = shelf.plan.of(Box)
SECRET = Secret(password="hunter2", note="precious", rate=Decimal("0.12345678901234567890"), zip="12345")


def stored(box: Box) -> Any:
    return PLAN.decode({**PLAN.encode_fields(PLAN.validated(box)), **PLAN.key({"id": box.id})})


def test_serializers_do_not_touch_what_is_stored() -> None:
    box = Box(id="1", secret=SECRET, secrets=[SECRET], by_name={"a": SECRET, "b": Hidden(x=5)})
    assert stored(box) == box
    assert PLAN.paths.accept(("secret",), SECRET) == SECRET
    assert PLAN.paths.accept(("by_name", "k"), SECRET) == SECRET
    assert PLAN.paths.accept_member(("secrets",), SECRET) == SECRET


def test_a_model_stays_of_its_class_and_keeps_what_it_has_beside_its_fields() -> None:
    box = Box(
        id="1",
        either=Narrow(x=1),
        open=Open.model_validate({"known": 1, "more": [1]}),
        names=Names([Narrow(x=1)]),
        point=Point(1, Narrow(x=2)),
        slim=Slim(3),
        row={"cell": Narrow(x=4)},
    )
    assert stored(box) == box
    assert type(stored(box).either) is Narrow


def changed(path: str, value: Any) -> Box:
    box = Box(
        id="1",
        secrets=[SECRET, Secret(password="b")],
        by_name={"a": Hidden(x=5)},
        either=Narrow(x=1),
        names=Names([Narrow(x=1)]),
        point=Point(1, Narrow(x=2)),
        slim=Slim(3),
        row={"cell": Narrow(x=4)},
    )
    *steps, last = path.split(".")
    target: Any = box
    for step in steps:
        target = (
            target[int(step)]
            if isinstance(target, list)
            else target[step]
            if isinstance(target, dict)
            else getattr(target, step)
        )
    target.__setattr__(last, value)
    return box


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("secrets.1.password", "secrets.1.password"),
        ("by_name.a.x", "by_name.a.x"),
        ("either.x", "either.x"),
        ("names.root.0.x", "names.0.x"),
        ("point.x", "point.x"),
        ("point.inner.x", "point.inner.x"),
        ("slim.x", "slim.x"),
        ("row.cell.x", "row.cell.x"),
    ],
)
def test_what_was_changed_in_place_to_a_wrong_type_is_refused_with_its_place(path: str, named: str) -> None:
    with pytest.raises(FieldTypeError) as caught:
        PLAN.validated(changed(path, 1.5))
    assert caught.value.message.startswith(f"Box.{named}: Input should be")
    assert caught.value.field == named


def test_a_value_changed_in_place_is_normalised_like_any_other() -> None:
    assert stored(changed("point.x", True)).point.x == 1
    with pytest.raises(FieldTypeError):
        PLAN.paths.accept_member(("secrets",), changed("secrets.1.password", 1.5).secrets[1])


def test_which_types_hold_records() -> None:
    for kind in (
        Narrow,
        Point,
        Row,
        Pair,
        Names,
        list[Narrow],
        dict[str, list[Point]],
        int | Narrow,
        tuple[int, Point],
    ):
        assert holds_records(kind), kind
    for plain in (int, list[str], dict[str, int | None], set[int], Any):
        assert not holds_records(plain), plain


def test_named_tuples_are_rebuilt_as_such() -> None:
    pair = Pair(Narrow(x=1), 2)
    assert revalidated(pair) == pair
    assert type(revalidated(pair)) is Pair


class Taller(Narrow):
    height: int


class Same(Narrow):
    """Nothing more than its base."""


@dataclasses.dataclass
class Deeper(Point):
    depth: int = 0


@pytest.mark.parametrize(
    ("box", "message"),
    [
        (
            Box(id="1", either=Taller(x=1, height=2)),
            "Box.either: it holds a Taller, whose field 'height' is none of Narrow's.",
        ),
        (Box(id="1", names=Names([Taller(x=1, height=2)])), "Box.names: it holds a Taller"),
        (Box(id="1", point=Deeper(depth=5)), "Box.point: it holds a Deeper, whose field 'depth' is none of Point's."),
    ],
    ids=["model", "in a list", "dataclass"],
)
def test_a_subclass_that_would_lose_fields_is_refused(box: Box, message: str) -> None:
    with pytest.raises(FieldTypeError) as caught:
        PLAN.encode_fields(PLAN.validated(box))
    assert caught.value.message.startswith(message)


def test_a_subclass_without_more_fields_is_stored_as_its_base() -> None:
    assert stored(Box(id="1", either=Same(x=1))).either == Narrow(x=1)
