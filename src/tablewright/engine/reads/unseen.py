"""An index that lags behind its table: its pages with the changes undone that it does not show yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy

from tablewright.engine.index import IndexSchema
from tablewright.engine.keys import Key
from tablewright.engine.storage import Onlooker, Selection, TableStore, Unseen
from tablewright.values import Item

Row = tuple[Key, int, Item]
Columns = tuple[bytes, ...]


def lagging(
    onlooker: Onlooker,
    table: TableStore,
    index: IndexSchema,
    selection: Selection,
    limit: int | None,
    portions: Iterable[list[Row]],
) -> Iterator[list[Row]]:
    """The rows of a selection as the index shows them, given the portions of all rows as they are."""
    # Reading portions moves the selection on.
    wanted = copy(selection)
    left = limit
    for rows in _as_shown(onlooker, table, index, wanted, portions):
        yield rows if left is None else rows[:left]
        if left is not None:
            left -= len(rows)
            if left <= 0:
                return


def _as_shown(
    onlooker: Onlooker, table: TableStore, index: IndexSchema, wanted: Selection, portions: Iterable[list[Row]]
) -> Iterator[list[Row]]:
    behind: Columns | None = None
    for rows in portions:
        # Asked after each reading: a change that is not among these rows yet does no harm, one that is must be known.
        unseen = onlooker.unseen(table, index)
        if not rows:
            continue
        end = _columns(table, index, rows[-1])
        shown = [row for row in rows if row[0] not in unseen]
        for row in _earlier(unseen, wanted, table, index):
            columns = _columns(table, index, row)
            if not _passed(columns, end, wanted) and (behind is None or _passed(columns, behind, wanted)):
                shown.append(row)
        yield sorted(shown, key=lambda row: _columns(table, index, row), reverse=not wanted.forward)
        behind = end
    rest = [
        row
        for row in _earlier(onlooker.unseen(table, index), wanted, table, index)
        if behind is None or _passed(_columns(table, index, row), behind, wanted)
    ]
    yield sorted(rest, key=lambda row: _columns(table, index, row), reverse=not wanted.forward)


def _earlier(unseen: Unseen, wanted: Selection, table: TableStore, index: IndexSchema) -> Iterator[Row]:
    """What the index still shows of items that have changed, as far as it is wanted."""
    for key, stored in unseen.items():
        if stored is not None:
            entry = index.entry(stored[1], key[0])
            if entry is not None and _selected(table.entry_columns(index, entry, key), wanted):
                yield key, *stored


def _columns(table: TableStore, index: IndexSchema, row: Row) -> Columns:
    key, _, item = row
    entry = index.entry(item, key[0])
    assert entry is not None
    return table.entry_columns(index, entry, key)


def _passed(columns: Columns, mark: Columns, wanted: Selection) -> bool:
    return columns > mark if wanted.forward else columns < mark


def _selected(columns: Columns, wanted: Selection) -> bool:
    fixed = (() if wanted.partition is None else (wanted.partition,)) + wanted.equal
    if columns[: len(fixed)] != fixed:
        return False
    free = columns[len(fixed) :]
    if wanted.after is not None and not _passed(free, wanted.after, wanted):
        return False
    if wanted.low is not None and (free[0] < wanted.low or (wanted.low_open and free[0] == wanted.low)):
        return False
    return wanted.high is None or free[0] < wanted.high or (free[0] == wanted.high and not wanted.high_open)
