"""What can be wrong with a table's definition: each fault with the service's words for it, and DynamoDB Local's own.

Local has words of its own for nearly all of it, so every fault says both. Sources of the service's words: [suite] the
public conformance suite, [seen] messages of the service quoted in public trackers and reports, [api] AWS's reference,
whose constraints the service tells in one form.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import assume
from hypothesis import strategies as st

Draw = Callable[[st.SearchStrategy[Any]], Any]
Table = dict[str, Any]
Spoil = Callable[[Draw, Table], str]
"""Makes one fault in a table that is right, and gives the service's words for it."""

INVALID = "One or more parameter values were invalid: "
UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
GLOBAL, LOCAL = "GlobalSecondaryIndexes", "LocalSecondaryIndexes"
NAMES_RULE = re.escape(
    "Invalid table/index name.  Table/index names must be between 3 and 255 characters long, and may contain only the "
    "characters a-z, A-Z, 0-9, '_', '-', and '.'"
)
NO_HASH = r"No Hash Key specified in schema\.  All Dynamo DB tables must have exactly one hash key"
ORDER = r"Invalid key order\. Hash Key must be specified first in key schema, Range Key must be specifed second"
TWO_HASHES = r"Too many hash keys specified\.  All Dynamo DB tables must have exactly one hash key"
NO_KEYS = r"No defined key schema\.  A key schema containing at least a hash key must be defined for all tables"
TOO_BIG = r"Key Schema too big\.  Key Schema must at most consist of the hash and range key of a table"
SAME = r"Two keys can not have the same name"
UNDEFINED = (
    r"(Hash|Range) Key not specified in Attribute Definitions\.  Type unknown\.|No Attribute Schema Defined"
    r"|Attribute \w+ is not defined in AttributeDefinitions"
    r"|Local Secondary Index range key not specified in Attribute Definitions\.Type unknown\."
)
NUMBER = (
    r"The number of attributes in key schema must match the number of attributes defined in attribute definitions\."
)
UNITS_RULE = r"(Table|Global Secondary Index's) read and write throughput must be at least 1, and cannot be null"


class Fault(NamedTuple):
    """One fault: how it is made, what Local says of it (None where Local takes it), and where the words are from."""

    spoil: Spoil
    local: str | None
    source: str


CREATION: dict[str, Fault] = {}


def _of_creation(local: str | None, source: str) -> Callable[[Spoil], Spoil]:
    def keep(spoil: Spoil) -> Spoil:
        CREATION[spoil.__name__] = Fault(spoil, local, source)
        return spoil

    return keep


def schema(*keys: tuple[str, str]) -> list[dict[str, str]]:
    return [{"AttributeName": name, "KeyType": role} for name, role in keys]


def names_of(elements: list[dict[str, Any]]) -> list[str]:
    return [element["AttributeName"] for element in elements]


def used_by(table: Table, *, without: Any = None) -> set[str]:
    indexes = [*table.get(GLOBAL, ()), *table.get(LOCAL, ())]
    return {
        key["AttributeName"] for one in (table, *indexes) if one is not without for key in one.get("KeySchema") or ()
    }


def define_used(table: Table) -> None:
    """Definitions of what the keys use, and of nothing else."""
    known = {one["AttributeName"]: one for one in table["AttributeDefinitions"]}
    table["AttributeDefinitions"] = [
        known.get(name, {"AttributeName": name, "AttributeType": "S"}) for name in sorted(used_by(table))
    ]


def an_index(draw: Draw, table: Table, member: str = "") -> tuple[dict[str, Any], str]:
    """One of the indexes, and its path in messages."""
    members = [one for one in (GLOBAL, LOCAL) if table.get(one) and member in ("", one)]
    assume(members)
    member = draw(st.sampled_from(members))
    number = draw(st.integers(0, len(table[member]) - 1))
    path = f"{member[0].lower()}{member[1:]}.{number + 1}.member"
    return table[member][number], path


def constraint(path: str, value: str, rule: str) -> str:
    return f"1 validation error detected: Value {value} at '{path}' failed to satisfy constraint: Member must {rule}"


def told(elements: list[dict[str, str]]) -> str:
    keys = (f"KeySchemaElement(attributeName={e['AttributeName']}, keyType={e['KeyType']})" for e in elements)
    return f"'[{', '.join(keys)}]'"


def provision(table: Table) -> None:
    """Pay by capacity instead of by request."""
    table["BillingMode"] = "PROVISIONED"
    table["ProvisionedThroughput"] = dict(UNITS)
    for index in table.get(GLOBAL, ()):
        index["ProvisionedThroughput"] = dict(UNITS)


# ------------------------------------------------------------------------------------------- definitions and keys


@_of_creation(UNDEFINED, "[seen]")
def key_without_definition(draw: Draw, table: Table) -> str:
    keys = names_of(table["KeySchema"])
    gone = draw(st.sampled_from(keys))
    kept = [one for one in table["AttributeDefinitions"] if one["AttributeName"] != gone]
    table["AttributeDefinitions"] = [*kept, {"AttributeName": "zz", "AttributeType": "S"}]
    defined = names_of(table["AttributeDefinitions"])
    return (
        f"{INVALID}Some index key attributes are not defined in AttributeDefinitions. Keys: [{', '.join(keys)}], "
        f"AttributeDefinitions: [{', '.join(defined)}]"
    )


@_of_creation(UNDEFINED, "[suite] fewer definitions than keys")
def fewer_definitions_than_keys(draw: Draw, table: Table) -> str:
    for member in (GLOBAL, LOCAL):
        table.pop(member, None)
    keys = names_of(table["KeySchema"])
    gone = draw(st.sampled_from(keys))
    table["AttributeDefinitions"] = [{"AttributeName": name, "AttributeType": "S"} for name in keys if name != gone]
    return "Invalid KeySchema: Some index key attribute have no definition"


@_of_creation(UNDEFINED, "[seen]")
def index_key_without_definition(draw: Draw, table: Table) -> str:
    index, _ = an_index(draw, table)
    keys = names_of(index["KeySchema"])
    own = sorted(set(keys) - used_by(table, without=index))
    assume(own)
    gone = draw(st.sampled_from(own))
    kept = [one for one in table["AttributeDefinitions"] if one["AttributeName"] != gone]
    table["AttributeDefinitions"] = kept
    return (
        f"{INVALID}Some index key attributes are not defined in AttributeDefinitions. Keys: [{', '.join(keys)}], "
        f"AttributeDefinitions: [{', '.join(names_of(kept))}]"
    )


@_of_creation(rf"{NUMBER}|", "[seen] Local counts an attribute of two indexes twice, and may find the numbers equal")
def unused_definition(draw: Draw, table: Table) -> str:
    position = draw(st.integers(0, len(table["AttributeDefinitions"])))
    table["AttributeDefinitions"].insert(position, {"AttributeName": "zz", "AttributeType": "N"})
    if not table.get(GLOBAL) and not table.get(LOCAL):
        return (
            f"{INVALID}Number of attributes in KeySchema does not exactly match number of attributes defined in "
            "AttributeDefinitions"
        )
    defined, used = names_of(table["AttributeDefinitions"]), sorted(used_by(table))
    return (
        f"{INVALID}Some AttributeDefinitions are not used. AttributeDefinitions: [{', '.join(defined)}], keys used: "
        f"[{', '.join(used)}]"
    )


@_of_creation(r"Cannot have two attributes with the same name", "[seen]")
def definition_twice(draw: Draw, table: Table) -> str:
    again = draw(st.sampled_from(table["AttributeDefinitions"]))
    kind = draw(st.sampled_from(["S", "N", "B"]))
    table["AttributeDefinitions"].append({"AttributeName": again["AttributeName"], "AttributeType": kind})
    return f"Attribute Name is duplicated: {again['AttributeName']}"


@_of_creation(r"Member must satisfy enum value set: \[B, N, S\]", "[suite]")
def unknown_type(draw: Draw, table: Table) -> str:
    number = draw(st.integers(1, len(table["AttributeDefinitions"])))
    table["AttributeDefinitions"][number - 1]["AttributeType"] = "X"
    return constraint(f"attributeDefinitions.{number}.member.attributeType", "'X'", "satisfy enum value set: [B, N, S]")


@_of_creation(UNDEFINED, "[api]")
def no_definitions(draw: Draw, table: Table) -> str:
    del table["AttributeDefinitions"]
    return constraint("attributeDefinitions", "null", "not be null")


@_of_creation(NO_KEYS, "[api]")
def no_keys(draw: Draw, table: Table) -> str:
    if draw(st.booleans()):
        table["KeySchema"] = []
        return constraint("keySchema", "'[]'", "have length greater than or equal to 1")
    del table["KeySchema"]
    return constraint("keySchema", "null", "not be null")


@_of_creation(TOO_BIG, "[suite]")
def three_keys(draw: Draw, table: Table) -> str:
    table["KeySchema"] = schema(("pk", "HASH"), ("sk", "RANGE"), ("zz", draw(st.sampled_from(["HASH", "RANGE"]))))
    define_used(table)
    return constraint("keySchema", told(table["KeySchema"]), "have length less than or equal to 2")


@_of_creation(None, "[api] Local does not look at it")
def unknown_role(draw: Draw, table: Table) -> str:
    assume(len(table["KeySchema"]) == 2 and not table.get(LOCAL))
    table["KeySchema"][1]["KeyType"] = "SORT"
    return constraint("keySchema.2.member.keyType", "'SORT'", "satisfy enum value set: [HASH, RANGE]")


@_of_creation(f"{NO_HASH}|{ORDER}", "[seen]")
def sort_key_first(draw: Draw, table: Table) -> str:
    table.pop(LOCAL, None)
    table["KeySchema"] = [
        {**key, "KeyType": role}
        for key, role in zip(table["KeySchema"], ("RANGE", draw(st.sampled_from(["HASH", "RANGE"]))), strict=False)
    ]
    define_used(table)
    return "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"


@_of_creation(TWO_HASHES, "[seen]")
def two_partition_keys(draw: Draw, table: Table) -> str:
    assume(len(table["KeySchema"]) == 2 and not table.get(LOCAL))
    table["KeySchema"][1]["KeyType"] = "HASH"
    return "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"


@_of_creation(SAME, "[seen]")
def one_attribute_for_both_keys(draw: Draw, table: Table) -> str:
    table.pop(LOCAL, None)
    table["KeySchema"] = schema(("pk", "HASH"), ("pk", "RANGE"))
    define_used(table)
    if len(table["AttributeDefinitions"]) == 1:
        return "Invalid KeySchema: Some index key attribute have no definition"
    return "Both the Hash Key and the Range Key element in the KeySchema have the same name"


@_of_creation(NAMES_RULE, "[suite]")
def wrong_name(draw: Draw, table: Table) -> str:
    name, rule = draw(st.sampled_from(WRONG_NAMES))
    table["TableName"] = name
    return constraint("tableName", f"'{name}'", rule)


WRONG_NAMES = [
    ("ab", "have length greater than or equal to 3"),
    ("x" * 256, "have length less than or equal to 255"),
    ("a table", "satisfy regular expression pattern: [a-zA-Z0-9_.-]+"),
]

# -------------------------------------------------------------------------------------------------------- capacity


@_of_creation(None, "[seen] Local does not look at it")
def units_on_demand(draw: Draw, table: Table) -> str:
    table["ProvisionedThroughput"] = dict(UNITS)
    return f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"


@_of_creation(r"No provisioned throughput specified for the table", "[seen]")
def no_units(draw: Draw, table: Table) -> str:
    provision(table)
    del table["ProvisionedThroughput"]
    if draw(st.booleans()):
        del table["BillingMode"]
    return f"{INVALID}ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"


@_of_creation(UNITS_RULE, "[seen]")
def units_below_one(draw: Draw, table: Table) -> str:
    provision(table)
    unit, value = draw(st.sampled_from(sorted(UNITS))), draw(st.sampled_from([0, -1]))
    table["ProvisionedThroughput"][unit] = value
    path = f"provisionedThroughput.{unit[0].lower()}{unit[1:]}"
    return constraint(path, f"'{value}'", "have value greater than or equal to 1")


@_of_creation(UNITS_RULE, "[seen]")
def one_unit_missing(draw: Draw, table: Table) -> str:
    provision(table)
    unit = draw(st.sampled_from(sorted(UNITS)))
    del table["ProvisionedThroughput"][unit]
    return constraint(f"provisionedThroughput.{unit[0].lower()}{unit[1:]}", "null", "not be null")


@_of_creation(r"No provisioned throughput specified for the global secondary index", "[seen]")
def index_without_units(draw: Draw, table: Table) -> str:
    provision(table)
    index, _ = an_index(draw, table, GLOBAL)
    del index["ProvisionedThroughput"]
    return f"{INVALID}ProvisionedThroughput is not specified for index: {index['IndexName']}"


@_of_creation(None, "[seen] Local does not look at it")
def index_units_on_demand(draw: Draw, table: Table) -> str:
    index, _ = an_index(draw, table, GLOBAL)
    index["ProvisionedThroughput"] = dict(UNITS)
    name = index["IndexName"]
    return (
        f"{INVALID}ProvisionedThroughput should not be specified for index: {name} when BillingMode is PAY_PER_REQUEST"
    )


@_of_creation(None, "[seen] Local does not look at it")
def limits_of_a_provisioned_table(draw: Draw, table: Table) -> str:
    provision(table)
    maximum = draw(st.sampled_from(["MaxReadRequestUnits", "MaxWriteRequestUnits"]))
    table["OnDemandThroughput"] = {maximum: 7}
    return f"{INVALID}{maximum} for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED."


@_of_creation(rf"{UNITS_RULE}|", "[seen] Local refuses none but zero")
def limits_out_of_range(draw: Draw, table: Table) -> str:
    table["OnDemandThroughput"] = {"MaxReadRequestUnits": draw(st.sampled_from([0, -1, -2]))}
    return f"{INVALID}Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range"


@_of_creation(None, "[seen] Local does not look at it")
def less_warmth_than_at_first(draw: Draw, table: Table) -> str:
    table["WarmThroughput"] = {"ReadUnitsPerSecond": draw(st.sampled_from([1, 11_999]))}
    return (
        f"{INVALID}Requested ReadUnitsPerSecond for WarmThroughput for table is lower than initial throughput for "
        "OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html"
        "#on-demand-capacity-mode-initial"
    )


@_of_creation(None, "[seen] Local does not look at it")
def less_warmth_than_units(draw: Draw, table: Table) -> str:
    provision(table)
    table["WarmThroughput"] = {"WriteUnitsPerSecond": 1}
    return (
        f"{INVALID}Requested WriteUnitsPerSecond for WarmThroughput for table is lower than WriteCapacityUnits of "
        "ProvisionedThroughput"
    )


# --------------------------------------------------------------------------------------------------------- indexes


@_of_creation(NAMES_RULE, "[seen]")
def wrong_index_name(draw: Draw, table: Table) -> str:
    index, path = an_index(draw, table)
    name, rule = draw(st.sampled_from(WRONG_NAMES))
    index["IndexName"] = name
    return constraint(f"{path}.indexName", f"'{name}'", rule)


@_of_creation(
    r"Two (global|local) secondary indices have the same name"
    r"|Local Secondary Indices AND Global Secondary Indices must have different names",
    "[suite]",
)
def index_name_twice(draw: Draw, table: Table) -> str:
    index, _ = an_index(draw, table, GLOBAL)
    if table.get(LOCAL) and draw(st.booleans()):
        table[LOCAL][0]["IndexName"] = index["IndexName"]
    else:
        table[GLOBAL].append(dict(index))
    return f"{INVALID}Duplicate index name: {index['IndexName']}"


@_of_creation(r"Indexes must have a projection specified", "[seen]")
def no_projection(draw: Draw, table: Table) -> str:
    index, path = an_index(draw, table)
    if draw(st.booleans()):
        index["Projection"] = {}
        return f"{INVALID}Unknown ProjectionType: null"
    del index["Projection"]
    return constraint(f"{path}.projection", "null", "not be null")


@_of_creation(r"Projection type must be INCLUDE, ALL, or KEYS_ONLY", "[seen]")
def unknown_projection(draw: Draw, table: Table) -> str:
    index, path = an_index(draw, table)
    index["Projection"] = {"ProjectionType": "all"}
    rule = "satisfy enum value set: [ALL, INCLUDE, KEYS_ONLY]"
    return constraint(f"{path}.projection.projectionType", "'all'", rule)


@_of_creation(
    r"If Projection type INCLUDE is specified, some non-key attributes to include in the projection must be specified "
    r"as well",
    "[seen]",
)
def nothing_included(draw: Draw, table: Table) -> str:
    index, path = an_index(draw, table)
    projection: dict[str, Any] = {"ProjectionType": "INCLUDE"}
    index["Projection"] = projection
    if draw(st.booleans()):
        return f"{INVALID}ProjectionType is INCLUDE, but NonKeyAttributes is not specified"
    projection["NonKeyAttributes"] = []
    return constraint(f"{path}.projection.nonKeyAttributes", "'[]'", "have length greater than or equal to 1")


@_of_creation(r"No attributes should be specified to be projected unless projection type is INCLUDE", "[seen]")
def included_for_nothing(draw: Draw, table: Table) -> str:
    index, _ = an_index(draw, table)
    kind = draw(st.sampled_from(["ALL", "KEYS_ONLY"]))
    index["Projection"] = {"ProjectionType": kind, "NonKeyAttributes": ["x"]}
    return f"{INVALID}ProjectionType is {kind}, but NonKeyAttributes is specified"


@_of_creation(r"Cannot have two attributes with the same name", "[seen]")
def included_twice(draw: Draw, table: Table) -> str:
    index, _ = an_index(draw, table)
    index["Projection"] = {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x", "y", "x"]}
    return f"{INVALID}Duplicate element in NonKeyAttributes: x"


@_of_creation(None, "[api] Local takes more")
def too_many_included(draw: Draw, table: Table) -> str:
    index, path = an_index(draw, table, GLOBAL)
    names = [f"x{number}" for number in range(21)]
    index["Projection"] = {"ProjectionType": "INCLUDE", "NonKeyAttributes": names}
    return constraint(
        f"{path}.projection.nonKeyAttributes", f"'[{', '.join(names)}]'", "have length less than or equal to 20"
    )


@_of_creation(f"{NO_HASH}|{ORDER}", "[seen]")
def index_sort_key_first(draw: Draw, table: Table) -> str:
    index, _ = an_index(draw, table, GLOBAL)
    index["KeySchema"] = schema(("b", "RANGE"), ("c", draw(st.sampled_from(["HASH", "RANGE"]))))[
        : draw(st.integers(1, 2))
    ]
    define_used(table)
    return "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"


@_of_creation(ORDER, "[seen]")
def index_partition_key_behind(draw: Draw, table: Table) -> str:
    index, _ = an_index(draw, table, GLOBAL)
    index["KeySchema"] = schema(("b", "HASH"), ("c", "RANGE"), ("d", "HASH"))
    define_used(table)
    return f"{INVALID}All HASH key attributes must precede RANGE key attributes in the KeySchema"


@_of_creation(r"Too many (partition|sort) keys\. GSI can have at most 4 (partition|sort) keys", "[seen]")
def five_keys_of_a_kind(draw: Draw, table: Table) -> str:
    index, _ = an_index(draw, table, GLOBAL)
    role = draw(st.sampled_from(["HASH", "RANGE"]))
    first = [] if role == "HASH" else [("a0", "HASH")]
    index["KeySchema"] = schema(*first, *((f"b{number}", role) for number in range(5)))
    define_used(table)
    return f"{INVALID}The KeySchema exceeds the maximum allowed number of {role} key attributes"


@_of_creation(SAME, "[seen]")
def index_key_twice(draw: Draw, table: Table) -> str:
    index, _ = an_index(draw, table, GLOBAL)
    index["KeySchema"] = schema(("b", "HASH"), ("c", "RANGE"), (draw(st.sampled_from("bc")), "RANGE"))
    define_used(table)
    return "The KeySchema contains multiple key attributes with the same name"


@_of_creation(NO_KEYS, "[api]")
def index_without_keys(draw: Draw, table: Table) -> str:
    index, path = an_index(draw, table)
    index["KeySchema"] = []
    define_used(table)
    return constraint(f"{path}.keySchema", "'[]'", "have length greater than or equal to 1")


@_of_creation(r"Local secondary indices must have a range key", "[seen]")
def local_index_without_sort_key(draw: Draw, table: Table) -> str:
    index, _ = an_index(draw, table, LOCAL)
    index["KeySchema"] = index["KeySchema"][:1]
    define_used(table)
    return f"{INVALID}Index KeySchema does not have a range key for index: {index['IndexName']}"


@_of_creation(r"Local Secondary indices must have the same hash key as the main table", "[seen]")
def local_index_elsewhere(draw: Draw, table: Table) -> str:
    index, _ = an_index(draw, table, LOCAL)
    index["KeySchema"] = schema(("e", "HASH"), ("d", "RANGE"))
    define_used(table)
    return (
        f"{INVALID}Index KeySchema does not have the same leading hash key as table KeySchema for index: "
        f"{index['IndexName']}. index hash key: e, table hash key: pk"
    )


@_of_creation(r"Local Secondary indices are not allowed on hash tables, only hash and range tables", "[suite]")
def local_index_of_a_hash_table(draw: Draw, table: Table) -> str:
    an_index(draw, table, LOCAL)
    table["KeySchema"] = table["KeySchema"][:1]
    define_used(table)
    return (
        f"{INVALID}Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex"
    )


@_of_creation(r"Cannot have more than 5 local secondary indexes per table", "[seen]")
def six_local_indexes(draw: Draw, table: Table) -> str:
    index, _ = an_index(draw, table, LOCAL)
    table[LOCAL] = [{**index, "IndexName": f"Loc{number}"} for number in range(6)]
    return f"{INVALID}Number of LocalSecondaryIndexes exceeds per-table limit of 5"


@_of_creation(r"GlobalSecondaryIndex count exceeds the per-table limit", "[seen]")
def many_global_indexes(draw: Draw, table: Table) -> str:
    index, _ = an_index(draw, table, GLOBAL)
    index["Projection"] = {"ProjectionType": "ALL"}
    table[GLOBAL] = [{**index, "IndexName": f"Glo{number}"} for number in range(21)]
    define_used(table)
    return f"{INVALID}GlobalSecondaryIndex count exceeds the per-table limit of 20"


@_of_creation(r"GSI list is empty/invalid|", "[seen] Local looks at the global ones alone")
def empty_list_of_indexes(draw: Draw, table: Table) -> str:
    member = draw(st.sampled_from([GLOBAL, LOCAL]))
    table[member] = []
    define_used(table)
    return f"{INVALID}List of {member} is empty"


# --------------------------------------------------------------------------------------------------------- settings


@_of_creation(r"Invalid StreamViewType: Stream ViewType must not be null or empty when enabling streams\.", "[seen]")
def stream_without_view(draw: Draw, table: Table) -> str:
    table["StreamSpecification"] = {"StreamEnabled": True}
    return f"{INVALID}Table is being created with a stream enabled, UpdateViewType is required"


@_of_creation(r"Invalid StreamViewType: Stream StreamEnabled was false but a StreamViewType was present\.", "[seen]")
def view_without_stream(draw: Draw, table: Table) -> str:
    table["StreamSpecification"] = {"StreamEnabled": False, "StreamViewType": "NEW_IMAGE"}
    return f"{INVALID}Table is being created with a stream disabled, UpdateViewType should not be specified"


@_of_creation(None, "[seen] Local does not look at it")
def unknown_view(draw: Draw, table: Table) -> str:
    table["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": "X"}
    rule = "satisfy enum value set: [OLD_IMAGE, KEYS_ONLY, NEW_AND_OLD_IMAGES, NEW_IMAGE]"
    return constraint("streamSpecification.streamViewType", "'X'", rule)


@_of_creation(None, "[seen] Local does not look at it")
def wrong_encryption(draw: Draw, table: Table) -> str:
    wrong = {
        "SSEType AES256 is not supported": {"Enabled": True, "SSEType": "AES256"},
        "SSEType can not be specified if Enabled is false": {"Enabled": False, "SSEType": "KMS"},
        "KMSMasterKeyId can not be specified if Enabled is false": {"Enabled": False, "KMSMasterKeyId": "k"},
        "SSEType KMS is required if KMSMasterKeyId is specified": {"Enabled": True, "KMSMasterKeyId": "k"},
    }
    words = draw(st.sampled_from(sorted(wrong)))
    table["SSESpecification"] = wrong[words]
    return f"{INVALID}{words}"


@_of_creation(None, "[seen] Local does not look at it")
def unknown_class(draw: Draw, table: Table) -> str:
    table["TableClass"] = "COLD"
    return (
        "Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, "
        "STANDARD_INFREQUENT_ACCESS]."
    )


@_of_creation(None, "[seen] Local does not look at it")
def wrong_tags(draw: Draw, table: Table) -> str:
    tag = {"Key": "a", "Value": "b"}
    wrong = {
        "Duplicate Tag Keys provided as input: Duplicate Tag Key found a": [tag, tag],
        "Tag Key cannot be prefixed with aws:, Key: aws:a": [{**tag, "Key": "aws:a"}],
        "The Tag Key provided is invalid, Key: ": [{**tag, "Key": ""}],
    }
    words: str = draw(st.sampled_from(sorted(wrong)))
    table["Tags"] = wrong[words]
    return words
