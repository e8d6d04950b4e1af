"""`tablewright diff`: two models, of files or of revisions, and the exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tablewright import cli
from tablewright.errors import ArgumentError

MODEL = """
from tablewright import Entity, Get, Keys, Table, get

from .names import NAME

notes = Table(NAME)


class Note(Entity, table=notes):
    keys = Keys("NOTE#{note_id}", "NOTE")
    note_id: str
    text: str = ""
"""


def git(folder: Path, *arguments: str) -> None:
    known = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *known, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose model, and a module beside it, have changed since the last commit."""
    package = tmp_path / "deep" / "notes_app"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "names.py").write_text('NAME = "Notes"\n')
    (package / "model.py").write_text(MODEL)
    (tmp_path / "lone_model.py").write_text(MODEL.replace("from .names", "from lone_names"))
    (tmp_path / "lone_names.py").write_text('NAME = "Lone"\n')
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    (package / "names.py").write_text('NAME = "OtherNotes"\n')
    (package / "model.py").write_text(MODEL.replace('    text: str = ""', "    body: str\n    pages: int = 1"))
    (tmp_path / "lone_names.py").write_text('NAME = "Other"\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_revision_is_read_with_the_package_around_it(folder: Path) -> None:
    modules, path = set(sys.modules), sys.path[:]
    done = CliRunner().invoke(cli.app, ["diff", "HEAD:deep/notes_app/model.py", "deep/notes_app/model.py", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert {(c["kind"], c["impact"], c["subject"]) for c in found["changes"]} == {
        ("table-renamed", "breaking", "the table"),
        ("field-removed", "breaking", "Note.text"),
        ("field-added-required", "backfill", "Note.body"),
        ("field-added", "additive", "Note.pages"),
    }
    assert not {m for m in set(sys.modules) - modules if m.startswith("notes_app")}
    assert sys.path == path


def test_a_lone_file_is_read_with_its_neighbours(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder / "deep")
    done = CliRunner().invoke(cli.app, ["diff", "HEAD:../lone_model.py:notes", "../lone_model.py"])
    assert done.exit_code == 0, done.output
    assert "the table is called 'Other', and was 'Lone'" in done.output


@pytest.mark.parametrize(("fail_on", "code"), [("breaking", 0), ("backfill", 1), ("additive", 1)])
def test_the_exit_code(folder: Path, fail_on: str, code: int) -> None:
    (folder / "old.py").write_text(MODEL.replace("from .names", "from lone_names"))
    (folder / "new.py").write_text(
        MODEL.replace("from .names", "from lone_names").replace("    text:", "    page: int\n    text:")
    )
    done = CliRunner().invoke(cli.app, ["diff", "old.py", "new.py", "--fail-on", fail_on])
    assert done.exit_code == code, done.output
    assert CliRunner().invoke(cli.app, ["diff", "old.py", "old.py", "--fail-on", fail_on]).exit_code == 0


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("nowhere:lone_model.py", "git knows no revision 'nowhere' here"),
        ("HEAD:missing.py", "There is no file missing.py in HEAD"),
    ],
)
def test_what_is_not_there(folder: Path, where: str, message: str) -> None:
    done = CliRunner().invoke(cli.app, ["diff", where, "lone_model.py"])
    assert isinstance(done.exception, ArgumentError)
    assert message in done.exception.message


def test_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    done = CliRunner().invoke(cli.app, ["diff", "HEAD:model.py", "model.py"])
    assert isinstance(done.exception, ArgumentError)
    assert "git says" in done.exception.message


@pytest.mark.parametrize(
    "application", ["kefir", *(pytest.param(a, marks=pytest.mark.full) for a in ("blog", "orders", "saas", "surveyor"))]
)
def test_an_application_does_not_differ_from_itself(application: str) -> None:
    path = str(Path(__file__).parents[2] / "examples" / application / "model.py")
    before = sys.modules.get(f"examples.{application}.model")
    done = CliRunner().invoke(cli.app, ["diff", path, path])
    assert done.exit_code == 0, done.output
    assert done.output.endswith("nothing differs.\n")
    assert sys.modules.get(f"examples.{application}.model") is before
