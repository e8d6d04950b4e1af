"""Rows of single requests that one caller sends for different items: found across batches of rows, and however many callers are mixed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from operator import itemgetter

from tablewright.observe.rows import Row
from tablewright.observe.snapshot import Shape, Traffic

BURST = 10
"""More single requests than these by one caller within a second are a row that could be one batch."""
_SECOND = 1.0
_PAUSE = _SECOND / BURST
"""A row goes on as long as there is no longer pause than this."""
_ITEMS = 1_024
"""Items of a row that are remembered; what comes beyond counts as different from them."""
_FEW = 4 * BURST
"""Requests for few items that are remembered, in case that others follow."""
_HELD = 50_000
"""Requests of all callers together that are remembered."""
_SECONDS, _ITEM, _CALLER = itemgetter(2), itemgetter(7, 8), itemgetter(9)
_Asked = tuple[float, int, float]
"""When a request began, a number for its item, and how many seconds it took."""


class Bursts:
    """Who sends rows of single requests. A row may begin in one batch of answers and go on in others, between those of many callers."""

    __slots__ = ("_callers", "_held", "_others", "_since")

    def __init__(self) -> None:
        self._callers: dict[tuple[Shape, int], _Caller] = {}
        self._others: dict[tuple[Shape, int], _Caller] = {}
        """Who asked for the last time before `_since`."""
        self._since = 0.0
        self._held = 0

    def add(self, traffic: Traffic, rows: Sequence[Row]) -> None:
        """Takes answers to requests of one shape, in their order."""
        if not rows:
            return
        if not 0 <= rows[0][1] - self._since <= _SECOND or self._held > _HELD:
            # Who asks for nothing in a second begins another row, and is forgotten with all others who do so.
            self._others, self._callers, self._since, self._held = self._callers, {}, rows[0][1], 0
        shape = traffic.shape
        if len(set(map(_CALLER, rows))) == 1:
            self._follow(traffic, (shape, rows[0][9]), rows)
            return
        several: defaultdict[int, list[Row]] = defaultdict(list)
        for row in rows:
            several[row[9]].append(row)
        for caller, own in several.items():
            self._follow(traffic, (shape, caller), own)

    def _follow(self, traffic: Traffic, name: tuple[Shape, int], rows: Sequence[Row]) -> None:
        caller = self._callers.get(name)
        if caller is None:
            caller = self._others.pop(name) if name in self._others else _Caller()
            self._callers[name] = caller
        else:
            self._held -= caller.held
        caller.go_on(traffic, rows)
        self._held += caller.held


class _Caller:
    """What one caller sent lately of one shape: a row that may go on, or a few requests that may become one."""

    __slots__ = ("last", "row", "waiting")

    def __init__(self) -> None:
        self.last = 0.0
        self.row: _Row | None = None
        self.waiting: list[_Asked] = []

    @property
    def held(self) -> int:
        return len(self.waiting) + (0 if self.row is None else self.row.held)

    def go_on(self, traffic: Traffic, rows: Sequence[Row]) -> None:
        """Takes what it sent next."""
        if len(rows) == 1 and not self.held:  # most callers of a server ask once
            self.last = rows[0][1]
            self.waiting = [_asked(rows[0])]
            return
        began, first = rows[-1][1], self.waiting[0][0] if self.waiting else rows[0][1]
        goes_on = self.row is not None and rows[0][1] - self.last <= _PAUSE
        if began - first <= _PAUSE and (goes_on or len(self.waiting) + len(rows) > BURST):
            # All of it is one row, as it is when somebody is busy.
            whole = self.row if self.row is not None and goes_on else _Row()
            items = [item for _, item, _ in self.waiting] + list(map(hash, map(_ITEM, rows)))
            took = sum([seconds for _, _, seconds in self.waiting]) + sum(map(_SECONDS, rows))
            whole.take(traffic, items, min(took, began + rows[-1][2] - first))
            self.row, self.waiting = whole, []
        else:
            self._look(traffic, [*self.waiting, *map(_asked, rows)])
        self.last = began

    def _look(self, traffic: Traffic, asked: list[_Asked]) -> None:
        start = 0
        if self.row is not None:
            start = _end(asked, 0, self.last)
            self.row.take_some(traffic, asked[:start])
        while start + BURST < len(asked):
            if asked[start + BURST][0] - asked[start][0] > _SECOND:
                start += 1
                continue
            end = _end(asked, start + BURST + 1, asked[start + BURST][0])
            self.row = _Row()
            self.row.take_some(traffic, asked[start:end])
            start = end
        self.waiting = asked[start:][-BURST:]
        if self.waiting:
            self.row = None


def _asked(row: Row) -> _Asked:
    return row[1], hash(_ITEM(row)), row[2]


def _end(asked: Sequence[_Asked], start: int, last: float) -> int:
    """Where a row ends that goes on from here."""
    while start < len(asked) and asked[start][0] - last <= _PAUSE:
        last = asked[start][0]
        start += 1
    return start


class _Row:
    """One row, and how much of it was counted. Somebody who asks for the same items over and over has as many rows, since a batch has each item
    once; a few that come again by chance make no second one."""

    __slots__ = ("counted", "few", "items", "more", "rows")

    def __init__(self) -> None:
        self.few: list[int] = []
        """The latest requests, as long as too few of them are for different items."""
        self.items: set[int] = set()
        self.counted = self.more = self.rows = 0

    @property
    def held(self) -> int:
        return len(self.few) + len(self.items)

    def take_some(self, traffic: Traffic, asked: Sequence[_Asked]) -> None:
        """The same of requests one by one."""
        if asked:
            last, _, seconds = asked[-1]
            took = min(sum([seconds for _, _, seconds in asked]), last + seconds - asked[0][0])
            self.take(traffic, [item for _, item, _ in asked], took)

    def take(self, traffic: Traffic, asked: list[int], took: float) -> None:
        """Adds requests for these items to it, and to the figures, once it has enough different ones. `took` is for how long their caller
        waited: less than all of them together where several were under way at once."""
        if not self.counted:
            if len(set(asked)) <= BURST:  # else what was asked for again and again before is no part of it
                asked = [*self.few, *asked]
                if len(set(asked)) <= BURST:
                    self.few = asked[-_FEW:]
                    return
            self.few = []
        if len(self.items) < _ITEMS:
            self.items.update(asked)
        else:
            self.more += len(set(asked) - self.items)
        different = len(self.items) + self.more
        self.counted += len(asked)
        rows = round(self.counted / different)
        traffic.bursts += rows - self.rows
        traffic.in_bursts += len(asked)
        traffic.burst_seconds += max(0.0, took)
        traffic.longest_burst = max(traffic.longest_burst, different)
        self.rows = rows
