"""Every access pattern of the network finds what a plain search finds; the merged feed asks each author once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.social.model import (
    Comment,
    FeedEntry,
    Follow,
    Like,
    Post,
    User,
    comments_of,
    feed_of,
    followers_of,
    following_of,
    like,
    likes,
    likes_of,
    merged_feed,
    post,
    posts_of,
    reactions_to,
    social,
    user,
)
from examples.trial import Case, check, check_readme, filled, hours
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
        FeedEntry(reader=n, posted_at=hours(number), post_id=f"p{number}", author="ann", drops_out_at=hours(9_000))
        for n in ("bob", "b")
        for number in range(3)
    ),
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
    Case(
        merged_feed,
        (["ann", "bob"],),
        Post,
        lambda p: p.username in ("ann", "bob"),
        lambda p: p.posted_at,
        True,
        requests=2,
    ),
    Case(feed_of, ("b",), FeedEntry, lambda e: e.reader == "b", lambda e: e.posted_at, True),
    Case(reactions_to, ("ann1",), (Comment, Like), lambda e: e.post_id == "ann1"),
]


@pytest.fixture(scope="module")
def db() -> Iterator[Session]:
    with filled(social, ITEMS) as opened:
        yield opened


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_pattern_finds_what_a_plain_search_finds(db: Session, case: Case) -> None:
    check(db, case, ITEMS)


def test_every_pattern_is_tried() -> None:
    assert {case.pattern.name for case in CASES} == set(social.patterns)


def test_a_post_is_liked_once_and_likes_are_counted_in_parts(db: Session) -> None:
    with pytest.raises(AlreadyExistsError):
        db.create(Like(post_id="ann1", username="bob"))
    for _ in range(20):
        db.count_up(likes(post_id="ann1"))
    assert db.total(likes(post_id="ann1")) == 20
    assert db.total(likes(post_id="ann10")) == 0


def test_the_readme_shows_the_model_as_it_is() -> None:
    check_readme(social, Path(__file__).parent.parent / "README.md")
