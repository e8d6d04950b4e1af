"""`tablewright check`: what it tells of models that are right and wrong, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tablewright.cli import app

RIGHT = """
from tablewright import GSI, Entity, Get, Keys, Query, Table, get, query

notes = Table("Notes", indexes=[GSI("GSI1"), GSI("GSI2")])


class Note(Entity, table=notes):
    keys = Keys("USER#{user}", "NOTE#{note_id}", GSI1=("NOTE#{note_id}", "NOTE#{note_id}"))
    user: str
    note_id: str
    topic: str = ""


@notes.pattern
def notes_of(user: str, first: str | None = None) -> Query[Note]:
    "All notes of a user."
    return query(Note, Note.user == user).when(first, lambda f: Note.note_id >= f)


notes.expect(Note, size=500, per={"user": 100})
"""
UNSERVED = """

@notes.pattern
def on_topic(topic: str) -> Query[Note]:
    return query(Note, Note.topic == topic)
"""
REFUSED = """

class Draft(Entity, table=notes):
    keys = Keys("USER#{user}", "{kind}#{draft_id}")
    user: str
    kind: str
    draft_id: str


class Lost(Entity, table=notes):
    draft_id: str


@notes.pattern
def lost(draft_id: str) -> Query[Lost]:
    return query(Lost, Lost.draft_id == draft_id)
"""
BROKEN = """

other = Table("no")
"""


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / f"checked_{tmp_path.name.replace('-', '_')}.py"
    file.write_text(RIGHT)
    return file


def check(file: Path, *options: str) -> Result:
    return CliRunner().invoke(app, ["check", str(file), *options])


def test_a_model_that_is_right_ends_with_0(model: Path) -> None:
    done = check(model)
    assert done.exit_code == 0
    assert done.output == (
        "notes_of(user: str, first: str | None = None) -> Note\n"
        "  All notes of a user.\n"
        "  Query table, if first is given: PK = USER#{user} AND SK BETWEEN NOTE#{first} AND NOTE$\n"
        "    sorted by note_id; at most 100 items; 6.5 read units\n"
        "  Query table, if first is None: PK = USER#{user} AND SK BETWEEN NOTE AND NOTE$\n"
        "    sorted by note_id; at most 100 items; 6.5 read units\n"
        "\n"
        "No pattern reads through GSI1, GSI2.\n"
        "Notes: 1 pattern, all served.\n"
    )


def test_requests_can_be_shown(model: Path) -> None:
    assert '"KeyConditionExpression": "#0 = :0 AND #1 BETWEEN :1 AND :2"' in check(model, "--requests").output


def test_a_pattern_that_is_not_served_ends_with_1_and_a_remedy(model: Path) -> None:
    model.write_text(RIGHT + UNSERVED)
    done = check(model)
    assert done.exit_code == 1
    assert (
        "on_topic(topic: str) -> Note\n  Not served:\n    - the table's key: its partition key needs 'user'"
        in done.output
    )
    assert '  This would serve it: give Note GSI2=("TOPIC#{topic}", "NOTE#{user}#{note_id}").' in done.output
    assert done.output.endswith("Notes: 2 patterns, 1 not served.\n")


def test_definitions_that_are_refused_are_all_told(model: Path) -> None:
    model.write_text(RIGHT + REFUSED)
    line = 1 + (RIGHT + REFUSED).partition("class Draft")[0].count("\n")
    done = check(model)
    assert done.exit_code == 1
    assert f"entity Draft\n  Refused, {model}:{line}:\n    Draft and Note can produce the same key" in done.output
    assert "SK = NOTE#a" in done.output
    assert "entity Lost\n" in done.output
    assert "Notes: 2 patterns, 1 not served; 2 other definitions are refused." in done.output


def test_a_model_that_cannot_be_read_to_its_end_ends_with_1(model: Path) -> None:
    model.write_text(RIGHT + BROKEN)
    done = check(model)
    assert done.exit_code == 1
    assert "Notes: 1 pattern, all served." in done.output
    line = (RIGHT + BROKEN).count("\n")
    assert f"The model was not read to its end: {model}:{line}: 'no' cannot be the name of a table." in done.output


@pytest.mark.parametrize("text", ["", "import nothing_of_that_name\n"], ids=["no-table", "import"])
def test_what_is_no_model_ends_with_2(model: Path, text: str) -> None:
    model.write_text(text)
    assert check(model).exit_code == 2
    assert check(model.parent / "missing.py").exit_code == 2


def test_json_holds_everything(model: Path) -> None:
    model.write_text(RIGHT + UNSERVED + REFUSED)
    done = check(model, "--json")
    assert done.exit_code == 1
    told = json.loads(done.output)
    (table,) = told["tables"]
    assert told["failed"] is None
    served, unserved, lost = table["patterns"]
    assert served["requests"][0]["request"]["ExpressionAttributeValues"][":0"] == {"S": "USER#{user}"}
    assert unserved["reasons"][0]["kind"] == "no-partition-value"
    assert unserved["edits"][0]["code"] == ['GSI2=("TOPIC#{topic}", "NOTE#{user}#{note_id}"),']
    assert lost["follows"] is True
    assert [p["name"] for p in table["problems"]] == ["Draft", "Lost"]
    assert table["problems"][0]["counterexample"]["items"][0]["key"] == {"PK": "USER#a", "SK": "NOTE#a"}
