"""The same work in other libraries, and the list of all."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable, Coroutine
from decimal import Decimal
from typing import Any

from bench.client_work import (
    BATCH,
    CONCURRENT,
    GET,
    IDS,
    OPERATIONS,
    PUT,
    QUERY,
    SEEDED,
    UPDATE,
    Works,
    boto3,
    boto3_client,
    concurrently,
    fields,
    full,
    raw_key,
    repeat,
    tablewright,
    wire_item,
)
from bench.rounds import Work


def pynamodb(url: str, _: asyncio.Runner) -> Works:
    """PynamoDB's models."""
    from pynamodb.attributes import BooleanAttribute, ListAttribute, NumberAttribute, UnicodeAttribute
    from pynamodb.indexes import AllProjection, GlobalSecondaryIndex
    from pynamodb.models import Model

    class ByOwner(GlobalSecondaryIndex):  # type: ignore[misc]
        class Meta:
            index_name = "GSI1"
            projection = AllProjection()

        gsi1pk = UnicodeAttribute(hash_key=True, attr_name="GSI1PK")
        gsi1sk = UnicodeAttribute(range_key=True, attr_name="GSI1SK")

    class Thing(Model):  # type: ignore[misc]
        class Meta:
            table_name = "pynamodb"
            host = url
            region = "us-east-1"
            aws_access_key_id = "local"
            aws_secret_access_key = "local"
            max_retry_attempts = 0

        pk = UnicodeAttribute(hash_key=True, attr_name="PK")
        sk = UnicodeAttribute(range_key=True, attr_name="SK")
        gsi1pk = UnicodeAttribute(attr_name="GSI1PK")
        gsi1sk = UnicodeAttribute(attr_name="GSI1SK")
        by_owner = ByOwner()
        thing_id = UnicodeAttribute()
        owner = UnicodeAttribute()
        rank = NumberAttribute()
        status = UnicodeAttribute()
        name = UnicodeAttribute()
        description = UnicodeAttribute()
        price = NumberAttribute()
        weight = NumberAttribute()
        active = BooleanAttribute()
        colour = UnicodeAttribute()
        size = UnicodeAttribute()
        stock = NumberAttribute()
        tags: Any = ListAttribute(of=UnicodeAttribute)

    def make(number: int) -> Any:
        text = f"THING#t{number:06d}"
        plain = {n: float(v) if isinstance(v, Decimal) else v for n, v in fields(number).items()}
        return Thing(text, text, gsi1pk="OWNER#owner-1", gsi1sk=f"{number:09d}", **plain)

    things = [make(number) for number in range(SEEDED)]
    for thing in things:
        thing.save()
    numbers = itertools.cycle(range(SEEDED))
    keys = [(f"THING#{text}", f"THING#{text}") for text in IDS]
    return {
        GET: repeat(lambda: Thing.get(*keys[next(numbers)])),
        PUT: repeat(lambda: things[next(numbers)].save()),
        UPDATE: repeat(lambda: things[next(numbers)].update(actions=[Thing.stock.set(5)])),
        QUERY: repeat(lambda: full(Thing.by_owner.query("OWNER#owner-1"), 25)),
        BATCH: repeat(lambda: full(Thing.batch_get(keys), 100)),
    }


def pydynantic(url: str, _: asyncio.Runner) -> Works:
    """pydynantic's entities, on boto3."""
    from pydynantic import Entity, Table, key

    indexes = {"GSI1": {"pk": "GSI1PK", "sk": "GSI1SK"}}
    table = Table(name="pydynantic", pk="PK", sk="SK", indexes=indexes, client=boto3_client(url))

    class Thing(Entity, table=table, name="thing"):  # type: ignore[misc, call-arg]
        thing_id: str
        owner: str
        rank: int
        status: str
        name: str
        description: str
        price: Decimal
        weight: Decimal
        active: bool
        colour: str
        size: str
        stock: int
        tags: list[str]

        class Meta:
            primary = key(pk="THING#{thing_id}", sk="THING#{thing_id}")
            by_owner = key(index="GSI1", pk="OWNER#{owner}", sk="{rank}")

    things = [Thing(**fields(number)) for number in range(SEEDED)]
    for thing in things:
        Thing.put(thing)
    numbers = itertools.cycle(range(SEEDED))
    keys = [(text,) for text in IDS]
    return {
        GET: repeat(lambda: Thing.get(thing_id=IDS[next(numbers)]).thing_id),
        PUT: repeat(lambda: Thing.put(things[next(numbers)])),
        UPDATE: repeat(lambda: Thing.update(thing_id=IDS[next(numbers)], set={"stock": 5})),
        QUERY: repeat(lambda: full(Thing.query.by_owner(owner="owner-1").all(), 25)),
        BATCH: repeat(lambda: full(Thing.batch_get(keys), 100)),
    }


def dyntastic(url: str, _: asyncio.Runner) -> Works:
    """dyntastic's models, on boto3."""
    import os

    from dyntastic import A, Dyntastic, Index

    os.environ |= {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "AWS_DEFAULT_REGION": "us-east-1"}

    class Thing(Dyntastic):  # type: ignore[misc]
        __table_name__ = "dyntastic"
        __hash_key__ = "PK"
        __range_key__ = "SK"
        __table_region__ = "us-east-1"
        __table_host__ = url
        PK: str
        SK: str
        GSI1PK: str
        GSI1SK: str
        thing_id: str
        owner: str
        rank: int
        status: str
        name: str
        description: str
        price: Decimal
        weight: Decimal
        active: bool
        colour: str
        size: str
        stock: int
        tags: list[str]

    def make(number: int) -> Any:
        text = f"THING#t{number:06d}"
        return Thing(PK=text, SK=text, GSI1PK="OWNER#owner-1", GSI1SK=f"{number:09d}", **fields(number))

    things = [make(number) for number in range(SEEDED)]
    for thing in things:
        thing.save()
    numbers = itertools.cycle(range(SEEDED))
    keys = [(f"THING#{text}", f"THING#{text}") for text in IDS]
    by_owner = Index("GSI1PK", "GSI1SK", index_name="GSI1")
    return {
        GET: repeat(lambda: Thing.get(*keys[next(numbers)])),
        PUT: repeat(lambda: things[next(numbers)].save()),
        UPDATE: repeat(lambda: things[next(numbers)].update(A("stock").set(5))),
        QUERY: repeat(lambda: full(Thing.query(A("GSI1PK") == "OWNER#owner-1", index=by_owner.index_name), 25)),
        BATCH: repeat(lambda: full(Thing.batch_get(keys), 100)),
    }


def pydynox(url: str, runner: asyncio.Runner) -> Works:
    """pydynox's models; requests and values are made in Rust."""
    from pydynox import DynamoDBClient, Model, ModelConfig
    from pydynox.attributes import BooleanAttribute, ListAttribute, NumberAttribute, StringAttribute

    logging.getLogger("pydynox").setLevel(logging.ERROR)  # it tells of every request over 100 ms
    client = DynamoDBClient(region="us-east-1", access_key="local", secret_key="local", endpoint_url=url)

    class Thing(Model):  # type: ignore[misc]
        model_config = ModelConfig(table="pydynox", client=client)
        PK = StringAttribute(partition_key=True)
        SK = StringAttribute(sort_key=True)
        GSI1PK = StringAttribute()
        GSI1SK = StringAttribute()
        thing_id = StringAttribute()
        owner = StringAttribute()
        rank = NumberAttribute()
        status = StringAttribute()
        name = StringAttribute()
        description = StringAttribute()
        price = NumberAttribute()
        weight = NumberAttribute()
        active = BooleanAttribute()
        colour = StringAttribute()
        size = StringAttribute()
        stock = NumberAttribute()
        tags = ListAttribute()

    def make(number: int) -> Any:
        text = f"THING#t{number:06d}"
        plain = {n: float(v) if isinstance(v, Decimal) else v for n, v in fields(number).items()}
        return Thing(PK=text, SK=text, GSI1PK="OWNER#owner-1", GSI1SK=f"{number:09d}", **plain)

    things = [make(number) for number in range(SEEDED)]
    for thing in things:
        thing.sync_save()
    numbers = itertools.cycle(range(SEEDED))
    keys = [{"PK": f"THING#{text}", "SK": f"THING#{text}"} for text in IDS]

    async def get() -> object:
        return await Thing.get(**keys[next(numbers)])

    return {
        GET: repeat(lambda: Thing.sync_get(**keys[next(numbers)])),
        PUT: repeat(lambda: things[next(numbers)].sync_save()),
        UPDATE: repeat(lambda: Thing.sync_update_by_key(**keys[next(numbers)], stock=5)),
        QUERY: repeat(lambda: full(Thing.sync_query(partition_key="THING#t000001"), 25)),
        BATCH: repeat(lambda: full(Thing.sync_batch_get(keys), 100)),
        CONCURRENT: concurrently(runner, get),
    }


def aiodynamo(url: str, runner: asyncio.Runner) -> Works:
    """aiodynamo on httpx; it has no models. One after another, but for the last."""
    from aiodynamo.client import Client
    from aiodynamo.credentials import Key, StaticCredentials
    from aiodynamo.expressions import F, HashKey
    from aiodynamo.http.httpx import HTTPX
    from aiodynamo.models import BatchGetRequest, ReturnValues
    from httpx import AsyncClient
    from yarl import URL

    client = Client(HTTPX(AsyncClient()), StaticCredentials(Key("local", "local")), "us-east-1", URL(url))
    table = client.table("aiodynamo")

    def make(number: int) -> dict[str, Any]:
        text = f"THING#t{number:06d}"
        return {"PK": text, "SK": text, "GSI1PK": "OWNER#owner-1", "GSI1SK": f"{number:09d}"} | {
            n: float(v) if isinstance(v, Decimal) else v for n, v in fields(number).items()
        }

    things = [make(number) for number in range(SEEDED)]
    numbers = itertools.cycle(range(SEEDED))
    keys = [{"PK": f"THING#{text}", "SK": f"THING#{text}"} for text in IDS]

    async def put() -> None:
        await table.put_item(things[next(numbers)])

    async def get() -> object:
        return await table.get_item(keys[next(numbers)])

    async def update() -> object:
        return await table.update_item(keys[next(numbers)], F("stock").set(5), return_values=ReturnValues.all_new)

    async def query() -> None:
        full([item async for item in table.query(HashKey("GSI1PK", "OWNER#owner-1"), index="GSI1")], 25)

    async def batch() -> None:
        found = await client.batch_get({"aiodynamo": BatchGetRequest(keys=keys)})
        full(found.items["aiodynamo"], 100)

    def one_after_another(once: Callable[[], Coroutine[Any, Any, object]]) -> Work:
        return concurrently(runner, once, tasks=1)

    one_after_another(put)(SEEDED)
    works = zip(OPERATIONS, (get, put, update, query, batch), strict=True)
    return {name: one_after_another(once) for name, once in works} | {CONCURRENT: concurrently(runner, get)}


def aioboto3(url: str, runner: asyncio.Runner) -> Works:
    """aioboto3's low-level client."""
    import aioboto3 as library
    from botocore.config import Config

    keys = {"aws_access_key_id": "local", "aws_secret_access_key": "local"}
    config = Config(retries={"total_max_attempts": 1}, max_pool_connections=50)
    numbers = itertools.cycle(range(SEEDED))

    async def open_client() -> Any:
        session = library.Session()
        made = session.client("dynamodb", endpoint_url=url, region_name="us-east-1", config=config, **keys)
        return await made.__aenter__()

    client = runner.run(open_client())

    async def put(number: int) -> None:
        await client.put_item(TableName="aioboto3", Item=wire_item(number))

    for number in range(SEEDED):
        runner.run(put(number))

    async def get() -> object:
        return (await client.get_item(TableName="aioboto3", Key=raw_key(IDS[next(numbers)])))["Item"]

    return {CONCURRENT: concurrently(runner, get)}


LIBRARIES: dict[str, Callable[[str, asyncio.Runner], Works]] = {
    "tablewright": tablewright,
    "boto3": boto3,
    "aioboto3": aioboto3,
    "PynamoDB": pynamodb,
    "pydynantic": pydynantic,
    "dyntastic": dyntastic,
    "pydynox": pydynox,
    "aiodynamo": aiodynamo,
}
