"""Spans and metrics of OpenTelemetry, by its conventions for databases and for DynamoDB (1.44). It needs the extra `otel`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.json import encode

from tablewright._version import __version__
from tablewright.errors import not_installed
from tablewright.observe.events import Event
from tablewright.observe.tracking import Tracked

try:
    from opentelemetry import metrics, trace
except ImportError as error:
    raise not_installed("Spans and metrics of OpenTelemetry need its API.", "otel") from error

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider
    from opentelemetry.util.types import AttributeValue

SCHEMA: Final = "https://opentelemetry.io/schemas/1.44.0"
DURATIONS: Final = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0)
"""Bounds in seconds, those that the conventions recommend for operations of databases."""
ROWS: Final = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0, 10000.0)
READS: Final = frozenset(("GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan"))
"""Operations that return items."""


class OpenTelemetry:
    """Makes a span of each request, with its true beginning and end, below the span in which it was sent; and counts and times
    requests in metrics. No keys, no values, no expressions.

    Providers are the global ones, unless others are given.
    """

    def __init__(
        self,
        *,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
        spans: bool = True,
        metered: bool = True,
    ) -> None:
        self._spans, self._metered = spans, metered
        self._tracer = trace.get_tracer("tablewright", __version__, tracer_provider, SCHEMA)
        meter = metrics.get_meter("tablewright", __version__, meter_provider, SCHEMA)
        self._duration = meter.create_histogram(
            "db.client.operation.duration",
            unit="s",
            description="Duration of database client operations.",
            explicit_bucket_boundaries_advisory=DURATIONS,
        )
        self._rows = meter.create_histogram(
            "db.client.response.returned_rows",
            unit="{row}",
            description="Items that an operation returned.",
            explicit_bucket_boundaries_advisory=ROWS,
        )
        self._units = meter.create_counter(
            "tablewright.consumed_capacity", unit="{unit}", description="Read and write units that were consumed."
        )
        self._retries = meter.create_counter(
            "tablewright.retries", unit="{attempt}", description="Attempts after the first of a request."
        )
        self._operations = meter.create_histogram(
            "tablewright.operation.duration",
            unit="s",
            description="Duration of operations of the application.",
            explicit_bucket_boundaries_advisory=DURATIONS,
        )

    def seen(self, event: Event) -> None:
        """Makes the span of a request, and counts it."""
        if self._spans:
            self._span(
                f"{event.operation} {event.table}", trace.SpanKind.CLIENT, event, _attributes(event) | _outcome(event)
            )
        if self._metered:
            self._measure(event)

    def done(self, tracked: Tracked) -> None:
        """Makes the span of an operation of the application, and counts it."""
        if self._spans:
            self._span(tracked.name, trace.SpanKind.INTERNAL, tracked, _failure(tracked))
        if self._metered:
            self._operations.record(tracked.seconds, {"tablewright.operation": tracked.name} | _failure(tracked))

    def _span(
        self, name: str, kind: trace.SpanKind, told: Event | Tracked, attributes: dict[str, AttributeValue]
    ) -> None:
        began = round(told.at * 1e6) * 1000  # no more than a microsecond is known of it
        # The parent is the current span of the context that this runs in, which is that of whoever sent the request.
        span = self._tracer.start_span(name, kind=kind, attributes=attributes, start_time=began)
        if told.error is not None:
            span.set_status(trace.StatusCode.ERROR)
        span.end(began + round(told.seconds * 1e9))

    def _measure(self, event: Event) -> None:
        named: dict[str, AttributeValue] = {
            "db.system.name": "aws.dynamodb",
            "db.operation.name": event.operation,
            "db.collection.name": event.table,
        }
        if event.pattern is not None:
            named["tablewright.pattern"] = event.pattern
        self._duration.record(event.seconds, named | _failure(event))
        if event.operation in READS and event.error is None:
            self._rows.record(event.returned, named)
        for kind, units in (("read", event.read_units), ("write", event.write_units)):
            if units:
                self._units.add(units, named | {"tablewright.unit": kind})
        if event.retries:
            self._retries.add(event.retries, named)


def _attributes(event: Event) -> dict[str, AttributeValue]:
    """What is known of a request before it is sent. Those who sample look at these."""
    found: dict[str, AttributeValue] = {
        "db.system.name": "aws.dynamodb",
        "db.operation.name": event.operation,
        "db.collection.name": event.table,
        "rpc.system": "aws-api",
        "aws.dynamodb.table_names": [event.table],
    }
    if event.batched > 1:  # by the conventions, a batch of one is none
        found["db.operation.batch.size"] = event.batched
    if event.index is not None:
        found["aws.dynamodb.index_name"] = event.index
    if event.pattern is not None:
        found["tablewright.pattern"] = event.pattern
    if event.entity is not None:
        found["tablewright.entity"] = event.entity
    if event.write is not None:
        found["tablewright.write"] = event.write
    return found


def _outcome(event: Event) -> dict[str, AttributeValue]:
    found = _failure(event)
    if event.read_units or event.write_units:
        units = {
            "TableName": event.table,
            "CapacityUnits": event.read_units + event.write_units,
            "ReadCapacityUnits": event.read_units,
            "WriteCapacityUnits": event.write_units,
        }
        found["aws.dynamodb.consumed_capacity"] = [encode(units).decode()]
    if event.error is None and event.operation in {"Query", "Scan"}:
        found |= {"aws.dynamodb.count": event.returned, "aws.dynamodb.scanned_count": event.scanned}
    if event.retries:
        found["tablewright.retries"] = event.retries
    return found


def _failure(told: Event | Tracked) -> dict[str, AttributeValue]:
    return {} if told.error is None else {"error.type": told.error}
