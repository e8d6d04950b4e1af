"""Structured logs: a record or a line of JSON for each request, or for those only that were slow or failed."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any

import msgspec

from tablewright.errors import ArgumentError
from tablewright.observe.events import Event
from tablewright.observe.exporters.lines import Sink, line_writer
from tablewright.observe.tracking import Tracked

LOGGER = "tablewright.requests"


class Logs:
    """Makes a record of `logging` for each request and each operation of the application, with its figures as extra fields. No
    keys and no values.

    With `slow_ms`, only those that took so long, or failed, and both are warnings. Without it, what failed is a warning, and all else
    is logged at `level`.
    """

    def __init__(
        self, logger: logging.Logger | str = LOGGER, *, level: int = logging.INFO, slow_ms: float | None = None
    ) -> None:
        self._logger = logging.getLogger(logger) if isinstance(logger, str) else logger
        self._level = level
        self._least = _least(slow_ms)
        self._all = slow_ms is None

    def seen(self, event: Event) -> None:
        """Logs a request."""
        if event.error is not None or event.seconds >= self._least:
            place = f"{event.table} by {event.index}" if event.index else event.table
            cause = event.pattern or event.write
            self._log(event, f"{event.operation} of {place}{f' for {cause}()' if cause else ''}")

    def done(self, tracked: Tracked) -> None:
        """Logs an operation of the application."""
        if tracked.error is not None or tracked.seconds >= self._least:
            self._log(tracked, tracked.name)

    def _log(self, told: Event | Tracked, what: str) -> None:
        level = self._level if told.error is None and self._all else max(self._level, logging.WARNING)
        if self._logger.isEnabledFor(level):
            end = f"failed with {told.error} after" if told.error else "took"
            self._logger.log(level, "%s %s %.1f ms", what, end, told.seconds * 1000, extra=fields(told))


class JsonLogs:
    """Writes a line of JSON for each request and each operation of the application. No keys and no values.

    With `slow_ms`, only for those that took so long, or failed; their level is WARNING.
    """

    def __init__(self, to: Sink = None, *, slow_ms: float | None = None) -> None:
        self._write = line_writer(to)
        self._least = _least(slow_ms)
        self._all = slow_ms is None

    def seen(self, event: Event) -> None:
        """Writes the line of a request."""
        self._tell(event)

    def done(self, tracked: Tracked) -> None:
        """Writes the line of an operation of the application."""
        self._tell(tracked)

    def _tell(self, told: Event | Tracked) -> None:
        if told.error is not None or told.seconds >= self._least:
            level = "INFO" if told.error is None and self._all else "WARNING"
            self._write(msgspec.json.encode({"level": level, **fields(told)}).decode())


def fields(told: Event | Tracked) -> dict[str, Any]:
    """What is told of it, by name. None of the names is one of a record of `logging`."""
    began = datetime.fromtimestamp(told.at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    found: dict[str, Any] = {"began": began, "milliseconds": round(told.seconds * 1000, 3)}
    if isinstance(told, Tracked):
        found["tracked"] = told.name
    else:
        found |= {name: getattr(told, name) for name in _TOLD}
        if told.measured:
            found |= {"measured": told.measured, "size": told.size}
    found["error"] = told.error
    return {name: value for name, value in found.items() if value is not None}


_TOLD = (
    *("operation", "table", "index", "pattern", "entity", "write"),
    *("read_units", "write_units", "returned", "scanned", "retries"),
)


def _least(slow_ms: float | None) -> float:
    if slow_ms is not None and not slow_ms >= 0:
        raise ArgumentError("slow_ms is the time from which on a request is slow; it cannot be below 0.")
    return 0.0 if slow_ms is None else slow_ms / 1000
