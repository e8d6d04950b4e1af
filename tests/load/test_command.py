"""`tablewright load`: exit codes, JSON, and what it refuses."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tablewright import cli
from tablewright.errors import ResourceNotFound
from tablewright.server import serve_in_thread

MODEL = """
from datetime import datetime

from tablewright import Entity, Keys, Query, Shard, Table, query

events = Table("Events")


class Event(Entity, table=events):
    keys = {keys}
    event_id: str
    at: datetime
    text: str = ""


@events.pattern
def since(start: datetime) -> Query[Event]:
    "Events from a moment on."
    return query(Event, Event.at >= start).per_page(10)


events.expect(Event, items=1_000_000, size=400, writes=250)
events.expect(since, rate=10, results=10)
"""
HOT = 'Keys("EVENTS", "{at}#{event_id}")'
SPREAD = 'Keys("EVENTS#{shard}", "{at}#{event_id}", derive={"shard": Shard("event_id", of=8)})'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with both designs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hot.py").write_text(MODEL.format(keys=HOT))
    (tmp_path / "spread.py").write_text(MODEL.format(keys=SPREAD))
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.app, ["load", *arguments])


@pytest.mark.usefixtures("folder")
def test_a_hot_design_ends_with_1_and_a_spread_one_with_0() -> None:
    small = ("--limits", "--partition-writes", "100", "--seconds", "2", "--items", "20")
    hot = run("hot.py", *small)
    assert hot.exit_code == 1
    assert "PROBLEM The partition 'EVENTS' of the table is hot" in hot.stdout
    spread = run("spread.py", *small)
    assert spread.exit_code == 0, spread.stdout
    assert "No problems." in spread.stdout


@pytest.mark.usefixtures("folder")
def test_json_is_all_that_goes_to_standard_output(folder: Path) -> None:
    done = run(
        "hot.py", "--simulated", "--requests", "40", "--only", "since", "--items", "5", "--json", "--save", "s.json"
    )
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["requests"] == 40
    assert [one["name"] for one in report["results"]] == ["since"]
    assert (folder / "s.json").is_file()


def test_a_file_is_written_to_and_cleaned(folder: Path) -> None:
    done = run("spread.py", "x.db", "--seconds", "0.2", "--rate-scale", "0.2", "--items", "5", "--concurrency", "2")
    assert done.exit_code == 0, done.output
    assert "--clean removes it" in done.stdout
    cleaned = run("spread.py", "x.db", "--clean")
    assert cleaned.exit_code == 0
    assert cleaned.stdout.endswith("items of loads removed from x.db.\n")
    assert run("spread.py", "x.db", "--clean").stdout == "0 items of loads removed from x.db.\n"
    assert (folder / "x.db").is_file()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["aws:eu-central-1", "--only", "Event"], "no load to make"),
        (["aws:eu-central-1", "--clean"], "not on this machine"),
        (["aws:eu-central-1", "--yes-write-to", "aws:eu-west-1"], "agreed to write to aws:eu-west-1"),
        (["memory:", "--only", "Evnt"], "no pattern or entity 'Evnt'"),
        (["missing.db", "--clean"], "no file missing.db"),
    ],
    ids=["write", "clean", "another", "unknown", "missing"],
)
def test_what_is_refused(arguments: list[str], told: str) -> None:
    done = run("hot.py", *arguments)
    assert done.exit_code == 1  # as the runner shows an error that main() makes a message of
    assert told in str(done.exception)


@pytest.mark.usefixtures("folder")
def test_a_table_that_is_missing_is_made_by_an_option_of_the_command() -> None:
    with serve_in_thread() as server:
        url = server.url
        failed = run("spread.py", url, "--seconds", "0.1")
        assert isinstance(failed.exception, ResourceNotFound)
        assert str(failed.exception.hint).startswith("Add --create to make it")
        made = run("spread.py", url, "--create", "--seconds", "0.1", "--items", "5", "--rate-scale", "0.05")
        assert made.exception is None or isinstance(made.exception, SystemExit)
