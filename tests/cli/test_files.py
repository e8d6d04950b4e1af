"""Commands on a file of tables: what is in it, whether it is sound, out to a folder and back."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine import open_engine
from tablewright.testing import make_table


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tablewright", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file, tables.db, of two tables."""
    with open_engine(tmp_path / "tables.db", synchronous="NORMAL") as engine:
        with make_table(engine, "Orders", "customer", "number:N", indexes={"ByStatus": "status"}) as orders:
            for number in range(3):
                orders.put({"customer": "ann", "number": number} | ({"status": "open"} if number else {}))
        make_table(engine, "Empty", "id").close()
    return tmp_path


def test_tables(folder: Path) -> None:
    done = run(folder, "tables", "tables.db")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "Empty (id): 0 items, 0 bytes",
        "Orders (customer, number): 3 items, 76 bytes",
        "  ByStatus (status): 2 items, 58 bytes",
    ]
    empty, orders = json.loads(run(folder, "tables", "tables.db", "--json").stdout)
    assert empty == {"name": "Empty", "keys": ["id"], "items": 0, "bytes": 0, "indexes": []}
    assert orders["indexes"] == [{"name": "ByStatus", "keys": ["status"], "items": 2, "bytes": 58}]


def test_no_tables_at_all(tmp_path: Path) -> None:
    open_engine(tmp_path / "new.db").close()
    assert run(tmp_path, "tables", "new.db").stdout == "new.db holds no tables.\n"


@pytest.mark.parametrize("arguments", [["tables"], ["verify"], ["export"]], ids=lambda arguments: arguments[0])
def test_a_file_that_is_not_there_is_not_made(tmp_path: Path, arguments: list[str]) -> None:
    more = ["Orders", "out"] if arguments == ["export"] else []
    done = run(tmp_path, *arguments, "missing.db", *more)
    assert done.returncode == 2
    assert "missing.db" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_verify(folder: Path) -> None:
    sound = run(folder, "verify", "tables.db")
    assert (sound.returncode, sound.stdout) == (0, "All is well.\n")
    assert json.loads(run(folder, "verify", "tables.db", "--json").stdout) == []
    damage(folder / "tables.db")
    broken = run(folder, "verify", "tables.db")
    assert broken.returncode == 1
    *lines, count = broken.stdout.splitlines()
    assert lines
    assert all(line.startswith("table Orders") for line in lines)
    assert count == ("1 problem." if len(lines) == 1 else f"{len(lines)} problems.")
    told: list[dict[str, Any]] = json.loads(run(folder, "verify", "tables.db", "--json").stdout)
    assert {one["table"] for one in told} == {"Orders"}


@pytest.mark.parametrize("page", [1, 2, 3])
def test_verify_of_pages_that_nobody_can_follow(folder: Path, page: int) -> None:
    file = folder / "tables.db"
    content = bytearray(file.read_bytes())
    content[page * 4096 : page * 4096 + 200] = b"\xa5" * 200
    file.write_bytes(content)
    broken = run(folder, "verify", "tables.db")
    assert broken.returncode == 1
    assert broken.stdout.splitlines()[-1].endswith("1 problem.")
    assert "file: The file tables.db is damaged: SQLite cannot follow its pages." in broken.stdout
    assert broken.stderr.endswith("Restore the file from a copy, or its tables from exports.\n")
    (told,) = json.loads(run(folder, "verify", "tables.db", "--json").stdout)
    assert "is damaged" in told["what"]


def damage(file: Path) -> None:
    """Change a stored item behind the engine's back."""
    connection = sqlite3.connect(file)
    with connection:
        assert connection.execute("UPDATE items_1 SET size = 1 WHERE id = 1").rowcount == 1
    connection.close()


def test_out_to_a_folder_and_back(folder: Path) -> None:
    done = run(folder, "export", "tables.db", "Orders", "out")
    assert done.returncode == 0
    assert done.stderr == "Writing about 3 items.\n"
    assert done.stdout.startswith("3 items, 76 bytes, written to out/AWSDynamoDB/")
    back = run(folder, "import", "copy.db", "out", "--name", "Copy")
    assert (back.returncode, back.stdout) == (0, "The table Copy has 3 items.\n")
    (copy,) = json.loads(run(folder, "tables", "copy.db", "--json").stdout)
    assert (copy["name"], copy["items"], copy["indexes"][0]["items"]) == ("Copy", 3, 2)
    told = json.loads(run(folder, "export", "tables.db", "Empty", "other", "--json").stdout)
    assert (told["table"], told["items"], told["bytes"]) == ("Empty", 0, 0)
    again = json.loads(run(folder, "import", "copy.db", "other", "--json").stdout)
    assert again == {"table": "Empty", "items": 0, "errors": 0, "left_out": []}


def test_one_of_several_exports_is_to_be_named(folder: Path) -> None:
    for _ in range(2):
        assert run(folder, "export", "tables.db", "Orders", "saved").returncode == 0
    done = run(folder, "import", "copy.db", "saved", "--name", "Copy")
    assert done.returncode == 2
    assert "Error: saved holds 2 exports: saved/AWSDynamoDB/" in done.stderr
    assert "Give one of them." in done.stderr
    assert not list(folder.glob("copy.db*"))


def test_files_of_items_need_a_definition(folder: Path) -> None:
    (folder / "people").mkdir()
    (folder / "people" / "people.csv").write_text("name,age\nada,36\n,41\n", encoding="utf-8")
    alone = run(folder, "import", "people.db", "people")
    assert alone.returncode == 2
    assert "does not say what table" in alone.stderr
    assert "--definition" in alone.stderr
    assert not list(folder.glob("people.db*"))
    definition = {
        "TableName": "People",
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [{"AttributeName": "name", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "name", "AttributeType": "S"}],
    }
    (folder / "people.json").write_text(json.dumps(definition), encoding="utf-8")
    done = run(folder, "import", "people.db", "people", "--definition", "people.json")
    assert (done.returncode, done.stdout) == (1, "The table People has 1 item; 1 could not be taken.\n")
    assert done.stderr == "Reading people.\npeople.csv, line 3: Missing the key name in the item\n"
    twice = run(folder, "import", "people.db", "people", "--definition", "people.json")
    assert twice.returncode == 2
    assert "Table already exists: People\nGive the new table another name with --name.\n" in twice.stderr
    (folder / "people" / "people.csv").write_text("name,age\n" + ",41\n" * 12, encoding="utf-8")
    many = run(folder, "import", "many.db", "people", "--definition", "people.json")
    assert many.stderr.endswith("people.csv, line 11: Missing the key name in the item\nAnd 2 more.\n")
    many = run(folder, "import", "json.db", "people", "--definition", "people.json", "--json")
    assert json.loads(many.stdout)["left_out"][0] == {
        "file": "people.csv",
        "line": 2,
        "why": "Missing the key name in the item",
    }
    (folder / "people.json").write_text("[", encoding="utf-8")
    assert (
        "does not hold a JSON object" in run(folder, "import", "x.db", "people", "--definition", "people.json").stderr
    )


def test_a_table_that_is_not_there(folder: Path) -> None:
    done = run(folder, "export", "tables.db", "Nobody", "out")
    assert done.returncode == 2
    assert "Table: Nobody not found\ntables.db holds Empty, Orders.\n" in done.stderr
    assert not (folder / "out").exists()
    assert "tables.db holds Empty, Orders." in run(folder, "export", "tables.db", "Nobody", "out", "--json").stderr
