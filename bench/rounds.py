"""Interleaved rounds: every contestant runs a little in each round, so that a slow moment of the machine hits all alike."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

Work = Callable[[int], None]
"""Does something `count` times."""


@dataclass
class Score:
    """What a contestant took per operation, one figure per round."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    @property
    def wall_us(self) -> float:
        """Median microseconds of wall time."""
        return statistics.median(self.wall) * 1e6

    @property
    def cpu_us(self) -> float:
        """Median microseconds of this process's CPU time."""
        return statistics.median(self.cpu) * 1e6


def run_rounds(contestants: Mapping[str, tuple[Work, int]], rounds: int) -> dict[str, Score]:
    """Runs every contestant `count` times in each round, in alternating order."""
    scores = {name: Score() for name in contestants}
    for work, count in contestants.values():
        work(max(1, count // 10))
    order: Sequence[str] = list(contestants)
    for number in range(rounds):
        for name in order if number % 2 == 0 else reversed(order):
            work, count = contestants[name]
            gc.collect()
            cpu, wall = time.process_time(), time.perf_counter()
            work(count)
            scores[name].wall.append((time.perf_counter() - wall) / count)
            scores[name].cpu.append((time.process_time() - cpu) / count)
    return scores


def ratio(scores: Mapping[str, Score], slower: str, faster: str, *, cpu: bool = False) -> float:
    """How many times as long `slower` took, as the median over rounds."""
    figures = "cpu" if cpu else "wall"
    pairs = zip(getattr(scores[slower], figures), getattr(scores[faster], figures), strict=True)
    return float(statistics.median(a / b for a, b in pairs))
