"""The comparison in words and as JSON, and of whatever a snapshot may hold."""

import json

import msgspec

from tablewright import Table
from tablewright.observe.drift import Drift, compare, shown
from tablewright.observe.snapshot import Peak, Place, Snapshot, Traffic


def test_in_words(shop: Table, day: Snapshot) -> None:
    day.processes = 2
    day.traffic.append(Traffic(operation="Scan", requests=900, read_units=90.0))
    day.traffic[1].largest = 30_000
    day.places["GSI1"].peaks["STATUS#open"] = Peak(500.0, 120.0)
    lines = shown(compare(shop.plan, day)).splitlines()
    assert lines[0] == "Shop, observed for 1 day, by 2 processes: 166,900 requests"
    assert (
        "  order: 1.16 a second (declared 20 at the peak), 0.5 read units a call (expected 0.5), 1 item, 99% within 4 ms (declared 10)"
        in lines
    )
    assert "  Scan: 900 requests (0.54%), 90 read units" in lines
    assert (
        "  Order: 1,000 bytes (declared 1,000 bytes), at most 29.3 KB (declared 19.5 KB), 0.231 writes a second (declared 10 at the peak)"
        in lines
    )
    assert (
        "  GSI1: 5,000 requests, some 4 partition keys (declared 4), up to 500 read units a second on one, "
        "up to 120 write units a second on one" in lines
    )
    assert "  - Order has 29.3 KB at the largest; declared are 19.5 KB at most. [entity-larger]" in lines


def test_nothing_in_words(shop: Table) -> None:
    lines = shown(compare(shop.plan, Snapshot(table="Shop"))).splitlines()
    assert lines[0] == "Shop, observed for 0 seconds: 0 requests"
    assert "  order: not seen (declared 20 a second at the peak)" in lines
    assert "  GSI1: not seen" in lines
    assert lines[lines.index("What departs from the model:") + 1] == "  nothing"


def test_as_json(shop: Table, day: Snapshot) -> None:
    drift = compare(shop.plan, day)
    text = msgspec.json.encode(drift)
    assert msgspec.json.decode(text, type=Drift) == drift
    assert json.loads(text)["patterns"][1]["declared_results"] == 20


def test_what_only_batches_write_is_not_known(shop: Table, day: Snapshot) -> None:
    day.traffic = [t for t in day.traffic if t.operation not in ("PutItem", "UpdateItem", "DeleteItem")]
    assert ", 0 writes a second (declared 10 at the peak)" in shown(compare(shop.plan, day))
    day.traffic.append(Traffic(operation="BatchWriteItem", requests=900, keys=9_000, write_units=9_000.0))
    day.places["GSI1"] = Place()
    day.places["GSI1"].partitions.add(["STATUS#open"])
    text = shown(compare(shop.plan, day))
    assert (
        ", writes a second not known, since batches and transactions of several entities do not tell of which (declared 10 at the peak)"
        in text
    )
    assert "requests, 1 partition key (declared 4)" in text
    day.traffic.append(Traffic(operation="PutItem", entity="Order", requests=86_400))
    assert ", at least 1 write a second (declared 10 at the peak)" in shown(compare(shop.plan, day))
