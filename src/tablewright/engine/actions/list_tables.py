"""ListTables: names in order, a hundred at a time."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from tablewright.engine.context import Context


def list_tables(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a ListTables request."""
    limit: int = request.get("Limit") or 100
    start: str = request.get("ExclusiveStartTableName") or ""
    context.database.refresh()
    later = (name for name in sorted(context.database.catalogue.tables) if name > start)
    names = list(islice(later, limit + 1))
    if len(names) <= limit:
        return {"TableNames": names}
    return {"TableNames": names[:limit], "LastEvaluatedTableName": names[limit - 1]}
