"""Values from outside are checked as DynamoDB checks them, in its own words."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tablewright.errors import EmptySetError, FieldTypeError, NumberError, ValidationError
from tablewright.values import check_item, check_value, item_size, weigh_item
from tablewright.values.numbers import canonical_number
from tablewright.values.sizes import canonical_size, number_size

INVALID = "One or more parameter values were invalid: "
EMPTY = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
SEVERAL = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
NESTING = (
    "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
)
STRUCTURE = "Start of structure or map found where not expected"


def nested(levels: int, tag: str, leaf: dict[str, Any]) -> dict[str, Any]:
    value = leaf
    for _ in range(levels):
        value = {"L": [value]} if tag == "L" else {"M": {"a": value}}
    return value


@pytest.mark.parametrize(
    "value",
    [
        {"S": ""},
        {"S": "é😀\uffff\x00"},
        {"N": "12.5"},
        {"B": ""},
        {"B": "YQ=="},
        {"B": "YWI="},
        {"BOOL": False},
        {"NULL": True},
        {"L": []},
        {"M": {}},
        {"L": [{"S": "a"}, {"N": "1"}, {"L": [{"NULL": True}]}]},
        {"M": {"é": {"M": {"b": {"BOOL": True}}}}},
        {"SS": ["a", ""]},
        {"NS": ["1", "-2.5"]},
        {"BS": ["YQ==", ""]},
        nested(31, "L", {"S": "x"}),
        nested(31, "M", {"SS": ["x"]}),
        nested(30, "M", {"L": []}),
    ],
    ids=repr,
)
def test_canonical_values_come_back_as_the_same_object(value: dict[str, Any]) -> None:
    before = copy.deepcopy(value)
    assert check_value(value) is value
    item = {"k": {"S": "1"}, "v": value}
    assert check_item(item) is item
    weighed, size = weigh_item(item)
    assert weighed is item
    assert size == item_size(item)
    assert value == before


@pytest.mark.parametrize(
    ("value", "checked"),
    [
        ({"N": "01.50"}, {"N": "1.5"}),
        ({"N": "1E3"}, {"N": "1000"}),
        ({"NS": ["1.0", "2"]}, {"NS": ["1", "2"]}),
        ({"L": [{"S": "a"}, {"N": "+1"}]}, {"L": [{"S": "a"}, {"N": "1"}]}),
        ({"M": {"a": {"M": {"b": {"N": "-0"}}}}}, {"M": {"a": {"M": {"b": {"N": "0"}}}}}),
        ({"S": "a", "X": 1}, {"S": "a"}),
        ({"S": None, "NULL": True}, {"NULL": True}),
    ],
)
def test_other_values_come_back_as_a_canonical_copy(value: dict[str, Any], checked: dict[str, Any]) -> None:
    before = copy.deepcopy(value)
    assert check_value(value) == checked
    item = {"k": {"S": "x"}, "v": checked}
    assert check_item({"k": {"S": "x"}, "v": value}) == item
    assert weigh_item({"k": {"S": "x"}, "v": value}) == (item, item_size(item))
    assert value == before


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ({}, ValidationError, EMPTY),
        ({"X": "a"}, ValidationError, EMPTY),
        ({"S": None}, ValidationError, EMPTY),
        ({"S": None, "N": None}, ValidationError, EMPTY),
        ({"L": [{}]}, ValidationError, EMPTY),
        ({"S": "a", "N": "1"}, ValidationError, SEVERAL),
        ({"L": [{"S": "a", "BOOL": True}]}, ValidationError, SEVERAL),
        ({"S": "a", "N": "b"}, NumberError, "The parameter cannot be converted to a numeric value: b"),
        ({"S": "", "N": ""}, NumberError, "The parameter cannot be converted to a numeric value"),
        ({"N": "abc"}, NumberError, "The parameter cannot be converted to a numeric value: abc"),
        ({"N": "1" * 39}, NumberError, "Attempting to store more than 38 significant digits in a Number"),
        ({"NULL": False}, ValidationError, f"{INVALID}Null attribute value types must have the value of true"),
        ({"SS": []}, EmptySetError, f"{INVALID}An string set  may not be empty"),
        ({"NS": []}, EmptySetError, f"{INVALID}An number set  may not be empty"),
        ({"BS": []}, EmptySetError, f"{INVALID}Binary sets should not be empty"),
        ({"SS": ["a", "a"]}, ValidationError, f"{INVALID}Input collection [a, a] contains duplicates."),
        ({"SS": ["b", "a", "b"]}, ValidationError, f"{INVALID}Input collection [b, a, b] contains duplicates."),
        ({"NS": ["1", "1"]}, ValidationError, "Input collection contains duplicates"),
        ({"NS": ["1", "1.0"]}, ValidationError, "Input collection contains duplicates"),
        (
            {"BS": ["Yg==", "Yg=="]},
            ValidationError,
            f"{INVALID}Input collection [Yg==, Yg==]of type BS contains duplicates.",
        ),
        ({"NS": ["1", "b"]}, NumberError, "The parameter cannot be converted to a numeric value: b"),
        ({"NS": ["1", ""]}, NumberError, "The parameter cannot be converted to a numeric value"),
        ({"NS": ["1", None]}, NumberError, "The parameter cannot be converted to a numeric value"),
        ({"SS": ["a", None]}, ValidationError, f"{INVALID}An string set may not have a null string as a member"),
        ({"BS": ["YQ==", None]}, ValidationError, f"{INVALID}Binary sets may not contain null or empty values"),
        ({"L": [None]}, ValidationError, "The supplied Item contains a null AttributeValue"),
        ({"M": {"a": None}}, ValidationError, "The supplied Item contains a null AttributeValue: a is null"),
        ({"M": {"": {"S": "x"}}}, ValidationError, "Empty attribute name"),
        (nested(32, "L", {"S": "x"}), ValidationError, NESTING),
        (nested(32, "M", {"S": "x"}), ValidationError, NESTING),
        (nested(31, "M", {"L": []}), ValidationError, NESTING),
        (nested(200, "M", {"N": "abc"}), ValidationError, NESTING),
    ],
    ids=lambda case: repr(case)[:60],
)
def test_values_are_refused_in_the_services_words(
    value: dict[str, Any], error: type[ValidationError], message: str
) -> None:
    for check in (check_item, weigh_item):
        with pytest.raises(error) as caught:
            check({"ok": {"S": "1"}, "bad": value})
        assert caught.value.message == message
        assert caught.value.field == "bad"
        assert caught.value.constraint != "serialization"
    with pytest.raises(error) as caught:
        check_value(value, ":v")
    assert caught.value.message == message
    assert caught.value.field == ":v"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"S": 1}, "NUMBER_VALUE cannot be converted to String"),
        ({"S": 1.5}, "DECIMAL_VALUE cannot be converted to String"),
        ({"S": True}, "TRUE_VALUE cannot be converted to String"),
        ({"N": False}, "FALSE_VALUE cannot be converted to String"),
        ({"N": 5}, "NUMBER_VALUE cannot be converted to String"),
        ({"S": []}, "Unrecognized collection type class java.lang.String"),
        ({"S": {}}, STRUCTURE),
        ({"SS": [1]}, "NUMBER_VALUE cannot be converted to String"),
        ({"NS": [1]}, "NUMBER_VALUE cannot be converted to String"),
        ({"SS": "a"}, "Unexpected field type"),
        ({"NS": "a"}, "Unexpected field type"),
        ({"BS": "a"}, "Unexpected field type"),
        ({"SS": {}}, STRUCTURE),
        ({"L": "a"}, "Unexpected field type"),
        ({"L": {}}, STRUCTURE),
        ({"M": 1}, "Unexpected field type"),
        (
            {"M": []},
            "Unrecognized collection type java.util.Map<java.lang.String, "
            "com.amazonaws.dynamodb.v20120810.AttributeValue>",
        ),
        ({"L": ["a"]}, "Unexpected value type in payload"),
        ({"L": [[]]}, "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue"),
        ({"BOOL": 1}, "NUMBER_VALUE cannot be converted to Boolean"),
        ({"BOOL": "true"}, "Unexpected token received from parser"),
        ({"NULL": "x"}, "Unexpected token received from parser"),
        ({"B": 1}, "only base-64-encoded strings are convertible to bytes"),
        ({"B": []}, "Unrecognized collection type class java.nio.ByteBuffer"),
        ({"B": {}}, STRUCTURE),
        ({"B": "23456"}, "Base64 encoded length is expected a multiple of 4 bytes but found: 5"),
        ({"B": "YQ==YQ=="}, "Invalid Base64 character"),
        ({"B": "Y Q="}, "Invalid Base64 character"),
        ({"B": "-_8="}, "Invalid Base64 character"),
        ({"B": "YQé="}, "Invalid Base64 character"),
        ({"B": "YR=="}, "Invalid last non-pad Base64 character dectected"),
        ({"B": "+/+="}, "Invalid last non-pad Base64 character dectected"),
        ({"S": "a\ud800"}, "A string holds a lone surrogate, which UTF-8 cannot carry."),
        ({"SS": ["\udfff"]}, "A string holds a lone surrogate, which UTF-8 cannot carry."),
        ({"M": {"\ud800": {"S": "x"}}}, "A string holds a lone surrogate, which UTF-8 cannot carry."),
    ],
    ids=lambda case: repr(case)[:60],
)
def test_wrong_json_types_are_told_apart_as_serialization_errors(value: dict[str, Any], message: str) -> None:
    with pytest.raises(FieldTypeError) as caught:
        check_item({"bad": value})
    assert caught.value.message == message
    assert caught.value.constraint == "serialization"
    assert caught.value.field == "bad"


@pytest.mark.parametrize("check", [check_item, weigh_item])
def test_items_need_named_values(check: Callable[[Any], object]) -> None:
    with pytest.raises(ValidationError, match="Empty attribute name"):
        check({"": {"S": "x"}})
    with pytest.raises(ValidationError, match="v is null"):
        check({"v": None})
    with pytest.raises(FieldTypeError, match="Unexpected value type in payload"):
        check({"v": "abc"})
    with pytest.raises(FieldTypeError, match="Unexpected field type"):
        check("abc")
    with pytest.raises(FieldTypeError, match="Unrecognized collection type"):
        check([])
    with pytest.raises(ValidationError, match="The supplied Item contains a null AttributeValue"):
        check_value(None)


def test_names_are_shorter_than_64_kilobytes() -> None:
    item = {"n" * 65_535: {"S": "x"}}
    assert check_item(item) is item
    for name in ("n" * 65_536, "é" * 32_768):
        with pytest.raises(ValidationError, match="Attribute name is too large"):
            check_item({name: {"S": "x"}})


@given(
    st.text("0123456789.-0", max_size=42) | st.from_regex(r"-?[1-9][0-9]{0,21}(\.[0-9]{0,20}[1-9])?", fullmatch=True)
)
@example("0")
@example("0.25")
@example("0.025")
@example("00.5")
@example("0.0")
@example("1.0")
@example("\u0663")
@example("12\u00b2")
def test_what_is_weighed_at_once_is_canonical(text: str) -> None:
    if size := canonical_size(text):
        assert canonical_number(text) == text
        assert number_size(text) == size


_SCALARS = st.one_of(
    st.text(max_size=3).map(lambda text: {"S": text}),
    st.sampled_from(["1", "-2.5", "01", "1E2", "0.5", "x", ""]).map(lambda text: {"N": text}),
    st.booleans().map(lambda one: {"BOOL": one}),
    st.sampled_from(
        [{"NULL": True}, {"NULL": False}, {"SS": ["a", "b"]}, {"B": "YQ=="}, {"S": 1}, {}, None, {"S": "a", "N": "1"}]
    ),
)
_NAMES = st.sampled_from(["a", "name", "é", "", "never seen"])


def _inside(values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    members = st.lists(values, max_size=3).map(lambda found: {"L": found})
    return members | st.dictionaries(_NAMES, values, max_size=3).map(lambda found: {"M": found})


@given(st.dictionaries(_NAMES, st.recursive(_SCALARS, _inside, max_leaves=8), max_size=4))
@example({"a": nested(31, "L", {"S": "x"})})
@example({"a": nested(32, "L", {"S": "x"})})
@example({"a": nested(31, "M", {"L": []})})
@example({"a": nested(32, "M", {"S": "x"})})
def test_an_item_is_weighed_as_it_is_checked(item: dict[str, Any]) -> None:
    weigh_item({name: {"S": "x"} for name in ("a", "name", "m")})  # these names were seen before

    def outcome(check: Callable[[Any], object]) -> object:
        try:
            return check(item)
        except ValidationError as error:
            return type(error), error.message, error.field

    def checked_and_weighed(item: Any) -> object:
        checked = check_item(item)
        return checked, item_size(checked)

    assert outcome(weigh_item) == outcome(checked_and_weighed)
