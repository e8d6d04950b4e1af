"""What all work on items shares: which items are its own, what their values are, and conditions that they are as they were read."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.json import Encoder

from tablewright.client.writes.action import Action
from tablewright.client.writes.base import at, holds
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.noted import COPIED_TO, COPY_OF, is_note
from tablewright.errors import SchemaVersionError, TablewrightError
from tablewright.evolve.jobs.checkpoints import Checkpoints
from tablewright.evolve.jobs.in_table import InTable
from tablewright.evolve.jobs.work import Decision, Met, Skipped, Writes
from tablewright.expressions import ExpressionBuilder, all_of, any_of, ast
from tablewright.values.types import Item

COPY = COPY_OF
"""On an item that was copied to a new key: where it came from, and what it was then."""
COPIED = COPIED_TO
"""On the item that it was copied from: where the copy is, and what was copied."""
MARKS = frozenset((COPY, COPIED))

_COMPARED = 80
"""More attributes than this do not fit into one condition."""
_in_order = Encoder(order="sorted").encode

UNREADABLE = "a field that its keys are made of cannot be read"
READ = "it has an older schema version, and what would be removed may be needed to make a current item of it"
TOO_WIDE = "it has too many attributes to be compared in one condition, and no version"


class ItemWork(Struct, frozen=True, eq=False):
    """Work on the items of one entity in a table."""

    plan: EntityPlan
    table: str

    @property
    def reads(self) -> dict[str, Any]:
        """The items of the entity, and those without a type, which may be."""
        kind = (self.plan.type_attribute,)
        return strongly(any_of(holds(kind, {"S": self.plan.type_name}), ast.AttributeNotExists(kind)))

    def concerns(self, item: Item) -> bool:
        """Whether an item is of the entity, and neither a tombstone nor a copy, which follows the item that it is of."""
        return belongs(self.plan, item) and self.plan.alive(item) is not None and COPY not in item

    def writes(self, *actions: Action, met: Met | None = None) -> Writes:
        """The actions as they are sent."""
        return Writes(tuple({action.kind: action.body(self.table)} for action in actions), met)

    def change(self, item: Item, update: Iterable[ast.UpdateAction], *guards: ast.Condition) -> Writes:
        """One update of an item that is still there, under conditions."""
        key = self.plan.key_of_item(item)
        there = ast.AttributeExists((self.plan.table.pk.name,)), *as_read(item, (self.plan.type_attribute,))
        return self.writes(Action("Update", key, update=ast.Update(tuple(update)), condition=all_of(*there, *guards)))


class BesideWork(ItemWork, frozen=True, eq=False):
    """Work that looks at other items of the same table, too."""

    @property
    def writes_to(self) -> tuple[str, ...]:
        """All of them lie in one table."""
        return (self.table,)

    def checkpoints(self, lease: float) -> Checkpoints:
        """In the table."""
        return kept_in(self.plan, self.table, lease)

    def look(self, item: Item) -> Decision:
        """Nothing can be said without what lies beside it."""
        return None


def kept_in(plan: EntityPlan, table: str, lease: float) -> Checkpoints:
    """Checkpoints in the table of an entity."""
    keys = (plan.table.pk, plan.table.sk)
    return InTable(table, tuple(key for key in keys if key is not None), lease=lease)


def belongs(plan: EntityPlan, item: Item) -> bool:
    """Whether an item is of an entity. Those that were there before the model need have no type: their key tells it, together
    with anything else that the entity has."""
    if plan.type_attribute in item:
        return plan.owns(item)
    own = {field.path[0] for field in plan.fields.values()} - {plan.table.pk.name, plan.table.sk and plan.table.sk.name}
    return plan.has_key(item) and not own.isdisjoint(item)


def strongly(condition: ast.Condition) -> dict[str, Any]:
    """Members of a Scan that meets such items, as they are at that moment."""
    return {"ConsistentRead": True, **ExpressionBuilder().filter(condition).build()}


def set_to(name: str, value: Mapping[str, Any]) -> ast.SetAction:
    """Assigns an attribute."""
    return ast.SetAction((name,), ast.Value(dict(value)))


def remove(name: str) -> ast.RemoveAction:
    """Removes an attribute."""
    return ast.RemoveAction((name,))


def as_read(item: Item, names: Iterable[str]) -> tuple[ast.Condition, ...]:
    """These attributes are what they were, absence included."""
    return tuple(holds((name,), item.get(name)) for name in sorted(names))


def values_of(plan: EntityPlan, item: Item, names: Iterable[str]) -> dict[str, Any]:
    """Fields of a stored item, as the model's schema version has them."""
    return plan.values_in(plan.current(item), names)


def upcasts_need(plan: EntityPlan, item: Item, names: Collection[str]) -> bool:
    """Whether a current item of an older one would be another without these attributes, or none."""
    versions = plan.versions
    if versions is None or not versions.is_old(item):
        return False
    plain = {name: value for name, value in item.items() if not is_note(name)}  # of what upcasts alone make
    try:
        now, then = versions.current(plain), versions.current(without(plain, names))
    except TablewrightError:
        return True
    return without(now, names) != without(then, names)


def fields_as_read(plan: EntityPlan, item: Item, names: Iterable[str]) -> tuple[ast.Condition, ...] | None:
    """These fields are stored as they were; None where that is more than a condition can hold. In an older schema version they
    may be made of anything that it has."""
    if plan.versions is not None and plan.versions.is_old(item):
        guard = whole(plan, item)
        return None if guard is None else (guard,)
    return tuple(holds(plan.sources[n].path, at(item, plan.sources[n].path)) for n in sorted(names))


def whole(plan: EntityPlan, item: Item) -> ast.Condition | None:
    """Nothing of the item has changed; None where that is more than a condition can hold."""
    key, names = plan.key_of_item(item), plan.names
    there = ast.AttributeExists((plan.table.pk.name,))
    held = {*item, *(f.path[0] for f in plan.fields.values()), *names.own(), *MARKS} - key.keys()
    if len(held) > _COMPARED:
        if names.version not in item:
            return None
        held = {names.version, names.updated, *MARKS}
    return all_of(there, *as_read(item, held))


def check_version(plan: EntityPlan, item: Item) -> None:
    """Refuses an item of a schema version that the model cannot know: nor is it known what its attributes mean."""
    if plan.versions is not None:
        plan.versions.of(item)


def absent(plan: EntityPlan) -> ast.Condition:
    """Nothing lies under the key."""
    return ast.AttributeNotExists((plan.table.pk.name,))


def digest(item: Item) -> str:
    """What an item holds, as a short text."""
    return hashlib.blake2b(_in_order(_canonical({"M": item})), digest_size=16).hexdigest()


def _canonical(value: Any) -> Any:
    """Sets in one order, whatever order they came in."""
    ((tag, content),) = value.items()
    match tag:
        case "M":
            return {tag: {name: _canonical(v) for name, v in content.items()}}
        case "L":
            return {tag: [_canonical(v) for v in content]}
        case "SS" | "NS" | "BS":
            return {tag: sorted(content)}
        case _:
            return value


def attempted(look: Callable[[], Decision]) -> Decision:
    """A look at an item that may not fit its entity: then it is skipped, with a reason that holds no value."""
    try:
        return look()
    except SchemaVersionError as error:  # which says what is wrong in the words of the model
        return Skipped(error.message)
    except TablewrightError as error:
        field = getattr(error, "field", None)
        return Skipped(f"{UNREADABLE} ({error.code}{f' of {field}' if field else ''})")


def identity(*parts: object) -> str:
    """A text that is the same for the same work, and for no other."""
    return hashlib.blake2b("\0".join(map(str, parts)).encode(), digest_size=16).hexdigest()


def key_texts(plan: EntityPlan) -> str:
    """The templates of the primary key."""
    return f"{plan.pk} / {plan.sk}"


def without(item: Item, names: Collection[str]) -> Item:
    """The rest of an item."""
    return {name: value for name, value in item.items() if name not in names}
