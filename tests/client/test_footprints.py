"""What long reads and many calls at once take: one page of memory however long the read is, and nothing mixed up."""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from tablewright import AsyncSession, Entity, Keys, PlainTable, Query, Session, Shard, Table, key, open_table, query
from tablewright.server import serve_in_thread

log = Table("Log")


class Event(Entity, table=log, timestamps=False):
    keys = Keys("LOG#{name}#{shard}", "{number:9}", derive={"shard": Shard("number", of=2)})
    name: str
    number: int
    text: str = ""


@log.pattern
def events(name: str) -> Query[Event]:
    "Both shards, merged."
    return query(Event, Event.name == name)


class LongLog:
    """A transport to a table that is as long as it was told, and makes its pages up."""

    def __init__(self, pages: int, size: int = 50) -> None:
        self.pages, self.size = pages, size

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        told = request.get("ExclusiveStartKey", {}).get("SK", {}).get("S", "0")
        page = int(request.get("NextToken") or int(told) // self.size)
        values = request.get("ExpressionAttributeValues", {}).values()
        partition = next((v["S"] for v in values if v["S"].startswith("LOG#")), "LOG#x#0")
        items = [
            {"PK": {"S": partition}, "SK": {"S": f"{n:09}"}, "Type": {"S": "Event"}, "name": {"S": "x"},
             "number": {"N": str(n)}, "text": {"S": f"{n} {'.' * 2000}"}}
            for n in range(page * self.size + 1, (page + 1) * self.size + 1)
        ]  # fmt: skip
        following: dict[str, Any] = {}
        if page + 1 < self.pages:
            last = {n: items[-1][n] for n in ("PK", "SK")}
            following = {"NextToken": str(page + 1)} if operation == "ExecuteStatement" else {"LastEvaluatedKey": last}
        return {"Items": items, "Count": self.size, "ScannedCount": self.size, **following}

    def close(self) -> None:
        pass


def swept(db: Session) -> int:
    found: list[int] = []
    db.sweep_for_maintenance(Event, lambda page: found.append(len(page)), segments=1)
    return sum(found)


STATEMENT = 'SELECT * FROM "{table}" WHERE PK = ?'
BY_SESSION: dict[str, Callable[[Session], int]] = {
    "two shards, merged": lambda db: sum(1 for _ in db.run(events, "x")),
    "a sum": lambda db: int(db.tally(events("x"), of=lambda _: 1).total),
    "a statement": lambda db: sum(1 for _ in db.statement(STATEMENT, ["LOG#x#0"], into=Event)),
    "a whole table": lambda db: sum(1 for _ in db.scan_for_maintenance(Event)),
    "a sweep": swept,
}
PLAIN: dict[str, Callable[[PlainTable], int]] = {
    "a plain query": lambda table: sum(1 for _ in table.query("LOG#x#0")),
    "a plain scan": lambda table: sum(1 for _ in table.scan()),
}


def peak(read: str, pages: int) -> tuple[int, int]:
    """The most memory that a read took at a time, and how many items it had."""
    gc.collect()
    if read in PLAIN:
        table = open_table("Log", LongLog(pages), definition=log)
        tracemalloc.start()
        count = PLAIN[read](table)
    else:
        db = log.open(LongLog(pages), create=False)
        tracemalloc.start()
        count = BY_SESSION[read](db)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most, count


@pytest.mark.parametrize("read", [*BY_SESSION, *PLAIN])
def test_a_read_that_is_ten_times_as_long_takes_no_more_memory(read: str) -> None:
    peak(read, 2)  # what is loaded or made once
    short, few = peak(read, 4)
    long, many = peak(read, 40)
    assert many == 10 * few >= 10 * 4 * 50
    assert long < 1.5 * short


@pytest.mark.parametrize("place", ["memory", "http"])
def test_hundreds_of_calls_at_once_get_their_own_answers(place: str) -> None:
    async def work(db: AsyncSession) -> None:
        numbers = range(300)
        await asyncio.gather(*(db.create(Event(name="x", number=n, text=str(n))) for n in numbers))
        mixed = await asyncio.gather(
            *(db.get(key(Event, name="x", number=n)) for n in numbers),
            *(db.update(key(Event, name="x", number=n), set={"text": f"new {n}"}) for n in numbers),
        )
        read, written = mixed[:300], mixed[300:]
        for number in numbers:
            one = read[number]
            assert one is not None
            assert (one.number, one.text in (str(number), f"new {number}")) == (number, True)
        assert [(e.number, e.text) for e in written if e is not None] == [(n, f"new {n}") for n in numbers]
        assert [e.number async for e in db.run(events, "x")] == list(numbers)

    async def go(target: str) -> None:
        async with log.open_async(target, create=True) as db:
            await work(db)

    if place == "memory":
        asyncio.run(go("memory:"))
    else:
        with serve_in_thread(access_key="local", secret_key="local") as server:
            asyncio.run(go(server.url))
