"""Indexes that a table lacks are added one by one, each waited for; what cannot be added is refused before."""

from __future__ import annotations

import asyncio
import uuid
from pathlib import Path
from typing import Any

import pytest

from tablewright import GSI, LSI, Entity, Keys, Table, query
from tablewright.engine import open_engine
from tablewright.errors import ConfigError, ResourceNotFound
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.conftest import AT_ONCE
from tests.client.doubles import OnTheWay, Scripted

old = Table("Forum", indexes=[GSI("GSI1")])
new = Table("Forum", indexes=[GSI("GSI1"), GSI("GSI2"), GSI("GSI3", projection="KEYS_ONLY")])


class OldPost(Entity, table=old, type="Post"):
    keys = Keys("THREAD#{thread}", "POST#{number:6}", GSI1=("ALL", "{thread}#{number:6}"))
    thread: str
    number: int
    author: str


class Post(Entity, table=new):
    keys = Keys(
        "THREAD#{thread}",
        "POST#{number:6}",
        GSI1=("ALL", "{thread}#{number:6}"),
        GSI2=("AUTHOR#{author}", "{thread}#{number:6}"),
    )
    thread: str
    number: int
    author: str


def adds_what_is_missing(target: Any, **options: Any) -> None:
    with old.open(target, create=True, **options) as db:
        db.create(OldPost(thread="cats", number=1, author="ada"))
    with pytest.raises(ConfigError, match="without the index 'GSI2'") as refused:
        new.open(target, create=True, **options)
    assert refused.value.hint is not None
    assert "add_missing_indexes()" in refused.value.hint
    assert "`tablewright migrate` makes it" in refused.value.hint
    with new.open(target, create=False, **options) as db:
        assert db.add_missing_indexes() == ("GSI2", "GSI3")
        db.ensure_table()
        assert db.add_missing_indexes() == ()
        for post in db.scan_for_maintenance(Post):
            db.put(post)
        assert [post.number for post in db.query(Post, Post.author == "ada")] == [1]


def test_on_a_file(tmp_path: Path) -> None:
    adds_what_is_missing(tmp_path / "forum.db")


@pytest.mark.dynamodb_local
def test_on_dynamodb_local(dynamodb_local_url: str) -> None:
    adds_what_is_missing(dynamodb_local_url, table_name=f"forum-{uuid.uuid4().hex}")


def test_one_at_a_time_and_each_is_waited_for() -> None:
    with open_engine("memory:", backfills=False) as engine:
        old.open(engine, create=True).close()
        with old.open(engine) as db:
            db.create(OldPost(thread="cats", number=1, author="ada"))
        wire = OnTheWay(EmbeddedTransport(engine, owned=False))
        # Filled only when somebody has asked how far it is.
        wire.before = {3: engine.backfill, 6: engine.backfill}
        with new.open(wire, create=False, retry=AT_ONCE) as db:
            assert db.add_missing_indexes() == ("GSI2", "GSI3")
        described = "DescribeTable"
        assert wire.operations == [
            *(described, "UpdateTable", described, described),
            *("UpdateTable", described, described),
        ]


def test_an_index_of_a_provisioned_table_has_its_throughput() -> None:
    state: dict[str, Any] = {
        "TableName": "Forum",
        "TableStatus": "ACTIVE",
        "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 2, "NumberOfDecreasesToday": 0},
        "GlobalSecondaryIndexes": [{"IndexName": n, "IndexStatus": "ACTIVE"} for n in ("GSI1", "GSI2")],
    }
    wire = Scripted({"Table": state}, ConfigError("That is far enough."))
    with new.open(wire, create=False) as db, pytest.raises(ConfigError, match="far enough"):
        db.add_missing_indexes()
    operation, request = wire.sent[1]
    (update,) = request["GlobalSecondaryIndexUpdates"]
    assert operation == "UpdateTable"
    assert update["Create"]["IndexName"] == "GSI3"
    assert update["Create"]["ProvisionedThroughput"] == {"ReadCapacityUnits": 5, "WriteCapacityUnits": 2}
    assert {a["AttributeName"] for a in request["AttributeDefinitions"]} == {"GSI3PK", "GSI3SK"}


def test_what_cannot_be_added_is_refused() -> None:
    local = Table("Forum", indexes=[GSI("GSI1"), GSI("GSI2"), LSI("LSI1")])
    wire = OnTheWay(EmbeddedTransport.open("memory:"))
    with local.open(wire, create=False) as db:
        with pytest.raises(ResourceNotFound, match="no table Forum"):
            db.add_missing_indexes()
        old.open(wire, create=True)
        wire.restart()
        with pytest.raises(ConfigError, match="local index 'LSI1'"):
            db.add_missing_indexes()
        assert wire.operations == ["DescribeTable"]
        with pytest.raises(ConfigError, match="without the index 'GSI2'"):
            db.ensure_table()


def test_the_same_with_asyncio() -> None:
    with open_engine("memory:") as engine:
        old.open(engine, create=True).close()

        async def go() -> None:
            async with new.open_async(engine, create=False) as db:
                assert await db.add_missing_indexes() == ("GSI2", "GSI3")
                await db.create(Post(thread="cats", number=1, author="ada"))
                assert [p.number async for p in db.execute(query(Post, Post.author == "ada"))] == [1]

        asyncio.run(go())
