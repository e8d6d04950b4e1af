"""What is left of somebody: a look at everything that the table and each of its indexes hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tablewright.client.session import Session
from tablewright.transport.answers import next_start
from tablewright.values.keycodec.escape import escape


def assert_no_traces(db: Session, *texts: str) -> None:
    """No item of the table or of any index holds one of these texts, in whatever attribute, keys and markers included.

    It reads all of them. A text counts wherever it is a part of another, so choose ids that are part of nobody else's."""
    __tracebackhide__ = True
    found = [f"{place}: {name}" for place, name in _traces(db, texts)]
    if found:
        raise AssertionError("Traces are left, by place and attribute:\n  " + "\n  ".join(sorted(set(found))))


def _traces(db: Session, texts: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    wanted = {form for text in texts for form in (text, escape(text))}
    table = db.send("DescribeTable", {"TableName": db.table_name})["Table"]
    described = [*table.get("GlobalSecondaryIndexes", ()), *table.get("LocalSecondaryIndexes", ())]
    for index in (None, *(one["IndexName"] for one in described)):
        request: dict[str, Any] = {"TableName": db.table_name} | ({} if index is None else {"IndexName": index})
        while True:
            response = db.send("Scan", request)
            for item in response["Items"]:
                for name, value in item.items():
                    if any(form in text for text in _texts(value) for form in wanted):
                        yield index or "the table", name
            start = next_start(response)
            if start is None:
                break
            request["ExclusiveStartKey"] = start


def _texts(value: Any) -> Iterator[str]:
    """Every text in an attribute value, with the names inside of maps."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
