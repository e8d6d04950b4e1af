"""The blog on its seed data: what each pattern finds, with which request, and what the blog's own words do."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from examples.blog import seed
from examples.blog.model import blog
from examples.blog.store import Blog
from tablewright import Session
from tablewright.errors import AlreadyExistsError, NotFoundError, UniqueViolationError

MAY = datetime(2026, 5, 1, 9, 20, tzinfo=UTC)


def by(username: str) -> list[Any]:
    return [post for post in reversed(seed.posts()) if post.username == username]


@pytest.mark.parametrize(
    ("pattern", "ask", "expected", "request_", "units"),
    [
        ("user", lambda b: b.user("mara"), lambda: seed.users()[0], ("GetItem", None), 0.5),
        ("user", lambda b: b.user("mar"), lambda: None, ("GetItem", None), 0.5),
        ("user_by_email", lambda b: b.sign_in(" MARA@example.com"), lambda: seed.users()[0], ("Query", "GSI1"), 0.5),
        ("posts_by", lambda b: list(b.posts_by("mara")), lambda: by("mara"), ("Query", None), 0.5),
        ("posts_by", lambda b: list(b.posts_by("jon", since=MAY)), lambda: by("jon")[:1], ("Query", None), 0.5),
        ("post", lambda b: b.post("p03"), lambda: seed.posts()[2], ("Query", "GSI1"), 0.5),
    ],
    ids=["user", "no-user", "user-by-email", "posts", "posts-since", "post"],
)
def test_a_read_finds_exactly_this_with_one_request(
    seeded: Session,
    pattern: str,
    ask: Callable[[Blog], Any],
    expected: Callable[[], Any],
    request_: tuple[str, str | None],
    units: float,
) -> None:
    with seeded.measure() as meter:
        assert ask(Blog(seeded)) == expected()
    assert [(s.operation, s.index, s.pattern, s.capacity.read) for s in meter.requests] == [(*request_, pattern, units)]


def test_names_and_addresses_are_taken_once(site: Blog) -> None:
    new = site.sign_up("kim", "Kim@example.com", "Kim")
    assert site.sign_in("kim@EXAMPLE.com") == new
    with pytest.raises(UniqueViolationError):
        site.sign_up("kimberly", "KIM@example.com", "Kimberly")
    with pytest.raises(AlreadyExistsError):
        site.sign_up("kim", "other@example.com", "Kim")
    assert site.user("kimberly") is None


def test_an_address_moves_with_its_user(site: Blog) -> None:
    assert site.change_email("jon", "jon@example.com").username == "jon"
    assert site.sign_in("jon@example.org") is None
    assert site.sign_up("jo", "jon@example.org", "Jo") == site.sign_in("jon@example.org")
    with pytest.raises(UniqueViolationError):
        site.change_email("jon", "iris@example.net")
    with pytest.raises(NotFoundError):
        site.change_email("nobody", "nobody@example.com")


def test_a_post_needs_its_author(site: Blog, db: Session) -> None:
    with db.measure() as meter:
        written = site.write("iris", "At last", "I write too.", at=MAY)
    assert [s.operation for s in meter.requests] == ["TransactWriteItems"]
    assert site.post(written.post_id) == written
    assert list(site.posts_by("iris")) == [written]
    with pytest.raises(NotFoundError):
        site.write("nobody", "?", "?")
    assert list(site.posts_by("nobody")) == []


def test_a_corrected_post_keeps_its_place(site: Blog, db: Session) -> None:
    with db.measure() as meter:
        site.correct("p03", title="Rye, water, salt, time")
    assert [(s.operation, s.index) for s in meter.requests] == [("Query", "GSI1"), ("UpdateItem", None)]
    corrected = site.post("p03")
    assert corrected is not None
    assert (corrected.title, corrected.content) == ("Rye, water, salt, time", seed.posts()[2].content)
    assert [post.post_id for post in site.posts_by("mara")] == ["p06", "p04", "p03", "p01"]
    assert site.correct("p03") == corrected
    with pytest.raises(NotFoundError):
        site.correct("p99", title="?")


def test_a_withdrawn_post_is_gone_from_both_places(site: Blog) -> None:
    site.withdraw("p04")
    assert site.post("p04") is None
    assert [post.post_id for post in site.posts_by("mara")] == ["p06", "p03", "p01"]
    with pytest.raises(NotFoundError):
        site.withdraw("p04")


def test_twenty_posts_are_a_page(site: Blog) -> None:
    written = [site.write("iris", f"{n}", "…", at=MAY + timedelta(minutes=n)) for n in range(23)]
    first = site.posts_by("iris")
    second = site.posts_by("iris", cursor=first.cursor)
    assert (len(first), len(second), second.cursor) == (20, 3, None)
    assert [*first, *second] == written[::-1]


def test_who_leaves_leaves_nothing(site: Blog, db: Session) -> None:
    assert site.leave("mara") == 5
    assert (site.user("mara"), site.sign_in("mara@example.com"), site.post("p01")) == (None, None, None)
    assert db.send("Scan", {"TableName": db.table_name})["Count"] == 6, "two users, two markers, two posts"
    assert site.leave("mara") == 0
    site.sign_up("maria", "mara@example.com", "Maria")


def test_seeding_again_restores_everything(site: Blog, db: Session) -> None:
    def everything() -> list[str]:
        found = [*map(repr, db.scan_for_maintenance(list(blog.entities.values())))]
        return sorted([*found, str(db.send("Scan", {"TableName": db.table_name})["Count"])])

    before = everything()
    assert before == sorted([*map(repr, seed.users()), *map(repr, seed.posts()), "12"])
    site.change_email("jon", "jon@example.com")
    site.correct("p01", content="")
    site.withdraw("p02")
    assert everything() != before
    assert seed.seed(db) == 9
    assert everything() == before
