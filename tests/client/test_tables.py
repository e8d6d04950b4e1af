"""Making the table of a model whose items expire: time to live is switched on with it."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import pytest

from tablewright import Entity, Epoch, Keys, Table
from tablewright.engine import Engine, open_engine
from tablewright.errors import RequestRefused
from tablewright.transport.embedded import AsyncEmbeddedTransport, EmbeddedTransport
from tests.client.doubles import AsyncScripted, OnTheWay, Scripted

web = Table("Web")


class Login(Entity, table=web, ttl="until", stored={"until": "expires"}):
    keys = Keys("USER#{user}", "LOGIN#{token}")
    user: str
    token: str
    until: Annotated[datetime, Epoch("s")]


plain = Table("Plain")


class Note(Entity, table=plain):
    keys = Keys("NOTE#{name}", "NOTE")
    name: str


ENABLED = {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}


def told(send: Callable[[str, dict[str, Any]], dict[str, Any]], table: str) -> dict[str, Any]:
    described: dict[str, Any] = send("DescribeTimeToLive", {"TableName": table})["TimeToLiveDescription"]
    return described


@pytest.mark.parametrize("place", ["memory", "file"])
def test_creating_the_table_lets_items_expire(place: str, tmp_path: Path) -> None:
    with web.open("memory:" if place == "memory" else tmp_path / "web.db") as db:
        assert told(db.send, "Web") == ENABLED
        db.delete_table()
        db.create_table()
        assert told(db.send, "Web") == ENABLED


@pytest.mark.dynamodb_local
def test_on_dynamodb_local(dynamodb_local_url: str) -> None:
    name = f"web-{uuid.uuid4().hex}"
    with web.open(dynamodb_local_url, create=True, table_name=name) as db:
        assert told(db.send, name) == ENABLED
        # Opening it again leaves it as it is.
        web.open(dynamodb_local_url, create=True, table_name=name).close()
        assert told(db.send, name) == ENABLED
        db.delete_table()


def test_for_asyncio() -> None:
    async def work(engine: Engine) -> None:
        async with web.open_async(AsyncEmbeddedTransport(engine, owned=False), create=True) as db:
            await db.delete_table()
            await db.create_table()

    with open_engine("memory:", sweep_every=None) as engine:
        asyncio.run(work(engine))
        assert told(engine.execute, "Web") == ENABLED


@pytest.mark.dynamodb_local
def test_for_asyncio_on_dynamodb_local(dynamodb_local_url: str) -> None:
    name = f"web-{uuid.uuid4().hex}"

    async def work() -> dict[str, Any]:
        async with web.open_async(dynamodb_local_url, create=True, table_name=name) as db:
            answer = await db.send("DescribeTimeToLive", {"TableName": name})
            await db.delete_table()
            described: dict[str, Any] = answer["TimeToLiveDescription"]
            return described

    assert asyncio.run(work()) == ENABLED


def test_what_has_expired_is_swept() -> None:
    now = datetime.now(UTC)
    with (
        open_engine("memory:", sweep_every=None) as engine,
        web.open(EmbeddedTransport(engine, owned=False), create=True) as db,
    ):
        db.create(Login(user="ada", token="old", until=now - timedelta(hours=1)))
        db.create(Login(user="ada", token="new", until=now + timedelta(hours=1)))
        assert engine.sweep() == 1
        assert [item["token"]["S"] for item in engine.execute("Scan", {"TableName": "Web"})["Items"]] == ["new"]


def test_a_model_without_expiry_asks_for_nothing() -> None:
    with open_engine("memory:", sweep_every=None) as engine:
        wire = OnTheWay(EmbeddedTransport(engine, owned=False))
        with plain.open(wire, create=True):
            assert wire.operations == ["DescribeTable", "CreateTable", "DescribeTable"]
        assert told(engine.execute, "Plain") == {"TimeToLiveStatus": "DISABLED"}


def test_a_lost_reply_is_no_failure() -> None:
    with open_engine("memory:", sweep_every=None) as engine:
        wire = OnTheWay(EmbeddedTransport(engine, owned=False))
        with web.open(wire) as db:
            wire.lose = {2}
            db.create_table()
            assert wire.operations == ["CreateTable", "DescribeTable", "UpdateTimeToLive", "UpdateTimeToLive"]
        assert told(engine.execute, "Web") == ENABLED


ACTIVE: dict[str, Any] = {"Table": {"TableStatus": "ACTIVE"}}
REFUSED = "TimeToLive is active on a different AttributeName: current AttributeName is other"


def test_a_refusal_is_told() -> None:
    with web.open(Scripted({}, ACTIVE, RequestRefused(REFUSED))) as db, pytest.raises(RequestRefused, match="other"):
        db.create_table()


def test_a_refusal_is_told_to_asyncio_too() -> None:
    async def work() -> None:
        async with web.open_async(AsyncScripted({}, ACTIVE, RequestRefused(REFUSED))) as db:
            await db.create_table()

    with pytest.raises(RequestRefused, match="other"):
        asyncio.run(work())
