"""Policies of IAM for a table: for readers, writers and whoever migrates it, for each pattern and for each write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from tablewright.compiler.plan import TablePlan
from tablewright.generate.iam.needs import Need, Needs, of_change, of_pattern, of_writes
from tablewright.model.table import TableModel

_STAGE = "{stage}"
_READ = ("GetItem", "BatchGetItem", "Query")
_WRITE = ("PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem", "BatchWriteItem")
_MIGRATE = ("Scan", "DescribeTable", "UpdateTable", "DescribeTimeToLive", "UpdateTimeToLive")
_FOLLOW = ("DescribeStream", "GetShardIterator", "GetRecords")

Condition = Mapping[str, Mapping[str, Any]]


class Statement(Struct, frozen=True):
    """Actions that are allowed on resources, each named by what follows the table's ARN."""

    id: str
    actions: tuple[str, ...]
    resources: tuple[str, ...]
    condition: Condition | None = None


class Policy(Struct, frozen=True):
    """What is allowed, and what is to be known of it."""

    description: str
    statements: tuple[Statement, ...]
    notes: tuple[str, ...] = ()

    def document(self, arn: str) -> dict[str, Any]:
        """The policy as IAM takes it, for the table of this ARN."""
        return {"Version": "2012-10-17", "Statement": [_statement(s, arn) for s in self.statements]}


def table_arn(table: TableModel, stage: str | None = None) -> str:
    """The table's ARN, in any region. Without a stage, the table of the stage that a role has as its tag `stage`."""
    name = table.name.replace(_STAGE, stage or "${aws:PrincipalTag/stage}")
    return f"arn:aws:dynamodb:*:*:table/{name}"


def resource_of(index: str) -> str:
    """What follows the table's ARN for an index; nothing for the table."""
    return f"/index/{index}" if index else ""


def policy_of(needs: Needs, description: str) -> Policy:
    """A policy that allows just this."""
    by_resource: dict[str, list[str]] = {}
    for need in sorted(needs):
        by_resource.setdefault(need.index, []).append(need.action)
    by_actions: dict[tuple[str, ...], list[str]] = {}
    for index, actions in by_resource.items():
        by_actions.setdefault(tuple(actions), []).append(index)
    statements = [
        Statement(_id(indexes), actions, tuple(resource_of(index) for index in indexes))
        for actions, indexes in by_actions.items()
    ]
    return Policy(description, tuple(statements))


def _id(indexes: list[str]) -> str:
    return "Table" if indexes == [""] else "Indexes" if "" not in indexes else "TableAndIndexes"


def read_needs(plan: TablePlan) -> Needs:
    """All reads by keys of the table, and through the indexes that a pattern reads."""
    return frozenset(Need(action) for action in _READ).union(*(of_pattern(plan, name) for name in plan.patterns))


def write_needs(plan: TablePlan) -> Needs:
    """All reads and writes, and no scan."""
    return read_needs(plan) | {Need(action) for action in _WRITE}


def roles(plan: TablePlan) -> dict[str, Policy]:
    """The policies of whole roles, by their names."""
    indexes = [index.name for index in plan.table.indexes.values()]
    migrate = {Need(action) for action in _MIGRATE} | {Need("Query", index) for index in indexes}
    found = {
        "reader": policy_of(read_needs(plan), "Reads by keys and by every pattern; no scan, no write."),
        "writer": policy_of(write_needs(plan), "Reads, writes, batches and transactions; no scan."),
        "migration": policy_of(
            write_needs(plan) | migrate, "What a writer may, and scans and changes of the table's indexes."
        ),
    }
    if plan.table.stream is not None:
        follow = Statement("Stream", _FOLLOW, ("/stream/*",))
        found["stream"] = Policy("Reads the stream of changes, and not the table.", (follow,))
    return found


def patterns(plan: TablePlan) -> dict[str, Policy]:
    """The policy that each pattern needs."""
    return {
        name: policy_of(of_pattern(plan, name), f"The pattern {name}(): {pattern.doc}".rstrip(": "))
        for name, pattern in plan.table.patterns.items()
    }


def writes(plan: TablePlan) -> dict[str, Policy]:
    """The policy that each change needs, and each single write of an entity, as `Order.create`."""
    found = {
        name: policy_of(of_change(plan, change), f"The change {name}() of an item that is named by its key.")
        for name, change in plan.table.changes.items()
    }
    for entity in plan.entities.values():
        for method, needs in of_writes(entity).items():
            found[f"{entity.name}.{method}"] = policy_of(needs, f"{method}() of {entity.name}.")
    return found


def _statement(statement: Statement, arn: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        "Sid": statement.id,
        "Effect": "Allow",
        "Action": listed(f"dynamodb:{action}" for action in statement.actions),
        "Resource": listed(f"{arn}{resource}" for resource in statement.resources),
    }
    if statement.condition is not None:
        found["Condition"] = {operator: dict(keys) for operator, keys in statement.condition.items()}
    return found


def listed(values: Iterable[str]) -> list[str] | str:
    """One value, or the list of several."""
    found = list(values)
    return found[0] if len(found) == 1 else found
