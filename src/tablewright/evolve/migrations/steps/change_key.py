"""A primary key that is made by other templates."""

from __future__ import annotations

from typing import Any, ClassVar

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keys import KeyPlan
from tablewright.errors import ArgumentError
from tablewright.evolve.migrations.former import former_keys, former_primary_key, primary_key, recasts_of
from tablewright.evolve.migrations.ground import Ground, refuse_encrypted
from tablewright.evolve.migrations.step import Part, Step, Winner
from tablewright.evolve.migrations.works.former import FormerKeys
from tablewright.evolve.migrations.works.moving import Copy, Move
from tablewright.evolve.migrations.works.pairing import Orphans, Pairs
from tablewright.evolve.migrations.works.recasting import Recast


class ChangeKey(Step, frozen=True):
    """Moves the items of an entity to the keys that the model gives them.

    `ChangeKey("Order", was=("ORDER#{order_id}", "ORDER"), copies=True)`. With copies, `run` puts each item under its new key
    too, and leaves the old one, which indexes go on leading to; `retire` removes the old ones. Without, `run` moves them at
    once, and code of the old model does not find them by their keys any more. `was` has the templates from before: it is
    what a rollback goes back to. An item that code of the old model has written under its old key, and code of the new one
    under its new key, is skipped and told: `wins="new"` or `wins="old"` decides. `derive` has those placeholders of `was` that
    the model derives otherwise now, such as `{"shard": Shard("number", of=4)}`.
    """

    pairs: ClassVar[bool] = True

    entity: str
    was: tuple[str, ...]
    copies: bool
    wins: Winner | None = None
    derive: dict[str, Any] | None = None

    def run(self, ground: Ground) -> tuple[Part, ...]:
        """Lets copies follow what was written since, and copies what has none; or moves them."""
        plan = _movable(self.entity, ground)
        was = self._former(plan, ground)
        attributes = _attributes(plan, ground)
        if not self.copies:
            return (Move(plan, ground.table, *attributes, was=was),)
        _refuse_indexed_copies(plan, ground, self.code())
        # Pairs first: an item that the old model deleted and wrote anew has a copy already, and gets its mark again.
        return (
            Pairs(plan, ground.table, *attributes, "follow", self.wins),
            Copy(plan, ground.table, *attributes, was=was),
        )

    def retire(self, ground: Ground) -> tuple[Part, ...]:
        """Removes what was copied, and moves what the old model has written since."""
        plan = _movable(self.entity, ground)
        attributes = _attributes(plan, ground)
        return (
            Pairs(plan, ground.table, *attributes, "finish", self.wins),
            Orphans(plan, ground.table, *attributes, "finish", self.wins),
            Move(plan, ground.table, *attributes, tombstones=True, was=self._former(plan, ground)),
        )

    def undo(self, ground: Ground) -> tuple[Part, ...]:
        """Removes the copies, and moves what has no old one back to where the old model reads it."""
        plan = _movable(self.entity, ground)
        attributes, former = _attributes(plan, ground), self._former(plan, ground)
        return (
            Pairs(plan, ground.table, *attributes, "undo", self.wins, former),
            Orphans(plan, ground.table, *attributes, "undo", self.wins, former),
            Move(plan, ground.table, *attributes, tombstones=True, former=former),
        )

    def keys_before(self, ground: Ground, plan: EntityPlan) -> tuple[KeyPlan, ...]:
        """Those of `was`."""
        return former_primary_key(ground, plan, self.was, self.derive)

    def _former(self, plan: EntityPlan, ground: Ground) -> FormerKeys:
        """The keys from before; templates that they cannot be made by are refused."""
        return former_keys(ground, plan, *primary_key(plan), self.was, self.derive)


def _movable(name: str, ground: Ground) -> EntityPlan:
    plan = ground.entity(name)
    refuse_encrypted(plan)
    return plan


def _attributes(plan: EntityPlan, ground: Ground) -> tuple[frozenset[str], frozenset[str], tuple[Recast, ...]]:
    """What all that moves items has to know of them."""
    return _index_attributes(plan, ground), _local_attributes(plan, ground), recasts_of(ground, plan)


def _index_attributes(plan: EntityPlan, ground: Ground) -> frozenset[str]:
    """Those that an item has for indexes only; a field that is a key attribute itself stays in it."""
    return ground.index_attributes - {field.path[0] for field in plan.fields.values()}


def _local_attributes(plan: EntityPlan, ground: Ground) -> frozenset[str]:
    """Those that an item has for local indexes, and for no other."""
    live = ground.live.get("GlobalSecondaryIndexes", [])
    found = {a["AttributeName"] for index in live for a in index["KeySchema"]}
    found |= {a.name for index in ground.model.indexes.values() if not index.local for a in index.attributes}
    return _index_attributes(plan, ground) - found


def _refuse_indexed_copies(plan: EntityPlan, ground: Ground, code: str) -> None:
    droppable = _index_attributes(plan, ground)
    live = ground.live.get("GlobalSecondaryIndexes", []) + ground.live.get("LocalSecondaryIndexes", [])
    own = {a["AttributeName"] for a in ground.live["KeySchema"]}
    fields = {field.path[0] for field in plan.fields.values()}
    # Those of the model too: a step before this one may make them, and then has done so for nothing.
    indexes = {name: {a.name for a in index.attributes} for name, index in ground.model.indexes.items()}
    indexes |= {index["IndexName"]: {a["AttributeName"] for a in index["KeySchema"]} for index in live}
    for name, keys in indexes.items():
        attributes = keys - own
        if attributes <= fields and not attributes & droppable:
            raise ArgumentError(
                f"{plan.name} stands in the index {name} by its own fields, so that its copies would too, and "
                "readers would meet each item twice.",
                hint=f"Write copies=False into {code}, and run it when no code of the old model is left.",
            )
