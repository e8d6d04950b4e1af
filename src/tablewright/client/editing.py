"""Read, change, write: an entity edited in place becomes an update of just the fields that changed."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct

from tablewright.client import hooks
from tablewright.client.calls import Pause, Steps, check_function
from tablewright.client.context import GUARD_PAUSE, Context
from tablewright.client.fetching import fetch_item
from tablewright.client.performing import perform
from tablewright.client.targets import Target, resolve
from tablewright.client.writes.base import at, by_key, unchanged
from tablewright.client.writes.changes import check_changes
from tablewright.client.writes.items import remember
from tablewright.client.writes.update import Update
from tablewright.compiler.conditions import conjunction
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import ArgumentError, ConcurrentModificationError, NotFoundError, TablewrightError
from tablewright.model.change import Action, Assign
from tablewright.model.entity import Entity, Stored, stored
from tablewright.values.types import Item

E = TypeVar("E", bound=Entity)


class Edit(Struct, Generic[E], eq=False):
    """An entity that is being edited, with the item as it was read."""

    entity: E
    before: E
    item: Item
    key: Item
    plan: EntityPlan


class _Edited(Update, eq=False):
    """An update whose condition is that the edited fields are as they were read."""

    def refused(self, old: Item) -> TablewrightError:
        key = self.plan.told_by_key(self.key)
        return ConcurrentModificationError(
            f"Somebody else changed the same fields of this {self.plan.name}{by_key(key)} since it was read.",
            item=self.met(old),
            key=key,
            hint="Nothing was written; edit it again.",
            context={"entity": self.plan.name, "fields": sorted(self.changes.touched)},
        )


def begin(context: Context, target: Target[E]) -> Steps[Edit[E]]:
    """Reads an item to be edited."""
    found = yield from resolve(context, target)
    item = found.plan.alive((yield from fetch_item(context, found.key, strong=True)))
    if item is None or not found.is_meant(item):
        raise NotFoundError(
            f"There is no such {found.plan.name} to edit.",
            key=found.plan.told_by_key(found.key),
            context={"entity": found.plan.name},
        )
    plan = found.plan
    return Edit(plan.decode(item), plan.decode(item), item, found.key, plan)


def finish(context: Context, edit: Edit[Any]) -> Steps[None]:
    """Writes the fields that differ, if they are still stored as they were read."""
    plan = edit.plan
    values = plan.validated(edit.entity)
    before = plan.encode_fields({name: getattr(edit.before, name) for name in plan.fields})
    after = plan.encode_fields(values)
    # As they are stored: True and 1 are equal in Python, but not in the table.
    changed = frozenset(n for n, f in plan.fields.items() if at(before, f.path) != at(after, f.path))
    if not changed:
        return
    known = stored(edit.before) or Stored()
    actions: Sequence[Action] = [Assign((name,), values[name]) for name in sorted(changed)]
    if plan.hooks is not None:
        actions = hooks.before_update(plan.hooks, actions)
    changes = check_changes(plan, actions)
    values, changed = {**values, **changes.assigned}, changes.touched
    write = _Edited(
        plan,
        edit.key,
        changes=changes,
        values={name: values[name] for name in plan.key_fields},
        copy=lambda: edit.item,
        condition=conjunction(unchanged(plan, changed, edit.item)),
    )
    if plan.options.version or plan.options.lock:
        write.expected, write.born = known.updated if plan.options.lock else known.version, known.created
    outcome = yield from perform(context, write)
    edit.entity.__dict__.update({name: values[name] for name in changed} | write.worked_out)
    remember(
        edit.entity,
        Stored(
            (known.version or 0) + 1 if plan.options.version else None,
            known.created,
            outcome.now if plan.options.timestamps else None,
            plan.options.schema_version,
        ),
        edit.key,
    )


def revise(context: Context, target: Target[E], function: Callable[[E], object], attempts: int) -> Steps[E]:
    """Edits by a function, which is called again on the item as it is then when another writer was faster."""
    if not isinstance(attempts, int) or attempts < 1:
        raise ArgumentError("revise() takes a number of attempts, at least one.", constraint="attempts >= 1")
    check_function("revise()", function, "Pass a function that changes the entity it is given.")
    attempt = 0
    while True:
        attempt += 1
        edit = yield from begin(context, target)
        returned = function(edit.entity)
        if isinstance(returned, Coroutine):
            returned.close()
            raise ArgumentError(
                "revise() was given an async function, which it cannot wait for.",
                hint="Do what must be awaited before, and change the entity in a plain function.",
            )
        try:
            yield from finish(context, edit)
        except ConcurrentModificationError:
            if attempt == attempts:
                raise
        else:
            return edit.entity
        yield Pause(min(attempt - 1, 4), GUARD_PAUSE)
