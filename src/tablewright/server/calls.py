"""A call between the protocol and the engine: what is asked, and the reply that the outcome becomes."""

from __future__ import annotations

import sys
import traceback
from typing import Any, TypeAlias

from msgspec import Struct

from tablewright.errors import NetworkError, RequestRefused, ServiceError, TablewrightError, ValidationError
from tablewright.server.connection import Connection
from tablewright.server.replies import error_body, reply, service_error_body
from tablewright.values import dumps, loads

Result: TypeAlias = bytes | dict[str, Any] | Exception

_SILENT = frozenset({"TagResource", "UntagResource"})
"""Operations whose replies have no body at all, rather than an empty object."""


class Call(Struct, eq=False):
    """A request of the right protocol on its way to the engine, and what its reply must know.

    Its body is read by whoever carries it out, at the last moment: until then it is small, and what is made of it is
    gone before the next one is read, so that many that wait for each other use the same memory.
    """

    operation: str
    body: bytes
    region: str
    connection: Connection
    kind: bytes
    packed: bool
    closes: bool


def read_body(body: bytes) -> dict[str, Any]:
    """The parameters in the body of a request; refuses what is no JSON object."""
    try:
        parameters = loads(body)
    except (ValidationError, RecursionError):
        raise RequestRefused("", wire_name="SerializationException") from None
    if not isinstance(parameters, dict):
        raise RequestRefused("", wire_name="SerializationException")
    return parameters


def outcome(call: Call, result: Result) -> bytes | None:
    """The reply to a call that was carried out, whatever came of it; None where none may be sent."""
    try:
        if call.operation in _SILENT and not isinstance(result, Exception):
            result = b""
        if isinstance(result, bytes):
            return reply(200, result, call.kind, packed=call.packed, close=call.closes)
        if isinstance(result, dict):
            return reply(200, dumps(result), call.kind, packed=call.packed, close=call.closes)
        if isinstance(result, ServiceError):
            return reply(result.status, service_error_body(result), call.kind, packed=call.packed, close=call.closes)
    except Exception as error:
        result = error
    if isinstance(result, NetworkError):
        return None
    return reply(500, failure(call.operation, result), call.kind, close=call.closes)


def failure(what: str, error: Exception) -> bytes:
    """The body of a reply that says that the server failed; its own output says how, unless the error does."""
    if isinstance(error, TablewrightError):
        return error_body("InternalServerError", str(error))
    print(f"{what} failed in a way that it should not:", file=sys.stderr)
    traceback.print_exception(error, file=sys.stderr)
    return error_body("InternalServerError", "The server failed; its own output says how.")
