"""Every access pattern of the network finds what a plain search finds, by the requests and units that are expected of it."""

from collections.abc import Iterator

import pytest

from examples.places import PLACES
from examples.social.model import (
    CelebrityFollow,
    Comment,
    FanOut,
    FeedEntry,
    Follow,
    Like,
    Post,
    User,
    celebrities_of,
    comments_of,
    feed_of,
    followers_of,
    following_of,
    like,
    likes,
    likes_of,
    merged_feed,
    on_its_way,
    post,
    posts_of,
    reactions_to,
    social,
    user,
)
from examples.trial import Case, check, filled, hours, sent
from tablewright import Entity, Session
from tablewright.errors import AlreadyExistsError

NAMES = ("ann", "anna", "bob", "b")
ITEMS: list[Entity] = [
    *(User(username=n) for n in NAMES),
    *(
        Post(username=n, post_id=f"{n}{number}", posted_at=hours(number * 4 + NAMES.index(n)), content="c")
        for n in NAMES
        for number in range(3)
    ),
    *(
        Comment(post_id=p, comment_id=f"c{number}", written_at=hours(number // 2), author="bob", text="t")
        for p in ("ann1", "ann10", "ann")
        for number in range(3)
    ),
    *(Like(post_id=p, username=n) for p in ("ann1", "ann10") for n in NAMES),
    *(Follow(follower=a, following=b) for a in NAMES for b in NAMES if a not in (b, "b")),
    *(
        FeedEntry(reader=n, posted_at=hours(number), post_id=f"p{number}", author="ann", drops_out_at=hours(900_000))
        for n in ("bob", "b")
        for number in range(3)
    ),
    *(CelebrityFollow(reader=n, author=a) for n in ("ann", "anna") for a in ("bob", "b")),
    *(FanOut(posted_at=hours(number // 2), post_id=f"p{number}", author="ann") for number in range(9)),
]


CASES = [
    Case(user, ("ann",), User, lambda u: u.username == "ann"),
    Case(posts_of, ("ann",), Post, lambda p: p.username == "ann", lambda p: p.posted_at, True),
    Case(
        posts_of,
        ("ann", hours(4)),
        Post,
        lambda p: p.username == "ann" and p.posted_at >= hours(4),
        lambda p: p.posted_at,
        True,
    ),
    Case(post, ("ann1",), Post, lambda p: p.post_id == "ann1"),
    Case(comments_of, ("ann1",), Comment, lambda c: c.post_id == "ann1", lambda c: (c.written_at, c.comment_id)),
    Case(likes_of, ("ann1",), Like, lambda x: x.post_id == "ann1", lambda x: x.username),
    Case(like, ("ann1", "bob"), Like, lambda x: (x.post_id, x.username) == ("ann1", "bob")),
    Case(following_of, ("ann",), Follow, lambda f: f.follower == "ann", lambda f: f.following),
    Case(followers_of, ("b",), Follow, lambda f: f.following == "b", lambda f: f.follower),
    Case(followers_of, ("b", "ann"), Follow, lambda f: f.following == "b" and f.follower > "ann", lambda f: f.follower),
    Case(celebrities_of, ("ann",), CelebrityFollow, lambda c: c.reader == "ann", lambda c: c.author),
    Case(
        merged_feed,
        (["ann", "bob"], hours(1)),
        Post,
        lambda p: p.username in ("ann", "bob") and p.posted_at >= hours(1),
        lambda p: p.posted_at,
        True,
        requests=2,
    ),
    Case(
        merged_feed,
        (["ann", "bob"], hours(1), hours(6)),
        Post,
        lambda p: p.username in ("ann", "bob") and hours(1) <= p.posted_at <= hours(6),
        lambda p: p.posted_at,
        True,
        requests=2,
    ),
    Case(
        feed_of,
        ("b", hours(1)),
        FeedEntry,
        lambda e: e.reader == "b" and e.posted_at >= hours(1),
        lambda e: e.posted_at,
        True,
    ),
    Case(
        feed_of,
        ("b", hours(1), hours(1)),
        FeedEntry,
        lambda e: e.reader == "b" and e.posted_at == hours(1),
        lambda e: e.posted_at,
        True,
    ),
    Case(on_its_way, (), FanOut, lambda _: True, lambda f: (f.posted_at, f.post_id), requests=4),
    Case(reactions_to, ("ann1",), (Comment, Like), lambda e: e.post_id == "ann1"),
]

SENT: dict[str, list[tuple[str, str | None, float]]] = {
    "user-1": [("GetItem", None, 0.5)],
    "posts_of-1": [("Query", None, 0.5)],
    "posts_of-2": [("Query", None, 0.5)],
    "post-1": [("Query", "GSI1", 0.5)],
    "comments_of-1": [("Query", None, 0.5)],
    "likes_of-1": [("Query", None, 0.5)],
    "like-2": [("GetItem", None, 0.5)],
    "following_of-1": [("Query", None, 0.5)],
    "followers_of-1": [("Query", "GSI1", 0.5)],
    "followers_of-2": [("Query", "GSI1", 0.5)],
    "celebrities_of-1": [("Query", None, 0.5)],
    "merged_feed-2": [("Query", None, 0.5)] * 2,
    "merged_feed-3": [("Query", None, 0.5)] * 2,
    "feed_of-2": [("Query", None, 0.5)],
    "feed_of-3": [("Query", None, 0.5)],
    "on_its_way-0": [("Query", None, 0.5)] * 4,
    "reactions_to-1": [("Query", None, 0.5)],
}


@pytest.fixture(scope="module", params=PLACES)
def db(request: pytest.FixtureRequest) -> Iterator[Session]:
    local = request.param == "dynamodb-local"
    with filled(social, ITEMS, request.getfixturevalue("dynamodb_local_url") if local else "memory:") as opened:
        yield opened


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_pattern_finds_what_a_plain_search_finds(db: Session, case: Case) -> None:
    check(db, case, ITEMS)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_pattern_sends_what_is_expected(db: Session, case: Case) -> None:
    assert sent(db, case) == SENT[str(case)]


def test_every_pattern_is_tried() -> None:
    assert {case.pattern.name for case in CASES} == set(social.patterns)


def test_a_post_is_liked_once_and_likes_are_counted_in_parts(db: Session) -> None:
    with pytest.raises(AlreadyExistsError):
        db.create(Like(post_id="ann1", username="bob"))
    for _ in range(20):
        db.count_up(likes(post_id="ann1"))
    assert db.total(likes(post_id="ann1")) == 20
    assert db.total(likes(post_id="ann10")) == 0
