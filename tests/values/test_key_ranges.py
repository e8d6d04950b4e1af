"""Ranges under a parent: bounds as documented, refusals with a remedy. Their exactness is in the property tests."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Literal

import pytest

from tablewright.errors import (
    ArgumentError,
    KeyTemplateError,
    KeyValueError,
    MissingKeyPartError,
    UnknownFieldError,
)
from tablewright.values.keycodec import (
    BoundTemplate,
    KeyRange,
    KeyStyle,
    KeyTemplate,
    Placeholder,
    descendants,
    field_range,
    part_for,
    subtree,
)

PIPE = KeyStyle.adopted("|")


def bind(text: str, style: KeyStyle | None = None, **types: Any) -> BoundTemplate:
    template = KeyTemplate.parse(text, style or KeyStyle())
    codecs = {}
    for pieces in template.pieces:
        for piece in pieces:
            if isinstance(piece, Placeholder):
                codecs[piece.field] = part_for(
                    types.get(piece.field, str), width=piece.width, fraction=piece.fraction, style=template.style
                )
    return BoundTemplate(template, codecs, entity="Thing")


def bounds(keys: KeyRange) -> tuple[str | None, str | None]:
    assert keys.prefix is None
    assert keys.also is None
    assert not keys.empty
    return keys.low, keys.high


def test_a_parent_and_its_descendants_are_one_closed_range() -> None:
    assert bounds(descendants("SURVEY#1")) == ("SURVEY#1", "SURVEY#1$")
    keys = descendants("SURVEY#1")
    assert all(key in keys for key in ("SURVEY#1", "SURVEY#1#A", "SURVEY#1#\U0010ffff"))
    assert not any(key in keys for key in ("SURVEY#10", "SURVEY#1%23", "SURVEY#1-x", "SURVEY", "SURVEY#0"))


def test_a_subtree_takes_leading_segments() -> None:
    bound = bind("ORDER#{a}#{b}")
    assert bounds(subtree(bound, {"a": "x"}, 2)) == ("ORDER#x", "ORDER#x$")
    assert bounds(subtree(bound, {}, 1)) == ("ORDER", "ORDER$")
    assert bounds(subtree(bound, {}, 0)) == (None, None)
    with pytest.raises(MissingKeyPartError):
        subtree(bound, {}, 2)


@pytest.mark.parametrize(
    ("operator", "operands", "low", "high"),
    [
        ("=", ("m",), "ORDER#m", "ORDER#m$"),
        (">=", ("m",), "ORDER#m", "ORDER$"),
        (">", ("m",), "ORDER#m$", "ORDER$"),
        ("<=", ("m",), "ORDER#", "ORDER#m$"),
        ("<", ("m",), "ORDER#", "ORDER#m"),
        ("between", ("m", "p"), "ORDER#m", "ORDER#p$"),
    ],
)
def test_conditions_on_a_field_that_others_follow(operator: Any, operands: Any, low: str, high: str) -> None:
    assert bounds(field_range(bind("ORDER#{a}#{b}"), {}, "a", operator, *operands)) == (low, high)


@pytest.mark.parametrize(
    ("operator", "operands", "low", "high"),
    [
        ("=", (5,), "N#x#005", "N#x#005"),
        (">=", (5,), "N#x#005", "N#x$"),
        (">", (5,), "N#x#005$", "N#x$"),
        ("<=", (5,), "N#x#", "N#x#005$"),
        ("<", (5,), "N#x#", "N#x#004$"),
        ("between", (5, 7), "N#x#005", "N#x#007$"),
    ],
)
def test_conditions_on_the_last_field(operator: Any, operands: Any, low: str, high: str) -> None:
    bound = bind("N#{a}#{n:03}", n=int)
    assert bounds(field_range(bound, {"a": "x"}, "n", operator, *operands)) == (low, high)


@pytest.mark.parametrize(
    ("operator", "low", "high"),
    [(">=", "b5", None), (">", "b5$", None), ("<=", None, "b5$"), ("<", None, "b5"), ("=", "b5", "b5$")],
)
def test_a_field_with_nothing_before_it_leaves_one_side_open(operator: Any, low: str | None, high: str | None) -> None:
    assert bounds(field_range(bind("{a}#{b}"), {}, "a", operator, "b5")) == (low, high)


def test_beginnings_of_a_string_are_a_prefix() -> None:
    bound = bind("U#{name}#{id}")
    keys = field_range(bound, {}, "name", "begins_with", "a#")
    assert keys.prefix == keys.low == "U#a%23"
    assert bound.encode({"name": "a#1", "id": "x"}) in keys
    assert bound.encode({"name": "a", "id": "1"}) not in keys
    assert field_range(bound, {}, "name", "begins_with", "").prefix == "U#"
    assert field_range(bind("{name}"), {}, "name", "begins_with", "") == KeyRange(None, None)
    with pytest.raises(ArgumentError):
        field_range(bind("N#{n:03}", n=int), {}, "n", "begins_with", "1")
    with pytest.raises(ArgumentError):
        field_range(bound, {}, "name", "begins_with", 1)


@pytest.mark.parametrize(
    ("operator", "operands"),
    [("between", (7, 5)), ("<", (-999,))],
)
def test_conditions_that_nothing_meets_are_empty_and_harmless(operator: Any, operands: Any) -> None:
    keys = field_range(bind("N#{n:03}", n=int), {}, "n", operator, *operands)
    assert keys.empty
    assert keys.low == keys.high == "N$"
    assert "N$" not in keys
    assert field_range(bind("{b}", b=bool), {}, "b", "<", False).empty


@pytest.mark.parametrize(
    ("annotation", "smaller", "value"),
    [
        (str, "wxyz\U0010ffff" + "\U0010ffff" * 200, "x"),
        (str, "x", "x\U0010ffff"),
        (str, "\ud7ff", "\ue000"),
        (str, "x", "x!"),
        (bytes, b"w\xff\xff", b"x"),
    ],
    ids=["what is longest", "a beginning", "past the surrogates", "what is escaped", "bytes"],
)
@pytest.mark.parametrize("style", [KeyStyle(), PIPE], ids=["strict", "adopted"])
@pytest.mark.parametrize("text", ["A|{f}", "{f}"])
def test_less_than_at_the_end_of_a_key_leaves_the_value_out_and_nothing_else(
    annotation: Any, smaller: Any, value: Any, style: KeyStyle, text: str
) -> None:
    bound = bind(text.replace("|", style.separator), style, f=annotation)
    keys = field_range(bound, {}, "f", "<", value)
    assert bound.encode({"f": smaller}) in keys
    assert bound.encode({"f": value}) not in keys
    assert keys.exact


def test_less_than_takes_all_decimals_before_it() -> None:
    bound = bind("A#{f}", f=Decimal)
    keys = field_range(bound, {}, "f", "<", Decimal(1))
    assert bound.encode({"f": Decimal("0." + "9" * 30)}) in keys
    assert bound.encode({"f": Decimal(1)}) not in keys


def test_less_than_takes_whole_numbers_of_which_one_less_cannot_be_stored() -> None:
    bound = bind("A#{f}", f=int)
    keys = field_range(bound, {}, "f", "<", -(10**40))
    assert bound.encode({"f": -(10**40) - 10**3}) in keys
    assert bound.encode({"f": -(10**40)}) not in keys


def test_unsorted_fields_have_no_ranges() -> None:
    template = KeyTemplate.parse("N#{n}")
    bound = BoundTemplate(template, {"n": part_for(int, plain_int=True)})
    assert bounds(field_range(bound, {}, "n", "=", 5)) == ("N#5", "N#5")
    with pytest.raises(KeyTemplateError, match="do not sort by n") as caught:
        field_range(bound, {}, "n", ">=", 5)
    assert "{n:06}" in str(caught.value)


def test_wrong_conditions_are_named() -> None:
    bound = bind("ORDER#{a}#{b}")
    with pytest.raises(UnknownFieldError):
        field_range(bound, {}, "c", "=", "x")
    with pytest.raises(ArgumentError):
        field_range(bound, {}, "a", "between", "x")
    with pytest.raises(MissingKeyPartError) as missing:
        field_range(bound, {}, "b", "=", "x")
    assert missing.value.field == "a"
    with pytest.raises(KeyValueError) as wrong:
        field_range(bound, {}, "a", ">=", "")
    assert wrong.value.field == "a"
    assert wrong.value.message.startswith("Thing.a: ")


# --------------------------------------------------------------------------------------------------------- adopted


def test_an_adopted_parent_without_proof_is_read_by_prefix_and_apart() -> None:
    bound = bind("{tenant}|{id}", PIPE)
    keys = subtree(bound, {"tenant": "a"}, 1)
    assert keys == KeyRange("a|", None, prefix="a|", also="a")
    assert "a" in keys
    assert "a|x" in keys
    assert "a1|x" not in keys
    assert descendants("a", PIPE, closed=False) == keys


def test_an_adopted_parent_of_fixed_width_is_one_closed_range() -> None:
    bound = bind("{at}|{id}", PIPE, at=datetime)
    low = "2025-01-31T00:00:00.000000Z"
    assert bounds(subtree(bound, {"at": datetime(2025, 1, 31, tzinfo=UTC)}, 1)) == (low, low + "}")


def test_conditions_on_adopted_keys() -> None:
    bound = bind("T|{at}|USER-{id}", PIPE, at=datetime)
    at = datetime(2025, 1, 31, tzinfo=UTC)
    start = "T|2025-01-31T00:00:00.000000Z"
    assert bounds(field_range(bound, {}, "at", ">=", at)) == (start, "T}")
    assert bounds(field_range(bound, {}, "at", ">", at)) == (start + "|USER.", "T}")
    assert bounds(field_range(bound, {}, "at", "<=", at)) == ("T|", start + "|USER.")
    assert bounds(field_range(bound, {}, "at", "<", at)) == ("T|", start)
    assert field_range(bound, {}, "at", "=", at).prefix == start + "|USER-"
    assert bounds(field_range(bound, {"at": at}, "id", ">", "a")) == (start + "|USER-a\x00", start + "|USER.")
    assert bounds(field_range(bound, {"at": at}, "id", "<=", "a")) == (start + "|USER-", start + "|USER-a")


def test_conditions_on_raw_text_that_others_follow_are_not_exact() -> None:
    bound = bind("{a}|{b}", PIPE)
    assert not field_range(bound, {}, "a", ">=", "x").exact
    assert field_range(bound, {"a": "x"}, "b", ">=", "x").exact
    assert field_range(bind("{s}|{b}", PIPE, s=Literal["a", "b"]), {}, "s", ">=", "a").exact


def test_a_literal_at_the_end_of_unicode_has_no_bound() -> None:
    bound = bind("A\U0010ffff{id}", PIPE)
    with pytest.raises(KeyTemplateError, match="10FFFF"):
        field_range(bound, {}, "id", ">=", "x")
    assert bounds(field_range(bind("A\ud7ff{id}", PIPE), {}, "id", ">=", "x")) == ("A\ud7ffx", "A\ue000")
