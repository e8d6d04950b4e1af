"""What test suites ask of a server beside DynamoDB's operations: `POST /_tablewright/reset` and its like."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tablewright.engine import Engine
from tablewright.errors import RequestRefused
from tablewright.server.reset import drop_everything

# The end of the year 9999, less the day for which streams and tokens look ahead.
_LAST_MOMENT = 253_402_300_800.0 - 86_400.0


def refuse_unasked(path: str) -> RequestRefused:
    """What a server says that was not started for a test suite."""
    return RequestRefused(
        f"{path} is for test suites, and answers only on a server that was started with --allow-reset "
        "(from Python: allow_reset=True).",
        wire_name="AccessDeniedException",
    )


def refuse_body(path: bytes) -> RequestRefused:
    """What a server says of a body that it cannot read."""
    example = f", such as {_EXAMPLES[path]}" if path in _EXAMPLES else ""
    return RequestRefused(
        f"{path.decode()} wants an empty body or a JSON object{example}.", wire_name="SerializationException"
    )


def _reset(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    """Drop every table, end every fault, and set a clock that was moved right again."""
    return {"TableNames": drop_everything(engine)}


def _faults(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    """Misbehave on purpose."""
    from tablewright.server.faults import answer_faults

    return answer_faults(engine, request)


def _sweep(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    """Delete what has expired now, rather than at the next turn of the sweeper."""
    _take(request)
    return {"Deleted": engine.sweep()}


def _clock(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    """Answer `{"Move": 3600}`, which lets so many seconds pass, or an empty request, with the time that it is then."""
    seconds = _take(request, "Move").get("Move", 0)
    move: Callable[[float], None] | None = getattr(engine.clock, "move", None)
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise RequestRefused("Move must be a number of seconds.")
    # Compared so that neither infinities nor whole numbers beyond all floats are ever added.
    now = engine.clock.now()
    if not -now <= seconds <= _LAST_MOMENT - now:
        raise RequestRefused("Move would leave the years 1970 to 9999, which is all the time there is here.")
    if seconds:
        if move is None:
            raise RequestRefused(
                "The clock of this engine cannot be moved; open it with a clock that has the method move, "
                "such as tablewright.engine.OffsetClock."
            )
        move(seconds)
    return {"Now": engine.clock.now()}


def _take(request: dict[str, Any], *known: str) -> dict[str, Any]:
    if unknown := request.keys() - set(known):
        has = f"it has {', '.join(known)}" if known else "it has none"
        raise RequestRefused(f"This request has no member {min(unknown)!r}; {has}.")
    return request


OWN = b"/_tablewright/"
"""What the paths of all errands begin with."""
_EXAMPLES = {
    b"/_tablewright/clock": '{"Move": 3600}',
    b"/_tablewright/faults": '{"Faults": ["throttle:every=3"]}',
}
ERRANDS: Mapping[bytes, Callable[[Engine, dict[str, Any]], dict[str, Any]]] = {
    b"/_tablewright/clock": _clock,
    b"/_tablewright/faults": _faults,
    b"/_tablewright/reset": _reset,
    b"/_tablewright/sweep": _sweep,
}
"""How each is answered, by its path."""

NO_SUCH_PATH = f"There is no such path; for test suites there are {', '.join(path.decode() for path in ERRANDS)}."
"""What a server says of a path that begins like these and is none of them."""
