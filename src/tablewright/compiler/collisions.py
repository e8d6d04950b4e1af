"""The proof that no two entities can produce the same primary key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keys import KeyPlan, TemplateKey
from tablewright.errors import KeyCollisionError
from tablewright.values.keycodec import may_equal


def refuse_collisions(plan: EntityPlan, others: Iterable[EntityPlan]) -> None:
    """Raises KeyCollisionError when a key of this entity, or of one of its markers, can be another's."""
    mine = list(_key_pairs(plan))
    for position, (what, keys) in enumerate(mine):
        rivals = [*mine[:position], *(pair for other in others for pair in _key_pairs(other))]
        for other_what, other_keys in rivals:
            reason = _same(keys, other_keys)
            if reason is not None:
                raise KeyCollisionError(
                    f"{what} and {other_what} can produce the same key: {reason}",
                    hint="Give one of them a literal that the other does not have at that place, e.g. a type prefix.",
                )


def _key_pairs(plan: EntityPlan) -> Iterator[tuple[str, tuple[KeyPlan, ...]]]:
    yield plan.name, (plan.pk,) if plan.sk is None else (plan.pk, plan.sk)
    for unique in plan.uniques:
        yield f"the marker of {plan.name}'s unique {unique.name}", unique.keys


def _same(one: tuple[KeyPlan, ...], other: tuple[KeyPlan, ...]) -> str | None:
    reasons = []
    for left, right in zip(one, other, strict=True):
        if isinstance(left, TemplateKey) and isinstance(right, TemplateKey):
            verdict = may_equal(left.bound, right.bound)
            if not verdict:
                return None
            reasons.append(f"{left.attribute.name}: {verdict.reason}")
        else:
            reasons.append(f"{left.attribute.name}: both hold a plain value.")
    return " ".join(reasons)
