"""Each part encoder: its text, its order, its refusals, and what it excludes."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from typing import Annotated, Any, Literal, NewType
from uuid import UUID

import pytest

from tablewright.errors import KeyTemplateError, KeyValueError
from tablewright.values.keycodec import KeyStyle, PartCodec, escape, may_share_text, part_for, unescape

ADOPTED = KeyStyle.adopted("|")


class Colour(Enum):
    RED = "red"
    BLUE = "b#e"


class Size(IntEnum):
    SMALL = 2
    LARGE = 10


class Kind(StrEnum):
    A = "a"


class Empty(Enum):
    pass


UserId = NewType("UserId", str)


# ------------------------------------------------------------------------------------------------------- escaping


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("alice", "alice"),
        ("a#b", "a%23b"),
        ("a$b%c", "a%24b%25c"),
        (" \x00\x1f", "%20%00%1F"),
        ("&'()*+,-./:;<=>?@é😀", "&'()*+,-./:;<=>?@é😀"),
        ("%23", "%2523"),
    ],
)
def test_only_characters_up_to_percent_are_escaped(text: str, escaped: str) -> None:
    assert escape(text) == escaped
    assert unescape(escaped) == text


@pytest.mark.parametrize("text", ["%", "%2", "%zz", "%26", "%41", "%2f", "%1f", "a#b", "a$", "a b", "\x00", "%3", "%%"])
def test_what_escaping_does_not_write_is_refused(text: str) -> None:
    with pytest.raises(KeyValueError):
        unescape(text)


def test_lone_surrogates_are_refused_both_ways() -> None:
    for function in (escape, unescape):
        with pytest.raises(KeyValueError, match="surrogate"):
            function("a\udc00")


# ----------------------------------------------------------------------------------------------------------- texts

CASES: list[tuple[PartCodec, Any, str]] = [
    (part_for(str), "a b", "a%20b"),
    (part_for(int, width=6), 42, "000042"),
    (part_for(int, width=6), -1, "-999998"),
    (part_for(int, width=6), -999_999, "-000000"),
    (part_for(int), 5, "a5"),
    (part_for(int), 42, "b42"),
    (part_for(int), -42, "-y57~"),
    (part_for(int), 0, "a0"),
    (part_for(int), 10**24, "y1" + "0" * 24),
    (part_for(int), 10**25, "z0261" + "0" * 25),
    (part_for(int), -(10**25), "-a9738" + "9" * 25 + "~"),
    (part_for(Decimal), Decimal("129.95"), "c129.95"),
    (part_for(Decimal), Decimal("0.05"), "a0.05"),
    (part_for(Decimal), Decimal("-1.5"), "-z8.4~"),
    (part_for(Decimal, width=8, fraction=2), Decimal("129.95"), "00000129.95"),
    (part_for(Decimal, width=8, fraction=2), Decimal("-0.01"), "-99999999.98"),
    (part_for(Decimal, width=8, fraction=2), Decimal("1E+3"), "00001000.00"),
    (part_for(int, plain_int=True), 42, "42"),
    (part_for(int, plain_int=True), -42, "-42"),
    (part_for(bool), True, "true"),
    (part_for(bool), False, "false"),
    (part_for(datetime), datetime(2025, 1, 31, 23, 59, 59, tzinfo=UTC), "2025-01-31T23:59:59.000000Z"),
    (part_for(datetime), datetime(1, 1, 1, microsecond=1, tzinfo=UTC), "0001-01-01T00:00:00.000001Z"),
    (part_for(datetime), datetime(2025, 1, 1, tzinfo=timezone(timedelta(hours=2))), "2024-12-31T22:00:00.000000Z"),
    (part_for(date), date(2025, 1, 31), "2025-01-31"),
    (part_for(UUID), UUID(int=255), "00000000-0000-0000-0000-0000000000ff"),
    (part_for(bytes), b"\x00\xff", "00ff"),
    (part_for(Colour), Colour.BLUE, "b%23e"),
    (part_for(Size), Size.LARGE, "10"),
    (part_for(Size, width=3), Size.LARGE, "010"),
    (part_for(Kind), Kind.A, "a"),
    (part_for(Literal["x", "y"]), "y", "y"),
    (part_for(Literal[1, 20]), 20, "20"),
    (part_for(Literal[True]), True, "true"),
    (part_for(str | None), "x", "x"),
    (part_for(Annotated[UserId, "id"]), "x", "x"),
    (part_for(str, style=ADOPTED), "a#b %", "a#b %"),
    (part_for(int, style=ADOPTED), 42, "42"),
    (part_for(int, width=4, style=ADOPTED), 42, "0042"),
    (part_for(Decimal, style=ADOPTED), Decimal("1.50"), "1.5"),
    (part_for(Colour, style=ADOPTED), Colour.BLUE, "b#e"),
    (part_for(str, style=KeyStyle.adopted("|", escape=True)), "a|b%é", "a%7Cb%25é"),
    (part_for(str, style=KeyStyle.adopted("é", escape=True)), "aé", "a%C3%A9"),
]


@pytest.mark.parametrize(("codec", "value", "text"), CASES, ids=lambda case: case if isinstance(case, str) else "")
def test_values_have_the_text_that_is_documented(codec: PartCodec, value: Any, text: str) -> None:
    assert codec.encode(value) == text
    assert codec.decode(text) == value
    assert type(codec.decode(text)) is type(value)
    assert codec.possible_literals(text)
    if codec.fixed_width is not None:
        assert len(text) == codec.fixed_width
    if codec.max_bytes is not None:
        assert len(text.encode()) <= codec.max_bytes
    if codec.alphabet is not None:
        assert codec.required <= frozenset(text) <= codec.alphabet


@pytest.mark.parametrize(
    ("codec", "value", "reason"),
    [
        (part_for(str), "", "empty string"),
        (part_for(str), 5, "needs a string, not int"),
        (part_for(str), None, "needs a string"),
        (part_for(str), "a\ud800", "surrogate"),
        (part_for(str, max_length=3), "abcd", "longer than the declared 3"),
        (part_for(str, style=ADOPTED), "", "empty string"),
        (part_for(str, style=ADOPTED), "\ud800", "surrogate"),
        (part_for(str, max_length=3, style=ADOPTED), "abcd", "longer than the declared 3"),
        (part_for(int, width=3), 1000, "declared 3 digits"),
        (part_for(int, width=3), -1000, "declared 3 digits"),
        (part_for(int, width=3), True, "needs an integer, not bool"),
        (part_for(int, width=3), Decimal(1), "needs an integer"),
        (part_for(int, width=3, ge=0), -1, "outside the range"),
        (part_for(int, width=3, le=9), 10, "outside the range"),
        (part_for(int), 10**38 + 1, "38 significant digits"),
        (part_for(int), 1.0, "needs an integer"),
        (part_for(Decimal), Decimal("NaN"), "NaN and Infinity"),
        (part_for(Decimal), Decimal("1E200"), "overflow"),
        (part_for(Decimal), 1.5, "needs a number, not float"),
        (part_for(Decimal, width=3, fraction=2), Decimal("1.005"), "2 digits after the point"),
        (part_for(Decimal, width=3, fraction=2), Decimal("1000"), "3 digits before the point"),
        (part_for(Decimal, width=3, fraction=2, ge=0), Decimal("-1"), "outside the range"),
        (part_for(int, plain_int=True, ge=0), -1, "outside the range"),
        (part_for(bool), 1, "is not a bool"),
        (part_for(bool), "true", "is not a bool"),
        (part_for(Literal[1, 2]), True, "is not one of 1, 2"),
        (part_for(Literal[1, 2]), [], "is not one of 1, 2"),
        (part_for(Colour), "green", "is not a Colour"),
        (part_for(datetime), datetime(2025, 1, 1), "needs a time zone"),
        (part_for(datetime), date(2025, 1, 1), "needs a datetime"),
        (part_for(datetime), datetime.max.replace(tzinfo=timezone(timedelta(hours=-1))), "years 1 to 9999"),
        (part_for(date), datetime(2025, 1, 1, tzinfo=UTC), "needs a date"),
        (part_for(UUID), "00000000-0000-0000-0000-000000000000", "needs a UUID"),
        (part_for(bytes), b"", "empty bytes"),
        (part_for(bytes), "ab", "needs bytes"),
        (part_for(bytes, max_length=1), b"ab", "longer than the declared 1"),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_values_that_cannot_stand_in_a_key_are_refused(codec: PartCodec, value: Any, reason: str) -> None:
    with pytest.raises(KeyValueError, match=reason):
        codec.encode(value)


def test_subclasses_are_written_as_their_plain_values() -> None:
    class Name(str):
        def __str__(self) -> str:
            return "something else"

    class Whole(int):
        def __format__(self, spec: str) -> str:
            return "something else"

    class Id(UUID):
        def __str__(self) -> str:
            return "something else"

    assert part_for(str).encode(Name("a#")) == "a%23"
    assert part_for(int, width=3).encode(Whole(5)) == "005"
    assert part_for(UUID).encode(Id(int=1)) == str(UUID(int=1))


def test_the_longest_number_takes_the_bytes_that_are_promised() -> None:
    for codec, numbers in (
        (part_for(Decimal), ("-1." + "1" * 37 + "E-130", "-" + "9" * 38 + "E88")),
        (part_for(int, plain_int=True), ("-" + "9" * 38 + "E88",)),
    ):
        lengths = [len(codec.encode(codec.decode(codec.encode(_exact(codec, text))))) for text in numbers]
        assert codec.max_bytes is not None
        assert max(lengths) <= codec.max_bytes
    assert len(part_for(Decimal).encode(Decimal("-1." + "1" * 37 + "E-130"))) == part_for(Decimal).max_bytes


def _exact(codec: PartCodec, text: str) -> int | Decimal:
    return int(Decimal(text)) if codec.kind == "an integer" else Decimal(text)


def test_a_naive_datetime_comes_with_a_hint() -> None:
    with pytest.raises(KeyValueError) as caught:
        part_for(datetime).encode(datetime(2025, 1, 1))
    assert "datetime.now(UTC)" in str(caught.value)


def test_nanoseconds_are_not_cut_off_silently() -> None:
    class Stamp(datetime):
        nanosecond = 7

    with pytest.raises(KeyValueError, match="nanoseconds"):
        part_for(datetime).encode(Stamp(2025, 1, 1, tzinfo=UTC))
    Stamp.nanosecond = 0
    assert part_for(datetime).encode(Stamp(2025, 1, 1, tzinfo=UTC)) == "2025-01-01T00:00:00.000000Z"


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        (part_for(str), ""),
        (part_for(str, max_length=1), "ab"),
        (part_for(int, width=3), "42"),
        (part_for(int, width=3), "0042"),
        (part_for(int, width=3), "-999"),
        (part_for(int, width=3), "٠٤٢"),
        (part_for(int, width=3, le=9), "010"),
        (part_for(int), "42"),
        (part_for(int), "a42"),
        (part_for(int), "b042"),
        (part_for(int), "b4.2"),
        (part_for(int), "a1.5"),
        (part_for(int), "-z8.4~"),
        (part_for(int), "-z9~"),
        (part_for(int), "-z8"),
        (part_for(int), "z0051"),
        (part_for(int, ge=0), "-z8~"),
        (part_for(Decimal), "a1.50"),
        (part_for(Decimal), "a01.5"),
        (part_for(Decimal), "a."),
        (part_for(Decimal), "a0." + "0" * 130 + "1"),
        (part_for(Decimal), "z040" + "1" * 40),
        (part_for(Decimal, width=2, fraction=2), "1.00"),
        (part_for(Decimal, width=2, fraction=2), "01.0"),
        (part_for(Decimal, width=2, fraction=2), "0100"),
        (part_for(Decimal, width=2, fraction=2), "-99.99"),
        (part_for(Decimal, width=2, fraction=2, le=5), "06.00"),
        (part_for(Decimal, width=20, fraction=20), "1" * 20 + "." + "1" * 20),
        (part_for(int, plain_int=True), "042"),
        (part_for(int, plain_int=True), "1.5"),
        (part_for(int, plain_int=True), ""),
        (part_for(int, plain_int=True), "x"),
        (part_for(bool), "True"),
        (part_for(Colour), "b#e"),
        (part_for(datetime), "2025-01-31T23:59:59Z"),
        (part_for(datetime), "2025-02-31T23:59:59.000000Z"),
        (part_for(datetime), "2025-01-31T23:59:59.000000+00:00"),
        (part_for(date), "2025-02-30"),
        (part_for(date), "20250131"),
        (part_for(UUID), "00000000-0000-0000-0000-0000000000FF"),
        (part_for(bytes), "0F"),
        (part_for(bytes), "0"),
        (part_for(bytes, max_length=1), "0000"),
        (part_for(str, style=ADOPTED), ""),
        (part_for(str, max_length=1, style=ADOPTED), "ab"),
        (part_for(str, style=KeyStyle.adopted("|", escape=True)), "a|b"),
        (part_for(str, style=KeyStyle.adopted("|", escape=True)), "%FF"),
        (part_for(str, style=KeyStyle.adopted("|", escape=True)), "%41"),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_text_that_was_not_written_here_is_refused(codec: PartCodec, text: str) -> None:
    with pytest.raises(KeyValueError):
        codec.decode(text)
    assert not codec.possible_literals(text)


@pytest.mark.parametrize(
    ("annotation", "options", "reason"),
    [
        (float, {}, "float cannot stand in a key"),
        (list[str], {}, "cannot stand in a key"),
        (dict, {}, "cannot stand in a key"),
        (str | int, {}, "cannot stand in a key"),
        (str, {"width": 6}, "width is for numbers"),
        (bool, {"width": 6}, "width is for numbers"),
        (int, {"width": 6, "fraction": 2}, "need a Decimal field"),
        (Decimal, {"width": 6}, "also needs its digits after the point"),
        (Decimal, {"fraction": 2}, "digits before it"),
        (int, {"width": 0}, "at least one digit"),
        (Decimal, {"width": 0, "fraction": 2}, "at least one digit"),
        (Literal["a", 1], {}, "cannot hold or tell apart"),
        (Literal[1, True], {}, "cannot hold or tell apart"),
        (Literal["a", ""], {}, "empty value"),
        (Empty, {}, "has no values"),
    ],
)
def test_types_that_cannot_stand_in_a_key_are_refused_with_a_remedy(
    annotation: Any, options: dict[str, Any], reason: str
) -> None:
    with pytest.raises(KeyTemplateError, match=reason) as caught:
        part_for(annotation, **options)
    assert caught.value.hint


def test_a_plain_enum_value_stands_for_its_member() -> None:
    codec = part_for(Colour)
    assert codec.encode("red") == codec.encode(Colour.RED) == "red"
    assert codec.decode("red") is Colour.RED


# ----------------------------------------------------------------------------------------------------------- order


def test_each_part_says_whether_its_text_sorts() -> None:
    assert part_for(Literal[1, 2]).ordered
    assert not part_for(Size).ordered
    assert part_for(Size, width=2).ordered
    assert not part_for(int, plain_int=True).ordered
    assert not part_for(int, style=ADOPTED).ordered
    assert part_for(int).ordered
    assert part_for(str, style=ADOPTED).ordered
    assert not part_for(str, style=KeyStyle.adopted("|", escape=True)).ordered


@pytest.mark.parametrize(
    ("codec", "value", "smaller"),
    [
        (part_for(int, width=3), 5, 4),
        (part_for(int, width=3), 0, -1),
        (part_for(int, width=3), -999, None),
        (part_for(int, width=3, ge=0), 0, None),
        (part_for(int), -5, None),  # of the largest ones, one less has too many digits
        (part_for(int, ge=1), 1, None),
        (part_for(Decimal, width=3, fraction=2), Decimal("1"), Decimal("0.99")),
        (part_for(Decimal, width=3, fraction=2), Decimal("0"), Decimal("-0.01")),
        (part_for(Decimal, width=3, fraction=2), Decimal("-999.99"), None),
        (part_for(Decimal, width=3, fraction=2, ge=0), Decimal("0"), None),
        (part_for(Decimal), Decimal("1"), None),
        (part_for(str), "b", None),
        (part_for(bytes), b"b", None),
        (part_for(bool), True, False),
        (part_for(bool), False, None),
        (part_for(Literal["a", "c"]), "c", "a"),
        (part_for(Colour), Colour.RED, Colour.BLUE),
        (part_for(Colour), Colour.BLUE, None),
        (part_for(Size), Size.LARGE, None),
        (part_for(Size, width=2), Size.LARGE, Size.SMALL),
        (part_for(datetime), datetime(2025, 1, 1, tzinfo=UTC), datetime(2024, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)),
        (part_for(datetime), datetime(1, 1, 1, tzinfo=UTC), None),
        (part_for(date), date(2025, 1, 1), date(2024, 12, 31)),
        (part_for(date), date.min, None),
        (part_for(UUID), UUID(int=1), UUID(int=0)),
        (part_for(UUID), UUID(int=0), None),
    ],
)
def test_the_next_smaller_value(codec: PartCodec, value: Any, smaller: Any) -> None:
    assert codec.before(value) == smaller
    if smaller is not None:
        assert codec.discrete
        assert codec.encode(smaller) < codec.encode(value)


# ------------------------------------------------------------------------------------------------------- exclusion


def test_literals_are_excluded_by_type() -> None:
    assert part_for(str).possible_literals("ORDER")
    assert not part_for(str, max_length=4).possible_literals("ORDER")
    for annotation in (int, Decimal, bool, datetime, date, UUID, bytes, Colour, Literal["ITEM"]):
        assert not part_for(annotation).possible_literals("ORDER")
    assert part_for(Literal["ORDER"]).possible_literals("ORDER")
    assert part_for(int, width=4).possible_literals("2025")
    assert part_for(bytes).possible_literals("fade")


@pytest.mark.parametrize(
    ("one", "other", "possible"),
    [
        (part_for(str), part_for(str), True),
        (part_for(str), part_for(UUID), True),
        (part_for(str, max_length=8), part_for(UUID), False),
        (part_for(UUID), part_for(datetime), False),
        (part_for(date), part_for(datetime), False),
        (part_for(date), part_for(int, width=10, ge=0), False),
        (part_for(int, width=4, ge=0), part_for(int, width=6, ge=0), False),
        (part_for(int, width=4), part_for(int, width=5), True),
        (part_for(bytes), part_for(UUID), False),
        (part_for(bytes), part_for(int, width=4), True),
        (part_for(Literal["a", "b"]), part_for(Literal["c"]), False),
        (part_for(Literal["a", "b"]), part_for(Literal["b", "c"]), True),
        (part_for(Literal["a", "b"]), part_for(datetime), False),
        (part_for(bool), part_for(str), True),
        (part_for(Decimal, width=3, fraction=2), part_for(int, width=6), False),
    ],
)
def test_types_exclude_each_other_where_their_texts_cannot_meet(
    one: PartCodec, other: PartCodec, possible: bool
) -> None:
    assert may_share_text(one, other) == possible
    assert may_share_text(other, one) == possible
