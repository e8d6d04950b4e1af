"""The proof that no two entities can produce the same primary key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keyparts import pairs
from tablewright.compiler.keys import KeyPlan, TemplateKey
from tablewright.compiler.meeting import Side, apart
from tablewright.compiler.paths import may_meet
from tablewright.errors import KeyCollisionError


def refuse_collisions(plan: EntityPlan, others: Iterable[EntityPlan]) -> list[str]:
    """Raises KeyCollisionError when a key of this entity, or of one of its markers, can be another's.

    Returns what cannot be excluded in an adopted table, whose raw values may hold the separator.
    """
    warnings = []
    mine = list(key_pairs(plan))
    theirs = [(other, pair) for other in others for pair in key_pairs(other)]
    for position, (what, keys) in enumerate(mine):
        for other, (other_what, other_keys) in (*((plan, pair) for pair in mine[:position]), *theirs):
            reason = _same(keys, other_keys, raw=False)
            if reason is not None and not apart(pairs(keys, other_keys), Side(plan), Side(other)):
                raise KeyCollisionError(
                    f"{what} and {other_what} can produce the same key: {reason}",
                    hint="Give one of them a literal that the other does not have at that place, e.g. a type prefix.",
                )
            doubt = None if plan.table.key_style.strict else _same(keys, other_keys, raw=True)
            if doubt is not None:
                warnings.append(f"{what} and {other_what} have the same key for some values: {doubt}")
    return warnings


def key_pairs(plan: EntityPlan) -> Iterator[tuple[str, tuple[KeyPlan, ...]]]:
    """The keys that an entity puts into the table, each with whose it is: its own, and those of its markers."""
    yield plan.name, (plan.pk,) if plan.sk is None else (plan.pk, plan.sk)
    for unique in plan.uniques:
        yield f"the marker of {plan.name}'s unique {unique.name}", unique.keys


def _same(one: tuple[KeyPlan, ...], other: tuple[KeyPlan, ...], *, raw: bool) -> str | None:
    reasons = []
    for left, right in zip(one, other, strict=True):
        if isinstance(left, TemplateKey) and isinstance(right, TemplateKey):
            verdict = may_meet(left.bound, right.bound, raw=raw)
            if not verdict:
                return None
            reasons.append(f"{left.attribute.name}: {verdict.reason}")
        else:
            reasons.append(f"{left.attribute.name}: nothing tells {left} and {right} apart.")
    return " ".join(reasons)
