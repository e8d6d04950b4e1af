"""Every access pattern of the blog finds what a plain search finds, with one request."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples.blog.model import Post, User, blog, post, posts_by, user, user_by_email
from examples.blog.store import Blog
from examples.trial import Case, check, filled, hours
from tablewright import Session
from tablewright.errors import UniqueViolationError
from tablewright.lint import lint

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


def test_nothing_is_wrong_with_the_model() -> None:
    assert [p.name for p in blog.prove().patterns if not p.served] == []
    assert [(one.code, one.message) for one in lint(blog) if one.waived is None] == []


IDS = st.text("ab#$%~ /\x00é\U0001f528", min_size=1, max_size=12)


@settings(max_examples=12)
@given(st.lists(IDS, min_size=2, max_size=4, unique=True))
def test_authors_never_see_each_others_posts_whatever_their_names(names: list[str]) -> None:
    with blog.open("memory:", cursor_keys=[b"a secret of the tests, no more"]) as db:
        site = Blog(db)
        for number, name in enumerate(names):
            site.sign_up(name, f"{number}@example.com", "n")
        written = {name: [site.write(name, "t", "c", at=hours(number)) for number in range(3)] for name in names}
        for name in names:
            assert list(site.posts_by(name)) == written[name][::-1]
        assert site.leave(names[0]) == 4
        assert list(site.posts_by(names[1])) == written[names[1]][::-1]
