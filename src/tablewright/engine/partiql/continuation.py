"""NextToken: where a SELECT goes on, for the same statement with the same parameters only."""

from __future__ import annotations

import hashlib
from base64 import b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from tablewright.engine.partiql.messages import INVALID_TOKEN, OTHER_TOKEN, refuse
from tablewright.values import AttributeValue, Item

_SEAL = 8
_DIGEST = 16


class Continuation(NamedTuple):
    """The range that is being read, and the last item that was; None where the range is still to be begun."""

    branch: int
    last: Item | None


_read = msgspec.json.Decoder(tuple[int, dict[str, Any] | None]).decode


def statement_digest(statement: str, parameters: Sequence[AttributeValue]) -> bytes:
    """What a token is bound to."""
    body = msgspec.json.encode([statement, parameters], order="sorted")
    return hashlib.sha256(body).digest()[:_DIGEST]


def write_token(digest: bytes, going_on: Continuation) -> str:
    """A token that only this engine's kind can read."""
    body = digest + msgspec.json.encode(going_on)
    return urlsafe_b64encode(_seal(body) + body).decode()


def read_token(token: str, digest: bytes) -> Continuation:
    """Where to go on; refuses what is no token, and a token of another statement."""
    try:
        whole = b64decode(token, altchars=b"-_", validate=True)
        seal, body = whole[:_SEAL], whole[_SEAL:]
        if seal != _seal(body):
            refuse(INVALID_TOKEN)
        branch, last = _read(body[_DIGEST:])
    except (Base64Error, ValueError, msgspec.DecodeError):
        refuse(INVALID_TOKEN)
    if body[:_DIGEST] != digest:
        refuse(OTHER_TOKEN)
    return Continuation(branch, last)


def _seal(body: bytes) -> bytes:
    return hashlib.sha256(b"tablewright" + body).digest()[:_SEAL]
