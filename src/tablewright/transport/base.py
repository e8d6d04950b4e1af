"""What a transport is: something that takes a DynamoDB request and returns the response, or raises from the one tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, runtime_checkable

Request: TypeAlias = dict[str, Any]
Response: TypeAlias = dict[str, Any]

Read: TypeAlias = Callable[[bytes | bytearray], Response]
"""Makes a response of its JSON. Where that does not fit, it raises ValueError and the response is read as it is."""


class Transport(Protocol):
    """A sync way to a table. Requests and responses have the shape of DynamoDB's JSON."""

    def send(self, operation: str, request: Request) -> Response:
        """One request; raises ServiceError for an error reply and NetworkError when there was none."""
        ...

    def close(self) -> None:
        """Gives up what the transport holds."""
        ...


class AsyncTransport(Protocol):
    """The same for asyncio."""

    async def send(self, operation: str, request: Request) -> Response:
        """One request."""
        ...

    async def close(self) -> None:
        """Gives up what the transport holds."""
        ...


@runtime_checkable
class JsonTransport(Transport, Protocol):
    """A transport that gets responses as JSON, and lets the caller say what becomes of it."""

    def read_json(self, operation: str, request: Request, read: Read) -> Response:
        """As `send`, with the response as `read` makes it."""
        ...


@runtime_checkable
class TimedTransport(Transport, Protocol):
    """A transport that can end a request in time. For asyncio none is needed: there, whoever waits can give up."""

    def read_in_time(self, operation: str, request: Request, read: Read | None, until: float) -> Response:
        """As `send` or `read_json`; NetworkError when time.monotonic() reaches `until` before the reply is whole."""
        ...


@runtime_checkable
class AsyncJsonTransport(AsyncTransport, Protocol):
    """The same for asyncio."""

    async def read_json(self, operation: str, request: Request, read: Read) -> Response:
        """As `send`, with the response as `read` makes it."""
        ...
