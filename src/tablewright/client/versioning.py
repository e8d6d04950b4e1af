"""Schema versions on their way: older items of an answer are made current ones, and upgraded where a write meets them.

It stands between an operation and its driver, so that every read and every write passes here, whatever planned it: what
an operation gets is of the model's version, and nothing it writes is mixed with another one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, TypeVar

from msgspec.structs import replace

from tablewright.client.calls import Call, Steps
from tablewright.client.context import GUARD_ATTEMPTS, Context
from tablewright.client.downcasting import Downcaster
from tablewright.client.fetching import fetch_items
from tablewright.client.parts import Parts, parts_of
from tablewright.client.stumbling import items_of_answer
from tablewright.client.watching import library_log
from tablewright.client.widening import Wide, widened
from tablewright.client.writes.action import same_key
from tablewright.client.writes.upgrade import upgraded
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.versions import Versions
from tablewright.errors import (
    ConditionalCheckFailed,
    SchemaVersionError,
    TablewrightError,
    TransactionCanceled,
    UniqueViolationError,
)
from tablewright.values.types import Item

T = TypeVar("T")
Found = dict[int, Item | None]
"""What is handed out instead of items of an answer, by their identity; None for one that is gone."""

_WHOLE = ("ALL_NEW", "ALL_OLD")
_READS = frozenset({"GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems"})


class Versioner:
    """Knows which entities of a table have schema versions. `plans` is empty where none has, and then nobody calls
    `follow`."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.plans: Mapping[str, EntityPlan] = context.plan.versioned
        self._downcaster = Downcaster(context) if context.options.write_versions else None

    def follow(self, steps: Steps[T]) -> Steps[T]:
        """The steps of an operation, each answer with items of the model's versions."""
        try:
            step = next(steps)
            while True:
                try:
                    answer = yield from (self._carry_out(step) if isinstance(step, Call) else _passed_on(step))
                except TablewrightError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as stop:
            result: T = stop.value
            return result

    def _carry_out(self, call: Call) -> Steps[dict[str, Any]]:
        send: Callable[[Call], Steps[dict[str, Any]]] = _passed_on
        if self._downcaster is not None and self._downcaster.concerns(call):
            send = self._downcaster.carry_out
        wide = widened(call, self._context.plan.table.names, self.plans.values())
        if wide is not None:
            answer = yield wide.call
            return wide.counted((yield from self._current(wide.call, answer, wide)))
        answer = yield from self._sent(call, send)
        if call.operation in _READS:
            return (yield from self._current(call, answer))
        if call.request.get("ReturnValues") in _WHOLE:
            try:
                return (yield from self._current(call, answer))
            except SchemaVersionError as error:
                done = "deleted" if call.operation == "DeleteItem" else "written"
                raise SchemaVersionError(
                    f"The item was {done}, but what came back of it cannot be read: {error.message}",
                    hint="It was carried out, and does not have to be repeated; see the cause.",
                    context=error.context,
                ) from error.__cause__ or error
        return answer

    def _sent(self, call: Call, send: Callable[[Call], Steps[dict[str, Any]]]) -> Steps[dict[str, Any]]:
        """The answer to a call; a write that met older items is sent again when they are upgraded."""
        attempt = 0
        while True:
            attempt += 1
            try:
                return (yield from send(call))
            except (ConditionalCheckFailed, TransactionCanceled) as error:
                old = self._met(call, error)
                if not old or attempt == GUARD_ATTEMPTS:
                    raise self._told(error) from error.__cause__
            for plan, item in old:
                yield from self._upgrade(plan, item)

    # ---------------------------------------------------------------------------------------------- writes that met

    def _met(self, call: Call, error: ConditionalCheckFailed | TransactionCanceled) -> list[tuple[EntityPlan, Item]]:
        """The older items that stood in the way of a write because of their version. A newer one is refused."""
        bodies = [body for action in call.request.get("TransactItems", ()) for body in action.values()]
        pairs: Iterable[tuple[Item | None, dict[str, Any]]] = [(getattr(error, "item", None), call.request)]
        if isinstance(error, TransactionCanceled):
            pairs = zip((r.item for r in error.reasons), bodies, strict=False)
        found = []
        for item, body in pairs:
            plan = None if item is None else self._plan_of(item)
            if plan is None or item is None or plan.versions is None or plan.alive(item) is None:
                continue
            if plan.versions.attribute not in body.get("ExpressionAttributeNames", {}).values():
                continue  # it did not ask for a version
            if plan.versions.of(item) != plan.versions.number and plan.versions.upcasts:
                found.append((plan, item))
        return found

    def _told(self, error: ConditionalCheckFailed | TransactionCanceled) -> TablewrightError:
        """The error, with the items that it brings along as current ones."""
        if isinstance(error, ConditionalCheckFailed):
            error.item = self._shown(error.item)
        else:
            error.reasons = tuple(replace(r, item=self._shown(r.item)) if r.item else r for r in error.reasons)
        return error

    def _shown(self, item: Item | None) -> Item | None:
        plan = None if item is None else self._plan_of(item)
        if plan is None or item is None:
            return item
        try:
            return plan.current(item)
        except TablewrightError:  # whoever looks at it is told
            return item

    def _upgrade(self, plan: EntityPlan, old: Item) -> Steps[bool]:
        """Whether an older item was written back as a current one. If not, somebody else was faster."""
        table = self._context.table
        first, *moves = upgraded(plan, old).actions
        try:
            if not moves:
                yield Call("UpdateItem", first.body(table), entity=plan.name)
                return True
            actions = [{a.kind: a.body(table)} for a in (first, *moves)]
            request = {"TransactItems": actions, "ClientRequestToken": self._context.token()}
            yield Call("TransactWriteItems", request, True, entity=plan.name)
        except ConditionalCheckFailed:
            return False
        except TransactionCanceled as canceled:
            codes = [reason.code for reason in canceled.reasons]
            if codes[0] == "ConditionalCheckFailed" or canceled.transient:
                return False
            if "ConditionalCheckFailed" not in codes:
                raise
            raise UniqueViolationError(
                f"A stored {plan.name} cannot be upgraded: a unique value that its upcasts make belongs to another one.",
                key=plan.told_by_key(first.key),
                hint="Nothing was written; change one of the two, or the upcast.",
                context={"entity": plan.name},
            ) from canceled
        return True

    # ---------------------------------------------------------------------------------------------- what was read

    def _current(self, call: Call, answer: dict[str, Any], wide: Wide | None = None) -> Steps[dict[str, Any]]:
        """An answer with current items in the place of older ones, as far as they are meant. A part of an older item cannot
        be made a part of a current one, so that such an item is read whole."""
        parts = parts_of(call, self._context.plan.table)
        old: list[tuple[EntityPlan, Item]] = []
        doubtful: list[Item] = []
        found: Found = {}
        for item in items_of_answer(answer):
            if item.__class__ is not dict:  # read straight from JSON by a form, which only takes current ones
                break
            plan = self._plan_of(item)
            if plan is None or plan.versions is None:
                if wide is not None and self._context.plan.table.names.type not in item:
                    doubtful.append(item)
            elif plan.alive(item) is None:
                if wide is not None and not wide.means(item):
                    found[id(item)] = None
            elif self._is_old(plan.versions, item, parts):
                old.append((plan, item))
        if not (old or doubtful or found):
            return answer
        met = [*(item for _, item in old), *doubtful]
        wholes = {self._name(item): item for item in met}
        if met and not parts.whole:
            wholes = yield from fetch_items(self._context, [self._key(item) for item in met], strong=False)
        for item in doubtful:
            whole = wholes.get(self._name(item))
            if whole is None or wide is None or not wide.means(whole):
                found[id(item)] = None
        for plan, item in old:
            current = yield from self._made_current(call, plan, wholes.get(self._name(item)))
            meant = current is not None and (wide is None or wide.means(current))
            found[id(item)] = parts.placed(current, item) if current is not None and meant else None
        return _replaced(answer, found)

    def _is_old(self, versions: Versions, item: Item, parts: Parts) -> bool:
        """Whether an item is an older one, or does not say whether it is."""
        if versions.attribute not in item and not parts.tells(versions.attribute):
            return versions.upcasts
        return versions.of(item) != versions.number and versions.upcasts

    def _made_current(self, call: Call, plan: EntityPlan, item: Item | None) -> Steps[Item | None]:
        """A whole item as a current one, written back if reads should do that. Where somebody was faster with a write, the
        item is what they made of it."""
        if item is None or plan.alive(item) is None:  # deleted softly since the read that met it
            return self._deleted(call, item)
        current = plan.current(item)
        if current is item or not self._context.options.upgrade_on_read or call.operation not in _READS:
            return current
        try:
            done = yield from self._upgrade(plan, item)
        except TablewrightError as error:
            # The read was answered: that its item cannot be written is no reason to fail it.
            library_log().warning("A stored %s was read, but could not be upgraded: %s", plan.name, error.message)
            return current
        if done or call.operation == "TransactGetItems":  # which is about one moment
            return current
        again = (yield from fetch_items(self._context, [self._key(item)], strong=True)).get(self._name(item))
        return self._deleted(call, again) if again is None or plan.alive(again) is None else plan.current(again)

    def _deleted(self, call: Call, tombstone: Item | None) -> Item | None:
        """What is handed out for an item that is gone. A query has asked for none that are; who reads by key may want the
        tombstone, and knows it."""
        return None if call.operation in ("Query", "Scan") else tombstone

    # ---------------------------------------------------------------------------------------------- whose an item is

    def _key(self, item: Item) -> Item:
        table = self._context.plan.table
        return {key.name: item[key.name] for key in (table.pk, table.sk) if key is not None}

    def _name(self, item: Item) -> Hashable:
        return same_key(self._key(item))

    def _plan_of(self, item: Item) -> EntityPlan | None:
        """The entity of an item, if it has versions; one without a type, stored before there was a model, by its key."""
        table = self._context.plan.table
        kind = item.get(table.names.type)
        if kind is not None:
            return self.plans.get(kind.get("S", ""))
        return next((plan for plan in self.plans.values() if plan.has_key(item)), None)


def _passed_on(step: Any) -> Steps[dict[str, Any]]:
    return (yield step)


def _replaced(answer: dict[str, Any], found: Found) -> dict[str, Any]:
    """The answer with what was found in the place of its items."""

    def each(items: Iterable[Item]) -> list[Item]:
        return [new for item in items if (new := found.get(id(item), item)) is not None]

    changed = dict(answer)
    for member in ("Item", "Attributes"):
        if answer.get(member):
            kept = each([changed.pop(member)])
            changed |= {member: kept[0]} if kept else {}
    if "Items" in answer:
        changed["Items"] = each(answer["Items"])
    responses = answer.get("Responses")
    if isinstance(responses, dict):
        changed["Responses"] = {table: each(items) for table, items in responses.items()}
    elif responses is not None:
        changed["Responses"] = [
            {"Item": left[0]} if (left := each([one["Item"]] if one.get("Item") else [])) else {} for one in responses
        ]
    return changed
