"""A listener may raise, hang, be too slow or not end: whoever puts an event into its outlet never notices."""

import asyncio
import gc
import logging
import os
import subprocess
import sys
import textwrap
import threading
import weakref
from collections.abc import Callable, Iterator
from contextvars import ContextVar

import pytest

from tablewright.observe.events import Event, Listener
from tablewright.observe.outlet import Outlet
from tablewright.observe.tracking import Tracked

Make = Callable[..., Event]
caller: ContextVar[str] = ContextVar("caller", default="nobody")


class Keeps:
    """Keeps what it is told, with who sent it and in which thread it was told."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.callers: list[str] = []
        self.threads: set[int] = set()

    def seen(self, event: Event) -> None:
        self.events.append(event)
        self.callers.append(caller.get())
        self.threads.add(threading.get_ident())


class Raises:
    def __init__(self, error: BaseException) -> None:
        self.error = error
        self.asked = 0

    def seen(self, event: Event) -> None:
        self.asked += 1
        raise self.error


class Hangs:
    """Does not come back until it is let go."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.let_go = threading.Event()

    def seen(self, event: Event) -> None:
        self.reached.set()
        self.let_go.wait(30)


@pytest.fixture
def hangs() -> Iterator[Hangs]:
    made = Hangs()
    yield made
    made.let_go.set()


def threads_for(listener: Listener) -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t.name == f"tablewright tells {type(listener).__name__}"]


def test_events_arrive_in_order_in_another_thread(event: Make) -> None:
    keeps = Keeps()
    outlet = Outlet(keeps)
    for number in range(100):
        outlet.put(event(returned=number))
    assert outlet.flush(5)
    assert [e.returned for e in keeps.events] == list(range(100))
    assert keeps.threads.isdisjoint({threading.get_ident()})
    assert len(keeps.threads) == 1
    assert (outlet.seen, outlet.failures, outlet.dropped) == (100, 0, 0)
    assert outlet.close()


def test_no_thread_begins_before_the_first_event_and_none_stays_after_the_end(event: Make) -> None:
    class Rare(Keeps):
        pass

    rare = Rare()
    outlet = Outlet(rare)
    assert threads_for(rare) == []
    assert outlet.flush()
    outlet.put(event())
    assert len(threads_for(rare)) == 1
    assert outlet.close(5)
    assert threads_for(rare) == []
    outlet.put(event())
    assert (outlet.seen, outlet.dropped) == (1, 1)
    assert outlet.close()
    assert threads_for(rare) == []


def test_an_outlet_that_nobody_holds_hands_on_what_it_has_and_ends(event: Make) -> None:
    class Left(Keeps):
        pass

    left = Left()
    outlet = Outlet(left)
    outlet.put(event())
    (thread,) = threads_for(left)
    gone = weakref.ref(outlet)
    del outlet
    gc.collect()
    assert gone() is None
    thread.join(5)
    assert not thread.is_alive()
    assert len(left.events) == 1


@pytest.mark.parametrize(
    "error", [RuntimeError("customer 4711"), SystemExit(1), KeyboardInterrupt(), asyncio.CancelledError()], ids=repr
)
def test_what_a_listener_raises_is_counted_and_told_once_without_its_text(
    event: Make, error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    raises = Raises(error)
    outlet = Outlet(raises)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            outlet.put(event())
        assert outlet.close(5)
    assert (raises.asked, outlet.seen, outlet.failures, outlet.dropped) == (3, 0, 3, 0)
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert f"Raises raised {type(error).__name__}" in record.getMessage()
    assert "4711" not in caplog.text


def test_the_listener_is_asked_again_after_a_failure(event: Make) -> None:
    class Once(Keeps):
        def seen(self, event: Event) -> None:
            if event.returned == 0:
                raise ValueError
            super().seen(event)

    once = Once()
    outlet = Outlet(once)
    for number in range(3):
        outlet.put(event(returned=number))
    assert outlet.close(5)
    assert [e.returned for e in once.events] == [1, 2]
    assert (outlet.seen, outlet.failures) == (2, 1)


def test_a_full_queue_drops_and_counts_and_nobody_waits(event: Make, hangs: Hangs) -> None:
    outlet = Outlet(hangs, size=10)
    outlet.put(event())
    assert hangs.reached.wait(5)  # the first is out of the queue
    for _ in range(25):
        outlet.put(event())
    assert outlet.dropped == 15
    assert not outlet.flush(0.01)
    hangs.let_go.set()
    assert outlet.flush(5)
    assert (outlet.seen, outlet.dropped) == (11, 15)
    assert outlet.close(5)


def test_a_listener_that_hangs_does_not_keep_close_waiting(event: Make, hangs: Hangs) -> None:
    outlet = Outlet(hangs)
    outlet.put(event())
    assert hangs.reached.wait(5)
    assert not outlet.close(0.01)
    outlet.put(event())
    assert outlet.dropped == 1


def test_drops_of_many_threads_are_all_counted(event: Make, hangs: Hangs) -> None:
    outlet = Outlet(hangs, size=0)
    told = event()

    def many() -> None:
        for _ in range(2000):
            outlet.put(told)

    threads = [threading.Thread(target=many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outlet.dropped == 8000


def test_of_many_threads_every_event_is_told_or_counted(event: Make) -> None:
    keeps, told = Keeps(), event()
    outlet = Outlet(keeps, size=50)

    def many() -> None:
        for _ in range(500):
            outlet.put(told)

    threads = [threading.Thread(target=many) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outlet.close(10)
    assert outlet.seen == len(keeps.events)
    assert outlet.seen + outlet.dropped == 4000


def test_a_listener_is_called_in_the_context_of_the_sender(event: Make) -> None:
    keeps = Keeps()
    outlet = Outlet(keeps)
    for name in ("ada", "bob"):
        token = caller.set(name)
        outlet.put(event())
        caller.reset(token)
    outlet.put(event())
    assert outlet.close(5)
    assert keeps.callers == ["ada", "bob", "nobody"]


def test_what_a_listener_sets_stays_with_it(event: Make) -> None:
    class Sets(Keeps):
        def seen(self, event: Event) -> None:
            super().seen(event)
            caller.set("the listener")

    sets = Sets()
    outlet = Outlet(sets)
    outlet.put(event())
    outlet.put(event())
    assert outlet.close(5)
    assert sets.callers == ["nobody", "nobody"]
    assert caller.get() == "nobody"


def test_tasks_of_asyncio_are_told_each_in_its_own_context(event: Make, hangs: Hangs) -> None:
    keeps = Keeps()
    outlet, stuck = Outlet(keeps), Outlet(hangs)

    async def request(name: str) -> None:
        caller.set(name)
        await asyncio.sleep(0)
        outlet.put(event(pattern=name))
        stuck.put(event())

    async def main() -> None:
        names = [f"task {number}" for number in range(50)]
        await asyncio.wait_for(asyncio.gather(*(request(name) for name in names)), 5)

    asyncio.run(main())
    assert outlet.close(5)
    assert [e.pattern for e in keeps.events] == keeps.callers
    assert len(set(keeps.callers)) == 50


def test_operations_of_the_application_go_to_listeners_that_want_them(event: Make) -> None:
    tracked = Tracked(name="Checkout", at=0.0, seconds=1.0, error=None)

    class Wants(Keeps):
        def __init__(self) -> None:
            super().__init__()
            self.operations: list[Tracked] = []

        def done(self, tracked: Tracked) -> None:
            self.operations.append(tracked)

    wants, plain = Wants(), Keeps()
    both = [Outlet(wants), Outlet(plain)]
    for outlet in both:
        outlet.tell(tracked)
        assert outlet.close(5)
    assert wants.operations == [tracked]
    assert (both[1].seen, both[1].dropped) == (0, 0)


def test_a_flush_reaches_what_the_listener_holds_itself(event: Make) -> None:
    class Holds(Keeps):
        def __init__(self) -> None:
            super().__init__()
            self.flushed: list[tuple[int, float]] = []
            self.closed = 0

        def flush(self, timeout: float) -> None:
            self.flushed.append((len(self.events), timeout))

        def close(self) -> None:
            self.closed += 1

    holds = Holds()
    outlet = Outlet(holds)
    outlet.put(event())
    outlet.put(event())
    assert outlet.flush(5)
    ((events, timeout),) = holds.flushed
    assert events == 2
    assert 0 < timeout <= 5
    assert holds.closed == 0
    assert outlet.close(5)
    assert (len(holds.flushed), holds.closed) == (2, 1)


def test_a_flush_that_raises_is_counted_and_comes_to_its_end(event: Make) -> None:
    class Broken(Keeps):
        def flush(self, timeout: float) -> None:
            raise OSError

    outlet = Outlet(Broken())
    outlet.put(event())
    assert not outlet.flush(5)
    assert outlet.failures == 1
    assert not outlet.close(5)


def test_a_listener_that_was_not_done_in_time_says_so(event: Make) -> None:
    class Slow(Keeps):
        def flush(self, timeout: float) -> bool:
            return False

    outlet = Outlet(Slow())
    outlet.put(event())
    assert not outlet.flush(5)
    assert not outlet.close(5)
    assert outlet.failures == 0


def test_events_may_be_made_in_the_thread(event: Make) -> None:
    keeps, threads = Keeps(), set()

    def read(returned: int) -> Event:
        threads.add(threading.get_ident())
        return event(returned=returned if returned else 1 // returned)

    outlet = Outlet(keeps, read=read)
    for returned in (3, 0, 5):
        outlet.put(returned)
    assert outlet.close(5)
    assert [e.returned for e in keeps.events] == [3, 5]
    assert outlet.failures == 1
    assert threads == keeps.threads


def test_nothing_of_a_request_is_held_after_it_was_told(event: Make) -> None:
    class Thing:
        pass

    class Forgets:
        def seen(self, event: Event) -> None:
            pass

    holder: ContextVar[Thing] = ContextVar("holder")
    outlet = Outlet(Forgets())

    def send() -> "weakref.ref[Thing]":
        thing = Thing()
        token = holder.set(thing)
        outlet.put(event())
        holder.reset(token)
        return weakref.ref(thing)

    sent = send()
    assert outlet.flush(5)
    assert sent() is None
    assert outlet.close(5)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_has_a_thread_and_a_queue_of_its_own() -> None:
    code = """
    import os, sys, threading
    from tablewright.observe.events import Event
    from tablewright.observe.outlet import Outlet

    reached, let_go = threading.Event(), threading.Event()

    class Listener:
        def seen(self, event):
            reached.set()
            let_go.wait(10)
            os.write(1, f"{event.operation} in {'child' if os.getpid() != parent else 'parent'}\\n".encode())

    def event(operation):
        return Event(operation=operation, table="T", index=None, pattern=None, entity=None, at=0.0, seconds=0.0,
                     read_units=0, write_units=0, returned=0, scanned=0, retries=0, error=None)

    parent = os.getpid()
    outlet = Outlet(Listener(), size=1)
    outlet.put(event("one"))
    reached.wait(10)
    outlet.put(event("two"))
    outlet.put(event("three"))
    assert outlet.dropped == 1
    child = os.fork()
    if not child:
        let_go.set()
        assert (outlet.seen, outlet.dropped) == (0, 0), (outlet.seen, outlet.dropped)
        outlet.put(event("of the child"))
        os._exit(0 if outlet.flush(5) and outlet.seen == 1 else 3)
    _, status = os.waitpid(child, 0)
    let_go.set()
    outlet.flush(5)
    sys.exit(os.waitstatus_to_exitcode(status))
    """
    done = run(code)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["of the child in child", "one in parent", "two in parent"]


def test_at_the_end_of_the_process_what_waits_is_handed_on() -> None:
    done = run(
        """
        import time
        from tablewright.observe.outlet import Outlet

        class Listener:
            def seen(self, event):
                print(event, flush=True)

        outlet = Outlet(Listener())
        for number in range(50):
            outlet.put(number)
        """
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == [str(number) for number in range(50)]


def test_a_listener_that_hangs_does_not_keep_the_process_alive() -> None:
    done = run(
        """
        import threading
        from tablewright.observe import outlet

        class Listener:
            def seen(self, event):
                print("reached", flush=True)
                threading.Event().wait()

        outlet.FAREWELL = 0.05
        kept = [outlet.Outlet(Listener()) for _ in range(20)]
        for one in kept:
            one.put(1)
        """
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("reached") == 20


def run(code: str) -> subprocess.CompletedProcess[str]:
    # A process that hangs is ended, and fails the test, after half a minute.
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=30, check=False
    )


def test_it_says_what_became_of_what_was_put(event: Make) -> None:
    outlet = Outlet(Keeps())
    outlet.put(event())
    assert outlet.close()
    outlet.put(event())
    assert repr(outlet) == "<outlet to Keeps: 1 told, 0 failed, 1 dropped, closed>"
