"""What a transport is: something that takes a DynamoDB request and returns the response, or raises from the one tree."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

Request: TypeAlias = dict[str, Any]
Response: TypeAlias = dict[str, Any]


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
