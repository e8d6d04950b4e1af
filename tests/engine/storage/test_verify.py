"""verify() finds what the normal paths cannot produce: entries that are missing, superfluous or wrong."""

from pathlib import Path
from typing import Any

import pytest

from tablewright.engine import Engine, open_engine
from tablewright.errors import CorruptDataError


@pytest.fixture
def engine(tmp_path: Path, table_definition: Any) -> Any:
    with open_engine(tmp_path / "checked.db") as opened:
        opened.execute("CreateTable", table_definition("App"))
        for number in (1, 2):
            item = {"pk": {"S": "a"}, "sk": {"N": str(number)}, "g": {"S": "g"}, "r": {"S": "r"}}
            opened.execute("PutItem", {"TableName": "App", "Item": item})
        assert opened.verify() == []
        yield opened


def tamper(engine: Engine, sql: str) -> None:
    engine._database._writer.execute(sql)  # type: ignore[attr-defined]


def side(engine: Engine, index: str) -> str:
    return str(engine._database.catalogue.tables["App"].sides[index])


def problems(engine: Engine) -> list[str]:
    return [str(problem) for problem in engine.verify()]


def test_a_missing_entry(engine: Engine) -> None:
    tamper(engine, f"DELETE FROM {side(engine, 'ByGroup')} WHERE id = 2")
    assert problems(engine) == [
        "table App, index ByGroup: the item in row 2 is missing",
        "table App, index ByGroup: it has 1 entries where 2 belong",
    ]


def test_an_entry_too_many(engine: Engine) -> None:
    tamper(engine, f"INSERT INTO {side(engine, 'ByFour')} VALUES (x'00', x'00', x'00', x'00', x'00', 1)")
    assert problems(engine) == ["table App, index ByFour: it has 1 entries where 0 belong"]


def test_an_entry_that_points_elsewhere(engine: Engine) -> None:
    tamper(engine, f"UPDATE {side(engine, 'ByGroup')} SET id = 1")
    assert problems(engine) == ["table App, index ByGroup: the entry of the item in row 2 points at row 1"]
    request = {"TableName": "App", "IndexName": "ByGroup"}
    with pytest.raises(CorruptDataError):
        engine.execute("Scan", request)


def test_an_entry_whose_item_is_gone(engine: Engine) -> None:
    tamper(engine, "DELETE FROM items_1 WHERE id = 1")
    assert "table App, index ByGroup: it has 2 entries where 1 belong" in problems(engine)
    with pytest.raises(CorruptDataError):
        engine.execute("Scan", {"TableName": "App", "IndexName": "ByLocalKeys"})


def test_an_item_under_another_key_or_with_another_size(engine: Engine) -> None:
    tamper(engine, "UPDATE items_1 SET size = 1 WHERE id = 1")
    assert problems(engine) == ["table App: the item in row 1 has another size than was recorded"]
    tamper(engine, "UPDATE items_1 SET sk = x'05' WHERE id = 2")
    assert "table App: the item in row 2 does not match its checksum" in problems(engine)
