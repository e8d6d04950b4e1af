"""Soft delete: tombstones that readers do not see, that free what the item held, and that it comes back from."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from tablewright import (
    GSI,
    AttributeNames,
    Collection,
    Entity,
    Epoch,
    Get,
    Keys,
    Session,
    SoftDelete,
    Table,
    collect,
    get,
    key,
    many,
    query,
    stored,
)
from tablewright.errors import (
    AlreadyExistsError,
    ArgumentError,
    ConcurrentModificationError,
    ConditionalCheckError,
    ContentionError,
    DecodeError,
    ModelError,
    NotFoundError,
    OutcomeUnknownError,
    RequestRefused,
    ReservedNameError,
    UniqueViolationError,
)
from tests.client.conftest import Laboratory
from tests.client.lab import Draft, Ticket, changed_drafts, drafts_by, drafts_of, lab

ONE = key(Draft, tenant_id="t", draft_id="1")
PLACE = ("DRAFTS#t", "DRAFT#1")


def draft(number: str = "1", **more: Any) -> Draft:
    return Draft(tenant_id="t", draft_id=number, **more)


def indexed(db: Session, index: str) -> int:
    count: int = db.send("Scan", {"TableName": db.table_name, "IndexName": index})["Count"]
    return count


def test_a_deleted_item_is_hidden_everywhere(anywhere: Session) -> None:
    db = anywhere
    made = db.create(draft(author="ann", slug="a"))
    db.create(draft("2", author="ann"))
    assert db.delete(made) == made

    assert db.get(ONE) is None
    assert db.get(made, consistent=True) is None
    assert db.get_many([ONE, key(Draft, tenant_id="t", draft_id="2")])[0] is None
    assert db.get_many([ONE], together=True) == [None]
    for results in (db.run(drafts_of, "t"), db.run(changed_drafts, "t"), db.run(drafts_by, "ann")):
        assert [d.draft_id for d in results] == ["2"]
        assert results.count() == 1
        first = results.first()
        assert first is not None
        assert first.draft_id == "2"
        assert [d.draft_id for d in results.page(1)] in (["2"], [])
    assert [d.draft_id for d in db.scan_for_maintenance(Draft)] == ["2"]
    assert indexed(db, "GSI1") == 1
    assert indexed(db, "GSI3") == 2  # the feed
    assert db.delete(ONE) is None
    for change in (
        lambda: db.update(ONE, set={"author": "bob"}),
        lambda: db.update(made, set={"author": "bob"}),
        lambda: db.increment(ONE, Draft.rank),
        lambda: db.revise(ONE, lambda d: None),
        lambda: db.claim_unique(ONE),
    ):
        with pytest.raises(NotFoundError):
            change()


def test_pages_go_on_past_tombstones(laboratory: Laboratory) -> None:
    db = laboratory.db
    for number in range(30):
        db.create(draft(f"{number:02}"))
    for number in range(29):
        db.delete(key(Draft, tenant_id="t", draft_id=f"{number:02}"))
    found: list[Draft] = []
    cursor: str | None = None
    while True:
        page = db.run(drafts_of, "t").page(2, cursor)
        found += page
        cursor = page.cursor
        if cursor is None:
            break
    assert [d.draft_id for d in found] == ["29"]


def test_what_a_tombstone_is(laboratory: Laboratory) -> None:
    made = laboratory.db.create(draft(author="ann", slug="a"))
    laboratory.overwrite(*PLACE, "Extra", {"S": "of other code"})
    laboratory.db.delete(ONE)
    item = laboratory.item(*PLACE)
    when = item["DeletedAt"]["S"]
    known = stored(made)
    assert known is not None
    expires = int((datetime.fromisoformat(when) + timedelta(days=7)).timestamp())
    assert item == {
        "PK": {"S": "DRAFTS#t"},
        "SK": {"S": "DRAFT#1"},
        "Type": {"S": "Draft"},
        "DeletedAt": {"S": when},
        "UpdatedAt": {"S": when},
        "ExpiresAt": {"N": str(expires)},
        "GSI3PK": {"S": "DRAFTS#t"},
        "GSI3SK": {"S": f"{when}#1"},
        "DeletedItem": {
            "M": {
                "tenant_id": {"S": "t"},
                "draft_id": {"S": "1"},
                "author": {"S": "ann"},
                "slug": {"S": "a"},
                "rank": {"N": "0"},
                "CreatedAt": {"S": known.created},
                "UpdatedAt": {"S": known.updated},
                "Extra": {"S": "of other code"},
            }
        },
    }
    assert [i for i in laboratory.items() if i["Type"] == {"S": "Unique"}] == []


@pytest.mark.parametrize("way", ["create", "put", "upsert", "transaction", "batch"])
def test_the_key_can_be_used_again(laboratory: Laboratory, way: str) -> None:
    db = laboratory.db
    db.create(draft(author="ann", slug="a"))
    db.delete(ONE)
    fresh = draft(author="bob")
    if way == "transaction":
        with db.transaction() as tx:
            tx.create(fresh)
    elif way == "batch":
        with db.batch(transactional=True) as batch:
            batch.put(fresh)
    else:
        getattr(db, way)(fresh)
    item = laboratory.item(*PLACE)
    assert not {"DeletedAt", "DeletedItem", "ExpiresAt", "slug"} & item.keys()
    assert item["CreatedAt"] == item["UpdatedAt"]  # it is a new item, not the old one
    assert db.get(ONE) == fresh
    with pytest.raises(AlreadyExistsError):
        db.undelete(ONE)


def test_unique_values_are_free_and_may_be_gone_on_return(laboratory: Laboratory) -> None:
    db = laboratory.db
    db.create(draft(slug="a"))
    db.delete(ONE)
    db.create(draft("2", slug="a"))
    with pytest.raises(UniqueViolationError):
        db.undelete(ONE)
    assert "DeletedAt" in laboratory.item(*PLACE)
    db.delete(key(Draft, tenant_id="t", draft_id="2"))
    assert db.undelete(ONE).slug == "a"
    with pytest.raises(UniqueViolationError):
        db.create(draft("3", slug="a"))


def test_an_item_comes_back_as_it_was(laboratory: Laboratory) -> None:
    db = laboratory.db
    made = db.create(draft(author="ann", slug="a", rank=3))
    laboratory.overwrite(*PLACE, "Extra", {"S": "kept"})
    before = laboratory.item(*PLACE)
    db.delete(ONE)
    back = db.undelete(ONE)
    assert back == made
    after = laboratory.item(*PLACE)
    changed = {n for n in after.keys() | before.keys() if after.get(n) != before.get(n)}
    assert changed == {"UpdatedAt", "GSI3SK"}
    known = stored(back)
    assert known is not None
    assert {"S": known.updated} == after["UpdatedAt"]
    assert db.update(back, set={"author": "bob"}).author == "bob"


def test_undelete_in_a_transaction(laboratory: Laboratory) -> None:
    db = laboratory.db
    db.create(draft(slug="a"))
    db.delete(ONE)
    with db.transaction() as tx:
        tx.undelete(ONE)
        tx.create(draft("2"))
    assert len(db.run(drafts_of, "t").all()) == 2
    with pytest.raises(AlreadyExistsError), db.transaction() as tx:
        tx.undelete(ONE)


def test_nothing_to_bring_back(laboratory: Laboratory) -> None:
    with pytest.raises(NotFoundError, match="no deleted Draft"):
        laboratory.db.undelete(ONE)
    with pytest.raises(ArgumentError, match="leave no tombstones"):
        laboratory.db.undelete(key(Ticket, tenant_id="t", ticket_id="1"))
    with pytest.raises(ArgumentError, match="leave no tombstones"):
        laboratory.db.purge(key(Ticket, tenant_id="t", ticket_id="1"))


@pytest.mark.parametrize("remains", [{"S": "x"}, {"M": {"CreatedAt": {"S": ""}}}])
def test_a_tombstone_of_another_form_is_told(laboratory: Laboratory, remains: Any) -> None:
    db = laboratory.db
    db.create(draft(slug="a"))
    db.delete(ONE)
    laboratory.overwrite(*PLACE, lab.names.remains, remains)
    with pytest.raises(DecodeError):
        db.undelete(ONE)


@pytest.mark.parametrize("deleted", [{"N": "1"}, {"S": "yesterday"}])
def test_a_time_of_deletion_of_another_form_is_told(laboratory: Laboratory, deleted: Any) -> None:
    db = laboratory.db
    db.create(draft(slug="a"))
    db.delete(ONE)
    with pytest.raises(DecodeError, match="tombstone of a Draft cannot be read"):
        db.decode({**laboratory.item(*PLACE), lab.names.deleted: deleted})


def test_purge_leaves_nothing(laboratory: Laboratory) -> None:
    db = laboratory.db
    db.create(draft(slug="a"))
    db.purge(ONE)
    assert laboratory.items() == []
    db.create(draft(slug="a"))
    db.delete(ONE)
    db.purge(ONE)
    assert laboratory.items() == []
    db.purge(ONE)


def test_what_is_kept_is_all_that_there_was(laboratory: Laboratory) -> None:
    """Another writer is faster, and its clock stands still: nothing of the item tells but its fields."""
    db, wire = laboratory.db, laboratory.wire
    db.create(draft())
    wire.restart()
    wire.before = {1: lambda: laboratory.overwrite(*PLACE, "author", {"S": "bob"})}
    assert db.delete(ONE) == draft(author="bob")
    assert db.undelete(ONE).author == "bob"
    wire.restart()
    wire.before = {1: lambda: laboratory.overwrite(*PLACE, "slug", {"S": "new"})}  # a field that was not there
    db.delete(ONE)
    assert laboratory.item(*PLACE)["DeletedItem"]["M"]["slug"] == {"S": "new"}


def test_two_deletes_and_a_delete_under_way(laboratory: Laboratory) -> None:
    db, wire = laboratory.db, laboratory.wire
    db.create(draft())
    wire.restart()
    wire.before = {1: lambda: laboratory.other.delete(ONE)}
    assert db.delete(ONE) is None
    db.create(draft())
    wire.restart()
    wire.before = {0: lambda: laboratory.other.delete(ONE)}
    with pytest.raises(NotFoundError):
        db.update(ONE, set={"rank": 1})
    wire.restart()
    wire.before = {1: lambda: laboratory.other.create(draft(author="bob"))}
    with pytest.raises(AlreadyExistsError):
        db.undelete(ONE)


def test_conditions_are_about_the_item(laboratory: Laboratory) -> None:
    db = laboratory.db
    db.create(draft(author="ann"))
    with pytest.raises(ConditionalCheckError):
        db.delete(ONE, when=Draft.author == "bob")
    db.delete(ONE, when=Draft.author == "ann")
    with pytest.raises(NotFoundError):
        db.delete(ONE, when=Draft.author == "ann")
    with pytest.raises(NotFoundError), db.transaction() as tx:
        tx.check(ONE)


def test_a_lost_reply_is_reported(laboratory: Laboratory) -> None:
    db, wire = laboratory.db, laboratory.wire
    db.create(draft())
    wire.restart()
    wire.lose = {1}
    with pytest.raises(OutcomeUnknownError):
        db.delete(ONE)
    assert db.get(ONE) is None


def test_contention_ends(laboratory: Laboratory) -> None:
    db, wire = laboratory.db, laboratory.wire
    db.create(draft())
    wire.restart()
    wire.before = {n: lambda: laboratory.other.increment(ONE, Draft.rank) for n in range(1, 20)}
    with pytest.raises(ContentionError):
        db.delete(ONE)
    assert db.get(ONE) is not None


def test_async_sessions_delete_softly_too() -> None:
    async def work() -> None:
        async with lab.open_async("memory:") as db:
            await db.create(draft())
            await db.delete(ONE)
            assert await db.get(ONE) is None
            assert await db.undelete(ONE) == draft()
            await db.purge(ONE)
            assert await db.get(ONE) is None

    asyncio.run(work())


# -------------------------------------------------------------------------------------------- with other options

shelf = Table(
    "Shelf",
    indexes=[GSI("GSI1"), GSI("ByPlace", pk=["country", "city"], sk=None)],
    names=AttributeNames.lower(),
)


class Book(Entity, table=shelf, version=True, ttl="until", nested="book", flat=["until"], soft_delete=SoftDelete()):
    """With a version, an expiry of its own, fields in a map, and an index of its own fields."""

    keys = Keys(
        "SHELF#{shelf}",
        "BOOK#{number:3}",
        GSI1=("TITLE#{title}", "{number:3}"),
        ByPlace=(("{country}", "{city}"), ()),
    )
    shelf: str
    number: int
    title: str = "untitled"
    until: Annotated[datetime, Epoch("s")] | None = None
    country: str | None = None
    city: str | None = None


class Card(Entity, table=shelf):
    """Lies on the same shelf."""

    keys = Keys("SHELF#{shelf}", "CARD#{number:3}")
    shelf: str
    number: int


class Title(BaseModel):
    """A view of a book."""

    title: str


class Everything:
    """A shelf."""

    def __init__(self, books: list[Book], cards: list[Card]) -> None:
        self.books, self.cards = books, cards


@shelf.pattern
def book_title(shelf: str, number: int) -> Get[Title]:
    return get(Book, Book.shelf == shelf, Book.number == number).only(Title)


@shelf.pattern
def on(name: str) -> Collection[Everything]:
    return collect(Everything, books=many(query(Book, Book.shelf == name)), cards=many(query(Card, Card.shelf == name)))


def test_versions_expiry_and_maps_come_back_too() -> None:
    until = datetime(2027, 1, 1, tzinfo=UTC)
    with shelf.open("memory:") as db:
        book = db.create(Book(shelf="s", number=1, title="It", until=until, country="DE", city="Bonn"))
        old = db.get(book)
        db.create(Card(shelf="s", number=1))
        assert old is not None
        db.delete(book)
        (tombstone,) = (i for i in db.send("Scan", {"TableName": "Shelf"})["Items"] if "deleted_at" in i)
        assert tombstone["until"] != {"N": str(int(until.timestamp()))}
        assert indexed(db, "ByPlace") == indexed(db, "GSI1") == 0
        assert db.run(book_title, "s", 1) is None
        assert db.run(on, "s").books == []
        assert len(db.run(on, "s").cards) == 1
        back = db.undelete(book)
        known = stored(back)
        assert known is not None
        assert (back, known.version) == (book, 2)
        assert indexed(db, "ByPlace") == indexed(db, "GSI1") == 1
        assert db.run(on, "s").books == [book]
        writes: list[Callable[[], object]] = [
            lambda: db.put(old),
            lambda: db.delete(old),
            lambda: db.update(old, set={"title": "x"}),
        ]
        for write in writes:
            with pytest.raises(ConcurrentModificationError):
                write()
        db.delete(back)
        with pytest.raises(NotFoundError):
            db.put(back)
        fresh = stored(db.put(Book(shelf="s", number=1)))
        assert fresh is not None
        assert fresh.version == 1


def test_what_fills_an_item_is_deleted_but_not_kept() -> None:
    with shelf.open("memory:") as db:
        db.create(Book(shelf="s", number=1, title="x"))
        size = 409_600 - 100
        while True:
            try:
                db.send(
                    "UpdateItem",
                    {
                        "TableName": "Shelf",
                        "Key": {"pk": {"S": "SHELF#s"}, "sk": {"S": "BOOK#001"}},
                        "UpdateExpression": "SET filling = :f",
                        "ExpressionAttributeValues": {":f": {"S": "x" * size}},
                    },
                )
                break
            except RequestRefused:
                size -= 10
        db.delete(key(Book, shelf="s", number=1))
        assert db.get(key(Book, shelf="s", number=1)) is None
        with pytest.raises(NotFoundError, match="too large"):
            db.undelete(key(Book, shelf="s", number=1))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"soft_delete": True}, "a SoftDelete"),
        ({"soft_delete": SoftDelete(), "timestamps": False}, "time stamps"),
        ({"soft_delete": SoftDelete(feed="GSI9")}, "has no keys for"),
        ({"soft_delete": SoftDelete(feed="ByTitle")}, "is a field of"),
        ({"soft_delete": SoftDelete(feed="Narrow")}, "could not tell tombstones"),
    ],
    ids=["no SoftDelete", "no stamps", "no such feed", "fields as keys", "keys only"],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    table = Table("Any", indexes=[GSI("ByTitle", pk=["title", "name"], sk=None), GSI("Narrow", projection="KEYS_ONLY")])
    with pytest.raises(ModelError, match=message):

        class Thing(Entity, table=table, **options):
            keys = Keys(
                "THING#{name}", "THING", ByTitle=(("{title}", "{name}"), ()), Narrow=("TITLE#{title}", "{name}")
            )
            name: str
            title: str | None = None


@pytest.mark.parametrize("keep", [timedelta(0), timedelta(seconds=-1), 30], ids=["none", "negative", "a number"])
def test_a_tombstone_is_kept_for_some_time(keep: Any) -> None:
    with pytest.raises(ModelError, match="at least a second"):
        SoftDelete(keep=keep)


@pytest.mark.parametrize("attribute", ["DeletedAt", "DeletedItem", "ExpiresAt"])
def test_names_of_tombstones_are_not_fields(attribute: str) -> None:
    table = Table("Any")
    with pytest.raises(ReservedNameError):

        class Thing(Entity, table=table, soft_delete=SoftDelete(), stored={"title": attribute}):
            keys = Keys("THING#{name}", "THING")
            name: str
            title: str
