"""Values that the model makes anew each time, where rows say nothing of them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from pydantic import Field

from tablewright import Entity, Keys, Session, Table
from tablewright.evolve.transfer.importing import Imported, ImportOptions, import_rows
from tablewright.evolve.transfer.mapping import EntityMapping
from tablewright.evolve.transfer.sources import find_source

notes = Table("Notes")


class Note(Entity, table=notes):
    keys = Keys("NOTE#{note_id}", "NOTE#{shelf}")
    note_id: UUID = Field(default_factory=uuid4)
    shelf: str = Field(default_factory=lambda: "first")
    text: str
    token: UUID = Field(default_factory=uuid4)
    made_at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    tags: list[str] = Field(default_factory=list)


def imported(db: Session, folder: Path, text: str, *, replace: bool = False, write: bool = True) -> Imported:
    path = folder / "notes.csv"
    path.write_text(text)
    source = find_source(str(path), "csv", EntityMapping())
    return import_rows(db, notes, source, "Note", options=ImportOptions(write=write, replace=replace))


ONE = f"note_id,text\n{UUID(int=1)},one\n"


@pytest.mark.parametrize("replace", [False, True])
def test_a_second_run_finds_what_is_there(tmp_path: Path, replace: bool) -> None:
    with notes.open("memory:") as db:
        assert imported(db, tmp_path, ONE).new == 1
        (first,) = db.scan_for_maintenance(Note)
        for write in (False, True):
            again = imported(db, tmp_path, ONE, replace=replace, write=write)
            assert (again.same, again.changed, again.well) == (1, 0, True)
        assert [*db.scan_for_maintenance(Note)] == [first]


def test_what_rows_say_is_compared(tmp_path: Path) -> None:
    with notes.open("memory:") as db:
        imported(db, tmp_path, ONE)
        assert imported(db, tmp_path, ONE.replace("one", "two")).different == 1
        assert imported(db, tmp_path, f"note_id,text,token\n{UUID(int=1)},one,{UUID(int=2)}\n").different == 1
        assert imported(db, tmp_path, f'note_id,text,tags\n{UUID(int=1)},one,"[""a""]"\n', replace=True).replaced == 1
        assert imported(db, tmp_path, ONE).different == 1  # no tags


def test_what_rows_do_not_say_stays_where_others_are_replaced(tmp_path: Path) -> None:
    with notes.open("memory:") as db:
        imported(db, tmp_path, ONE)
        (first,) = db.scan_for_maintenance(Note)
        assert imported(db, tmp_path, ONE.replace("one", "two"), replace=True).replaced == 1
        assert [*db.scan_for_maintenance(Note)] == [first.model_copy(update={"text": "two"})]
        text = f"note_id,text,token\n{UUID(int=1)},two,{UUID(int=2)}\n"
        assert imported(db, tmp_path, text, replace=True).replaced == 1
        (third,) = db.scan_for_maintenance(Note)
        assert third == first.model_copy(update={"text": "two", "token": UUID(int=2)})


class Visit(Entity, table=notes):
    keys = Keys("VISIT#{name}", "AT#{at}#{day}")
    name: str
    at: datetime = Field(default_factory=lambda: datetime.now(UTC).replace(minute=0, second=0, microsecond=0))
    day: str = Field(default_factory=lambda: "Monday")


class Call(Entity, table=notes):
    keys = Keys("CALL#{name}", "AT#{at}")
    name: str
    at: str = Field(default_factory=lambda: datetime.now(UTC).isoformat())


@pytest.mark.parametrize("entity", ["Visit", "Call"])
def test_a_clock_makes_no_keys(tmp_path: Path, entity: str) -> None:
    """It tells the same time for a moment."""
    path = tmp_path / "some.csv"
    path.write_text("name\n" + "".join(f"{number}\n" for number in range(100)))
    with notes.open("memory:") as db:
        done = import_rows(
            db, notes, find_source(str(path), "csv", EntityMapping()), entity, options=ImportOptions(write=True)
        )
    assert (done.new, done.bad) == (0, 100)
    assert f"{entity}.at has no value" in done.problems[0].message


def test_a_key_is_not_made_anew(tmp_path: Path) -> None:
    with notes.open("memory:") as db:
        done = imported(db, tmp_path, "text\none\n")
        assert (done.new, done.bad) == (0, 1)
        assert "Note.note_id has no value" in done.problems[0].message
