"""Operations of the application are told with their time and outcome, however they are written."""

import asyncio
import inspect
import time

import pytest

from tablewright.errors import AlreadyExistsError
from tablewright.observe.tracking import Track, Tracked


class Keeps:
    def __init__(self) -> None:
        self.told: list[Tracked] = []

    def tell(self, tracked: Tracked) -> None:
        self.told.append(tracked)

    @property
    def outcomes(self) -> list[tuple[str, str | None]]:
        return [(t.name, t.error) for t in self.told]


@pytest.fixture
def keeps() -> Keeps:
    return Keeps()


def test_a_block_that_ends_well(keeps: Keeps) -> None:
    before, since = time.time(), time.perf_counter()
    with Track(keeps, "Checkout"):
        assert keeps.told == []
        time.sleep(0.002)
    took = time.perf_counter() - since
    (told,) = keeps.told
    assert (told.name, told.error) == ("Checkout", None)
    assert before <= told.at <= time.time()
    assert 0.002 <= told.seconds <= took


def test_an_error_is_told_by_its_name_and_goes_on(keeps: Keeps) -> None:
    with pytest.raises(KeyError, match="4711"), Track(keeps, "Checkout"):
        raise KeyError("customer 4711")
    with pytest.raises(AlreadyExistsError), Track(keeps, "Checkout"):
        raise AlreadyExistsError("customer 4711 is there already")
    assert keeps.outcomes == [("Checkout", "KeyError"), ("Checkout", "ALREADY_EXISTS")]
    assert "4711" not in repr(keeps.told)


def test_an_async_block(keeps: Keeps) -> None:
    async def main() -> None:
        async with Track(keeps, "Fetch"):
            await asyncio.sleep(0)
        with pytest.raises(OSError, match="gone"):
            async with Track(keeps, "Fetch"):
                raise OSError("gone")

    asyncio.run(main())
    assert keeps.outcomes == [("Fetch", None), ("Fetch", "OSError")]


def test_a_task_that_is_cancelled_failed(keeps: Keeps) -> None:
    async def main() -> None:
        async def waits() -> None:
            async with Track(keeps, "Wait"):
                await asyncio.sleep(30)

        task = asyncio.create_task(waits())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert keeps.outcomes == [("Wait", "CancelledError")]


def test_a_function_is_told_at_each_call_and_stays_what_it_was(keeps: Keeps) -> None:
    @Track(keeps, "Double")
    def double(number: int, *, add: int = 0) -> int:
        "Twice as much."
        return 2 * number + add if number else 1 // number

    assert double(2, add=1) == 5
    with pytest.raises(ZeroDivisionError):
        double(0)
    assert (double.__name__, double.__doc__) == ("double", "Twice as much.")
    assert keeps.outcomes == [("Double", None), ("Double", "ZeroDivisionError")]


def test_calls_of_a_coroutine_function_are_timed_each_by_itself(keeps: Keeps) -> None:
    @Track(keeps, "Call")
    async def call(inner: bool) -> bool:
        if not inner:
            await asyncio.create_task(call(True))
        return inner

    assert inspect.iscoroutinefunction(call)
    assert asyncio.run(call(False)) is False
    short, long = keeps.told  # while the long one was under way, the short one began and ended
    assert long.at <= short.at
    assert long.seconds > short.seconds


def test_blocks_within_blocks_are_told_from_the_inside_out(keeps: Keeps) -> None:
    with Track(keeps, "Outer"), Track(keeps, "Inner"):
        pass
    inner, outer = keeps.told
    assert (inner.name, outer.name) == ("Inner", "Outer")
    assert outer.seconds >= inner.seconds
