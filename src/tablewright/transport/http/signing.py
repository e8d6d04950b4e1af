"""AWS Signature Version 4 for DynamoDB's requests.

What does not change is kept: the key of a day as prepared HMAC states, and for each second the head of the message and
the beginning of the canonical request of every operation. What is left per request is to hash the body.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tablewright.errors import ArgumentError
from tablewright.transport.http.credentials import Credentials
from tablewright.transport.http.route import Route

_ALGORITHM = "AWS4-HMAC-SHA256"
_BLOCK = 64
_INNER = bytes(b ^ 0x36 for b in range(256))
_OUTER = bytes(b ^ 0x5C for b in range(256))
_API = "DynamoDB_20120810."
_STREAMS_API = "DynamoDBStreams_20120810."
_STREAMS = frozenset({"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"})
_OPERATION = re.compile(r"[A-Za-z]{1,64}")
_NOTICED_SKEW = 60.0

sha256 = hashlib.sha256


class KeyStates:
    """HMAC-SHA-256 under one key, with the key's part of the work done."""

    __slots__ = ("inner", "outer")

    def __init__(self, key: bytes) -> None:
        key = (sha256(key).digest() if len(key) > _BLOCK else key).ljust(_BLOCK, b"\0")
        self.inner = sha256(key.translate(_INNER))
        self.outer = sha256(key.translate(_OUTER))

    def digest(self, text: str) -> bytes:
        """The code of a text."""
        inner, outer = self.inner.copy(), self.outer.copy()
        inner.update(text.encode())
        outer.update(inner.digest())
        return outer.digest()


class Scope:
    """What one pair of keys signs in one region on one day."""

    def __init__(self, credentials: Credentials, day: str, region: str, service: str = "dynamodb") -> None:
        self.credentials = credentials
        self.day = day
        self.text = f"{day}/{region}/{service}/aws4_request"
        key = f"AWS4{credentials.secret_key}".encode()
        for part in (day, region, service, "aws4_request"):
            key = KeyStates(key).digest(part)
        self._key = KeyStates(key)

    def prepare(self, stamp: str, method: str, path: str, headers: Sequence[tuple[str, str]]) -> Prepared:
        """A signature, but for the body. Names of headers are in lower case and sorted."""
        signed = ";".join(name for name, _ in headers)
        canonical = f"{method}\n{path}\n\n{''.join(f'{n}:{v}{chr(10)}' for n, v in headers)}\n{signed}\n"
        inner = self._key.inner.copy()
        inner.update(f"{_ALGORITHM}\n{stamp}\n{self.text}\n".encode())
        authorization = (
            f"{_ALGORITHM} Credential={self.credentials.access_key}/{self.text}, SignedHeaders={signed}, Signature="
        )
        return Prepared(authorization, sha256(canonical.encode()), inner, self._key.outer)


class Prepared:
    """A signature, but for the body."""

    __slots__ = ("_canonical", "_inner", "_outer", "authorization", "head")

    def __init__(self, authorization: str, canonical: Any, inner: Any, outer: Any) -> None:
        self.authorization = authorization
        self.head = b""
        self._canonical = canonical
        self._inner = inner
        self._outer = outer

    def signature(self, body: bytes) -> str:
        """What belongs after `authorization`."""
        canonical, inner, outer = self._canonical.copy(), self._inner.copy(), self._outer.copy()
        canonical.update(sha256(body).hexdigest().encode())
        inner.update(canonical.hexdigest().encode())
        outer.update(inner.digest())
        signature: str = outer.hexdigest()
        return signature


class _Second:
    """One second: its signatures, by operation."""

    __slots__ = ("number", "prepared", "scope", "stamp")

    def __init__(self, number: int, stamp: str, scope: Scope | None) -> None:
        self.number = number
        self.stamp = stamp
        self.scope = scope
        self.prepared: dict[str, Prepared] = {}


class Signer:
    """Makes signed messages for one route. Safe to share between threads: each second is made whole, then put in place."""

    def __init__(
        self, route: Route, region: str, credentials: Callable[[], Credentials], now: Callable[[], float] = time.time
    ) -> None:
        self._route = route
        self._region = region
        self._credentials = credentials
        self._now = now
        self._skew = 0.0
        self._second = _Second(-1, "", None)

    def message(self, operation: str, body: bytes) -> bytes:
        """The whole request."""
        second = self._second
        number = int(self._now() + self._skew)
        if second.number != number:
            second = self._second = self._begin(number)
        prepared = second.prepared.get(operation)
        if prepared is None:
            prepared = second.prepared[operation] = self._prepare(second, operation)
        return b"%b%b\r\nContent-Length: %d\r\n\r\n%b" % (
            prepared.head,
            prepared.signature(body).encode(),
            len(body),
            body,
        )

    def corrected_by(self, headers: Mapping[bytes, bytes]) -> bool:
        """Whether a refused reply shows that our clock is wrong; from now on the service's time is used."""
        from email.utils import parsedate_to_datetime

        try:
            theirs = parsedate_to_datetime(headers[b"date"].decode("latin-1")).timestamp()
        except (KeyError, ValueError, TypeError, OverflowError):
            return False
        ours = self._now()
        if abs(theirs - (ours + self._skew)) < _NOTICED_SKEW:
            return False
        self._skew = theirs - ours
        return True

    def _begin(self, number: int) -> _Second:
        """Also the time to ask for credentials: they may be others than a second ago."""
        credentials = self._credentials()
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(number))
        scope = self._second.scope
        if scope is None or scope.credentials is not credentials or scope.day != stamp[:8]:
            scope = Scope(credentials, stamp[:8], self._region)
        return _Second(number, stamp, scope)

    def _prepare(self, second: _Second, operation: str) -> Prepared:
        scope, route = second.scope, self._route
        assert scope is not None
        if not _OPERATION.fullmatch(operation):  # it could be more than a name in a header
            raise ArgumentError("This is no name of an operation.", hint='Name it: db.send("GetItem", {...}).')
        target = f"{_STREAMS_API if operation in _STREAMS else _API}{operation}"
        token = scope.credentials.token
        headers = [
            ("content-type", "application/x-amz-json-1.0"),
            ("host", route.address.host_header),
            ("x-amz-date", second.stamp),
            *([("x-amz-security-token", token)] if token is not None else []),
            ("x-amz-target", target),
        ]
        prepared = scope.prepare(second.stamp, "POST", route.address.path, headers)
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
        prepared.head = (
            f"POST {route.request_target} HTTP/1.1\r\n{lines}accept-encoding: identity\r\n{route.more_headers}"
            f"user-agent: tablewright\r\nauthorization: {prepared.authorization}"
        ).encode()
        return prepared
