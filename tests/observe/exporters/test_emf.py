"""Lines of the embedded metric format are what CloudWatch Logs takes: checked against what its specification demands."""

import io
import json
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.errors import ArgumentError
from tablewright.observe.events import Event
from tablewright.observe.exporters.emf import Emf
from tablewright.observe.tracking import Tracked

Make = Callable[..., Event]

PRINTABLE = r"^[\x20-\x7e]+$"
FORM = {
    "type": "object",
    "required": ["_aws"],
    "properties": {
        "_aws": {
            "type": "object",
            "required": ["Timestamp", "CloudWatchMetrics"],
            "additionalProperties": False,
            "properties": {
                "Timestamp": {"type": "integer", "minimum": 0},
                "CloudWatchMetrics": {
                    "type": "array",
                    "minItems": 1,
                    "items": {
                        "type": "object",
                        "required": ["Namespace", "Dimensions", "Metrics"],
                        "additionalProperties": False,
                        "properties": {
                            "Namespace": {"type": "string", "minLength": 1, "maxLength": 255},
                            "Dimensions": {
                                "type": "array",
                                "minItems": 1,
                                "items": {
                                    "type": "array",
                                    "maxItems": 30,
                                    "items": {"type": "string", "minLength": 1, "maxLength": 250, "pattern": PRINTABLE},
                                },
                            },
                            "Metrics": {
                                "type": "array",
                                "minItems": 1,
                                "maxItems": 100,
                                "items": {
                                    "type": "object",
                                    "required": ["Name", "Unit"],
                                    "additionalProperties": False,
                                    "properties": {
                                        "Name": {
                                            "type": "string",
                                            "minLength": 1,
                                            "maxLength": 255,
                                            "pattern": PRINTABLE,
                                        },
                                        "Unit": {"enum": ["Milliseconds", "Count"]},
                                    },
                                },
                            },
                        },
                    },
                },
            },
        }
    },
}

CHECK = jsonschema.Draft202012Validator(FORM)


def metrics(line: str) -> tuple[dict[str, Any], dict[str, tuple[float, str]], dict[str, str]]:
    """The line, its metrics and their dimensions, after a look at whether CloudWatch would take it."""
    assert len(line.encode()) < 1_000_000
    assert "\n" not in line
    told = json.loads(line, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    CHECK.validate(told)
    (directive,) = told["_aws"]["CloudWatchMetrics"]
    (names,) = directive["Dimensions"]
    for name in names:
        assert isinstance(told[name], str)
        assert told[name].strip()
        assert len(told[name]) <= 1024
    values = {m["Name"]: (told[m["Name"]], m["Unit"]) for m in directive["Metrics"]}
    assert all(type(value) in (int, float) for value, _ in values.values())
    return told, values, {name: told[name] for name in names}


def test_a_request_that_went_well(event: Make) -> None:
    lines: list[str] = []
    Emf(lines.append).seen(event(index="GSI1", pattern="orders_of", entity="Order", retries=2))
    told, values, dimensions = metrics(lines[0])
    assert told["_aws"]["Timestamp"] == 1_700_000_000_250
    assert told["_aws"]["CloudWatchMetrics"][0]["Namespace"] == "Tablewright"
    assert values == {
        "QueryDuration": (12.5, "Milliseconds"),
        "QuerySuccess": (1, "Count"),
        "QueryReadUnits": (1.5, "Count"),
    }
    assert dimensions == {"Table": "Shop"}
    more = {name: told[name] for name in ("Operation", "Index", "Pattern", "Entity", "Returned", "Scanned", "Retries")}
    assert more == {
        "Operation": "Query",
        "Index": "GSI1",
        "Pattern": "orders_of",
        "Entity": "Order",
        "Returned": 3,
        "Scanned": 4,
        "Retries": 2,
    }
    assert "Error" not in told


def test_a_request_that_failed(event: Make) -> None:
    lines: list[str] = []
    Emf(lines.append).seen(event(operation="PutItem", error="THROTTLED", read_units=0.0, write_units=2.0))
    told, values, _ = metrics(lines[0])
    assert set(values) == {"PutItemDuration", "PutItemFailure", "PutItemWriteUnits"}
    assert values["PutItemFailure"] == (1, "Count")
    assert told["Error"] == "THROTTLED"


@pytest.mark.parametrize(("error", "outcome"), [(None, "CheckoutSuccess"), ("KeyError", "CheckoutFailure")])
def test_an_operation_of_the_application(error: str | None, outcome: str) -> None:
    lines: list[str] = []
    exporter = Emf(lines.append, namespace="Shop/Orders", dimensions={"Service": "web"})
    exporter.done(Tracked(name="Checkout", at=1.0, seconds=0.25, error=error))
    told, values, dimensions = metrics(lines[0])
    assert told["_aws"]["CloudWatchMetrics"][0]["Namespace"] == "Shop/Orders"
    assert values == {"CheckoutDuration": (250.0, "Milliseconds"), outcome: (1, "Count")}
    assert dimensions == {"Service": "web"}
    assert told.get("Error") == error


def test_an_operation_without_any_dimension() -> None:
    lines: list[str] = []
    Emf(lines.append).done(Tracked(name="Checkout", at=1.0, seconds=0.25, error=None))
    assert metrics(lines[0])[2] == {}


def test_requests_are_told_apart_by_what_they_have(event: Make) -> None:
    lines: list[str] = []
    exporter = Emf(lines.append, by=("Table", "Pattern", "Index"), dimensions={"Stage": "test"})
    exporter.seen(event(pattern="orders_of", index="GSI1"))
    exporter.seen(event())
    assert metrics(lines[0])[2] == {"Table": "Shop", "Pattern": "orders_of", "Index": "GSI1", "Stage": "test"}
    assert metrics(lines[1])[2] == {"Table": "Shop", "Stage": "test"}


def test_lines_go_to_a_stream_or_to_standard_output(event: Make, capsys: pytest.CaptureFixture[str]) -> None:
    stream = io.StringIO()
    Emf(stream).seen(event())
    Emf().seen(event())
    written = stream.getvalue()
    assert written.endswith("\n")
    assert capsys.readouterr().out == written
    metrics(written.removesuffix("\n"))


names = st.builds(lambda text, times: text * times, st.text(min_size=1, max_size=6), st.sampled_from([1, 700]))


@given(names, names, st.sampled_from([0, 1, 29]))
def test_whatever_things_are_called_cloudwatch_takes_it(name: str, table: str, always: int) -> None:
    lines: list[str] = []
    exporter = Emf(lines.append, dimensions={f"D{number}": "é" * 1100 for number in range(always)})
    exporter.done(Tracked(name=name, at=0.0, seconds=0.0, error=name))
    exporter.seen(
        Event(
            operation="Scan",
            table=table,
            index=name,
            pattern=name,
            entity=name,
            at=1e9,
            seconds=1e-7,
            read_units=1e9,
            write_units=0.5,
            returned=0,
            scanned=10**9,
            retries=0,
            error=name,
        )
    )
    for line in lines:
        metrics(line)


@pytest.mark.parametrize(
    ("said", "match"),
    [
        ({"namespace": ""}, "no namespace ''"),
        ({"namespace": "AWS/DynamoDB"}, "AWS/"),
        ({"namespace": "a\nb"}, "no namespace"),
        ({"namespace": "x" * 256}, "no namespace"),
        ({"by": ("Tenant",)}, "'Tenant'.*Table, Index"),
        ({"dimensions": {"Table": "x"}}, "'Table' cannot"),
        ({"dimensions": {":x": "x"}}, "':x' cannot"),
        ({"dimensions": {"ü": "x"}}, "'ü' cannot"),
        ({"dimensions": {"x": " "}}, "x has no value"),
        ({"dimensions": {f"d{n}": "x" for n in range(30)}}, "31 dimensions"),
        ({"to": 5}, "written to a int"),
    ],
    ids=str,
)
def test_what_cloudwatch_would_refuse_is_refused_at_once(said: dict[str, Any], match: str) -> None:
    with pytest.raises(ArgumentError, match=match):
        Emf(**said)
