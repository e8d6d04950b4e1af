"""An empty database again, for test suites that share one server."""

from __future__ import annotations

from typing import Any

from tablewright.engine import Engine, OffsetClock


def drop_everything(engine: Engine) -> list[str]:
    """Leave nothing for the next test to find, no fault and no moved time; returns the names of the tables that there were."""
    engine.faults.clear()
    names: list[str] = []
    request: dict[str, Any] = {}
    while True:
        page = engine.execute("ListTables", request, faultless=True)
        names += page["TableNames"]
        if "LastEvaluatedTableName" not in page:
            break
        request["ExclusiveStartTableName"] = page["LastEvaluatedTableName"]
    engine.reset()
    if isinstance(engine.clock, OffsetClock):
        engine.clock.restore()
    return names
