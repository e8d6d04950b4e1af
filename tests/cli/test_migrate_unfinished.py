"""`tablewright migrate` where an end has left items: what the commands say of it, and what they end with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tablewright import cli
from tablewright.cli.models import load_model
from tablewright.evolve.migrations.leaving import LeftItems
from tests.cli.test_migrate import OLD

MODEL = OLD.replace('    text: str = ""\n', '    word: str = ""\n    ab: str | None = None\n')
FILE = """
from tablewright.evolve.migrations import Migration, MergeAttributes, RenameAttribute


def join(a, b):
    return f"{a}{b}"


def parts(ab):
    return ab[0], ab[1]


migration = Migration(
    [
        MergeAttributes("Note", ("a", "b"), into="ab", by=join, back=parts),
        RenameAttribute("Note", "text", to="word"),
    ]
)
"""


def notes() -> Any:
    return load_model("model.py").table.open("notes.db")


def update(number: int, **values: str) -> None:
    request = {
        "TableName": "Notes",
        "Key": {"PK": {"S": f"NOTE#{number}"}, "SK": {"S": "NOTE"}},
        "UpdateExpression": "SET " + ", ".join(f"#{name} = :{name}" for name in values),
        "ExpressionAttributeNames": {f"#{name}": name for name in values},
        "ExpressionAttributeValues": {f":{name}": {"S": value} for name, value in values.items()},
    }
    with notes() as db:
        db.send("UpdateItem", request)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model with a migration, cut over, and a table where one note has two forms that do not agree."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "migrations").mkdir()
    (tmp_path / "migrations" / "0001_words.py").write_text(FILE)
    table = load_model("model.py").table
    (note,) = table.plan.entities
    with table.open("notes.db") as db:
        for number in range(3):
            db.create(note(note_id=f"{number}"))
    for number in range(3):
        update(number, a="1", b="2", text="secret")
        with notes() as db:
            key = {"PK": {"S": f"NOTE#{number}"}, "SK": {"S": "NOTE"}}
            db.send("UpdateItem", {"TableName": "Notes", "Key": key, "UpdateExpression": "REMOVE word"})
    for words in (("run", "--write"), ("cutover",)):
        assert migrate(*words).exit_code == 0, migrate(*words).output
    update(1, text="secret one", word="secret other")
    return tmp_path


def migrate(*words: str) -> Result:
    return CliRunner().invoke(cli.app, ["migrate", words[0], "model.py", *words[1:], "--on", "notes.db"])


@pytest.mark.parametrize(("end", "between"), [("retire", "retiring"), ("rollback", "rolling back")])
def test_verify_tells_what_has_not_ended(end: str, between: str) -> None:
    assert migrate(end, "--write").exit_code == 1
    verified = migrate("verify")
    assert verified.exit_code == 1
    assert "left as it is, 1 item" in verified.output
    line = f"0001_words is {between}, and that has not ended: `tablewright migrate {end} --write` goes on with it."
    assert line in verified.output.splitlines()
    assert "secret" not in verified.output


def test_a_mended_file_is_gone_through_from_the_first_step(folder: Path) -> None:
    assert migrate("retire", "--write").exit_code == 1
    path = folder / "migrations" / "0001_words.py"
    path.write_text(FILE.replace('to="word")', 'to="word", wins="new")').replace("ab[0], ab[1]", "tuple(ab)"))
    done = migrate("retire", "--write")
    assert done.exit_code == 0, done.output
    assert done.output.startswith("0001_words was changed since: all its steps are gone through from the first.\n")
    assert migrate("status").output.startswith("0001_words: retired")
    assert migrate("verify").exit_code == 0


def test_retire_says_what_it_removes() -> None:
    assert "make word of text in Note, remove text: 2 of 3 items to write\n" in migrate("retire").output
    assert "make word of text in Note, remove text: 2 of 3 items written\n" in migrate("retire", "--write").output


def test_an_item_that_two_parts_leave_counts_twice_and_that_is_said() -> None:
    update(1, a="7", ab="other")
    assert migrate("run", "--write").output.splitlines()[-2:] == [
        "Nothing was done; 2 items left as they are, in all parts together.",
        "--left-items FILE writes their keys to a file.",
    ]
    update(1, a="1", ab="12")
    assert "Nothing was done; 1 item left as it is.\n" in migrate("run", "--write").output


@pytest.mark.parametrize("name", ["1", "0001", "01", "0001_words"])
def test_a_migration_is_named_by_its_number(name: str) -> None:
    assert "0001_words\n" in migrate("retire", "--name", name).output


@pytest.mark.parametrize("name", ["2", "", "0", "one", "\u00b9"])
def test_another_name_is_none(name: str) -> None:
    assert "There is no migration" in str(migrate("retire", "--name", name).exception)


def test_a_torn_line_of_the_file_is_dropped(folder: Path) -> None:
    told = b'{"migration": "0001_words", "part": "p", "key": {}, "reason": "r"}\n'
    (folder / "left.jsonl").write_bytes(told + b'{"migration": "\xff\xfe"}\n' + b"[" * 5000 + b"\n" + told[:-9])
    left = LeftItems(folder / "left.jsonl")
    left.begin("0001_words")
    left.close()
    assert (folder / "left.jsonl").read_bytes() == told
