"""A call between the protocol and the engine: what is asked, and the reply that the outcome becomes."""

from __future__ import annotations

import sys
import traceback
from typing import Any, NamedTuple, TypeAlias

from tablewright.errors import NetworkError, ServiceError, TablewrightError
from tablewright.server.connection import Connection
from tablewright.server.replies import error_body, reply, service_error_body
from tablewright.values import dumps

Result: TypeAlias = bytes | dict[str, Any] | Exception


class Call(NamedTuple):
    """A request of the right protocol on its way to the engine, and what its reply must know."""

    operation: str
    request: dict[str, Any]
    region: str
    connection: Connection
    kind: bytes
    packed: bool
    closes: bool


def outcome(call: Call, result: Result) -> bytes | None:
    """The reply to a call that was carried out; None where none may be sent."""
    if isinstance(result, bytes):
        return reply(200, result, call.kind, packed=call.packed, close=call.closes)
    if isinstance(result, dict):
        return reply(200, dumps(result), call.kind, packed=call.packed, close=call.closes)
    if isinstance(result, ServiceError):
        return reply(result.status, service_error_body(result), call.kind, packed=call.packed, close=call.closes)
    if isinstance(result, NetworkError):
        return None
    if isinstance(result, TablewrightError):
        body = error_body("InternalServerError", str(result))
    else:
        print(f"{call.operation} failed in a way that it should not:", file=sys.stderr)
        traceback.print_exception(result, file=sys.stderr)
        body = error_body("InternalServerError", "The server failed; its own output says how.")
    return reply(500, body, call.kind, close=call.closes)
