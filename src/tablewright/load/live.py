"""How a load looks while it runs: a table that is drawn anew in a terminal, a line now and then anywhere else."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from rich import box
from rich.console import Console
from rich.live import Live
from rich.table import Table as Grid
from rich.text import Text

from tablewright.load.recording import Figures, Recorder
from tablewright.load.running import Watch
from tablewright.values.sizes import PARTITION_READS, PARTITION_WRITES

_EVERY = 2.0
"""Seconds between two lines."""
_ROWS = 20
_PARTITIONS = 3


@contextmanager
def looking_on(stream: TextIO, seconds: float) -> Iterator[Watch]:
    """Somebody who shows a load on a stream while it runs; `seconds` is how long it is to take."""
    if not stream.isatty():
        yield _Lines(stream, seconds)
        return
    console = Console(file=stream)
    with Live(Text("Putting data in place ..."), console=console, transient=True, auto_refresh=False) as live:

        def watch(recorder: Recorder, reached: float) -> None:
            live.update(drawn(recorder, reached, seconds), refresh=True)

        yield watch


class _Lines:
    def __init__(self, stream: TextIO, seconds: float) -> None:
        self._stream, self._seconds = stream, seconds
        self._last = time.monotonic()

    def __call__(self, recorder: Recorder, reached: float) -> None:
        if time.monotonic() - self._last >= _EVERY:
            self._last = time.monotonic()
            print(line(recorder, reached, self._seconds), file=self._stream, flush=True)


def line(recorder: Recorder, reached: float, seconds: float) -> str:
    """How far it is, in a line."""
    with recorder.lock:
        every = recorder.lines.values()
        requests, throttled = sum(one.requests for one in every), sum(one.throttled for one in every)
        errors = sum(sum(one.errors.values()) for one in every)
        hot = [
            (weight.count / bears, partition, weight.share, what)
            for what, bears in (("write", PARTITION_WRITES), ("read", PARTITION_READS))
            for partition, weight in recorder.heaviest("writes" if what == "write" else "reads", 1)
        ]
    told = f"{requests:,} requests, {throttled:,} throttled, {errors:,} failed"
    if hot:  # whose units are most of what a partition bears
        _, (place, key), share, what = max(hot)
        told += f"; busiest partition {key!r} with {share:.0%} of the {what} units of {place or 'the table'}"
    return f"{reached:,.0f} of {seconds:,.0f} seconds: {told}"


def drawn(recorder: Recorder, reached: float, seconds: float) -> Grid:
    """How far it is, line by line of the mix, the busiest first."""
    grid = Grid(box=box.SIMPLE_HEAD, title=Text(line(recorder, reached, seconds)), title_justify="left")
    grid.add_column("")
    for head in ("requests", "a second", "of", "p50 ms", "p99 ms", "throttled", "failed"):
        grid.add_column(head, justify="right")
    # Rows are made before anything is drawn: whoever sends requests waits meanwhile.
    with recorder.lock:
        every = sorted(recorder.lines.values(), key=lambda one: -one.line.rate)
        rows = [_row(one, max(reached, 1e-9)) for one in every[:_ROWS]]
        hot = [
            (partition, weight.share, what)
            for found, what in (
                (recorder.heaviest("writes", _PARTITIONS), "write"),
                (recorder.heaviest("reads", _PARTITIONS), "read"),
            )
            for partition, weight in found
        ]
    for name, figures, bad in rows:
        grid.add_row(Text(name), *figures, style="red" if bad else None)
    if len(every) > _ROWS:
        grid.add_row(Text(f"and {len(every) - _ROWS} that are rarer"))
    for (place, key), share, what in hot:
        grid.add_row(Text(f"{key!r} of {place or 'the table'}: {share:.0%} of its {what} units", style="dim"))
    return grid


def _row(one: Figures, reached: float) -> tuple[str, list[str], bool]:
    one.settle()
    failed = sum(one.errors.values())
    figures = [
        f"{one.requests:,}",
        f"{one.requests / reached:,.1f}",
        f"{one.line.rate:,.1f}",
        f"{one.latency.quantile(0.5) * 1000:,.1f}",
        f"{one.latency.quantile(0.99) * 1000:,.1f}",
        f"{one.throttled:,}",
        f"{failed:,}",
    ]
    return one.line.name, figures, bool(one.throttled or failed)
