"""Spans and metrics as the SDK of OpenTelemetry itself exports them."""

import asyncio
import json
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import HistogramDataPoint, InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from tablewright.observe.events import Event
from tablewright.observe.exporters.opentelemetry import OpenTelemetry
from tablewright.observe.outlet import Outlet
from tablewright.observe.tracking import Tracked

Make = Callable[..., Event]


class Backend:
    """The SDK with exporters that keep all in memory."""

    def __init__(self) -> None:
        self.kept = InMemorySpanExporter()
        self.tracers = TracerProvider(shutdown_on_exit=False)
        self.tracers.add_span_processor(SimpleSpanProcessor(self.kept))
        self.reader = InMemoryMetricReader()
        self.meters = MeterProvider([self.reader], shutdown_on_exit=False)
        self.exporter = OpenTelemetry(tracer_provider=self.tracers, meter_provider=self.meters)

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        return self.kept.get_finished_spans()

    def metrics(self) -> dict[str, Any]:
        data = self.reader.get_metrics_data()
        if data is None:
            return {}
        return {m.name: m for r in data.resource_metrics for s in r.scope_metrics for m in s.metrics}


@pytest.fixture
def backend() -> Iterator[Backend]:
    made = Backend()
    yield made
    made.tracers.shutdown()
    made.meters.shutdown()


def test_the_span_of_a_query(backend: Backend, event: Make) -> None:
    backend.exporter.seen(event(index="GSI1", pattern="orders_of", entity="Order"))
    (span,) = backend.spans
    assert (span.name, span.kind) == ("Query Shop", SpanKind.CLIENT)
    assert (span.start_time, span.end_time) == (1_700_000_000_250_000_000, 1_700_000_000_262_500_000)
    assert span.status.status_code is StatusCode.UNSET
    assert span.parent is None
    told = dict(span.attributes or {})
    (units,) = told.pop("aws.dynamodb.consumed_capacity")  # type: ignore[misc]
    assert json.loads(str(units)) == {
        "TableName": "Shop",
        "CapacityUnits": 1.5,
        "ReadCapacityUnits": 1.5,
        "WriteCapacityUnits": 0.0,
    }
    assert told == {
        "db.system.name": "aws.dynamodb",
        "db.operation.name": "Query",
        "db.collection.name": "Shop",
        "rpc.system": "aws-api",
        "aws.dynamodb.table_names": ("Shop",),
        "aws.dynamodb.index_name": "GSI1",
        "aws.dynamodb.count": 3,
        "aws.dynamodb.scanned_count": 4,
        "tablewright.pattern": "orders_of",
        "tablewright.entity": "Order",
    }
    assert span.instrumentation_scope is not None
    assert span.instrumentation_scope.name == "tablewright"
    assert span.instrumentation_scope.schema_url == "https://opentelemetry.io/schemas/1.44.0"


def test_the_span_of_a_request_that_failed(backend: Backend, event: Make) -> None:
    backend.exporter.seen(event(operation="PutItem", error="THROTTLED", read_units=0.0, retries=9, returned=0))
    (span,) = backend.spans
    assert span.status.status_code is StatusCode.ERROR
    told = dict(span.attributes or {})
    assert told["error.type"] == "THROTTLED"
    assert told["tablewright.retries"] == 9
    assert not {"aws.dynamodb.consumed_capacity", "aws.dynamodb.count"} & set(told)


@pytest.mark.parametrize(("batched", "size"), [(25, 25), (1, None), (0, None)])
def test_a_batch_tells_its_size_and_a_batch_of_one_is_none(
    backend: Backend, event: Make, batched: int, size: int | None
) -> None:
    backend.exporter.seen(event(operation="BatchWriteItem", batched=batched))
    assert (backend.spans[0].attributes or {}).get("db.operation.batch.size") == size


def test_those_who_sample_see_what_a_request_is(backend: Backend, event: Make) -> None:
    from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult

    asked: list[Any] = []

    class Looks(Sampler):
        def should_sample(self, *args: Any, **named: Any) -> SamplingResult:
            asked.append(named.get("attributes", args[4] if len(args) > 4 else None))
            return SamplingResult(Decision.DROP)

        def get_description(self) -> str:
            return "looks"

    tracers = TracerProvider(sampler=Looks(), shutdown_on_exit=False)
    OpenTelemetry(tracer_provider=tracers, meter_provider=backend.meters).seen(event())
    assert asked[0]["db.system.name"] == "aws.dynamodb"
    assert asked[0]["db.operation.name"] == "Query"


def test_durations_are_a_histogram_with_the_recommended_bounds(backend: Backend, event: Make) -> None:
    for seconds in (0.0005, 0.0125, 0.02):
        backend.exporter.seen(event(seconds=seconds, pattern="orders_of"))
    backend.exporter.seen(event(error="THROTTLED"))
    metric = backend.metrics()["db.client.operation.duration"]
    assert metric.unit == "s"
    points: dict[Any, HistogramDataPoint] = {(p.attributes or {}).get("error.type"): p for p in metric.data.data_points}
    good = points[None]
    assert tuple(good.explicit_bounds) == (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10)
    assert list(good.bucket_counts) == [1, 0, 0, 2, 0, 0, 0, 0, 0, 0]
    assert good.sum == pytest.approx(0.033)
    assert dict(good.attributes or {}) == {
        "db.system.name": "aws.dynamodb",
        "db.operation.name": "Query",
        "db.collection.name": "Shop",
        "tablewright.pattern": "orders_of",
    }
    assert points["THROTTLED"].count == 1


def test_units_rows_and_retries_are_counted(backend: Backend, event: Make) -> None:
    backend.exporter.seen(event(read_units=0.5, retries=2))
    backend.exporter.seen(event(read_units=2.0))
    backend.exporter.seen(event(operation="TransactWriteItems", read_units=0.0, write_units=4.0, returned=0))
    found = backend.metrics()
    units = {
        (p.attributes["db.operation.name"], p.attributes["tablewright.unit"]): p.value
        for p in found["tablewright.consumed_capacity"].data.data_points
    }
    assert units == {("Query", "read"): 2.5, ("TransactWriteItems", "write"): 4.0}
    (rows,) = found["db.client.response.returned_rows"].data.data_points
    assert (rows.count, rows.sum) == (2, 6)
    (retries,) = found["tablewright.retries"].data.data_points
    assert retries.value == 2


def test_an_operation_of_the_application(backend: Backend) -> None:
    backend.exporter.done(Tracked(name="Checkout", at=10.0, seconds=0.5, error=None))
    backend.exporter.done(Tracked(name="Checkout", at=11.0, seconds=0.5, error="KeyError"))
    good, bad = backend.spans
    assert (good.name, good.kind, good.start_time, good.end_time) == (
        *("Checkout", SpanKind.INTERNAL, 10_000_000_000, 10_500_000_000),
    )
    assert (good.status.status_code, bad.status.status_code) == (StatusCode.UNSET, StatusCode.ERROR)
    points = backend.metrics()["tablewright.operation.duration"].data.data_points
    assert [(dict(p.attributes), p.count, p.sum) for p in points] == [
        ({"tablewright.operation": "Checkout"}, 1, 0.5),
        ({"tablewright.operation": "Checkout", "error.type": "KeyError"}, 1, 0.5),
    ]


def test_spans_or_metrics_alone(backend: Backend, event: Make) -> None:
    tracked = Tracked(name="Checkout", at=10.0, seconds=0.5, error=None)
    providers: dict[str, Any] = {"tracer_provider": backend.tracers, "meter_provider": backend.meters}
    spans = OpenTelemetry(metered=False, **providers)
    spans.seen(event())
    spans.done(tracked)
    assert (len(backend.spans), backend.metrics()) == (2, {})
    metered = OpenTelemetry(spans=False, **providers)
    metered.seen(event())
    metered.done(tracked)
    assert len(backend.spans) == 2
    assert {"db.client.operation.duration", "tablewright.operation.duration"} <= set(backend.metrics())


def test_the_parent_is_the_span_in_which_the_request_was_sent(backend: Backend, event: Make) -> None:
    outlet = Outlet(backend.exporter)
    tracer = backend.tracers.get_tracer("the application")

    async def handle(number: int) -> int:
        with tracer.start_as_current_span(f"request {number}") as span:
            await asyncio.sleep(0)
            outlet.put(event(returned=number))
            outlet.tell(Tracked(name="Checkout", at=1.0, seconds=0.5, error=None))
            return span.get_span_context().span_id

    async def main() -> list[int]:
        return await asyncio.gather(*(handle(number) for number in range(5)))

    parents = asyncio.run(main())
    outlet.put(event(returned=99))
    assert outlet.close(5)
    seen = {s.attributes["aws.dynamodb.count"]: s for s in backend.spans if s.attributes and s.name == "Query Shop"}
    assert [s.parent.span_id for n, s in sorted(seen.items()) if s.parent is not None] == parents
    assert seen[99].parent is None
    tracked = [s.parent.span_id for s in backend.spans if s.name == "Checkout" and s.parent is not None]
    assert sorted(tracked) == sorted(parents)


def test_without_an_sdk_nothing_happens(event: Make) -> None:
    exporter = OpenTelemetry()
    exporter.seen(event())
    exporter.done(Tracked(name="Checkout", at=1.0, seconds=0.5, error=None))


def test_spans_of_the_last_requests_get_out_before_the_sdk_ends() -> None:
    code = """
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter
    from tablewright.observe.exporters.opentelemetry import OpenTelemetry
    from tablewright.observe.outlet import Outlet
    from tablewright.observe.tracking import Tracked

    outlet = Outlet(OpenTelemetry(metered=False))
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(ConsoleSpanExporter(formatter=lambda span: span.name + " ")))
    trace.set_tracer_provider(provider)
    for number in range(5):
        outlet.tell(Tracked(name=f"Checkout{number}", at=1.0, seconds=0.5, error=None))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == [f"Checkout{number}" for number in range(5)]
