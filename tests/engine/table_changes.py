"""What can be wrong with an UpdateTable request: each fault with the service's words for it, and DynamoDB Local's own.

The sources are those of `table_faults.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import assume
from hypothesis import strategies as st

from tests.engine.table_faults import GLOBAL, INVALID, LOCAL, ORDER, SAME, UNITS, Draw, Table, an_index, schema

Spoil = Callable[[Draw, Table, dict[str, Any]], tuple[str, str]]
"""Writes a request with one fault for a table, and gives the error and the service's words for it."""

REFUSED, MISSING, LIMIT = "ValidationException", "ResourceNotFoundException", "LimitExceededException"
BROKEN = r"The request processing has failed because of an unknown error, exception or failure\."
ONE_INDEX = "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"
ALL = {"ProjectionType": "ALL"}


class Change(NamedTuple):
    """One fault: how it is made, what Local says of it (None where it takes it), and of which tables."""

    spoil: Spoil
    local: str | None
    source: str
    provisioned: bool


CHANGES: dict[str, Change] = {}


def _of_change(local: str | None, source: str, *, provisioned: bool = False) -> Callable[[Spoil], Spoil]:
    def keep(spoil: Spoil) -> Spoil:
        CHANGES[spoil.__name__] = Change(spoil, local, source, provisioned)
        return spoil

    return keep


def new_index(request: dict[str, Any], name: str = "New", **parts: Any) -> dict[str, Any]:
    """A right index on attributes of its own, with their definitions."""
    index = {"IndexName": name, "KeySchema": schema(("n1", "HASH"), ("n2", "RANGE")), "Projection": ALL, **parts}
    request["AttributeDefinitions"] = [{"AttributeName": one, "AttributeType": "S"} for one in ("n1", "n2")]
    request.setdefault("GlobalSecondaryIndexUpdates", []).append({"Create": index})
    return index


def drop_index(draw: Draw, table: Table, request: dict[str, Any]) -> None:
    """The end of an index: other than a new one, Local is through with it at once."""
    index, _ = an_index(draw, table, GLOBAL)
    request["GlobalSecondaryIndexUpdates"] = [{"Delete": {"IndexName": index["IndexName"]}}]


@_of_change(r"Nothing to update", "[seen]")
def nothing(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    request.update(
        draw(
            st.sampled_from(
                [{}, {"AttributeDefinitions": table["AttributeDefinitions"]}, {"GlobalSecondaryIndexUpdates": []}]
            )
        )
    )
    return REFUSED, (
        "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, "
        "SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, "
        "DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required"
    )


@_of_change(r"Cannot do operations on a non-existent table", "[suite]")
def no_such_table(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    request.update(TableName="Nobody", BillingMode="PAY_PER_REQUEST")
    return MISSING, "Requested resource not found: Table: Nobody not found"


@_of_change(None, "[seen] Local does not look at it")
def no_changes_of_indexes(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    request.update(GlobalSecondaryIndexUpdates=[], BillingMode="PAY_PER_REQUEST")
    return REFUSED, f"{INVALID}List of GlobalSecondaryIndexUpdates is empty"


@_of_change(r"Attempting to create an index which already exists", "[seen]")
def index_that_is_there(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    index, _ = an_index(draw, table)
    new_index(request, index["IndexName"])
    return REFUSED, "Attempting to create an index which already exists"


@_of_change(r"No Attribute Schema Defined", "[seen]")
def index_without_definitions(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    new_index(request)
    del request["AttributeDefinitions"]
    return REFUSED, f"{INVALID}AttributeDefinitions is not specified for index: New"


@_of_change(r"Attribute n2 is not defined in AttributeDefinitions", "[seen]")
def index_with_few_definitions(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    new_index(request)
    request["AttributeDefinitions"].pop()
    return REFUSED, (
        f"{INVALID}Some index key attributes are not defined in AttributeDefinitions. Keys: [n1, n2], "
        "AttributeDefinitions: [n1]"
    )


@_of_change(r"invalid attribute, SchemaElement redefined should be of same type as previously defined", "[seen]")
def other_type(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    known = table["AttributeDefinitions"][0]
    name, was = known["AttributeName"], known["AttributeType"]
    now = draw(st.sampled_from([kind for kind in "SNB" if kind != was]))
    new_index(request, KeySchema=schema((name, "HASH")))
    request["AttributeDefinitions"] = [{"AttributeName": name, "AttributeType": now}]
    return REFUSED, (
        f"{INVALID}Attributes cannot be redefined. Please check that your attribute has the same type as previously "
        f"defined. Existing schema: Schema:[SchemaElement: key{{{name}:{was}:HASH}}] New schema: "
        f"Schema:[SchemaElement: key{{{name}:{now}:HASH}}]"
    )


@_of_change(r"Requested resource not found", "[seen]")
def deletion_of_no_index(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    request["GlobalSecondaryIndexUpdates"] = [{"Delete": {"IndexName": "Nobody"}}]
    return MISSING, f"Requested resource not found: Index Nobody for table {table['TableName']}"


@_of_change(r"Invalid global secondary index name", "[seen]", provisioned=True)
def change_of_no_index(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    request["GlobalSecondaryIndexUpdates"] = [{"Update": {"IndexName": "Nobody", "ProvisionedThroughput": UNITS}}]
    return MISSING, f"Requested resource not found: Index Nobody for table {table['TableName']}"


@_of_change(r"Cannot delete an index that is not a GlobalSecondaryIndex", "[seen]")
def deletion_of_a_local_index(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    index, _ = an_index(draw, table, LOCAL)
    request["GlobalSecondaryIndexUpdates"] = [{"Delete": {"IndexName": index["IndexName"]}}]
    return REFUSED, f"Cannot delete an index that is not a GlobalSecondaryIndex: {index['IndexName']}"


@_of_change(r"Only 1 online index can be created or deleted simultaneously per table|" + ONE_INDEX, "[seen]")
def two_indexes_at_once(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    new_index(request)
    if table.get(GLOBAL) and draw(st.booleans()):
        index, _ = an_index(draw, table, GLOBAL)
        request["GlobalSecondaryIndexUpdates"].append({"Delete": {"IndexName": index["IndexName"]}})
    else:
        new_index(request, "Newer")
    return LIMIT, ONE_INDEX


@_of_change(r"Only one global secondary index update per index is allowed simultaneously\.", "[seen]")
def one_index_twice(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    index, _ = an_index(draw, table, GLOBAL)
    name = index["IndexName"]
    request["GlobalSecondaryIndexUpdates"] = [{"Delete": {"IndexName": name}}] * 2
    return (
        REFUSED,
        f"{INVALID}Only one global secondary index update per index is allowed simultaneously. Index: {name}",
    )


@_of_change(r"Update global secondary index action is null", "[seen]")
def no_action(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    request["GlobalSecondaryIndexUpdates"] = [{}]
    return REFUSED, (
        f"{INVALID}One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
        "GlobalSecondaryIndexUpdate.Delete must not be null"
    )


@_of_change(ONE_INDEX, "[seen]")
def two_actions(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    index, _ = an_index(draw, table, GLOBAL)
    new_index(request)
    request["GlobalSecondaryIndexUpdates"][0]["Delete"] = {"IndexName": index["IndexName"]}
    return REFUSED, f"{INVALID}Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object"


@_of_change(ORDER, "[seen]")
def keys_in_the_wrong_order(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    new_index(request, KeySchema=schema(("n1", "RANGE"), ("n2", "HASH")))
    return REFUSED, "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"


@_of_change(SAME, "[seen]")
def one_attribute_for_both_keys(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    new_index(request, KeySchema=schema(("n1", "HASH"), ("n1", "RANGE")))
    return REFUSED, "Both the Hash Key and the Range Key element in the KeySchema have the same name"


@_of_change(BROKEN, "[seen] Local breaks", provisioned=True)
def index_without_units(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    new_index(request)
    return REFUSED, f"{INVALID}Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: New"


@_of_change(BROKEN, "[seen] Local breaks")
def change_of_units_on_demand(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    index, _ = an_index(draw, table, GLOBAL)
    name = index["IndexName"]
    request["GlobalSecondaryIndexUpdates"] = [{"Update": {"IndexName": name, "ProvisionedThroughput": UNITS}}]
    return REFUSED, (
        f"{INVALID}The only Updates for index: {name} when TableThroughputMode is PAY_PER_REQUEST can be to "
        "OnDemandThroughput, WarmThroughput"
    )


def _unchanged(what: str) -> str:
    kind = what.partition(" ")[0]
    return (
        f"The provisioned throughput for the {what} will not change. The requested value equals the current value. "
        f"Current ReadCapacityUnits provisioned for the {kind}: 5. Requested ReadCapacityUnits: 5. "
        f"Current WriteCapacityUnits provisioned for the {kind}: 5. Requested WriteCapacityUnits: 5. "
        "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
    )


@_of_change(r"The requested throughput value equals the current value", "[seen]", provisioned=True)
def same_units(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    request["ProvisionedThroughput"] = UNITS
    return REFUSED, _unchanged("table")


@_of_change(r"The requested throughput value equals the current value", "[seen]", provisioned=True)
def same_units_of_an_index(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    index, _ = an_index(draw, table, GLOBAL)
    name = index["IndexName"]
    request["GlobalSecondaryIndexUpdates"] = [{"Update": {"IndexName": name, "ProvisionedThroughput": UNITS}}]
    return REFUSED, _unchanged(f"index {name}")


@_of_change(None, "[seen] Local does not look at it")
def units_on_demand(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    request["ProvisionedThroughput"] = UNITS
    return REFUSED, (
        f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"
    )


@_of_change(r"No provisioned throughput specified for the table", "[seen]")
def no_units(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    request["BillingMode"] = "PROVISIONED"
    return REFUSED, f"{INVALID}ProvisionedThroughput must be specified when BillingMode is PROVISIONED"


@_of_change(BROKEN, "[seen] Local breaks")
def no_units_of_indexes(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    assume(table.get(GLOBAL))
    request.update(BillingMode="PROVISIONED", ProvisionedThroughput=UNITS)
    names = ",".join(index["IndexName"] for index in table[GLOBAL])
    return REFUSED, f"{INVALID}ProvisionedThroughput must be specified for index: {names}"


@_of_change(r"Table has no stream to disable", "[seen]")
def no_stream(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    request["StreamSpecification"] = {"StreamEnabled": False}
    return REFUSED, f"Table has no stream to disable: TableName: {table['TableName']}"


@_of_change(r"Table already has an enabled stream", "[seen]")
def stream_again(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    stream = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    table["StreamSpecification"] = request["StreamSpecification"] = stream
    return REFUSED, f"Table already has an enabled stream: TableName: {table['TableName']}"


@_of_change(r"Invalid StreamViewType: Stream ViewType must not be null or empty when enabling streams\.", "[seen]")
def stream_without_view(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    request["StreamSpecification"] = {"StreamEnabled": True}
    return REFUSED, f"{INVALID}If stream is being enabled then UpdateViewType is required"


@_of_change(None, "[seen] Local takes them together")
def changes_that_stand_alone(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    name, value, words = draw(
        st.sampled_from(
            [
                ("DeletionProtectionEnabled", True, "DeletionProtection modification must be the only operation"),
                (
                    "SSESpecification",
                    {"Enabled": True},
                    "Server-Side Encryption modification must be the only operation",
                ),
                ("TableClass", "STANDARD", "TableClass modification must be the only operation"),
                ("WarmThroughput", {"ReadUnitsPerSecond": 13_000}, "WarmThroughput must be the only operation"),
            ]
        )
    )
    other: dict[str, Any] = {"BillingMode": "PAY_PER_REQUEST"}
    if table.get(GLOBAL) and draw(st.booleans()):
        other = {}
        drop_index(draw, table, request)
    request.update({name: value, **other})
    return REFUSED, f"{INVALID}{words} in the request"


@_of_change(None, "[seen] Local takes them together", provisioned=True)
def index_beside_units(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    drop_index(draw, table, request)
    request["ProvisionedThroughput"] = {**UNITS, "ReadCapacityUnits": 9}
    return REFUSED, f"{INVALID}You cannot create or delete index while updating table IOPS"


@_of_change(None, "[seen] Local takes them together")
def index_beside_a_stream(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    drop_index(draw, table, request)
    request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    return REFUSED, f"{INVALID}You cannot create or delete index while changing stream status"


@_of_change(r"Nothing to update", "[seen] Local does not look at it")
def less_warmth(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    request["WarmThroughput"] = {"WriteUnitsPerSecond": draw(st.sampled_from([0, 3_999]))}
    return REFUSED, (
        f"{INVALID}Requested WriteUnitsPerSecond for WarmThroughput for table is lower than current WarmThroughput, "
        "decreasing WarmThroughput is not supported"
    )


@_of_change(r"Nothing to update", "[seen] Local does not look at it")
def encryption_that_is_there(draw: Draw, table: Table, request: dict[str, Any]) -> tuple[str, str]:
    request["SSESpecification"] = draw(st.sampled_from([{}, {"Enabled": False}]))
    return REFUSED, f"{INVALID}Table is already encrypted by default"
