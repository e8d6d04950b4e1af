"""An open table for the tests: in memory, and in the full run on DynamoDB Local; empty or with the seed data in it."""

from collections.abc import Iterator

import pytest

from examples.blog.model import blog
from examples.blog.seed import seed
from examples.blog.store import Blog
from examples.places import PLACES, open_at
from tablewright import Session


@pytest.fixture(scope="module", params=PLACES)
def place(request: pytest.FixtureRequest) -> str:
    """Where the table is kept."""
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def seeded(place: str, request: pytest.FixtureRequest) -> Iterator[Session]:
    """The blog with its seed data, shared by tests that only read."""
    with open_at(place, blog, request) as db:
        seed(db)
        yield db


@pytest.fixture
def db(place: str, request: pytest.FixtureRequest) -> Iterator[Session]:
    """A blog of the test's own, with the seed data."""
    with open_at(place, blog, request) as db:
        seed(db)
        yield db


@pytest.fixture
def site(db: Session) -> Blog:
    """The blog in its own words."""
    return Blog(db)
