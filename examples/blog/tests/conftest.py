"""An open table for the tests: in memory, and in the full run on DynamoDB Local; empty or with the seed data in it."""

import uuid
from collections.abc import Iterator

import pytest

from examples.blog.model import blog
from examples.blog.seed import seed
from examples.blog.store import Blog
from tablewright import Session

PLACES = ["memory", pytest.param("dynamodb-local", marks=[pytest.mark.dynamodb_local, pytest.mark.full])]
CURSOR_KEYS = [b"a secret of the tests, no more"]


@pytest.fixture(scope="module", params=PLACES)
def place(request: pytest.FixtureRequest) -> str:
    """Where the table is kept."""
    name: str = request.param
    return name


def _open(place: str, request: pytest.FixtureRequest) -> Session:
    if place == "memory":
        return blog.open("memory:", cursor_keys=CURSOR_KEYS)
    url: str = request.getfixturevalue("dynamodb_local_url")
    return blog.open(url, create=True, table_name=f"blog-{uuid.uuid4().hex}", cursor_keys=CURSOR_KEYS)


@pytest.fixture(scope="module")
def seeded(place: str, request: pytest.FixtureRequest) -> Iterator[Session]:
    """The blog with its seed data, shared by tests that only read."""
    with _open(place, request) as db:
        seed(db)
        yield db


@pytest.fixture
def db(place: str, request: pytest.FixtureRequest) -> Iterator[Session]:
    """A blog of the test's own, with the seed data."""
    with _open(place, request) as db:
        seed(db)
        yield db


@pytest.fixture
def site(db: Session) -> Blog:
    """The blog in its own words."""
    return Blog(db)
