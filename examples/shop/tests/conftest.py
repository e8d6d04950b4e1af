"""An open shop for the tests: in memory, in a file and on DynamoDB Local, empty or with the seed data in it."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from examples.places import CURSOR_KEYS, PLACES, open_at
from examples.shop.model import shop
from examples.shop.seed import seed
from examples.shop.store import Shop
from tablewright import Session

EVERYWHERE = ["memory", "file", pytest.param("dynamodb-local", marks=pytest.mark.dynamodb_local)]


@pytest.fixture(scope="module", params=EVERYWHERE)
def place(request: pytest.FixtureRequest) -> str:
    """Where the table is kept."""
    name: str = request.param
    return name


def _open(place: str, folder: Path, request: pytest.FixtureRequest) -> Session:
    if place == "file":
        return shop.open(folder / "shop.db", cursor_keys=CURSOR_KEYS)
    return open_at(place, shop, request)


@pytest.fixture(scope="module")
def seeded(place: str, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Session]:
    """The shop with its seed data, shared by tests that only read."""
    with _open(place, tmp_path_factory.mktemp("shop"), request) as db:
        seed(db)
        yield db


@pytest.fixture
def db(place: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Session]:
    """An empty shop of the test's own."""
    with _open(place, tmp_path, request) as db:
        yield db


class Clock:
    """The shop's clock, which a test moves."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 3, 2, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.moment

    def move(self, **by: float) -> None:
        self.moment += timedelta(**by)


@pytest.fixture
def clock() -> Clock:
    """A Monday morning."""
    return Clock()


@pytest.fixture(params=PLACES)
def kept_in(request: pytest.FixtureRequest) -> str:
    """Where the table is kept."""
    name: str = request.param
    return name


@pytest.fixture
def filled(kept_in: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Session]:
    """A table of the test's own with the seed data in it."""
    with _open(kept_in, tmp_path, request) as db:
        seed(db)
        yield db


@pytest.fixture
def store(filled: Session, clock: Clock) -> Shop:
    """The shop on that table."""
    return Shop(filled, clock=clock)
