"""Links between items: a new one whose two ends must be there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from tablewright.client.calls import Steps
from tablewright.client.context import Context
from tablewright.client.operations import plan_create
from tablewright.client.performing import commit
from tablewright.client.writes.action import same_key
from tablewright.client.writes.base import Write
from tablewright.client.writes.create import Create
from tablewright.client.writes.delete import Check, Delete
from tablewright.client.writes.items import remember
from tablewright.client.writes.tombstone import Bury
from tablewright.compiler.relationships import key_of_end
from tablewright.errors import ArgumentError
from tablewright.model.entity import Entity, with_article
from tablewright.model.relationships import Relationship

E = TypeVar("E", bound=Entity)


def link(context: Context, entity: E) -> Steps[E]:
    """Creates a link, and its mirror if it has one, under the condition that both ends exist."""
    write, checks = plan_link(context, entity)
    outcomes = yield from commit(context, [write, *checks])
    remember(entity, write.becomes(outcomes[0].now), write.key)
    return entity


def plan_link(context: Context, entity: Entity) -> tuple[Create, list[Write]]:
    """The new link, and the checks of its ends; one check where something is linked with itself."""
    write = plan_create(context, entity)
    relationship = _relationship(context, entity)
    checks: dict[bytes, Write] = {}
    for end, fields in (
        (relationship.source, relationship.source_fields),
        (relationship.target, relationship.target_fields),
    ):
        assert isinstance(end, type)
        plan = context.plan.of(end)
        held = key_of_end(relationship, plan, fields)
        key = plan.key({theirs: plan.fields[theirs].accept(write.values[own]) for theirs, own in held.items()})
        checks[same_key(key)] = Check(plan, key)
    return write, list(checks.values())


def unchecked(checks: Sequence[Write], writes: Sequence[Write]) -> list[Write]:
    """The checks of ends that nothing else in a transaction makes sure of: DynamoDB takes one action per item."""
    sure = {same_key(w.key) for w in writes if not isinstance(w, Delete | Bury)}
    left = {same_key(check.key): check for check in checks}
    return [check for text, check in left.items() if text not in sure]


def _relationship(context: Context, entity: Entity) -> Relationship:
    for relationship in context.plan.table.relationships:
        if type(entity) in (relationship.via, relationship.mirror) and isinstance(relationship.target, type):
            return relationship
    raise ArgumentError(
        f"link() was given {with_article(type(entity).__name__)}, which no relationship is made of.",
        hint="Record it: table.relate(Relationship(..., via=...)); or create() an item that links nothing.",
    )
