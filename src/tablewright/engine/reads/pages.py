"""One page of a Query or Scan: read rows until a limit, filter, project, and say where to go on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.capacity import Tally, counts
from tablewright.engine.context import Context
from tablewright.engine.reads.targets import Target
from tablewright.engine.storage import Selection
from tablewright.engine.validation.expressions import Expressions
from tablewright.values import Item, item_size

PAGE_BYTES = 1024 * 1024


def read_page(
    context: Context, request: Mapping[str, Any], target: Target, selection: Selection, expressions: Expressions
) -> dict[str, Any]:
    """The response of a Query or Scan."""
    table, index = target.table, target.index
    limit: int | None = request.get("Limit")
    selection.limit = -1 if limit is None else limit
    keep = expressions.filter.test if expressions.filter is not None else None
    values = expressions.values
    narrow = index.project if index is not None and index.projected is not None else None
    items: list[Item] = []
    scanned = total = 0
    fetched = Tally()
    last: Item | None = None
    full = False
    sk = b""
    if selection.after != ():
        with context.database.reading() as connection:
            cursor = table.page(connection, index, selection)
            try:
                for pk, sk, size, body, checksum in cursor:
                    item = last = table.open((pk, sk), body, checksum)
                    scanned += 1
                    if narrow is not None:
                        narrowed = narrow(item)
                        total += item_size(narrowed)
                        if target.fetches:
                            fetched.add_read(size, consistent=target.consistent)
                        else:
                            item = narrowed
                    else:
                        total += size
                    if keep is None or keep(item, values):
                        items.append(item)
                    if total >= PAGE_BYTES:
                        full = True
                        break
            finally:
                # A cursor left in mid-page would hold its read transaction, and with it the log, open.
                cursor.close()
    response: dict[str, Any] = {"Count": len(items), "ScannedCount": scanned}
    if not target.counting:
        project = expressions.projection
        response["Items"] = items if project is None else [project(item) for item in items]
    if last is not None and (full or scanned == limit) and (index is not None or not selection.ends_at(sk)):
        response["LastEvaluatedKey"] = {name: dict(last[name]) for name in target.start_names}
    wanted = request.get("ReturnConsumedCapacity")
    if counts(wanted):
        fetched.add_read(total, consistent=target.consistent, index=index)
        response["ConsumedCapacity"] = fetched.report(table.name, str(wanted))
    return response
