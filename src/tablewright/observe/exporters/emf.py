"""CloudWatch's embedded metric format: a line of JSON for each request, which CloudWatch Logs turns into metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from tablewright.observe.events import Event
from tablewright.observe.exporters.lines import Sink, line_writer
from tablewright.observe.exporters.measures import NAMESPACE, Axis, Dimensions, checked_namespace, measures, text
from tablewright.observe.tracking import Tracked


class Emf:
    """Writes a line for each request, and for each operation of the application: how long it took, whether it succeeded, what it
    consumed. No keys and no values.

    In AWS Lambda, standard output is all that is needed. A line tells more than its metrics, for those who search in the logs:
    the pattern, the index, the error, what was returned and looked at.
    """

    def __init__(
        self,
        to: Sink = None,
        *,
        namespace: str = NAMESPACE,
        by: Sequence[Axis] = ("Table",),
        dimensions: Mapping[str, str] | None = None,
    ) -> None:
        self._write = line_writer(to)
        self._namespace = checked_namespace(namespace)
        self._dimensions = Dimensions(by, dimensions or {})

    def seen(self, event: Event) -> None:
        """Writes the line of a request."""
        more = {
            "Operation": event.operation,
            "Table": event.table,
            "Index": event.index,
            "Pattern": event.pattern,
            "Entity": event.entity,
            "Write": event.write,
            "Error": event.error,
        }
        told: dict[str, Any] = {name: text(value, 1024) for name, value in more.items() if value}
        told |= {"Returned": event.returned, "Scanned": event.scanned, "Retries": event.retries}
        self._tell(event, told)

    def done(self, tracked: Tracked) -> None:
        """Writes the line of an operation of the application."""
        error = {} if tracked.error is None else {"Error": text(tracked.error, 1024)}
        self._tell(tracked, {"Operation": text(tracked.name, 1024), **error})

    def _tell(self, told: Event | Tracked, more: dict[str, Any]) -> None:
        found, dimensions = measures(told), self._dimensions.of(told)
        directive = {
            "Namespace": self._namespace,
            "Dimensions": [list(dimensions)],
            "Metrics": [{"Name": measure.name, "Unit": measure.unit} for measure in found],
        }
        line = {
            "_aws": {"Timestamp": round(told.at * 1000), "CloudWatchMetrics": [directive]},
            **more,
            **dimensions,
            **{measure.name: measure.value for measure in found},
        }
        self._write(msgspec.json.encode(line).decode())
