"""Models to load: events in one partition or in several shards, and a library whose parts belong to each other."""

from collections.abc import Callable
from datetime import date, datetime
from typing import Annotated, Literal
from uuid import UUID

import pytest
from pydantic import Field

from tablewright import GSI, Entity, Get, Keys, Query, Shard, Table, get, is_in, query

MakeEvents = Callable[..., Table]


@pytest.fixture
def make_events() -> MakeEvents:
    """A feed of events, all in one partition or spread over shards."""

    def make(shards: int = 1, *, writes: float = 300, rate: float = 10, size: int = 400) -> Table:
        events = Table("Events")

        in_one = Keys("EVENTS", "{at}#{event_id}")
        spread = Keys("EVENTS#{shard}", "{at}#{event_id}", derive={"shard": Shard("event_id", of=max(2, shards))})

        class Event(Entity, table=events):
            keys = in_one if shards == 1 else spread
            event_id: str
            at: datetime
            text: str = ""

        @events.pattern
        def since(start: datetime) -> Query[Event]:
            "Events from a moment on, newest first."
            return query(Event, Event.at >= start).newest_first().per_page(10)

        events.expect(Event, items=100_000, size=size, writes=writes)
        events.expect(since, rate=rate, results=10)
        return events

    return make


@pytest.fixture
def library() -> Table:
    """Members lend books; loans belong to both."""
    library = Table("Library", indexes=[GSI("GSI1")])

    class Member(Entity, table=library):
        keys = Keys("MEMBER#{member_id}", "MEMBER", unique=["email"])
        member_id: str
        email: str
        name: str

    class Book(Entity, table=library):
        keys = Keys("BOOK#{book_id}", "BOOK", GSI1=("SHELF#{shelf}", "{book_id}"))
        book_id: UUID
        shelf: Literal["art", "science", "travel"]
        title: str

    class Loan(Entity, table=library):
        keys = Keys("MEMBER#{member_id}", "LOAN#{lent_at}", GSI1=("BOOK#{book_id}", "{lent_at}"))
        member_id: str
        book_id: UUID
        lent_at: datetime
        pages: Annotated[int, Field(ge=0)] = 0

    class Opening(Entity, table=library):
        keys = Keys("OPENING", "{day}")
        day: date
        visitors: int = 0

    @library.pattern
    def member(member_id: str) -> Get[Member]:
        "A member."
        return get(Member, Member.member_id == member_id)

    @library.pattern
    def loans_of(member_id: str, since: datetime | None = None) -> Query[Loan]:
        "What a member has lent, newest first."
        return query(Loan, Loan.member_id == member_id).when(since, lambda t: Loan.lent_at >= t).newest_first()

    @library.pattern
    def on_shelf(shelf: Literal["art", "science", "travel"]) -> Query[Book]:
        "The books of a shelf."
        return query(Book, Book.shelf == shelf).per_page(5)

    @library.pattern
    def loans_with(books: list[UUID]) -> Query[Loan]:
        "Who has lent some books."
        return query(Loan, is_in(Loan.book_id, books))

    library.expect(Member, items=1_000, size=500, writes=2)
    library.expect(Book, items=5_000, size=300, writes=1)
    library.expect(Loan, items=20_000, writes=10, per={"member_id": 50})
    library.expect(Opening, writes=1)
    library.expect(Member.member_id, hottest=0.4)
    library.expect(Book.shelf, hottest=0.7)
    library.expect(member, rate=20, latency_ms=1000)
    library.expect(loans_of, rate=20, results=5)
    library.expect(on_shelf, rate=10, results=5)
    return library
