"""What migrations must not carry as it is: encrypted values, unique values, and indexes that are others than they seem."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from tablewright import GSI, Entity, Keys, Table, key
from tablewright.engine import open_engine
from tablewright.errors import ArgumentError, ConfigError, UniqueViolationError
from tablewright.evolve.migrations import (
    AddIndex,
    ChangeKey,
    MergeAttributes,
    MoveEntity,
    RenameAttribute,
    SplitAttribute,
    SplitItem,
)
from tablewright.evolve.migrations.migrator import Migrator, Told
from tablewright.model.sealing import Encrypted
from tests.evolve.migrations.tables import file


class Reversed:
    """A cipher that is bound to what it is given, as a good one is."""

    def encrypt(self, plaintext: bytes, context: Any) -> tuple[str, bytes]:
        return "1", context.associated_data() + plaintext[::-1]

    def decrypt(self, key_id: str, ciphertext: bytes, context: Any) -> bytes:
        bound = context.associated_data()
        if not ciphertext.startswith(bound):
            raise ValueError("another item's")
        return ciphertext[len(bound) :][::-1]


def halves(value: Any) -> tuple[Any, Any]:
    return value, value


def whole(*values: Any) -> Any:
    return values[0]


Secret = Annotated[str, Encrypted(Reversed())]


def clinic_before() -> tuple[Table, type[Any]]:
    table = Table("Clinic")

    class Patient(Entity, table=table):
        keys = Keys("OLD#{patient_id}", "PATIENT")
        patient_id: str
        diagnosis: Secret

    return table, Patient


def clinic(pk: str) -> tuple[Table, type[Any]]:
    table = Table("Clinic")

    class Patient(Entity, table=table):
        keys = Keys(pk, "PATIENT")
        patient_id: str
        illness: Secret
        other: str | None = None

    return table, Patient


@pytest.mark.parametrize(
    "step",
    [
        ChangeKey("Patient", was=("OLD#{patient_id}", "PATIENT"), copies=True),
        ChangeKey("Patient", was=("OLD#{patient_id}", "PATIENT"), copies=False),
        MoveEntity("Patient", was=("OLD#{patient_id}", "PATIENT")),
        RenameAttribute("Patient", "diagnosis", to="illness"),
        SplitAttribute("Patient", "illness", into=("first", "second"), by=halves, back=whole),
        MergeAttributes("Patient", ("diagnosis", "other"), into="illness", by=whole, back=halves),
    ],
    ids=str,
)
def test_encrypted_values_are_not_carried_to_where_nobody_can_read_them(step: Any) -> None:
    old, before = clinic_before()
    new, _ = clinic("NEW#{patient_id}")
    with open_engine("memory:") as engine:
        with old.open(engine) as db:
            db.create(before(patient_id="1", diagnosis="measles"))
            stored = engine.execute("Scan", {"TableName": "Clinic"})["Items"]
        with new.open(engine, create=False) as db:
            migrator = Migrator(db, new, [file(step)])
            with pytest.raises(ArgumentError, match=r"Patient\.illness is encrypted"):
                migrator.plan()
            with pytest.raises(ArgumentError, match=r"Patient\.illness is encrypted"):
                migrator.run(write=True)
        left = [item for item in engine.execute("Scan", {"TableName": "Clinic"})["Items"] if "migrations" not in item]
        assert left == stored


def test_other_attributes_of_an_item_with_encrypted_ones_may_be_renamed() -> None:
    table, patient = clinic("OLD#{patient_id}")
    with open_engine("memory:") as engine, table.open(engine) as db:
        db.create(patient(patient_id="1", illness="measles"))
        steps = file(RenameAttribute("Patient", "remark", to="other"))
        assert [told.outcome.written for told in Migrator(db, table, [steps]).run(write=True)] == [0]
        assert db.get(key(patient, patient_id="1")).illness == "measles"


library = Table("Library", indexes=[GSI("GSI1")])


class Shelf(Entity, table=library):
    keys = Keys("SHELF#{shelf}", "SHELF", GSI1=("SHELVES", "{shelf}"))
    shelf: str
    isbns: list[str]


class Book(Entity, table=library):
    keys = Keys("SHELF#{shelf}", "BOOK#{place:4}", unique=["isbn"])
    shelf: str
    place: int
    isbn: str


def books(item: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [("Book", {"shelf": item["shelf"], "place": n, "isbn": isbn}) for n, isbn in enumerate(item["isbns"])]


def left(told: tuple[Told, ...]) -> tuple[int, int]:
    return sum(one.outcome.written for one in told), sum(sum(one.outcome.skipped.values()) for one in told)


def test_parts_of_a_split_item_hold_their_unique_values() -> None:
    with library.open("memory:") as db:
        db.create(Shelf(shelf="a", isbns=["1", "2"]))
        db.create(Shelf(shelf="b", isbns=["3", "2"]))  # on both shelves, whichever is split first
        db.create(Shelf(shelf="c", isbns=["4", "4"]))
        migrator = Migrator(db, library, [file(SplitItem("Shelf", by=books, removes=("isbns",)))], fitting=False)
        assert left(migrator.run(write=True)) == (1, 2)
        with pytest.raises(UniqueViolationError):
            db.create(Book(shelf="z", place=1, isbn="2"))
        assert left(migrator.rollback(write=True)) == (1, 0)
        db.create(Book(shelf="z", place=1, isbn="2"))


def test_more_parts_and_values_than_a_transaction_holds_are_told() -> None:
    with library.open("memory:") as db:
        db.create(Shelf(shelf="a", isbns=[f"{n}" for n in range(60)]))
        migrator = Migrator(db, library, [file(SplitItem("Shelf", by=books))])
        assert left(migrator.run(write=True)) == (0, 1)


def test_an_index_that_projects_other_attributes_is_another_index() -> None:
    with library.open("memory:") as db:
        for projection, fine in (("ALL", True), ("KEYS_ONLY", False), ("isbn, place", False)):
            step = AddIndex("GSI1", pk=("GSI1PK (S)",), sk=("GSI1SK (S)",), projection=projection)
            migrator = Migrator(db, library, [file(step)])
            if fine:
                assert left(migrator.plan()) == (0, 0)
                continue
            with pytest.raises(ConfigError, match="projects other attributes"):
                migrator.plan()


def test_an_item_that_old_code_wrote_anew_after_it_was_copied_is_not_told_as_left() -> None:
    def notes(pk: str) -> tuple[Table, type[Any]]:
        table = Table("Notes")

        class Note(Entity, table=table):
            keys = Keys(pk, "NOTE")
            note_id: str
            text: str

        return table, Note

    (old, before), (new, after) = notes("OLD#{note_id}"), notes("NEW#{note_id}")
    with open_engine("memory:") as engine, old.open(engine) as then, new.open(engine, create=False) as now:
        then.create(before(note_id="1", text="first"))
        migrator = Migrator(now, new, [file(ChangeKey("Note", was=("OLD#{note_id}", "NOTE"), copies=True))])
        assert left(migrator.run(write=True)) == (1, 0)
        then.delete(key(before, note_id="1"))
        then.create(before(note_id="1", text="second"))
        assert left(migrator.run(write=True)) == (1, 0)
        assert now.get(key(after, note_id="1")).text == "second"
        assert left(migrator.verify()) == (0, 0)
