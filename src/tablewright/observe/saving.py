"""Saving what a process observed again and again, so that nothing is lost when it ends, and others can add it up."""

from __future__ import annotations

import atexit
import logging
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tablewright.errors import ConfigError
from tablewright.observe.snapshot import Snapshot

_log = logging.getLogger(__name__)
EVERY = 60.0
"""Seconds between two times."""


class Saver:
    """Saves a collector's snapshot to a folder once a minute in a thread of its own, and at the end. Every run of every process has
    a file of its own, which it writes anew each time: `Shop-2f0c….json`.

    Where it cannot be written, because the disk is full or the folder was taken away, that is logged once and tried again the next time: whoever
    observes is in nobody's way."""

    def __init__(self, folder: str | os.PathLike[str], take: Callable[[], Snapshot], every: float = EVERY) -> None:
        self._folder = Path(folder).absolute()  # the program may go elsewhere
        self._take = take
        self._every = every
        self._ended = threading.Event()
        self._running = False
        self._saved = ("", 0)
        self._lock = threading.RLock()  # what was taken first is written first, and stays below what came later
        self._warned = False
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(
                f"{os.fspath(folder)} cannot be a folder for observations: {error.strerror}.",
                hint="Name one that is there, or that may be made.",
            ) from error

    def begin(self) -> None:
        """Somebody is watched from now on."""
        if self._running:
            return
        self._running = True
        self._ended.clear()
        with suppress(RuntimeError):  # no more threads can be had: then it is saved at the end
            threading.Thread(target=self._go_on, name="tablewright saves observations", daemon=True).start()
        atexit.register(self.save)
        if "multiprocessing" in sys.modules:
            self._end_with_multiprocessing()

    def begin_again(self) -> None:
        """The same in a process that was forked, where the thread is not."""
        self._lock = threading.RLock()
        if self._running:
            self._running, self._ended, self._saved = False, threading.Event(), ("", 0)
            self.begin()

    def end(self) -> bool:
        """Ends the thread, and saves what there is; False if it could not be written."""
        self._ended.set()
        self._running = False
        atexit.unregister(self.save)
        return self.save()

    def save(self) -> bool:
        """Saves what there is, unless that was done; False if it could not be written."""
        with self._lock:
            snapshot = self._take()
            run = snapshot.runs[0], snapshot.requests
            if not snapshot.requests or run == self._saved:
                return True
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                snapshot.save(self._folder / f"{snapshot.table}-{run[0]}.json")
            except OSError as error:
                if not self._warned:
                    _log.warning("What was observed cannot be saved in %s now: %s.", self._folder, error.strerror)
                self._warned = True
                return False
            self._saved, self._warned = run, False
            return True

    def _go_on(self) -> None:
        ended = self._ended
        while not ended.wait(self._every):
            self.save()

    def _end_with_multiprocessing(self) -> None:
        """Its processes end without what is registered with atexit, but for what is registered with them after they were forked."""
        from multiprocessing import util

        util.register_after_fork(self, _at_end)
        _at_end(self)


def _at_end(saver: Saver) -> None:
    from multiprocessing import util

    util.Finalize(saver, saver.save, exitpriority=100)
