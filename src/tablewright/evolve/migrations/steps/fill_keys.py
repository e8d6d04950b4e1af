"""Keys on an index, for items that were written before the model had them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from msgspec.structs import replace

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import ArgumentError
from tablewright.evolve.migrations.former import former_keys, recasts_about
from tablewright.evolve.migrations.ground import Ground, attribute_of
from tablewright.evolve.migrations.step import Part, Step
from tablewright.evolve.migrations.steps.drop_index import DropIndex
from tablewright.evolve.migrations.works.filling import Clear, Fill, Restore
from tablewright.evolve.migrations.works.former import FormerKeys


class FillKeys(Step, frozen=True):
    """Gives the items of an entity the keys on an index that the model says they have.

    `FillKeys("Order", "GSI2")`. `was` has the templates that the entity had on this index before, if it had any: then items
    are found under the new ones only, from the moment each is filled. `derive` has those of their placeholders that the model
    derives otherwise now, such as `{"shard": Shard("number", of=4)}`. Where the index was sparse, `when` takes the stored item
    as a dict and says whether it was in it.
    """

    positional: ClassVar[int] = 2

    entity: str
    index: str
    was: tuple[str, ...] = ()
    derive: dict[str, Any] | None = None
    when: Callable[[dict[str, Any]], Any] | None = None

    def fills(self, entity: str) -> tuple[str, ...]:
        """The index, of its entity."""
        return (self.index,) if entity == self.entity else ()

    def run(self, ground: Ground) -> tuple[Part, ...]:
        """Fills them. A model that has no such keys has nothing to fill: a later migration takes them away."""
        return self._filled(ground, replace(ground, later=()))

    def retire(self, ground: Ground) -> tuple[Part, ...]:
        """Fills again: code of the old model may have written since, and nobody looks after this."""
        return self._filled(ground, None)

    def _filled(self, ground: Ground, before: Ground | None) -> tuple[Part, ...]:
        plan = ground.entity(self.entity)
        if self.index in ground.model.indexes:
            self._former(plan, ground)
        self._refuse_missing(ground)
        bindings = tuple(b for b in plan.kept if b.index.name == self.index and (b.written or b.shared))
        followed = () if before is None else recasts_about(before, plan, bindings)
        recasts = recasts_about(ground, plan, bindings)
        return (Fill(plan, ground.table, bindings, recasts, followed),) if bindings else ()

    def undo(self, ground: Ground) -> tuple[Part, ...]:
        """Gives items the keys that they had, or none."""
        plan = ground.entity(self.entity)
        former = self._former(plan, ground)
        if former is not None:
            return (Restore(plan, ground.table, former, filled=True),)
        others = {name for b in plan.kept if b.index.name != self.index for name in b.written}
        written = {name for b in plan.kept if b.index.name == self.index for name in b.written} or self._left(
            plan, ground
        )
        written -= others
        return (Clear(plan, ground.table, tuple(sorted(written))),) if written else ()

    def _former(self, plan: EntityPlan, ground: Ground) -> FormerKeys | None:
        """The keys from before, if it had any; templates that they cannot be made by are refused."""
        form = self._form(ground) if self.was else None
        return None if form is None else former_keys(ground, plan, *form, self.was, self.derive, self.when)

    def _form(self, ground: Ground) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """The attributes of the index, which a later migration may have dropped."""
        index = ground.model.indexes.get(self.index)
        if index is not None:
            pk, sk = (tuple(f"{a.name} ({a.tag})" for a in side) for side in (index.pk, index.sk))
            # A local index has the partition key of the table, which is no key of its own.
            return () if index.local else pk, sk
        drops = (getattr(step, "instead_of", step) for step in ground.later)
        dropped = next((one for one in drops if isinstance(one, DropIndex) and one.index == self.index), None)
        return None if dropped is None else (dropped.pk, dropped.sk)

    def _left(self, plan: EntityPlan, ground: Ground) -> set[str]:
        """What a rollback of later migrations has brought back of keys that the model does not make any more."""
        pk, sk = self._form(ground) or ((), ())
        kept = {field.path[0] for field in plan.fields.values()} | {
            key.name for key in (plan.table.pk, plan.table.sk) if key
        }
        return {attribute_of(text).name for text in (*pk, *sk)} - kept

    def _refuse_missing(self, ground: Ground) -> None:
        """A local index that is not there never will be; others may be made by steps before this one."""
        index = ground.model.indexes.get(self.index)
        live = {one["IndexName"] for one in ground.live.get("LocalSecondaryIndexes", [])}
        if index is not None and index.local and self.index not in live:
            raise ArgumentError(
                f"The table {ground.table} does not have the local index {self.index}, which {self.code()} fills, and none can be "
                "added to it.",
                hint="Make a new table by the model and move the items there, or declare a GSI instead; then take the step out or "
                "change it.",
            )
