"""The way back from the phase "new" while applications write: some still the new table alone, some both sides."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from tablewright import Entity, Get, Keys, SoftDelete, Table, get, key
from tablewright.engine import Engine, open_engine
from tablewright.errors import ArgumentError
from tablewright.evolve.moving import LegacyGet, Move, Moving, MovingSession, Read, ledger
from tablewright.evolve.moving.restoring import UNSETTLED, Restored
from tests.evolve.moving.merchants import Clock
from tests.evolve.moving.people import Person, into_new, old_table, people_moving, person
from tests.evolve.moving.way_back import Ground, back, grounds

NOTHING = Restored(0, 0)


@pytest.fixture(params=["together", "apart"])
def ground(request: pytest.FixtureRequest) -> Iterator[Ground]:
    yield from grounds(request.param)


def back_while_writing(ground: Ground, session: MovingSession, late: MovingSession) -> None:
    """The same, while another process still writes the new table alone, until it knows."""
    back(ground, session)
    late.db.update(key(Person, person_id="1"), set={"name": "Ada"})
    late.db.delete(key(Person, person_id="2"))
    late.db.create(Person(person_id="9", mail="m9"))
    ground.clock.pass_(seconds=16)  # clocks may differ by five


def test_what_is_written_until_the_phase_holds_everywhere_is_told_afterwards(ground: Ground) -> None:
    with ground.open() as session, ground.open() as late:
        back_while_writing(ground, session, late)

        assert session.progress().behind
        for refused in (
            lambda: session.go_back("shadow"),
            lambda: session.switch(50),
            lambda: session.backfill(write=True),
            lambda: session.backfills(),
            lambda: session.mend(),
        ):
            with pytest.raises(ArgumentError, match="legacy tables may lack what was written") as told:
                refused()
            assert "restore_legacy()" in str(told.value)
        assert session.restore_legacy(write=False) == Restored(2, 1)
        assert session.restore_legacy() == Restored(2, 1)
        assert session.progress().behind
        assert session.restore_legacy() == NOTHING
        assert not session.progress().behind

        assert ground.old("1") == {"id": "1", "mail": "m1", "name": "Ada"}
        assert ground.old("2") is None
        assert ground.old("9") == {"id": "9", "mail": "m9"}
        session.switch(50)
        assert session.mend().failed == {}
        session.go_back("shadow")


def test_who_writes_both_sides_first_takes_over_what_the_new_one_has(ground: Ground) -> None:
    with ground.open() as session, ground.open() as late:
        back_while_writing(ground, session, late)

        assert session.update("Old", {"id": "1"}, set={"mail": "ada"}).item == {"id": "1", "mail": "ada", "name": "Ada"}
        assert session.put("Old", {"id": "2", "mail": "m2"}).settled  # the mail was free
        assert session.update("Old", {"id": "9"}, set={"name": "Eve"}).item == {"id": "9", "mail": "m9", "name": "Eve"}
        assert session.delete("Old", {"id": "3"}).settled
        assert session.db.run(person, "1") == Person(person_id="1", mail="ada", name="Ada")
        assert session.restore_legacy() == NOTHING
        assert session.verify().well


def test_what_back_does_not_write_is_told_as_what_the_last_verification_found(ground: Ground) -> None:
    ground.moving = people_moving(lambda person: {"id": person.person_id, "mail": person.mail})
    with ground.open() as session:
        session.db.update(key(Person, person_id="1"), set={"name": "Ada"})
        with pytest.raises(ArgumentError, match="behind: they were not written in this phase"):
            session.go_back("switched")
        assert session.restore_legacy() == NOTHING
        assert session.verify().wrong == 1
        with pytest.raises(ArgumentError, match=r"verification, of 20\S+:00, found 1 difference\.") as refused:
            session.go_back("switched")
        assert "is not written by back=" in (refused.value.hint or "")
    ground.moving = people_moving()
    with ground.open() as session:
        back(ground, session)
        assert (session.progress().last_wrong, session.progress().wrong) == (None, 0)


def test_nothing_is_told_before_the_new_table_has_it(ground: Ground) -> None:
    """Between the writes of both sides, the new table is behind, and restoring would take that back."""
    with ground.open() as session:
        back(ground, session)
        ground.clock.pass_(seconds=16)
        place = session._meanwhile.place
        move = ground.moving.moves[0]
        wire = {"id": {"S": "1"}}
        put = {"TableName": "Old", "Item": {**wire, "mail": {"S": "newest"}}}
        noted = ledger.noting(place, move, wire, ())
        ground.legacy.execute("TransactWriteItems", {"TransactItems": [{"Put": put}, noted]})
        assert session.restore_legacy() == Restored(0, 0, {UNSETTLED: 1})
        assert session.progress().behind
        assert session.repair().exit_code == 0
        assert session.restore_legacy() == NOTHING
        assert session.db.run(person, "1") == Person(person_id="1", mail="newest")


def test_a_clock_of_the_phase_new_restores_again_in_the_same_phase(ground: Ground) -> None:
    with ground.open() as session:
        assert session.restore_legacy() == NOTHING
        session.db.update(key(Person, person_id="3"), set={"name": "Eve"})
        assert session.restore_legacy(write=False) == Restored(1, 0)
        assert session.restore_legacy() == Restored(1, 0)
        assert session.restore_legacy() == NOTHING
        assert not session.progress().behind  # it is where only the phase behind can tell


# ---------------------------------------------------------------------------------- deleted softly, and of two tables

notes = Table("Notes")


class Note(Entity, table=notes, soft_delete=SoftDelete(timedelta(days=30))):
    keys = Keys("NOTE#{note_id}", "NOTE")
    note_id: str
    text: str


class Task(Entity, table=notes):
    keys = Keys("TASK#{task_id}", "TASK")
    task_id: str
    source: str
    text: str = ""


@notes.pattern
def note(note_id: str) -> Get[Note]:
    return get(Note, Note.note_id == note_id)


ONE_NOTE = Read(Note, lambda note_id: LegacyGet("OldNotes", {"id": note_id}), note)


def notes_moving(**more: Any) -> Moving:
    def back(source: str) -> Any:
        def told(task: Task) -> dict[str, Any] | None:
            return {"id": task.task_id, "text": task.text} if task.source == source else None

        return told

    return Moving(
        "notes",
        table=notes,
        moves=[
            Move(
                table="OldNotes",
                key=("id",),
                entity=Note,
                fields={"note_id": "id", "text": "text"},
                back=lambda note: {"id": note.note_id, "text": note.text},
            ),
            *(
                Move(
                    table=f"Old{source}",
                    key=("id",),
                    entity=Task,
                    fields={"task_id": "id", "source": constant, "text": "text"},
                    back=more.get("back", back(source)),
                )
                for source, constant in (("Chores", lambda item: "Chores"), ("Jobs", lambda item: "Jobs"))
            ),
        ],
        safety_period=timedelta(0),
    )


@pytest.fixture
def engine() -> Iterator[Engine]:
    with open_engine("memory:") as made:
        for name in ("OldNotes", "OldChores", "OldJobs"):
            made.execute("CreateTable", old_table(name))
            item = {"id": {"S": name}, "text": {"S": "as it was"}}
            made.execute("PutItem", {"TableName": name, "Item": item})
        yield made


def test_what_was_deleted_softly_is_gone_in_legacy_tables(engine: Engine) -> None:
    clock = Clock()
    ground = Ground(engine, engine, clock, notes_moving())
    with ground.open() as session:
        into_new(session, clock, ONE_NOTE, "OldNotes")
        session.db.delete(key(Note, note_id="OldNotes"))
        assert session.restore_legacy() == Restored(0, 1)
        assert ground.old("OldNotes", "OldNotes") is None
        assert session.restore_legacy() == NOTHING


def test_an_item_goes_back_to_the_table_that_it_came_from(engine: Engine) -> None:
    clock = Clock()
    ground = Ground(engine, engine, clock, notes_moving())
    with ground.open() as session:
        into_new(session, clock, ONE_NOTE, "OldNotes")
        session.db.update(key(Task, task_id="OldJobs"), set={"text": "changed"})
        session.db.create(Task(task_id="new", source="Chores", text="made"))
        session.db.create(Task(task_id="neither", source="elsewhere"))
        assert session.restore_legacy() == Restored(2, 0)
        assert ground.old("OldJobs", "OldJobs") == {"id": "OldJobs", "text": "changed"}
        assert ground.old("OldJobs", "OldChores") is None
        assert ground.old("new", "OldChores") == {"id": "new", "text": "made"}
        assert ground.old("new", "OldJobs") is None
        assert session.restore_legacy() == NOTHING


def test_an_item_that_two_tables_would_take_is_refused(engine: Engine) -> None:
    clock = Clock()
    both = notes_moving(back=lambda task: {"id": task.task_id, "text": task.text})
    with Ground(engine, engine, clock, both).open() as session:
        into_new(session, clock, ONE_NOTE, "OldNotes")
        assert session.restore_legacy() == NOTHING  # those that were brought know by whom
        session.db.create(Task(task_id="new", source="Chores", text="made"))
        with pytest.raises(ArgumentError, match="'OldChores' and 'OldJobs' both take an item") as told:
            session.restore_legacy()
        assert "return None" in str(told.value)
