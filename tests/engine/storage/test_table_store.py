"""The SQL of a table: every page statement walks an index in order, without sorting or scanning."""

import itertools
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

from tablewright.engine import open_engine
from tablewright.engine.storage import Selection, TableStore
from tablewright.engine.storage.sealing import seal

SORTED = ("low", "high", "both", "equal", "none")


@pytest.fixture
def opened(table_definition: Callable[[str], dict[str, Any]]) -> Any:
    with open_engine("memory:") as engine:
        engine.execute("CreateTable", table_definition("App"))
        with engine._database.reading() as connection:
            yield engine._database.catalogue.tables["App"], connection


def selections(width: int) -> Any:
    """Selections over a partition (or a whole table), for an order of `width` columns."""
    for kind, forward, started, scan in itertools.product(SORTED, (True, False), (True, False), (True, False)):
        if scan and (kind == "equal" or not forward):
            continue
        equal = (b"e",) if kind == "equal" else ()
        columns = width - (0 if scan else 1) - len(equal)
        if started and not columns:
            continue
        yield Selection(
            partition=None if scan else b"p",
            equal=equal,
            low=b"l" if kind in ("low", "both") else None,
            high=b"n" if kind in ("high", "both") else None,
            high_open=True,
            after=(b"m",) * columns if started else None,
            forward=forward,
            limit=10,
        )


@pytest.mark.parametrize("name", [None, "ByGroup", "ByFour", "ByLocal"])
def test_pages_seek_and_never_sort(opened: tuple[TableStore, sqlite3.Connection], name: str | None) -> None:
    table, connection = opened
    index = None if name is None else table.schema.index[name]
    width = len(table.order_columns(index))
    for wanted in selections(width):
        statement = table._page_statement(index, wanted)
        assert table.page(connection, index, wanted) is None
        plan = [
            row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", ["x"] * (statement.count("?") - 1))
        ]
        text = "; ".join(plan)
        assert "TEMP B-TREE" not in text, (wanted, text)
        bounded = wanted.partition is not None or wanted.low or wanted.high or wanted.after
        walked = next(line for line in plan if " o" in line)
        assert walked.startswith("SEARCH" if bounded else "SCAN"), (wanted, text)
        if wanted.after is not None and wanted.partition is not None:
            # The starting key is what SQLite seeks to, not just a filter behind another bound.
            columns = table.order_columns(index)[-len(wanted.after) :]
            sought = columns[0] if len(columns) == 1 else f"({','.join(columns)})"
            assert f"{sought}{'>' if wanted.forward else '<'}" in walked, text


def test_a_checksum_covers_key_and_item() -> None:
    sums = {
        seal((b"p", b"s"), b"body"),
        seal((b"q", b"s"), b"body"),
        seal((b"p", b"t"), b"body"),
        seal((b"p", b"s"), b"bodz"),
    }
    assert len(sums) == 4
