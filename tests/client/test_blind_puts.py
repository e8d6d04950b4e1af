"""Puts of fresh entities over items that nobody looked at: the version counts on, and the time of creation stays."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tablewright import Entity, Keys, Session, Stored, Table, key, stored, ulid

shelf = Table("BlindShelf")


class Book(Entity, table=shelf, version=True):
    keys = Keys("BOOK#{name}", "BOOK")
    name: str
    count: int = 0


A = key(Book, name="a")


@pytest.fixture(params=["memory", pytest.param("dynamodb-local", marks=pytest.mark.dynamodb_local)])
def db(request: pytest.FixtureRequest) -> Iterator[Session]:
    where = "memory:" if request.param == "memory" else request.getfixturevalue("dynamodb_local_url")
    with shelf.open(where, create=True, table_name=f"shelf-{ulid()}") as opened:
        yield opened
        if request.param != "memory":
            opened.delete_table()


def known(book: Book | None) -> Stored:
    found = None if book is None else stored(book)
    assert found is not None
    return found


def test_a_version_that_was_not_read_counts_on(db: Session) -> None:
    born = known(db.create(Book(name="a"))).created
    db.update(A, add={"count": 1})
    fresh = Book(name="a", count=7)
    db.put(fresh)
    assert (known(fresh).version, known(fresh).created) == (3, born)
    db.put(Book(name="a", count=8), returns="none")
    with db.transaction() as tx:
        tx.put(Book(name="a", count=9))
    assert db.put(Book(name="a", count=10), returns="old") == Book(name="a", count=9)
    now = db.get(A, consistent=True)
    assert (known(now).version, known(now).created) == (6, born)
    assert now == Book(name="a", count=10)


def test_a_version_starts_where_there_was_nothing(db: Session) -> None:
    fresh = Book(name="a")
    db.put(fresh)
    assert known(fresh).version == known(db.get(A, consistent=True)).version == 1
