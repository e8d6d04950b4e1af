"""An open service for the tests: in memory every day, on DynamoDB Local in the full run."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from examples.places import PLACES, open_at
from examples.saas.model import saas
from examples.saas.store import Service
from tablewright import Session

NOON = datetime(2099, 5, 1, 12, tzinfo=UTC)
"""Far enough ahead that nothing expires while it is tested."""


class Clock:
    """Time that passes when a test says so."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=PLACES)
def db(request: pytest.FixtureRequest) -> Iterator[Session]:
    """An empty service of the test's own."""
    with open_at(request.param, saas, request) as opened:
        yield opened


@pytest.fixture
def service(db: Session, clock: Clock) -> Service:
    """Ann, who founded Acme; Bob and Cleo, who belong to nothing yet."""
    service = Service(db, clock=clock)
    for name in ("ann", "bob", "cleo"):
        service.sign_up(name, f"{name}@example.com", name.title())
    service.found("ann", "Acme", org_id="acme")
    return service


@pytest.fixture
def joined(service: Service) -> Callable[..., None]:
    """Lets people join Acme, as they would: invited by Ann, and accepting."""

    def join(*names: str, role: str = "Member") -> None:
        for name in names:
            service.enter("ann", "acme").invite(f"{name}@example.com", "Admin" if role == "Admin" else "Member")
            service.accept(name, "acme")

    return join
