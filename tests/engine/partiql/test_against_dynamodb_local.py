"""Random statements over random items give the same answers here and on AWS's own DynamoDB Local.

Where Local is known to differ from the service, the service decides; `kept_apart` says where that is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablewright.engine import Engine, open_engine
from tablewright.errors import ServiceError, TransactionCanceled

Reference = Callable[[str, dict[str, Any]], tuple[str, dict[str, Any]]]
Answer = tuple[str, dict[str, Any]]
NAME = "Compared"

# --------------------------------------------------------------------------------- statements as parts: text and values

Literal = tuple[str, dict[str, Any]]
Part = str | Literal
Parts = tuple[Part, ...]

STRINGS: list[Literal] = [("'x'", {"S": "x"}), ("'xy'", {"S": "xy"}), ("'it''s'", {"S": "it's"}), ("''", {"S": ""})]
NUMBERS: list[Literal] = [("1", {"N": "1"}), ("2.5", {"N": "2.5"}), ("-1e1", {"N": "-10"}), ("0", {"N": "0"})]
OTHERS: list[Literal] = [
    ("true", {"BOOL": True}),
    ("NULL", {"NULL": True}),
    ("[1, 'x']", {"L": [{"N": "1"}, {"S": "x"}]}),
    ("{'a': 'x'}", {"M": {"a": {"S": "x"}}}),
    ("<<'x', 'y'>>", {"SS": ["x", "y"]}),
    ("<<1, 2>>", {"NS": ["1", "2"]}),
]
literals = st.sampled_from(STRINGS + NUMBERS + OTHERS)
ordered_literals = st.sampled_from(STRINGS + NUMBERS)
partitions = st.sampled_from([("'a'", {"S": "a"}), ("'b'", {"S": "b"})])
sorts = st.sampled_from([("1", {"N": "1"}), ("2", {"N": "2"}), ("3", {"N": "3"})])
paths = st.sampled_from(["v", "w", '"v"', "m.a", 'm."b"', "l[0]", "l[1]", "none", "v.x"])


def join(*parts: Part | Parts) -> Parts:
    flat: list[Part] = []
    for part in parts:
        if isinstance(part, str) or (len(part) == 2 and isinstance(part[1], dict)):
            flat.append(part)
        else:
            flat.extend(part)
    return tuple(flat)


operators = st.sampled_from(["=", "<>", "!=", "<", "<=", ">", ">="])
predicates: st.SearchStrategy[Parts] = st.one_of(
    st.builds(lambda path, op, value: join(path, op, value), paths, operators, literals),
    st.builds(lambda value, op, path: join(value, op, path), literals, operators, paths),
    st.builds(
        lambda path, low, high: join(path, "BETWEEN", low, "AND", high), paths, ordered_literals, ordered_literals
    ),
    st.builds(lambda path, a, b: join(path, "IN [", a, ",", b, "]"), paths, literals, literals),
    st.builds(
        lambda path, kind: join(f"{path} IS {kind}"),
        paths,
        st.sampled_from(["MISSING", "NOT MISSING", "NULL", "NOT NULL", "STRING", "LIST", "STRUCT", "NUMERIC", "BOOL"]),
    ),
    st.builds(lambda path, value: join(f"begins_with({path},", value, ")"), paths, literals),
    st.builds(lambda path, value: join(f"contains({path},", value, ")"), paths, literals),
    st.builds(lambda path, op, value: join(f"size({path}) {op}", value), paths, operators, ordered_literals),
    st.builds(
        lambda path, tag: join(f"attribute_type({path}, '{tag}')"),
        paths,
        st.sampled_from(["S", "N", "L", "M", "SS", "NULL"]),
    ),
    st.builds(
        lambda name, path: join(f"{name}({path})"), st.sampled_from(["attribute_exists", "attribute_not_exists"]), paths
    ),
    st.builds(lambda a, op, b: join(f"{a} {op} {b}"), paths, operators, paths),
)
conditions = st.recursive(
    predicates,
    lambda inner: st.one_of(
        st.builds(lambda a, op, b: join("(", a, op, b, ")"), inner, st.sampled_from(["AND", "OR"]), inner),
        st.builds(lambda a: join("NOT (", a, ")"), inner),
    ),
    max_leaves=3,
)
key_conditions: st.SearchStrategy[Parts] = st.one_of(
    st.builds(lambda pk: join("pk =", pk), partitions),
    st.builds(lambda pk, sk: join("pk =", pk, "AND sk =", sk), partitions, sorts),
    st.builds(
        lambda pk, op, sk: join("pk =", pk, f"AND sk {op}", sk),
        partitions,
        st.sampled_from(["<", "<=", ">", ">=", "<>"]),
        sorts,
    ),
    st.builds(lambda pk, low, high: join("pk =", pk, "AND sk BETWEEN", low, "AND", high), partitions, sorts, sorts),
    st.builds(lambda sk: join("pk IN ['a', 'b'] AND sk =", sk), sorts),
    st.just(join("pk IN ['b', 'a']")),
    st.just(join("(pk = 'a' AND sk = 1) OR (pk = 'b' AND sk > 1)")),
)
columns = st.sampled_from(
    ["*", "pk, sk", "v, w, pk, sk", "m.a, l[1], sk, pk", "none, m.b, pk, sk", "l[0], l[1], pk, sk", "m, m.a", "v, v"]
)
orders = st.sampled_from(["", "", " ORDER BY sk", " ORDER BY sk DESC", " ORDER BY w"])
selects: st.SearchStrategy[Parts] = st.one_of(
    st.builds(lambda c, w: join(f"SELECT {c} FROM {NAME} WHERE", w), columns, conditions),
    st.builds(lambda c, w: join(f"SELECT {c} FROM {NAME} WHERE", w), columns, key_conditions),
    st.builds(
        lambda c, k, w: join(f"SELECT {c} FROM {NAME} WHERE (", k, ") AND", w), columns, key_conditions, conditions
    ),
    st.builds(lambda pk, order: join(f"SELECT pk, sk FROM {NAME} WHERE pk =", pk, order), partitions, orders),
    st.builds(lambda pk: join(f"SELECT * FROM {NAME}.ByI WHERE pk =", pk), partitions),
)
values = st.one_of(
    literals,
    st.sampled_from(
        [
            "v",
            "w",
            "none",
            "v + 1",
            "1 + w",
            "v - w",
            "v + 1 + 1",
            "list_append(l, [1])",
            "list_append([1], l)",
            "if_not_exists(none, 5)",
            "if_not_exists(v, w)",
            "m.a",
            "v * 2",
            "size(v)",
        ]
    ),
)
targets = st.sampled_from(["v", "w", '"new"', "m.a", "m.z", "l[0]", "l[9]", "none.x", "i", "l", "m"])
actions: st.SearchStrategy[Parts] = st.one_of(
    st.builds(lambda target, value: join(f"SET {target} =", value), targets, values),
    st.builds(lambda target: join(f"REMOVE {target}"), targets),
    st.builds(
        lambda f, target, value: join(f"SET {target} = {f}({target},", value, ")"),
        st.sampled_from(["set_add", "set_delete"]),
        st.sampled_from(["v", "s", "new"]),
        st.sampled_from([OTHERS[4], OTHERS[5]]),
    ),
)
guards = st.one_of(st.just(join("")), st.builds(lambda w: join("AND", w), conditions))
updates: st.SearchStrategy[Parts] = st.builds(
    lambda done, pk, sk, guard, returning: join(
        f"UPDATE {NAME}", *done, "WHERE pk =", pk, "AND sk =", sk, guard, returning
    ),
    st.lists(actions, min_size=1, max_size=2),
    partitions,
    sorts,
    guards,
    st.sampled_from(
        ["", "RETURNING ALL OLD *", "RETURNING ALL NEW *", "RETURNING MODIFIED OLD *", "RETURNING MODIFIED NEW *"]
    ),
)
deletes: st.SearchStrategy[Parts] = st.builds(
    lambda pk, sk, guard, returning: join(f"DELETE FROM {NAME} WHERE pk =", pk, "AND sk =", sk, guard, returning),
    partitions,
    sorts,
    guards,
    st.sampled_from(["", "RETURNING ALL OLD *", "RETURNING ALL NEW *"]),
)
inserts: st.SearchStrategy[Parts] = st.builds(
    lambda pk, sk, members: join(
        f"INSERT INTO {NAME} VALUE {{'pk':",
        pk,
        ", 'sk':",
        sk,
        *(join(f", '{name}':", value) for name, value in members.items()),
        "}",
    ),
    partitions,
    sorts,
    st.dictionaries(st.sampled_from(["v", "w", "i", "s"]), literals, max_size=3),
)
statements = st.tuples(st.one_of(selects, selects, updates, deletes, inserts), st.booleans())
items = st.fixed_dictionaries(
    {
        "pk": partitions.map(lambda pair: pair[1]),
        "sk": sorts.map(lambda pair: pair[1]),
        "m": st.sampled_from([{"M": {"a": {"S": "x"}, "b": {"N": "1"}}}, {"S": "no map"}]),
        "l": st.sampled_from([{"L": [{"N": "1"}, {"S": "x"}]}, {"L": []}]),
    },
    optional={
        "v": literals.map(lambda pair: pair[1]),
        "w": literals.map(lambda pair: pair[1]),
        "i": st.sampled_from([{"S": "x"}, {"S": "y"}]),
        "s": st.sampled_from([{"SS": ["x", "z"]}, {"NS": ["2"]}]),
    },
)


def rendered(parts: Parts, as_parameters: bool) -> dict[str, Any]:
    words: list[str] = []
    parameters: list[dict[str, Any]] = []
    for part in parts:
        if isinstance(part, str):
            words.append(part)
        elif as_parameters:
            words.append("?")
            parameters.append(part[1])
        else:
            words.append(str(part[0]))
    request: dict[str, Any] = {"Statement": " ".join(words)}
    return {**request, "Parameters": parameters} if parameters else request


# ------------------------------------------------------------------------------------------------ what is compared

OURS = (
    # The service takes a condition apart into ranges of keys, which may not overlap; Local filters.
    "Overlapping conditions with range keys",
    # Local takes every ORDER BY on a key; the service asks for a condition on the partition key.
    "Must have at least one non-optional hash key condition",
)
LOCAL = (
    # A defect of Local's, which the service does not have.
    "The request processing has failed because of an unknown error",
    # Local refuses keys of another type in filters as well; the service finds nothing.
    "Condition parameter type does not match schema type",
)
FOUND_IN_THE_ITEM = (
    "An operand in the update expression has an incorrect data type",
    "The document path provided in the update expression is invalid for update",
    "The provided expression refers to an attribute that does not exist in the item",
)
SAME = {
    "Invalid attribute value type": "Type mismatch for Index Key",
    "Input collection contains duplicates": "One or more parameter values were invalid: Input collection",
    "One or more parameter values were invalid: Type mismatch for Index Key": "Type mismatch for Index Key",
}


def kept_apart(statement: str, here: Answer, there: Answer) -> bool:
    """Whether an answer of Local's is known to be another than the service's."""
    ours, theirs = str(here[1].get("message", "")), str(there[1].get("message") or there[1].get("Message") or "")
    if any(part in ours for part in OURS) or any(part in theirs for part in LOCAL):
        return True
    # Of two actions that the item does not allow, either may be told first.
    if ours in FOUND_IN_THE_ITEM and theirs in FOUND_IN_THE_ITEM and len(re.findall("SET |REMOVE ", statement)) > 1:
        return True
    # Local returns whole attributes where a part of one was modified.
    return "MODIFIED" in statement and ("." in statement or "[" in statement) and not ours and not theirs


def simplified(answer: Answer) -> Any:
    """An answer without what has no order or no fixed wording."""
    name, body = answer
    if not name:
        return sorted(json.dumps(ordered(item), sort_keys=True) for item in body["Items"])
    message = str(body.get("message") or body.get("Message"))
    # Local tells positions in fewer cases, and never the way to a value.
    # It repeats the statement where the service says what is wrong with it.
    message = re.sub(r"(can't be processed: ).*", r"\1", message)
    message = re.sub(r" at \d+:\d+:\d+$| under (key )?root\S*", "", message)
    for theirs, ours in SAME.items():
        if message.startswith((theirs, ours)) or ours in message:
            message = ours
    message = re.sub(r"\{[A-Z,]+\}", "{}", message)
    message = message.replace("Variable reference", "Attribute")
    return ("DuplicateItemException" if name == "DuplicateItem" else name, message)


def ordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: sorted(v) if k in ("SS", "NS") else ordered(v) for k, v in value.items()}
    return [ordered(v) for v in value] if isinstance(value, list) else value


def ask(engine: Engine, operation: str, request: dict[str, Any]) -> Answer:
    try:
        return "", engine.execute(operation, request)
    except ServiceError as error:
        return error.wire_name, {"message": error.message}


DEFINITION: dict[str, Any] = {
    "TableName": NAME,
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": tag} for name, tag in (("pk", "S"), ("sk", "N"), ("i", "S"))
    ],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "LocalSecondaryIndexes": [
        {
            "IndexName": "ByI",
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "i", "KeyType": "RANGE"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
}


def run(reference: Reference, name: str, stored: list[Any], wanted: list[tuple[Parts, bool]]) -> None:
    keys = [{"pk": {"S": pk}, "sk": {"N": str(sk)}} for pk in "ab" for sk in (1, 2, 3)]
    with open_engine("memory:") as engine:
        engine.execute("CreateTable", {**DEFINITION, "TableName": name})
        clear = [{"DeleteRequest": {"Key": key}} for key in keys]
        reference("BatchWriteItem", {"RequestItems": {name: clear}})
        for item in stored:
            assert reference("PutItem", {"TableName": name, "Item": item})[0] == ""
            engine.execute("PutItem", {"TableName": name, "Item": item})
        for parts, as_parameters in wanted:
            request = rendered(parts, as_parameters)
            request["Statement"] = request["Statement"].replace(NAME, f'"{name}"')
            here, there = ask(engine, "ExecuteStatement", request), reference("ExecuteStatement", request)
            if not there[0] and "for Index Key" in str(here[1].get("message")):
                # Local lets updates write any type into the key of a local index; from here on the items differ.
                return
            if not kept_apart(request["Statement"], here, there):
                assert simplified(here) == simplified(there), request
            if "ORDER BY sk" in request["Statement"] and not here[0] and not there[0]:
                assert here[1]["Items"] == there[1]["Items"], request
            assert bool(here[0]) == bool(there[0]) or request["Statement"].startswith("SELECT"), request
        scan = {"TableName": name}
        assert simplified(ask(engine, "Scan", scan)) == simplified(reference("Scan", scan)), wanted


@pytest.fixture
def table(reference: Reference, fresh_table_name: str) -> str:
    """A fresh table at DynamoDB Local."""
    assert reference("CreateTable", {**DEFINITION, "TableName": fresh_table_name})[0] == ""
    return fresh_table_name


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(stored=st.lists(items, max_size=4), wanted=st.lists(statements, min_size=1, max_size=5))
def test_random_statements(
    reference: Reference, table: str, stored: list[Any], wanted: list[tuple[Parts, bool]]
) -> None:
    run(reference, table, stored, wanted)


@pytest.mark.full
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(stored=st.lists(items, max_size=5), wanted=st.lists(statements, min_size=1, max_size=12))
def test_many_random_statements(
    reference: Reference, table: str, stored: list[Any], wanted: list[tuple[Parts, bool]]
) -> None:
    run(reference, table, stored, wanted)


# ------------------------------------------------------------------------------------------------ several at once

writes = st.one_of(updates, deletes, inserts).map(lambda parts: rendered(parts, as_parameters=False)["Statement"])


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(stored=st.lists(items, max_size=3), statements=st.lists(writes, min_size=1, max_size=3))
def test_random_transactions(reference: Reference, table: str, stored: list[Any], statements: list[str]) -> None:
    """The same transactions succeed here and there; where both say why not, they say the same."""
    keys = [{"pk": {"S": pk}, "sk": {"N": str(sk)}} for pk in "ab" for sk in (1, 2, 3)]
    request = {"TransactStatements": [{"Statement": one.replace(NAME, f'"{table}"')} for one in statements]}
    with open_engine("memory:") as engine:
        engine.execute("CreateTable", {**DEFINITION, "TableName": table})
        reference("BatchWriteItem", {"RequestItems": {table: [{"DeleteRequest": {"Key": key}} for key in keys]}})
        for item in stored:
            reference("PutItem", {"TableName": table, "Item": item})
            engine.execute("PutItem", {"TableName": table, "Item": item})
        name, body = reference("ExecuteTransaction", request)
        try:
            here: Answer = "", engine.execute("ExecuteTransaction", request)
        except TransactionCanceled as error:
            here = error.wire_name, {"CancellationReasons": [reason.code for reason in error.reasons]}
        except ServiceError as error:
            here = error.wire_name, {"message": error.message}
        assert bool(here[0]) == bool(name), (request, here, name, body)
        if name == here[0] == "TransactionCanceledException" and "CancellationReasons" in body:
            # Local calls a duplicate a ValidationError.
            codes = [code.replace("DuplicateItem", "ValidationError") for code in here[1]["CancellationReasons"]]
            assert codes == [reason["Code"] for reason in body["CancellationReasons"]], request
        scan = {"TableName": table}
        assert simplified(ask(engine, "Scan", scan)) == simplified(reference("Scan", scan)), request
