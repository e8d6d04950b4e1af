"""Assertions about what an application sent, and what it cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from tablewright.client.metering import Meter, Sent
from tablewright.client.session import AsyncSession, Session
from tablewright.model.operations import Op
from tablewright.model.pattern import Pattern
from tablewright.model.results import AsyncResults, Results

P = ParamSpec("P")
S = TypeVar("S")


def assert_requests(meter: Meter, *expected: str) -> None:
    """These requests were sent, in this order, and no others: "GetItem", or with its index, "Query/GSI1"."""
    __tracebackhide__ = True
    sent = meter.requests
    if len(sent) == len(expected) and all(map(_fits, expected, sent)):
        return
    raise AssertionError(
        f"{_count(len(expected))} expected:{_listed(expected)}\n{_count(len(sent))} sent:{_listed(map(_shown, sent))}"
    )


@contextmanager
def expect_requests(db: Session | AsyncSession, *expected: str) -> Iterator[Meter]:
    """`with expect_requests(db, "GetItem"):` — the block sends these requests, in this order, and no others."""
    __tracebackhide__ = True
    with db.measure() as meter:
        yield meter
    assert_requests(meter, *expected)


def assert_capacity(meter: Meter, *, read: float | None = None, write: float | None = None) -> None:
    """No more than so many read units and write units were consumed."""
    __tracebackhide__ = True
    for what, most, used in (("read", read, meter.capacity.read), ("write", write, meter.capacity.write)):
        if most is not None and used > most:
            costs = [f"{_shown(one)}: {getattr(one.capacity, what):g}" for one in meter.requests]
            raise AssertionError(f"{used:g} {what} units were consumed; {most:g} were allowed:{_listed(costs)}")


def assert_one_request(db: Session, pattern: Pattern[P, Op[S, object]], /, *args: P.args, **kwargs: P.kwargs) -> S:
    """Runs an access pattern to its end, which must take a single request, and returns what `db.run` does."""
    __tracebackhide__ = True
    with db.measure() as meter:
        result = db.run(pattern, *args, **kwargs)
        if isinstance(result, Results):
            result.all()
    _one(pattern, meter)
    return result


async def assert_one_request_async(
    db: AsyncSession, pattern: Pattern[P, Op[Any, Any]], /, *args: P.args, **kwargs: P.kwargs
) -> Any:
    """The same for asyncio: returns the item or collection, or the list of what a query found."""
    __tracebackhide__ = True
    with db.measure() as meter:
        running = db.run(pattern, *args, **kwargs)
        result = await running.all() if isinstance(running, AsyncResults) else await running
    _one(pattern, meter)
    return result


def _one(pattern: Pattern[..., Any], meter: Meter) -> None:
    __tracebackhide__ = True
    if len(meter.requests) != 1:
        raise AssertionError(
            f"{pattern.name} took {_count(len(meter.requests))}, not one:{_listed(map(_shown, meter.requests))}"
        )


def _fits(expected: str, sent: Sent) -> bool:
    operation, _, index = expected.partition("/")
    return sent.operation == operation and (not index or sent.index == index)


def _shown(sent: Sent) -> str:
    index = f"/{sent.index}" if sent.index is not None else ""
    return f"{sent.operation}{index}{f' ({sent.error})' if sent.error else ''}"


def _count(number: int) -> str:
    return f"{number} request" if number == 1 else f"{number} requests"


def _listed(lines: Sequence[str] | Iterator[str] | map[str]) -> str:
    return "".join(f"\n  {line}" for line in lines) or "\n  (none)"
