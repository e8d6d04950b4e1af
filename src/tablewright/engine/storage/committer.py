"""Group commit: writes that arrive while a commit runs go together into the next one. Knows nothing of SQL."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from tablewright.errors import OutcomeUnknownError, StorageError

MAX_GROUP = 128
"""Requests in one commit: bounds how long another process waits for the file."""


class WouldWaitError(Exception):
    """Somebody else is writing, and this write is for one who must not wait."""


class Pending:
    """One write on its way. Whoever commits its group settles it; one that never was has an unknown outcome."""

    __slots__ = ("alone", "done", "error", "leads", "patient", "settled", "value", "wake", "work")

    def __init__(self, work: Callable[[Any], Any], *, alone: bool = False, patient: bool = True) -> None:
        self.work = work
        self.alone = alone
        self.patient = patient
        self.value: Any = None
        self.error: Exception | None = None
        self.settled = False
        self.done = False
        self.leads = False
        self.wake: threading.Lock | None = None

    def settle(self, value: Any, error: Exception | None) -> None:
        """Record the outcome: what the committed work returned, or why nothing of it was committed."""
        self.value, self.error, self.settled = value, error, True


class Committer:
    """Leader and followers: the caller that finds nobody committing leads; others wait for the outcome or the lead.

    There is no thread of its own and no delay: a single caller leads every time and pays for two uncontended locks.
    A group stays at the head of the queue until it is done, so that an interrupt at any point loses nobody.
    """

    __slots__ = ("_busy", "_closed", "_commit_group", "_idle", "_mutex", "_queue")

    def __init__(self, commit_group: Callable[[Sequence[Pending]], None]) -> None:
        self._commit_group = commit_group
        self._mutex = threading.Lock()
        self._idle = threading.Condition(self._mutex)
        self._queue: deque[Pending] = deque()
        self._busy = False
        self._closed = False

    def run(self, work: Callable[[Any], Any], *, alone: bool = False, patient: bool = True) -> Any:
        """Have `work` done in a group, or alone, and return its value once it is committed. Who is not `patient` gets a
        WouldWaitError, and nothing is done, where somebody else is at it."""
        mine = Pending(work, alone=alone, patient=patient)
        group: list[Pending] = []
        try:
            with self._mutex:
                if self._closed:
                    raise StorageError("The engine is closed.", hint="Open it again before using it.")
                if self._busy:
                    if not patient:
                        raise WouldWaitError
                    mine.wake = threading.Lock()
                    mine.wake.acquire()
                else:
                    mine.leads = self._busy = True
                self._queue.append(mine)
            if mine.wake is not None:
                mine.wake.acquire()
            if mine.leads:
                with self._mutex:
                    group = list(islice(self._queue, MAX_GROUP))
                self._commit_group(group)
        finally:
            if mine.leads:
                self._hand_over(group or [mine])
            elif not mine.done:
                self._withdraw(mine)
        if mine.error is not None:
            raise mine.error
        if not mine.settled:
            raise OutcomeUnknownError(
                "The write was interrupted; it may or may not have happened.", hint="Read the item to find out."
            )
        return mine.value

    def close(self) -> None:
        """Refuse new writes and wait until those under way are committed."""
        with self._mutex:
            self._closed = True
            while self._busy:
                self._idle.wait()

    def _hand_over(self, group: Sequence[Pending]) -> None:
        """Take a finished group off the queue, give the lead to the next in line, and wake everybody concerned."""
        queue = self._queue
        with self._mutex:
            for pending in group:
                pending.done = True
            while queue and queue[0].done:
                queue.popleft()
            if queue:
                heir = queue[0]
                heir.leads = True
                if heir.wake is not None:
                    heir.wake.release()
            else:
                self._busy = False
                self._idle.notify_all()
        for pending in group:
            if pending.wake is not None and not pending.leads:
                pending.wake.release()

    def _withdraw(self, mine: Pending) -> None:
        """Leave the queue after an interrupt; a lead that was given to us meanwhile goes to the next in line."""
        with self._mutex:
            leads = mine.leads
            if not leads and mine in self._queue:
                self._queue.remove(mine)
        if leads:
            self._hand_over([mine])
