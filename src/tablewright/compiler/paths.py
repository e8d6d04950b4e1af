"""The keys through which an entity can be reached, and who else may be met there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tablewright.compiler.entity_plan import EntityPlan, IndexBinding
from tablewright.compiler.keys import KeyPlan, TemplateKey
from tablewright.model.indexes import Index
from tablewright.values.keycodec import BoundSegment, may_equal, may_fall_in


@dataclass(frozen=True, slots=True, eq=False)
class KeyPath:
    """The table's own key, or an index."""

    plan: EntityPlan
    pk: tuple[KeyPlan, ...]
    sk: tuple[KeyPlan, ...]
    binding: IndexBinding | None = None

    @property
    def index(self) -> Index | None:
        """The index, or None for the table."""
        return self.binding.index if self.binding is not None else None

    @property
    def name(self) -> str:
        """For messages."""
        return self.index.name if self.index is not None else "the table's key"


def key_paths(plan: EntityPlan) -> Iterator[KeyPath]:
    """The table's key first, then local indexes, then global ones, as they were declared."""
    yield KeyPath(plan, (plan.pk,), (plan.sk,) if plan.sk is not None else ())
    for local in (True, False):
        for binding in plan.bindings:
            if binding.index.local is local:
                yield KeyPath(plan, (plan.pk,) if local else binding.pk, binding.sk, binding)


def neighbours(path: KeyPath, parent: tuple[BoundSegment, ...], others: Iterable[EntityPlan]) -> Iterator[str]:
    """Who else may have items in the part of a partition that `parent` (leading sort key segments) selects, and why."""
    for other in others:
        if other is not path.plan:
            for theirs in key_paths(other):
                if (theirs.index.name if theirs.index else None) == (path.index.name if path.index else None):
                    reason = _meet(path, theirs.pk, theirs.sk, parent)
                    if reason is not None:
                        yield f"{other.name} ({reason})"
        if path.index is None:
            for unique in other.uniques:
                reason = _meet(path, unique.keys[:1], unique.keys[1:], parent)
                if reason is not None:
                    yield f"the markers of {other.name}'s unique {unique.name} ({reason})"


def _meet(
    path: KeyPath, pk: tuple[KeyPlan, ...], sk: tuple[KeyPlan, ...], parent: tuple[BoundSegment, ...]
) -> str | None:
    for mine, theirs in zip(path.pk, pk, strict=True):
        if (
            isinstance(mine, TemplateKey)
            and isinstance(theirs, TemplateKey)
            and not may_equal(mine.bound, theirs.bound)
        ):
            return None
    reason = "nothing tells their partition keys apart"
    if sk and isinstance(sk[0], TemplateKey):
        verdict = may_fall_in(sk[0].bound, parent)
        if not verdict:
            return None
        reason = verdict.reason.rstrip(".")
    return reason
