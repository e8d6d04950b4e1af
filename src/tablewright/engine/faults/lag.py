"""Indexes that lag behind their table, as global indexes on the service may."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from tablewright.engine.faults.calls import Call
from tablewright.engine.faults.fault import Fault
from tablewright.engine.index import IndexSchema
from tablewright.engine.keys import Key
from tablewright.engine.storage import Change, TableStore, Unseen
from tablewright.errors import ConfigError
from tablewright.values import Item


class _Late(NamedTuple):
    due: float | None
    table: int
    key: Key
    before: tuple[int, Item] | None


@dataclass(kw_only=True, eq=False)
class IndexLag(Fault):
    """Reads of global indexes see a write `seconds` later by the engine's clock, or when `release` is called where no
    seconds are given. The table itself and its local indexes show it at once. `index` limits it to one index. `seen` and
    `fired` count the writes that were held back.

    It concerns all reads of an index, so it takes no `operations`. Writes of other processes to the same file are seen
    at once.
    """

    name: ClassVar[str] = "index-lag"

    operations: Collection[str] | str | None = field(init=False, default=None, repr=False)
    seconds: float | None = None
    index: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.seconds is not None and self.seconds < 0:
            raise ConfigError("Index lag needs a number of seconds that is not negative.")
        self._late: deque[_Late] = deque()

    @property
    def held(self) -> int:
        """How many writes the indexes do not show yet."""
        with self._lock:
            self._settle()
            return len(self._late)

    def release(self, writes: int | None = None) -> None:
        """Let the indexes show everything that was written, or the oldest writes only."""
        with self._lock:
            for _ in range(len(self._late) if writes is None else min(writes, len(self._late))):
                self._late.popleft()

    def concerns(self, call: Call) -> bool:
        """No call is struck by it; readers of indexes are shown less."""
        return False

    def changing(self, change: Change) -> None:
        """Remember what an item was before a change."""
        table = change.table
        if (self.table is None or table.name == self.table) and any(map(self._lags, table.schema.indexes)):
            old = change.old
            before = None if old is None else (old.size, old.item)
            with self._lock:
                self.seen += 1
                self.fired += 1
                due = None if self.seconds is None else self._clock.now() + self.seconds
                self._late.append(_Late(due, table.schema.number, change.key, before))

    def _lags(self, index: IndexSchema) -> bool:
        return index.is_global and self.index in (None, index.name)

    def unseen(self, table: TableStore, index: IndexSchema) -> Unseen:
        """The items as the index still shows them."""
        if not self._lags(index):
            return {}
        shown: dict[Key, tuple[int, Item] | None] = {}
        with self._lock:
            self._settle()
            for late in self._late:
                if late.table == table.schema.number:
                    shown.setdefault(late.key, late.before)
        return shown

    def _settle(self) -> None:
        if self.seconds is not None:
            now = self._clock.now()
            while self._late and (self._late[0].due or 0.0) <= now:
                self._late.popleft()
