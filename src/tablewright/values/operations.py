"""Operations on items, by what they do."""

from __future__ import annotations

WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})
"""Those that change items."""
METERED = WRITES | {"GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems", "ExecuteStatement"}
"""Those that tell what they consumed, where they are asked to."""
