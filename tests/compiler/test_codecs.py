"""What is written is what is read: every field type travels to the wire and back, or is refused at definition."""

import dataclasses
import enum
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from functools import cache
from ipaddress import IPv4Address
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, NamedTuple, NewType, NotRequired, Optional
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import (
    Base64Bytes,
    Base64Str,
    BaseModel,
    ConfigDict,
    Field,
    HttpUrl,
    Json,
    JsonValue,
    RootModel,
    SecretStr,
    TypeAdapter,
    field_serializer,
)
from typing_extensions import TypedDict

from tablewright import Entity, Epoch, Keys, NaturalKey, Table
from tablewright.compiler.codecs import codec_for
from tablewright.compiler.wirecodec import WireCodec, format_datetime, parse_datetime
from tablewright.errors import (
    DecodeError,
    EmptySetError,
    FieldTypeError,
    ModelError,
    NumberError,
    TablewrightError,
)
from tablewright.values import check_item, check_value

# --------------------------------------------------------------------------------------------------- the types


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 10


class Mood(enum.StrEnum):
    GOOD = "good"
    BAD = "bad"


class Access(enum.Flag):
    READ = enum.auto()
    WRITE = enum.auto()


class Point(BaseModel):
    x: int
    y: Decimal = Decimal(0)
    label: str | None = None
    fallback: str | None = "somewhere"
    tags: set[str] = Field(default_factory=set)
    required_none: int | None


class Node(BaseModel):
    name: str
    children: "list[Node]" = Field(default_factory=list)


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    known: int


@dataclasses.dataclass
class Box:
    width: int
    note: str | None = None
    moment: date = date(2025, 1, 1)


@dataclasses.dataclass(slots=True, frozen=True)
class Slotted:
    width: Decimal


class Row(TypedDict):
    cell: datetime
    extra: NotRequired[bytes]


class Cell(TypedDict):
    width: int


class Pair(NamedTuple):
    left: int
    right: Decimal


class Masked(BaseModel):
    word: str

    @field_serializer("word")
    def mask(self, value: str) -> str:
        return "***"


class Held(NamedTuple):
    masked: Masked
    count: int


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    lives: int = 1


class Square(BaseModel):
    side: int


class Rectangle(BaseModel):
    side: int
    other: int


class Stamp(datetime):
    """As other libraries have them."""


class Names(RootModel[list[str]]):
    pass


UserId = NewType("UserId", str)

# ---------------------------------------------------------------------------------------------- their values

TEXT = st.text(max_size=20)
NAME = st.text(min_size=1, max_size=9)
NUMBER = st.one_of(
    st.integers(-(10**37), 10**37),
    st.decimals(allow_nan=False, allow_infinity=False, places=5, min_value=-(10**20), max_value=10**20),
)
DECIMAL = NUMBER.map(Decimal)
MOMENT = st.datetimes(
    datetime(1, 1, 2),
    datetime(9999, 12, 30),
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=-5, minutes=-30))]),
)
DURATION = st.timedeltas(timedelta(days=-(10**6)), timedelta(days=10**6))
FLOAT = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e100, max_value=1e100).filter(
    lambda f: f == 0 or abs(f) > 1e-100
)


def points() -> st.SearchStrategy[Point]:
    return st.builds(
        Point,
        x=st.integers(-(10**9), 10**9),
        y=DECIMAL,
        label=st.none() | TEXT,
        fallback=st.none() | TEXT,
        tags=st.sets(TEXT, max_size=3),
        required_none=st.none() | st.integers(0, 5),
    )


CASES: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "str": (str, TEXT),
    "int": (int, st.integers(-(10**38) + 1, 10**38 - 1)),
    "Decimal": (Decimal, DECIMAL),
    "float": (float, FLOAT),
    "bool": (bool, st.booleans()),
    "bytes": (bytes, st.binary(max_size=20)),
    "datetime": (datetime, MOMENT),
    "date": (date, st.dates()),
    "time": (time, st.times()),
    "timedelta": (timedelta, DURATION),
    "UUID": (UUID, st.uuids()),
    "NewType": (UserId, TEXT),
    "natural key": (NaturalKey, st.text("abc ", min_size=1, max_size=5).filter(str.strip)),
    "epoch s": (Annotated[datetime, Epoch("s")], MOMENT),
    "epoch ms": (Annotated[datetime, Epoch("ms")], MOMENT),
    "epoch us": (Annotated[datetime, Epoch("us")], MOMENT),
    "optional epoch": (Annotated[datetime, Epoch()] | None, st.none() | MOMENT),
    "enum": (Color, st.sampled_from(Color)),
    "int enum": (Level, st.sampled_from(Level)),
    "str enum": (Mood, st.sampled_from(Mood)),
    "literal": (Literal["a", "b"], st.sampled_from(["a", "b"])),
    "mixed literal": (Literal["a", 1], st.sampled_from(["a", 1])),
    "list": (list[int], st.lists(st.integers(-9, 9))),
    "bare list": (list, st.lists(st.integers(-9, 9) | TEXT)),
    "list of optional": (list[int | None], st.lists(st.none() | st.integers(0, 9))),
    "tuple": (tuple[int, ...], st.lists(st.integers(0, 9)).map(tuple)),
    "fixed tuple": (tuple[int, str, date], st.tuples(st.integers(0, 9), TEXT, st.dates())),
    "set of str": (set[str], st.sets(TEXT, min_size=1)),
    "set of int": (set[int], st.sets(st.integers(-9, 9), min_size=1)),
    "set of Decimal": (set[Decimal], st.sets(DECIMAL, min_size=1, max_size=5)),
    "set of bytes": (frozenset[bytes], st.frozensets(st.binary(max_size=5), min_size=1)),
    "set of enum": (set[Color], st.sets(st.sampled_from(Color), min_size=1)),
    "set of UUID": (set[UUID], st.sets(st.uuids(), min_size=1, max_size=3)),
    "map": (dict[str, int], st.dictionaries(NAME, st.integers(0, 9))),
    "bare map": (dict, st.dictionaries(NAME, st.integers(0, 9))),
    "map by enum": (dict[Color, date], st.dictionaries(st.sampled_from(Color), st.dates())),
    "map by int": (dict[int, str], st.dictionaries(st.integers(-9, 9), TEXT)),
    "map of maps": (
        dict[str, dict[str, list[bool]]],
        st.dictionaries(NAME, st.dictionaries(NAME, st.lists(st.booleans()))),
    ),
    "model": (Point, points()),
    "optional model": (Optional[Point], st.none() | points()),  # noqa: UP045
    "models": (list[Point], st.lists(points(), max_size=3)),
    "model in itself": (
        Node,
        st.recursive(
            st.builds(Node, name=TEXT),
            lambda c: st.builds(Node, name=TEXT, children=st.lists(c, max_size=2)),
            max_leaves=5,
        ),
    ),
    "open model": (Open, st.builds(Open, known=st.integers(0, 9), more=TEXT, parts=st.lists(st.integers(0, 9)))),
    "root model": (Names, st.lists(TEXT).map(Names)),
    "dataclass": (Box, st.builds(Box, width=st.integers(0, 9), note=st.none() | TEXT, moment=st.dates())),
    "slotted dataclass": (Slotted, st.builds(Slotted, width=DECIMAL)),
    "typed dict": (Row, st.fixed_dictionaries({"cell": MOMENT}, optional={"extra": st.binary(max_size=3)})),
    "named tuple of models": (Held, st.builds(Held, st.builds(Masked, word=TEXT), st.integers(0, 9))),
    "sequence": (Sequence[Masked], st.lists(st.builds(Masked, word=TEXT))),
    "mapping": (Mapping[str, Masked], st.dictionaries(NAME, st.builds(Masked, word=TEXT))),
    "queue": (deque[int], st.lists(st.integers(0, 9)).map(deque)),
    "named tuple": (Pair, st.builds(Pair, st.integers(0, 9), DECIMAL)),
    "anything": (
        Any,
        st.recursive(
            st.none() | st.booleans() | st.integers(-9, 9) | TEXT,
            lambda c: st.lists(c) | st.dictionaries(NAME, c),
            max_leaves=5,
        ),
    ),
    "json": (
        JsonValue,
        st.recursive(
            st.none() | st.booleans() | st.integers(-9, 9) | TEXT,
            lambda c: st.lists(c) | st.dictionaries(NAME, c),
            max_leaves=5,
        ),
    ),
    "flags": (Access, st.sampled_from([Access.READ, Access.READ | Access.WRITE, Access(0), ~Access.READ])),
    "flags or text": (Access | str, st.just(Access.READ | Access.WRITE) | TEXT),
    "url": (HttpUrl, st.sampled_from(["https://example.com/a?b=c", "http://x.org/"]).map(HttpUrl)),
    "address": (IPv4Address, st.ip_addresses(v=4)),
    "path": (PurePosixPath, st.sampled_from(["/a/b", "c"]).map(PurePosixPath)),
    "text or number": (str | int | Decimal, TEXT | NUMBER),
    "date or datetime": (date | datetime, st.dates() | MOMENT),
    "datetime or date": (datetime | date, st.dates() | MOMENT),
    "times and ids": (date | datetime | time | UUID, st.dates() | MOMENT | st.times() | st.uuids()),
    "bool or int": (int | bool, st.booleans() | st.integers(-9, 9)),
    "text or list": (str | list[str] | None, st.none() | TEXT | st.lists(TEXT)),
    "literal or text": (Literal["x"] | str, TEXT),
    "str enum or text": (Mood | str, st.sampled_from(Mood) | TEXT),
    "tagged models": (Cat | Dog, st.builds(Cat, lives=st.integers(0, 9)) | st.builds(Dog, lives=st.integers(0, 9))),
    "discriminated": (
        Annotated[Cat | Dog, Field(discriminator="kind")],
        st.builds(Cat, lives=st.integers(0, 9)) | st.builds(Dog, lives=st.integers(0, 9)),
    ),
    "models by parts": (
        Square | Rectangle,
        st.builds(Square, side=st.integers(0, 9))
        | st.builds(Rectangle, side=st.integers(0, 9), other=st.integers(0, 9)),
    ),
    "bytes or text": (bytes | str, st.binary(max_size=3) | TEXT),
    "lists of dates or datetimes": (list[date] | list[datetime], st.lists(st.dates()) | st.lists(MOMENT)),
    "lists of numbers or texts": (list[int] | list[str], st.lists(st.integers(-9, 9)) | st.lists(TEXT)),
    "lists of texts or bytes": (list[str] | list[bytes], st.lists(TEXT) | st.lists(st.binary(max_size=3))),
    "lists of flags or numbers": (list[int] | list[bool], st.lists(st.integers(-9, 9)) | st.lists(st.booleans())),
    "lists with gaps": (list[int | None] | list[str | None], st.lists(st.none() | st.integers(-9, 9)) | st.lists(TEXT)),
    "lists of lists": (
        list[list[int]] | list[list[str]],
        st.lists(st.lists(st.integers(-9, 9))) | st.lists(st.lists(TEXT)),
    ),
    "lists of models": (
        list[Square] | list[Rectangle] | list[Square | Cat],
        st.lists(st.builds(Square, side=st.integers(0, 9)))
        | st.lists(st.builds(Rectangle, side=st.integers(0, 9), other=st.integers(0, 9)))
        | st.lists(st.builds(Square, side=st.integers(0, 9)) | st.builds(Cat, lives=st.integers(0, 9))),
    ),
    "sets of numbers or texts": (
        set[int] | set[str],
        st.sets(st.integers(0, 9), min_size=1) | st.sets(TEXT, min_size=1),
    ),
    "sets of dates or datetimes": (
        set[date] | set[datetime],
        st.sets(st.dates(), min_size=1) | st.sets(MOMENT, min_size=1),
    ),
    "typed dicts": (
        Row | Cell,
        st.fixed_dictionaries({"cell": MOMENT}, optional={"extra": st.binary(max_size=3)})
        | st.fixed_dictionaries({"width": st.integers(0, 9)}),
    ),
    "mixed literals": (Literal["a", 1, True, False], st.sampled_from(["a", 1, True, False])),
    "sets": (set[int] | frozenset[str], st.sets(st.integers(0, 9), min_size=1) | st.frozensets(TEXT, min_size=1)),
}


@cache
def tools(name: str) -> tuple[TypeAdapter[Any], WireCodec]:
    return TypeAdapter(CASES[name][0]), codec_for(CASES[name][0])


@pytest.mark.parametrize("name", CASES)
@given(data=st.data())
def test_every_type_reads_back_as_it_was_written(name: str, data: st.DataObject) -> None:
    adapter, codec = tools(name)
    value = adapter.validate_python(data.draw(CASES[name][1]))
    wire = codec.encode(value)
    check_value(wire, "a")
    assert codec.tag is None or set(wire) == {codec.tag}
    again = codec.decode(wire)
    assert again == value
    assert type(again) is type(value) or isinstance(value, int | float | Decimal | str)


# ---------------------------------------------------------------------------------------------- whole entities

table = Table("Codecs")


class Everything(Entity, table=table, version=True, schema_version=2):
    keys = Keys("E#{id}", "E#{day}")
    id: str
    day: date
    text: str
    small: Annotated[int, Field(ge=0, le=9)] = 3
    maybe: str | None = None
    never_left_out: str | None = "default"
    must_say: int | None
    made: list[int] = Field(default_factory=lambda: [1, 2])
    tags: set[str] = Field(default_factory=set)
    marks: set[int] | None = None
    hints: frozenset[str] | None = frozenset()
    point: Point
    points: list[Point] = Field(default_factory=list)
    expires: Annotated[datetime, Epoch()] | None = None
    pet: Cat | Dog = Cat()
    price: Decimal = Decimal("1.50")
    blob: bytes = b""


class Nested(
    Entity, table=table, nested="body", flat=["status"], stored={"text": "t", "status": "s"}, timestamps=False
):
    keys = Keys("N#{id}", "N#{id}")
    id: str
    status: str = "new"
    text: str
    maybe: str | None = None
    points: list[Point] = Field(default_factory=list)


class Lax(Entity, table=table, nested="body"):
    keys = Keys("L#{id}", "L#{id}")
    id: str
    count: int = 0


def everything() -> st.SearchStrategy[Everything]:
    return st.builds(
        Everything,
        id=st.text(min_size=1, max_size=9),
        day=st.dates(),
        text=TEXT,
        small=st.integers(0, 9),
        maybe=st.none() | TEXT,
        never_left_out=st.none() | TEXT,
        must_say=st.none() | st.integers(0, 5),
        made=st.lists(st.integers(0, 5), max_size=3),
        tags=st.sets(TEXT, max_size=3),
        marks=st.none() | st.sets(st.integers(0, 9), min_size=1, max_size=3),
        hints=st.none() | st.frozensets(TEXT, max_size=2),
        point=points(),
        points=st.lists(points(), max_size=2),
        expires=st.none() | MOMENT,
        pet=st.builds(Cat) | st.builds(Dog),
        price=DECIMAL,
        blob=st.binary(max_size=5),
    )


def nested() -> st.SearchStrategy[Nested]:
    return st.builds(
        Nested,
        id=st.text(min_size=1, max_size=9),
        status=TEXT,
        text=TEXT,
        maybe=st.none() | TEXT,
        points=st.lists(points(), max_size=2),
    )


def to_item(entity: Entity) -> dict[str, Any]:
    plan = table.plan.of(type(entity))
    values = plan.validated(entity)
    return {**plan.encode_fields(values), **plan.key(values), plan.names.type: {"S": plan.options.type}}


@given(everything() | nested())
def test_entities_read_back_as_they_were_written(entity: Entity) -> None:
    item = to_item(entity)
    check_item(item)
    again = table.plan.decode(item)
    assert again == entity
    assert type(again) is type(entity)
    assert again.model_dump() == entity.model_dump()
    assert type(entity).model_validate(again.model_dump()) == entity, "what is read is valid"


def test_where_fields_are_stored() -> None:
    item = to_item(Nested(id="i", text="x"))
    assert item == {
        "PK": {"S": "N#i"},
        "SK": {"S": "N#i"},
        "Type": {"S": "Nested"},
        "id": {"S": "i"},
        "s": {"S": "new"},
        "body": {"M": {"t": {"S": "x"}, "points": {"L": []}}},
    }


def test_none_is_left_out_only_where_it_is_the_default() -> None:
    point = Point(x=1, fallback=None, required_none=None)
    entity = Everything(
        id="i", day=date(2025, 1, 1), text="", never_left_out=None, must_say=None, point=point, hints=None
    )
    item = to_item(entity)
    assert item["never_left_out"] == item["must_say"] == item["hints"] == {"NULL": True}
    assert not {"maybe", "tags", "marks", "expires"} & set(item)
    assert item["point"] == {
        "M": {"x": {"N": "1"}, "y": {"N": "0"}, "fallback": {"NULL": True}, "required_none": {"NULL": True}}
    }


def test_what_other_writers_left_is_read_kindly() -> None:
    entity = Everything(id="i", day=date(2025, 1, 1), text="t", must_say=1, point=Point(x=1, required_none=None))
    item = {**to_item(entity), "maybe": {"NULL": True}, "unknown": {"S": "x"}, "day": {"S": "2025-01-01T10:00:00Z"}}
    del item["price"], item["made"]
    assert table.plan.decode(item) == entity
    assert parse_datetime("2025-01-01T10:00:00") == datetime(2025, 1, 1, 10, tzinfo=UTC)
    assert (
        format_datetime(datetime(2025, 1, 1, 10, tzinfo=timezone(timedelta(hours=2)))) == "2025-01-01T08:00:00.000000Z"
    )
    assert format_datetime(Stamp(2025, 1, 1, tzinfo=UTC)) == "2025-01-01T00:00:00.000000Z"
    assert codec_for(int).decode({"N": "1E+3"}) == 1000
    assert codec_for(int).decode({"N": "2.0"}) == 2
    lax = {"PK": {"S": "L#i"}, "SK": {"S": "L#i"}, "id": {"S": "i"}, "Type": {"S": "Lax"}}
    assert table.plan.decode(lax) == Lax(id="i"), "a map that is not there at all"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"text": None}, "lacks 'text' (attribute 'text'), which has no default"),
        ({"text": {"N": "1"}}, "has a 'text' (attribute 'text', type N) that does not fit its field"),
        ({"text": {"NULL": True}}, "has a 'text' (attribute 'text', type NULL)"),
        ({"small": {"N": "1.5"}}, "has a 'small' (attribute 'small', type N)"),
        ({"day": {"S": "tomorrow"}}, "has a 'day' (attribute 'day', type S)"),
        ({"point": {"M": {"x": {"S": "a"}}}}, "has a 'point' (attribute 'point', type M)"),
        ({"pet": {"M": {"kind": {"S": "cow"}}}}, "has a 'pet' (attribute 'pet', type M)"),
        ({"tags": {"L": []}}, "has a 'tags' (attribute 'tags', type L)"),
    ],
)
def test_items_that_do_not_fit_name_the_field_and_hide_the_value(change: dict[str, Any], message: str) -> None:
    entity = Everything(id="i", day=date(2025, 1, 1), text="t", must_say=1, point=Point(x=1, required_none=None))
    item = {k: v for k, v in {**to_item(entity), **change}.items() if v is not None}
    with pytest.raises(DecodeError) as caught:
        table.plan.decode(item)
    assert message in str(caught.value)
    assert "tomorrow" not in str(caught.value)
    assert "cow" not in str(caught.value)


def test_a_nested_field_is_named_with_its_map() -> None:
    item = {**to_item(Nested(id="i", text="x")), "body": {"M": {}}}
    with pytest.raises(DecodeError, match=r"lacks 'text' \(attribute 'body.t'\)"):
        table.plan.decode(item)
    with pytest.raises(DecodeError, match=r"lacks 'text' \(attribute 'body.t'\)"):
        table.plan.decode({**item, "body": {"S": "no map"}})


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (
            lambda e: e.__dict__.update(expires=datetime(2025, 1, 1)),
            FieldTypeError,
            "Everything.expires: a datetime without",
        ),
        (lambda e: e.__dict__.update(marks=set()), EmptySetError, "Everything.marks: DynamoDB has no empty sets"),
        (lambda e: e.__dict__.update(price=Decimal("1e200")), NumberError, "Everything.price: "),
        (
            lambda e: setattr(e.point, "x", "no number"),
            FieldTypeError,
            "Everything.point",
        ),
        (lambda e: e.points.append("no point"), FieldTypeError, "Everything.points"),
    ],
)
def test_values_that_cannot_be_stored_name_the_field(change: Any, error: type[TablewrightError], message: str) -> None:
    entity = Everything(id="i", day=date(2025, 1, 1), text="t", must_say=1, point=Point(x=1, required_none=None))
    change(entity)
    with pytest.raises(error) as caught:
        to_item(entity)
    assert type(caught.value) is error
    assert message in str(caught.value)


# -------------------------------------------------------------------------------------------------- what is refused


class Fish(BaseModel):
    name: str


class Bird(BaseModel):
    name: str
    wings: int | None = None


class Aliased(BaseModel):
    name: str = Field(alias="Name")


class Tolerant(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    name: str = Field(alias="Name")


class Shape(enum.Enum):
    LINE = (0, 1)


class Clash(enum.Enum):
    TEXT = "2025-01-01"
    DAY = date(2025, 1, 1)


class Deep(BaseModel):
    inner: list[set[list[int]]]


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (str | date, "str and date cannot be told apart when they are read"),
        (UUID | str, "UUID and str cannot be told apart"),
        (Color | str, "Color and str cannot be told apart"),
        (Decimal | float, "Decimal and float cannot be told apart"),
        (int | float, "int and float cannot be told apart"),
        (int | timedelta, "int and timedelta cannot be told apart"),
        (int | Annotated[datetime, Epoch()], "int and datetime cannot be told apart"),
        (list[int] | tuple[int, ...], r"list\[int\] and tuple\[int, ...\] cannot be told apart"),
        (list[str] | list[date], r"list\[str\] and list\[datetime.date\] cannot be told apart"),
        (set[str] | set[date], r"set\[str\] and set\[datetime.date\] cannot be told apart"),
        (list[Fish] | list[Bird], "cannot be told apart"),
        (list[Any] | list[int], "cannot be told apart"),
        (Clash, "Clash has two values that are stored alike"),
        (Fish | Bird, "Fish and Bird cannot be told apart"),
        (dict[str, int] | Fish, r"dict\[str, int\] and Fish cannot be told apart"),
        (Open | Fish, "Open and Fish cannot be told apart"),
        (HttpUrl | str, "HttpUrl cannot be part of a union"),
        (set[bool], "A set can hold texts, numbers or bytes only"),
        (set[list[int]], "A set can hold texts, numbers or bytes only"),
        (set, "A set can hold texts, numbers or bytes only"),
        (dict[tuple[int, int], str], "A map cannot have tuple"),
        (Annotated[date, Epoch()], r"Epoch\(\) belongs on a datetime"),
        (Base64Bytes, "bytes with EncodedBytes decodes what it is given, each time it is validated"),
        (list[Base64Str | None], "str with EncodedStr decodes"),
        (Json, "Json parses what it is given"),
        (dict[str, Json[list[int]]], "Json parses what it is given"),
        (deque[Masked], r"deque\[.*Masked\] cannot hold models"),
        (Iterable[int], r"Iterable\[int\] can be read only once"),
        (SecretStr, "A secret would be stored as asterisks"),
        (Shape, "Shape has values that cannot be stored and found again"),
        (Aliased, "Aliased.name has an alias, so it cannot be built by its name"),
        (Deep, "Deep.inner: A set can hold"),
        (list[Deep], "Deep.inner: A set can hold"),
    ],
)
def test_types_that_could_not_be_read_back_are_refused(annotation: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        codec_for(annotation)


def test_refusals_name_entity_and_field() -> None:
    with pytest.raises(ModelError, match=r"Vague\.when: str and date cannot be told apart"):

        class Vague(Entity, table=Table("Vague")):
            keys = Keys("V#{id}", "V#{id}")
            id: str
            when: str | date

    with pytest.raises(ModelError, match=r"Late\.label: its default is made from other fields"):

        class Late(Entity, table=Table("Late")):
            keys = Keys("V#{id}", "V#{id}")
            id: str
            label: str = Field(default_factory=lambda data: data["id"])


def test_an_alias_is_fine_where_the_name_works_too() -> None:
    codec = codec_for(Tolerant)
    assert codec.encode(Tolerant(name="x")) == {"M": {"name": {"S": "x"}}}
    assert codec.decode({"M": {"name": {"S": "x"}}}) == Tolerant(name="x")


def test_one_and_true_are_two_values() -> None:
    literal = codec_for(Literal["a", 1, True])
    assert [literal.decode(literal.encode(v)) is v for v in ("a", 1, True)] == [True] * 3
    lists = codec_for(list[int] | list[bool])
    assert (lists.encode([1]), lists.encode([True])) == ({"L": [{"N": "1"}]}, {"L": [{"BOOL": True}]})


def test_values_of_no_member_of_a_union() -> None:
    codec = codec_for(Cat | list[int])
    with pytest.raises(TypeError, match="none of the declared types"):
        codec.encode("text")
    with pytest.raises(ValueError, match="none of the declared types"):
        codec.decode({"S": "text"})


def test_infinity_has_no_wire_form() -> None:
    with pytest.raises(NumberError, match="NaN and infinity cannot be stored"):
        codec_for(float).encode(float("inf"))
