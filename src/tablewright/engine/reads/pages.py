"""One page of a Query or Scan: read rows until a limit, filter, project, and say where to go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tablewright.engine.capacity import Tally, counts
from tablewright.engine.context import Context
from tablewright.engine.keys import Key
from tablewright.engine.reads.targets import Target
from tablewright.engine.reads.unseen import lagging
from tablewright.engine.storage import Body, Selection, read_item
from tablewright.engine.validation.expressions import Expressions
from tablewright.errors import CorruptDataError
from tablewright.values import MAX_ITEM_SIZE, Item, item_size

PAGE_BYTES = 1024 * 1024
_FIRST_ROWS = 64
_MOST_ROWS = 8192
_MOST_BYTES = 4 * PAGE_BYTES


def read_page(
    context: Context,
    request: Mapping[str, Any],
    target: Target,
    selection: Selection,
    expressions: Expressions,
    *,
    splice: bool = False,
) -> dict[str, Any]:
    """The response of a Query or Scan. Where it may `splice`, and nobody looks into the items, they stay as stored."""
    table, index = target.table, target.index
    keep = expressions.filter.over(expressions.values) if expressions.filter is not None else None
    narrow = index.project if index is not None and index.projected is not None else None
    limit: int | None = request.get("Limit")
    items: list[Any] = []
    scanned = total = looked_up = 0
    fetched = Tally()
    key, last = (b"", b""), None
    full = False
    onlooker = context.database.catalogue.onlooker
    read: Callable[[Body], Any] = read_item
    if splice and keep is None and narrow is None and expressions.projection is None and onlooker is None:
        read = _unread
    if onlooker is not None and index is not None and index.is_global:
        portions = lagging(onlooker, table, index, selection, limit, _portions(context, target, selection, None, read))
    else:
        portions = _portions(context, target, selection, limit, read)
    for portion in portions:
        for key, size, item in portion:  # noqa: B007 - the last one is the page's end
            scanned += 1
            last = seen = item
            if narrow is not None:
                narrowed = narrow(item)
                total += item_size(narrowed)
                if target.fetches:
                    fetched.add_read(size, consistent=target.consistent)
                    looked_up += size
                else:
                    seen = narrowed
            else:
                total += size
            if keep is None or keep(seen):
                items.append(seen)
            if total >= PAGE_BYTES or looked_up >= PAGE_BYTES:
                full = True
                break
        if full:
            break
    response: dict[str, Any] = {"Count": len(items), "ScannedCount": scanned}
    if not target.counting:
        project = expressions.projection
        response["Items"] = items if project is None else [project(item) for item in items]
    # In a table, a row at the last bound is known to be the last.
    if last is not None and (full or scanned == limit) and (index is not None or not selection.ends_at(key[1])):
        if isinstance(last, Body):
            last = read_item(last)
        response["LastEvaluatedKey"] = {name: dict(last[name]) for name in target.start_names}
    wanted = request.get("ReturnConsumedCapacity")
    if counts(wanted):
        fetched.add_read(total, consistent=target.consistent, index=index)
        response["ConsumedCapacity"] = fetched.report(table.name, str(wanted))
    return response


def _portions(
    context: Context, target: Target, selection: Selection, limit: int | None, read: Callable[[Body], Any]
) -> Iterator[list[tuple[Key, int, Any]]]:
    """The rows of a selection, in portions that are unlikely to reach far beyond the page, and never reach beyond it by more than a
    few megabytes, whatever lies there: one statement reads a portion, and others wait for it."""
    table, index = target.table, target.index
    if selection.after == ():
        # The one item that a partition without sort key can have was read before.
        return
    scanned = total = 0
    selection.limit = _FIRST_ROWS
    while True:
        if limit is not None:
            selection.limit = min(selection.limit, limit - scanned)
        selection.largest = min(MAX_ITEM_SIZE, _MOST_BYTES // max(selection.limit, 1))
        with context.database.reading() as connection:
            packed = table.page(connection, index, selection)
        rows, too_large = table.unpack(packed, index, selection, read)
        yield rows
        scanned += len(rows)
        if scanned == limit or (too_large is None and len(rows) < selection.limit):
            return
        if rows:
            total += sum(size for _, size, _ in rows)
            selection.after = _columns_after(target, selection, *rows[-1])
        if too_large is None:
            selection.limit = _next_rows(PAGE_BYTES - total, max(total, 1), scanned)
        else:
            selection.limit = _next_rows(PAGE_BYTES - total, too_large, 1)


def _next_rows(left: int, bytes_: int, rows: int) -> int:
    """How many rows are wanted next, if they are as large as so many were, to fill what is left of a page. An index that
    projects little fills it with more of them, but not at once."""
    wanted = min(_MOST_ROWS, max(_FIRST_ROWS, left * rows // bytes_ + 1))
    return max(1, min(wanted, _MOST_BYTES * rows // (2 * bytes_)))


def _columns_after(target: Target, selection: Selection, key: Key, _: int, item: Item | Body) -> tuple[bytes, ...]:
    """What lets a selection go on behind a row."""
    table, index = target.table, target.index
    if index is None:
        columns: tuple[bytes, ...] = key if table.schema.range is not None else key[:1]
    else:
        entry = index.entry(read_item(item) if isinstance(item, Body) else item, key[0])
        if entry is None:
            raise CorruptDataError(
                f"Index {index.name} of table {table.name} holds an item that does not belong in it.",
                hint="Run verify() to see what is affected; deleting and creating the index mends it.",
            )
        columns = table.entry_columns(index, entry, key)
    return columns[(selection.partition is not None) + len(selection.equal) :]


def _unread(body: Body) -> Body:
    return body
