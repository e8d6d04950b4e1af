"""Logs tell of requests in fields that programs read, of all of them or of those that matter."""

import io
import json
import logging
from collections.abc import Callable

import pytest

from tablewright.errors import ArgumentError
from tablewright.observe.events import Event
from tablewright.observe.exporters.logs import JsonLogs, Logs, fields
from tablewright.observe.tracking import Tracked

Make = Callable[..., Event]


def test_a_record_has_a_sentence_and_fields(event: Make, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        Logs().seen(event(index="GSI1", pattern="orders_of"))
        Logs("mine").seen(event(error="THROTTLED"))
    first, second = caplog.records
    assert first.getMessage() == "Query of Shop by GSI1 for orders_of() took 12.5 ms"
    assert (first.name, first.levelno) == ("tablewright.requests", logging.INFO)
    told = vars(first)
    assert {"operation": "Query", "index": "GSI1", "read_units": 1.5, "milliseconds": 12.5}.items() <= told.items()
    assert told["began"] == "2023-11-14T22:13:20.250Z"
    assert not hasattr(first, "error")
    assert second.getMessage() == "Query of Shop failed with THROTTLED after 12.5 ms"
    assert (second.name, second.levelno, vars(second)["error"]) == ("mine", logging.WARNING, "THROTTLED")


def test_an_operation_of_the_application(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        Logs().done(Tracked(name="Checkout", at=0.0, seconds=1.0, error=None))
        Logs(level=logging.ERROR).done(Tracked(name="Checkout", at=0.0, seconds=1.0, error="KeyError"))
    assert [(r.levelname, r.getMessage()) for r in caplog.records] == [
        ("INFO", "Checkout took 1000.0 ms"),
        ("ERROR", "Checkout failed with KeyError after 1000.0 ms"),
    ]
    assert vars(caplog.records[0])["tracked"] == "Checkout"


def test_only_what_is_slow_or_failed(event: Make, caplog: pytest.LogCaptureFixture) -> None:
    told = [
        event(seconds=0.0999),
        event(seconds=0.1, pattern="slow"),
        event(seconds=0.0, pattern="bad", error="THROTTLED"),
    ]
    lines: list[str] = []
    with caplog.at_level(logging.DEBUG):
        for one in told:
            Logs(slow_ms=100).seen(one)
            JsonLogs(lines.append, slow_ms=100).seen(one)
        for seconds, error in ((0.05, None), (0.2, None), (0.0, "KeyError")):
            Logs(slow_ms=100).done(Tracked(name="Buy", at=0.0, seconds=seconds, error=error))
    assert [vars(r).get("pattern") for r in caplog.records] == ["slow", "bad", None, None]
    assert {r.levelname for r in caplog.records} == {json.loads(line)["level"] for line in lines} == {"WARNING"}
    assert [json.loads(line)["pattern"] for line in lines] == ["slow", "bad"]


def test_a_line_of_json(event: Make, capsys: pytest.CaptureFixture[str]) -> None:
    stream = io.StringIO()
    for to in (stream, None):
        JsonLogs(to).seen(event(entity="Order", error="THROTTLED"))
    JsonLogs().done(Tracked(name="Checkout", at=0.0, seconds=0.5, error=None))
    first, second = capsys.readouterr().out.splitlines()
    assert stream.getvalue() == f"{first}\n"
    assert json.loads(first) == {
        "level": "WARNING",
        "began": "2023-11-14T22:13:20.250Z",
        "milliseconds": 12.5,
        "operation": "Query",
        "table": "Shop",
        "entity": "Order",
        "read_units": 1.5,
        "write_units": 0.0,
        "returned": 3,
        "scanned": 4,
        "retries": 0,
        "error": "THROTTLED",
    }
    assert json.loads(second) == {
        "level": "INFO",
        "began": "1970-01-01T00:00:00.000Z",
        "milliseconds": 500.0,
        "tracked": "Checkout",
    }


def test_no_field_is_one_that_logging_has_itself(event: Make) -> None:
    record = logging.LogRecord("n", 20, "p", 1, "m", (), None)
    names = {*fields(event(index="i", pattern="p", entity="e", error="x"))}
    names |= {*fields(Tracked(name="n", at=0.0, seconds=0.0, error="x"))}
    assert names.isdisjoint({*vars(record), "message", "asctime"})


def test_a_threshold_below_zero_means_nothing() -> None:
    with pytest.raises(ArgumentError, match="below 0"):
        Logs(slow_ms=-1)
    with pytest.raises(ArgumentError, match="below 0"):
        JsonLogs(slow_ms=float("nan"))
