"""What every fault is: whom it concerns, when it is due, and how often it struck."""

from __future__ import annotations

import random
import threading
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tablewright.engine.clock import Clock, SystemClock
from tablewright.engine.faults.calls import ITEM_OPERATIONS, READS, STATEMENTS, Call
from tablewright.engine.faults.waiting import Patience
from tablewright.engine.operations import OPERATIONS
from tablewright.engine.storage import Change
from tablewright.errors import ConfigError
from tablewright.values.operations import WRITES

_GROUPS = {"reads": READS, "writes": WRITES}


@dataclass(kw_only=True, eq=False)
class Fault:
    """`table` and `operations` say whom it concerns: by default every operation on items, of every table.

    `operations` is a name, several, or "reads" or "writes"; a PartiQL request is what its statements are. `seen` counts the requests that it concerned (of batches,
    for some faults, the members) and `fired` how often it struck.
    """

    name: ClassVar[str]
    concerned: ClassVar[frozenset[str]] = ITEM_OPERATIONS

    table: str | None = None
    operations: Collection[str] | str | None = None
    seen: int = field(init=False, default=0)
    fired: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._clock: Clock = SystemClock()
        self._patience = Patience(threading.Event())
        self._statements: frozenset[bool] = frozenset()
        self._operations = self._chosen()

    def _chosen(self) -> frozenset[str]:
        if self.operations is None:
            return self.concerned
        given = [self.operations] if isinstance(self.operations, str) else list(self.operations)
        self._statements = frozenset(name == "writes" for name in given if name in _GROUPS)
        chosen: set[str] = set()
        for name in given:
            if name not in _GROUPS and name not in OPERATIONS:
                raise ConfigError(
                    f"The fault {self.name} is limited to {name!r}, which is no operation.",
                    hint="Use DynamoDB's names, such as PutItem, or 'reads' or 'writes'.",
                )
            chosen |= _GROUPS.get(name, {name})
        if self.concerned is ITEM_OPERATIONS:
            return frozenset(chosen)
        if not chosen & self.concerned:
            raise ConfigError(
                f"The fault {self.name} does nothing to {', '.join(sorted(chosen))}.",
                hint=f"It concerns {', '.join(sorted(self.concerned))}.",
            )
        return self.concerned & chosen

    def start(self, clock: Clock, patience: Patience) -> None:
        """The fault is injected into an engine with this clock; who waits on purpose does so with `patience`."""
        self._clock = clock
        self._patience = patience

    def concerns(self, call: Call) -> bool:
        """Whether a call may be struck at all."""
        concerned = call.operation in self._operations or (
            bool(self._statements)
            and call.operation in STATEMENTS
            and call.operation in self.concerned
            and call.is_write in self._statements
        )
        return concerned and (self.table is None or call.names(self.table))

    def notice(self, call: Call) -> Any:
        """A call has come in; what is due to it is returned. Every fault notices every call, whoever refuses it."""
        return None

    def on_request(self, call: Call, due: Any) -> None:
        """A call is about to be carried out; raising refuses it."""

    def on_reply(self, call: Call, response: dict[str, Any] | None, due: Any) -> None:
        """A call was carried out; the response is None where it was refused. Raising replaces the answer."""

    def changing(self, change: Change) -> None:
        """An item is about to change."""

    def count(self) -> None:
        """Note that the fault struck."""
        with self._lock:
            self.fired += 1


@dataclass(kw_only=True, eq=False)
class Scheduled(Fault):
    """A fault with a schedule: by default it strikes always.

    `nth` strikes at those requests only (1 is the first), `every` at each n-th, `first` at the first n, `share` at a
    random share from 0 to 1, drawn from `seed`. `times` is how often it may strike in all.
    """

    nth: int | Collection[int] | None = None
    every: int | None = None
    first: int | None = None
    share: float | None = None
    seed: int = 0
    times: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [n for n in ("nth", "every", "first", "share") if getattr(self, n) is not None]
        if len(given) > 1:
            raise ConfigError(
                f"The fault {self.name} has two schedules: {' and '.join(given)}.",
                hint="Give one of nth, every, first and share, or inject two faults.",
            )
        self._nth = frozenset([self.nth] if isinstance(self.nth, int) else self.nth or ())
        counts = [*self._nth, *(n for n in (self.every, self.first, self.times) if n is not None)]
        if any(not isinstance(n, int) or isinstance(n, bool) or n < 1 for n in counts):
            raise ConfigError(f"The schedule of the fault {self.name} needs whole numbers from 1 on.")
        if self.share is not None and not 0 <= self.share <= 1:
            raise ConfigError(f"The share of the fault {self.name} must lie between 0 and 1.")
        self._random = random.Random(self.seed)  # noqa: S311 - repeatable on purpose
        self._reserved = 0

    def notice(self, call: Call) -> Any:
        """Whether the fault strikes at this call."""
        return self.is_due()

    def is_due(self) -> bool:
        """Whether the fault strikes now; each call is one more request that it has seen."""
        with self._lock:
            self.seen += 1
            due = (
                self.seen in self._nth
                if self.nth is not None
                else self.seen % self.every == 0
                if self.every is not None
                else self.seen <= self.first
                if self.first is not None
                else self._random.random() < self.share
                if self.share is not None
                else True
            )
            if due and self.times is not None:
                due = self._reserved < self.times
            self._reserved += due
            return due
