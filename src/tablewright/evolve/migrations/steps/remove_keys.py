"""Keys on an index that an entity is not in any more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tablewright.evolve.migrations.former import former_keys
from tablewright.evolve.migrations.ground import Ground, attribute_of
from tablewright.evolve.migrations.step import Part, Step
from tablewright.evolve.migrations.works.filling import Clear, Restore


class RemoveKeys(Step, frozen=True):
    """Removes the attributes from the items of an entity that led an index to them, when the migration is retired. How they
    were made stands here too, so that a rollback makes them again; `derive` and `when` as in FillKeys.

    `RemoveKeys("Order", pk=("GSI1PK (S)",), sk=("GSI1SK (S)",), was=("STATUS#{status}", "{placed_at}"))`
    """

    entity: str
    pk: tuple[str, ...]
    sk: tuple[str, ...]
    was: tuple[str, ...]
    derive: dict[str, Any] | None = None
    when: Callable[[dict[str, Any]], Any] | None = None

    def run(self, ground: Ground) -> tuple[Part, ...]:
        """Nothing, but what could not be made again later is refused now."""
        self.undo(ground)
        return ()

    def retire(self, ground: Ground) -> tuple[Part, ...]:
        """Removes those that hold nothing else in the model of today."""
        plan = ground.entity(self.entity)
        kept = {n for b in plan.kept for n in b.written} | {f.path[0] for f in plan.fields.values()}
        kept |= {key.attribute.name for key in (plan.pk, plan.sk) if key is not None}
        left = tuple(name for text in (*self.pk, *self.sk) if (name := attribute_of(text).name) not in kept)
        return (Clear(plan, ground.table, left),) if left else ()

    def undo(self, ground: Ground) -> tuple[Part, ...]:
        """Makes them again, also for items that were written since."""
        plan = ground.entity(self.entity)
        former = former_keys(ground, plan, self.pk, self.sk, self.was, self.derive, self.when)
        return (Restore(plan, ground.table, former),)
