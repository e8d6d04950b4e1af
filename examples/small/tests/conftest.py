"""Tables for the tests: in memory, and in the full run on DynamoDB Local."""

import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from examples.places import CURSOR_KEYS, PLACES
from tablewright import Session, Table


@pytest.fixture(scope="module", params=PLACES)
def place(request: pytest.FixtureRequest) -> str:
    """Where tables are kept."""
    name: str = request.param
    return name


@pytest.fixture
def opened(place: str, request: pytest.FixtureRequest) -> Iterator[Callable[..., Session]]:
    """Opens an empty table, which is closed when the test is over."""
    with ExitStack() as stack:

        def open_table(table: Table, **options: Any) -> Session:
            options["cursor_keys"] = CURSOR_KEYS
            if place == "memory":
                return stack.enter_context(table.open("memory:", **options))
            url: str = request.getfixturevalue("dynamodb_local_url")
            name = f"{table.name}-{uuid.uuid4().hex}"
            return stack.enter_context(table.open(url, create=True, table_name=name, **options))

        yield open_table


@pytest.fixture
def asked() -> Callable[..., list[tuple[str, str | None]]]:
    """The requests that a meter saw: operation and index."""
    return lambda meter: [(sent.operation, sent.index) for sent in meter.requests]
