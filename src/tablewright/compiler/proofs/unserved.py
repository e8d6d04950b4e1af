"""What is said of a pattern that no key serves: why, shown by made-up items, and what would serve it."""

from __future__ import annotations

from tablewright.compiler.plan import TablePlan
from tablewright.compiler.proofs.results import PatternProof
from tablewright.compiler.reasons import Counterexample, reasons_of
from tablewright.model.annotations import describe
from tablewright.model.inspection import Refused


def explain_unserved(plan: TablePlan, refused: Refused) -> PatternProof:
    """A pattern that was refused."""
    error = refused.error
    pattern = plan.table.unserved.get(refused.name)
    parameters = {} if pattern is None else {n: describe(kind) for n, kind in pattern.parameters.annotations.items()}
    return PatternProof(
        refused.name,
        "" if pattern is None else pattern.doc,
        parameters,
        (),
        (),
        reasons_of(error),
        (),
        error.message,
        refused.follows,
    )


def explain_collision(plan: TablePlan, refused: Refused) -> Counterexample | None:
    """Two items with one key, where an entity was refused for that."""
    return None
