"""Watching requests go out: what the debug log shows. Never values, never credentials."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tablewright.client.calls import Call
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


class Watch:
    """Follows one call through its attempts, and shows each in the debug log."""

    __slots__ = ("_attempt", "_call", "_started")

    def __init__(self, call: Call) -> None:
        self._call = call
        self._attempt = 0
        self._started = time.perf_counter()

    def start_again(self) -> None:
        """Another attempt begins."""
        self._attempt += 1
        self._started = time.perf_counter()

    def shown(self, error: TablewrightError | None) -> None:
        """The attempt succeeded, or failed; then there may be another one."""
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
