"""From an answer or an error to the bytes of an HTTP reply, as DynamoDB writes them."""

from __future__ import annotations

import secrets
import time
import zlib
from collections.abc import Mapping
from itertools import count
from typing import Any
from zlib import crc32

from tablewright.errors import ConditionalCheckFailed, ServiceError, Throttled, TransactionCanceled
from tablewright.values import dumps

JSON = b"application/x-amz-json-1.0"
PLAIN_JSON = b"application/json"
PLAIN = b"text/plain"

UNKNOWN = b"<UnknownOperationException/>\n"
"""What the service says to a request that is not of its protocol at all."""

_REASONS = {
    100: b"Continue",
    200: b"OK",
    400: b"Bad Request",
    403: b"Forbidden",
    404: b"Not Found",
    408: b"Request Timeout",
    413: b"Request Entity Too Large",
    417: b"Expectation Failed",
    431: b"Request Header Fields Too Large",
    500: b"Internal Server Error",
    503: b"Service Unavailable",
}

# Below this size a packed body saves no packet and costs both sides time.
_GZIP_FROM = 1024

_DATABASE = "com.amazonaws.dynamodb.v20120810#"
_PROTOCOL = "com.amazon.coral.service#"
# The service's framework refuses some requests before its database sees them, under names of its own.
_SPACES: Mapping[str, str] = {
    "ValidationException": "com.amazon.coral.validate#",
    **dict.fromkeys(
        (
            "AccessDeniedException",
            "ExpiredTokenException",
            "IncompleteSignatureException",
            "InvalidSignatureException",
            "MissingAuthenticationTokenException",
            "RequestEntityTooLarge",
            "RequestTimeout",
            "SerializationException",
            "ServiceUnavailable",
            "UnknownOperationException",
            "UnrecognizedClientException",
        ),
        _PROTOCOL,
    ),
}
# These spell their message with a capital letter.
_CAPITAL = frozenset(
    {
        "IdempotentParameterMismatchException",
        "SerializationException",
        "TransactionCanceledException",
        "TransactionInProgressException",
    }
)

_batch = secrets.token_hex(16).upper().encode()
_numbers = count()


class Stamp:
    """The Date header, written once a second rather than once a reply."""

    __slots__ = ("line",)

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """Take the time."""
        now = time.gmtime()
        day = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")[now.tm_wday]
        month = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")[now.tm_mon - 1]
        # strftime would follow the machine's language.
        self.line = time.strftime(f"Date: {day}, %d {month} %Y %H:%M:%S GMT\r\n", now).encode()


stamp = Stamp()


def reply(
    status: int, body: bytes, kind: bytes = JSON, *, packed: bool = False, close: bool = False, head_only: bool = False
) -> bytes:
    """A whole reply; `packed` lets a large body go out compressed."""
    more = b""
    if packed and len(body) >= _GZIP_FROM:
        body = zlib.compress(body, 1, wbits=31)
        more = b"Content-Encoding: gzip\r\n"
    if close:
        more += b"Connection: close\r\n"
    return b"HTTP/1.1 %d %b\r\nServer: Server\r\n%bContent-Type: %b\r\nContent-Length: %d\r\n%bx-amzn-RequestId: %b%020d\r\nx-amz-crc32: %d\r\n\r\n%b" % (
        status,
        _REASONS[status],
        stamp.line,
        kind,
        len(body),
        more,
        _batch,
        next(_numbers),
        crc32(body),
        b"" if head_only else body,
    )  # fmt: skip


def error_body(name: str, message: str | None, more: Mapping[str, Any] | None = None) -> bytes:
    """The JSON of an error reply."""
    body: dict[str, Any] = {"__type": _SPACES.get(name, _DATABASE) + name}
    if message:
        body["Message" if name in _CAPITAL else "message"] = message
    if more:
        body.update(more)
    return dumps(body)


def service_error_body(error: ServiceError) -> bytes:
    """The JSON of an error that the engine raised, with what it carries besides a message."""
    more: dict[str, Any] = {}
    if isinstance(error, TransactionCanceled):
        more["CancellationReasons"] = [_reason(reason.code, reason.message, reason.item) for reason in error.reasons]
    elif isinstance(error, ConditionalCheckFailed) and error.item is not None:
        more["Item"] = error.item
    elif isinstance(error, Throttled) and error.reasons:
        # Of these two the service's framework knows one as its own, and spells it in its own way.
        name = "throttlingReasons" if error.wire_name == "ThrottlingException" else "ThrottlingReasons"
        more[name] = [{"reason": one.reason, "resource": one.resource} for one in error.reasons]
    message = None if error.wire_name == "UnknownOperationException" else error.message
    return error_body(error.wire_name, message, more)


def _reason(code: str, message: str | None, item: dict[str, Any] | None) -> dict[str, Any]:
    reason: dict[str, Any] = {"Code": code}
    if item is not None:
        reason["Item"] = item
    if message is not None:
        reason["Message"] = message
    return reason
