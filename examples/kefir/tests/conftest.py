"""An open table for the tests: in memory every day, in the full run on DynamoDB Local too; empty, or with the seed data."""

import uuid
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest

from examples.kefir.model import kefir
from examples.kefir.seed import day, seed
from examples.kefir.store import Kefir
from examples.places import CURSOR_KEYS, PLACES
from tablewright import Session


class Clock:
    """The time of the tests: it stands, but for a microsecond between two looks, so that events have an order."""

    def __init__(self) -> None:
        self.now = day(13)

    def __call__(self) -> datetime:
        self.now += timedelta(microseconds=1)
        return self.now


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> str:
    """Where the table is: "memory:", or the address of DynamoDB Local."""
    return "memory:" if request.param == "memory" else str(request.getfixturevalue("dynamodb_local_url"))


@pytest.fixture
def open_kefir(place: str) -> Callable[[], Session]:
    """Opens a new table at this place."""

    def opened() -> Session:
        return kefir.open(place, create=True, table_name=f"kefir-{uuid.uuid4().hex}", cursor_keys=CURSOR_KEYS)

    return opened


@pytest.fixture
def db(open_kefir: Callable[[], Session]) -> Iterator[Session]:
    """A table with the seed data."""
    with open_kefir() as opened:
        seed(opened)
        yield opened


@pytest.fixture
def store(db: Session) -> Kefir:
    """The application on it, on the thirteenth day."""
    return Kefir(db, Clock())
