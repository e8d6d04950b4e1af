"""Bound templates: values to keys and back, with errors that name entity and field."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Literal

import pytest

from tablewright.errors import KeyTemplateError, KeyTooLongError, KeyValueError, MissingKeyPartError
from tablewright.values.keycodec import BoundTemplate, KeyStyle, KeyTemplate, part_for

T = datetime(2025, 1, 31, tzinfo=UTC)


def order_key(limit: int | None = None) -> BoundTemplate:
    template = KeyTemplate.parse("ORDER#{placed_at}#{order_id}")
    return BoundTemplate(
        template, {"placed_at": part_for(datetime), "order_id": part_for(str)}, entity="Order", limit=limit
    )


def text_key(text: str, *, limit: int | None = None, max_length: int | None = None) -> BoundTemplate:
    template = KeyTemplate.parse(text)
    return BoundTemplate(
        template, {name: part_for(str, max_length=max_length) for name in template.fields}, entity="Thing", limit=limit
    )


def adopted_key(text: str, style: KeyStyle | None = None, **types: Any) -> BoundTemplate:
    template = KeyTemplate.parse(text, style or KeyStyle.adopted("|"))
    codecs = {name: part_for(types.get(name, str), style=template.style) for name in template.fields}
    return BoundTemplate(template, codecs, entity="Old")


def test_keys_are_readable_and_read_back() -> None:
    values = {"placed_at": T, "order_id": "o#1"}
    key = order_key().encode(values)
    assert key == "ORDER#2025-01-31T00:00:00.000000Z#o%231"
    assert order_key().decode(key) == values


@pytest.mark.parametrize(
    ("text", "values", "key"),
    [
        ("config", {}, "config"),
        ("A#B", {}, "A#B"),
        ("{a}", {"a": "x"}, "x"),
        ("A#{a}#END#Z", {"a": "x"}, "A#x#END#Z"),
        ("{a}#M#{b}#N", {"a": "x", "b": "y"}, "x#M#y#N"),
        ("{a}#{b}#{c}", {"a": "x", "b": "y", "c": "z"}, "x#y#z"),
        ("T#{a}#{b}#U#{c}#{d}#V", {"a": "1", "b": "2", "c": "3", "d": "4"}, "T#1#2#U#3#4#V"),
        ("{a}#{a}", {"a": "x"}, "x#x"),
    ],
)
def test_templates_of_every_length(text: str, values: dict[str, str], key: str) -> None:
    bound = text_key(text)
    assert bound.encode(values) == key
    assert bound.decode(key) == values
    parts = key.split("#")
    for count in range(len(parts) + 1):
        assert bound.prefix(values, count) == "#".join(parts[:count])


def test_a_prefix_needs_only_its_own_fields() -> None:
    assert order_key().prefix({}, 1) == "ORDER"
    assert order_key().prefix({"placed_at": T}, 2) == "ORDER#2025-01-31T00:00:00.000000Z"
    with pytest.raises(MissingKeyPartError) as caught:
        order_key().prefix({}, 2)
    assert caught.value.field == "placed_at"


@pytest.mark.parametrize("values", [{"placed_at": T}, {"placed_at": T, "order_id": None}])
def test_a_missing_part_is_named(values: dict[str, Any]) -> None:
    with pytest.raises(MissingKeyPartError) as caught:
        order_key().encode(values)
    assert caught.value.field == "order_id"
    assert "Order.order_id is missing" in caught.value.message
    assert "ORDER#{placed_at}#{order_id}" in caught.value.message


@pytest.mark.parametrize(
    ("values", "field", "reason"),
    [
        ({"placed_at": T, "order_id": ""}, "order_id", "an empty string cannot stand in a key"),
        ({"placed_at": T, "order_id": "secret\ud800"}, "order_id", "surrogate"),
        ({"placed_at": datetime(2025, 1, 1), "order_id": "secret"}, "placed_at", "time zone"),
        ({"placed_at": "secret", "order_id": "x"}, "placed_at", "needs a datetime, not str"),
    ],
)
def test_a_wrong_value_is_named_and_hidden(values: dict[str, Any], field: str, reason: str) -> None:
    with pytest.raises(KeyValueError, match=reason) as caught:
        order_key().encode(values)
    assert caught.value.field == field
    assert caught.value.message.startswith(f"Order.{field}: ")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "key",
    [
        "",
        "ORDER",
        "ORDER#2025-01-31T00:00:00.000000Z",
        "ORDER#2025-01-31T00:00:00.000000Z#a#b",
        "ORDER#2025-01-31T00:00:00.000000Z#",
        "ORDER#2025-01-31T00:00:00.000000Z#a%2",
        "ORDER#2025-01-31#a",
        "ITEM#2025-01-31T00:00:00.000000Z#a",
        "order#2025-01-31T00:00:00.000000Z#a",
    ],
)
def test_a_foreign_key_is_refused(key: str) -> None:
    with pytest.raises(KeyValueError, match="Order"):
        order_key().decode(key)


def test_a_field_that_stands_twice_must_agree() -> None:
    with pytest.raises(KeyValueError, match="does not belong"):
        text_key("{a}#{a}").decode("x#y")


def test_fields_need_encoders() -> None:
    with pytest.raises(KeyTemplateError, match="names b, which have no encoder"):
        BoundTemplate(KeyTemplate.parse("{a}#{b}"), {"a": part_for(str)})


def test_the_byte_limit_holds_after_encoding() -> None:
    bound = text_key("T#{a}", limit=20)
    assert bound.encode({"a": "x" * 18})
    assert bound.encode({"a": "é" * 9})
    for value, size in (("x" * 19, 21), ("é" * 10, 22), ("#" * 7, 23), ("😀" * 5, 22)):
        with pytest.raises(KeyTooLongError) as caught:
            bound.encode({"a": value})
        assert caught.value.context == {"bytes": size, "limit": 20}
        assert str(size) in caught.value.message
        assert "20" in caught.value.message
        assert caught.value.field == "a"
        assert "Shorten a" in str(caught.value)


def test_the_longest_key_is_known_when_every_field_is_limited() -> None:
    assert order_key().max_bytes() is None
    assert text_key("T#{a}#U#{b}", max_length=10).max_bytes() == 5 + 2 * 40
    assert text_key("config").max_bytes() == 6
    numbers = KeyTemplate.parse("V#{n:06}#{p:8.2}#{d}")
    codecs = {
        "n": part_for(int, width=6),
        "p": part_for(Decimal, width=8, fraction=2, ge=0),
        "d": part_for(datetime),
    }
    assert BoundTemplate(numbers, codecs).max_bytes() == 2 + 7 + 1 + 11 + 1 + 27


def test_strict_keys_have_every_proof_unless_a_number_is_plain() -> None:
    assert order_key().proofs == {"injective", "ordered", "closed_range"}
    assert order_key().warnings == ()
    bound = BoundTemplate(KeyTemplate.parse("N#{n}"), {"n": part_for(int, plain_int=True)})
    assert bound.proofs == {"injective", "closed_range"}
    assert len(bound.warnings) == 1
    assert "{n:06}" in bound.warnings[0]


# --------------------------------------------------------------------------------------------------------- adopted


@pytest.mark.parametrize(
    ("text", "values", "key"),
    [
        ("{tenant}|{id}", {"tenant": "a#b", "id": "x"}, "a#b|x"),
        ("{tenant}|{id}", {"tenant": "a", "id": "x|y|"}, "a|x|y|"),
        ("user:{id}", {"id": "user:|$%"}, "user:user:|$%"),
        ("{a}-{b}|{c}", {"a": "1", "b": "2-3", "c": "4"}, "1-2-3|4"),
        ("{id}.json", {"id": "a.json"}, "a.json.json"),
        ("A|{a}|ORDER|{b}", {"a": "1", "b": "ORDER|2"}, "A|1|ORDER|ORDER|2"),
        ("config|v1", {}, "config|v1"),
    ],
)
def test_adopted_keys_hold_raw_values(text: str, values: dict[str, str], key: str) -> None:
    bound = adopted_key(text)
    assert bound.encode(values) == key
    assert bound.decode(key) == values


@pytest.mark.parametrize(
    ("text", "values", "field"),
    [
        ("{tenant}|{id}", {"tenant": "a|b", "id": "x"}, "tenant"),
        ("{a}-{b}", {"a": "1-2", "b": "3"}, "a"),
        ("{a}ab{b}", {"a": "xa", "b": "b"}, None),
        ("{a}aa{b}", {"a": "xa", "b": "b"}, "a"),
        ("{a}|ORDER|{b}", {"a": "x|y", "b": "z"}, "a"),
        ("{a}|END", {"a": "x|y"}, "a"),
        ("{tenant}|{id}", {"tenant": "", "id": "x"}, "tenant"),
        ("{tenant}|{id}", {"tenant": "a", "id": "\ud800"}, "id"),
    ],
)
def test_adopted_keys_refuse_what_could_not_be_read_back(text: str, values: dict[str, str], field: str | None) -> None:
    bound = adopted_key(text)
    if field is None:
        assert bound.decode(bound.encode(values)) == values
        return
    with pytest.raises(KeyValueError) as caught:
        bound.encode(values)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("{a}|{b}", "a"),
        ("{a}|{b}", "|b"),
        ("{a}|{b}", "a|"),
        ("user:{a}", "USER:1"),
        ("{a}.json", "a.txt"),
        ("{a}.json", ".json"),
        ("config", "config2"),
        ("{a}|END", "x|y|END"),
        ("{a}|ORDER|{b}", "x|y|ORDER|z"),
        ("{a}-{b}|{c}", "1|2|3"),
    ],
)
def test_adopted_keys_refuse_foreign_text(text: str, key: str) -> None:
    with pytest.raises(KeyValueError):
        adopted_key(text).decode(key)


def test_values_of_fixed_width_are_cut_by_their_width() -> None:
    bound = adopted_key("{day}-{id}", KeyStyle.adopted("-"), day=datetime)
    values = {"day": T, "id": "a-b"}
    assert bound.encode(values) == "2025-01-31T00:00:00.000000Z-a-b"
    assert bound.decode(bound.encode(values)) == values
    with pytest.raises(KeyValueError):
        bound.decode("2025-01-31T00:00:00.000000Zxa-b")
    with pytest.raises(KeyValueError):
        bound.decode("2025")


@pytest.mark.parametrize(
    ("text", "types", "proofs", "words"),
    [
        ("{id}", {}, {"injective", "ordered", "closed_range"}, []),
        ("USER|{id}", {}, {"injective", "ordered", "closed_range"}, []),
        ("{tenant}|{id}", {}, {"injective"}, ["sort by tenant", "holds a tenant"]),
        ("{n}|{id}", {"n": int}, {"injective"}, ["sort by n: it is written as plain text", "holds a n"]),
        ("{at}|{id}", {"at": datetime}, {"injective", "ordered", "closed_range"}, []),
        ("{s}|{id}", {"s": Literal["a", "b"]}, {"injective", "ordered", "closed_range"}, []),
        ("{s}|{id}", {"s": Literal["a", "ab"]}, {"injective"}, ["sort by s", "holds a s"]),
        ("{s}|{id}", {"s": Literal["a", "a}"]}, {"injective", "ordered"}, ["holds a s"]),
        ("{id}.json", {}, {"injective", "closed_range"}, ["sort by id"]),
    ],
)
def test_adopted_templates_say_what_they_cannot_prove(
    text: str, types: dict[str, Any], proofs: set[str], words: list[str]
) -> None:
    bound = adopted_key(text, **types)
    assert bound.proofs == proofs
    assert len(bound.warnings) == len(words)
    for warning, part in zip(bound.warnings, words, strict=True):
        assert part in warning


def test_a_low_separator_keeps_order_for_values_above_it() -> None:
    bound = adopted_key("{n}!{id}", KeyStyle.adopted("!"), n=Literal["1", "10"])
    assert bound.proofs == {"injective", "ordered", "closed_range"}
