"""`tablewright cost`: the estimate as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tablewright import cli
from tablewright.errors import ArgumentError

MODEL = """
from tablewright import Entity, Get, Keys, Table, get

notes = Table("Notes")


class Note(Entity, table=notes):
    keys = Keys("NOTE#{note_id}", "NOTE")
    note_id: str


@notes.pattern
def note(note_id: str) -> Get[Note]:
    return get(Note, Note.note_id == note_id)


notes.expect(Note, items=1000, size=3000, writes=10)
notes.expect(note, rate=100)
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    file = tmp_path / "model_that_costs.py"
    file.write_text(MODEL)
    return str(file)


def test_text(model: str) -> None:
    done = CliRunner().invoke(cli.app, ["cost", model, "--share", "0.1"])
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines[0] == "Notes, prices of us-east-1 since 2024-11"
    assert "    create: 3" in lines
    assert "  note: 0.5 (1 item of 3,000 bytes from the table), 100 a second" in lines
    assert "  on-demand, standard: 6.57 (reads 1.64, writes 4.93, storage 0.00, recovery 0.00)" in lines
    assert "  - The whole month sees 10% of the rates that were said for the peak." in lines


def test_json(model: str) -> None:
    done = CliRunner().invoke(cli.app, ["cost", model, "--json", "--prices", "before-2024-11"])
    found = json.loads(done.output)
    assert found["since"] == "2018-11"
    assert found["stored"] == 3_000_000
    assert found["entities"][0]["create"] == {"table": 3.0, "indexes": {}}
    (best, *_) = found["offers"]
    assert (best["mode"], best["table_class"]) == ("provisioned", "standard")


def test_prices_that_are_not_there(model: str) -> None:
    done = CliRunner().invoke(cli.app, ["cost", model, "--prices", "nowhere.toml"])
    assert isinstance(done.exception, ArgumentError)
