"""Policies of IAM for a table: for readers, writers and whoever migrates it, for each pattern and for each write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keys import KeyPlan
from tablewright.compiler.plan import TablePlan
from tablewright.generate.iam.confining import Values, confined, known_values
from tablewright.generate.iam.needs import Need, Needs, need_of, of_change, of_pattern, of_writes
from tablewright.generate.iam.places import Place
from tablewright.model.table import TableModel

_READ = ("GetItem", "BatchGetItem", "Query")
_WRITE = ("PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem", "BatchWriteItem")
_MIGRATE = ("Scan", "DescribeTable", "UpdateTable", "DescribeTimeToLive", "UpdateTimeToLive")
_FOLLOW = ("DescribeStream", "GetShardIterator", "GetRecords")
_EVERYWHERE = "*"
"""Stands in place of a resource for actions that are of no table."""


class Statement(Struct, frozen=True):
    """Actions that are allowed on resources, each named by what follows the table's ARN."""

    id: str
    actions: tuple[str, ...]
    resources: tuple[str, ...]
    condition: Mapping[str, Mapping[str, Any]] | None = None


class Policy(Struct, frozen=True):
    """What is allowed, and what is to be known of it."""

    description: str
    statements: tuple[Statement, ...]
    notes: tuple[str, ...] = ()

    def document(self, arn: str) -> dict[str, Any]:
        """The policy as IAM takes it, for the table of this ARN."""
        return {"Version": "2012-10-17", "Statement": [_statement(s, arn) for s in self.statements]}


def table_arn(table: TableModel, stage: str | None = None, place: Place | None = None) -> str:
    """The table's ARN, in any region if nothing else is said. Without a stage, that of the table of the stage that a role has
    as its tag `stage`."""
    return (place or Place()).table(table, stage)


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
        find = Statement("FindStreams", ("ListStreams",), (_EVERYWHERE,))
        found["stream"] = Policy("Finds and reads the stream of changes, and not the table.", (follow, find))
    return found


def patterns(plan: TablePlan) -> dict[str, Policy]:
    """The policy that each pattern needs: its request, on partitions whose keys look like those that it names."""
    return {name: _of_pattern(plan, name) for name in plan.table.patterns}


def _of_pattern(plan: TablePlan, name: str) -> Policy:
    asked: dict[Need, list[tuple[Sequence[KeyPlan], Values]]] = {}
    for read in plan.patterns[name].values():
        asked.setdefault(need_of(read), []).append((read.served.path.pk, known_values(read.served)))
    statements = [
        Statement(
            _id([need.index]) if len(asked) == 1 else f"Read{number}",
            (need.action,),
            (resource_of(need.index),),
            confined(asked[need]),
        )
        for number, need in enumerate(sorted(asked), 1)
    ]
    return Policy(f"The pattern {name}(): {plan.table.patterns[name].doc}".rstrip(": "), tuple(statements))


def writes(plan: TablePlan) -> dict[str, Policy]:
    """The policy that each change needs, and each single write of an entity, as `Order.create`."""
    found = {
        name: _of_write(
            plan,
            plan.of(change.entity),
            of_change(plan, change),
            f"The change {name}() of an item that is named by its key.",
        )
        for name, change in plan.table.changes.items()
    }
    for entity in plan.entities.values():
        for method, needs in of_writes(entity).items():
            found[f"{entity.name}.{method}"] = _of_write(plan, entity, needs, f"{method}() of {entity.name}.")
    return found


def _of_write(plan: TablePlan, entity: EntityPlan, needs: Needs, description: str) -> Policy:
    """All writes are of the table: of the item, the markers of its unique values, and its mirror."""
    mirrored = [plan.of(plan.table.mirrors[entity.entity])] if entity.mirrored else []
    keys = [entity.pk, *(unique.keys[0] for unique in entity.uniques), *(mirror.pk for mirror in mirrored)]
    (statement,) = policy_of(needs, description).statements
    return Policy(description, (replace(statement, condition=confined([((key,), {}) for key in keys])),))


def _statement(statement: Statement, arn: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        "Sid": statement.id,
        "Effect": "Allow",
        "Action": listed(f"dynamodb:{action}" for action in statement.actions),
        "Resource": listed(r if r == _EVERYWHERE else f"{arn}{r}" for r in statement.resources),
    }
    if statement.condition is not None:
        found["Condition"] = {operator: dict(keys) for operator, keys in statement.condition.items()}
    return found


def listed(values: Iterable[str]) -> list[str] | str:
    """One value, or the list of several."""
    found = list(values)
    return found[0] if len(found) == 1 else found
