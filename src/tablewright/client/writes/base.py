"""What every planned write has in common: a key, conditions of the caller's own, and an account of what failed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any, ClassVar

from msgspec import Struct, field

from tablewright.client.unsaid import UNSET, Lock, Unset
from tablewright.client.watching import condition_in_words
from tablewright.client.writes.action import Action, same_key
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.fields import FieldPlan
from tablewright.compiler.strangers import stranger
from tablewright.compiler.wirecodec import format_datetime, parse_datetime
from tablewright.errors import (
    ConcurrentModificationError,
    ConditionalCheckError,
    DecodeError,
    NotFoundError,
    TablewrightError,
    UniqueViolationError,
)
from tablewright.expressions import ast, evaluate
from tablewright.expressions.builder import all_of, any_of
from tablewright.model.entity import with_article
from tablewright.values.types import AttributeValue, Item

_COMPARED = 128
"""Attributes that a condition may name: an expression has 4 KB at most."""


class Write(Struct, eq=False):
    """A write of one entity. `actions` plans it against the current item, `verdict` explains a failed condition."""

    must_exist: ClassVar[bool] = True
    """Whether an item that is not there is an error."""

    plan: EntityPlan
    key: Item
    condition: ast.Condition | None = None
    expected: Lock = UNSET
    born: str | None = None
    """With an expected version: when the item was created. One that was deleted and made anew counts from 1 again."""
    met_through: ast.Condition | None = None
    """What an index said of the item that it led to. An index is behind its table: it may no longer be so."""
    foreign: set[bytes] = field(default_factory=set)
    """Markers that turned out to be another owner's, so that they are not this write's to give up."""

    @property
    def called(self) -> str:
        """What the caller calls it: the method of a session, or the declared change."""
        return type(self).__name__.lower()

    @property
    def needs_current(self) -> bool:
        """Whether the stored item must be known before this can be planned."""
        return False

    @property
    def guarded(self) -> bool:
        """Whether its conditions include a guard; without one, only the caller's own condition can fail."""
        return self.needs_current

    def guess(self) -> Item | None:
        """What the caller's own copy says of the item; the guard finds out if it is old."""
        return None

    def seen(self, item: Item | None) -> Item | None:
        """What this write makes of a stored item: a tombstone is none."""
        return self.plan.alive(item)

    def stamp(self, current: Item | None, now: str) -> str:
        """The time to write. Where it is a lock, it is newer than the last one, whatever the clock says."""
        if not self.plan.options.lock:
            return now
        last = self.expected if isinstance(self.expected, str) else None
        if last is None and current is not None and self.plan.names.updated in current:
            last = current[self.plan.names.updated].get("S", "")
        return now if last is None or last < now else _later(self.plan, last)

    def actions(self, current: Item | None, now: str) -> list[Action]:
        """The actions; the first is on the entity itself, the rest on its markers."""
        raise NotImplementedError

    # -------------------------------------------------------------------------------------------- explaining

    def verdict(self, old: Item | None) -> TablewrightError | None:
        """Why this write cannot happen on this item; None if only the guard failed and it can be planned again."""
        if old is None and (self.must_exist or isinstance(self.expected, int | str)):
            return self.missing()
        if old is not None and self.met_through is not None and not evaluate(self.met_through, old):
            return gone_from_index(self.plan)
        if old is not None and not evaluate(self.not_foreign(), old):
            what = f"{type(self).__name__.lower()}() of {with_article(self.plan.name)}"
            return stranger(self.plan.entity, old, what)
        if self.condition is not None and not evaluate(self.condition, old):
            return self.missing() if old is None else self.refused(old)
        return self._version_error(old) if old is not None else None

    def missing(self) -> TablewrightError:
        """The error for an item that is not there."""
        return NotFoundError(
            f"There is no such {self.plan.name}.",
            key=self.plan.told_by_key(self.key),
            hint="Nothing was written; create() makes a new one.",
            context={"entity": self.plan.name},
        )

    def refused(self, old: Item) -> TablewrightError:
        """The error for an item that does not meet the caller's condition."""
        failed = self._failed(old)
        return ConditionalCheckError(
            f"The condition on {self.plan.name} does not hold{': ' + failed if failed else ''}.",
            condition=failed or None,
            item=self.met(old),
            key=self.plan.told_by_key(self.key),
            hint="Nothing was written.",
            context={"entity": self.plan.name},
        )

    def _failed(self, old: Item) -> str:
        """Which parts of the caller's condition do not hold, with names but without values."""
        terms = self.condition.terms if isinstance(self.condition, ast.And) else (self.condition,)
        return ", ".join(condition_in_words(t) for t in terms if t is not None and not evaluate(t, old))

    def met(self, old: Item) -> Any:
        """The stored item as an entity, for an error; None when it cannot be read as one."""
        try:
            return self.plan.decode(old)
        except DecodeError:
            return None

    def _version_error(self, old: Item) -> TablewrightError | None:
        if isinstance(self.expected, Unset):
            return None
        found = old.get(self._lock)
        if found is not None and self.plan.options.version and not found.get("N", "").isdecimal():
            return DecodeError(
                f"A stored {self.plan.name} has a {self.plan.names.version!r} that is no whole number.",
                hint="Nothing was written; the item was written by other code.",
                context={"entity": self.plan.name},
            )
        if found == self._wanted() and (self.born is None or old.get(self.plan.names.created) == {"S": self.born}):
            return None
        key = self.plan.told_by_key(self.key)
        return ConcurrentModificationError(
            f"Somebody else changed this {self.plan.name}{by_key(key)} since it was read.",
            item=self.met(old),
            key=key,
            hint="Nothing was written; read it again and repeat the change, or let revise() do both.",
            context={"entity": self.plan.name},
        )

    def marker_verdict(self, action: Action) -> TablewrightError | None:
        """Why the action on a marker failed: a value that is taken is an error, one that is not ours to give up is
        left alone."""
        if action.kind == "Delete":
            self.foreign.add(same_key(action.key))
            return None
        return UniqueViolationError(
            f"{self.plan.name}: the value of {action.marker} belongs to another {self.plan.name}.",
            key=self.plan.told_by_key(self.key),
            hint="Nothing was written; choose another value.",
            context={"entity": self.plan.name, "unique": action.marker},
        )

    # ----------------------------------------------------------------------------------------- building blocks

    def own_conditions(self, *more: ast.Condition) -> list[ast.Condition]:
        """The caller's condition, the expected version, and more."""
        conditions = list(more)
        if self.condition is not None:
            conditions.append(self.condition)
        if self.met_through is not None:
            # A delete of what is gone is no error, and may be sent again.
            conditions.append(self.met_through if self.must_exist else any_of(self.absent(), self.met_through))
        if not isinstance(self.expected, Unset):
            conditions.append(holds((self._lock,), self._wanted()))
            if self.born is not None:
                conditions.append(holds((self.plan.names.created,), {"S": self.born}))
        return conditions

    @property
    def _lock(self) -> str:
        """The attribute that a lock compares."""
        return self.plan.names.updated if self.plan.options.lock else self.plan.names.version

    def _wanted(self) -> AttributeValue | None:
        return None if self.expected is None else {"S" if self.plan.options.lock else "N": str(self.expected)}

    def newer(self, now: str) -> list[ast.Condition]:
        """Where the time of the last write is a lock and the stored one is not known: it must be older than this one, so
        that whoever read the item notices."""
        if not self.plan.options.lock or isinstance(self.expected, str):
            return []
        path = (self.plan.names.updated,)
        older = ast.Compare("<", ast.Attribute(path), ast.Value({"S": now}))
        return [any_of(ast.AttributeNotExists(path), older)]

    def exists(self) -> ast.Condition:
        """The item is there, and no other entity's."""
        there = ast.AttributeExists((self.plan.table.pk.name,))
        found = ast.Or((self._tagged(), ast.And((there, ast.AttributeNotExists((self.plan.names.type,))))))
        return found if self.plan.hides is None else all_of(found, ast.AttributeNotExists((self.plan.hides,)))

    def not_foreign(self) -> ast.Condition:
        """If an item is there, it is no other entity's; one that carries no type was stored before there was a model."""
        return ast.Or((ast.AttributeNotExists((self.plan.names.type,)), self._tagged()))

    def _tagged(self) -> ast.Condition:
        return holds((self.plan.names.type,), {"S": self.plan.options.type})

    def absent(self) -> ast.Condition:
        """The item is not there."""
        nothing = ast.AttributeNotExists((self.plan.table.pk.name,))
        return nothing if self.plan.hides is None else any_of(nothing, ast.AttributeExists((self.plan.hides,)))

    def in_version(self) -> list[ast.Condition]:
        """The item that is met, if any, is of the schema version that this write is planned for: two versions are not mixed
        in one item. One that is older is upgraded on the way, and the write sent again."""
        versions = self.plan.versions
        if versions is None:
            return []
        return [versions.as_written(absent=None if self.must_exist else self.absent())]

    def in_known_version(self) -> list[ast.Condition]:
        """The item that is met, if any, is of no newer schema version than this program knows."""
        return [] if self.plan.versions is None else [self.plan.versions.not_newer()]

    def exactly(self, current: Item) -> list[ast.Condition]:
        """The guard for the whole item: with a version every write shows in it, else every attribute must hold."""
        names = self.plan.names
        held = {names.version, names.created, names.updated}
        # Every write stamps the time. Two in one microsecond would not show, so fields are compared while they are few.
        wide = len(self.plan.fields) + len(current) > _COMPARED and names.updated in current
        if not self.plan.options.version and not wide:
            held = {*current, *(f.path[0] for f in self.plan.fields.values())} - self.key.keys()
        return self.as_before(current, *sorted(held))

    def as_before(self, current: Item | None, *attributes: str) -> list[ast.Condition]:
        """The guard for the library's own attributes: each is still what it was."""
        return [holds((name,), (current or {}).get(name)) for name in attributes]


def _later(plan: EntityPlan, text: str) -> str:
    try:
        return format_datetime(parse_datetime(text) + timedelta(microseconds=1))
    except (ValueError, OverflowError):  # there is nothing after the last moment that can be written down
        raise DecodeError(
            f"A stored {plan.name} has a {plan.names.updated!r} that is no time as this library writes it.",
            hint="Nothing was written; the item was written by other code.",
            context={"entity": plan.name},
        ) from None


def by_key(fields: Iterable[str]) -> str:
    """Which fields tell the item apart, for a message: their names, since values stay out of messages."""
    names = ", ".join(fields)
    return f" ({names})" if names else ""


def gone_from_index(plan: EntityPlan) -> NotFoundError:
    """The error where an index does not lead to an item, or to one that meanwhile is another."""
    return NotFoundError(
        f"There is no such {plan.name}.",
        hint="Nothing was written. An index follows its table with a short delay: what was written just now may be "
        "missing from it, or still stand in its old place.",
        context={"entity": plan.name},
    )


def unchanged(plan: EntityPlan, fields: frozenset[str], current: Item | None) -> list[ast.Condition]:
    """The guard: these fields are stored as they were read, absence included."""
    return [_same(plan, plan.sources[n], at(current, plan.sources[n].path)) for n in sorted(fields)]


def _same(plan: EntityPlan, field: FieldPlan, value: AttributeValue | None) -> ast.Condition:
    if field.default is not None and field.name not in plan.unique_fields:
        default = field.default()
        constant = default == field.default() and not field.absent(default)
        stored = field.encode(default) if constant else None
        if stored is not None and value in (None, stored):
            # Stored or left out, every reader sees the default, and so does every key.
            return any_of(ast.AttributeNotExists(field.path), holds(field.path, stored))
    return holds(field.path, value)


def holds(path: ast.Path, value: AttributeValue | None) -> ast.Condition:
    """The path holds this value; None: nothing."""
    if value is None:
        return ast.AttributeNotExists(path)
    return ast.Compare("=", ast.Attribute(path), ast.Value(value))


def at(item: Item | None, path: tuple[str, ...]) -> AttributeValue | None:
    """The value at a path of map keys; None where there is none."""
    value: Any = {"M": item or {}}
    for step in path:
        value = value.get("M", {}).get(step)
        if value is None:
            return None
    found: AttributeValue = value
    return found
