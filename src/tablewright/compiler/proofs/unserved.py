"""What is said of a pattern that no key serves: why, shown by made-up items, and what would serve it."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
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
from tablewright.compiler.reasons import Counterexample, Reason, Refusal, reasons_of
from tablewright.compiler.selection import select
from tablewright.compiler.views import needs_of
from tablewright.errors import KeyCollisionError, PatternError, TablewrightError
from tablewright.model.annotations import describe
from tablewright.model.inspection import Refused
from tablewright.model.operations import Collection, Get, Mixed, Query, reads_in
from tablewright.model.pattern import Pattern

Entities = Mapping[type, EntityPlan]


def explain_unserved(plan: TablePlan, refused: Refused, broken: Container[str] = ()) -> PatternProof:
    """A pattern that was refused; `broken` are the names of entities that were."""
    error, pattern = refused.error, plan.table.unserved.get(refused.name)
    absent = error.context.get("missing_entity", "")
    follows = (Reason("definition", "", f"It reads {absent}, which is refused itself."),) if absent in broken else ()
    if pattern is None:
        doc = (getattr(refused.subject, "__doc__", None) or "").strip()
        reasons = follows or reasons_of(error)
        return PatternProof(refused.name, doc, {}, (), (), reasons, (), "", error.message, refused.follows)
    reasons = follows or tuple(_reasons(pattern, plan.entities)) or reasons_of(error)
    named = dict.fromkeys(read.entity for op in pattern.variants.values() for read in reads_in(op))
    changes, stuck = edits(plan, pattern, reasons) if named.keys() <= plan.entities.keys() else ((), "")
    if stuck:
        # The index key that these ask for was tried.
        reasons = tuple(replace(r, remedy=None) if r.kind == "order" else r for r in reasons)
    return PatternProof(
        refused.name,
        pattern.doc,
        parameters_of(pattern),
        tuple(entity.__name__ for entity in named),
        (),
        reasons,
        changes,
        stuck,
        error.message,
        refused.follows,
    )


def parameters_of(pattern: Pattern[..., Any]) -> dict[str, str]:
    """The parameters of a pattern as they are written, with what they are when they are left out."""
    known, usual = pattern.parameters.annotations, pattern.parameters.defaults
    return {n: describe(kind) + (f" = {usual[n]!r}" if n in usual else "") for n, kind in known.items()}


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
    attempts = [attempt for read in reads_in(operation) for attempt in _attempts(reason, read, entities)]
    if isinstance(operation, Collection | Mixed):
        # The reason is that of the first part that a key cannot serve.
        attempts = [a for a in attempts if isinstance(no := a.tried(), Refusal) and str(no) == reason.text]
    if not attempts:
        return reason
    return replace(reason, counterexample=counterexample(reason, attempts[0], entities.values()))


def _attempts(reason: Reason, read: Get[Any] | Query[Any], entities: Entities) -> Iterator[Attempt]:
    """A read of one entity by the key that the reason is about, if it has that."""
    plan = entities.get(read.entity)
    path = None if plan is None else next((p for p in key_paths(plan) if p.name == reason.key_path), None)
    if plan is not None and path is not None:
        yield Attempt(
            path,
            select("The read", read.entity, read.conditions, plan.sources, only_for_keys=False),
            None if read.view is None else needs_of(read.view),
            read.index is not None,
            read.strong,
            isinstance(read, Get),
        )


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
