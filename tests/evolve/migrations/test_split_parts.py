"""Parts of what is split that are not like others: where something was deleted softly before, and with sealed fields."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from tablewright import Compressed, Entity, Keys, Session, SoftDelete, Table, key
from tablewright.engine import open_engine
from tablewright.evolve.migrations import SplitItem
from tablewright.evolve.migrations.migrator import Migrator
from tablewright.evolve.migrations.works.splitting import BOTH, SEALED
from tablewright.model.sealing import Encrypted
from tablewright.testing import ManualClock
from tests.client.test_upgrades_of_sealed import Backwards
from tests.evolve.migrations.tables import file, skipped, written

library = Table("Library")


class Shelf(Entity, table=library):
    keys = Keys("SHELF#{shelf}", "SHELF")
    shelf: str
    titles: list[str]


class Book(Entity, table=library, version=True, soft_delete=SoftDelete(keep=timedelta(days=30))):
    keys = Keys("SHELF#{shelf}", "BOOK#{place:4}", unique=["title"])
    shelf: str
    place: int
    title: str


class Diary(Entity, table=library):
    keys = Keys("SHELF#{shelf}", "DIARY#{place:4}")
    shelf: str
    place: int
    text: Annotated[str, Encrypted(Backwards())]


class Letter(Entity, table=library):
    keys = Keys("SHELF#{shelf}", "LETTER#{place:4}")
    shelf: str
    place: int
    text: Annotated[str, Compressed(above=100)]


def books(item: dict[str, Any]) -> Any:
    return [("Book", {"shelf": item["shelf"], "place": n, "title": title}) for n, title in enumerate(item["titles"])]


def shelf(item: dict[str, Any], parts: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    return {"titles": [fields["title"] for _, fields in parts]}


def diaries(item: dict[str, Any]) -> Any:
    return [("Diary", {"shelf": item["shelf"], "place": n, "text": text}) for n, text in enumerate(item["titles"])]


def letters(item: dict[str, Any]) -> Any:
    return [("Letter", {"shelf": item["shelf"], "place": n, "text": text}) for n, text in enumerate(item["titles"])]


def migrator(db: Session, by: Any, part: str) -> Migrator:
    return Migrator(
        db, library, [file(SplitItem("Shelf", by=by, removes=("titles",), back=shelf, parts=(part,)))], fitting=False
    )


def titles(db: Session) -> list[str]:
    return [book.title for book in db.scan_for_maintenance(Book)]


def test_a_part_takes_the_place_of_what_was_deleted_softly() -> None:
    clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
    with open_engine("memory:") as engine, library.open(engine, clock=clock.time) as db:
        db.create(Shelf(shelf="a", titles=["Emma", "Persuasion", "Sanditon"]))
        migrator(db, books, "Book").run(write=True)
        clock.move(5)
        db.delete(key(Book, shelf="a", place=1))
        assert skipped(migrator(db, books, "Book").rollback(write=True)) == {}
        for _ in range(2):
            assert skipped(migrator(db, books, "Book").run(write=True)) == {}
        assert written(migrator(db, books, "Book").run(write=True)) == 0
        assert titles(db) == ["Emma", "Sanditon"]
        db.create(Book(shelf="b", place=0, title="Persuasion"))  # which nobody holds any more
        migrator(db, books, "Book").cutover()
        assert skipped(migrator(db, books, "Book").retire(write=True)) == {}
        assert sorted(titles(db)) == ["Emma", "Persuasion", "Sanditon"]


def test_a_part_that_new_code_deleted_softly_is_not_made_again() -> None:
    clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
    with open_engine("memory:") as engine, library.open(engine, clock=clock.time) as db:
        db.create(Shelf(shelf="a", titles=["Emma", "Persuasion"]))
        migrator(db, books, "Book").run(write=True)
        clock.move(5)
        db.delete(key(Book, shelf="a", place=1))
        db.update(key(Shelf, shelf="a"), set={"titles": ["Emma", "Persuasion", "Sanditon"]})
        assert skipped(migrator(db, books, "Book").run(write=True)) == {BOTH: 1}
        assert titles(db) == ["Emma"]


def test_parts_that_only_a_session_could_write_are_told() -> None:
    with library.open("memory:") as db:
        db.create(Shelf(shelf="a", titles=["secret" * 100]))
        assert skipped(migrator(db, diaries, "Diary").plan()) == {SEALED: 1}
        assert skipped(migrator(db, diaries, "Diary").run(write=True)) == {SEALED: 1}
        assert list(db.scan_for_maintenance(Diary)) == []
        migrator(db, diaries, "Diary").rollback(write=True)
        assert skipped(migrator(db, letters, "Letter").run(write=True)) == {}
        assert [letter.text for letter in db.scan_for_maintenance(Letter)] == ["secret" * 100]
