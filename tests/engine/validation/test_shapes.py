"""Shapes of requests: quick yes, and long no in the service's words."""

from typing import Any

import pytest

from tablewright.engine import open_engine
from tablewright.engine.validation.names import TableName
from tablewright.engine.validation.shapes import Entries, Flag, Members, Number, Struct, Text, check_shape
from tablewright.errors import RequestRefused

SHAPE = Struct(
    {
        "Name": Text(required=True, pattern="[a-z]+", low=2, high=4),
        "Kind": Text(choices=("A", "B")),
        "Count": Number(low=1, high=10),
        "Free": Number(),
        "Flag": Flag(),
        "Parts": Members(Struct({"Id": Text(required=True)}), low=1, high=2),
        "Map": Entries(Number(low=0)),
        "Inner": Struct({"Deep": Text(required=True)}),
    }
)


def refused(request: dict[str, Any]) -> tuple[str, str]:
    with pytest.raises(RequestRefused) as caught:
        check_shape(SHAPE, request)
    return caught.value.wire_name, caught.value.message


@pytest.mark.parametrize(
    "request_",
    [
        {"Name": "ab"},
        {"Name": "ab", "Kind": None, "Unknown": object()},
        {"Name": "abcd", "Kind": "B", "Count": 10, "Free": -5, "Flag": False},
        {"Name": "ab", "Parts": [{"Id": "x"}, {"Id": "y", "More": 1}], "Map": {"k": 0}, "Inner": {"Deep": "z"}},
    ],
)
def test_requests_that_fit(request_: dict[str, Any]) -> None:
    check_shape(SHAPE, request_)
    assert SHAPE.fits(request_)


@pytest.mark.parametrize(
    ("request_", "fault"),
    [
        ({}, "Value null at 'name' failed to satisfy constraint: Member must not be null"),
        (
            {"Name": "A1"},
            "Value 'A1' at 'name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-z]+",
        ),
        (
            {"Name": "a"},
            "Value 'a' at 'name' failed to satisfy constraint: Member must have length greater than or equal to 2",
        ),
        (
            {"Name": "abcde"},
            "Value 'abcde' at 'name' failed to satisfy constraint: Member must have length less than or equal to 4",
        ),
        (
            {"Name": "ab", "Kind": "C"},
            "Value 'C' at 'kind' failed to satisfy constraint: Member must satisfy enum value set: [A, B]",
        ),
        (
            {"Name": "ab", "Count": 0},
            "Value '0' at 'count' failed to satisfy constraint: Member must have value greater than or equal to 1",
        ),
        (
            {"Name": "ab", "Count": 11},
            "Value '11' at 'count' failed to satisfy constraint: Member must have value less than or equal to 10",
        ),
        (
            {"Name": "ab", "Parts": []},
            "Value '[]' at 'parts' failed to satisfy constraint: Member must have length greater than or equal to 1",
        ),
        (
            {"Name": "ab", "Parts": [{}]},
            "Value null at 'parts.1.member.id' failed to satisfy constraint: Member must not be null",
        ),
        (
            {"Name": "ab", "Map": {"k": -1}},
            "Value '-1' at 'map.k.member' failed to satisfy constraint: Member must have value greater than or equal to 0",
        ),
        (
            {"Name": "ab", "Inner": {}},
            "Value null at 'inner.deep' failed to satisfy constraint: Member must not be null",
        ),
    ],
)
def test_broken_constraints(request_: dict[str, Any], fault: str) -> None:
    assert refused(request_) == ("ValidationException", f"1 validation error detected: {fault}")


def test_all_faults_are_told_in_the_order_of_the_members_up_to_ten() -> None:
    message = refused({"Kind": "C", "Count": 0})[1]
    assert message.startswith(
        "3 validation errors detected: Value null at 'name' failed to satisfy constraint: Member must not be null; "
        "Value 'C' at 'kind' failed to satisfy constraint: "
    )
    assert "; Value '0' at 'count' failed to satisfy constraint: " in message
    many = refused({"Name": "ab", "Map": {f"k{n}": -1 for n in range(30)}})[1]
    assert many.startswith("10 validation errors detected: Value '-1' at 'map.k0.member' failed")
    assert "'map.k9.member'" in many
    assert "'map.k10.member'" not in many


def test_a_wrong_type_comes_before_every_broken_constraint() -> None:
    assert refused({"Kind": "C", "Count": "x"})[0] == "SerializationException"


def test_absence_may_have_words_of_its_own() -> None:
    shape = Struct({"Name": TableName("Which table?"), "Kind": Text(required=True)})
    with pytest.raises(RequestRefused, match="Which table"):
        check_shape(shape, {})


@pytest.mark.parametrize(
    ("request_", "fault"),
    [
        (
            {"Parts": [{"Id": "x", "Kind": "A"}, {"Id": "y"}]},
            "Value '[Part(id=x, kind=A), Part(id=y, kind=null)]' at 'parts' failed to satisfy constraint: "
            "Member must have length less than or equal to 1",
        ),
        (
            {"Words": ["good", ""]},
            "Value '[good, ]' at 'words' failed to satisfy constraint: Member must satisfy constraint: "
            "[Member must have length less than or equal to 4, Member must have length greater than or equal to 1, "
            "Member must satisfy regular expression pattern: [a-z]*]",
        ),
        (
            {"Lists": {"a": [{}, {}, {}]}},
            "Value '{a=[3 members]}' at 'lists' failed to satisfy constraint: Map value must satisfy constraint: "
            "[Member must have length less than or equal to 2]",
        ),
        (
            {"Lists": {"a": [], "b": [], "c": []}},
            "Value '{a=[], b=[], c=[]}' at 'lists' failed to satisfy constraint: "
            "Member must have length less than or equal to 2",
        ),
    ],
)
def test_lists_and_maps_are_shown_as_the_service_shows_them(request_: dict[str, Any], fault: str) -> None:
    shape = Struct(
        {
            "Parts": Members(Struct({"Id": Text(), "Kind": Text()}, name="Part"), high=1),
            "Words": Members(Text(low=1, high=4, pattern="[a-z]*")),
            "Lists": Entries(Members(Struct({}), high=2), high=2),
        }
    )
    with pytest.raises(RequestRefused) as caught:
        check_shape(shape, request_)
    assert caught.value.message == f"1 validation error detected: {fault}"


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"Name": 1}, "NUMBER_VALUE cannot be converted to String"),
        ({"Name": 1.5}, "DECIMAL_VALUE cannot be converted to String"),
        ({"Name": True}, "TRUE_VALUE cannot be converted to String"),
        ({"Name": ["ab"]}, "Unrecognized collection type class java.lang.String"),
        ({"Name": {"S": "ab"}}, "Start of structure or map found where not expected"),
        ({"Name": "ab", "Count": "1"}, "STRING_VALUE cannot be converted to Integer"),
        ({"Name": "ab", "Count": True}, "TRUE_VALUE cannot be converted to Integer"),
        ({"Name": "ab", "Flag": "yes"}, "Unexpected token received from parser"),
        ({"Name": "ab", "Flag": 1}, "NUMBER_VALUE cannot be converted to Boolean"),
        ({"Name": "ab", "Parts": {}}, "Start of structure or map found where not expected"),
        ({"Name": "ab", "Parts": "x"}, "Unexpected field type"),
        ({"Name": "ab", "Map": []}, "Unrecognized collection type java.util.Map"),
        ({"Name": "ab", "Inner": "x"}, "Unexpected field type"),
    ],
)
def test_wrong_json_types(request_: dict[str, Any], message: str) -> None:
    assert refused(request_) == ("SerializationException", message)


@pytest.mark.parametrize(
    ("operation", "request_", "message"),
    [
        ("Scan", {"AttributesToGet": ["a", None]}, "Empty attribute name"),
        (
            "Scan",
            {"ProjectionExpression": "#n", "ExpressionAttributeNames": {"#n": None}},
            "ExpressionAttributeNames contains invalid value: null for key #n",
        ),
    ],
)
def test_null_among_names(operation: str, request_: dict[str, Any], message: str) -> None:
    with open_engine("memory:") as engine, pytest.raises(RequestRefused) as caught:
        engine.execute(operation, {"TableName": "App", **request_})
    assert (caught.value.wire_name, caught.value.message) == ("ValidationException", message)
