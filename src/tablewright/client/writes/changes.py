"""Checked changes: what the caller wants done to fields, validated, as update actions on the stored item."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, get_origin

from msgspec import Struct, field
from pydantic import BaseModel

from tablewright.client.writes.limits import Limit, increment, list_limits, parent_limits
from tablewright.client.writes.paths import parse_path
from tablewright.client.writes.starting import defaults_at, start_of
from tablewright.client.writes.verifying import fields_to_verify
from tablewright.compiler.changes import refuse_key_changes
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.rules import required_parts
from tablewright.errors import ArgumentError, EmptySetError, FieldTypeError
from tablewright.expressions import ast
from tablewright.model.annotations import members, plain, without_none
from tablewright.model.change import Action, Append, Assign, Discard, Include, Increment, Remove
from tablewright.model.conditions import FieldPath, path_text
from tablewright.values.types import AttributeValue


def _own(value: Any) -> Any:
    """A value of ours: it is looked at each time that the write is planned, and its owner may change it meanwhile."""
    kept = list(value) if isinstance(value, Iterator) else value
    try:
        return copy.deepcopy(kept)
    except Exception:  # something that cannot be copied; validation will say what it thinks of it
        return kept


class Checked(Struct, frozen=True):
    """Changes ready to be planned."""

    actions: tuple[ast.UpdateAction, ...] = ()
    assigned: Mapping[str, Any] = field(default_factory=dict)
    """The new values of fields that are set as a whole."""
    touched: frozenset[str] = frozenset()
    limits: tuple[Limit, ...] = ()
    kept: tuple[tuple[str, ast.Path], ...] = ()
    """Sets that members are taken from and that must not become empty: field and path."""
    verified: frozenset[str] = frozenset()
    """Fields whose new value must be looked at as a whole."""
    given: Mapping[str, Any] = field(default_factory=dict)
    """New values of fields that can only be validated with the others."""
    starts: Mapping[ast.Path, AttributeValue] = field(default_factory=dict)
    """Sets that are changed and have members by default: what they are where nothing is stored."""


def named_changes(
    *,
    set: Mapping[str, Any] | None,  # noqa: A002 - the caller's word
    add: Mapping[str, Any] | None,
    remove: Iterable[str],
    append: Mapping[str, Iterable[Any]] | None,
    include: Mapping[str, Iterable[Any]] | None,
    discard: Mapping[str, Iterable[Any]] | None,
) -> list[Action]:
    """The changes that db.update(...) names by text paths such as "address.city" or "lines[0].quantity"."""
    actions: list[Action] = [Assign(parse_path(p), v) for p, v in _named("set", set)]
    actions += [Increment(parse_path(p), v) for p, v in _named("add", add)]
    actions += [Remove(parse_path(p)) for p in ([remove] if isinstance(remove, str) else _listed("remove", remove))]
    kinds: tuple[tuple[str, Any, Callable[[FieldPath, Any], Action]], ...] = (
        ("append", append, Append),
        ("include", include, Include),
        ("discard", discard, Discard),
    )
    for word, given, kind in kinds:
        actions += [kind(parse_path(p), _listed(word, v)) for p, v in _named(word, given)]
    return actions


def _named(word: str, given: Mapping[str, Any] | None) -> Iterable[tuple[str, Any]]:
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise ArgumentError(
            f"update({word}=...) takes a mapping from field names to values, not {type(given).__name__}.",
            hint=f'Write {word}={{"field": ...}}.',
        )
    return given.items()


def _listed(word: str, given: Any) -> list[Any]:
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise ArgumentError(
            f"update({word}=...) takes a list of {'field names' if word == 'remove' else 'members'}, not "
            f"{type(given).__name__}.",
            hint="Put it into a list.",
        )
    return list(given)


def check_changes(plan: EntityPlan, changes: Iterable[Action]) -> Checked:
    """Validates changes against the entity; raises before anything is sent."""
    changes = list(changes)
    refuse_key_changes(plan, changes)
    places = [plan.paths.stored(change.path) for change in changes]
    _refuse_overlaps(plan, changes, places)
    actions: list[ast.UpdateAction] = []
    assigned: dict[str, Any] = {}
    given: dict[str, Any] = {}
    limits: list[Limit] = []
    kept: list[tuple[str, ast.Path]] = []
    starts: dict[ast.Path, AttributeValue] = {}
    for change, stored in zip(changes, places, strict=True):
        root = plan.paths.root(change.path)
        plan.paths.annotation(change.path)  # refuses a path that leads nowhere
        limits.extend(parent_limits(plan, change.path, stored, element=not isinstance(change, Remove)))
        match change:
            case Assign((_,), value) if root.looks_around and root.sealing is None:
                given[root.name] = _own(value)
            case Assign(path, value):
                value = plan.paths.accept(path, value)
                if len(path) == 1:
                    assigned[root.name] = value
                actions.append(_assign(plan, path, stored, value))
            case Remove(path):
                if not _optional(plan, path):
                    raise ArgumentError(
                        f"{plan.name}.{path_text(path)} is required and cannot be removed.",
                        field=path_text(path),
                        hint="Give the field a default, or set another value.",
                    )
                if len(path) == 1 and root.default is not None:
                    # The default is stored, as create() does: conditions and index keys see what readers see.
                    value = assigned[root.name] = root.default()
                    actions.append(_assign(plan, path, stored, value))
                else:
                    actions.append(ast.RemoveAction(stored))
            case Increment(path, amount):
                actions.append(increment(plan, path, stored, amount, start_of(plan, path, stored, limits), limits))
            case Append(path, added):
                actions.append(_append(plan, path, stored, added, limits))
            case Include(path, added):
                actions.append(ast.AddAction(stored, ast.Value(_set(plan, path, added))))
                _start_set(plan, path, stored, limits, starts)
            case Discard(path, taken):
                actions.append(ast.DeleteAction(stored, ast.Value(_set(plan, path, taken))))
                _start_set(plan, path, stored, limits, starts)
                if not (_optional(plan, path) and _reads_as_empty(plan, path)):
                    kept.append((root.name, stored))
    touched = frozenset(str(c.path[0]) for c in changes)
    verified = fields_to_verify(plan, changes)
    return Checked(tuple(actions), assigned, touched, tuple(limits), tuple(kept), verified, given, starts)


def _assign(plan: EntityPlan, path: FieldPath, stored: ast.Path, value: Any) -> ast.UpdateAction:
    if len(path) == 1 and plan.paths.root(path).absent(value):
        return ast.RemoveAction(stored)
    encoded: AttributeValue = plan.paths.encode(path, value)
    return ast.SetAction(stored, ast.Value(encoded))


def _refuse_overlaps(plan: EntityPlan, changes: list[Action], places: list[ast.Path]) -> None:
    for position, (one, place) in enumerate(zip(changes, places, strict=True)):
        for other, taken in zip(changes[:position], places, strict=False):
            shorter = min(len(place), len(taken))
            if place[:shorter] == taken[:shorter]:
                raise ArgumentError(
                    f"{plan.name}: {path_text(other.path)} and {path_text(one.path)} are changed in one update.",
                    field=path_text(one.path),
                    hint="Make one change of them.",
                )


def _optional(plan: EntityPlan, path: FieldPath) -> bool:
    """Whether what stands at a path may be gone: a field with a default, a member of a map or list."""
    if len(path) == 1:
        return plan.paths.root(path).default is not None
    for parent in members(plan.paths.annotation(path[:-1])):
        if isinstance(parent, type) and issubclass(parent, BaseModel):
            return not parent.model_fields[str(path[-1])].is_required()
        if path[-1] in required_parts(parent):
            return False
    return True


def _reads_as_empty(plan: EntityPlan, path: FieldPath) -> bool:
    """Whether a set that lost its last member, and so its attribute, still reads as an empty one."""
    if len(path) == 1:
        return plan.paths.root(path).omit_empty
    defaults = defaults_at(plan, path)
    return all(default is not None and not default for default in defaults) if defaults else isinstance(path[-1], str)


# -------------------------------------------------------------------------------------------------- collections


def _append(plan: EntityPlan, path: FieldPath, stored: ast.Path, added: Any, limits: list[Limit]) -> ast.UpdateAction:
    name = path_text(path)
    if get_origin(plain(without_none(plan.paths.annotation(path)))) is not list:
        raise FieldTypeError(f"{plan.name}.{name} is no list and cannot be appended to.", field=name, constraint="list")
    encoded = _members(plan, path, added)
    default = start_of(plan, path, stored, limits)
    start: list[Any] = plan.paths.encode(path, default)["L"] if default else []
    limits.extend(list_limits(plan, path, stored, len(encoded), len(start)))
    return ast.SetAction(
        stored, ast.ListAppend(ast.IfNotExists(stored, ast.Value({"L": start})), ast.Value({"L": encoded}))
    )


def _set(plan: EntityPlan, path: FieldPath, given: Any) -> AttributeValue:
    name = path_text(path)
    if get_origin(plain(without_none(plan.paths.annotation(path)))) not in (set, frozenset):
        raise FieldTypeError(f"{plan.name}.{name} is no set.", field=name, constraint="set")
    encoded = _members(plan, path, given)
    if not encoded:
        raise EmptySetError(f"{plan.name}.{name}: no members were given.", field=name, constraint="not empty")
    tag = next(iter(encoded[0]))
    return {tag + "S": sorted({m[tag] for m in encoded})}


def _start_set(
    plan: EntityPlan, path: FieldPath, stored: ast.Path, limits: list[Limit], starts: dict[ast.Path, AttributeValue]
) -> None:
    """Notes what a set is where nothing is stored, unless that is nothing, which ADD and DELETE take it for."""
    default = start_of(plan, path, stored, limits)
    if default:
        starts[stored] = plan.paths.encode(path, default)


def _members(plan: EntityPlan, path: FieldPath, given: Any) -> list[AttributeValue]:
    return [plan.paths.encode_member(path, m) for m in _listed("...", given)]
