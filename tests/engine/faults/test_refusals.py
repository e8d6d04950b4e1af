"""What faults say: the service's names and words, for single requests, batches and transactions."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.engine.faults import (
    Conflict,
    ExpiredToken,
    LostReply,
    RequestLimit,
    ServerError,
    SlowReply,
    Throttle,
    Unprocessed,
)
from tablewright.errors import NetworkError, Throttled, ThrottlingReason, TransactionCanceled
from tests.engine.faults.world import World

ON_DEMAND = "Throughput exceeds the current capacity of your table or index."
PROVISIONED = "The level of configured provisioned throughput for the table was exceeded."


def test_throttling_is_called_as_the_billing_mode_has_it(world: World, provisioned: World) -> None:
    for place, name, words in (
        (world, "ThrottlingException", ON_DEMAND),
        (provisioned, "ProvisionedThroughputExceededException", PROVISIONED),
    ):
        with place.faults.inject(Throttle()):
            error = place.error("GetItem", TableName="Shop", Key=place.item("a", 1))
        assert error.wire_name == name
        assert error.message.startswith(words)
        assert error.status == 400
        assert isinstance(error, Throttled)
        reason = "TableReadKeyRange" if place is world else "TableReadProvisioned"
        assert error.reasons == (
            ThrottlingReason(f"{reason}ThroughputExceeded", "arn:aws:dynamodb:local:000000000000:table/Shop"),
        )


def test_requests_about_tables_and_streams_are_throttled_in_their_own_words(world: World, provisioned: World) -> None:
    for place in (world, provisioned):
        with place.faults.inject(Throttle(operations=("DescribeTable", "ListTables"))) as fault:
            for error in (place.error("DescribeTable", TableName="Shop"), place.error("ListTables")):
                assert (error.wire_name, error.message) == (
                    "ThrottlingException",
                    "Rate of requests exceeds the allowed throughput.",
                )
        assert fault.fired == 2


def test_a_stream_is_struck_by_the_name_of_its_table(world: World) -> None:
    stream = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    arn = world("UpdateTable", TableName="Shop", StreamSpecification=stream)["TableDescription"]["LatestStreamArn"]
    (shard,) = world("DescribeStream", StreamArn=arn)["StreamDescription"]["Shards"]
    place = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    iterator = world("GetShardIterator", **place)["ShardIterator"]
    names = ("DescribeStream", "GetRecords", "GetShardIterator")
    with world.faults.inject(Throttle(table="Shop", operations=names)) as fault:
        world.error("DescribeStream", StreamArn=arn)
        world.error("GetShardIterator", **place)
        world.error("GetRecords", ShardIterator=iterator)
        assert world("ListStreams")["Streams"]
    with world.faults.inject(Throttle(table="Other", operations=names)) as other:
        assert world("GetRecords", ShardIterator=iterator)["Records"] == []
    assert (fault.fired, other.fired) == (3, 0)


SELECT = "SELECT * FROM Shop WHERE pk = 'a' AND sk = 1"
INSERT = "INSERT INTO Shop VALUE {'pk': 'a', 'sk': 1}"
DELETE = "DELETE FROM Shop WHERE pk = 'a' AND sk = 1"


@pytest.mark.parametrize(
    ("operation", "request_", "group"),
    [
        ("ExecuteStatement", {"Statement": f"  {SELECT}"}, "reads"),
        ("ExecuteStatement", {"Statement": INSERT}, "writes"),
        ("ExecuteStatement", {"Statement": DELETE}, "writes"),
        ("BatchExecuteStatement", {"Statements": [{"Statement": SELECT}]}, "reads"),
        ("BatchExecuteStatement", {"Statements": [{"Statement": DELETE}]}, "writes"),
        ("ExecuteTransaction", {"TransactStatements": [{"Statement": SELECT}]}, "reads"),
        ("ExecuteTransaction", {"TransactStatements": [{"Statement": INSERT}]}, "writes"),
    ],
    ids=["select", "insert", "delete", "batch read", "batch write", "transact read", "transact write"],
)
def test_statements_are_reads_or_writes(world: World, operation: str, request_: dict[str, Any], group: str) -> None:
    other = "writes" if group == "reads" else "reads"
    with (
        world.faults.inject(ServerError(operations=other)) as spared,
        world.faults.inject(ServerError(operations=group, table="Shop")) as struck,
    ):
        assert world.error(operation, **request_).wire_name == "InternalServerError"
    assert (spared.seen, struck.fired) == (0, 1)


def test_a_group_brings_nobody_whom_a_fault_does_not_concern(world: World) -> None:
    with world.faults.inject(Conflict(operations="writes")) as fault:
        assert world.batch([world.item("a", 1)]) == {"UnprocessedItems": {}}
        world.error("PutItem", TableName="Shop", Item=world.item("a", 2))
        world("ExecuteStatement", Statement=DELETE)
        world.error("ExecuteTransaction", TransactStatements=[{"Statement": INSERT}])
    assert fault.fired == 2


def test_a_throttled_transaction_is_cancelled(world: World, provisioned: World) -> None:
    for place, code in ((world, "ThrottlingError"), (provisioned, "ProvisionedThroughputExceeded")):
        place.create("Other")
        actions = [{"Put": {"TableName": name, "Item": place.item("a", 1)}} for name in ("Other", "Shop")]
        with place.faults.inject(Throttle(table="Shop")):
            error = place.error("TransactWriteItems", TransactItems=actions)
        assert isinstance(error, TransactionCanceled)
        assert [reason.code for reason in error.reasons] == ["None", code]
        assert error.transient
        assert place.get("a", 1, table="Other") is None


def test_of_a_batch_of_statements_each_is_throttled_by_itself(world: World, provisioned: World) -> None:
    for place, code in ((world, "ThrottlingError"), (provisioned, "ProvisionedThroughputExceeded")):
        place.create("Other")
        inserts = [{"Statement": INSERT.replace("Shop", name)} for name in ("Shop", "Other")]
        again = {"Statement": INSERT.replace("1}", "2}")}
        with place.faults.inject(Throttle(table="Shop")) as fault:
            answer = place("BatchExecuteStatement", Statements=[*inserts, again])
            assert [one.get("Error", {}).get("Code") for one in answer["Responses"]] == [code, None, code]
            assert [one["TableName"] for one in answer["Responses"]] == ["Shop", "Other", "Shop"]
            assert all("xceed" in one["Error"]["Message"] for one in answer["Responses"][::2])
            # Where nothing is left of the batch, nothing is carried out.
            whole = place("BatchExecuteStatement", Statements=[inserts[0], again], ReturnConsumedCapacity="TOTAL")
            assert [one["Error"]["Code"] for one in whole["Responses"]] == [code, code]
            assert "ConsumedCapacity" not in whole
        assert fault.fired == 2
        assert (place.get("a", 1), place.get("a", 1, table="Other") is None) == (None, False)


def test_each_member_of_a_throttled_transaction_is_refused_by_its_own_tables_mode(provisioned: World) -> None:
    provisioned.create("Other")
    actions = [{"Put": {"TableName": name, "Item": provisioned.item("a", 1)}} for name in ("Other", "Shop")]
    with provisioned.faults.inject(Throttle()):
        for order in (actions, actions[::-1]):
            error = provisioned.error("TransactWriteItems", TransactItems=order)
            assert isinstance(error, TransactionCanceled)
            codes = {
                action["Put"]["TableName"]: reason.code for action, reason in zip(order, error.reasons, strict=True)
            }
            assert codes == {"Other": "ThrottlingError", "Shop": "ProvisionedThroughputExceeded"}


def test_conflicts(world: World) -> None:
    with world.faults.inject(Conflict()) as fault:
        error = world.error("PutItem", TableName="Shop", Item=world.item("a", 1))
        assert (error.wire_name, error.message) == (
            "TransactionConflictException",
            "Transaction is ongoing for the item",
        )
        actions = [{"Put": {"TableName": "Shop", "Item": world.item("a", n)}} for n in (1, 2)]
        cancelled = world.error("TransactWriteItems", TransactItems=actions)
        gets = [{"Get": {"TableName": "Shop", "Key": world.item("a", 1)}}]
        also = world.error("TransactGetItems", TransactItems=gets)
        assert world.get("a", 1) is None
        assert world.batch([world.item("b", 1)]) == {"UnprocessedItems": {}}
    assert isinstance(cancelled, TransactionCanceled)
    assert [reason.code for reason in cancelled.reasons] == ["TransactionConflict", "None"]
    assert cancelled.message.endswith("[TransactionConflict, None]")
    assert also.wire_name == "TransactionCanceledException"
    assert fault.fired == 3


@pytest.mark.parametrize(
    ("fault", "name", "status"),
    [
        (RequestLimit(), "RequestLimitExceeded", 400),
        (ExpiredToken(), "ExpiredTokenException", 400),
        (ServerError(), "InternalServerError", 500),
    ],
    ids=["request-limit", "expired-token", "server-error"],
)
def test_other_refusals_have_no_effect(world: World, fault: Throttle, name: str, status: int) -> None:
    with world.faults.inject(fault):
        error = world.error("PutItem", TableName="Shop", Item=world.item("a", 1))
    assert (error.wire_name, error.status) == (name, status)
    assert world.get("a", 1) is None


@pytest.mark.parametrize("carried_out", [True, False], ids=["carried out", "not carried out"])
def test_answers_that_do_not_come(world: World, carried_out: bool) -> None:
    with world.faults.inject(LostReply(carried_out=carried_out)), pytest.raises(NetworkError) as caught:
        world.put("a", 1)
    assert caught.value.sent
    assert (world.get("a", 1) is not None) is carried_out
    with world.faults.inject(ServerError(carried_out=carried_out)):
        assert world.error("PutItem", TableName="Shop", Item=world.item("a", 2)).status == 500
    assert (world.get("a", 2) is not None) is carried_out


def test_refusals_can_be_lost_too(world: World) -> None:
    world.put("a", 1)
    with world.faults.inject(LostReply()), pytest.raises(NetworkError):
        world("PutItem", TableName="Shop", Item=world.item("a", 1), ConditionExpression="attribute_not_exists(pk)")


@pytest.mark.parametrize("order", [1, -1], ids=["before", "behind"])
def test_a_fault_that_is_overtaken_by_a_refusal_has_seen_the_call_and_not_fired(world: World, order: int) -> None:
    lost = LostReply()
    for fault in (lost, ExpiredToken())[::order]:
        world.faults.inject(fault)
    world.error("PutItem", TableName="Shop", Item=world.item("a", 1))
    assert (lost.seen, lost.fired) == (1, 0)


def test_slow_replies(world: World) -> None:
    waited: list[float] = []
    with world.faults.inject(SlowReply(seconds=3.5, every=2, sleep=waited.append)) as fault:
        for number in range(5):
            world.put("a", number)
    assert waited == [3.5, 3.5]
    assert fault.fired == 2


def test_writes_in_one_commit_are_disturbed_one_by_one(world: World) -> None:
    calls = [("PutItem", {"TableName": "Shop", "Item": world.item("a", n)}, "eu-west-1") for n in range(4)]
    with world.faults.inject(LostReply(nth=2)), world.faults.inject(Throttle(nth=3)):
        outcomes = world.engine.execute_together(calls)
    assert [type(outcome).__name__ for outcome in outcomes] == ["dict", "NetworkError", "Throttled", "dict"]
    assert [world.get("a", n) is not None for n in range(4)] == [True, True, False, True]


# ---------------------------------------------------------------------------------------------------------- leftovers


def test_members_of_a_batch_are_left_over(world: World) -> None:
    members = [world.item("a", n) for n in range(7)]
    with world.faults.inject(Unprocessed(every=3)) as fault:
        answer = world.batch(members)
    left = [member["PutRequest"]["Item"] for member in answer["UnprocessedItems"]["Shop"]]
    assert left == [members[2], members[5]]
    assert (fault.seen, fault.fired) == (7, 2)
    stored = world("Scan", TableName="Shop")["Items"]
    assert sorted(item["sk"]["N"] for item in stored) == ["0", "1", "3", "4", "6"]


def test_keys_of_a_batch_are_left_over_as_they_were_asked_for(world: World) -> None:
    world.create("Other")
    for number in range(4):
        world.put("a", number)
        world.put("a", number, table="Other")
    asked = {
        name: {"Keys": [world.item("a", n) for n in range(4)], "ProjectionExpression": "sk"}
        for name in ("Shop", "Other")
    }
    with world.faults.inject(Unprocessed(table="Shop", nth=(2, 4))):
        answer = world("BatchGetItem", RequestItems=asked)
    assert answer["UnprocessedKeys"] == {
        "Shop": {"Keys": [world.item("a", 1), world.item("a", 3)], "ProjectionExpression": "sk"}
    }
    assert answer["Responses"]["Shop"] == [{"sk": {"N": "0"}}, {"sk": {"N": "2"}}]
    assert len(answer["Responses"]["Other"]) == 4


def test_a_table_of_which_nothing_was_read_is_in_the_answer(world: World) -> None:
    world.create("Other")
    asked = {name: {"Keys": [world.item("a", 1)]} for name in ("Shop", "Other")}
    with world.faults.inject(Unprocessed(table="Shop")):
        answer = world("BatchGetItem", RequestItems=asked)
    assert answer["Responses"] == {"Shop": [], "Other": []}
    assert list(answer["UnprocessedKeys"]) == ["Shop"]


def test_a_batch_of_which_nothing_is_done_is_throttled(world: World) -> None:
    with world.faults.inject(Unprocessed()):
        request = {"Shop": [{"PutRequest": {"Item": world.item("a", 1)}}]}
        assert world.error("BatchWriteItem", RequestItems=request).wire_name == "ThrottlingException"


def test_a_leftover_can_be_sent_again_until_all_is_done(world: World) -> None:
    members = [world.item("a", n) for n in range(25)]
    with world.faults.inject(Unprocessed(share=0.4, seed=3)) as fault:
        rest = {"Shop": [{"PutRequest": {"Item": item}} for item in members]}
        for _ in range(30):
            if rest:
                try:
                    rest = world("BatchWriteItem", RequestItems=rest)["UnprocessedItems"]
                except Exception as error:
                    assert "Throughput exceeds" in str(error)  # noqa: PT017 - a batch of one may fail as a whole
    assert rest == {}
    assert fault.fired > 5
    assert world("Scan", TableName="Shop", Select="COUNT")["Count"] == 25
