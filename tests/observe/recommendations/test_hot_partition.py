"""hot-partition: fires on a key that has far more than its share, and not on few keys or few requests."""

from datetime import datetime

import pytest
from msgspec.structs import replace

from tablewright import Entity, Get, Keys, Query, Shard, Table, get, query
from tablewright.observe.snapshot import TABLE, Peak, Traffic
from tests.observe.observations import asked, at_the_table, evenly, observed, told

shop = Table("Shop")


class Customer(Entity, table=shop):
    keys = Keys("USER#{username}", "PROFILE")
    username: str


class Order(Entity, table=shop):
    keys = Keys("USER#{username}", "ORDER#{placed_at}#{order_id}")
    username: str
    placed_at: datetime
    order_id: str


class Config(Entity, table=shop):
    keys = Keys("CONFIG#{name}", "CONFIG")
    name: str


@shop.pattern
def orders_of(username: str) -> Query[Order]:
    return query(Order, Order.username == username)


@shop.pattern
def order(username: str, placed_at: datetime, order_id: str) -> Get[Order]:
    return get(Order, Order.username == username, Order.placed_at == placed_at, Order.order_id == order_id)


HOT = {"USER#123": 4_500, **evenly(440, 12.5, "USER#other-{}")}


def test_a_key_with_45_percent_is_an_error_with_its_figures_and_without_a_model() -> None:
    (found,) = told("hot-partition", at_the_table(asked(HOT, reads=0, writes=1)))
    assert found.severity == "error"
    assert found.category == "hot-partition"
    assert found.message == "Partition key 'USER#123' receives 45% of all requests."
    assert found.details.startswith("4,500 of 10,000 requests went to 'USER#123', and the others to some 43")
    assert found.code is not None
    imported, _, code = found.code.splitlines()
    exec(imported, {})
    assert code == 'distributed_key("USER#123", 5, item_id=...)'
    assert found.impact == pytest.approx(0.45)
    assert found.frequency == pytest.approx(4_500 / 3_600)
    assert found.evidence["requests"] == 4_500


def test_a_hot_key_that_is_written_is_spread_by_shards_which_a_pattern_then_has_to_ask() -> None:
    place = asked(HOT, reads=0, writes=1, peaks={"USER#123": Peak(writes=3_000)})
    seen = at_the_table(place, shop)
    seen.snapshot.traffic.append(Traffic(operation="PutItem", entity="Order", requests=10, write_units=10))
    (found,) = told("hot-partition", seen)
    assert found.action == (
        "Spread its writes over 11 shards, chosen by order_id, or choose a finer partition key. New items go to the end of each, since "
        "the sort key begins with placed_at, and DynamoDB cannot split that: below 300 write units a shard it need not. orders_of() would ask every shard "
        "and merge: it is of one partition now. The items have to be written again."
    )
    assert found.code is not None
    assert (
        '    "USER#{username}#{shard}",\n    "ORDER#{placed_at}#{order_id}",\n    derive={"shard": Shard("order_id", of=11)},'
        in found.code
    )
    assert found.breaks == ("orders_of()",)
    assert found.affected == ("Customer", "Order", "orders_of()", "order()")
    assert (
        "In its busiest second it took 0 read units and 3,000 write units; a partition bears 3,000 and 1,000."
        in found.details
    )


def test_the_keys_that_it_suggests_are_some_that_a_model_can_have() -> None:
    (found,) = told("hot-partition", at_the_table(asked(HOT), shop))
    assert found.code is not None
    made: dict[str, object] = {}
    exec(found.code, {"Keys": Keys, "Shard": Shard}, made)
    table = Table("Shop")

    class Order(Entity, table=table):
        keys = made["keys"]  # type: ignore[assignment]
        username: str
        placed_at: datetime
        order_id: str

    assert str(table.plan.entities[Order].pk) == "USER#{username}#{shard}"


def test_one_hot_item_is_cached_and_not_spread() -> None:
    (found,) = told("hot-partition", at_the_table(asked({"CONFIG#main": 2_000, **evenly(200, 10)}), shop))
    assert "shards of a key cannot spread" in found.action
    assert found.code == "db = table.open(..., cache=ReadCache())"
    assert found.affected == ("Config",)


def test_what_is_read_item_by_item_is_cached_or_spread() -> None:
    (found,) = told("hot-partition", at_the_table(asked(HOT, reads=5), shop))
    assert found.action.startswith(
        "It is mostly read, item by item. Keep what is read again and again with cache=ReadCache()"
    )
    assert found.breaks == ("orders_of()",)


@pytest.mark.parametrize(
    ("entity", "cached"), [(None, "in the program's memory, or in DAX"), ("Order", "cache=ReadCache()")]
)
def test_without_a_model_what_is_mostly_read_is_cached_too(entity: str | None, cached: str) -> None:
    place = asked(HOT, reads=0.5, writes=0.02)
    seen = observed(Traffic(operation="GetItem", entity=entity, requests=10_000), places={TABLE: place})
    (found,) = told("hot-partition", seen)
    assert found.action.startswith("It is mostly read, item by item. Keep what is read again and again ")
    assert cached in found.action
    assert found.code is None
    seen.snapshot.traffic[:] = [Traffic(operation="Query", entity=entity, requests=10_000)]
    (queried,) = told("hot-partition", seen)
    assert queried.action.endswith("or keep what is asked for most in an item of its own.")
    assert queried.code is None


@pytest.mark.parametrize(
    ("sort", "peak", "shards"),
    [
        ("{placed_at}#{order_id}", 6_000, 21),
        ("{placed_at}#{order_id}", 1_499, 5),
        ("{order_id}", 6_000, 9),
        ("ORDER#{order_id}#{placed_at}", 1_499, 3),
    ],
)
def test_a_shard_that_is_written_at_its_end_takes_less(sort: str, peak: float, shards: int) -> None:
    table = Table("Log")

    class Event(Entity, table=table):
        keys = Keys("DAY#{day}", sort)
        day: str
        placed_at: datetime
        order_id: str

    place = asked({"DAY#1": 900}, reads=0, writes=1, peaks={"DAY#1": Peak(writes=peak)})
    place.requests.add_all({"DAY#2": 8_100})
    (found,) = told("hot-partition", at_the_table(place, table))
    assert f'Shard("order_id", of={shards})' in (found.code or "")


def test_what_is_read_by_queries_is_not_said_to_be_helped_by_shards() -> None:
    seen = at_the_table(asked(HOT, reads=5), shop)
    seen.snapshot.traffic[:] = [Traffic(operation="Query", pattern="orders_of", requests=10_000)]
    (found,) = told("hot-partition", seen)
    assert found.action.startswith(
        "It is mostly read by queries, and each would ask every shard, so that shards do not help."
    )
    assert (found.code, found.breaks) == (None, ())


def test_where_most_requests_go_to_indexes_it_is_said_of_which_they_are_a_share() -> None:
    seen = at_the_table(asked(HOT))
    seen.snapshot.traffic.append(Traffic(operation="Query", index="GSI1", requests=30_000))
    (found,) = told("hot-partition", seen)
    assert found.message == "Partition key 'USER#123' receives 45% of the requests to the table's own partitions."
    assert found.impact == pytest.approx(0.1125)


@pytest.mark.parametrize(
    ("peak", "severity"), [(Peak(writes=799), "warning"), (Peak(writes=800), "error"), (Peak(reads=2_400), "error")]
)
def test_a_fifth_is_a_warning_unless_the_partition_is_near_its_limit(peak: Peak, severity: str) -> None:
    place = asked({"USER#123": 2_000, **evenly(1_000, 8, "USER#other-{}")}, peaks={"USER#123": peak})
    assert [found.severity for found in told("hot-partition", at_the_table(place))] == [severity]


def test_a_partition_near_its_limit_is_told_of_however_few_there_are() -> None:
    (alone,) = told("hot-partition", at_the_table(asked({"ORDERS": 500}, peaks={"ORDERS": Peak(writes=1_973)})))
    assert alone.severity == "error"
    assert alone.details.startswith("500 of 500 requests went to 'ORDERS'. In its busiest second it took 0 read units")
    few = asked({"A": 500, "B": 400}, peaks={"B": Peak(reads=2_500)})
    assert [found.subject for found in told("hot-partition", at_the_table(few))] == ["B"]


@pytest.mark.parametrize(
    "weights",
    [
        evenly(1_000, 10),
        evenly(9, 1_000),  # each has more than a tenth, as it must
        {"USER#123": 5_000, **evenly(18, 300, "USER#other-{}")},  # too few keys to compare it with
        {"USER#123": 449, **evenly(110, 5, "USER#other-{}")},  # too few requests
        {"USER#123": 110, **evenly(890, 1, "USER#other-{}")},  # 11%, which may be chance
        {"USER#123": 1_300, **evenly(20, 435, "USER#other-{}")},  # 13%, less than three times what each would have
    ],
    ids=["even", "few keys alike", "few keys", "few requests", "perhaps chance", "hardly more than fair"],
)
def test_nothing_is_said_of_what_may_be_chance_or_must_be_so(weights: dict[str, float]) -> None:
    assert told("hot-partition", at_the_table(asked(weights))) == []


def test_what_is_estimated_is_said_to_be() -> None:
    (found,) = told("hot-partition", at_the_table(asked({"USER#123": 4_500, **evenly(1_100, 5, "USER#other-{}")})))
    assert found.message == "Partition key 'USER#123' receives 45% of all requests."
    assert found.details.startswith("About 4,49")


def test_several_hot_keys_are_told_one_by_one_the_hottest_first() -> None:
    place = asked({"USER#a": 3_000, "USER#b": 2_000, **evenly(500, 10, "USER#other-{}")})
    assert [found.subject for found in told("hot-partition", at_the_table(place))] == ["USER#a", "USER#b"]


def test_several_processes_are_told() -> None:
    (found,) = told("hot-partition", at_the_table(asked(HOT, peaks={"USER#123": Peak(reads=10)}), processes=3))
    assert "or less: the busiest seconds of several processes are added up" in found.details


def test_no_places_are_no_reason_to_fail() -> None:
    seen = at_the_table(asked({}))
    assert told("hot-partition", seen) == []
    assert told("hot-partition", replace(seen, snapshot=replace(seen.snapshot, places={}))) == []


def test_one_item_beside_others_in_the_partition() -> None:
    seen = at_the_table(asked(HOT, reads=1, writes=0), shop)
    seen.snapshot.traffic.append(Traffic(operation="GetItem", entity="Customer", requests=10_000, read_units=5_000))
    (found,) = told("hot-partition", seen)
    assert found.action.startswith(
        "It holds one item of Customer, which shards of a key cannot spread, beside what it holds of Order: keep that item"
    )
    assert "Queries that fetch it with Order pass the cache by" in found.action


def test_keys_of_batches_are_counted_one_by_one() -> None:
    seen = at_the_table(asked(HOT))
    assert "Each key in a batch" not in told("hot-partition", seen)[0].details
    seen.snapshot.traffic.append(Traffic(operation="BatchGetItem", requests=100, keys=10_000))
    (found,) = told("hot-partition", seen)
    assert "Each key in a batch or transaction counts as a request." in found.details
