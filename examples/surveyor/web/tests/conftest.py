"""The service in debug mode, really listening, for all tests of a module; each test has an empty table."""

from collections.abc import Iterator

import pytest

from examples.surveyor.store import connect
from examples.surveyor.web.settings import Settings
from examples.surveyor.web.trying import Service, running

SECRET = b"a secret of the tests, 32 bytes or more"


@pytest.fixture(scope="module")
def _debugged() -> Iterator[Service]:
    with running(Settings(secret=SECRET, debug=True)) as service:
        yield service


@pytest.fixture
def service(_debugged: Service) -> Iterator[Service]:
    """The service in debug mode, with an empty table of the test's own."""
    before = _debugged.app.state.db
    with connect("memory:", cursor_keys=[Settings(secret=SECRET).cursor_key]) as db:
        _debugged.app.state.db = db
        try:
            yield _debugged
        finally:
            _debugged.app.state.db = before
