"""The promises of the key codec on generated tuples: injective, exact, in order, and ranges that hold descendants only.

Each hypothesis example is a seed from which hundreds of tuples are drawn, many of them near misses of each other.
"""

import random
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum
from types import MappingProxyType
from typing import Any, Literal, NamedTuple
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright.errors import KeyTemplateError, KeyValueError
from tablewright.values.keycodec import (
    BoundTemplate,
    KeyStyle,
    KeyTemplate,
    closed_below,
    field_range,
    may_equal,
    may_fall_in,
    part_for,
    subtree,
)

EXAMPLES = 520
TUPLES = 200


class Status(Enum):
    PENDING = "PENDING"
    SHIPPED = "SHIPPED"
    ODD = "a#b $%"


class Level(IntEnum):
    LOW = 1
    HIGH = 9


# ------------------------------------------------------------------------------------------------ drawing values

NASTY = [
    *'#$%&!" \x00\x01\x1f\x7f-0129aAzZ~.',
    "\u00e9",
    "\u07ff",
    "\ud7ff",
    "\ue000",
    "\uffff",
    "\U00010000",
    "😀",
    "\U0010ffff",
]
IDS = [
    "1",
    "10",
    "1-x",
    "1#",
    "1$",
    "1%",
    "1%23",
    "11",
    "2",
    "a",
    "a#b",
    "a%23b",
    "#",
    "$",
    "%",
    "\x00",
    "%24",
    "1\U0010ffff",
]


def a_string(draw: random.Random) -> str:
    if draw.random() < 0.4:
        return draw.choice(IDS)
    return "".join(draw.choice(NASTY) for _ in range(draw.choice((1, 1, 2, 3, 6))))


def a_padded(draw: random.Random) -> int:
    return draw.choice((draw.randint(-9, 9), draw.randint(-(10**8) + 1, 10**8 - 1), 10**8 - 1, 1 - 10**8, 0))


def a_count(draw: random.Random) -> int:
    return draw.choice((draw.randint(0, 12), draw.randint(0, 9999)))


def an_int(draw: random.Random) -> int:
    digits = draw.choice((1, 2, 3, 9, 25, 26, 27, 38))
    return draw.choice((-1, 1)) * draw.randint(0, 10**digits - 1) * draw.choice((1, 1, 10, 10 ** draw.randint(0, 80)))


def a_decimal(draw: random.Random) -> Decimal:
    if draw.random() < 0.4:
        return Decimal(
            draw.choice(("0", "1", "-1", "1.5", "-1.5", "1.54", "-1.54", "0.1", "0.01", "-0.01", "10", "9.99"))
        )
    digits = "".join(draw.choice("0123456789") for _ in range(draw.choice((1, 2, 5, 38))))
    sign = draw.choice("-+")
    exponent = draw.randint(-130, 125 - len(digits) + 1) if draw.random() < 0.5 else -draw.randint(0, 4)
    return Decimal(f"{sign}{digits}e{exponent}")


def a_price(draw: random.Random) -> Decimal:
    return Decimal(draw.randint(-99999999, 99999999)).scaleb(-2)


EXTREMES = [
    datetime(1, 1, 1, tzinfo=UTC),
    datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    datetime(2000, 2, 29, tzinfo=timezone(timedelta(hours=-12))),
]


def a_datetime(draw: random.Random) -> datetime:
    if draw.random() < 0.2:
        return draw.choice(EXTREMES)
    zone = timezone(timedelta(minutes=draw.randint(-720, 840)))
    moment = datetime(2024, 1, 1, tzinfo=zone) + timedelta(
        microseconds=draw.choice((1, 10**6, 10**11)) * draw.randint(-9, 9)
    )
    return moment.astimezone(draw.choice((UTC, zone)))


def a_date(draw: random.Random) -> date:
    return date.fromordinal(draw.choice((1, 3652059, draw.randint(1, 3652059), draw.randint(738000, 738005))))


def a_uuid(draw: random.Random) -> UUID:
    return UUID(int=draw.choice((0, 2**128 - 1, draw.getrandbits(128), draw.getrandbits(3))))


def some_bytes(draw: random.Random) -> bytes:
    return bytes(draw.choice((0, 1, 35, 36, 127, 128, 255)) for _ in range(draw.choice((1, 1, 2, 3))))


class Part(NamedTuple):
    annotation: Any
    draw: Callable[[random.Random], Any]
    spec: str = ""
    more: Mapping[str, Any] = MappingProxyType({})
    rank: Callable[[Any], Any] = lambda value: value


PARTS = {
    "str": Part(str, a_string),
    "padded": Part(int, a_padded, ":08"),
    "count": Part(int, a_count, ":4", {"ge": 0}),
    "int": Part(int, an_int),
    "decimal": Part(Decimal, a_decimal),
    "price": Part(Decimal, a_price, ":8.2"),
    "bool": Part(bool, lambda draw: draw.random() < 0.5),
    "datetime": Part(datetime, a_datetime),
    "date": Part(date, a_date),
    "uuid": Part(UUID, a_uuid),
    "bytes": Part(bytes, some_bytes),
    "enum": Part(Status, lambda draw: draw.choice(list(Status)), rank=lambda member: member.value),
    "int_enum": Part(Level, lambda draw: draw.choice(list(Level))),
}


class Shape(NamedTuple):
    """A bound template with one part kind for each field, and how to draw tuples for it."""

    bound: BoundTemplate
    kinds: tuple[Part, ...]

    def values(self, row: tuple[Any, ...]) -> dict[str, Any]:
        return {f"f{position}": value for position, value in enumerate(row)}

    def row(self, draw: random.Random, near: list[tuple[Any, ...]]) -> tuple[Any, ...]:
        fresh = tuple(kind.draw(draw) for kind in self.kinds)
        if fresh and near and draw.random() < 0.6:
            # A near miss: the same beginning as an earlier tuple.
            kept = draw.randint(0, len(fresh) - 1)
            return draw.choice(near)[:kept] + fresh[kept:]
        return fresh

    def rows(self, draw: random.Random, count: int) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = []
        for _ in range(count):
            rows.append(self.row(draw, rows))
        return rows

    def rank(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(kind.rank(value) for kind, value in zip(self.kinds, row, strict=True))


def a_shape(draw: random.Random, style: KeyStyle | None = None, kinds: list[str] | None = None) -> Shape:
    style = style or KeyStyle()
    chosen = [draw.choice(kinds or list(PARTS)) for _ in range(draw.randint(1, 4))]
    parts: list[str] = []
    for position, name in enumerate(chosen):
        if draw.random() < 0.5:
            parts.append(draw.choice(("ORDER", "1", "a", "~", "T-x")))
        parts.append(f"{{f{position}{PARTS[name].spec}}}")
    if draw.random() < 0.2:
        parts.append("END")
    template = KeyTemplate.parse(style.separator.join(parts), style)
    return bind(template, tuple(PARTS[name] for name in chosen))


def bind(template: KeyTemplate, kinds: tuple[Part, ...]) -> Shape:
    codecs = {}
    for position, kind in enumerate(kinds):
        width, _, fraction = kind.spec.removeprefix(":").partition(".")
        codecs[f"f{position}"] = part_for(
            kind.annotation,
            width=int(width) if width else None,
            fraction=int(fraction) if fraction else None,
            style=template.style,
            **kind.more,
        )
    return Shape(BoundTemplate(template, codecs, entity="Thing"), kinds)


# ----------------------------------------------------------------------------------------------------- promises


def check_round_trip_and_order(shape: Shape, rows: list[tuple[Any, ...]]) -> dict[str, tuple[Any, ...]]:
    by_text: dict[str, tuple[Any, ...]] = {}
    by_row: dict[tuple[Any, ...], str] = {}
    for row in rows:
        text = shape.bound.encode(shape.values(row))
        assert shape.bound.decode(text) == shape.values(row)
        assert by_text.setdefault(text, row) == row
        assert by_row.setdefault(row, text) == text
    in_order = sorted(by_row, key=shape.rank)
    texts = [by_row[row].encode() for row in in_order]
    assert texts == sorted(texts)
    return by_text


def check_subtrees(draw: random.Random, shape: Shape, by_text: dict[str, tuple[Any, ...]]) -> None:
    segments = shape.bound.segments
    for parent in draw.sample(list(by_text.values()), min(5, len(by_text))):
        count = draw.randint(1, len(segments))
        kept = sum(len(segment.fields) for segment in segments[:count])
        keys = subtree(shape.bound, shape.values(parent), count)
        assert keys.prefix is None
        for text, row in by_text.items():
            assert (text in keys) == (row[:kept] == parent[:kept])


def test_tuples_are_injective_exact_ordered_and_held_by_their_parents_range() -> None:
    tuples = 0

    @settings(max_examples=EXAMPLES)
    @given(st.integers(0, 2**64 - 1))
    def check(seed: int) -> None:
        nonlocal tuples
        draw = random.Random(seed)
        shape = a_shape(draw)
        rows = shape.rows(draw, TUPLES)
        by_text = check_round_trip_and_order(shape, rows)
        check_subtrees(draw, shape, by_text)
        tuples += len(rows)

    check()
    assert tuples >= 100_000


@given(st.lists(st.tuples(st.text(min_size=1), st.text(min_size=1)), min_size=2))
def test_pairs_of_any_text_keep_every_promise(rows: list[tuple[str, str]]) -> None:
    shape = bind(KeyTemplate.parse("T#{f0}#U#{f1}"), (PARTS["str"], PARTS["str"]))
    by_text = check_round_trip_and_order(shape, rows)
    for parent in rows:
        for count, kept in ((1, 0), (2, 1), (3, 1), (4, 2)):
            keys = subtree(shape.bound, shape.values(parent), count)
            assert {t for t in by_text if t in keys} == {t for t, row in by_text.items() if row[:kept] == parent[:kept]}


def test_a_parent_does_not_reach_an_id_that_begins_like_it() -> None:
    shape = bind(KeyTemplate.parse("SURVEY#{f0}#SECTION#{f1}"), (PARTS["str"], PARTS["str"]))
    keys = subtree(shape.bound, {"f0": "1"}, 2)
    assert "SURVEY#1" in keys
    assert shape.bound.encode({"f0": "1", "f1": "😀\U0010ffff"}) in keys
    for neighbour in ("10", "1-x", "1#", "1$", "1%", "1 ", "0", "2", "1\x00"):
        assert shape.bound.encode({"f0": neighbour, "f1": "a"}) not in keys


# ---------------------------------------------------------------------------------------------- conditions on a field

HOLDS: dict[str, Callable[..., bool]] = {
    "=": lambda value, operand: value == operand,
    ">=": lambda value, operand: value >= operand,
    ">": lambda value, operand: value > operand,
    "<=": lambda value, operand: value <= operand,
    "<": lambda value, operand: value < operand,
    "between": lambda value, low, high: low <= value <= high,
    "begins_with": lambda value, beginning: value.startswith(beginning),
}


def check_conditions(draw: random.Random, shape: Shape, rows: list[tuple[Any, ...]]) -> int:
    texts = []
    for row in rows:
        try:
            texts.append((shape.bound.encode(shape.values(row)), row))
        except KeyValueError:
            assert not shape.bound.style.strict
    checked = 0
    for _ in range(8 if texts else 0):
        _, chosen = draw.choice(texts)
        position = draw.randrange(len(chosen))
        operator: Any = draw.choice(
            [name for name in HOLDS if name != "begins_with" or isinstance(chosen[position], str)]
        )
        operands = [draw.choice(texts)[1][position] for _ in range(2 if operator == "between" else 1)]
        if operator == "begins_with":
            operands = [operands[0][: draw.randint(0, 2)]]
        try:
            keys = field_range(shape.bound, shape.values(chosen), f"f{position}", operator, *operands)
        except (KeyTemplateError, KeyValueError):
            # Refused with a remedy: unsorted keys.
            place = shape.bound.places[f"f{position}"]
            assert not place.codec.ordered or not shape.bound.style.strict
            continue
        if not keys.exact:
            continue
        rank = shape.kinds[position].rank
        holds = HOLDS[operator]
        for text, row in texts:
            expected = row[:position] == chosen[:position] and holds(rank(row[position]), *map(rank, operands))
            assert (text in keys) == expected
            checked += 1
    return checked


def test_conditions_on_the_next_field_select_exactly_the_keys_that_meet_them() -> None:
    checked = 0

    @settings(max_examples=200)
    @given(st.integers(0, 2**64 - 1))
    def check(seed: int) -> None:
        nonlocal checked
        draw = random.Random(seed)
        shape = a_shape(draw)
        checked += check_conditions(draw, shape, shape.rows(draw, 40))

    check()
    assert checked > 10_000


# ------------------------------------------------------------------------------------------------------- adopted keys

STYLES = [
    KeyStyle.adopted("|"),
    KeyStyle.adopted("#"),
    KeyStyle.adopted("::"),
    KeyStyle.adopted("-"),
    KeyStyle.adopted("|", escape=True),
    KeyStyle.adopted("--", escape=True),
]
ADOPTED_KINDS = ["str", "str", "count", "datetime", "date", "uuid", "enum", "int", "bool", "int_enum", "bytes"]


def an_adopted_shape(draw: random.Random) -> Shape:
    style = draw.choice(STYLES)
    chosen = [draw.choice(ADOPTED_KINDS) for _ in range(draw.randint(1, 3))]
    text = ""
    for position, name in enumerate(chosen):
        between = draw.choice((style.separator, style.separator, ":", f"{style.separator}USER-", "/x"))
        text += (
            between if position else draw.choice(("", "user:", f"T{style.separator}"))
        ) + f"{{f{position}{PARTS[name].spec}}}"
    text += draw.choice(("", "", ".json", f"{style.separator}END"))
    return bind(KeyTemplate.parse(text, style), tuple(PARTS[name] for name in chosen))


def test_adopted_keys_read_back_or_are_refused_and_their_proofs_hold() -> None:
    encoded = refused = 0

    @settings(max_examples=300)
    @given(st.integers(0, 2**64 - 1))
    def check(seed: int) -> None:
        nonlocal encoded, refused
        draw = random.Random(seed)
        shape = an_adopted_shape(draw)
        bound = shape.bound
        assert "injective" in bound.proofs
        by_text: dict[str, tuple[Any, ...]] = {}
        for row in shape.rows(draw, 60):
            try:
                text = bound.encode(shape.values(row))
            except KeyValueError:
                refused += 1
                continue
            encoded += 1
            assert bound.decode(text) == shape.values(row)
            assert by_text.setdefault(text, row) == row
        if "ordered" in bound.proofs:
            in_order = sorted(by_text, key=lambda text: shape.rank(by_text[text]))
            assert in_order == sorted(in_order)
        for row in draw.sample(list(by_text.values()), min(5, len(by_text))):
            for count in range(1, len(bound.segments)):
                kept = sum(len(segment.fields) for segment in bound.segments[:count])
                keys = subtree(bound, shape.values(row), count)
                assert (keys.prefix is None) == closed_below(bound.segments[:count], bound.style)
                for text, other in by_text.items():
                    assert (text in keys) == (other[:kept] == row[:kept])

    check()
    assert encoded > 5_000
    assert refused > 100


def test_exact_conditions_on_adopted_keys_select_exactly() -> None:
    checked = 0

    @settings(max_examples=200)
    @given(st.integers(0, 2**64 - 1))
    def check(seed: int) -> None:
        nonlocal checked
        draw = random.Random(seed)
        shape = an_adopted_shape(draw)
        checked += check_conditions(draw, shape, shape.rows(draw, 40))

    check()
    assert checked > 5_000


# --------------------------------------------------------------------------------------------------------- unification

SMALL = {
    "str": Part(str, lambda draw: draw.choice(("A", "B", "01", "A|B", "A|A", "01|true", "x", "|A", "A-1"))),
    "count": Part(int, lambda draw: draw.randint(0, 3), ":2", {"ge": 0}),
    "bool": Part(bool, lambda draw: draw.random() < 0.5),
    "choice": Part(Literal["A", "01", "C"], lambda draw: draw.choice(("A", "01", "C"))),
    "int": Part(int, lambda draw: draw.randint(-2, 2)),
}


def a_small_shape(draw: random.Random, style: KeyStyle) -> Shape:
    chosen: list[Part] = []
    parts: list[str] = []
    for _ in range(draw.choice((1, 1, 2, 2, 3))):
        if draw.random() < 0.5:
            parts.append(draw.choice(("A", "A", "B", "01", "true", "AB")))
        else:
            chosen.append(SMALL[draw.choice(list(SMALL))])
            lead = draw.choice(("", "", "A", "A-")) if not style.strict else ""
            parts.append(f"{lead}{{f{len(chosen) - 1}{chosen[-1].spec}}}")
    return bind(KeyTemplate.parse(style.separator.join(parts), style), tuple(chosen))


def some_keys(draw: random.Random, shape: Shape) -> dict[str, tuple[Any, ...]]:
    keys = {}
    for row in shape.rows(draw, 25):
        try:
            keys[shape.bound.encode(shape.values(row))] = row
        except KeyValueError:
            assert not shape.bound.style.strict
    return keys


@pytest.mark.parametrize("style", [KeyStyle(), KeyStyle.adopted("|"), KeyStyle.adopted("|", escape=True)], ids=str)
def test_templates_that_are_told_apart_never_meet(style: KeyStyle) -> None:
    met = apart = 0

    @settings(max_examples=400)
    @given(st.integers(0, 2**64 - 1))
    def check(seed: int) -> None:
        nonlocal met, apart
        draw = random.Random(seed)
        one = a_small_shape(draw, style)
        # By chance alone too few of them meet to show anything.
        other = one if draw.random() < 0.1 else a_small_shape(draw, style)
        keys, others = some_keys(draw, one), some_keys(draw, other)
        verdict = may_equal(one.bound, other.bound)
        assert bool(verdict) == bool(may_equal(other.bound, one.bound))
        met += not keys.keys().isdisjoint(others)
        apart += not verdict
        assert verdict.reason
        assert verdict or keys.keys().isdisjoint(others)
        count = draw.randint(1, len(one.bound.segments))
        falls = may_fall_in(other.bound, one.bound.segments[:count])
        assert falls.reason
        for row in list(keys.values())[:5]:
            parent = subtree(one.bound, one.values(row), count)
            assert falls or not any(key in parent for key in others)

    check()
    assert met > 10
    assert apart > 50
