"""What calls need: the actions of IAM, and whether on the table or on an index, for patterns, changes and single writes.

DynamoDB checks each action of a transaction by itself, so that there is none for transactions.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.fields import CREATED
from tablewright.compiler.plan import TablePlan
from tablewright.compiler.reads import GetPlan, ReadPlan
from tablewright.compiler.rules import has_rules
from tablewright.model.change import Assign, Change


class Need(Struct, frozen=True, order=True):
    """An action on the table, or on an index of it."""

    action: str
    index: str = ""
    """The index; empty for the table."""


Needs = frozenset[Need]


def of_pattern(plan: TablePlan, name: str) -> Needs:
    """What a pattern needs in any of its variants."""
    return frozenset(need_of(read) for read in plan.patterns[name].values())


def need_of(read: ReadPlan) -> Need:
    """What a read needs."""
    path = read.served.path
    alone = isinstance(read, GetPlan) and path.index is None
    return Need("GetItem") if alone else Need("Query", path.index_name or "")


def of_change(plan: TablePlan, change: Change[Any, ...]) -> Needs:
    """What a change of an item needs that is named by its key. Where an index finds it, that read is the pattern's."""
    entity = plan.of(change.entity)
    actions = {"UpdateItem"}
    for variant in change.variants.values():
        touched = {str(action.path[0]) for action in variant.actions}
        if not touched:
            actions |= _looks(entity)
        assigned = {
            str(action.path[0])
            for action in variant.actions
            if isinstance(action, Assign) and len(action.path) == 1 and not _judged_with_others(entity, action)
        }
        sources = {f for binding in entity.kept if binding.made and binding.sources & touched for f in binding.sources}
        unique = bool(entity.unique_fields & touched)
        if sources - assigned - entity.key_fields or touched - assigned or has_rules(entity.entity) or unique:
            actions.add("GetItem")
        if unique:
            actions |= _MARKERS
        if entity.options.nested is not None:
            actions.add("GetItem")
    return _needs(actions | _mirror(entity))


def _looks(entity: EntityPlan) -> set[str]:
    """A write of no field still writes the time or the version. Without either it looks whether the item is as wanted, and
    gets it to hand it out."""
    stamped = entity.options.timestamps or entity.options.version
    return set() if stamped else {"ConditionCheckItem", "GetItem"}


def _judged_with_others(entity: EntityPlan, action: Assign) -> bool:
    return entity.fields[str(action.path[0])].looks_around


_MARKERS = {"PutItem", "DeleteItem", "ConditionCheckItem"}
"""Moving a unique value: its marker is taken and given up, also where the item itself stays as it is."""


def of_writes(entity: EntityPlan) -> dict[str, Needs]:
    """What the writes of an entity need, by the name of the session's method."""
    uniques, soft = bool(entity.uniques), entity.hides is not None
    created = any(CREATED in binding.sources - entity.fields.keys() for binding in entity.kept)
    looks = {"GetItem"} if uniques or entity.options.nested is not None or created else set()
    markers = _MARKERS if uniques else set()
    found = {
        "create": {"PutItem"},
        "put": {"UpdateItem"} | looks | markers,
        "update": {"UpdateItem", "GetItem"} | _looks(entity) | markers,
        "delete": {"DeleteItem"} | ({"GetItem"} if uniques else set()),
    }
    if soft:
        found["delete"] = {"PutItem", "GetItem", "ConditionCheckItem"} | ({"DeleteItem"} if uniques else set())
        found["undelete"] = {"PutItem", "GetItem"}
        found["purge"] = {"DeleteItem", "GetItem"}
    mirror = _mirror(entity)
    return {name: _needs(actions | (mirror if name != "create" else set())) for name, actions in found.items()}


def _mirror(entity: EntityPlan) -> set[str]:
    """Both items of a mirrored link are looked at in one request."""
    return {"GetItem", "BatchGetItem"} if entity.mirrored else set()


def _needs(actions: Iterable[str]) -> Needs:
    return frozenset(Need(action) for action in actions)
