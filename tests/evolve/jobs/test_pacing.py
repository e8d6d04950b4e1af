"""A limit is held by what the answers tell, however many requests are under way, and throttling is waited for."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from contextlib import suppress
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tablewright import RetryPolicy
from tablewright.engine import Engine, open_engine
from tablewright.errors import ConditionalCheckFailed, Throttled
from tablewright.evolve.jobs import Progress
from tablewright.evolve.jobs.pacing import Pace
from tablewright.evolve.jobs.sending import Sender
from tablewright.transport.embedded import EmbeddedTransport
from tests.evolve.jobs.shelf import Between, Label, make_table, run

SECONDS = 6
POLICY = RetryPolicy(base_delay=1.0, max_delay=8.0, random=lambda: 1.0)


class Simulated:
    """Time that passes only while everybody waits for it."""

    def __init__(self) -> None:
        self.now = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = itertools.count()

    def timer(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self.now + seconds, next(self._numbers), woken))
        await woken

    async def live(self, work: Any) -> None:
        """Until the work is done."""
        task = asyncio.ensure_future(work)
        while not task.done():
            for _ in range(10):
                await asyncio.sleep(0)
            if self._sleepers and not task.done():
                self.now, _, woken = heapq.heappop(self._sleepers)
                woken.set_result(None)
        task.result()


class Answers:
    """A table whose writes take a while, and cost what they were told to."""

    def __init__(self, time: Simulated, costs: list[float], takes: float) -> None:
        self.time, self._costs, self._takes = time, itertools.cycle(costs), takes
        self.spent: list[tuple[float, float]] = []

    async def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        await self.time.sleep(self._takes)
        units = next(self._costs)
        self.spent.append((self.time.now, units))
        return {"ConsumedCapacity": {"CapacityUnits": units}}

    async def close(self) -> None:
        pass


def sender(way: Any, time: Simulated, **limits: float) -> Sender:
    return Sender(
        way,
        max_read_units=limits.get("reads"),
        max_write_units=limits.get("writes"),
        policy=POLICY,
        patience=300.0,
        timer=time.timer,
        sleep=time.sleep,
    )


@settings(max_examples=settings().max_examples // 5)
@given(
    costs=st.lists(st.sampled_from([1.0, 1.0, 2.0, 5.0, 20.0]), min_size=1, max_size=8),
    limit=st.sampled_from([50.0, 100.0, 400.0]),
    at_once=st.sampled_from([1, 8, 32]),
)
@example(costs=[20.0, 1.0], limit=50.0, at_once=8)
@example(costs=[20.0, 20.0, 1.0, 1.0, 1.0, 1.0], limit=50.0, at_once=32)
def test_a_limit_is_held_within_a_tenth(costs: list[float], limit: float, at_once: int) -> None:
    time = Simulated()
    way = Answers(time, costs, takes=0.004)
    one = sender(way, time, writes=limit)
    writes = int(SECONDS * limit / (sum(costs) / len(costs)))

    async def worker(queue: Any) -> None:
        for _ in queue:
            await one.write("UpdateItem", {})

    async def main() -> None:
        queue = iter(range(writes))
        await time.live(asyncio.gather(*(worker(queue) for _ in range(at_once))))

    asyncio.run(main())
    rate = sum(units for _, units in way.spent) / time.now
    assert rate <= 1.1 * limit
    if at_once * min(costs) / 0.004 > 2 * limit:  # so many could go, if they were allowed to
        assert rate >= 0.9 * limit
    for second in range(1, int(time.now)):
        within = sum(units for at, units in way.spent if second <= at < second + 1)
        # What is under way when a second begins is charged by what such writes cost so far.
        assert within <= 1.1 * limit + at_once * max(costs)


def test_reads_and_writes_have_limits_of_their_own() -> None:
    time = Simulated()
    one = sender(Answers(time, [10.0], takes=0.0), time, reads=10.0, writes=1000.0)

    async def main() -> None:
        await time.live(asyncio.gather(*(one.read("Scan", {}) for _ in range(10))))
        read = time.now
        await time.live(asyncio.gather(*(one.write("UpdateItem", {}) for _ in range(10))))
        assert 8 <= read <= 10
        assert time.now - read < 0.2

    asyncio.run(main())


def test_after_throttling_everybody_waits_longer_and_longer_and_then_goes_on() -> None:
    now = [0.0]
    pace = Pace("WCU", None, POLICY, lambda: now[0])
    first, second = pace.send(), pace.send()
    pace.failed(first, "the table throttles")
    pace.failed(second, "the table throttles")  # sent before the pause: nothing new
    assert pace.wait() == 1.0
    assert pace.reason() == "the table throttles"
    now[0] = 1.0
    assert pace.reason() is None
    pace.failed(pace.send(), "the table throttles")
    assert pace.wait() == 2.0
    now[0] = 3.0
    pace.answered(pace.send(), 1.0)
    pace.failed(pace.send(), "the table throttles")
    assert pace.wait() == 1.0


def test_the_reason_for_waiting_is_the_limit() -> None:
    now = [0.0]
    pace = Pace("WCU", 100.0, POLICY, lambda: now[0])
    pace.answered(pace.send(), 50.0)
    assert pace.reason() == "throttled by the limit of 100 WCU/s"
    assert pace.wait() == 0.5
    now[0] = 0.5
    assert pace.reason() is None


def test_a_failed_condition_counts_as_what_writes_usually_cost() -> None:
    time = Simulated()

    class Failing(Answers):
        async def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
            await super().send(operation, request)
            raise ConditionalCheckFailed

    one = sender(Failing(time, [1.0], takes=0.0), time, writes=10.0)

    async def write() -> None:
        with suppress(ConditionalCheckFailed):
            await one.write("UpdateItem", {})

    async def main() -> None:
        await time.live(asyncio.gather(*(write() for _ in range(50))))

    asyncio.run(main())
    assert one.spent.write_units == 50
    assert time.now > 4


def test_progress_tells_why_a_job_waits() -> None:
    told: list[str | None] = []

    def throttle(number: int, operation: str, _: dict[str, Any]) -> None:
        if operation == "UpdateItem" and number > 8 and "the table throttles" not in told:
            raise Throttled("slow down")

    def note(progress: Progress) -> None:
        told.append(progress.waits_for)

    with open_engine("memory:") as engine:
        make_table(engine, 10)
        wire = Between(EmbeddedTransport(engine, owned=False), throttle)
        policy = RetryPolicy(base_delay=0.4, max_delay=0.4, random=lambda: 1.0)
        report = run(Label(), wire, progress=note, retry=policy, sleep=asyncio.sleep)
    assert "the table throttles" in told
    assert report.counts.written == 10


def test_pages_are_small_where_reads_are_limited(engine: Engine) -> None:
    make_table(engine, 300)
    limits: list[int | None] = []

    def note(_: int, operation: str, request: dict[str, Any]) -> None:
        if operation == "Scan":
            limits.append(request.get("Limit"))

    wire = Between(EmbeddedTransport(engine, owned=False), note)
    run(Label(), wire, segments=1, max_read_units=4.0, write=False, timer=iter(range(10**6)).__next__)
    assert limits[0] == 100
    assert len(limits) > 2
    assert all(limit is not None for limit in limits)
