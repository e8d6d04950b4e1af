"""Every access pattern of the blog finds what a plain search finds, with one request."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.blog.model import Post, User, blog, post, posts_by, user, user_by_email
from examples.trial import Case, check, check_readme, filled, hours
from tablewright import Session
from tablewright.errors import UniqueViolationError

NAMES = ("ann", "anna", "ann#", "bob")
USERS = [User(username=name, email=f"{name}@example.com", name=name.title()) for name in NAMES]
POSTS = [
    Post(username=name, post_id=f"{name}-{number}", posted_at=hours(number // 2), title="t", content="c")
    for name in NAMES
    for number in range(5)
]
ITEMS = [*USERS, *POSTS]

CASES = [
    Case(user, ("ann",), User, lambda u: u.username == "ann"),
    Case(user_by_email, (" ANN@example.com",), User, lambda u: u.username == "ann"),
    Case(posts_by, ("ann",), Post, lambda p: p.username == "ann", lambda p: (p.posted_at, p.post_id), True),
    Case(
        posts_by,
        ("ann", hours(1)),
        Post,
        lambda p: p.username == "ann" and p.posted_at >= hours(1),
        lambda p: (p.posted_at, p.post_id),
        True,
    ),
    Case(post, ("anna-3",), Post, lambda p: p.post_id == "anna-3"),
]


@pytest.fixture(scope="module")
def db() -> Iterator[Session]:
    with filled(blog, ITEMS) as opened:
        yield opened


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_pattern_finds_what_a_plain_search_finds(db: Session, case: Case) -> None:
    check(db, case, ITEMS)


def test_every_pattern_is_tried() -> None:
    assert {case.pattern.name for case in CASES} == set(blog.patterns)


def test_an_email_address_is_taken_once(db: Session) -> None:
    with pytest.raises(UniqueViolationError):
        db.create(User(username="eve", email="Ann@Example.com", name="Eve"))


def test_the_readme_shows_the_model_as_it_is() -> None:
    check_readme(blog, Path(__file__).parent.parent / "README.md")
