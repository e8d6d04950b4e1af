"""Operations of the application itself: what takes one request or many is timed, and told as done or failed."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from functools import wraps
from inspect import iscoroutinefunction
from types import TracebackType
from typing import Any, ParamSpec, Protocol, TypeVar, cast

from msgspec import Struct

from tablewright.errors import TablewrightError

P = ParamSpec("P")
R = TypeVar("R")


class Tracked(Struct, frozen=True, gc=False, kw_only=True):
    """One operation of the application, from its beginning to its end."""

    name: str
    at: float
    """When it began, in seconds since 1970."""
    seconds: float
    error: str | None
    """What it ended in, if it failed: the code of an error of ours, or the name of the class of another. No message."""


class Teller(Protocol):
    """Who passes on what was tracked."""

    def tell(self, tracked: Tracked, /) -> None:
        """An operation ended."""


class Track:
    """Times what stands in a `with` or an `async with`, or every call of a function that it decorates, async or not.

    Errors are told and go on as they are."""

    __slots__ = ("_at", "_name", "_since", "_teller")

    def __init__(self, teller: Teller, name: str) -> None:
        self._teller = teller
        self._name = name
        self._at = self._since = 0.0

    def __enter__(self) -> None:
        self._at = time.time()
        self._since = time.perf_counter()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        seconds = time.perf_counter() - self._since
        self._teller.tell(Tracked(name=self._name, at=self._at, seconds=seconds, error=_called(error)))

    async def __aenter__(self) -> None:
        self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        teller, name = self._teller, self._name
        if iscoroutinefunction(function):
            awaited = cast("Callable[..., Awaitable[Any]]", function)

            @wraps(function)
            async def later(*args: Any, **named: Any) -> Any:
                with Track(teller, name):  # one for each call: many may be under way
                    return await awaited(*args, **named)

            return cast("Callable[P, R]", later)

        @wraps(function)
        def now(*args: P.args, **named: P.kwargs) -> R:
            with Track(teller, name):
                return function(*args, **named)

        return now


def _called(error: BaseException | None) -> str | None:
    if error is None:
        return None
    return error.code if isinstance(error, TablewrightError) else type(error).__name__
