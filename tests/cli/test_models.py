"""How commands find a model: by file, by module, by name of its table, and with mistakes in it."""

from __future__ import annotations

import re
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


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import nothing_of_this_name", "ModuleNotFoundError: No module named 'nothing_of_this_name'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("x = (1,", "SyntaxError: "),
        ("one.expect(Note.txt, distinct=3)", "AttributeError: Note has no field 'txt'. Did you mean 'text'?"),
        ("one.expect(Note.text.nothing, distinct=3)", "Note.text has no part called 'nothing'."),
        ("from tablewright import Entityy", "ImportError: "),
        ("import json; json.loads('{')", "JSONDecodeError: "),
        ('Table("?")', "cannot be the name of a table"),
        ("raise SystemExit(0)", "SystemExit: "),
    ],
    ids=["no module", "zero", "syntax", "field", "part", "import", "library", "model", "exit"],
)
def test_what_ends_the_reading_is_told_with_its_line(folder: Path, text: str, words: str) -> None:
    model = folder / "model.py"
    model.write_text(f"{MODEL}\n{text}\n")
    with pytest.raises(ModelError, match=rf"model\.py:{MODEL.count(chr(10)) + 2}: .*{re.escape(words)}"):
        load_model("notes_of_a_test")
    model.write_text(f"{MODEL}{WRONG}{text}\n")
    loaded = load_model("notes_of_a_test", leniently=True)
    line = 1 + (MODEL + WRONG).count("\n")
    assert loaded.failed_at == (str(model), line)
    assert loaded.failed is not None
    assert loaded.failed.message.startswith(f"{model}:{line}: ")
    assert words in loaded.failed.message
    if "SyntaxError" not in words:
        assert [r.name for r in loaded.refused] == ["by_text"], "what came before is told too"


def test_the_line_is_that_of_the_users_own_file(folder: Path) -> None:
    (folder / "fields.py").write_text("import re\n\nCODE = re.compile('(')\n")
    (folder / "model.py").write_text(f"from .fields import CODE\n{MODEL}")
    loaded = load_model("notes_of_a_test", leniently=True)
    assert loaded.failed_at == (str(folder / "fields.py"), 3)


def test_a_body_that_raises_is_a_refused_pattern(folder: Path) -> None:
    body = "\n\n@one.pattern\ndef slip(text: str) -> Get[Note]:\n    return get(Note, Note.txt == text)\n"
    (folder / "model.py").write_text(f"{MODEL}{body}{WRONG}")
    loaded = load_model("notes_of_a_test", leniently=True)
    assert [r.name for r in loaded.refused] == ["slip", "by_text"]
    line = 1 + (MODEL + body).count("\n") - 1
    assert loaded.refused[0].line == (str(folder / "model.py"), line)
    assert loaded.refused[0].error.message == (
        f"{folder / 'model.py'}:{line}: the pattern slip() cannot be read: AttributeError: Note has no field 'txt'. "
        "Did you mean 'text'?"
    )
    with pytest.raises(ModelError, match="Did you mean 'text'"):
        load_model("notes_of_a_test")


def test_a_design_is_no_model_yet(folder: Path) -> None:
    (folder / "model.py").write_text('from tablewright import Design\n\nnotes = Design("Notes")\n')
    for leniently in (False, True):
        with pytest.raises(ArgumentError, match="holds a design, Notes, whose keys are still to be found") as caught:
            _ = load_model("notes_of_a_test", leniently=leniently).table
        assert "tablewright design propose notes_of_a_test" in (caught.value.hint or "")


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


def test_files_of_one_name_in_several_folders(tmp_path: Path) -> None:
    """Without packages all of them are the module `model`, and what they import may be called alike too."""
    for name in ("First", "Second", "Third"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "names.py").write_text(f'NAME = "{name}"\n')
        (folder / "model.py").write_text("from names import NAME\nfrom tablewright import Table\ntable = Table(NAME)\n")
    for name in ("First", "Second", "First", "Third", "Second", "First"):
        assert load_model(str(tmp_path / name / "model.py")).table.name == name
