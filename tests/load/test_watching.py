"""What requests use, and of which partitions."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from tablewright import LSI, Entity, Keys, Query, Session, Table, query
from tablewright.engine import open_engine
from tablewright.load.watching import Used, WatchedTransport
from tablewright.transport.embedded import EmbeddedTransport

NOW = datetime(2025, 6, 1, tzinfo=UTC)

notes = Table("Notes", indexes=[LSI("ByDay")])


class Note(Entity, table=notes):
    """A note with an index of its own partition."""

    keys = Keys("NOTES#{of}", "{number}", ByDay="{day}")
    of: str
    number: str
    day: str


@notes.pattern
def by_day(of: str) -> Query[Note]:
    "Notes by day."
    return query(Note, Note.of == of).via("ByDay")


Opened = tuple[Session, WatchedTransport]


@pytest.fixture
def place(library: Table) -> Iterator[Opened]:
    """The library, watched."""
    with open_engine("memory:") as engine:
        watched = WatchedTransport(EmbeddedTransport(engine), library)
        with library.open(watched, create=True) as db:
            yield db, watched


def kinds(library: Table) -> dict[str, Any]:
    return {entity.__name__: entity for entity in library.entities.values()}


def test_a_get_asks_one_partition(place: Opened, library: Table) -> None:
    db, watched = place
    used = watched.begin({})
    db.run(library.patterns["member"], member_id="m1")
    assert used == Used({}, 1, 0.5, 0.0, {("", "MEMBER#m1"): (0.5, 0.0)}, ("", "MEMBER#m1"))


def test_a_query_of_an_index_asks_a_partition_of_it(place: Opened, library: Table) -> None:
    db, watched = place
    used = watched.begin({})
    db.run(library.patterns["on_shelf"], shelf="art").take(5)
    assert list(used.partitions) == [("GSI1", "SHELF#art")]


def test_a_read_of_several_partitions_is_noted_for_each(place: Opened, library: Table) -> None:
    db, watched = place
    books = [f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2)]
    used = watched.begin({})
    db.run(library.patterns["loans_with"], books=books).all()
    assert sorted(used.partitions) == [("GSI1", f"BOOK#{book}") for book in books]
    assert used.requests == 2


def test_a_write_is_noted_in_the_table_and_in_its_indexes(place: Opened, library: Table) -> None:
    db, watched = place
    loan = kinds(library)["Loan"](member_id="m1", book_id="00000000-0000-0000-0000-000000000001", lent_at=NOW)
    used = watched.begin({"": "MEMBER#m1", "GSI1": "BOOK#1"})
    db.put(loan, returns="none")
    assert used.partitions == {("", "MEMBER#m1"): (0.0, 1.0), ("GSI1", "BOOK#1"): (0.0, 1.0)}
    assert used.write_units == 2


def test_what_nobody_watches_is_not_noted(place: Opened, library: Table) -> None:
    db, watched = place
    used = watched.begin({})
    watched.end()
    db.run(library.patterns["member"], member_id="m1")
    assert used.requests == 0


def test_gets_of_several_items_are_shared_out(place: Opened) -> None:
    db, watched = place
    keys = [{"PK": {"S": f"MEMBER#{n}"}, "SK": {"S": "MEMBER"}} for n in "ab"]
    used = watched.begin({})
    db.send("BatchGetItem", {"RequestItems": {"Library": {"Keys": keys}}})
    db.send("TransactGetItems", {"TransactItems": [{"Get": {"TableName": "Library", "Key": key}} for key in keys]})
    assert used.partitions == {("", "MEMBER#a"): (2.5, 0.0), ("", "MEMBER#b"): (2.5, 0.0)}  # a half, and two


def test_a_local_index_is_part_of_the_partition_of_the_table() -> None:
    with open_engine("memory:") as engine:
        watched = WatchedTransport(EmbeddedTransport(engine), notes)
        with notes.open(watched, create=True) as db:
            db.put(Note(of="ada", number="1", day="2025-06-01"))
            used = watched.begin({})
            assert len(db.run(by_day, of="ada").all()) == 1
    assert list(used.partitions) == [("", "NOTES#ada")]
