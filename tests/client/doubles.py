"""Transports for tests: one that answers from a script, and one that does things to requests on their way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tablewright.errors import NetworkError
from tablewright.transport.base import Transport

Request = dict[str, Any]


class Scripted:
    """Answers with what it was given, in order: a response, or an error to raise. Notes every request."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.sent: list[tuple[str, Request]] = []

    def send(self, operation: str, request: Request) -> Request:
        self.sent.append((operation, request))
        answer = self.answers.pop(0) if self.answers else {}
        if isinstance(answer, Exception):
            raise answer
        result: Request = answer
        return result

    def close(self) -> None:
        pass


class AsyncScripted(Scripted):
    """The same for asyncio."""

    async def send(self, operation: str, request: Request) -> Request:  # type: ignore[override]
        return Scripted.send(self, operation, request)

    async def close(self) -> None:  # type: ignore[override]
        pass


class OnTheWay:
    """Sends on, but does what it was told before chosen requests, and loses chosen replies. Counts from 0."""

    def __init__(self, inner: Transport) -> None:
        self.inner = inner
        self.sent: list[tuple[str, Request]] = []
        self.before: dict[int, Callable[[], object]] = {}
        self.lose: set[int] = set()
        self.refuse: dict[int, Exception] = {}

    @property
    def operations(self) -> list[str]:
        return [operation for operation, _ in self.sent]

    def restart(self) -> None:
        """Forgets what was sent and what to do."""
        self.sent, self.before, self.lose, self.refuse = [], {}, set(), {}

    def send(self, operation: str, request: Request) -> Request:
        number = len(self.sent)
        self.sent.append((operation, request))
        if number in self.before:
            self.before[number]()
        if number in self.refuse:
            raise self.refuse[number]
        response = self.inner.send(operation, request)
        if number in self.lose:
            raise NetworkError("The connection broke.", sent=True)
        return response

    def close(self) -> None:
        self.inner.close()
