"""Items of older schema versions written as the model's, and the way back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tablewright.client.writes import markers
from tablewright.client.writes.action import Action, same_key
from tablewright.client.writes.base import Write, at
from tablewright.client.writes.upgrade import Upgraded, as_read, upgraded
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.noted import SPLIT
from tablewright.compiler.versions import FIRST
from tablewright.errors import ModelError
from tablewright.evolve.jobs.checkpoints import Checkpoints
from tablewright.evolve.jobs.work import Decision, Skipped, Writes
from tablewright.evolve.migrations.works.first_comers import FirstComers
from tablewright.evolve.migrations.works.guarding import (
    COPIED,
    COPY,
    MARKS,
    ItemWork,
    attempted,
    belongs,
    identity,
    kept_in,
    remove,
    set_to,
    strongly,
    without,
)
from tablewright.evolve.upgrading import HELD, UNFIT, Upgrade, claims
from tablewright.expressions import ast
from tablewright.values.types import AttributeValue, Item

DROPS = "its upcast or downcast takes away what parts are made of: one that code of the new model writes before it is split would lose it"
APART = "it does not have what its parts were made of, and is brought back when it was put together"
NO_WAY = "no downcast leads from its schema version to the one that the old model knows"


class Raise(Upgrade):
    """Makes current items of the older ones, also of those that a later migration is to move. A copy is left: it would look as if
    code of the new model had changed it, and follows its item."""

    @property
    def reads(self) -> dict[str, Any]:
        """Those of older versions, as they are at that moment."""
        return {"ConsistentRead": True, **super().reads}

    def look(self, item: Item) -> Decision:
        """What has to be written to make a current item of this one."""
        return None if COPY in item else super().look(item)

    def made(self, item: Item) -> Upgraded:
        """The current item, where the older one lies."""
        plan = self.plan
        home: Item | None = item[COPIED]["M"]["key"]["M"] if COPIED in item else None
        if home is None and plan.other_keys:
            home = plan.key(plan.values_in(plan.current(item), plan.key_fields))
        return upgraded(plan, item, home=home)


class Readable(Raise):
    """Writes nothing: items of older versions of which no current ones can be made, or none that could be stored, are skipped, so
    that somebody looks at them before readers of the new model do, and before it is too late to go back."""

    def __init__(self, plan: EntityPlan, table: str, split: tuple[str, ...] = ()) -> None:
        super().__init__(plan, table)
        self._split = split  # what parts are made of
        self._claimed = FirstComers()

    @property
    def name(self) -> str:
        """What is done."""
        return f"read {self.plan.name} of older versions"

    @property
    def identity(self) -> str:
        """The same items."""
        return f"readable {super().identity} {' '.join(self._split)}".rstrip()

    @property
    def writes_to(self) -> tuple[str, ...]:
        """Unique values are in the table too."""
        return (self.table,)

    def checkpoints(self, lease: float) -> Checkpoints:
        """In the table."""
        return kept_in(self.plan, self.table, lease)

    def look(self, item: Item) -> Decision:
        """Whether a current item can be made, apart from unique values."""
        made = self._made(item)
        return made if isinstance(made, Skipped) else None

    def beside(self, item: Item) -> Sequence[tuple[str, Item]]:
        """The unique values that it would take."""
        made = self._made(item) if self.plan.uniques else None
        return () if made is None or isinstance(made, Skipped) else [(self.table, one.key) for one in claims(made)]

    def compare(self, item: Item, found: Sequence[Item | None]) -> Decision:
        """Whether they are free, or its own."""
        made = self._made(item)
        if made is None or isinstance(made, Skipped):
            return made
        home = self.plan.key_of_item(made.item)
        own = [{"M": key} for key in (home, self.plan.key_of_item(item), *_partner(item))]
        for claim, held in zip(claims(made), found, strict=False):
            if held is not None and held.get(self.plan.names.owner) not in own:
                return Skipped(HELD)
            if not self._claimed.gets(same_key(claim.key), same_key(home)):
                return Skipped(HELD)
        return None

    def _made(self, item: Item) -> Upgraded | Skipped | None:
        """The current item; None where it is one, or none of the entity."""
        plan = self.plan
        if not belongs(plan, item) or plan.alive(item) is None:
            return None
        try:
            if not self._versions.is_old(item):
                return None
            if self._split and any(self._drops(item, name) for name in self._split if name in item):
                return Skipped(DROPS)
            if plan.other_keys or MARKS & item.keys():
                # It lies where it was before a step that moves it: it is upgraded where it will lie.
                item = {**item, **plan.key(plan.values_in(plan.current(item), plan.key_fields))}
            return upgraded(plan, item)
        except UNFIT as error:
            return Skipped(error.message)

    def _drops(self, item: Item, name: str) -> bool:
        """Whether code of the new model that writes an item takes this away, in the version of the item too."""
        current = self._versions.current(without(item, (SPLIT,)))
        try:
            self._versions.check_way_to(self._versions.of(item))
        except ModelError:
            return name not in current
        return name not in current or self._versions.down(current, self._versions.of(item)).get(name) != item[name]


def _partner(item: Item) -> list[Item]:
    """Where the other one of a pair lies."""
    return [item[mark]["M"]["key"]["M"] for mark in MARKS & item.keys()]


class Lower(ItemWork, frozen=True, eq=False):
    """Makes items of an older schema version of the newer ones, copies too."""

    version: int
    split: tuple[str, ...] = ()
    """What parts were made of, and downcasts know nothing of."""
    joins: bool = True
    """Whether what code of the new model has written without that gets it before."""

    @property
    def name(self) -> str:
        """What is done."""
        return f"bring {self.plan.name} back to version {self.version}"

    @property
    def identity(self) -> str:
        """The same items, made the same version."""
        return identity("lower", self.table, self.plan.type_name, self.version, *self.split)

    @property
    def reads(self) -> dict[str, Any]:
        """Those of newer versions."""
        newer = ast.Compare(">", ast.Attribute((self.plan.names.schema,)), ast.Value({"N": str(self.version)}))
        return strongly(newer)

    def look(self, item: Item) -> Decision:
        """Writes what an older version has otherwise, if the item is still what was read."""
        if not self.plan.owns(item) or self.plan.alive(item) is None:
            return None
        return attempted(lambda: self._look(item))

    def _look(self, item: Item) -> Decision:
        versions = self.plan.versions
        assert versions is not None
        if versions.of(item) <= max(self.version, FIRST):
            return None
        if self.split and item.keys().isdisjoint(self.split) and (SPLIT in item or not self.joins):
            return Skipped(APART)
        try:
            versions.check_way_to(self.version)
        except ModelError:
            return Skipped(NO_WAY)
        older = {**versions.down(item, self.version), **{name: item[name] for name in self.split if name in item}}
        key = self.plan.key_of_item(item)
        moves: list[Action] = []
        if COPY not in item:  # which is in no index, and holds no unique value
            older = {name: value for name, value in {**older, **self._index_keys(item, older)}.items() if value}
            moves = markers.moves(Write(self.plan, key), *self._unique_values(item, older))
        update: list[ast.UpdateAction] = [
            set_to(name, value) for name, value in sorted(older.items()) if item.get(name) != value
        ]
        update += [remove(name) for name in sorted(item.keys() - older.keys())]
        change = self.change(item, update, *as_read(self.plan, item))
        return Writes((*change.actions, *self.writes(*moves).actions))

    def _index_keys(self, item: Item, older: Item) -> dict[str, AttributeValue | None]:
        """Keys that are made of what the older version has otherwise, by the templates that the model has too."""
        found: dict[str, AttributeValue | None] = {}
        for binding in self.plan.kept:
            sources = binding.sources | binding.required
            if any(name in item for name in binding.written) and self._is_other(sources, item, older):
                made = binding.compute(self.plan.values_in(older, sources)) or {}
                found |= {name: made.get(name) for name in binding.written}
        return found

    def _unique_values(self, item: Item, older: Item) -> tuple[dict[str, Item | None], dict[str, Item | None]]:
        """The markers of both versions, where the older one has such fields."""
        names = {one.name for one in self.plan.uniques if self._is_other(one.fields, item, older)}
        before, after = (markers.stored_markers(self.plan, one) if names else {} for one in (item, older))
        return ({n: v for n, v in before.items() if n in names}, {n: v for n, v in after.items() if n in names})

    def _is_other(self, names: Iterable[str], item: Item, older: Item) -> bool:
        """Whether fields have other values in the older version, and all that there were are still there under their names."""
        paths = [self.plan.sources[name].path for name in names]
        now, before = ([at(one, path) for path in paths] for one in (item, older))
        return now != before and all(b is not None for a, b in zip(now, before, strict=True) if a is not None)
