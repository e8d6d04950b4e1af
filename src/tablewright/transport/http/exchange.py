"""What stands in requests and replies: DynamoDB's JSON protocol, its checksums and its errors."""

from __future__ import annotations

import zlib
from binascii import crc32  # zlib's own does the same, and is slower
from typing import Any

import msgspec

from tablewright.errors import NetworkError, RequestRefused, TablewrightError
from tablewright.transport.answers import fits, unfit
from tablewright.transport.base import Read, Request, Response
from tablewright.transport.http.replies import MAX_BODY, Reply
from tablewright.transport.refusals import service_error

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


def encode_request(operation: str, request: Request) -> bytes:
    """The body of a request."""
    try:
        return _encode(request)
    except (TypeError, ValueError, RecursionError):  # their texts may hold values
        raise RequestRefused(f"The parameters of {operation} cannot be written as JSON.", operation=operation) from None


def read_response(operation: str, request: Request, reply: Reply, read: Read | None = None) -> Response:
    """What a good reply to a request holds, as `read` makes it where it fits."""
    body = _checked_body(operation, reply)
    if read is not None:
        try:
            return read(body)
        except (ValueError, RecursionError):
            pass  # it does not fit what the caller expects
    try:
        response: Any = _decode(body)
    except (ValueError, RecursionError):
        raise _unreadable(operation) from None
    if response.__class__ is not dict:
        raise _unreadable(operation)
    answer: Response = response
    if not fits(operation, request, answer):
        raise unfit(operation)
    return answer


def read_refusal(operation: str, reply: Reply) -> TablewrightError:
    """The error that a reply with another status than 200 means."""
    try:
        body: Any = _decode(_checked_body(operation, reply))
    except NetworkError as damaged:
        return damaged
    except (ValueError, RecursionError):
        body = None
    members: dict[str, Any] = body if isinstance(body, dict) else {}
    told = members.get("__type") or reply.headers.get(b"x-amzn-errortype", b"").decode("latin-1")
    # "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException", perhaps with ":http://…" after it
    name = str(told).partition(":")[0].rpartition("#")[2]
    text = members.get("message") or members.get("Message")
    message = text if isinstance(text, str) else f"The service answered {operation} with status {reply.status}."
    error = service_error(name or "UnknownError", message, members, status=reply.status, operation=operation)
    request_id = reply.headers.get(b"x-amzn-requestid")
    if request_id:
        error.context["request_id"] = request_id.decode("latin-1")
    if not name and reply.status < 500:
        error.hint = "This is not how DynamoDB answers; is this its address?"
    return error


def _checked_body(operation: str, reply: Reply) -> bytes | bytearray:
    """The body once it is found to be what was sent; the checksum is that of the bytes on the wire."""
    body, headers = reply.body, reply.headers
    told = headers.get(b"x-amz-crc32")
    if told is not None and told != b"%d" % crc32(body):
        raise NetworkError(f"The reply to {operation} was damaged on its way.", operation=operation)
    encoding = headers.get(b"content-encoding", b"identity").lower()
    if encoding == b"identity":
        return body
    if encoding == b"gzip":
        unzip = zlib.decompressobj(wbits=31)
        try:
            plain = unzip.decompress(body, MAX_BODY)
        except zlib.error:
            raise _unreadable(operation) from None
        if unzip.eof:
            return plain
    raise _unreadable(operation)


def _unreadable(operation: str) -> NetworkError:
    return NetworkError(f"The reply to {operation} could not be read.", operation=operation)


def lost(operation: str, error: BaseException | None = None) -> NetworkError:
    """No whole reply came; the request may have been carried out."""
    what = "no reply in time" if isinstance(error, TimeoutError | BlockingIOError) else "the connection broke"
    return NetworkError(f"{operation}: {what}.", operation=operation)


def not_sent(operation: str) -> NetworkError:
    """The connection broke before the last byte of the request was on its way, so nobody can have carried it out."""
    return NetworkError(f"The connection broke while {operation} was being sent.", sent=False, operation=operation)
