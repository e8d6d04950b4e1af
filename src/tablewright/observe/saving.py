"""Saving what a process observed again and again, so that nothing is lost when it ends, and others can add it up."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from tablewright.errors import ConfigError
from tablewright.observe.events import Event
from tablewright.observe.snapshot import Snapshot

EVERY = 60.0
"""Seconds between two times."""


class Saver:
    """A listener that saves a collector's snapshot to a folder once a minute while there are requests, and at the end. Every run of
    every process has a file of its own, which it writes anew each time: `Shop-2f0c….json`."""

    def __init__(
        self,
        folder: str | os.PathLike[str],
        take: Callable[[], Snapshot | None],
        every: float = EVERY,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = Path(folder)
        self._take = take
        self._every = every
        self._timer = timer
        self._next = timer() + every
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(
                f"{os.fspath(folder)} cannot be a folder for observations: {error.strerror}.",
                hint="Name one that is there, or that may be made.",
            ) from error

    def seen(self, _: Event) -> None:
        """A request was answered."""
        if self._timer() >= self._next:
            self.flush()

    def flush(self, _: float = 0.0) -> bool:
        """Saves what there is."""
        self._next = self._timer() + self._every
        snapshot = self._take()
        if snapshot is not None and snapshot.requests:
            snapshot.save(self._folder / f"{snapshot.table}-{snapshot.runs[0]}.json")
        return True
