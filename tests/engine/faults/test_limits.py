"""Throughput: partitions and tables take so much a second, by the engine's clock, and no more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tablewright.engine.faults import PartitionLimits, ProvisionedThroughput, buckets
from tablewright.errors import ServiceError, Throttled, TransactionCanceled
from tests.engine.faults.world import World


def until_refused(work: Callable[[int], object], most: int = 2_000) -> tuple[int, str, str]:
    """How often it went well, and the name and words of the refusal."""
    for number in range(most):
        try:
            work(number)
        except ServiceError as error:
            return number, error.wire_name, error.message
    return most, "", ""


def test_a_partition_takes_a_thousand_writes_a_second(world: World) -> None:
    with world.faults.inject(PartitionLimits(write=100)) as fault:
        count, name, _ = until_refused(lambda n: world.put("hot", n))
        assert (count, name) == (100, "ThrottlingException")
        world.put("cold", 1)
        world.clock.move(0.05)
        count, _, _ = until_refused(lambda n: world.put("hot", n))
        assert count == 5
        world.clock.move(3600)
        assert until_refused(lambda n: world.put("hot", n))[0] == 100
    assert fault.fired == 3


def test_the_limits_are_the_services_own() -> None:
    assert (PartitionLimits().read, PartitionLimits().write) == (3000, 1000)


def test_large_items_cost_more_and_leave_a_debt(world: World) -> None:
    with world.faults.inject(PartitionLimits(write=10)):
        world.put("hot", 1, text="x" * 50_000)
        world.clock.move(3.8)
        assert until_refused(lambda n: world.put("hot", n))[0] == 0
        world.clock.move(0.3)
        assert until_refused(lambda n: world.put("hot", n))[0] > 0


def test_reads_pay_too(world: World) -> None:
    world.put("hot", 1)
    key = world.item("hot", 1)
    with world.faults.inject(PartitionLimits(read=10)):
        assert until_refused(lambda _: world("GetItem", TableName="Shop", Key=key))[0] == 20
        assert (
            world.error(
                "Query",
                TableName="Shop",
                KeyConditionExpression="pk = :p",
                ExpressionAttributeValues={":p": {"S": "hot"}},
            ).wire_name
            == "ThrottlingException"
        )
        assert world.get("cold", 1) is None
        world.put("hot", 2)
        world.clock.move(1)
        assert until_refused(lambda _: world("GetItem", TableName="Shop", Key=key, ConsistentRead=True))[0] == 10


def test_a_hot_partition_of_an_index_holds_up_writes_and_reads(world: World) -> None:
    with world.faults.inject(PartitionLimits(write=10, read=10)):
        count, _, words = until_refused(lambda n: world.put(f"p{n}", 1, g="hot", r="1"))
        assert count == 10
        assert words.startswith("Throughput exceeds the current capacity for one or more global secondary indexes.")
        refused = world.error("PutItem", TableName="Shop", Item=world.item("p", 1, g="hot", r="1"))
        assert isinstance(refused, Throttled)
        (reason,) = refused.reasons
        assert reason.reason == "IndexWriteKeyRangeThroughputExceeded"
        assert reason.resource.endswith(":table/Shop/index/ByGroup")
        world.put("p1", 2, g="cold", r="1")
        assert until_refused(lambda _: world.query("hot"))[0] == 20


def test_updates_and_deletes_of_items_in_a_hot_partition_of_an_index_are_held_up_too(world: World) -> None:
    for number in range(30):
        world.put(f"p{number}", 1, g="hot", r="1")
    world.put("aside", 1)

    def change(number: int, **more: object) -> None:
        update = {"UpdateExpression": "SET note = :n", "ExpressionAttributeValues": {":n": {"N": str(number)}}}
        world("UpdateItem", **{"TableName": "Shop", "Key": world.item(f"p{number}", 1), **update, **more})

    with world.faults.inject(PartitionLimits(write=10)) as fault:
        count, _, words = until_refused(change)
        assert count == 10
        assert words.startswith("Throughput exceeds the current capacity for one or more global secondary indexes.")
        key = {"TableName": "Shop", "Key": world.item("p20", 1)}
        refused = [
            world.error("DeleteItem", **key),
            world.error("UpdateItem", **key, UpdateExpression="REMOVE g"),
            world.error("UpdateItem", **key, AttributeUpdates={"note": {"Value": {"N": "1"}}}),
            # An item that leaves the partition, and one that comes into it.
            world.error("PutItem", TableName="Shop", Item=world.item("p20", 1)),
            world.error(
                "UpdateItem",
                TableName="Shop",
                Key=world.item("aside", 1),
                UpdateExpression="SET g = :g, r = :g",
                ExpressionAttributeValues={":g": {"S": "hot"}},
            ),
        ]
        assert [error.wire_name for error in refused] == ["ThrottlingException"] * 5
        requests = [{"DeleteRequest": {"Key": world.item(pk, 1)}} for pk in ("p20", "aside")]
        assert world("BatchWriteItem", RequestItems={"Shop": requests})["UnprocessedItems"] == {"Shop": requests[:1]}
        aside = {"ConditionCheck": {"TableName": "Shop", "Key": world.item("far", 1)}}
        aside["ConditionCheck"]["ConditionExpression"] = "attribute_not_exists(pk)"
        cancelled = world.error("TransactWriteItems", TransactItems=[aside, {"Delete": key}])
    assert isinstance(cancelled, TransactionCanceled)
    assert [reason.code for reason in cancelled.reasons] == ["None", "ThrottlingError"]
    assert fault.fired == 8


def test_what_changes_nothing_in_an_index_passes_its_hot_partitions(world: World) -> None:
    for number in range(12):
        world.put(f"p{number}", 1, g="hot", r="1")
    same = {"UpdateExpression": "SET r = :r", "ExpressionAttributeValues": {":r": {"S": "1"}}}
    with world.faults.inject(PartitionLimits(write=10)):
        assert until_refused(lambda n: world("DeleteItem", TableName="Shop", Key=world.item(f"p{n}", 1)))[0] == 10
        world("UpdateItem", TableName="Shop", Key=world.item("p10", 1), **same)
        world("DeleteItem", TableName="Shop", Key=world.item("elsewhere", 1))
        failing = {"ConditionExpression": "attribute_exists(nothing)"}
        error = world.error("DeleteItem", TableName="Shop", Key=world.item("p11", 1), **failing)
    assert error.wire_name == "ConditionalCheckFailedException"


def test_batches_leave_over_what_is_hot(world: World) -> None:
    with world.faults.inject(PartitionLimits(write=5)):
        until_refused(lambda n: world.put("hot", n))
        answer = world.batch([world.item("hot", 100), world.item("cold", 100)])
        assert answer["UnprocessedItems"] == {"Shop": [{"PutRequest": {"Item": world.item("hot", 100)}}]}
        assert "ConsumedCapacity" not in answer
        request = {"Shop": [{"PutRequest": {"Item": world.item("hot", 101)}}]}
        assert world.error("BatchWriteItem", RequestItems=request).wire_name == "ThrottlingException"


def test_transactions_pay_double_and_say_which_action_was_too_much(world: World) -> None:
    def transact(number: int) -> None:
        actions = [{"Put": {"TableName": "Shop", "Item": world.item(pk, number)}} for pk in ("cold", "hot")]
        world("TransactWriteItems", TransactItems=actions[number % 2 :])

    with world.faults.inject(PartitionLimits(write=8)):
        assert until_refused(transact)[0] == 4
        actions = [{"Put": {"TableName": "Shop", "Item": world.item(pk, 1)}} for pk in ("other", "hot")]
        error = world.error("TransactWriteItems", TransactItems=actions)
    assert isinstance(error, TransactionCanceled)
    assert [reason.code for reason in error.reasons] == ["None", "ThrottlingError"]


def test_of_a_batch_passes_what_fits(world: World) -> None:
    members = [world.item("hot", n, text="x" * 300_000) for n in range(10)] + [world.item("cold", 1)]
    with world.faults.inject(PartitionLimits()) as fault:
        left = world.batch(members)["UnprocessedItems"]["Shop"]
        assert [one["PutRequest"]["Item"]["sk"]["N"] for one in left] == [*"456789"]
        assert fault.fired == 6
        world.clock.move(5)
        assert len(world("BatchWriteItem", RequestItems={"Shop": left})["UnprocessedItems"]["Shop"]) == 2
    assert [world.get("hot", number) is None for number in range(10)] == [False] * 8 + [True] * 2


@pytest.mark.parametrize(("consistent", "passed"), [(False, 4), (True, 2)], ids=["eventual", "consistent"])
def test_of_a_batch_of_reads_passes_what_fits(world: World, consistent: bool, passed: int) -> None:
    for number in range(6):
        world.put("hot", number, text="x" * 39_000)  # 10 units, or 5
    keys = [world.item("hot", number) for number in range(6)]
    with world.faults.inject(PartitionLimits(read=20)):
        asked = {"Shop": {"Keys": keys, "ConsistentRead": consistent}}
        answer = world("BatchGetItem", RequestItems=asked)
        assert len(answer["Responses"]["Shop"]) == passed
        assert answer["UnprocessedKeys"]["Shop"] == {"Keys": keys[passed:], "ConsistentRead": consistent}
        assert world.error("BatchGetItem", RequestItems=asked).wire_name == "ThrottlingException"


def test_a_transaction_beyond_the_limit_of_a_partition_is_cancelled(world: World) -> None:
    def put(number: int, pk: str = "hot") -> dict[str, Any]:
        return {"Put": {"TableName": "Shop", "Item": world.item(pk, number, text="x" * 300_000)}}

    with world.faults.inject(PartitionLimits()):
        error = world.error("TransactWriteItems", TransactItems=[put(n) for n in range(10)] + [put(1, "cold")])
        assert isinstance(error, TransactionCanceled)
        # Twice 293 units each: the third finds nothing left.
        assert [reason.code for reason in error.reasons] == ["None", "None", *["ThrottlingError"] * 8, "None"]
        assert world.get("hot", 0) is None
        world("TransactWriteItems", TransactItems=[put(0), put(1), put(1, "cold")])


def test_a_hot_partition_of_an_index_leaves_over_only_what_moves_in_it(world: World) -> None:
    members = [world.item(f"p{n}", 1, g="hot", r="1") for n in range(5)] + [world.item("aside", 1)]
    with world.faults.inject(PartitionLimits(write=3)):
        left = world.batch(members)["UnprocessedItems"]["Shop"]
    assert [one["PutRequest"]["Item"] for one in left] == members[3:5]


def test_partitions_that_recovered_are_forgotten(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buckets, "_MOST", 100)
    with world.faults.inject(PartitionLimits(write=10)) as fault:
        until_refused(lambda n: world.put("hot", n))
        for number in range(500):
            world.put(f"p{number}", 1)
        assert len(fault._buckets) <= 100
        assert until_refused(lambda n: world.put("hot", n))[0] == 0


def test_the_answer_tells_the_capacity_that_was_asked_for(world: World) -> None:
    item = world.item("a", 1, g="x", r="y")
    with world.faults.inject(PartitionLimits()):
        answers = [
            world("PutItem", TableName="Shop", Item=item, ReturnConsumedCapacity=wanted)
            for wanted in ("NONE", "TOTAL", "INDEXES")
        ]
    assert answers[0] == {}
    assert answers[1] == {"ConsumedCapacity": {"TableName": "Shop", "CapacityUnits": 1.0}}
    assert answers[2]["ConsumedCapacity"]["Table"] == {"CapacityUnits": 1.0}


def test_wrong_requests_are_none_of_its_business(world: World) -> None:
    with world.faults.inject(PartitionLimits(read=1, write=1)):
        until_refused(lambda n: world.put("hot", n))
        error = world.error("PutItem", TableName="Shop", Item={"pk": {"N": "1"}, "sk": {"N": "1"}})
        assert error.wire_name == "ValidationException"
        assert (
            world.error("PutItem", TableName="None", Item=world.item("a", 1)).wire_name == "ResourceNotFoundException"
        )
        query = {"TableName": "Shop", "KeyConditionExpression": "pk >", "ExpressionAttributeValues": {":p": {"S": "a"}}}
        assert world.error("Query", **query).wire_name == "ValidationException"


# ---------------------------------------------------------------------------------------------- provisioned throughput


def test_a_table_takes_what_it_is_provisioned_with(provisioned: World) -> None:
    world = provisioned
    with world.faults.inject(ProvisionedThroughput()) as fault:
        count, name, words = until_refused(lambda n: world.put(f"p{n}", 1))
        assert (count, name) == (3, "ProvisionedThroughputExceededException")
        assert words.startswith("The level of configured provisioned throughput for the table was exceeded.")
        assert until_refused(lambda n: world.get(f"p{n}", 1))[0] == 10
        world.clock.move(1)
        assert until_refused(lambda n: world.put(f"p{n}", 1))[0] == 3
    assert fault.fired == 3


def test_what_is_not_used_is_kept_for_five_minutes(provisioned: World) -> None:
    world = provisioned
    with world.faults.inject(ProvisionedThroughput()):
        world.put("a", 1)
        world.clock.move(100)
        assert until_refused(lambda n: world.put(f"p{n}", 1))[0] == 302
        world.clock.move(10_000)
        assert until_refused(lambda n: world.put(f"p{n}", 1))[0] == 900


def test_an_index_has_units_of_its_own_and_holds_up_the_table(provisioned: World) -> None:
    world = provisioned
    with world.faults.inject(ProvisionedThroughput()):
        count, _, words = until_refused(lambda n: world.put(f"p{n}", 1, g="x", r="y"))
        assert count == 2
        assert "one or more global secondary indexes of the table was exceeded" in words
        assert until_refused(lambda _: world.query("x"))[0] == 4
        assert world("Scan", TableName="Shop", Select="COUNT")["Count"] == 2


def test_a_table_on_demand_is_limited_only_where_units_are_given(world: World) -> None:
    with world.faults.inject(ProvisionedThroughput()):
        assert until_refused(lambda n: world.put(f"p{n}", 1), most=50)[0] == 50
    with world.faults.inject(ProvisionedThroughput(write=4, table="Shop")):
        assert until_refused(lambda n: world.put(f"p{n}", 1))[:2] == (4, "ThrottlingException")
        assert until_refused(lambda n: world.get(f"p{n}", 1), most=50)[0] == 50


def test_of_a_batch_a_table_takes_what_it_is_provisioned_with(provisioned: World) -> None:
    world = provisioned
    with world.faults.inject(ProvisionedThroughput()) as fault:
        left = world.batch([world.item(f"p{n}", 1) for n in range(25)])["UnprocessedItems"]["Shop"]
        assert len(left) == 22
        refused = world.error("BatchWriteItem", RequestItems={"Shop": left})
        assert refused.wire_name == "ProvisionedThroughputExceededException"
        world.clock.move(2)
        assert len(world("BatchWriteItem", RequestItems={"Shop": left})["UnprocessedItems"]["Shop"]) == 16
        keys = [world.item(f"p{n}", 1) for n in range(25)]
        answer = world("BatchGetItem", RequestItems={"Shop": {"Keys": keys}})
        assert answer["UnprocessedKeys"] == {"Shop": {"Keys": keys[10:]}}
    assert fault.fired == 22 + 22 + 16 + 15


def test_of_a_batch_an_index_takes_what_it_is_provisioned_with(provisioned: World) -> None:
    world = provisioned
    members = [world.item(f"p{n}", 1, g="x", r="y") for n in range(3)]
    with world.faults.inject(ProvisionedThroughput()):
        assert world.batch(members)["UnprocessedItems"]["Shop"] == [{"PutRequest": {"Item": members[2]}}]


def test_a_transaction_beyond_what_a_table_is_provisioned_with_is_cancelled(provisioned: World) -> None:
    world = provisioned
    world.create("Other")
    puts = [{"Put": {"TableName": "Shop", "Item": world.item(f"p{n}", 1)}} for n in range(4)]
    other = {"Put": {"TableName": "Other", "Item": world.item("a", 1)}}
    with world.faults.inject(ProvisionedThroughput()):
        error = world.error("TransactWriteItems", TransactItems=[*puts, other])
        assert isinstance(error, TransactionCanceled)
        throttled = "ProvisionedThroughputExceeded"
        assert [reason.code for reason in error.reasons] == ["None", "None", throttled, throttled, "None"]
        statements = [{"Statement": f"INSERT INTO \"Shop\" VALUE {{'pk': 'q{n}', 'sk': 1}}"} for n in range(4)]
        also = world.error("ExecuteTransaction", TransactStatements=statements)
        assert isinstance(also, TransactionCanceled)
        assert [reason.code for reason in also.reasons] == ["None", "None", throttled, throttled]
        # Statements without a transaction are let in together, and leave a debt.
        world("BatchExecuteStatement", Statements=statements)
        assert until_refused(lambda n: world.put(f"r{n}", 1))[0] == 0
