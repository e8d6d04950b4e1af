"""Parts of items that are split: the marks on both sides that tell what belongs together, and what was written since."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from tablewright.client.writes.action import Action, same_key
from tablewright.client.writes.base import holds
from tablewright.client.writes.markers import claim, hand_over, release, stored_markers
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.noted import PART_OF, is_note
from tablewright.errors import TablewrightError
from tablewright.evolve.jobs.work import Skipped
from tablewright.evolve.migrations.works.guarding import BesideWork, digest, identity, remove, without
from tablewright.evolve.migrations.works.moving import target_key
from tablewright.expressions import ast
from tablewright.values.types import AttributeValue, Item

PART = PART_OF
"""On a part."""

LEFT = "it is a part of an item that code of the new model has written anew, and stays beside it"

Aim: TypeAlias = Literal["follow", "finish", "undo"]
"""Let parts follow their items; let the parts take their place; or be rid of the parts."""
Parts: TypeAlias = Callable[[dict[str, Any]], Iterable[tuple[str, Mapping[str, Any]]]]


class Parting(BesideWork, frozen=True, eq=False):
    """What all work on items and their parts shares. `plan` is of the items that are split."""

    parts: Mapping[str, EntityPlan]
    """The entities that parts may be of, by their names."""
    index_attributes: frozenset[str]
    """Key attributes of indexes."""
    removes: tuple[str, ...]
    """The attributes that the parts are made of, if they go in the end."""
    aim: Aim

    @property
    def identity(self) -> str:
        """The same for the same aim."""
        return identity(type(self).__name__, self.table, self.plan.type_name, self.aim, *self.removes)

    # --------------------------------------------------------------------------------------------- marks

    def origin(self, item: Item) -> AttributeValue:
        """Where an item lies, and where the model will have it: it may be moved before its parts are looked at again."""
        key = self.plan.key_of_item(item)
        try:
            target = target_key(self.plan, item)
        except TablewrightError:
            target = None
        other = {} if target is None or target == key else {"target": {"M": target}}
        return {"M": {"key": {"M": key}, **other}}

    def marked(self, part: Item, plan: EntityPlan, origin: AttributeValue) -> Item:
        """A part that tells whose it is."""
        mark = {"of": {"S": self.plan.type_name}, "origin": origin, "content": {"S": self._held(part, plan)}}
        return {**part, PART: {"M": mark}}

    def ended(self, item: Item) -> bool:
        """Whether an item has nothing that parts are made of: it was removed already, or code of the new model has written it."""
        return bool(self.removes) and all(name not in item for name in self.removes)

    @property
    def noted_names(self) -> AttributeValue:
        """What parts are made of, as it is noted."""
        return {"L": [{"S": name} for name in self.removes]}

    def is_part(self, part: Item) -> bool:
        """Whether an item is a part of one of these."""
        mark = part.get(PART)
        return mark is not None and mark["M"]["of"] == {"S": self.plan.type_name}

    def plan_of(self, part: Item) -> EntityPlan | None:
        """The entity of a part."""
        return next((plan for plan in self.parts.values() if plan.owns(part)), None)

    def intact(self, part: Item) -> bool:
        """Whether a part holds what it was made with."""
        plan = self.plan_of(part)
        return plan is not None and part[PART]["M"]["content"] == {"S": self._held(part, plan)}

    def unmarked(self, part: Item) -> Action:
        """A part that is on its own from now on."""
        update = ast.Update((remove(PART),))
        return Action("Update", self.key_of(part), update=update, condition=holds((PART,), part[PART]))

    def key_of(self, item: Item) -> Item:
        """The primary key of any item of the table."""
        return self.plan.key_of_item(item)

    def _held(self, part: Item, plan: EntityPlan) -> str:
        """What a part holds, apart from where it lies: neither keys nor marks."""
        own = {field.path[0] for field in plan.fields.values()}
        keys = {*self.key_of(part), *(self.index_attributes - own)}
        return digest({n: v for n, v in part.items() if n not in keys and not is_note(n)})

    # --------------------------------------------------------------------------------------------- unique values

    def unique_values(
        self, gone: Sequence[tuple[EntityPlan, Item]], made: Sequence[tuple[EntityPlan, Item]]
    ) -> list[Action] | Skipped:
        """The unique values of parts, given up by those that go and taken by those that come."""
        given = {same_key(one.key): one for plan, part in gone for one in _values(plan, part, release)}
        taken = [one for plan, part in made for one in _values(plan, part, claim)]
        if len({same_key(one.key) for one in taken}) < len(taken):
            return Skipped("two of its parts would have the same unique value")
        found: list[Action] = []
        for one in taken:
            giving = given.pop(same_key(one.key), None)
            found.append(one if giving is None else hand_over(one, giving))
        return [*found, *given.values()]


def origin_keys(mark: AttributeValue) -> list[Item]:
    """Where the item of an origin may lie."""
    return [key["M"] for key in mark["M"]["origin"]["M"].values()]


def part_keys(mark: AttributeValue) -> list[Item]:
    """Where the parts of an item were put."""
    return list({same_key(key["M"]): key["M"] for key in mark["M"]["parts"]["L"]}.values())


def plain(plan: EntityPlan, part: Item) -> Item:
    """What a part is about: neither when it was written nor what is noted in it."""
    names = plan.names
    stamps = (names.created, names.updated, names.version)
    return {name: value for name, value in without(part, stamps).items() if not is_note(name)}


def _values(plan: EntityPlan, part: Item, how: Callable[..., Action]) -> Iterator[Action]:
    found = stored_markers(plan, part)
    for unique in plan.uniques:
        marker = found[unique.name]
        if marker is not None:
            yield how(plan, unique, marker, plan.key_of_item(part))
