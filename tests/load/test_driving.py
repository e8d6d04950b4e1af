"""Requests when they are due: arrivals by chance, latencies that a slow target cannot hide, and an end that loses no report."""

import random
import threading
import time
from collections import Counter
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest

from tablewright import Table
from tablewright.engine import open_engine
from tablewright.load.calls import Caller, Request
from tablewright.load.driving import Schedule, drive
from tablewright.load.opening import opened
from tablewright.load.recording import Recorder
from tablewright.load.running import LoadSettings, run_load
from tablewright.load.watching import WatchedTransport
from tablewright.load.workload import Line, Mix
from tablewright.transport.embedded import EmbeddedTransport

START = datetime(2025, 6, 1, tzinfo=UTC)


class Waits(Caller):
    """Requests that ask nobody, and take a while."""

    def __init__(self, name: str, rate: float, seconds: float = 0.0) -> None:
        super().__init__(Line(name, "read", rate, rate))
        self.seconds = seconds
        self.threads: set[str] = set()

    def request(self, chance: random.Random, moment: datetime) -> Request:
        def run(db: Any) -> int:
            self.threads.add(threading.current_thread().name)
            time.sleep(self.seconds)
            return 1

        return Request(self.line, run)


def schedule(*callers: Caller, seconds: float = 10.0, requests: int = 10**6, seed: int = 0) -> Schedule:
    return Schedule(callers, seconds=seconds, requests=requests, seed=seed, start=START)


def test_requests_are_due_in_order_and_each_line_as_often_as_it_should() -> None:
    due = list(schedule(Waits("often", 90), Waits("seldom", 10), seconds=20))
    times = [at for at, _ in due]
    assert times == sorted(times)
    assert times[0] > 0
    assert times[-1] < 20
    counts = Counter(request.line.name for _, request in due)
    assert counts["often"] == pytest.approx(1800, rel=0.1)
    assert counts["seldom"] == pytest.approx(200, rel=0.25)


def test_arrivals_know_nothing_of_each_other() -> None:
    times = [at for at, _ in schedule(Waits("one", 200), seconds=50)]
    gaps = [later - earlier for earlier, later in pairwise(times)]
    mean = sum(gaps) / len(gaps)
    spread = (sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) ** 0.5
    assert spread == pytest.approx(mean, rel=0.1)  # as of an exponential distribution; even gaps would have none


def test_the_same_seed_makes_the_same_schedule() -> None:
    first, second, other = (
        [(at, r.line.name) for at, r in schedule(Waits("a", 20), Waits("b", 20), seed=seed)] for seed in (1, 1, 2)
    )
    assert first == second != other


@pytest.fixture
def driven(library: Table) -> Any:
    """What runs a schedule in real time."""

    def run(made: Schedule, caller: Caller, concurrency: int, tick: Any = None) -> tuple[Recorder, float, bool]:
        with open_engine("memory:") as engine:
            watched = WatchedTransport(EmbeddedTransport(engine), library)
            recorder = Recorder(Mix((caller.line,)))
            with library.open(watched) as db:
                seconds, whole = drive(db, watched, made, recorder, concurrency=concurrency, tick=tick)
        recorder.settle()
        return recorder, seconds, whole

    return run


def test_a_slow_target_shows_in_the_latencies_of_those_that_wait(driven: Any) -> None:
    caller = Waits("slow", 500, seconds=0.01)
    recorder, _, whole = driven(schedule(caller, requests=20), caller, 1)
    figures = recorder.lines["slow"]
    assert whole
    assert figures.requests == 20
    # All were due within a blink, and one thread needs 10 ms for each: the last has waited for those before it.
    assert figures.latency.most > 0.1
    assert figures.latency.quantile(0.5) > 0.03


def test_requests_are_under_way_at_once(driven: Any) -> None:
    caller = Waits("slow", 500, seconds=0.02)
    recorder, _, _ = driven(schedule(caller, requests=20), caller, 8)
    assert recorder.lines["slow"].requests == 20
    assert len(caller.threads) > 1


def test_a_machine_that_is_too_slow_to_make_requests_says_so(driven: Any) -> None:
    class Slow(Waits):
        def request(self, chance: random.Random, moment: datetime) -> Request:
            time.sleep(0.01)
            return super().request(chance, moment)

    caller = Slow("slowly made", 1000)
    recorder, _, _ = driven(schedule(caller, requests=15), caller, 2)
    assert recorder.late > 5


def test_a_load_that_is_seldom_lasts_as_long_as_one_that_is_not(make_events: Any) -> None:
    settings = LoadSettings(seconds=100, items=5, scale=0.0005, simulated=True)
    report = run_load(make_events(), "memory:", settings)
    assert report.seconds == 100
    assert report.rate == report.requests / 100


def test_ctrl_c_ends_it_with_what_there_is(driven: Any) -> None:
    caller = Waits("slow", 1000, seconds=0.02)

    def stop(reached: float) -> None:
        raise KeyboardInterrupt

    before = threading.active_count()
    recorder, seconds, whole = driven(schedule(caller, seconds=60), caller, 2, stop)
    assert not whole
    assert seconds < 30
    assert recorder.lines["slow"].requests > 0
    assert recorder.unsent > 0
    assert threading.active_count() == before


def test_what_is_wrong_in_the_program_itself_is_raised(driven: Any) -> None:
    class Broken(Waits):
        def request(self, chance: random.Random, moment: datetime) -> Request:
            def run(db: Any) -> int:
                raise ZeroDivisionError

            return Request(self.line, run)

    caller = Broken("broken", 100)
    with pytest.raises(ZeroDivisionError):
        driven(schedule(caller, requests=3), caller, 1)


def test_ctrl_c_in_simulated_time_gives_a_report_too(make_events: Any) -> None:
    def stop(recorder: Recorder, reached: float) -> None:
        raise KeyboardInterrupt

    settings = LoadSettings(seconds=10_000, requests=10**9, items=10, simulated=True)
    report = run_load(make_events(), "memory:", settings, watch=stop)
    assert 0 < report.requests < 10**6
    assert "It was stopped before its end." in report.notes


def test_time_stands_still_between_requests(make_events: Any) -> None:
    with opened(make_events(), "memory:", simulated=True, start=START, concurrency=1, options={}) as place:
        assert place.engine is not None
        assert place.clock is not None
        assert place.engine.clock.now() == START.timestamp()
        place.clock.move(90)
        assert place.engine.clock.now() == START.timestamp() + 90
