"""How commands find a model: by file, by module, by name of its table, and with mistakes in it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tablewright.cli.models import load_model
from tablewright.errors import ArgumentError, ModelError, PatternError

MODEL = """
from tablewright import Entity, Get, Keys, Table, get

one = Table("OneTable")
two = Table("TwoTable")


class Note(Entity, table=one):
    keys = Keys("NOTE#{note_id}", "NOTE#{note_id}")
    note_id: str
    text: str


@one.pattern
def note(note_id: str) -> Get[Note]:
    return get(Note, Note.note_id == note_id)
"""
WRONG = """

@one.pattern
def by_text(text: str) -> Get[Note]:
    return get(Note, Note.text == text)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in sys.modules if name.partition(".")[0] == "notes_of_a_test"]:
        del sys.modules[name]
    package = tmp_path / "notes_of_a_test"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "model.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    return package


@pytest.mark.parametrize("where", ["notes_of_a_test/model.py", "notes_of_a_test", "notes_of_a_test.model"])
def test_a_model_is_found(folder: Path, where: str) -> None:
    assert [table.name for table in load_model(where).tables] == ["OneTable", "TwoTable"]
    assert [table.name for table in load_model(where, leniently=True).tables] == ["OneTable", "TwoTable"]
    assert load_model(f"{where}:two").table.name == "TwoTable"


def test_one_table_must_be_meant(folder: Path) -> None:
    with pytest.raises(ArgumentError, match="2 tables") as caught:
        _ = load_model("notes_of_a_test").table
    assert caught.value.hint == "Name one: MODEL:variable."
    with pytest.raises(ArgumentError, match="no table called three") as caught:
        load_model("notes_of_a_test:three")
    assert caught.value.hint == "Its tables are: one, two."


def test_mistakes_are_raised_or_noted(folder: Path) -> None:
    (folder / "model.py").write_text(MODEL + WRONG)
    with pytest.raises(PatternError):
        load_model("notes_of_a_test")
    loaded = load_model("notes_of_a_test", leniently=True)
    assert [r.name for r in loaded.refused] == ["by_text"]
    assert list(loaded.tables[0].patterns) == ["note"]


def test_what_ends_the_reading_is_told(folder: Path) -> None:
    (folder / "model.py").write_text(MODEL + '\nTable("?")\n' + WRONG)
    loaded = load_model("notes_of_a_test", leniently=True)
    assert isinstance(loaded.failed, ModelError)
    assert loaded.refused == []


@pytest.mark.parametrize(
    ("text", "words"),
    [("import nothing_of_this_name", "nothing_of_this_name"), ("1 / 0", "ZeroDivisionError"), ("def", "SyntaxError")],
)
def test_what_cannot_be_imported_is_told(folder: Path, text: str, words: str) -> None:
    (folder / "model.py").write_text(text)
    with pytest.raises(ArgumentError, match=words):
        load_model("notes_of_a_test", leniently=True)


@pytest.mark.parametrize("where", ["nowhere.py", "nowhere.model", "notes_of_a_test.nowhere"])
def test_what_is_not_there_is_told(folder: Path, where: str) -> None:
    with pytest.raises(ArgumentError, match="There is no"):
        load_model(where)


def test_a_model_of_several_files_is_read_anew_each_time(folder: Path) -> None:
    entity, pattern = MODEL.split("\n\n@one.pattern", 1)
    (folder / "entities.py").write_text(entity)
    (folder / "model.py").write_text(f"from .entities import Get, Note, get, one, two\n\n\n@one.pattern{pattern}")
    first, second = (load_model("notes_of_a_test:one", leniently=True) for _ in range(2))
    assert first.refused == second.refused == []
    assert list(second.table.patterns) == ["note"]
    assert first.table is not second.table
