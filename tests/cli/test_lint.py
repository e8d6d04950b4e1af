"""`tablewright lint`: exit codes, forms, explanations."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tablewright.cli import app
from tablewright.errors import ArgumentError
from tablewright.lint.registry import all_rules

MODEL = """
from tablewright import Entity, Get, Keys, Table, get

notes = Table("Notes")


class Note(Entity, table=notes):
    keys = Keys("NOTE#{note_id}", "NOTE#{note_id}")
    note_id: str
    heading: str
    FIELD


@notes.pattern
def note(note_id: str) -> Get[Note]:
    "One note."
    return get(Note, Note.note_id == note_id)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    for name, field in (("clean_notes", ""), ("long_notes", "tags: list[str] = []"), ("worded_notes", "name: str")):
        (tmp_path / f"{name}.py").write_text(MODEL.replace("FIELD", field), encoding="utf-8")
    (tmp_path / "wrong_notes.py").write_text(
        f"{MODEL.replace('FIELD', '')}\nclass Bad(Entity, table=notes):\n    keys = Keys('NOTE#{{a}}', 'NOTE#{{a}}')\n    a: str\n",
        encoding="utf-8",
    )
    (tmp_path / "stopped_notes.py").write_text(f"{MODEL.replace('FIELD', '')}\nKeys(7)\n", encoding="utf-8")
    (tmp_path / "app.py").write_text("import boto3\nclient = boto3.client('dynamodb')\n", encoding="utf-8")
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["lint", *arguments])


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["clean_notes.py"], 0, "Nothing found."),
        (["long_notes.py"], 1, "warning TW501 Note.tags"),
        (["long_notes.py", "--fail-on", "error"], 0, "warning TW501 Note.tags"),
        (["long_notes.py", "--ignore", "TW501"], 0, "Nothing found."),
        (["long_notes.py", "--select", "TW1"], 0, "Nothing found."),
        (["worded_notes.py"], 0, "info TW505 table Notes"),
        (["worded_notes.py", "--fail-on", "info"], 1, "info TW505 table Notes"),
        (
            ["worded_notes.py", "--severity", "warning"],
            0,
            "as grave as --severity warning.\n1 finding less grave, not shown.",
        ),
        (["worded_notes.py", "--severity", "error", "--fail-on", "info"], 1, "1 finding less grave, not shown."),
        (["long_notes.py", "--severity", "warning"], 1, "1 warning.\n"),
        (["wrong_notes.py"], 1, "error TW001 Bad: Bad and Note can produce the same key"),
        (["stopped_notes.py"], 1, "error TW001 stopped_notes.py: A key template is a text, not int."),
        (["clean_notes.py", "--source", "app.py"], 1, "app.py:2: warning TW901"),
        (["clean_notes.py", "--source", ".", "--access", "app.py", "--select", "TW9"], 0, "Nothing found."),
        (["clean_notes.py", "--format", "pretty"], 2, "'pretty' is not one of"),
    ],
)
def test_exit_codes(folder: Path, arguments: list[str], code: int, told: str) -> None:
    done = run(*arguments)
    assert (done.exit_code, told in done.output) == (code, True), done.output


def test_programs_get_their_format_alone(folder: Path) -> None:
    done = run("worded_notes.py", "--severity", "error", "--fail-on", "info", "--format", "json")
    assert (done.exit_code, json.loads(done.stdout), done.stderr) == (1, [], "1 finding less grave, not shown.\n")


def test_places_are_relative_to_the_folder(folder: Path) -> None:
    (found,) = json.loads(run("long_notes.py", "--format", "json").output)
    assert found["place"] == {"file": "long_notes.py", "line": 11}


@pytest.mark.parametrize("name", ["TW501", "tw501", "unbounded-list"])
def test_a_rule_is_explained(name: str) -> None:
    done = run("--explain", name)
    assert done.exit_code == 0
    assert done.output.startswith("TW501 unbounded-list (warning, since 0.1)\n")
    assert "max_length=5" in done.output


def test_all_rules_are_listed() -> None:
    lines = run("--rules").output.splitlines()
    assert [line.split()[0] for line in lines] == list(all_rules())


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "lint needs a model"),
        (["--explain", "TW000"], "no rule 'TW000'"),
        (["clean_notes.py", "--select", "ABC"], "No rule's code begins with 'ABC'"),
    ],
)
def test_wrong_usage_ends_with_2(folder: Path, arguments: list[str], told: str) -> None:
    done = run(*arguments)
    assert (done.exit_code, told in done.output) == (2, True), done.output


def test_a_file_without_a_table_is_told(folder: Path) -> None:
    (folder / "no_notes.py").write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(ArgumentError, match="holds no table"):
        CliRunner().invoke(app, ["lint", "no_notes.py"], catch_exceptions=False)
