"""Ten million requests from eight threads: nothing is lost, and memory stays small."""

from __future__ import annotations

import os
import random
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tablewright.client.calls import Call
from tablewright.observe.collector import Collector
from tablewright.observe.snapshot import TABLE

THREADS = 8
KEYS = 200_000
STATUS = Path("/proc/self/statm")
ANSWER: dict[str, Any] = {"Item": {}, "ConsumedCapacity": {"TableName": "Shop", "CapacityUnits": 0.5}}


def resident() -> int:
    """Bytes of memory that the process has at hand; 0 where nobody tells."""
    return int(STATUS.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if STATUS.exists() else 0


@pytest.mark.parametrize("number", [40_000, pytest.param(10_000_000, marks=pytest.mark.full)])
def test_totals_quantiles_and_heavy_keys_of_many_requests(number: int) -> None:
    drawn = random.Random(number)
    taken = sorted(drawn.lognormvariate(-5, 1.5) for _ in range(5_000))
    shuffled = drawn.sample(taken, len(taken))
    # Half of all requests go to a thousand keys by Zipf's law, the others to any.
    weights = [1 / (rank + 1) for rank in range(1_000)]
    asked = [f"USER#{rank:06}" for rank in drawn.choices(range(1_000), weights, k=25_000)]
    asked += [f"USER#{drawn.randrange(KEYS):06}" for _ in range(25_000)]
    drawn.shuffle(asked)

    before = resident()
    most = [before]
    collector = Collector(sample=0, timer=lambda: 0.0)
    watcher = collector.watch("Shop", "PK", "SK", {})

    def ask(first: int) -> None:
        for n in range(first, number, THREADS):
            key = {"PK": {"S": asked[n % len(asked)]}, "SK": {"S": "PROFILE"}}
            request = {"TableName": "Shop", "Key": key}
            watcher.answered(Call("GetItem", request, True, "user"), ANSWER, -shuffled[n % len(shuffled)], 0, False)
            if n % 10_000 == first:
                most[0] = max(most[0], resident())

    threads = [threading.Thread(target=ask, args=(first,)) for first in range(THREADS)]
    switched = sys.getswitchinterval()
    sys.setswitchinterval(0.0005)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(switched)
    assert most[0] - before < 30 * 2**20
    snapshot = collector.snapshot()
    (traffic,) = snapshot.traffic
    assert (traffic.requests, traffic.latency.count, traffic.returned) == (number, number, number)
    assert traffic.read_units == number / 2
    assert traffic.latency.total == pytest.approx(sum(shuffled[n % len(shuffled)] for n in range(number)))
    for share in (0.5, 0.9, 0.99, 0.999):
        assert traffic.latency.quantile(share) == pytest.approx(taken[round(share * (len(taken) - 1))], rel=0.02)
    true = Counter(asked[n % len(asked)] for n in range(number))
    place = snapshot.places[TABLE]
    assert place.requests.total == number
    assert [w.key for w in place.requests.top(5)] == [key for key, _ in true.most_common(5)]
    for found in place.requests.top(5):
        assert found.count - found.error <= true[found.key] <= found.count
        assert found.error <= number / place.requests.capacity
    assert place.partitions.estimate == pytest.approx(len(true), rel=0.05)


@pytest.mark.parametrize("number", [6_000, pytest.param(200_000, marks=pytest.mark.full)])
def test_batches_of_a_hundred_items_take_no_more_memory(number: int) -> None:
    before = resident()
    most = [before]
    collector = Collector(sample=0)
    watcher = collector.watch("Shop", "PK", "SK", {})
    answer: dict[str, Any] = {"Responses": {}, "ConsumedCapacity": [{"TableName": "Shop", "CapacityUnits": 50.0}]}

    def ask(first: int) -> None:
        for n in range(first, number, THREADS):
            keys = [{"PK": {"S": f"CUSTOMER#{n:012}-{i}"}, "SK": {"S": f"ORDER#{n:020}-{i:020}"}} for i in range(100)]
            call = Call("BatchGetItem", {"RequestItems": {"Shop": {"Keys": keys}}}, True)
            watcher.answered(call, answer, watcher.timer(), 0, False)
            if n % 100 == first:
                most[0] = max(most[0], resident())

    threads = [threading.Thread(target=ask, args=(first,)) for first in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most[0] - before < 30 * 2**20
    (traffic,) = collector.snapshot().traffic
    assert (traffic.requests, traffic.keys, traffic.read_units) == (number, 100 * number, 50 * number)
    assert {event.batched for event in collector.recent_events()} == {100}
