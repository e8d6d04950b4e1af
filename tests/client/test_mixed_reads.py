"""Several entities in one read, each item as what it is."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright import GSI, Entity, Keys, Mixed, Session, Table, key, query
from tablewright.errors import ModelError, PatternError, UnknownEntityTypeError

cinema = Table("Cinema", indexes=[GSI("GSI1")])


class Film(Entity, table=cinema):
    keys = Keys("FILM#{film}", "FILM")
    film: str
    title: str = ""


class Poster(Entity, table=cinema):
    keys = Keys("FILM#{film}", "POSTER#{number:3}")
    film: str
    number: int


class Review(Entity, table=cinema):
    keys = Keys("FILM#{film}", "REVIEW#{day}#{author}", GSI1=("AUTHOR#{author}", "{day}#{film}"))
    film: str
    day: date
    author: str


class Show(Entity, table=cinema):
    keys = Keys("FILM#{film}", "SHOW#{day}#{hall:2}")
    film: str
    day: date
    hall: int


@cinema.pattern
def page_of(film: str, since: date | None = None) -> Mixed[Film | Review | Show]:
    "A film with its reviews and shows since a day."
    return (
        query(Film, Film.film == film)
        | query(Review, Review.film == film).when(since, lambda d: Review.day >= d)
        | query(Show, Show.film == film)
    )


DAY = date(2026, 1, 5)


@pytest.fixture
def db() -> Iterator[Session]:
    with cinema.open("memory:", cursor_keys=[b"a secret of the tests, no more"]) as db:
        yield db


def fill(db: Session, film: str = "alien") -> list[Entity]:
    everything: list[Entity] = [
        Film(film=film, title="Alien"),
        *(Poster(film=film, number=n) for n in range(3)),
        *(Review(film=film, day=DAY.replace(day=d), author="ada") for d in (3, 5, 7)),
        *(Show(film=film, day=DAY, hall=h) for h in (1, 2)),
    ]
    with db.batch() as batch:
        for entity in everything:
            batch.put(entity)
    return everything


def test_each_item_is_what_it_is_in_key_order_with_one_request(db: Session) -> None:
    stored = fill(db)
    fill(db, "aliens")
    with db.measure() as meter:
        found = db.run(page_of, "alien").all()
    assert len(meter.requests) == 1
    assert found == [e for e in stored if not isinstance(e, Poster)]


def test_a_part_keeps_its_own_range(db: Session) -> None:
    fill(db)
    found = db.run(page_of, "alien", since=date(2026, 1, 5)).all()
    assert [r.day.day for r in found if isinstance(r, Review)] == [5, 7]
    assert isinstance(found[0], Film)
    assert len(found) == 5


def test_pages_cursors_first_and_count(db: Session) -> None:
    fill(db)
    found = db.run(page_of, "alien")
    assert found.count() == 6
    first = found.first()
    assert isinstance(first, Film)
    pages, cursor = [], None
    while True:
        page = found.page(2, cursor)
        assert len(page) <= 2
        pages.extend(page)
        if (cursor := page.cursor) is None:
            break
    assert pages == found.all()
    assert db.run(page_of, "brazil").first() is None


def test_newest_first_turns_the_whole_read_round(db: Session) -> None:
    fill(db)
    read = query(Film, Film.film == "alien").newest_first() | query(Show, Show.film == "alien").newest_first()
    assert [type(e) for e in db.execute(read)] == [Show, Show, Film]


def test_an_unknown_type_is_told_or_skipped(db: Session) -> None:
    fill(db)
    stranger = {"PK": {"S": "FILM#alien"}, "SK": {"S": "RUMOUR#1"}, "Type": {"S": "Rumour"}}
    db.send("PutItem", {"TableName": db.table_name, "Item": stranger})
    read = page_of("alien")
    with pytest.raises(UnknownEntityTypeError) as caught:
        db.execute(read).all()
    assert caught.value.context["type"] == "Rumour"
    assert len(db.execute(read.skipping_unknown()).all()) == 6


def test_async_reads_the_same() -> None:
    async def reading() -> list[str]:
        async with cinema.open_async("memory:") as db:
            await db.create(Film(film="alien"))
            await db.create(Show(film="alien", day=DAY, hall=1))
            return [type(item).__name__ async for item in db.run(page_of, "alien")]

    assert asyncio.run(reading()) == ["Film", "Show"]


def test_what_cannot_be_one_read_is_refused(db: Session) -> None:
    films = query(Film, Film.film == "alien")
    with pytest.raises(PatternError, match="another partition"):
        db.execute(films | query(Show, Show.film == "aliens", Show.day == DAY) | query(Review, Review.author == "ada"))
    with pytest.raises(PatternError, match="different directions"):
        db.execute(films | query(Show, Show.film == "alien").newest_first())
    with pytest.raises(PatternError, match="joined with EntityMeta"):
        films | Show  # type: ignore[operator]
    with pytest.raises(PatternError, match=r"only\(\) of one query"):
        db.execute(films | query(Show, Show.film == "alien").only(Film))
    other = Table("Other")

    class Book(Entity, table=other):
        keys = Keys("FILM#{film}", "BOOK")
        film: str

    with pytest.raises(ModelError, match="no entity of Cinema"):
        db.execute(films | query(Book, Book.film == "alien"))


def test_different_values_are_different_partitions(db: Session) -> None:
    with pytest.raises(PatternError, match="another partition"):
        db.execute(query(Film, Film.film == "alien") | query(Show, Show.film == "aliens"))


@given(
    kept=st.lists(st.tuples(st.sampled_from(["a", "a#b", "b"]), st.integers(0, 3), st.booleans()), max_size=20),
    size=st.integers(1, 4),
)
def test_pages_of_any_size_hand_out_every_item_once(kept: list[tuple[str, int, bool]], size: int) -> None:
    with cinema.open("memory:", cursor_keys=[b"a secret of the tests, no more"]) as db:
        for film, number, is_poster in kept:
            db.put(Poster(film=film, number=number) if is_poster else Show(film=film, day=DAY, hall=number))
        expected = sorted({("S", n) if not p else ("P", n) for f, n, p in kept if f == "a"})
        read = db.execute(query(Poster, Poster.film == "a") | query(Show, Show.film == "a"))
        found, cursor = [], None
        while True:
            page = read.page(size, cursor)
            found += [("P", i.number) if isinstance(i, Poster) else ("S", i.hall) for i in page]
            if (cursor := page.cursor) is None:
                break
        assert found == expected
        assert db.get(key(Film, film="a")) is None
