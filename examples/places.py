"""Where the tests of the applications keep their tables: in memory every day, on DynamoDB Local too in the full run."""

from __future__ import annotations

import uuid

import pytest

from tablewright import Session, Table

PLACES = ["memory", pytest.param("dynamodb-local", marks=[pytest.mark.dynamodb_local, pytest.mark.full])]
CURSOR_KEYS = [b"a secret of the tests, no more"]


def open_at(place: str, table: Table, request: pytest.FixtureRequest) -> Session:
    """A new, empty table at one of the places."""
    where: str = request.getfixturevalue("dynamodb_local_url") if place == "dynamodb-local" else "memory:"
    return table.open(where, create=True, table_name=f"test-{uuid.uuid4().hex}", cursor_keys=CURSOR_KEYS)
