"""Transactions in memory and in a file: rollback, groups that go wrong, snapshots."""

import math
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.schema import TableSchema
from tablewright.engine.storage import Change, Database, StaleSchemaError, TableStore, Transaction, open_database
from tablewright.engine.storage.committer import Pending
from tablewright.engine.storage.database import FileDatabase
from tablewright.errors import StorageError
from tablewright.values import dumps, item_size

DEFINITION: dict[str, Any] = {
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "IndexNumbers": {},
    "NextIndex": 1,
}


@pytest.fixture(params=["memory", "file"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    opened = open_database("memory:" if request.param == "memory" else str(tmp_path / "d.db"), "NORMAL")
    yield opened
    opened.close()


def make_table(database: Database, name: str = "Made") -> TableStore:
    def work(transaction: Transaction) -> TableSchema:
        return transaction.add_table(name, DEFINITION)

    database.alter(work)
    return database.catalogue.tables[name]


def change(table: TableStore, name: str) -> Change:
    item = {"id": {"S": name}}
    return Change(table, table.schema.key(item), None, item, item_size(item), dumps(item))


def count(database: Database, table: TableStore) -> int:
    with database.reading() as connection:
        return table.count(connection)[0]


def test_an_error_after_a_write_rolls_it_back(database: Database) -> None:
    table = make_table(database)

    def work(transaction: Transaction) -> None:
        transaction.apply(change(table, "a"))
        raise KeyError("after the write")

    with pytest.raises(KeyError):
        database.write(work)
    assert count(database, table) == 0
    database.write(lambda transaction: transaction.apply(change(table, "b")))
    assert count(database, table) == 1


def test_a_failed_alteration_leaves_the_catalogue_as_it_was(database: Database) -> None:
    def work(transaction: Transaction) -> None:
        transaction.add_table("Half", DEFINITION)
        raise KeyError("after creating")

    with pytest.raises(KeyError):
        database.alter(work)
    assert list(database.catalogue.tables) == []
    make_table(database, "Whole")
    assert list(database.catalogue.tables) == ["Whole"]


def test_a_table_that_changed_makes_the_request_start_again(database: Database) -> None:
    table = make_table(database)
    database.alter(lambda transaction: transaction.remove_table(table))
    make_table(database)
    with pytest.raises(StaleSchemaError):
        database.write(lambda transaction: transaction.require(table))
    with pytest.raises(StaleSchemaError), database.reading() as connection:
        table.get(connection, (b"x", b""))


def test_a_table_keeps_its_object_while_others_come_and_go(database: Database) -> None:
    table = make_table(database)
    other = make_table(database, "Other")
    database.alter(lambda transaction: transaction.remove_table(other))
    assert database.catalogue.tables == {"Made": table}


# ---------------------------------------------------------------------------------------------- groups in a file


@pytest.fixture
def file_database(tmp_path: Path) -> Any:
    opened = FileDatabase(str(tmp_path / "grouped.db"), "NORMAL")
    yield opened
    opened.close()


def test_a_request_that_spoils_a_group_fails_alone(file_database: FileDatabase) -> None:
    table = make_table(file_database)

    def spoil(transaction: Transaction) -> None:
        transaction.apply(change(table, "spoiled"))
        raise KeyError("after the write")

    def good(name: str) -> Pending:
        return Pending(lambda transaction: transaction.apply(change(table, name)))

    group = [good("a"), Pending(spoil), good("b")]
    file_database._commit_group(group)
    assert [pending.settled for pending in group] == [True, True, True]
    assert [type(pending.error) for pending in group] == [type(None), KeyError, type(None)]
    assert count(file_database, table) == 2


def test_a_commit_that_fails_reaches_everybody(file_database: FileDatabase) -> None:
    table = make_table(file_database)
    connection = file_database._writer

    class Failing:
        """The writer, but its COMMIT finds the disk full."""

        def __getattr__(self, name: str) -> Any:
            return getattr(connection, name)

        def execute(self, sql: str, *values: Any) -> Any:
            if sql == "COMMIT":
                error = sqlite3.OperationalError("database or disk is full")
                error.sqlite_errorname = "SQLITE_FULL"
                raise error
            return connection.execute(sql, *values)

    group = [Pending(lambda t, n=n: t.apply(change(table, n))) for n in "abc"]
    file_database._writer = Failing()  # type: ignore[assignment]
    file_database._commit_group(group)
    file_database._writer = connection
    assert [str(pending.error) for pending in group] == [
        f"The disk that holds {file_database.where} is full. Free some space and try again."
    ] * 3
    assert count(file_database, table) == 0
    assert not connection.in_transaction


def test_an_interrupt_during_a_group_rolls_it_back(file_database: FileDatabase) -> None:
    table = make_table(file_database)

    def interrupt(transaction: Transaction) -> None:
        transaction.apply(change(table, "b"))
        raise KeyboardInterrupt

    group = [
        Pending(lambda transaction: transaction.apply(change(table, "a"))),
        Pending(interrupt),
    ]
    with pytest.raises(KeyboardInterrupt):
        file_database._commit_group(group)
    assert [pending.settled for pending in group] == [False, False]
    assert count(file_database, table) == 0
    assert not file_database._writer.in_transaction


def test_who_must_not_wait_is_told_at_once(file_database: FileDatabase, tmp_path: Path) -> None:
    assert file_database.commit_seconds == math.inf
    table = make_table(file_database)
    assert file_database.commit_seconds < math.inf

    def add(name: str) -> Any:
        return lambda: file_database.write(lambda transaction: transaction.apply(change(table, name)))

    assert file_database.together_at_once([add("a"), add("b")]) == [None, None]
    with closing(sqlite3.connect(tmp_path / "grouped.db", isolation_level=None)) as foreign:
        foreign.execute("BEGIN IMMEDIATE")
        assert file_database.together_at_once([add("c")]) is None
        patient = threading.Thread(target=add("d"))
        patient.start()
        assert count(file_database, table) == 2
        foreign.execute("ROLLBACK")
    patient.join()
    assert count(file_database, table) == 3


def test_who_must_not_wait_does_not_wait_for_a_thread_either(file_database: FileDatabase) -> None:
    table = make_table(file_database)
    begun, over = threading.Event(), threading.Event()

    def slow(transaction: Transaction) -> None:
        begun.set()
        assert over.wait(5)
        transaction.apply(change(table, "slow"))

    other = threading.Thread(target=lambda: file_database.write(slow))
    other.start()
    assert begun.wait(5)
    assert file_database.together_at_once([lambda: file_database.write(lambda t: t.apply(change(table, "a")))]) is None
    over.set()
    other.join()
    assert count(file_database, table) == 1


def test_what_cannot_share_a_commit_is_not_done_at_once(file_database: FileDatabase) -> None:
    table = make_table(file_database)

    def spoil() -> None:
        def work(transaction: Transaction) -> None:
            transaction.apply(change(table, "spoiled"))
            raise KeyError("after the write")

        file_database.write(work)

    fine = [lambda: file_database.write(lambda t: t.apply(change(table, "a"))), spoil]
    assert file_database.together_at_once(fine) is None
    assert file_database.together_at_once([lambda: make_table(file_database, "Other")]) is None
    assert count(file_database, table) == 0
    file_database.close()
    (error,) = file_database.together_at_once([lambda: None]) or ()
    assert isinstance(error, StorageError)


def test_a_snapshot_does_not_move(file_database: FileDatabase) -> None:
    table = make_table(file_database)
    with file_database.snapshot() as connection:
        assert table.count(connection)[0] == 0
        writer = threading.Thread(target=lambda: file_database.write(lambda t: t.apply(change(table, "a"))))
        writer.start()
        writer.join()
        assert table.count(connection)[0] == 0
    assert count(file_database, table) == 1


def test_readers_cannot_write(file_database: FileDatabase) -> None:
    table = make_table(file_database)
    with pytest.raises(StorageError), file_database.reading() as connection:
        table.delete(connection, 1)


def test_the_durability_that_was_asked_for(tmp_path: Path) -> None:
    for synchronous, level in (("FULL", 2), ("NORMAL", 1)):
        database = FileDatabase(str(tmp_path / f"{synchronous}.db"), synchronous)  # type: ignore[arg-type]
        assert database._writer.execute("PRAGMA synchronous").fetchone() == (level,)
        assert database._writer.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        database.close()
