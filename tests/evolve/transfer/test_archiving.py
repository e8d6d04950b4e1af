"""Archives: written, verified, and only then deleted; what was changed meanwhile stays."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tablewright import GSI, Entity, Keys, Session, Table, key
from tablewright.engine import Engine, open_engine
from tablewright.errors import ArgumentError
from tablewright.evolve.transfer import archiving
from tablewright.evolve.transfer.archiving import archive, digest_path, verify_archive
from tablewright.evolve.transfer.importing import Imported, ImportOptions, import_rows
from tablewright.evolve.transfer.mapping import EntityMapping
from tablewright.evolve.transfer.selecting import of_entity, of_pattern
from tablewright.evolve.transfer.sources import find_source
from tests.evolve.transfer.models import Customer, Order, shop

NOON = datetime(2025, 6, 30, 12, tzinfo=UTC)
OLD = of_entity(shop, "Order", ["status=SHIPPED"])


@pytest.fixture
def engine() -> Iterator[Engine]:
    with open_engine("memory:") as opened:
        yield opened


@pytest.fixture
def db(engine: Engine) -> Iterator[Session]:
    with shop.open(engine) as opened:
        for number in range(6):
            status = "SHIPPED" if number % 2 else "PENDING"
            opened.create(
                Order(username="ann", order_id=f"o{number}", placed_at=NOON, total=Decimal(number), status=status)
            )
        yield opened


def ids(db: Session) -> list[str]:
    return sorted(order.order_id for order in db.scan_for_maintenance(Order))


def test_a_dry_run_only_counts(db: Session, tmp_path: Path) -> None:
    done = archive(db, OLD, tmp_path / "old.json")
    assert (done.items, done.written, done.deleted) == (3, False, 0)
    assert len(ids(db)) == 6
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["old.json", "old.json.gz"])
def test_what_is_archived_is_deleted_and_can_come_back(db: Session, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    before = {order.order_id: order for order in db.scan_for_maintenance(Order)}
    done = archive(db, OLD, path, write=True)
    assert (done.items, done.deleted, done.changed, done.before) == (3, 3, 0, False)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert ids(db) == ["o0", "o2", "o4"]
    again = archive(db, OLD, path, write=True)
    assert (again.items, again.deleted, again.before) == (3, 3, True)  # told as it was, from the checkpoint
    source = find_source(str(path), "dynamodb", EntityMapping())
    assert import_rows(db, shop, source, options=ImportOptions(write=True)).new == 3
    assert {order.order_id: order for order in db.scan_for_maintenance(Order)} == before


ledger = Table("Ledger", indexes=[GSI("GSI1")])


class Page(Entity, table=ledger, version=True):
    keys = Keys("BOOK#{book}", "PAGE#{number:3}", GSI1=("PAGES", "{created_at}#{updated_at}#{number:3}"))
    book: str
    number: int
    words: str = ""


class Leaf(Entity, table=ledger):
    keys = Keys("BOOK#{book}", "LEAF#{number:3}", GSI1=("LEAVES", "{created_at}#{number:3}"))
    book: str
    number: int
    words: str = ""


def whole(db: Session) -> list[Any]:
    found = db.send("Scan", {"TableName": "Ledger"})["Items"]
    return sorted(found, key=lambda item: str(item["SK"]["S"]))


def back(db: Session, path: Path, **options: Any) -> Imported:
    source = find_source(str(path), "dynamodb", EntityMapping())
    return import_rows(db, ledger, source, options=ImportOptions(write=True, **options))


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("entity", [Page, Leaf])
def test_what_comes_back_is_what_it_was(tmp_path: Path, entity: type[Any], replace: bool) -> None:
    """With new times it stood elsewhere in indexes that are sorted by them; with a new version, old copies fitted again."""
    with ledger.open("memory:") as db:
        for number in range(3):
            page = db.create(entity(book="b", number=number, words="first"))
            if number:
                page.words = "second"
                db.put(page)
        before, held = whole(db), db.get(key(entity, book="b", number=1))
        assert held is not None
        path = tmp_path / "old.json"
        assert archive(db, of_entity(ledger, entity.__name__), path, write=True).deleted == 3
        assert whole(db) == []
        assert back(db, path, replace=replace).new == 3
        assert whole(db) == before
        assert back(db, path, replace=replace).same == 3
        assert whole(db) == before
        held.words = "third"
        db.put(held)  # who held what was archived holds what came back
        assert back(db, path, replace=replace).well is replace
        now = db.get(key(entity, book="b", number=1))
        assert now is not None
        assert now.words == ("second" if replace else "third")
        assert [item["CreatedAt"] for item in whole(db)] == [item["CreatedAt"] for item in before]


def test_one_that_was_made_anew_meanwhile_is_replaced_where_told(tmp_path: Path) -> None:
    """Its version is not that of the archive, which is no lock on it."""
    with ledger.open("memory:") as db:
        db.put(db.create(Page(book="b", number=1, words="old")))
        archive(db, of_entity(ledger, "Page"), tmp_path / "old.json", write=True)
        db.create(Page(book="b", number=1, words="new"))
        (made,) = whole(db)
        report = back(db, tmp_path / "old.json", replace=True)
        assert (report.replaced, report.problems) == (1, [])
        (item,) = whole(db)
        assert (item["words"], item["Version"], item["CreatedAt"]) == ({"S": "old"}, {"N": "2"}, made["CreatedAt"])


def test_times_and_versions_that_are_none_begin_anew(tmp_path: Path) -> None:
    with ledger.open("memory:") as db:
        db.create(Page(book="b", number=1))
        (item,) = whole(db)
        wrong = [("soon", "0"), ("0001-01-01T00:00:00+14:00", "-3"), ("2024-05-01T12:00:00+02:00", "7")]
        lines = [
            {
                **item,
                "SK": {"S": f"PAGE#{n:03}"},
                "number": {"N": str(n)},
                "CreatedAt": {"S": at},
                "Version": {"N": version},
            }
            for n, (at, version) in enumerate(wrong, 2)
        ]
        (tmp_path / "some.json").write_text("".join(json.dumps({"Item": line}) + "\n" for line in lines))
        assert back(db, tmp_path / "some.json").new == 3
        first, second, third = whole(db)[1:]
        for fresh in (first, second):
            assert (fresh["CreatedAt"]["S"] >= item["CreatedAt"]["S"], fresh["Version"]) == (True, {"N": "1"})
        assert (third["CreatedAt"], third["Version"]) == ({"S": "2024-05-01T10:00:00.000000Z"}, {"N": "7"})
        assert third["GSI1SK"]["S"].startswith("2024-05-01T10:00:00.000000Z#")


def test_what_is_changed_after_it_was_archived_stays(
    db: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verify = archiving.verify_archive

    def meanwhile(path: Path) -> Any:
        db.update(key(Order, username="ann", order_id="o1"), set={"total": Decimal(99)})
        db.delete(key(Order, username="ann", order_id="o3"))
        return verify(path)

    monkeypatch.setattr(archiving, "verify_archive", meanwhile)
    done = archive(db, OLD, tmp_path / "old.json", write=True)
    assert (done.items, done.deleted, done.gone, done.changed) == (3, 1, 1, 1)
    assert ids(db) == ["o0", "o1", "o2", "o4"]


def test_what_is_changed_while_it_is_read_is_not_archived(db: Session, tmp_path: Path) -> None:
    from msgspec.structs import replace

    def read(db: Session) -> Iterator[Any]:
        found = list(OLD.read(db))
        db.update(key(Order, username="ann", order_id="o1"), set={"status": "PENDING"})
        yield from found

    done = archive(db, replace(OLD, read=read), tmp_path / "old.json", write=True)
    assert (done.items, done.deleted) == (2, 2)
    assert "o1" in ids(db)


def test_a_damaged_archive_deletes_nothing(db: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "old.json"
    monkeypatch.setattr(archiving, "_delete", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        archive(db, OLD, path, write=True)
    monkeypatch.undo()
    path.write_text(path.read_text().replace("o1", "o2"))
    with pytest.raises(ArgumentError, match="not what was archived: nothing was deleted"):
        archive(db, OLD, path, write=True)
    assert len(ids(db)) == 6


def test_an_archive_goes_on_after_a_kill_anywhere(engine: Engine, db: Session, tmp_path: Path) -> None:
    path, kills = tmp_path / "old.json", 0
    for patience in range(60):
        left = patience

        class Dying:
            """A way to the table that ends the program after some requests."""

            def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
                nonlocal left
                left -= 1
                if left < 0:
                    raise KeyboardInterrupt
                return engine.execute(operation, request)

            def close(self) -> None:
                """Nothing is kept open."""

        with shop.open(Dying(), create=False) as dying:
            try:
                done = archive(dying, OLD, path, write=True)
            except KeyboardInterrupt:
                kills += 1
                assert set(ids(db)) | {json.loads(line)["Item"]["order_id"]["S"] for line in _lines(path)} == {
                    f"o{number}" for number in range(6)
                }
                continue
        break
    assert kills >= 3
    assert done.items == done.deleted + done.gone == 3
    assert ids(db) == ["o0", "o2", "o4"]


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def test_unique_values_are_given_up(db: Session, tmp_path: Path) -> None:
    db.create(Customer(username="ann", email="a@x"))
    assert archive(db, of_entity(shop, "Customer"), tmp_path / "c.json", write=True).deleted == 1
    db.create(Customer(username="bob", email="a@x"))


def test_patterns_select_too_but_not_views(db: Session, tmp_path: Path) -> None:
    assert archive(db, of_pattern(shop, "orders_of", ["username=ann"]), tmp_path / "a.json", write=True).deleted == 6
    view = of_pattern(shop, "references", ["status=PENDING", "since=2025-01-01T00:00Z"])
    with pytest.raises(ArgumentError, match="reads some fields only"):
        archive(db, view, tmp_path / "b.json", write=True)


def test_files_of_others_are_left_alone(db: Session, tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_text("precious")
    with pytest.raises(ArgumentError, match="no digest beside it"):
        archive(db, OLD, path, write=True)
    assert path.read_text() == "precious"
    path.unlink()
    archive(db, OLD, path, write=True)
    with pytest.raises(ArgumentError, match="the archive of something else"):
        archive(db, of_entity(shop, "Order"), path, write=True)
    digest_path(path).write_text("{")
    with pytest.raises(ArgumentError, match="no digest of an archive"):
        verify_archive(path)


def test_wide_items_are_compared_by_their_last_write(tmp_path: Path) -> None:
    table = Table("Wide")
    fields = {f"f{number}": (str | None, None) for number in range(200)}
    wide: Any = type(
        "Wide",
        (Entity,),
        {
            "__annotations__": {"wide_id": str, **{name: kind for name, (kind, _) in fields.items()}},
            **dict.fromkeys(fields),
            "keys": Keys("WIDE#{wide_id}", "WIDE"),
            "__module__": __name__,
        },
        table=table,
    )
    with table.open("memory:") as db:
        db.create(wide(wide_id="w", **dict.fromkeys(fields, "x")))
        assert archive(db, of_entity(table, "Wide"), tmp_path / "w.json", write=True).deleted == 1


@pytest.mark.parametrize("name", ["old.csv", "old.jsonl.gz", "old.Parquet"])
def test_an_archive_is_not_named_as_something_else(db: Session, tmp_path: Path, name: str) -> None:
    for write in (False, True):
        with pytest.raises(ArgumentError, match="named as if it held something else"):
            archive(db, OLD, tmp_path / name, write=write)
    assert len(ids(db)) == 6
