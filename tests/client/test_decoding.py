"""Items and stream records that came another way: entities, tombstones and markers, with sealed values opened."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest

from tablewright import (
    AesGcm,
    Encrypted,
    Entity,
    FolderStore,
    Keys,
    Offloaded,
    Session,
    SoftDelete,
    StreamRecord,
    Table,
    Tombstone,
    UniqueMarker,
    key,
    stored,
)
from tablewright.engine import Engine, open_engine
from tablewright.errors import ArgumentError, ConfigError, ModelError, UnknownEntityTypeError
from tablewright.transport.botocore import to_sdk
from tests.client.conftest import CURSOR_KEYS

VAULT = AesGcm({"k1": bytes(32)})


def model(folder: Path) -> tuple[Table, type[Any], type[Any]]:
    table = Table("Told", stream="NEW_AND_OLD_IMAGES")

    class Person(Entity, table=table, version=True):
        keys = Keys("PERSON#{person}", "PERSON#{person}", unique=["email"])
        person: str
        email: str
        secret: Annotated[str, Encrypted(VAULT)] = ""
        cv: Annotated[str, Offloaded(FolderStore(folder), above=10)] = ""
        photo: bytes = b""

    class Note(Entity, table=table, soft_delete=SoftDelete()):
        keys = Keys("PERSON#{person}", "NOTE#{note}")
        person: str
        note: str
        secret: Annotated[str, Encrypted(VAULT)] = ""

    return table, Person, Note


class World:
    """A table with a stream on an engine."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        self.engine = engine
        self.table, self.person, self.note = model(folder)
        self.db: Session = self.table.open(engine, create=True, cursor_keys=CURSOR_KEYS)

    def items(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.engine.execute("Scan", {"TableName": "Told"})["Items"]
        return found

    def records(self) -> list[dict[str, Any]]:
        arn = self.engine.execute("DescribeTable", {"TableName": "Told"})["Table"]["LatestStreamArn"]
        (shard,) = self.engine.execute("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
        place = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        iterator = self.engine.execute("GetShardIterator", place)["ShardIterator"]
        found: list[dict[str, Any]] = self.engine.execute("GetRecords", {"ShardIterator": iterator})["Records"]
        return found


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with open_engine("memory:") as engine:
        made = World(engine, tmp_path)
        yield made
        made.db.close()


def ada(world: World) -> Any:
    return world.person(person="ada", email="a@b", secret="hush", cv="x" * 100, photo=b"\x00\xff")


def test_every_item_of_a_table_is_told_as_what_it_is(world: World) -> None:
    db = world.db
    db.create(ada(world))
    db.create(world.note(person="ada", note="n", secret="soft"))
    db.delete(key(world.note, person="ada", note="n"))
    items = world.items()
    before = copy.deepcopy(items)
    decoded = {type(d): d for d in map(db.decode, items)}
    assert items == before  # the caller's own stay as they were
    assert decoded.keys() == {world.person, Tombstone, UniqueMarker}
    person = decoded[world.person]
    assert person == ada(world)
    assert isinstance(person, Entity)
    known = stored(person)
    assert known is not None
    assert known.version == 1
    gone = decoded[Tombstone]
    assert isinstance(gone, Tombstone)
    assert gone.entity == world.note(person="ada", note="n", secret="soft")
    assert gone.key.fields == {"person": "ada", "note": "n"}
    assert gone.deleted_at.tzinfo is not None
    marker = decoded[UniqueMarker]
    assert isinstance(marker, UniqueMarker)
    assert marker.owner == {"PK": {"S": "PERSON#ada"}, "SK": {"S": "PERSON#ada"}}


@pytest.mark.parametrize("convert", [lambda r: r, to_sdk], ids=["text", "bytes"])
def test_records_of_the_stream_have_both_images(world: World, convert: Any) -> None:
    db = world.db
    db.create(ada(world))
    db.update(key(world.person, person="ada"), set={"secret": "other"})
    db.delete(key(world.person, person="ada"))
    records = [db.decode_record(convert(r)) for r in world.records()]
    own = [r for r in records if isinstance(r.old or r.new, world.person)]
    assert [(r.event, r.expired) for r in own] == [("INSERT", False), ("MODIFY", False), ("REMOVE", False)]
    assert [getattr(r.old, "secret", None) for r in own] == [None, "hush", "other"]
    assert [getattr(r.new, "secret", None) for r in own] == ["hush", "other", None]
    assert own[0].new == ada(world)
    assert all(r.keys == {"PK": {"S": "PERSON#ada"}, "SK": {"S": "PERSON#ada"}} for r in own)
    assert all(r.at is not None and r.at.tzinfo is not None for r in own)
    assert len({r.sequence_number for r in records}) == len(records)


def test_what_time_to_live_removed_says_so(world: World) -> None:
    world.db.create(world.note(person="ada", note="n"))
    (record,) = world.records()
    told = {
        **record,
        "eventName": "REMOVE",
        "userIdentity": {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"},
    }
    decoded = world.db.decode_record(told)
    assert isinstance(decoded, StreamRecord)
    assert decoded.expired


def test_images_that_the_view_leaves_out_are_none(world: World) -> None:
    world.db.create(world.note(person="ada", note="n"))
    (record,) = world.records()
    del record["dynamodb"]["NewImage"]
    decoded = world.db.decode_record(record)
    assert (decoded.old, decoded.new, decoded.event) == (None, None, "INSERT")


def test_what_is_no_item_or_record_is_refused(world: World) -> None:
    items: list[Any] = [{"PK": "USER#1"}, "x", None, {"PK": {"S": "a", "N": "1"}}]
    for item in items:
        with pytest.raises(ArgumentError, match="as DynamoDB stores it"):
            world.db.decode(item)
    records: list[Any] = [{}, {"dynamodb": {}}, None]
    for record in records:
        with pytest.raises(ArgumentError, match="record of a DynamoDB stream"):
            world.db.decode_record(record)
    with pytest.raises(UnknownEntityTypeError):
        world.db.decode({"PK": {"S": "a"}, "Type": {"S": "Lorry"}})


def test_the_same_with_asyncio(world: World) -> None:
    world.db.create(ada(world))

    async def go() -> None:
        async with world.table.open_async(world.engine, cursor_keys=CURSOR_KEYS) as db:
            decoded = [await db.decode(item) for item in world.items()]
            assert ada(world) in decoded
            records = [await db.decode_record(r) for r in world.records()]
            assert ada(world) in [r.new for r in records]

    asyncio.run(go())


def test_a_stream_that_the_model_wants_must_be_there() -> None:
    with open_engine("memory:") as engine:
        Table("Told").open(engine, create=True).close()
        wanting = Table("Told", stream="NEW_IMAGE")
        with pytest.raises(ConfigError, match="no stream") as refused:
            wanting.open(engine, create=True)
        assert refused.value.hint is not None
        assert "UpdateTable" in refused.value.hint
        with wanting.open(engine, create=False) as db:
            stream = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
            db.send("UpdateTable", {"TableName": "Told", "StreamSpecification": stream})
            db.ensure_table()
    with pytest.raises(ModelError, match="NEW_AND_OLD_IMAGES"):
        Table("Wrong", stream="ALL")  # type: ignore[arg-type]
