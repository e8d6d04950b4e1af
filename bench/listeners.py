"""What a listener costs a request, be it well, broken or stuck: against the same collector without any.

`python -m bench.listeners` measures gets of the embedded engine, which take next to no time themselves, so that whatever a
listener costs shows; and what it takes to put an event into the queue of one.
"""

from __future__ import annotations

import threading
import timeit
from collections.abc import Sequence
from contextlib import ExitStack

from bench.client_work import repeat
from bench.rounds import Work, ratio, run_rounds
from tablewright import Entity, Keys, Table, key
from tablewright.observe.collector import Collector
from tablewright.observe.events import Event, Listener
from tablewright.observe.exporters.emf import Emf
from tablewright.observe.outlet import Outlet

ROUNDS, GETS, PUTS = 41, 200, 9_000
ALONE = "a collector alone"

table = Table("Things")


class Thing(Entity, table=table):
    """Something to get."""

    keys = Keys("THING#{thing_id}", "THING")
    thing_id: str


class Idle:
    """Does nothing."""

    def seen(self, event: Event) -> None:
        """Does nothing."""


class Raises:
    """Fails each time."""

    def seen(self, event: Event) -> None:
        """Fails."""
        raise RuntimeError


class Hangs:
    """Never comes back."""

    def seen(self, event: Event) -> None:
        """Waits for ever."""
        threading.Event().wait()


def gets(listeners: Sequence[Listener], stack: ExitStack) -> tuple[Work, int]:
    """Reads of one item."""
    db = stack.enter_context(table.open("memory:", observe=Collector(listeners=listeners)))
    db.create(Thing(thing_id="a"))
    target = key(Thing, thing_id="a")
    return repeat(lambda: db.get(target)), GETS


def putting(listener: Listener, size: int) -> float:
    """Nanoseconds of a put."""
    outlet = Outlet(listener, size)
    event = Event(
        operation="GetItem",
        table="Things",
        index=None,
        pattern=None,
        entity="Thing",
        at=0.0,
        seconds=0.01,
        read_units=0.5,
        write_units=0.0,
        returned=1,
        scanned=1,
        retries=0,
        error=None,
    )
    outlet.put(event)
    took = min(timeit.repeat(lambda: outlet.put(event), number=PUTS, repeat=7)) / PUTS * 1e9
    outlet.close(0.0)
    return took


def main() -> None:
    """Measures and prints."""
    kinds: dict[str, list[Listener]] = {
        ALONE: [],
        "one that does nothing": [Idle()],
        "one that writes lines": [Emf(lambda line: None)],
        "one that raises": [Raises()],
        "one that hangs": [Hangs()],
    }
    with ExitStack() as stack:
        scores = run_rounds({name: gets(listeners, stack) for name, listeners in kinds.items()}, ROUNDS)
    print(f"{'a get with':24}{'median':>12}{'ratio':>8}")
    for name, score in scores.items():
        print(f"{name:24}{score.wall_us:9.1f} us{ratio(scores, name, ALONE):8.2f}")
    print("\na put into the queue of")
    print(f"{'one that does nothing':24}{putting(Idle(), 10**9):9.0f} ns")
    print(f"{'one that hangs':24}{putting(Hangs(), 10**9):9.0f} ns")
    print(f"{'one that is full':24}{putting(Hangs(), 10):9.0f} ns")


if __name__ == "__main__":
    main()
