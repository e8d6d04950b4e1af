"""Work that nobody waits for: a thread of the engine's own, which ends with the engine."""

from __future__ import annotations

import os
import threading
import weakref


class Background:
    """A thread that takes turns at some work once it was started; it ends with `stop`, or when the engine is gone."""

    __slots__ = ("__weakref__", "_again", "_lock", "_name", "_process", "_stop", "_thread")

    def __init__(self, name: str) -> None:
        self._name = name
        self._process = os.getpid()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._again = False

    def first_pause(self) -> float:
        """Seconds from the start to the first turn."""
        return 0.0

    def turn(self) -> float | None:
        """Do some of the work; seconds until the next turn, or None when nothing is left to do."""
        raise NotImplementedError

    def start(self) -> None:
        """Begin, unless that goes on already or has been stopped for good."""
        with self._lock:
            self._again = True
            if self._thread is None and not self._stop.is_set():
                self._thread = threading.Thread(
                    target=_run,
                    args=(weakref.ref(self), self._stop, self.first_pause()),
                    name=f"tablewright-{self._name}",
                    daemon=True,
                )
                self._thread.start()

    def stop(self) -> None:
        """End the thread and wait for the turn that it is at."""
        if os.getpid() != self._process:
            # A fork took the thread away and may have left its locks behind.
            return
        with self._lock:
            self._stop.set()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def take_turn(self) -> float | None:
        """One turn of the thread; None when it shall end: nobody started it again since there was nothing left."""
        with self._lock:
            self._again = False
        pause = self.turn()
        if pause is None:
            with self._lock:
                if self._again:
                    return 0.0
                self._thread = None
        return pause


def _run(reference: weakref.ref[Background], stop: threading.Event, pause: float | None) -> None:
    while pause is not None and not stop.wait(pause):
        background = reference()
        if background is None:
            return
        pause = background.take_turn()
        del background
