"""`tablewright migrate`: the whole way of a migration, by its commands."""

from __future__ import annotations

import io
import json
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from typer.testing import CliRunner, Result

from tablewright import cli
from tablewright.cli.migrate.opening import Working, migrating, show_left
from tablewright.cli.models import load_model
from tablewright.engine import open_engine
from tablewright.errors import ArgumentError, ResourceNotFound, TablewrightError
from tablewright.evolve.jobs import Left, run
from tablewright.evolve.migrations.elsewhere import Place, part_of
from tablewright.evolve.migrations.files import read_files
from tablewright.evolve.migrations.leaving import LeftItems
from tablewright.server import serve_in_thread

OLD = """
from tablewright import Entity, Get, Keys, Table, get

notes = Table("Notes")


class Note(Entity, table=notes):
    keys = Keys("NOTE#{note_id}", "NOTE")
    note_id: str
    text: str = ""


@notes.pattern
def note(note_id: str) -> Get[Note]:
    return get(Note, Note.note_id == note_id)
"""
NEW = OLD.replace("NOTE#{note_id}", "PAGE#{note_id}")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two models, and a table that the old one has filled."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.py").write_text(OLD)
    (tmp_path / "model.py").write_text(NEW)
    table = load_model("old.py").table
    (note,) = table.plan.entities
    with table.open("notes.db") as db:
        for number in range(3):
            db.create(note(note_id=f"{number}", text="secret"))
    return tmp_path


def migrate(*words: str, on: bool = True) -> Result:
    place = ["--on", "notes.db"] if on else []
    return CliRunner().invoke(cli.app, ["migrate", words[0], "model.py", *words[1:], *place])


def said(*words: str, on: bool = True) -> str:
    done = migrate(*words, on=on)
    assert done.exit_code == 0, (words, done.output, done.exception)
    return done.output


def failed(*words: str) -> TablewrightError:
    done = migrate(*words)
    assert isinstance(done.exception, TablewrightError), done.output
    return done.exception


def test_the_whole_way_and_back(folder: Path) -> None:
    assert "migrations/0001_pages.py: 1 step, 0 questions" in said("new", "Pages", "--from", "old.py", on=False)
    assert said("status") == "0001_pages: not run yet\n"
    plan = said("plan")
    assert "copy Note to PAGE#{note_id} / NOTE: 3 of 3 items to write" in plan
    assert "About 12 write units" in plan
    assert plan.endswith("Nothing was written. `tablewright migrate run --write` does it.\n")
    assert said("run") == plan.replace("`tablewright migrate run --write`", "--write")
    assert "No migration has been run on this table" in failed("cutover").message
    assert failed("cutover", "--name", "1").message == "0001_pages is not run yet."
    assert "3 of 3 items written" in said("run", "--write", "--max-write-units", "900", "--max-read-units", "900")
    assert migrate("run", "--write", "--max-write-units", "0").exit_code == 2
    assert said("run", "--write").endswith("Nothing to do.\n")
    verified = said("verify")
    assert verified.endswith("Nothing to do.\n")
    assert re.search(r"^Note: 3 items, digest [0-9a-f]{32}$", verified, re.M)
    assert failed("retire").message == "0001_pages is run and not cut over yet."
    assert "0001_pages is verified" in said("cutover")
    assert said("cutover") == said("cutover", "--name", "1") == "0001_pages is cut over.\nNothing to do.\n"
    dry = said("retire")
    assert dry.endswith("Nothing was written. --write does it.\n")
    assert "PAGE#{note_id} / NOTE: 3 of 6 items to write\n" in dry
    assert "move Note to PAGE#{note_id} / NOTE: 0 of 6 items to write, as the table is now; what is above may" in dry
    assert "remove what was copied: Note at PAGE#{note_id} / NOTE: 3 of 6 items written" in said("retire", "--write")
    assert said("status").startswith("0001_pages: retired, since 20")
    assert said("run", "--write") == "Nothing to do.\n"
    for words in (("retire", "--write"), ("retire",), ("retire", "--name", "1"), ("cutover",)):
        assert said(*words) == "0001_pages is retired.\nNothing to do.\n"
    assert "3 of 3 items written" in said("rollback", "--write")
    assert said("status") == "0001_pages: not run yet\n"
    assert failed("rollback", "--write").hint == "There is nothing to undo."


def test_what_is_not_finished_ends_with_1(folder: Path) -> None:
    said("new", "pages", "--from", "old.py", on=False)
    said("run", "--write")
    table = load_model("old.py").table
    (note,) = table.plan.entities
    with table.open("notes.db") as db:
        db.create(note(note_id="9", text="secret"))
    done = migrate("verify")
    assert done.exit_code == 1
    assert "1 of 7 items to write" in done.output
    assert done.output.endswith(
        "Nothing was written. `tablewright migrate run --write` does it.\n--left-items FILE writes its key to a file.\n"
    )
    assert "secret" not in done.output
    assert "not finished" in failed("cutover").message
    said("run", "--write")
    path = folder / "migrations" / "0001_pages.py"
    path.write_text(path.read_text() + "\n# why it is so\n")
    assert "changed" not in said("status")
    path.write_text(path.read_text() + "more = 1\n")
    assert "its file was changed after it ran" in said("status")
    assert "was changed after it ran" in failed("rollback", "--write").message
    for words in (("run",), ("run", "--write")):
        assert said(*words).startswith(
            "0001_pages was changed since it ran: what its functions made of items before stays"
        )
    assert "since it ran" not in said("run", "--write")


def test_one_difference_is_one_file(folder: Path) -> None:
    said("new", "Pages", "--from", "old.py", on=False)
    path = folder / "migrations" / "0001_pages.py"
    for text in (path.read_text(), path.read_text().replace('"NOTE")', '"NOTE"), wins="new"')):
        path.write_text(text)
        again = migrate("new", "again", "--from", "old.py", on=False)
        assert "0001_pages.py was written from the same difference" in str(again.exception)
    assert len(list((folder / "migrations").iterdir())) == 1
    (folder / "old.py").write_text(NEW)
    (folder / "model.py").write_text(NEW.replace("PAGE#", "LEAF#"))
    assert "0002_leaves.py: 1 step" in said("new", "leaves", "--from", "old.py", on=False)
    path.with_name("0003_broken.py").write_text("x =")
    assert "0004_more.py: 1 step" in said("new", "more", "--from", "old.py", on=False)


def test_a_folder_that_cannot_be_made_is_named(folder: Path) -> None:
    (folder / "migrations").write_text("")
    done = migrate("new", "pages", "--from", "old.py", on=False)
    assert isinstance(done.exception, ArgumentError)
    assert "0001_pages.py cannot be written" in done.exception.message


def test_models_that_need_no_migration_get_none(folder: Path) -> None:
    assert "nothing to migrate" in said("new", "nothing", "--from", "model.py", on=False)
    assert not (folder / "migrations").exists()
    assert said("status") == "There are no migrations.\n"
    assert isinstance(failed("run", "--to", "0007"), ArgumentError)


def on_server(url: str, *words: str) -> str:
    done = CliRunner().invoke(cli.app, ["migrate", words[0], "model.py", *words[1:], "--on", url])
    assert done.exit_code == 0, (words, done.output, done.exception)
    return done.output


def test_workers_cannot_open_a_file(folder: Path) -> None:
    said("new", "Pages", "--from", "old.py", on=False)
    assert "Workers cannot open" in failed("run", "--write", "--dask", "tcp://127.0.0.1:1").message
    assert said("status") == "0001_pages: not run yet\n"


def test_a_worker_makes_the_part_again(folder: Path) -> None:
    said("new", "Pages", "--from", "old.py", on=False)
    table = load_model("model.py").table
    (file,) = read_files(folder / "migrations")
    with table.open("notes.db", create=False) as db:
        live = db.send("DescribeTable", {"TableName": "Notes"})["Table"]
        place = Place(file.name, file.digest, "run", 0, 1, live, "owner", "mark", 8)
        part = part_of("model:notes", "Notes", place)
        assert part.name == "copy Note to PAGE#{note_id} / NOTE"
        assert run(part, db).counts.written == 3
        for wrong in (structs.replace(place, digest="other"), structs.replace(place, migration="0002_other")):
            with pytest.raises(ArgumentError, match="is not the one"):
                part_of("model:notes", "Notes", wrong)
        with pytest.raises(ArgumentError, match="no table"):
            part_of("model:Note", "Notes", place)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
def test_on_a_cluster(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed: Any = pytest.importorskip("distributed")
    monkeypatch.setenv("PYTHONPATH", str(folder))
    old = load_model("old.py").table
    (note,) = old.plan.entities
    said("new", "Pages", "--from", "old.py", on=False)
    with (
        open_engine("memory:") as engine,
        serve_in_thread(engine) as server,
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
    ):
        with old.open(server.url, create=True) as db:
            for number in range(40):
                db.create(note(note_id=f"{number}", text="secret"))
        there = ("--write", "--segments", "4", "--dask", cluster.scheduler_address)
        taken = {"PK": {"S": "PAGE#7"}, "SK": {"S": "NOTE"}}
        engine.execute("PutItem", {"TableName": "Notes", "Item": taken})
        words = ["migrate", "run", "model.py", *there, "--left-items", "left.jsonl", "--on", server.url]
        assert CliRunner().invoke(cli.app, words).exit_code == 1
        (left,) = map(json.loads, (folder / "left.jsonl").read_text().splitlines())
        assert left["key"]["PK"] == {"S": "NOTE#7"}
        engine.execute("DeleteItem", {"TableName": "Notes", "Key": taken})
        assert re.search(r"copy Note .*: 1 of \d+ items written", on_server(server.url, "run", *there))
        assert "Nothing to do." in on_server(server.url, "run", *there)
        on_server(server.url, "cutover")
        assert re.search(r"remove what was copied.*: 40 of \d+ items written", on_server(server.url, "retire", *there))
        items = engine.execute("Scan", {"TableName": "Notes"})["Items"]
        notes = [item for item in items if item["PK"]["S"].startswith("PAGE#")]
        assert (len(notes), len(items)) == (40, 41)
        assert not any(name.startswith("Tablewright") for item in items for name in item)
        assert [item["jobs"] for item in items if "jobs" in item] == [{"M": {}}]
        assert re.search(r"move Note .*: 40 of \d+ items written", on_server(server.url, "rollback", *there))


class Terminal(io.StringIO):
    """Somebody looks at it."""

    def isatty(self) -> bool:
        """It is one."""
        return True


def test_a_terminal_shows_how_far_it_is(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said("new", "Pages", "--from", "old.py", on=False)
    monkeypatch.setattr(sys, "stderr", shown := Terminal())
    with migrating("model.py", "notes.db", Working()) as (migrator, *_):
        migrator.run(write=True)
    *_, last, cleared = shown.getvalue().split("\r\033[K")
    assert re.fullmatch(
        r"copy Note to PAGE#\{note_id\} / NOTE: 3 items, 3 written, 0 skipped, [\d,]+/s, 100%, 0.0 s left", last
    )
    assert cleared == ""


RENAMED = OLD.replace('    text: str = ""', '    body: str = ""')
RENAMING = """
from tablewright.evolve.migrations import Migration, RenameAttribute

migration = Migration([RenameAttribute("Note", "text", to="body")])
"""


@pytest.fixture
def torn(folder: Path) -> Path:
    """Notes in two of which code of both models has written, before anybody noted who was first."""
    (folder / "model.py").write_text(RENAMED)
    (folder / "migrations").mkdir()
    (folder / "migrations" / "0001_body.py").write_text(RENAMING)
    with open_engine("notes.db") as engine:
        for number in (0, 2):
            item = {
                "PK": {"S": f"NOTE#{number}"},
                "SK": {"S": "NOTE"},
                "Type": {"S": "Note"},
                "note_id": {"S": str(number)},
                "text": {"S": "secret"},
                "body": {"S": "other"},
            }
            engine.execute("PutItem", {"TableName": "Notes", "Item": item})
    return folder


def test_an_item_in_the_way_is_told_by_verify_too(folder: Path) -> None:
    said("new", "Pages", "--from", "old.py", on=False)
    with open_engine("notes.db") as engine:
        taken = {"PK": {"S": "PAGE#1"}, "SK": {"S": "NOTE"}}
        engine.execute("PutItem", {"TableName": "Notes", "Item": taken})
    for words in (("run", "--write"), ("verify",)):
        done = migrate(*words)
        assert done.exit_code == 1
        assert (
            "left as it is, 1 item: another item lies where it should go\n      Delete the item that lies there"
            in done.output
        )
        assert "does it" not in done.output


def left_in(path: Path) -> list[tuple[str, str, str]]:
    found = [json.loads(line) for line in path.read_text().splitlines()]
    assert all(one["migration"] == "0001_body" for one in found)
    return sorted((one["part"], one["key"]["PK"]["S"], one["reason"]) for one in found)


def test_which_items_are_left_stands_in_a_file_and_nowhere_else(torn: Path) -> None:
    part, why = "make body of text in Note", "text and body are both there and do not agree"
    path = torn / "left.jsonl"
    both = [(part, "NOTE#0", why), (part, "NOTE#2", why)]
    done = migrate("run")
    assert "    left as they are, 2 items: text and body" in done.output
    way = (
        '      Write wins="old" or wins="new" into RenameAttribute("Note", "text", to="body"): it says whose value counts, the old '
        "model's or the new one's. Or remove one of the two from each of these items.\n"
    )
    assert done.output.count(way) == 1
    assert done.output.endswith("--write does it.\n--left-items FILE writes their keys to a file.\n")
    for words in (("run",), ("run", "--write"), ("verify",), ("run", "--write", "--segments", "4")):
        done = migrate(*words, "--left-items", "left.jsonl")
        assert done.exit_code == 1
        assert "NOTE#" not in done.output
        assert "--left-items" not in done.output
        assert left_in(path) == both
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert migrate("run", "--write").output.endswith(
        "Nothing was done; 2 items left as they are.\n--left-items FILE writes their keys to a file.\n"
    )
    path.unlink()
    assert migrate("rollback", "--write", "--left-items", "left.jsonl").exit_code == 1
    back = "make text of body in Note"
    assert [one[:2] for one in left_in(path)] == [(back, "NOTE#0"), (back, "NOTE#2")]


def test_a_file_that_lacks_what_an_earlier_run_left_is_told(torn: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (torn / "left.jsonl").write_text("")
    file = LeftItems(torn / "left.jsonl")
    file.begin("0001_body")
    file.of("0001_body", "a part")([Left({"PK": {"S": "NOTE#0"}}, "why")])
    file.close()
    show_left(1, file)
    assert capsys.readouterr().out == ""
    show_left(3, file)
    assert capsys.readouterr().out.startswith(
        "The file has 1 item of 3: the others were left by a run that was stopped"
    )


def test_verify_names_what_is_still_to_be_written(torn: Path) -> None:
    said("status")
    migrate("run", "--write")
    table = load_model("old.py").table
    (note,) = table.plan.entities
    with table.open("notes.db") as db:
        db.create(note(note_id="9", text="secret"))
    migrate("verify", "--left-items", "left.jsonl")
    part = "make body of text in Note"
    assert (part, "NOTE#9", "it is not yet as the migration says") in left_in(torn / "left.jsonl")
    assert len(left_in(torn / "left.jsonl")) == 3
    migrate("plan")
    migrate("run", "--left-items", "left.jsonl")
    assert len(left_in(torn / "left.jsonl")) == 2


def test_a_file_is_not_touched_where_a_command_is_refused(torn: Path) -> None:
    (torn / "left.jsonl").write_text("kept")
    assert "No migration has been run" in failed("retire", "--write", "--left-items", "left.jsonl").message
    assert (torn / "left.jsonl").read_text() == "kept"
    assert "cannot be written" in failed("run", "--write", "--left-items", "none/left.jsonl").message
    assert "is no list of items" in failed("run", "--write", "--left-items", "notes.db").message
    assert said("status").startswith("0001_body: not run yet")


def test_a_table_that_is_not_there_is_named(torn: Path) -> None:
    with open_engine("empty.db"):
        pass
    for verb in ("status", "plan", "run", "verify", "cutover", "retire", "rollback"):
        done = CliRunner().invoke(cli.app, ["migrate", verb, "model.py", "--on", "empty.db"])
        assert isinstance(done.exception, ResourceNotFound)
        assert done.exception.message == "There is no table Notes."


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_whoever_is_stopped_says_that_the_same_command_goes_on(torn: Path, number: signal.Signals) -> None:
    table = load_model("old.py").table
    (note,) = table.plan.entities
    with table.open("notes.db") as db:
        for one in range(10, 60):
            db.create(note(note_id=f"{one}", text="secret"))
    words = [
        sys.executable,
        "-c",
        "from tablewright.cli import main; main()",
        "migrate",
        "run",
        "model.py",
        "--on",
        "notes.db",
    ]
    slowly = [*words, "--write", "--max-write-units", "4", "--left-items", "left.jsonl"]
    with subprocess.Popen(slowly, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        with open_engine("notes.db") as engine:
            while not any("body" in item for item in _plain(engine)):
                assert process.poll() is None
                time.sleep(0.05)
        process.send_signal(number)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert told == "\nmake body of text in Note was stopped at a checkpoint: run it again, and it goes on there.\n"
    assert re.fullmatch("0001_body: running, since [^,]+, nobody is at work on it\n", said("status"))
    assert migrate("run", "--write", "--left-items", "left.jsonl").exit_code == 1
    assert [key for _, key, _ in left_in(torn / "left.jsonl")] == ["NOTE#0", "NOTE#2"]
    with open_engine("notes.db") as engine:
        assert sum("body" in item for item in _plain(engine)) == 51


def _plain(engine: Any) -> list[dict[str, Any]]:
    """Notes but those that are left."""
    found = engine.execute("Scan", {"TableName": "Notes"})["Items"]
    return [item for item in found if item["PK"]["S"] not in ("NOTE#0", "NOTE#2")]


def test_verify_names_migrations_that_were_not_run(folder: Path) -> None:
    said("new", "body", "--from", "old.py", on=False)
    name = next((folder / "migrations").glob("0001_*.py")).stem
    line = f"{name} has not been run: nothing was looked at for it. `tablewright migrate plan` tells what it would do."
    verified = said("verify")
    assert verified.splitlines()[-2:] == [line, "1 migration was not run yet."]
    assert "Nothing to do" not in verified
    said("run", "--write")
    verified = said("verify")
    assert verified.endswith("Nothing to do.\n")
    assert "not run" not in verified
    for number in (2, 3):
        (folder / "migrations" / f"000{number}_later.py").write_text(
            "from tablewright.evolve.migrations import Migration, RenameAttribute\n\n"
            'migration = Migration([RenameAttribute("Note", "text", to="body")])\n'
        )
    verified = said("verify")
    assert "Nothing to do for what was run.\n" in verified
    assert "Nothing to do.\n" not in verified
    assert verified.endswith("2 migrations were not run yet.\n")
