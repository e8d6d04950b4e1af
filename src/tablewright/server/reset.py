"""An empty database again, for test suites that share one server."""

from __future__ import annotations

from typing import Any

from tablewright.engine import Engine


def drop_everything(engine: Engine) -> list[str]:
    """Leave nothing for the next test to find; returns the names of the tables that there were."""
    names: list[str] = []
    request: dict[str, Any] = {}
    while True:
        page = engine.execute("ListTables", request, faultless=True)
        names += page["TableNames"]
        if "LastEvaluatedTableName" not in page:
            break
        request["ExclusiveStartTableName"] = page["LastEvaluatedTableName"]
    engine.reset()
    return names
