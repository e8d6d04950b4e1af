"""What each method takes, exactly: its requests, the index that each reads, and its units."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from examples.blog.model import blog
from examples.blog.seed import seed
from examples.blog.store import Blog
from examples.places import CURSOR_KEYS
from examples.trial import methods_of, taken

METHODS: dict[str, tuple[Callable[[Blog], object], str]] = {
    "change_email": (lambda s: s.change_email("jon", "new@example.org"), "GetItem 1, TransactWriteItems 8, GetItem 1"),
    "correct": (lambda s: s.correct("p02", title="Another"), "Query/GSI1 0.5, UpdateItem 2"),
    "leave": (lambda s: s.leave("jon"), "Query 1, GetItem 1, TransactWriteItems 5, BatchWriteItem 4"),
    "post": (lambda s: s.post("p02"), "Query/GSI1 0.5"),
    "posts_by": (lambda s: s.posts_by("mara"), "Query 0.5"),
    "posts_by-since": (lambda s: s.posts_by("mara", since=datetime(2026, 4, 10, tzinfo=UTC)), "Query 0.5"),
    "sign_in": (lambda s: s.sign_in("jon@example.org"), "Query/GSI1 0.5"),
    "sign_up": (lambda s: s.sign_up("kim", "kim@example.org", "Kim"), "TransactWriteItems 5"),
    "user": (lambda s: s.user("jon"), "GetItem 0.5"),
    "withdraw": (lambda s: s.withdraw("p02"), "Query/GSI1 0.5, DeleteItem 2"),
    "write": (lambda s: s.write("iris", "First", "Words."), "TransactWriteItems 5"),
}


@pytest.mark.parametrize("name", METHODS)
def test_a_method_takes_what_it_should(name: str) -> None:
    call, expected = METHODS[name]
    with blog.open("memory:", cursor_keys=CURSOR_KEYS) as db:
        seed(db)
        store = Blog(db)
        assert taken(db, lambda: call(store)) == expected


def test_every_method_is_measured() -> None:
    assert {name.split("-")[0] for name in METHODS} == methods_of(Blog)
