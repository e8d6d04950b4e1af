"""--table-name: the commands that open a table by its model, on one of another name, such as a restored one."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tablewright import cli
from tablewright.errors import ConfigError, ResourceNotFound

MODEL = """
from tablewright import Entity, Keys, Table

notes = Table("Notes")

class Note(Entity, table=notes):
    keys = Keys("NOTE#{note_id}", "NOTE")
    note_id: str
"""
PLACE = ("model.py", "notes.db")
RESTORED = ("--table-name", "Notes-restored")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two notes in Notes, and the first of them in Notes-restored."""
    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text(MODEL)
    for name in ("n1", "n2"):
        Path(f"{name}.jsonl").write_text(f'{{"note_id": "{name}"}}\n')
    run("entities", "import", *PLACE, "n1.jsonl", "--entity", "Note", "--create", "--write")
    run("backup", "create", *PLACE, "--name", "one")
    run("backup", "restore", *PLACE, "one", "Notes-restored")
    run("entities", "import", *PLACE, "n2.jsonl", "--entity", "Note", "--write")
    return tmp_path


def run(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(cli.app, list(words))
    assert result.exit_code == code, (words, result.output, result.exception)
    return result.stdout


def test_entities_of_a_restored_table() -> None:
    out = ("entities", "export", *PLACE, "all.csv", "--entity", "Note", "--force")
    assert run(*out).startswith("2 rows of Note")
    assert run(*out, *RESTORED).startswith("1 row of Note")
    into = ("entities", "import", *PLACE, "n2.jsonl", "--entity", "Note", "--write")
    assert "Nothing had to be changed." in run(*into)
    assert "1 new." in run(*into, *RESTORED)
    old = ("entities", "archive", *PLACE, "old.json.gz", "--entity", "Note", "--write")
    assert "2 deleted" in run(*old, *RESTORED)
    assert run(*out).startswith("2 rows of Note")
    assert run(*out, *RESTORED).startswith("0 rows of Note")


def test_other_commands_on_a_restored_table() -> None:
    assert "2 items looked at" in run("validate", *PLACE)
    assert "1 item looked at" in run("validate", *PLACE, *RESTORED)
    assert run("explore", *PLACE, *RESTORED).startswith("Note: 1 item")
    assert run("seed", *PLACE, "--each", "2", *RESTORED).startswith("2 items written to Notes-restored")


def test_backups_of_a_restored_table() -> None:
    assert "one" in run("backup", "list", *PLACE)
    assert run("backup", "list", *PLACE, *RESTORED) == "Notes-restored has no backups.\n"
    assert run("pitr", "on", *PLACE, *RESTORED).startswith("Recovery of Notes-restored is on")
    assert run("pitr", "status", *PLACE, code=1) == "Recovery of Notes is off.\n"


@pytest.mark.parametrize("command", ["status", "plan", "run", "verify", "cutover"])
def test_migrations_of_a_restored_table(command: str) -> None:
    given = ("migrate", command, "model.py", "--on", "notes.db", "--table-name", "Notes-typo")
    result = CliRunner().invoke(cli.app, list(given))
    assert isinstance(result.exception, ResourceNotFound), (result.output, result.exception)
    assert (result.exception.hint or "").startswith("tablewright seed MODEL notes.db --table-name Notes-typo")


def test_a_name_that_no_table_can_have_is_refused() -> None:
    result = CliRunner().invoke(cli.app, ["explore", *PLACE, "--table-name", "N"])
    assert isinstance(result.exception, ConfigError)
    assert "'N' cannot be the name of a table" in result.exception.message
