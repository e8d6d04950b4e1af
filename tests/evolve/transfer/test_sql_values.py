"""Values of a relational database that are not what their columns say: told without them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tablewright.errors import ArgumentError
from tablewright.evolve.transfer.importing import Imported, ImportOptions, import_rows
from tablewright.evolve.transfer.mapping import EntityMapping
from tablewright.evolve.transfer.sources import find_source
from tests.evolve.transfer.models import Customer, shop

pytest.importorskip("sqlalchemy")


def imported(folder: Path, column: str, value: str, said: EntityMapping) -> Imported:
    with closing(sqlite3.connect(folder / "old.sqlite")) as old:
        old.execute(f"CREATE TABLE people (username TEXT, email TEXT, more {column})")
        old.execute("INSERT INTO people VALUES ('ann', 'Ann', NULL)")
        old.execute(f"INSERT INTO people VALUES ('bob', 'Bob', {value})")
        old.commit()
    source = find_source(f"sqlite:///{folder / 'old.sqlite'}", "sql", said)
    with shop.open("memory:") as db:
        return import_rows(db, shop, source, Customer.__name__, options=ImportOptions(write=True))


@pytest.mark.parametrize("column", ["TIMESTAMP", "DATE", "NUMERIC(10, 2)", "JSON"])
def test_a_value_that_does_not_fit_its_column(tmp_path: Path, column: str) -> None:
    with pytest.raises(ArgumentError, match=r"does not fit the type of its column: \w+Error") as told:
        imported(tmp_path, column, "'{secret'", EntityMapping(table="people"))
    assert "secret" not in str(told.value)
    assert "query" in str(told.value)


def test_a_query_gets_it_as_it_lies_there(tmp_path: Path) -> None:
    said = EntityMapping(query="SELECT username, email, more FROM people")
    assert imported(tmp_path, "TIMESTAMP", "'{secret'", said).new == 2


def test_a_text_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="refused to answer: OperationalError") as told:
        imported(tmp_path, "TEXT", "CAST(x'736563726574ff' AS TEXT)", EntityMapping(table="people"))
    assert "secret" not in str(told.value)
