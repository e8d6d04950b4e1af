"""A process that dies at one of its requests."""

from __future__ import annotations

from typing import Any

from tablewright.transport.base import Transport


class Crash(BaseException):
    """The process is gone."""


class Dying:
    """Dies before or after a request, counted over both sides."""

    def __init__(self, at: int, *, after: bool) -> None:
        self.at, self.after, self.count = at, after, 0

    def on(self, inner: Transport) -> Any:
        outer = self

        class Way:
            def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
                outer.count += 1
                if outer.count == outer.at and not outer.after:
                    raise Crash
                response = inner.send(operation, request)
                if outer.count == outer.at:
                    raise Crash
                return response

            def close(self) -> None:
                inner.close()

        return Way()
