"""The work that is measured, by ours and by boto3: one thing of thirteen fields, read, written, updated and queried."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Any

from bench.rounds import Work

GET, PUT, UPDATE, MEASURED = "GetItem", "PutItem", "UpdateItem", "GetItem, measured"
QUERY, BATCH, CONCURRENT = "Query of 25", "Batch get of 100", "async GetItem, 50 at once"
OPERATIONS = (GET, PUT, UPDATE, QUERY, BATCH)
OBSERVED = {operation: f"{operation}, observed" for operation in (GET, PUT, UPDATE, QUERY)}
SEEDED = 100
IDS = [f"t{number:06d}" for number in range(SEEDED)]

Works = dict[str, Work]


def fields(number: int) -> dict[str, Any]:
    """The fields of a thing."""
    return {
        "thing_id": f"t{number:06d}",
        "owner": "owner-1",
        "rank": number,
        "status": "ACTIVE",
        "name": f"Thing number {number}",
        "description": "A thing of good quality, described at some length. " * 2,
        "price": Decimal("12.50") + number,
        "weight": Decimal("0.25"),
        "active": True,
        "colour": "blue",
        "size": "M",
        "stock": number,
        "tags": ["a", "b", "c"],
    }


def wire_item(number: int) -> dict[str, Any]:
    """The same as an item, for clients without models."""
    key = {"S": f"THING#t{number:06d}"}
    item: dict[str, Any] = {"PK": key, "SK": key, "GSI1PK": {"S": "OWNER#owner-1"}, "GSI1SK": {"S": f"{number:09d}"}}
    for name, value in fields(number).items():
        if isinstance(value, bool):
            item[name] = {"BOOL": value}
        elif isinstance(value, int | Decimal):
            item[name] = {"N": str(value)}
        else:
            item[name] = {"L": [{"S": v} for v in value]} if isinstance(value, list) else {"S": value}
    return item


def repeat(once: Callable[[], object]) -> Work:
    """Does one thing often."""

    def work(count: int) -> None:
        for _ in range(count):
            once()

    return work


# ----------------------------------------------------------------------------------------------------------- ours


def tablewright(url: str, runner: asyncio.Runner) -> Works:
    """Typed calls of this library."""
    from tablewright import GSI, Entity, Keys, Query, Table, key, query
    from tablewright.observe.collector import Collector

    table = Table("tablewright", indexes=[GSI("GSI1")])

    class Thing(Entity, table=table):
        keys = Keys("THING#{thing_id}", "THING#{thing_id}", GSI1=("OWNER#{owner}", "{rank:9}#{thing_id}"))
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

    @table.pattern
    def things_of(owner: str) -> Query[Thing]:
        return query(Thing, Thing.owner == owner)

    db = table.open(url)
    things = [Thing(**fields(number)) for number in range(SEEDED)]
    for thing in things:
        db.create(thing)
    numbers = itertools.cycle(range(SEEDED))
    keys = [key(Thing, thing_id=text) for text in IDS]
    again = table.open_async(url)
    observed = table.open(url, observe=Collector())

    async def get() -> object:
        return await again.get(key(Thing, thing_id=IDS[next(numbers)]))

    def with_meter(count: int) -> None:
        with db.measure() as meter:
            for _ in range(count):
                db.get(key(Thing, thing_id=IDS[next(numbers)]))
        assert len(meter.requests) == count

    return {
        OBSERVED[GET]: repeat(lambda: observed.get(key(Thing, thing_id=IDS[next(numbers)]))),
        OBSERVED[PUT]: repeat(lambda: observed.create(things[next(numbers)])),
        OBSERVED[UPDATE]: repeat(lambda: observed.update(key(Thing, thing_id=IDS[next(numbers)]), set={"stock": 5})),
        OBSERVED[QUERY]: repeat(lambda: full(observed.run(things_of, "owner-1").all(), 25)),
        GET: repeat(lambda: db.get(key(Thing, thing_id=IDS[next(numbers)]))),
        MEASURED: with_meter,
        PUT: repeat(lambda: db.create(things[next(numbers)])),
        UPDATE: repeat(lambda: db.update(key(Thing, thing_id=IDS[next(numbers)]), set={"stock": 5})),
        QUERY: repeat(lambda: full(db.run(things_of, "owner-1").all(), 25)),
        BATCH: repeat(lambda: full(db.get_many(keys), 100)),
        CONCURRENT: concurrently(runner, get),
    }


def full(found: Any, count: int) -> None:
    """Makes sure that all came."""
    assert len(list(found)) == count, len(list(found))


def concurrently(runner: asyncio.Runner, once: Callable[[], Awaitable[object]], tasks: int = 50) -> Work:
    """Fifty tasks that share the count."""

    async def some(count: int) -> None:
        for _ in range(count):
            await once()

    async def all_of_them(count: int) -> None:
        await asyncio.gather(*(some(count // tasks) for _ in range(tasks)))

    return lambda count: runner.run(all_of_them(max(count, tasks)))


# ---------------------------------------------------------------------------------------------------------- boto3


def boto3_client(url: str) -> Any:
    """A client without retries."""
    import boto3
    from botocore.config import Config

    keys = {"aws_access_key_id": "local", "aws_secret_access_key": "local"}
    config = Config(retries={"total_max_attempts": 1})
    return boto3.client("dynamodb", endpoint_url=url, region_name="us-east-1", config=config, **keys)


def raw_key(text: str) -> dict[str, Any]:
    """A key, for clients without models."""
    return {"PK": {"S": f"THING#{text}"}, "SK": {"S": f"THING#{text}"}}


UPDATE_STOCK: dict[str, Any] = {
    "UpdateExpression": "SET #s = :s",
    "ExpressionAttributeNames": {"#s": "stock"},
    "ExpressionAttributeValues": {":s": {"N": "5"}},
    "ReturnValues": "ALL_NEW",
}
QUERY_OWNER: dict[str, Any] = {
    "IndexName": "GSI1",
    "KeyConditionExpression": "#p = :p",
    "ExpressionAttributeNames": {"#p": "GSI1PK"},
    "ExpressionAttributeValues": {":p": {"S": "OWNER#owner-1"}},
}


def boto3(url: str, _: asyncio.Runner) -> Works:
    """boto3's low-level client: dicts in, dicts out."""
    client, name = boto3_client(url), "boto3"
    items = [wire_item(number) for number in range(SEEDED)]
    for item in items:
        client.put_item(TableName=name, Item=item)
    numbers = itertools.cycle(range(SEEDED))
    keys = {name: {"Keys": [raw_key(text) for text in IDS]}}
    return {
        GET: repeat(lambda: client.get_item(TableName=name, Key=raw_key(IDS[next(numbers)]))["Item"]),
        PUT: repeat(lambda: client.put_item(TableName=name, Item=items[next(numbers)])),
        UPDATE: repeat(
            lambda: client.update_item(TableName=name, Key=raw_key(IDS[next(numbers)]), **UPDATE_STOCK)["Attributes"]
        ),
        QUERY: repeat(lambda: full(client.query(TableName=name, **QUERY_OWNER)["Items"], 25)),
        BATCH: repeat(lambda: full(client.batch_get_item(RequestItems=keys)["Responses"][name], 100)),
    }
