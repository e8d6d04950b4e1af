"""Reads over several partitions that the caller names: followed people, a few tenants, whatever is in a list."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright import (
    GSI,
    Bucket,
    Entity,
    Get,
    Keys,
    NaturalKey,
    Query,
    Session,
    Shard,
    Table,
    between,
    get,
    is_in,
    query,
    require,
)
from tablewright.errors import ArgumentError, CursorError, FieldTypeError, PatternError
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.conftest import CURSOR_KEYS
from tests.client.doubles import OnTheWay

START = datetime(2026, 1, 1, tzinfo=UTC)
social = Table("Social", indexes=[GSI("GSI1"), GSI("GSI2"), GSI("ByTopic", pk=["topic", "lang"], sk=["at"])])


class Post(Entity, table=social):
    """By author; by author over shards and months; by topic and language in native attributes."""

    keys = Keys(
        "AUTHOR#{author}",
        "POST#{at}#{post_id}",
        GSI1=("SPREAD#{author}#{shard}", "{author}#{at}#{post_id}"),
        GSI2=("MONTH#{author}#{month}", "{at}"),
        ByTopic=(("{topic}", "{lang}"), ("{at}",)),
        derive={"shard": Shard("post_id", of=3), "month": Bucket("at", "month")},
    )
    author: NaturalKey
    post_id: str
    at: datetime
    topic: str = "t"
    lang: Literal["de", "en", "fr"] = "en"
    likes: int = 0


@social.pattern
def feed(authors: list[str]) -> Query[Post]:
    "What some people wrote, newest first."
    return query(Post, is_in(Post.author, authors)).newest_first()


@social.pattern
def feed_since(authors: list[str], since: datetime) -> Query[Post]:
    "The same since a moment, oldest first."
    return query(Post, is_in(Post.author, authors), Post.at >= since)


@social.pattern
def spread(authors: list[str]) -> Query[Post]:
    "The same over shards, by author, then by time."
    return query(Post, is_in(Post.author, authors)).via("GSI1")


@social.pattern
def months(authors: list[str], start: datetime, end: datetime) -> Query[Post]:
    "The same over months."
    return query(Post, is_in(Post.author, authors), between(Post.at, start, end)).via("GSI2")


@social.pattern
def on_topic(topic: str, langs: set[Literal["de", "en", "fr"]]) -> Query[Post]:
    "What was written about something in some languages."
    return query(Post, Post.topic == topic, is_in(Post.lang, langs))


@social.pattern
def in_german_or_french(topic: str) -> Query[Post]:
    "The same in languages that the pattern knows."
    return query(Post, Post.topic == topic, is_in(Post.lang, ["de", "fr"]))


@social.pattern
def liked(author: str, likes: list[int]) -> Query[Post]:
    "A list in a filter."
    return query(Post, Post.author == author).filter(is_in(Post.likes, likes))


@social.pattern
def post(author: str, at: datetime, post_id: str) -> Get[Post]:
    "One post."
    return get(Post, Post.author == author, Post.at == at, Post.post_id == post_id)


@social.change
def like(p: Post, allowed: list[int]) -> None:
    "One more, where the number was one of these."
    require(is_in(p.likes, allowed))
    p.likes += 1


@pytest.fixture
def wire() -> OnTheWay:
    return OnTheWay(EmbeddedTransport.open("memory:"))


@pytest.fixture
def db(wire: OnTheWay) -> Iterator[Session]:
    with social.open(wire, create=True, cursor_keys=CURSOR_KEYS) as opened:
        with opened.batch() as batch:
            for n in range(30):
                lang: Any = ("de", "en", "fr")[n % 3]
                at = START + timedelta(days=n)
                batch.put(Post(author=f"a{n % 5}", post_id=f"p{n:02}", at=at, lang=lang, likes=n))
        wire.restart()
        yield opened


def ids(posts: Any) -> list[str]:
    return [p.post_id for p in posts]


def expected(*authors: int) -> list[str]:
    return [f"p{n:02}" for n in range(30) if n % 5 in authors]


def test_partitions_of_a_list_are_merged_in_order(db: Session, wire: OnTheWay) -> None:
    assert ids(db.run(feed, ["a3", "a1"])) == expected(1, 3)[::-1]
    assert len(wire.sent) == 2
    assert ids(db.run(feed_since, ["a0", "a4"], START + timedelta(days=20))) == ["p20", "p24", "p25", "p29"]
    assert db.run(feed, ["a3", "a1"]).count() == 12
    assert ids(db.query(Post, is_in(Post.author, ["a2"]))) == expected(2)


def test_each_partition_is_asked_once_and_none_for_nobody(db: Session, wire: OnTheWay) -> None:
    assert ids(db.run(feed, ["a1", "A1", " a1 ", "a1"])) == expected(1)[::-1]
    assert len(wire.sent) == 1
    wire.restart()
    nobody = db.run(feed, [])
    assert (nobody.all(), nobody.first(), nobody.count(), nobody.page().items, nobody.page().cursor) == (
        [],
        None,
        0,
        (),
        None,
    )
    assert wire.sent == []


def test_lists_stand_beside_shards_buckets_and_native_keys(db: Session, wire: OnTheWay) -> None:
    by_author = [p for author in ("a0", "a2") for p in expected(int(author[1]))]
    assert ids(db.run(spread, ["a2", "a0"])) == by_author
    assert len(wire.sent) == 6
    wire.restart()
    found = db.run(months, ["a0", "a1"], START + timedelta(days=10), START + timedelta(days=40))
    assert ids(found) == [p for p in expected(0, 1) if p >= "p10"]
    assert len(wire.sent) == 4
    assert ids(db.run(on_topic, "t", {"de", "fr"})) == [f"p{n:02}" for n in range(30) if n % 3 != 1]
    assert ids(db.run(in_german_or_french, "t")) == [f"p{n:02}" for n in range(30) if n % 3 != 1]


def test_the_request_is_shown_with_the_list_by_name() -> None:
    (shown,) = social.explain(feed)
    assert (
        str(shown)
        == "Query table: PK = AUTHOR#{author} AND SK BETWEEN POST AND POST$ (newest first, one request per author)"
    )
    (native,) = social.explain(on_topic)
    assert native.key == "topic = {topic} AND lang = {lang}"


def test_pages_of_a_list_have_one_cursor_of_constant_size(db: Session, wire: OnTheWay) -> None:
    everybody = [f"a{n}" for n in range(5)]
    pages = [db.run(feed, everybody).page(7)]
    while pages[-1].cursor is not None:
        pages.append(db.run(feed, everybody[::-1]).page(7, pages[-1].cursor))  # the order of the list says nothing
    assert [ids(p) for p in pages] == [ids(db.run(feed, everybody))[n : n + 7] for n in range(0, 30, 7)]
    few, many = db.run(feed, ["a1", "a2"]).page(3).cursor, pages[0].cursor
    assert few is not None
    assert many is not None
    assert len(few) == len(many)
    wire.restart()
    with pytest.raises(CursorError):
        db.run(feed, ["a1", "a2", "a3"]).page(7, many)
    assert wire.sent == []


def test_lists_of_a_parameter_serve_filters_and_changes(db: Session) -> None:
    assert ids(db.run(liked, "a1", [1, 6, 7])) == ["p01", "p06"]
    for wrong in ([], list(range(101))):
        with pytest.raises(ArgumentError, match="1 to 100"):
            db.run(liked, "a1", wrong).all()
    target = post("a1", START + timedelta(days=1), "p01")
    assert db.apply(like, target, [1, 2]).likes == 2
    assert db.apply(like, target, allowed=[1, 2]).likes == 3


@pytest.mark.parametrize("wrong", ["a1", b"a1", 5, {"a1": 1}, None])
def test_what_is_no_list_is_refused_before_any_request(db: Session, wire: OnTheWay, wrong: Any) -> None:
    with pytest.raises(ArgumentError):
        db.run(feed, wrong).all()
    with pytest.raises(FieldTypeError, match="The argument 'authors'"):
        db.run(feed, ["a1", 5]).all()  # type: ignore[list-item]
    with pytest.raises(ArgumentError, match="more than 1000"):
        db.run(feed, [f"x{n}" for n in range(1001)]).all()
    assert wire.sent == []


def test_lists_that_no_key_can_serve_are_refused_at_definition() -> None:
    with pytest.raises(PatternError, match="cannot use the condition on post_id"):

        @social.pattern
        def by_ids(author: str, post_ids: list[str]) -> Query[Post]:
            return query(Post, Post.author == author, is_in(Post.post_id, post_ids))

    with pytest.raises(PatternError, match="needs a list of str"):

        @social.pattern
        def by_number(authors: list[int]) -> Query[Post]:
            return query(Post, is_in(Post.author, authors))  # type: ignore[list-item]

    with pytest.raises(PatternError, match="needs a list of str"):

        @social.pattern
        def by_one(author: str) -> Query[Post]:
            return query(Post, is_in(Post.author, author))

    with pytest.raises(PatternError, match="fixes 'author'"):

        @social.pattern
        def twice(author: str, authors: list[str]) -> Query[Post]:
            return query(Post, Post.author == author, is_in(Post.author, authors))

    with pytest.raises(PatternError, match="does not fix the whole key"):

        @social.pattern
        def one_of(authors: list[str], at: datetime, post_id: str) -> Get[Post]:
            return get(Post, is_in(Post.author, authors), Post.at == at, Post.post_id == post_id)


def test_the_same_with_asyncio() -> None:
    async def go() -> None:
        async with social.open_async("memory:", cursor_keys=CURSOR_KEYS) as db:
            for n in range(6):
                await db.create(Post(author=f"a{n % 3}", post_id=f"p{n}", at=START + timedelta(days=n)))
            assert [p.post_id async for p in db.run(feed, ["a0", "a2"])] == ["p5", "p3", "p2", "p0"]

    asyncio.run(go())


NAMES = st.text(alphabet="ab#%$ é😀", min_size=1, max_size=4)


@given(
    st.dictionaries(NAMES, st.lists(st.integers(0, 5), max_size=6), min_size=1, max_size=5),
    st.lists(NAMES, max_size=5),
    st.integers(1, 4),
    st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_a_list_reads_exactly_what_each_of_its_partitions_holds(
    posts: dict[str, list[int]], strangers: list[str], size: int, down: bool
) -> None:
    reads = Table("Fan")

    class Line(Entity, table=reads):
        keys = Keys("BOOK#{book}", "{place:2}#{number:3}")
        book: str
        place: int
        number: int

    with reads.open("memory:", cursor_keys=CURSOR_KEYS) as db:
        lines = [Line(book=b, place=p, number=n) for b, places in posts.items() for n, p in enumerate(places)]
        for line in lines:
            db.put(line)
        asked = [*sorted(posts)[::2], *strangers]
        described = query(Line, is_in(Line.book, asked)) if asked else None
        if described is None:
            return
        results = db.execute(described.newest_first() if down else described)
        mine = sorted(((x.place, x.number) for x in lines if x.book in asked), reverse=down)
        assert [(x.place, x.number) for x in results] == mine
        pages, cursor = [], None
        while True:
            page = results.page(size, cursor)
            pages += [(x.book, x.place, x.number) for x in page]
            cursor = page.cursor
            if cursor is None:
                break
        assert sorted(pages) == sorted((x.book, x.place, x.number) for x in lines if x.book in asked)
        assert [p[1:] for p in pages] == mine
        assert results.count() == len(mine)
