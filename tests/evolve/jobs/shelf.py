"""A table of books and work on it, for the tests of jobs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from tablewright import RetryPolicy
from tablewright.engine import Engine
from tablewright.evolve.jobs import Decision, Job, Report, Skipped, Writes
from tablewright.transport.base import Transport
from tablewright.values.types import Item

TABLE = "Shelf"
AT_ONCE = RetryPolicy(base_delay=0.0, max_delay=0.0)


async def no_sleep(seconds: float) -> None:
    """Others get a turn, and no time is lost."""
    await asyncio.sleep(0)


def make_table(engine: Engine, books: int = 0, *, index: bool = False, kind: str = "S") -> None:
    """A table of so many books."""
    names = [("PK", kind), ("SK", "S"), *([("label", "S")] if index else [])]
    request: dict[str, Any] = {
        "TableName": TABLE,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": tag} for name, tag in names],
        "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
    }
    if index:
        request["GlobalSecondaryIndexes"] = [
            {
                "IndexName": "ByLabel",
                "KeySchema": [{"AttributeName": "label", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
            }
        ]
    engine.execute("CreateTable", request)
    for number in range(books):
        engine.execute("PutItem", {"TableName": TABLE, "Item": book(number, kind)})


def book(number: int, kind: str = "S", version: int = 1) -> Item:
    """A book without a label."""
    return {
        "PK": {kind: str(number) if kind == "N" else f"BOOK#{number:03d}"},
        "SK": {"S": "BOOK"},
        "title": {"S": f"Book {number}"},
        "version": {"N": str(version)},
    }


class Label:
    """Gives each book a label made of its title; a book that is withdrawn gets none. Copies are in the same state."""

    def __init__(self, identity: str = "1", table: str = TABLE) -> None:
        self.name = "label books"
        self.identity = identity
        self.table = table
        self.reads: dict[str, Any] = {}

    def look(self, item: Item) -> Decision:
        """A label that fits the title as it is."""
        if "title" not in item:
            return None
        if "withdrawn" in item:
            return Skipped("withdrawn")
        wanted = label_of(item)
        if item.get("label") == wanted:
            return None
        return Writes(({"Update": self.update(item, wanted)},))

    def update(self, item: Item, wanted: dict[str, Any]) -> dict[str, Any]:
        """Only while title and version are as they were read."""
        return {
            "TableName": self.table,
            "Key": {"PK": item["PK"], "SK": item["SK"]},
            "UpdateExpression": "SET label = :label",
            "ConditionExpression": "title = :title AND version = :version",
            "ExpressionAttributeValues": {":label": wanted, ":title": item["title"], ":version": item["version"]},
        }


def label_of(item: Item) -> dict[str, Any]:
    """What the label of a book should be."""
    return {"S": f"LABEL {item['title']['S']}"}


class Split(Label):
    """The same, with a card of its own for each book, in one transaction."""

    def look(self, item: Item) -> Decision:
        """A label and a card."""
        decision = super().look(item)
        if not isinstance(decision, Writes):
            return decision
        card = {"PK": item["PK"], "SK": {"S": "CARD"}, "of": item["title"]}
        condition = "attribute_not_exists(PK)"
        put = {"TableName": self.table, "Item": card, "ConditionExpression": condition}
        return Writes((*decision.actions, {"Put": put}))


def job(work: Any, target: Any, **options: Any) -> Job:
    """A job that writes, one request at a time, and keeps how far it is after every item."""
    usual: dict[str, Any] = {
        "write": True,
        "segments": 2,
        "in_flight": 1,
        "checkpoint_every": 0.0,
        "retry": AT_ONCE,
        "sleep": no_sleep,
    }
    return Job(work, target, **{**usual, **options})


def run(work: Any, target: Any, **options: Any) -> Report:
    """The same, run."""
    return job(work, target, **options).run()


def items(engine: Engine) -> list[Item]:
    """All that is stored, in order."""
    found: list[Item] = engine.execute("Scan", {"TableName": TABLE})["Items"]
    return sorted(found, key=lambda one: (str(one["PK"]), str(one["SK"])))


class Between:
    """A transport that tells somebody of each request before it goes, by number and operation."""

    def __init__(self, inner: Transport, tell: Callable[[int, str, dict[str, Any]], object]) -> None:
        self._inner = inner
        self._tell = tell
        self._one_at_a_time = threading.RLock()
        self.sent: list[str] = []

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        with self._one_at_a_time:
            self.sent.append(operation)
            self._tell(len(self.sent) - 1, operation, request)
        return self._inner.send(operation, request)

    def close(self) -> None:
        pass
