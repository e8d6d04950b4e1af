"""Group commit: everybody gets their own outcome, groups form, interrupts lose nobody."""

import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest

from tablewright.engine.storage.committer import MAX_GROUP, Committer, Pending
from tablewright.errors import OutcomeUnknownError, StorageError


def run_all(group: Sequence[Pending]) -> None:
    for pending in group:
        try:
            pending.settle(pending.work(None), None)
        except Exception as error:
            pending.settle(None, error)


def test_a_single_caller_leads_every_time() -> None:
    groups: list[int] = []

    def commit(group: Sequence[Pending]) -> None:
        groups.append(len(group))
        run_all(group)

    committer = Committer(commit)
    assert [committer.run(lambda _, n=n: n * n) for n in range(5)] == [0, 1, 4, 9, 16]
    assert groups == [1] * 5


def test_requests_that_arrive_during_a_commit_share_the_next() -> None:
    entered, release = threading.Event(), threading.Event()
    groups: list[int] = []

    def commit(group: Sequence[Pending]) -> None:
        groups.append(len(group))
        if len(groups) == 1:
            entered.set()
            release.wait()
        run_all(group)

    committer = Committer(commit)
    results: list[int] = []
    threads = [
        threading.Thread(target=lambda n=n: results.append(committer.run(lambda _: n))) for n in range(MAX_GROUP + 11)
    ]
    threads[0].start()
    entered.wait()
    for thread in threads[1:]:
        thread.start()
    while len(committer._queue) < len(threads):
        time.sleep(0.001)
    release.set()
    for thread in threads:
        thread.join()
    assert groups == [1, MAX_GROUP, 10]
    assert sorted(results) == list(range(MAX_GROUP + 11))


def test_errors_reach_only_their_own_caller() -> None:
    committer = Committer(run_all)
    failures: list[int] = []
    successes: list[int] = []

    def call(number: int) -> None:
        def work(_: Any) -> int:
            if number % 3 == 0:
                raise KeyError(number)
            return number

        try:
            successes.append(committer.run(work))
        except KeyError as error:
            failures.append(error.args[0])

    threads = [threading.Thread(target=call, args=(number,)) for number in range(60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(failures) == list(range(0, 60, 3))
    assert sorted(successes) == [n for n in range(60) if n % 3]


def test_many_callers_never_hang() -> None:
    def commit(group: Sequence[Pending]) -> None:
        time.sleep(0.0002)
        run_all(group)

    committer = Committer(commit)
    done = [0] * 16

    def call(number: int) -> None:
        for _ in range(100):
            done[number] += committer.run(lambda _: 1)

    threads = [threading.Thread(target=call, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert done == [100] * 16


def test_an_interrupted_leader_passes_the_lead_on() -> None:
    """The members of its group learn that their outcome is unknown; those behind them are served."""
    entered, release = threading.Event(), threading.Event()
    rounds: list[int] = []

    def commit(group: Sequence[Pending]) -> None:
        rounds.append(len(group))
        if len(rounds) == 1:
            entered.set()
            release.wait()
            run_all(group)
        elif len(rounds) == 2:
            raise KeyboardInterrupt
        else:
            run_all(group)

    committer = Committer(commit)
    outcomes: list[str] = []

    def call() -> None:
        try:
            outcomes.append(f"value {committer.run(lambda _: 1)}")
        except BaseException as error:
            outcomes.append(type(error).__name__)

    threads = [threading.Thread(target=call) for _ in range(4)]
    threads[0].start()
    entered.wait()
    for thread in threads[1:]:
        thread.start()
    while len(committer._queue) < 4:
        time.sleep(0.001)
    release.set()
    for thread in threads:
        thread.join(timeout=30)
    assert sorted(outcomes) == ["KeyboardInterrupt", "OutcomeUnknownError", "OutcomeUnknownError", "value 1"]
    assert committer.run(lambda _: "still works") == "still works"


def test_a_waiting_caller_can_be_interrupted() -> None:
    entered, release = threading.Event(), threading.Event()

    def commit(group: Sequence[Pending]) -> None:
        entered.set()
        release.wait()
        run_all(group)

    committer = Committer(commit)
    leader = threading.Thread(target=lambda: committer.run(lambda _: 1))
    leader.start()
    entered.wait()

    class InterruptedLock:
        """A lock whose second acquire is interrupted, as Ctrl-C does to a waiting main thread."""

        def __init__(self) -> None:
            self.calls = 0

        def acquire(self) -> bool:
            self.calls += 1
            if self.calls == 2:
                raise KeyboardInterrupt
            return True

        def release(self) -> None:
            raise AssertionError("nobody waits here any more")

    original = threading.Lock
    threading.Lock = InterruptedLock  # type: ignore[assignment, misc]
    try:
        with pytest.raises(KeyboardInterrupt):
            committer.run(lambda _: 2)
    finally:
        threading.Lock = original  # type: ignore[misc]
    release.set()
    leader.join(timeout=30)
    assert committer.run(lambda _: 3) == 3


def test_closing_waits_and_refuses() -> None:
    entered, release = threading.Event(), threading.Event()

    def commit(group: Sequence[Pending]) -> None:
        entered.set()
        release.wait()
        run_all(group)

    committer = Committer(commit)
    results: list[int] = []
    writer = threading.Thread(target=lambda: results.append(committer.run(lambda _: 7)))
    writer.start()
    entered.wait()
    closer = threading.Thread(target=committer.close)
    closer.start()
    while not committer._closed:
        time.sleep(0.001)
    assert closer.is_alive()
    release.set()
    closer.join()
    writer.join()
    assert results == [7]
    with pytest.raises(StorageError, match="closed"):
        committer.run(lambda _: 1)


def test_an_outcome_that_nobody_settled_is_unknown() -> None:
    committer = Committer(lambda group: None)
    with pytest.raises(OutcomeUnknownError):
        committer.run(lambda _: 1)
