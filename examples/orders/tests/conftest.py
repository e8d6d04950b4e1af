"""An open table for the tests: in memory, and in the full run on DynamoDB Local; empty or with the seed data in it."""

from collections.abc import Iterator

import pytest

from examples.orders.model import main_table
from examples.orders.seed import TODAY, seed
from examples.orders.store import Store
from examples.places import PLACES, open_at
from tablewright import Session


@pytest.fixture(scope="module", params=PLACES)
def place(request: pytest.FixtureRequest) -> str:
    """Where the table is kept."""
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def seeded(place: str, request: pytest.FixtureRequest) -> Iterator[Session]:
    """The table with its seed data, shared by tests that only read."""
    with open_at(place, main_table, request) as db:
        seed(db)
        yield db


@pytest.fixture
def db(place: str, request: pytest.FixtureRequest) -> Iterator[Session]:
    """A table of the test's own, with the seed data."""
    with open_at(place, main_table, request) as db:
        seed(db)
        yield db


@pytest.fixture
def store(db: Session) -> Store:
    """The store on the day on which the seed data ends."""
    return Store(db, clock=lambda: TODAY)
