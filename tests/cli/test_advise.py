"""`tablewright advise`: what it tells of files of observations, and how it ends."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tablewright.cli import app
from tablewright.errors import ArgumentError
from tablewright.observe.snapshot import Minute, Snapshot, Traffic

MODEL = """
from tablewright import Entity, Get, Keys, Table, get

notes = Table("Notes")


class Note(Entity, table=notes):
    keys = Keys("NOTE#{note_id}", "NOTE")
    note_id: str


@notes.pattern
def note(note_id: str) -> Get[Note]:
    return get(Note, Note.note_id == note_id)


notes.expect(note, rate=100)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    (tmp_path / "observed_notes.py").write_text(MODEL)
    save("calm.json", gets())
    save("rows.json", gets(bursts=2, in_bursts=60, longest_burst=40))
    save("more.json", gets(bursts=4, in_bursts=100, longest_burst=30), since=1000.0)
    save("odd.json", gets(unmetered=100))
    return tmp_path


def gets(**figures: Any) -> Traffic:
    usual: dict[str, Any] = {"requests": 200, "read_units": 100.0, "returned": 200}
    return Traffic(operation="GetItem", pattern="note", entity="Note", **(usual | figures))


def save(name: str, traffic: Traffic, since: float = 0.0) -> None:
    traffic.latency.add([0.002] * 10)
    span = (since, since + 100.0)
    Snapshot(table="Notes", spans=[span], traffic=[traffic], minutes={1: Minute(peak_requests=80)}).save(name)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["advise", *arguments])


@pytest.mark.usefixtures("folder")
def test_nothing_to_recommend() -> None:
    done = run("observed_notes.py", "calm.json")
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines[:3] == ["Nothing to recommend.", "", "Not judged yet, for want of:"]
    assert "  hot-partition: 1,000 requests to 20 different partition keys, after 0 requests to 0 keys" in lines
    assert "Notes, observed for 1.7 minutes: 200 requests" in lines
    assert "  note: 2 a second (declared 100 at the peak), 0.5 read units a call, 1 item, 99% within 2 ms" in lines


@pytest.mark.usefixtures("folder")
def test_files_are_merged() -> None:
    done = run("observed_notes.py", "rows.json", "more.json")
    assert done.exit_code == 1, done.output
    lines = done.output.splitlines()
    assert lines[0] == "warning missed-batch: note() sends single GetItem requests in rows, up to 40 in one."
    assert lines[1].startswith("    160 of 400 requests (40%) came in 6 rows")
    assert "        found = db.get_many([key(Note, note_id=one.note_id) for one in wanted])" in lines
    assert "    It would save up to 96% of the time." in lines
    assert "1 warning." in lines
    assert "Notes, observed for 3.3 minutes, by 2 processes: 400 requests" in lines


def test_a_folder_stands_for_its_files(folder: Path) -> None:
    (folder / "observed").mkdir()
    for name in ("rows.json", "more.json"):
        (folder / name).rename(folder / "observed" / name)
    assert (
        "Notes, observed for 3.3 minutes, by 2 processes: 400 requests" in run("observed_notes.py", "observed").output
    )
    (folder / "empty").mkdir()
    assert "holds no files of observations" in str(run("observed_notes.py", "empty").exception)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["odd.json"], 0, "info unmetered: 100 answers did not tell"),
        (["odd.json"], 0, "1 note."),
        (["odd.json", "--fail-on", "info"], 1, "1 note."),
        (["odd.json", "--severity", "warning"], 0, "Nothing to recommend."),
        (["more.json", "--fail-on", "error"], 0, "1 warning."),
        (["more.json", "--severity", "error"], 1, "Nothing to recommend."),
    ],
)
def test_severities(arguments: list[str], code: int, told: str) -> None:
    done = run("observed_notes.py", *arguments)
    assert (done.exit_code, told in done.output) == (code, True), done.output


@pytest.mark.usefixtures("folder")
def test_json() -> None:
    done = run("observed_notes.py", "more.json", "--json")
    told = json.loads(done.output)
    assert done.exit_code == 1
    assert [(one["rule"], one["evidence"]["bursts"]) for one in told["recommendations"]] == [("missed-batch", 4)]
    assert "hot-partition" in told["not_judged"]
    assert told["declared_and_observed"]["patterns"][0]["declared_rate"] == 100


@pytest.mark.usefixtures("folder")
def test_without_a_model_there_are_recommendations_only() -> None:
    done = run("rows.json", "more.json")
    assert done.exit_code == 1, done.output
    assert done.output.startswith(
        "warning missed-batch: note() sends single GetItem requests in rows, up to 40 in one."
    )
    assert "Declared patterns:" not in done.output
    assert json.loads(run("calm.json", "--json").output)["declared_and_observed"] is None


@pytest.mark.usefixtures("folder")
def test_a_folder_without_files_is_told_to_be_empty() -> None:
    Path("empty").mkdir()
    for arguments in (["empty"], ["observed_notes.py", "empty"]):
        assert "empty holds no files of observations." in str(run(*arguments).exception)


@pytest.mark.usefixtures("folder")
def test_what_was_observed_of_another_table_is_refused() -> None:
    Snapshot(table="Old", spans=[(0.0, 100.0)], traffic=[gets()]).save("old.json")
    assert "The files tell of the table Old, and the model is of Notes." in str(
        run("observed_notes.py", "old.json").exception
    )
    assert run("observed_notes.py", "old.json", "--table-name", "Old").exit_code == 0
    assert "the model is of Older" in str(run("observed_notes.py", "old.json", "--table-name", "Older").exception)
    Path("observed_notes.py").write_text(MODEL.replace('"Notes"', '"{stage}-Notes"'))
    Snapshot(table="dev-Notes", spans=[(0.0, 100.0)], traffic=[gets()]).save("dev.json")
    assert "the model is of {stage}-Notes" in str(run("observed_notes.py", "old.json").exception)
    sys.modules.pop("observed_notes", None)
    assert run("observed_notes.py", "dev.json").exit_code == 0


def test_rules_and_their_reasons() -> None:
    listed = run("--rules").output.splitlines()
    assert "missed-batch: Single items are read or written one after the other, in rows." in listed
    done = run("--explain", "missed-batch")
    assert done.exit_code == 0
    assert done.output.startswith("missed-batch\n\nSingle items are read or written one after the other, in rows.\n\n")


def test_a_rule_that_is_not_there() -> None:
    done = run("--explain", "missing-batch")
    assert done.exit_code == 2
    assert "missed-batch" in done.output


@pytest.mark.usefixtures("folder")
def test_wrong_usage() -> None:
    assert run().exit_code == 2
    assert run("observed_notes.py").exit_code == 2
    for files in (["gone.json"], ["calm.json", "gone.json"], ["observed_notes.py"]):
        assert isinstance(run("observed_notes.py", *files).exception, ArgumentError), files
