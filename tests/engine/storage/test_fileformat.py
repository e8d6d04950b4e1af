"""Files that are not ours, are newer than we are, or were damaged."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine import open_engine
from tablewright.engine.storage.fileformat import APPLICATION_ID, FORMAT_VERSION
from tablewright.errors import CorruptDataError, FileFormatError

KEY: dict[str, Any] = {"pk": {"S": "a"}, "sk": {"N": "1"}}


def test_a_file_carries_its_mark_and_version(tmp_path: Path) -> None:
    path = tmp_path / "marked.db"
    open_engine(path).close()
    header = path.read_bytes()[:100]
    assert header[:16] == b"SQLite format 3\x00"
    assert int.from_bytes(header[68:72], "big") == APPLICATION_ID
    assert int.from_bytes(header[60:64], "big") == FORMAT_VERSION


def test_text_is_not_a_database(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear reader, " * 500)
    with pytest.raises(FileFormatError, match=r"is not a Tablewright file\. Give another path"):
        open_engine(path)
    assert path.read_text().startswith("Dear reader")


def test_other_sqlite_files_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE theirs (x)")
    other.commit()
    other.close()
    before = path.read_bytes()
    with pytest.raises(FileFormatError, match="not one of Tablewright's"):
        open_engine(path)
    assert path.read_bytes() == before


def test_an_empty_file_becomes_a_new_database(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    with open_engine(path) as engine:
        assert engine.execute("ListTables", {}) == {"TableNames": []}


def test_a_newer_format_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "newer.db"
    open_engine(path).close()
    newer = sqlite3.connect(path)
    newer.execute(f"PRAGMA user_version = {FORMAT_VERSION + 1}")
    newer.close()
    with pytest.raises(FileFormatError, match=f"has file format {FORMAT_VERSION + 1}") as caught:
        open_engine(path)
    assert "version of Tablewright that wrote it" in str(caught.value)


def test_a_damaged_byte_is_noticed(tmp_path: Path, table_definition: Any) -> None:
    path = tmp_path / "damaged.db"
    with open_engine(path) as engine:
        engine.execute("CreateTable", table_definition("App"))
        secret = {**KEY, "g": {"S": "g"}, "r": {"S": "r"}, "v": {"S": "the stored words"}}
        engine.execute("PutItem", {"TableName": "App", "Item": secret})
        engine.execute("PutItem", {"TableName": "App", "Item": {"pk": {"S": "b"}, "sk": {"N": "1"}}})
    content = path.read_bytes()
    assert content.count(b"the stored words") == 1
    path.write_bytes(content.replace(b"the stored words", b"the st0red words"))
    with open_engine(path) as engine:
        reads: list[tuple[str, dict[str, Any]]] = [
            ("GetItem", {"Key": KEY}),
            ("Scan", {}),
            ("Scan", {"IndexName": "ByGroup"}),
            ("UpdateItem", {"Key": KEY, "UpdateExpression": "REMOVE v"}),
        ]
        for operation, request in reads:
            with pytest.raises(CorruptDataError, match="table App does not match its checksum") as caught:
                engine.execute(operation, {"TableName": "App", **request})
            assert "words" not in str(caught.value)
        other = {"TableName": "App", "Key": {"pk": {"S": "b"}, "sk": {"N": "1"}}}
        assert "Item" in engine.execute("GetItem", other)
        (problem,) = engine.verify()
        assert str(problem) == "table App: the item in row 1 does not match its checksum"


def test_damaged_pages_are_noticed(tmp_path: Path, table_definition: Any) -> None:
    path = tmp_path / "torn.db"
    with open_engine(path) as engine:
        engine.execute("CreateTable", table_definition("App"))
        for number in range(50):
            item = {"pk": {"S": "a"}, "sk": {"N": str(number)}, "v": {"S": "x" * 1000}}
            engine.execute("PutItem", {"TableName": "App", "Item": item})
    content = bytearray(path.read_bytes())
    content[len(content) // 2 :] = b"\x5a" * (len(content) - len(content) // 2)
    path.write_bytes(content)
    with open_engine(path) as engine:
        with pytest.raises(CorruptDataError):
            engine.execute("Scan", {"TableName": "App"})
        assert engine.verify() != []
