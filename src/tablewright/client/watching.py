"""Watching requests go out: what a meter counts and what the debug log shows. Never values, never credentials."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tablewright.client.calls import Call
from tablewright.client.metering import NO_CAPACITY, Meter, Sent, asking_for_capacity, consumed
from tablewright.errors import TablewrightError
from tablewright.later import later

if TYPE_CHECKING:
    from logging import Logger

    from tablewright.expressions import ast, builder
else:
    later(globals(), "tablewright.expressions", "builder")

_EXPRESSIONS = (
    "KeyConditionExpression",
    "FilterExpression",
    "UpdateExpression",
    "ConditionExpression",
    "ProjectionExpression",
)


def library_log() -> Logger:
    """The log that the client writes to."""
    import logging  # here and not above: it takes long to load, and there is seldom something to write

    return logging.getLogger("tablewright")


def show_debug_log() -> None:
    """Turns the debug log on; where the program shows no log at all, it goes to standard error."""
    import logging

    log = library_log()
    log.setLevel(logging.DEBUG)
    if not log.hasHandlers():
        log.addHandler(logging.StreamHandler())


class Counting:
    """Follows one call through its attempts, for meters alone."""

    __slots__ = ("_call", "_meters", "request")

    def __init__(self, call: Call, meters: Sequence[Meter]) -> None:
        self._call = call
        self._meters = meters
        # Made once: what a token stands for must be the same bytes in every attempt.
        self.request = asking_for_capacity(call)

    def start_again(self) -> None:
        """Another attempt begins."""

    def answered(self, response: dict[str, Any]) -> None:
        """The attempt succeeded."""
        call = self._call
        told = response.get("ConsumedCapacity")
        capacity = consumed(call, told) if told else NO_CAPACITY
        sent = Sent(call.operation, call.request.get("IndexName"), capacity, None, call.pattern)
        for meter in self._meters:
            meter.requests.append(sent)

    def failed(self, error: TablewrightError) -> None:
        """The attempt failed; there may be another one."""
        call = self._call
        sent = Sent(call.operation, call.index, NO_CAPACITY, error.code, call.pattern)
        for meter in self._meters:
            meter.requests.append(sent)


class Watch(Counting):
    """The same, and shows it in the debug log."""

    __slots__ = ("_attempt", "_started")

    def __init__(self, call: Call, meters: Sequence[Meter]) -> None:
        super().__init__(call, meters)
        if not meters:
            self.request = call.request
        self._attempt = 0
        self._started = time.perf_counter()

    def start_again(self) -> None:
        """Another attempt begins."""
        self._started = time.perf_counter()

    def answered(self, response: dict[str, Any]) -> None:
        """The attempt succeeded."""
        self._show(None)
        super().answered(response)

    def failed(self, error: TablewrightError) -> None:
        """The attempt failed; there may be another one."""
        self._show(error)
        super().failed(error)
        self._attempt += 1

    def _show(self, error: TablewrightError | None) -> None:
        library_log().debug(
            "%s in %.2f ms%s%s",
            described(self._call),
            (time.perf_counter() - self._started) * 1000,
            f", retry {self._attempt}" if self._attempt else "",
            f": {type(error).__name__}" if error is not None else "",
        )


def described(call: Call) -> str:
    """A request in words: operation, table, index and expressions, with names but without values."""
    where = f"{call.operation} {call.table or ''}".rstrip() + (f" index {call.index}" if call.index else "")
    return "; ".join([where, *_expressions(call.request)])


def condition_in_words(condition: ast.Condition) -> str:
    """A condition with names but without values: `status = … AND size(lines) < …`."""
    built = builder.ExpressionBuilder().condition(condition).build()
    text = _readable(built["ConditionExpression"], built.get("ExpressionAttributeNames") or {})
    return re.sub(r":\d+", "…", text)


def _expressions(request: Mapping[str, Any]) -> Iterator[str]:
    for action in request.get("TransactItems", ()):
        ((kind, body),) = action.items()
        yield ", ".join([kind, *_expressions(body)])
    names: Mapping[str, str] = request.get("ExpressionAttributeNames") or {}
    for member in _EXPRESSIONS:
        if member in request:
            yield f"{member.removesuffix('Expression')} {_readable(request[member], names)}"


def _readable(text: str, names: Mapping[str, str]) -> str:
    """The expression with attribute names in place of their placeholders."""
    for placeholder in sorted(names, key=len, reverse=True):
        text = text.replace(placeholder, names[placeholder])
    return text
