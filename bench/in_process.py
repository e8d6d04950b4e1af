"""What a typed call costs in one process: against the raw engine, boto3 on moto, and boto3 on DynamoDB Local.

Run with `make bench`. Each figure is a ratio from one interleaved run.
"""

from __future__ import annotations

import itertools
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from decimal import Decimal
from pathlib import Path
from typing import Any

from bench.rounds import Score, Work, ratio, run_rounds
from tablewright import GSI, Entity, Get, Keys, Session, Table, get
from tablewright.compiler.schema import create_table_request

table = Table("Bench", indexes=[GSI("GSI1"), GSI("GSI2")])
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "15"))


class Thing(Entity, table=table):
    """An item of some fifteen attributes on two indexes."""

    keys = Keys(
        "THING#{thing_id}",
        "THING#{thing_id}",
        GSI1=("OWNER#{owner}", "{rank:9}#{thing_id}"),
        GSI2=("STATUS#{status}", "{thing_id}"),
    )
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
def thing(thing_id: str) -> Get[Thing]:
    "One thing."
    return get(Thing, Thing.thing_id == thing_id)


def make(number: int, round_trip: int = 0) -> Thing:
    """A thing that differs from every other, since storage engines skip identical writes."""
    return Thing(
        thing_id=f"t{number:06d}",
        owner=f"owner-{number % 50}",
        rank=number,
        status="ACTIVE" if number % 3 else "RETIRED",
        name=f"Thing number {number}",
        description="A thing of good quality, described at some length. " * 2 + str(round_trip),
        price=Decimal("12.50") + number,
        weight=Decimal("0.25"),
        active=True,
        colour="blue",
        size="M",
        stock=round_trip,
        tags=["a", "b", "c"],
    )


SEEDED = 1000
COUNT = 400


def typed(db: Session) -> tuple[Work, Work]:
    """Get and create through the typed session."""
    numbers, fresh = itertools.cycle(range(SEEDED)), itertools.count(SEEDED)

    def gets(count: int) -> None:
        for _ in range(count):
            found = db.run(thing, f"t{next(numbers):06d}")
            assert found is not None

    def puts(count: int) -> None:
        for _ in range(count):
            db.create(make(next(fresh)))

    return gets, puts


def raw(send: Callable[[str, dict[str, Any]], dict[str, Any]]) -> tuple[Work, Work]:
    """The same requests, ready-made, straight at the engine."""
    numbers = itertools.cycle(range(SEEDED))
    ready = iter(wire_items(10_000_000, (ROUNDS + 1) * COUNT))

    def gets(count: int) -> None:
        for _ in range(count):
            text = {"S": f"THING#t{next(numbers):06d}"}
            assert send("GetItem", {"TableName": "Bench", "Key": {"PK": text, "SK": text}})["Item"]

    def puts(count: int) -> None:
        for item in itertools.islice(ready, count):
            send("PutItem", {"TableName": "Bench", "Item": item, **NEW})

    return gets, puts


NEW = {
    "ConditionExpression": "attribute_not_exists(#0)",
    "ExpressionAttributeNames": {"#0": "PK"},
    "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
}
STAMP = {"S": "2026-01-01T00:00:00.000000Z"}


def wire_items(start: int, count: int) -> list[dict[str, Any]]:
    """Whole items as they are stored."""
    plan = table.plan.of(Thing)
    items = []
    for number in range(start, start + count):
        values = make(number).__dict__
        item = plan.encode_fields(values) | plan.key(values) | plan.index_attributes(values)[0]
        items.append(item | {"Type": {"S": "Thing"}, "CreatedAt": STAMP, "UpdatedAt": STAMP})
    return items


def through_boto3(client: Any) -> tuple[Work, Work]:
    """The same through a boto3 client, with the SDK's own types as an application would hold them."""
    from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

    serialize, deserialize = TypeSerializer().serialize, TypeDeserializer().deserialize
    numbers, fresh = itertools.cycle(range(SEEDED)), itertools.count(20_000_000)

    def gets(count: int) -> None:
        for _ in range(count):
            text = {"S": f"THING#t{next(numbers):06d}"}
            reply = client.get_item(TableName="Bench", Key={"PK": text, "SK": text})
            assert {k: deserialize(v) for k, v in reply["Item"].items()}

    def puts(count: int) -> None:
        for _ in range(count):
            number = next(fresh)
            thing_id = f"t{number:06d}"
            values = make(number).model_dump() | {
                "PK": f"THING#{thing_id}",
                "SK": f"THING#{thing_id}",
                "GSI1PK": f"OWNER#owner-{number % 50}",
                "GSI1SK": f"{number:09d}#{thing_id}",
                "GSI2PK": "STATUS#ACTIVE",
                "GSI2SK": thing_id,
                "Type": "Thing",
            }
            client.put_item(
                TableName="Bench",
                Item={k: serialize(v) for k, v in values.items()},
                ConditionExpression="attribute_not_exists(PK)",
            )

    return gets, puts


def seed(db: Session) -> None:
    """A thousand things to read."""
    with db.batch() as batch:
        for number in range(SEEDED):
            batch.put(make(number))


def main() -> None:
    """Prints the ratios."""
    contestants: dict[str, tuple[Work, int]] = {}
    with ExitStack() as stack:
        memory = stack.enter_context(table.open("memory:"))
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        file = stack.enter_context(table.open(str(Path(folder) / "bench.db")))
        for name, db in (("memory", memory), ("file", file)):
            seed(db)
            _enter(contestants, f"typed {name}", typed(db), COUNT)
            _enter(contestants, f"engine {name}", raw(db.send), COUNT)
        _enter(contestants, "boto3 on moto", through_boto3(stack.enter_context(_moto())), 50)
        local = _dynamodb_local(stack)
        if local is not None:
            _enter(contestants, "boto3 on DynamoDB Local", through_boto3(local), 50)
        scores = run_rounds(contestants, ROUNDS)
    report(scores)


def _enter(contestants: dict[str, tuple[Work, int]], name: str, works: tuple[Work, Work], count: int) -> None:
    contestants[f"{name}: get"] = (works[0], count)
    contestants[f"{name}: put"] = (works[1], count)


def _seed_client(client: Any) -> None:
    client.create_table(**create_table_request(table, "Bench"))
    with table.open(client) as db:
        seed(db)


class _moto:  # noqa: N801 - a context manager with a short life
    """A boto3 client whose calls moto answers in this process."""

    def __enter__(self) -> Any:
        import boto3
        from moto import mock_aws

        os.environ |= {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "AWS_DEFAULT_REGION": "us-east-1"}
        self._mock = mock_aws()
        self._mock.start()
        client = boto3.client("dynamodb")
        client.create_table(**create_table_request(table, "Bench"))
        from tablewright.client.batches import MAX_BATCH_WRITE

        items = wire_items(0, SEEDED)
        for start in range(0, SEEDED, MAX_BATCH_WRITE):
            chunk = [{"PutRequest": {"Item": i}} for i in items[start : start + MAX_BATCH_WRITE]]
            client.batch_write_item(RequestItems={"Bench": chunk})
        return client

    def __exit__(self, *_: object) -> None:
        self._mock.stop()


def _dynamodb_local(stack: ExitStack) -> Any:
    from bench.dynamodb_local import start

    server = start(stack)
    if server is None:
        print("DynamoDB Local is not installed (make dynamodb-local); its column is left out.", file=sys.stderr)
        return None
    _seed_client(server)
    return server


def report(scores: dict[str, Score]) -> None:
    """A table of medians and the ratios that are promised."""
    print(f"{'':34}{'µs wall':>10}{'µs CPU':>10}")
    for name, score in scores.items():
        print(f"{name:34}{score.wall_us:10.1f}{score.cpu_us:10.1f}")
    print()
    for what in ("get", "put"):
        for place in ("memory", "file"):
            figure = ratio(scores, f"typed {place}: {what}", f"engine {place}: {what}", cpu=True)
            print(f"typed {what} on {place}: {figure:.2f} times the CPU of the raw engine call (at most 3)")
        for peer in ("boto3 on moto", "boto3 on DynamoDB Local"):
            if f"{peer}: {what}" in scores:
                figure = ratio(scores, f"{peer}: {what}", f"typed memory: {what}")
                print(f"typed {what} on memory: {figure:.1f} times the throughput of {peer} (at least 10)")


if __name__ == "__main__":
    main()
