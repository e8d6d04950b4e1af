"""A process is killed while it fills a new index: the next one to open the file finishes it, and nothing is missing."""

from __future__ import annotations

import shutil
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine import Engine, open_engine
from tests.crash import index_adder
from tests.crash.killing import lines_until_killed


def described(engine: Engine) -> dict[str, Any]:
    table: dict[str, Any] = engine.execute("DescribeTable", {"TableName": index_adder.NAME})["Table"]
    (index,) = table["GlobalSecondaryIndexes"]
    return index


def everything(engine: Engine, **more: Any) -> dict[str, Any]:
    items: dict[str, Any] = {}
    request: dict[str, Any] = {"TableName": index_adder.NAME, **more}
    while True:
        page = engine.execute("Scan", request)
        for item in page["Items"]:
            assert items.setdefault(item["pk"]["S"], item) is item
        if "LastEvaluatedKey" not in page:
            return items
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_an_index_is_filled_by_who_opens_the_file_next(tmp_path: Path) -> None:
    prepared = tmp_path / "prepared.db"
    with open_engine(prepared, synchronous="NORMAL") as engine:
        index_adder.prepare(engine)
    found: list[str] = []
    for loop, seconds in enumerate((0.0, 0.03, 0.07, 0.15)):
        path = tmp_path / f"killed{loop}.db"
        shutil.copy(prepared, path)
        lines = lines_until_killed(index_adder.__file__, str(path), seconds=seconds)
        with open_engine(path, synchronous="NORMAL", backfills=False) as engine:
            found.append(described(engine)["IndexStatus"])
            assert engine.verify() == []
            items = everything(engine)
            for number in map(int, lines[1:]):
                expected = index_adder.item(number, "blue") if number % 3 else None
                assert items.get(f"{number:05d}") == expected
        with open_engine(path, synchronous="NORMAL") as engine:
            deadline = time.monotonic() + 60
            while described(engine)["IndexStatus"] != "ACTIVE":
                assert time.monotonic() < deadline, "the index was never filled"
                time.sleep(0.02)
            assert engine.verify() == []
            assert everything(engine, IndexName="ByColor") == items
    assert found[0] == "CREATING"
