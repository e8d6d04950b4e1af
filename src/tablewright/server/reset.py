"""An empty database again, for test suites that share one server."""

from __future__ import annotations

from typing import Any

from tablewright.engine import Engine


def drop_all_tables(engine: Engine) -> list[str]:
    """Delete every table, protected ones too; returns their names."""
    names: list[str] = []
    request: dict[str, Any] = {}
    while True:
        page = engine.execute("ListTables", request)
        names += page["TableNames"]
        if "LastEvaluatedTableName" not in page:
            break
        request["ExclusiveStartTableName"] = page["LastEvaluatedTableName"]
    for name in names:
        if engine.execute("DescribeTable", {"TableName": name})["Table"].get("DeletionProtectionEnabled"):
            engine.execute("UpdateTable", {"TableName": name, "DeletionProtectionEnabled": False})
        engine.execute("DeleteTable", {"TableName": name})
    return names
