"""An open network for the tests: in memory every day, on DynamoDB Local in the full run."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from examples.places import PLACES, open_at
from examples.social.model import social
from examples.social.store import Network
from tablewright import Session

NOON = datetime(2099, 5, 1, 12, tzinfo=UTC)
"""Far enough ahead that nothing expires while it is tested."""


class Clock:
    """Time that passes when a test says so, and a second whenever somebody looks."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=PLACES)
def db(request: pytest.FixtureRequest) -> Iterator[Session]:
    """An empty network of the test's own."""
    with open_at(request.param, social, request) as opened:
        yield opened


@pytest.fixture
def network(db: Session, clock: Clock) -> Network:
    """Four members, and nothing else."""
    network = Network(db, clock=clock)
    for name in ("ann", "bob", "cleo", "dan"):
        network.join(name)
    return network
