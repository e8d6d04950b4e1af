"""Open labs for the tests of sessions: in memory, on every engine, and with somebody standing in between."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tablewright import RetryPolicy, Session
from tablewright.engine import Engine, open_engine
from tablewright.server import serve_in_thread
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.doubles import OnTheWay
from tests.client.lab import lab

CURSOR_KEYS = [b"a secret of the tests, no more"]
AT_ONCE = RetryPolicy(base_delay=0.0, max_delay=0.0)
PLACES = ["memory", "file", "http", pytest.param("dynamodb-local", marks=pytest.mark.dynamodb_local)]


def ticking() -> Callable[[], datetime]:
    """A clock that moves by a microsecond at each look."""
    ticks = itertools.count()
    return lambda: datetime(2026, 3, 1, tzinfo=UTC) + timedelta(microseconds=next(ticks))


@dataclass
class Laboratory:
    """A session, the transport that it talks through, and a second session that does not."""

    db: Session
    wire: OnTheWay
    other: Session
    engine: Engine

    def items(self) -> list[dict[str, Any]]:
        """Everything that is stored."""
        found: list[dict[str, Any]] = self.engine.execute("Scan", {"TableName": "Lab"})["Items"]
        return found

    def item(self, pk: str, sk: str) -> dict[str, Any]:
        """One stored item; empty if there is none."""
        keys = {"PK": {"S": pk}, "SK": {"S": sk}}
        found: dict[str, Any] = self.engine.execute("GetItem", {"TableName": "Lab", "Key": keys}).get("Item", {})
        return found

    def overwrite(self, pk: str, sk: str, name: str, value: dict[str, Any]) -> None:
        """Sets one attribute past the model, as other code might."""
        request = {
            "TableName": "Lab",
            "Key": {"PK": {"S": pk}, "SK": {"S": sk}},
            "UpdateExpression": "SET #n = :v",
            "ExpressionAttributeNames": {"#n": name},
            "ExpressionAttributeValues": {":v": value},
        }
        self.engine.execute("UpdateItem", request)


@pytest.fixture
def laboratory() -> Iterator[Laboratory]:
    """Two sessions on one engine in memory."""
    clock = ticking()
    with open_engine("memory:") as engine:
        wire = OnTheWay(EmbeddedTransport(engine, owned=False))
        with (
            lab.open(EmbeddedTransport(engine, owned=False), create=True, clock=clock) as other,
            lab.open(wire, clock=clock, retry=AT_ONCE, cursor_keys=CURSOR_KEYS) as db,
        ):
            yield Laboratory(db, wire, other, engine)
            assert engine.verify() == []


@pytest.fixture
def db(laboratory: Laboratory) -> Session:
    """An empty lab in memory."""
    return laboratory.db


@pytest.fixture(params=PLACES)
def anywhere(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Session]:
    """An empty lab in memory, in a file, behind our own server, and on DynamoDB Local."""
    if request.param == "http":
        with (
            serve_in_thread(access_key="local", secret_key="local") as server,
            lab.open(server.url, create=True, cursor_keys=CURSOR_KEYS) as db,
        ):
            yield db
        return
    if request.param == "dynamodb-local":
        url: str = request.getfixturevalue("dynamodb_local_url")
        opened = lab.open(url, create=True, table_name=f"lab-{uuid.uuid4().hex}", cursor_keys=CURSOR_KEYS)
    else:
        opened = lab.open("memory:" if request.param == "memory" else tmp_path / "lab.db", cursor_keys=CURSOR_KEYS)
    with opened as db:
        yield db
        if request.param == "dynamodb-local":
            db.delete_table()
