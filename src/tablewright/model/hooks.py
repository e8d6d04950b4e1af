"""Hooks: functions of an entity's own that run before a write is planned, and after it was made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import iscoroutinefunction
from types import FunctionType
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from msgspec import Struct

from tablewright.errors import ArgumentError, ModelError
from tablewright.model.change import Action, Assign

Kind: TypeAlias = Literal["created", "put", "updated", "deleted"]
E = TypeVar("E")
_MARK = "__tablewright_hooks__"
_WHOLE = ("before_create", "before_put")


class Changing:
    """The changes that an update is about to make. A hook may look at them, set more fields, or raise to refuse them."""

    __slots__ = ("_actions",)

    def __init__(self, actions: Iterable[Action]) -> None:
        self._actions = list(actions)

    @property
    def fields(self) -> frozenset[str]:
        """The fields that are changed, also where it is a part of them."""
        return frozenset(str(action.path[0]) for action in self._actions)

    @property
    def assigned(self) -> Mapping[str, Any]:
        """The new values of fields that are assigned as a whole, as the caller gave them."""
        return {str(a.path[0]): a.value for a in self._actions if isinstance(a, Assign) and len(a.path) == 1}

    def set(self, **values: Any) -> None:
        """Assigns fields; one that the update assigns itself gets this value instead."""
        for name, value in values.items():
            others = [
                a for a in self._actions if a.path[0] == name and not (isinstance(a, Assign) and len(a.path) == 1)
            ]
            if others:
                raise ArgumentError(
                    f"A hook sets {name!r}, which the update changes in another way.", field=name, hint="Set it before."
                )
            self._actions = [a for a in self._actions if a.path[0] != name] + [Assign((name,), value)]

    @property
    def actions(self) -> tuple[Action, ...]:
        """All changes, as the library knows them."""
        return tuple(self._actions)


class Deleting(Struct, frozen=True):
    """An item that is about to be deleted, by the fields of its primary key. A hook may raise to keep it."""

    key: Mapping[str, Any]
    """The fields of its primary key."""


class Written(Struct, Generic[E], frozen=True):
    """A write that was made. `key` holds the fields of the primary key; `entity` is the item after it (before it, where it
    was deleted) as far as the write itself tells; `fields` are those that an update changed.

    `kind` is "put" where the whole item was written and it is not known whether there was one before.
    """

    kind: Kind
    """What was done."""
    key: Mapping[str, Any]
    """The fields of the primary key."""
    entity: E | None = None
    """The item."""
    fields: frozenset[str] = frozenset()
    """The fields that an update changed."""


W = TypeVar("W", bound=Callable[[Any], None])
C = TypeVar("C", bound=Callable[[Changing], None])
D = TypeVar("D", bound=Callable[[Deleting], None])
A = TypeVar("A", bound=Callable[[Written[Any]], None])
H = TypeVar("H")


class Hooks(Struct, frozen=True, eq=False):
    """The hooks of an entity, in the order of the class."""

    before_create: tuple[Callable[[Any], None], ...] = ()
    before_put: tuple[Callable[[Any], None], ...] = ()
    before_update: tuple[Callable[[Changing], None], ...] = ()
    before_delete: tuple[Callable[[Deleting], None], ...] = ()
    after_write: tuple[Callable[[Written[Any]], None], ...] = ()


def before_create(hook: W) -> W:
    """Runs a method of the entity before it is created: it may change the entity, or raise to refuse the write.

    Index keys and unique values follow from what it leaves. Stack it with @before_put for both."""
    return _marked(hook, "before_create")


def before_put(hook: W) -> W:
    """The same before the entity is put."""
    return _marked(hook, "before_put")


def before_update(hook: C) -> C:
    """Runs a static method before fields of an item are changed, by update(), apply(), edit() and the like."""
    return _marked(hook, "before_update")


def before_delete(hook: D) -> D:
    """Runs a static method before an item is deleted."""
    return _marked(hook, "before_delete")


def after_write(hook: A) -> A:
    """Runs a static method after a write of the entity succeeded; in a transaction once for each write, after all were made.

    Not after a failure, and not where the outcome is unknown because a reply was lost: what must never be missed belongs
    into a consumer of the table's stream. A caller that repeats such a write may bring it here a second time."""
    return _marked(hook, "after_write")


def _marked(hook: H, moment: str) -> H:
    if isinstance(hook, staticmethod) or not callable(hook) or iscoroutinefunction(hook):
        what = "an async function" if callable(hook) and iscoroutinefunction(hook) else type(hook).__name__
        raise ModelError(
            f"@{moment} stands on {what}.",
            hint="Put it on a plain function, below @staticmethod where there is one.",
        )
    setattr(hook, _MARK, (*getattr(hook, _MARK, ()), moment))
    return hook


def hooks_of(entity: type) -> Hooks | None:
    """The hooks of a class and its bases; None where there are none. A name that is defined again replaces the hook."""
    named: dict[str, Any] = {}
    for base in reversed(entity.__mro__):
        named.update(vars(base))
    found: dict[str, list[Any]] = {}
    for name, value in named.items():
        static = isinstance(value, staticmethod)
        function = value.__func__ if static else value
        for moment in getattr(function, _MARK, ()) if isinstance(function, FunctionType) else ():
            if static is (moment in _WHOLE):
                raise ModelError(
                    f"{entity.__name__}.{name}: @{moment} stands on {'a static method' if static else 'a method'}.",
                    hint="Write it as a method: def hook(self)." if static else f"Write @staticmethod above @{moment}.",
                )
            found.setdefault(moment, []).append(function)
    return Hooks(**{moment: tuple(hooks) for moment, hooks in found.items()}) if found else None
