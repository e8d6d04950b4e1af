"""IAM's rules, in short: what requests ask permission for, and whether a policy allows it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from msgspec import Struct

from tablewright import (
    Session,
    Table,
)
from tablewright.engine import open_engine
from tablewright.engine.faults import Watched
from tablewright.generate.iam.policies import Policy, table_arn
from tablewright.model.table import TableModel


class Asked(Struct):
    """One thing that a request asks permission for."""

    action: str
    resource: str
    keys: dict[str, list[str]]


ORDINALS = ("First", "Second", "Third", "Fourth")


def asked(table: TableModel, operation: str, request: Mapping[str, Any]) -> list[Asked]:
    """What a request asks permission for, with the keys that DynamoDB tells IAM."""

    def one(action: str, values: list[list[str]], index: str = "") -> Asked:
        keys = {f"dynamodb:{n}PartitionKeyValues": v for n, v in zip(ORDINALS, values, strict=False)}
        keys["dynamodb:LeadingKeys"] = values[0]
        arn = f"arn:aws:dynamodb:eu-west-1:123456789012:table/{table.name}"
        return Asked(f"dynamodb:{action}", arn + (f"/index/{index}" if index else ""), keys)

    def leading(*items: Mapping[str, Any]) -> list[list[str]]:
        return [[text(item[table.pk.name]) for item in items]]

    match operation:
        case "GetItem" | "UpdateItem" | "DeleteItem":
            return [one(operation, leading(request["Key"]))]
        case "PutItem":
            return [one(operation, leading(request["Item"]))]
        case "Query":
            index = request.get("IndexName", "")
            wanted = table.indexes[index].pk if index else (table.pk,)
            names, values = request["ExpressionAttributeNames"], request["ExpressionAttributeValues"]
            equal = {names[n]: values[v] for n, v in re.findall(r"(#\w+) = (:\w+)", request["KeyConditionExpression"])}
            return [one(operation, [[text(equal[a.name])] for a in wanted], index)]
        case "BatchGetItem":
            return [one(operation, leading(*request["RequestItems"][table.name]["Keys"]))]
        case "BatchWriteItem":
            parts = [next(iter(part.values())) for part in request["RequestItems"][table.name]]
            return [one(operation, leading(*(p.get("Item") or p["Key"] for p in parts)))]
        case "TransactWriteItems":
            found = []
            for part in request["TransactItems"]:
                ((kind, body),) = part.items()
                found.append(one(f"{kind}Item", leading(body.get("Item") or body["Key"])))
            return found
    raise AssertionError(operation)


def text(value: Mapping[str, Any]) -> str:
    (found,) = value.values()
    return str(found)


def allows(document: Mapping[str, Any], wanted: Asked, variables: Mapping[str, str] = {}) -> bool:
    """Whether a policy allows something."""
    return any(
        any(like(a, wanted.action, variables) for a in several(statement["Action"]))
        and any(like(r, wanted.resource, variables) for r in several(statement["Resource"]))
        and all(holds(operator, keys, wanted, variables) for operator, keys in statement.get("Condition", {}).items())
        for statement in document["Statement"]
    )


def holds(operator: str, keys: Mapping[str, Any], wanted: Asked, variables: Mapping[str, str]) -> bool:
    for name, expected in keys.items():
        there = wanted.keys.get(name)
        if operator == "Null":
            if (there is None) is not (expected == "true"):
                return False
        else:
            assert operator in ("ForAllValues:StringLike", "ForAllValues:StringNotLike")
            wanted_so = operator == "ForAllValues:StringLike"
            if any(any(like(e, value, variables) for e in several(expected)) is not wanted_so for value in there or []):
                return False
    return True


def like(pattern: str, value: str, variables: Mapping[str, str]) -> bool:
    """A text with wildcards and variables; those of one character stand for themselves."""
    found = ""
    parts: list[str] = re.findall(r"\$\{[^}]+\}|.", pattern, re.DOTALL)
    for part in parts:
        if part.startswith("${"):
            name = part[2:-1]
            if len(name) > 1 and name not in variables:
                return False
            found += re.escape(variables.get(name, name))
        else:
            found += {"*": ".*", "?": "."}.get(part, re.escape(part))
    return re.fullmatch(found, value, re.DOTALL) is not None


def several(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


@contextmanager
def sending(table: Table) -> Iterator[tuple[Session, Callable[[], list[Asked]]]]:
    """A session, and a function that gives what was asked since it was last called."""
    seen: list[Asked] = []
    with open_engine("memory:") as engine, table.open(engine) as db:

        def note(watched: Watched) -> None:
            seen.extend(asked(table, watched.operation, watched.request))

        def told() -> list[Asked]:
            found = list(seen)
            seen.clear()
            return found

        with engine.faults.watch(note):
            yield db, told


def actions(policy: Policy) -> set[str]:
    return {a for statement in policy.statements for a in statement.actions}


def check(policy: Policy, table: Table, requests: list[Asked]) -> None:
    """The policy allows all of it."""
    document = policy.document(table_arn(table))
    assert requests
    for request in requests:
        assert allows(document, request), request
