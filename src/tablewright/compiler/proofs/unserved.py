"""What is said of a pattern that no key serves: why, shown by made-up items, and what would serve it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.entity_planner import plan_entity
from tablewright.compiler.paths import key_paths, markers_of
from tablewright.compiler.plan import TablePlan
from tablewright.compiler.proofs.asking import Attempt
from tablewright.compiler.proofs.counterexamples import collision, counterexample
from tablewright.compiler.proofs.edits import edits
from tablewright.compiler.proofs.results import PatternProof
from tablewright.compiler.read_planner import plan_read
from tablewright.compiler.reasons import Counterexample, Reason, reasons_of
from tablewright.compiler.selection import select
from tablewright.compiler.views import needs_of
from tablewright.errors import KeyCollisionError, PatternError, TablewrightError
from tablewright.model.annotations import describe
from tablewright.model.inspection import Refused
from tablewright.model.operations import Collection, Get, Mixed, Query
from tablewright.model.pattern import Pattern

Entities = Mapping[type, EntityPlan]


def explain_unserved(plan: TablePlan, refused: Refused) -> PatternProof:
    """A pattern that was refused."""
    error, pattern = refused.error, plan.table.unserved.get(refused.name)
    if pattern is None:
        doc = (getattr(refused.subject, "__doc__", None) or "").strip()
        return PatternProof(refused.name, doc, {}, (), (), reasons_of(error), (), "", error.message, refused.follows)
    reasons = tuple(_reasons(pattern, plan.entities)) or reasons_of(error)
    changes, stuck = edits(plan, pattern, reasons)
    return PatternProof(
        refused.name,
        pattern.doc,
        {name: describe(kind) for name, kind in pattern.parameters.annotations.items()},
        tuple(dict.fromkeys(e.__name__ for op in pattern.variants.values() for e in _entities(op))),
        (),
        reasons,
        changes,
        stuck,
        error.message,
        refused.follows,
    )


def _entities(operation: Any) -> list[type]:
    match operation:
        case Collection():
            return [part.query.entity for part in operation.parts]
        case Mixed():
            return [query.entity for query in operation.queries]
    return [operation.entity]


def _reasons(pattern: Pattern[..., Any], entities: Entities) -> Iterator[Reason]:
    """Why its variants are not served, each reason once."""
    told: set[str] = set()
    for operation in pattern.variants.values():
        try:
            plan_read(f"The pattern {pattern.name}()", operation, entities)
        except PatternError as error:
            for reason in reasons_of(error):
                if str(reason) not in told:
                    told.add(str(reason))
                    yield _with_example(reason, operation, entities)
        except TablewrightError:
            continue


def _with_example(reason: Reason, operation: Any, entities: Entities) -> Reason:
    if not isinstance(operation, Get | Query):
        return reason
    plan = entities[operation.entity]
    path = next((p for p in key_paths(plan) if p.name == reason.key_path), None)
    if path is None:
        return reason
    attempt = Attempt(
        path,
        select("The read", operation.entity, operation.conditions, plan.sources, only_for_keys=False),
        None if operation.view is None else needs_of(operation.view),
        operation.index is not None,
        operation.strong,
        isinstance(operation, Get),
    )
    return replace(reason, counterexample=counterexample(reason, attempt, entities.values()))


def explain_entity(plan: TablePlan, refused: Refused) -> Counterexample | None:
    """Two items with one key, or in one read, where an entity was refused for that."""
    broken = plan.table.patterns.get(refused.error.context.get("pattern", ""))
    if broken is None and not isinstance(refused.error, KeyCollisionError):
        return None
    try:
        newcomer = plan_entity(refused.subject, plan.table)
    except TablewrightError:
        return None
    if broken is None:
        return collision(newcomer, plan.entities.values())
    reasons = _reasons(broken, {**plan.entities, refused.subject: newcomer})
    others = {newcomer.name, *(markers_of(newcomer, unique) for unique in newcomer.uniques)}
    return next((r.counterexample for r in reasons if r.other in others and r.counterexample is not None), None)
