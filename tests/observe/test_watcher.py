"""What a watcher makes of requests that are not as usual, and of those that come at awkward moments."""

from __future__ import annotations

import asyncio
import signal
from collections import deque
from typing import Any

import pytest

from tablewright import Collector, RetryPolicy
from tablewright.client.calls import Call
from tablewright.engine import open_engine
from tablewright.observe.events import Event
from tablewright.observe.rows import Reader, Row
from tablewright.observe.snapshot import TABLE
from tablewright.observe.watcher import Watcher
from tablewright.testing import Throttle
from tests.observe.shop import customer, shop

ANSWER: dict[str, Any] = {"ConsumedCapacity": {"TableName": "T", "CapacityUnits": 1.0}}


def put(pk: str, **members: Any) -> Call:
    return Call("PutItem", {"TableName": "T", "Item": {"PK": {"S": pk}, "SK": {"S": "x"}}, **members})


@pytest.mark.parametrize(
    ("sk", "key", "told"),
    [
        ("SK", {"PK": {"S": "p"}, "SK": {"S": "s"}}, ("p", "s")),
        (None, {"PK": {"S": "p"}}, ("p", "")),
        ("SK", {"PK": {"N": "7"}, "SK": {"N": "1.5"}}, ("7", "1.5")),
        ("SK", {"PK": {"B": "AA=="}, "SK": {"S": "s"}}, ("AA==", "s")),
    ],
)
@pytest.mark.parametrize("operation", ["GetItem", "PutItem", "UpdateItem", "DeleteItem"])
def test_keys_of_every_type(operation: str, sk: str | None, key: dict[str, Any], told: tuple[str, str]) -> None:
    rows: deque[Row] = deque()
    watcher = Watcher(rows, 100, rows.append, Reader("PK", sk, {}), 0.0, lambda: 1.0)
    asked = Call(operation, {"TableName": "T", "Item" if operation == "PutItem" else "Key": key})
    watcher.answered(asked, ANSWER, 0.5, 2, False)
    ((shape, began, seconds, units, *_, pk, _, caller, retries, error, beside),) = rows
    assert (shape, began, seconds, units) == ((operation, None, None, None, None), 0.5, 0.5, 1.0)
    assert (pk, rows[0][8], retries, error, beside) == (*told, 2, None, None)
    assert caller > 0


@pytest.mark.parametrize("units", [None, "1", [], {}], ids=repr)
def test_an_odd_answer_is_in_nobodys_way(units: Any) -> None:
    collector = Collector()
    watcher = collector.watch("T", "PK", "SK", {})
    watcher.answered(put("p"), {"ConsumedCapacity": {"CapacityUnits": units}}, watcher.timer(), 0, False)
    watcher.answered(put("p"), {"ConsumedCapacity": units}, watcher.timer(), 0, False)
    assert collector.snapshot().requests == 2


def test_listeners_are_told_whoever_has_taken_the_row_meanwhile() -> None:
    class Emptied(deque[Row]):
        def append(self, row: Row) -> None:
            """Somebody else has added it up at once."""

    told: list[Row] = []
    watcher = Watcher(Emptied(), 0, told.append, Reader("PK", "SK", {}), 0.0, lambda: 1.0)
    watcher.answered(put("p"), ANSWER, 0.5, 0, False)
    watcher.failed(put("p"), "THROTTLED", 0.5, 0)
    assert len(told) == 2

    class Listener:
        def seen(self, event: Event) -> None:
            pass

    collector = Collector(listeners=[Listener()])
    assert collector.watch("T", "PK", "SK", {})._patience == 0
    collector.close()


def test_map_keys_make_no_new_kinds_of_writes() -> None:
    reader = Reader("PK", "SK", {})
    for n in range(5_000):
        names = {"#m": "months", "#k": f"2026-{n}"}
        request = {"UpdateExpression": "SET #m.#k = :v", "ExpressionAttributeNames": names}
        assert reader.written({**request, "ExpressionAttributeValues": {":v": {"S": "x"}}})
    assert len(reader._kinds) == 1
    for n in range(5_000):
        reader.written({"UpdateExpression": f"SET a{n} = :v", "ExpressionAttributeValues": {":v": {"S": "x"}}})
    assert len(reader._kinds) == 4_096


def test_what_a_batch_left_is_counted_when_it_is_sent_again() -> None:
    collector = Collector()
    watcher = collector.watch("T", "PK", "SK", {})
    writes = [{"PutRequest": {"Item": {"PK": {"S": f"p{n}"}, "SK": {"S": "x"}}}} for n in range(5)]
    keys = [write["PutRequest"]["Item"] for write in writes]
    for sent in range(5):
        left = {"T": writes[sent + 1 :]} if sent < 4 else {}
        told = [{"TableName": "T", "CapacityUnits": 1.0}]
        answer = {"UnprocessedItems": left, "ConsumedCapacity": told}
        watcher.answered(Call("BatchWriteItem", {"RequestItems": {"T": writes[sent:]}}), answer, 0.0, 0, False)
        asked = {"RequestItems": {"T": {"Keys": keys[sent:]}}}
        unread = {"T": {"Keys": keys[sent + 1 :]}} if sent < 4 else {}
        answer = {"Responses": {"T": keys[sent : sent + 1]}, "UnprocessedKeys": unread, "ConsumedCapacity": told}
        watcher.answered(Call("BatchGetItem", asked), answer, 0.0, 0, False)
    snapshot = collector.snapshot()
    assert {t.operation: t.keys for t in snapshot.traffic} == {"BatchWriteItem": 5, "BatchGetItem": 5}
    assert {w.count for w in snapshot.places[TABLE].writes.top()} == {1.0}


def test_refused_writes_overwrite_nothing() -> None:
    collector = Collector()
    watcher = collector.watch("T", "PK", "SK", {})
    for _ in range(40):
        watcher.answered(
            Call("GetItem", {"TableName": "T", "Key": {"PK": {"S": "p"}, "SK": {"S": "x"}}}),
            ANSWER,
            watcher.timer(),
            0,
            False,
        )
        watcher.failed(put("p"), "THROTTLED", watcher.timer(), 3)
    (written,) = [t for t in collector.snapshot().traffic if t.operation == "PutItem"]
    assert (written.requests, written.after_read, written.overwritten.total) == (40, 0, 0)


def test_copies_in_indexes_are_no_writes_of_the_partition_however_little_is_measured() -> None:
    collector = Collector(sample=0)
    watcher = collector.watch("T", "PK", "SK", {"GSI1": ("GSI1PK",)})
    told: dict[str, Any] = {"TableName": "T", "CapacityUnits": 3.0, "Table": {"CapacityUnits": 1.0}}
    told["GlobalSecondaryIndexes"] = {"GSI1": {"CapacityUnits": 2.0}}
    for _ in range(300):
        whole = watcher.measures(put("p"))
        parts = told if whole else {"TableName": "T", "CapacityUnits": 3.0}
        watcher.answered(put("p"), {"ConsumedCapacity": parts}, watcher.timer(), 0, whole)
    assert collector.snapshot().places[TABLE].writes.top()[0].count == pytest.approx(300)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers for signals")
def test_a_handler_of_a_signal_may_ask() -> None:
    collector = Collector()
    watcher = collector.watch("T", "PK", "SK", {})
    asked: list[int] = []

    def ask(*_: object) -> None:
        asked.append(collector.snapshot().requests)

    before = signal.signal(signal.SIGALRM, ask)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
        sent = 0
        while len(asked) < 50:
            watcher.answered(put("p"), ANSWER, watcher.timer(), 0, False)
            sent += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert collector.snapshot().requests == sent


async def _cancelled(collector: Collector) -> None:
    with open_engine("memory:") as engine:
        async with shop.open_async(engine, observe=collector, retry=RetryPolicy(base_delay=60, max_delay=60)) as db:
            await db.run(customer, "c1")
            with engine.faults.inject(Throttle(operations="GetItem")) as throttle:
                waiting = asyncio.create_task(db.run(customer, "c1"))
                while not throttle.fired:
                    await asyncio.sleep(0)
                for _ in range(10):  # until it waits to ask again
                    await asyncio.sleep(0)
                waiting.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await waiting


def test_a_request_that_is_cancelled_while_it_waits_is_counted() -> None:
    collector = Collector()
    asyncio.run(_cancelled(collector))
    (read,) = collector.snapshot().traffic
    assert (read.requests, read.failures) == (2, {"CANCELLED": 1})
