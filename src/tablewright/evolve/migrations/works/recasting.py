"""Attributes that are made of others by a function, and stand beside them until those are removed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from msgspec.structs import replace

from tablewright.client.writes.base import holds
from tablewright.compiler.entity_plan import IndexBinding
from tablewright.compiler.noted import RECAST, noted_states, recast_note
from tablewright.errors import TablewrightError
from tablewright.evolve.differences.texts import code_text
from tablewright.evolve.jobs.estimating import updated
from tablewright.evolve.jobs.work import Decision, Skipped, Writes
from tablewright.evolve.migrations.works.guarding import (
    COPIED,
    COPY,
    READ,
    TOO_WIDE,
    ItemWork,
    attempted,
    belongs,
    check_version,
    digest,
    fields_as_read,
    identity,
    upcasts_need,
)
from tablewright.evolve.migrations.works.indexing import index_keys, sources_of
from tablewright.expressions import ast, equal
from tablewright.values.types import AttributeValue, Item
from tablewright.values.wire import from_wire, to_wire


class Recast(ItemWork, frozen=True, eq=False):
    """Makes the target attributes of the sources, and notes what both were then. Later that tells who has changed since, and the
    other form follows. If both have, or nothing was noted and they do not agree, `overwrites` decides, or the item is skipped.
    Index keys that are made of either follow in the same write: who knew one form alone made them of what that one was."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    by: Callable[..., Any] | None
    """Takes the sources' values, None for one that is not there, and returns the targets'. Without it one attribute is taken
    over as it is."""
    overwrites: bool | None = None
    """Whether sources win over targets that differ; None leaves it open."""
    removes: bool = False
    """Whether the sources go in the same write, and what was noted with them. Otherwise both forms stay."""
    back: bool = False
    """Whether the sources are what the new model has, on the way back to the old one."""
    reverse: Callable[..., Any] | None = None
    """Makes the sources of the targets, where both forms stay, or index keys are made of the sources; as `by`."""
    again: bool = False
    """Whether all this was done before, and pairs were ended or sources changed since: what is in a pair still is left, so that it
    stays alike."""
    bindings: tuple[IndexBinding, ...] = ()
    """What the model makes of these attributes for indexes."""
    others: tuple[Recast, ...] = ()
    """What makes other attributes that the same keys are made of, and may be carried out later."""

    @property
    def name(self) -> str:
        """What is done."""
        of = f"{', '.join(self.targets)} of {', '.join(self.sources)} in {self.plan.name}"
        return f"make {of}, once more" if self.again else f"make {of}"

    @property
    def identity(self) -> str:
        """The same for the same attributes and the same functions."""
        how = ["" if one is None else code_text(one) for one in (self.by, self.reverse)]
        keys = [f"{b.index.name} {' '.join(map(str, b.keys))} {b.condition}" for b in self.bindings]
        return identity(
            "recast",
            self.table,
            self.plan.type_name,
            self.sources,
            self.targets,
            *how,
            self.overwrites,
            self.removes,
            self.back,
            self.again,
            *keys,
        )

    @property
    def mark(self) -> str:
        """The attribute that notes what both forms were."""
        return RECAST + ",".join(self.sources if self.back else self.targets)

    def look(self, item: Item) -> Decision:
        """Lets one form follow the other, if both are still what they were. What is left of a deleted item may come back."""
        if self.concerns(item):
            return None if self.again and COPIED in item else attempted(lambda: self._look(item, item, ()))
        remains = self.plan.names.remains
        if belongs(self.plan, item) and COPY not in item and remains in item:
            return attempted(lambda: self._look(item, item[remains]["M"], (remains,)))
        return None

    def _look(self, whole: Item, item: Item, path: tuple[str, ...]) -> Decision:
        """The same for attributes that stand below this path."""
        way = self._way(item)
        if isinstance(way, Skipped) or way is None:
            return way
        changes: Form = {}
        if way is _TARGETS:
            made = _made(item, self.sources, self.targets, self.by)
            if isinstance(made, Skipped):
                return made
            lacking = [name for name, value in made.items() if value is None and self._requires(item, name)]
            if lacking and self.by is not None and any(name in item for name in self.sources):
                return Skipped(f"{self.by.__name__}() returned None for {', '.join(lacking)}, which the model requires")
            changes = made
        elif way is _SOURCES and not self.removes:
            made = _made(item, self.targets, self.sources, self.reverse)
            changes = {} if isinstance(made, Skipped) else made  # whoever goes back is told
        other = {name: value for name, value in changes.items() if not _same(item.get(name), value)}
        update = [_assigned((*path, name), value) for name, value in sorted(other.items())]
        after = {name: other.get(name, item.get(name)) for name in (*self.sources, *self.targets)}
        notes = not update
        if self.removes:
            gone = all(name not in item for name in self.sources)
            if way is _SOURCES or self.back or gone or any(after[name] is not None for name in self.targets):
                removed = {name: None for name in (*self.sources, self.mark) if name in item}
                if upcasts_need(self.plan, {**whole, **item}, removed):
                    return Skipped(READ)
                update += [_assigned((*path, name), None) for name in removed]
                other |= removed
                notes = False
        else:
            states = _state(after, self.sources), _state(after, self.targets)
            noted = recast_note(states, (*self.sources, *self.targets))
            if item.get(self.mark) != noted:
                update.append(_assigned((*path, self.mark), noted))
        keys = {} if path else self._index_keys(item, other, way)
        if isinstance(keys, Skipped):
            return keys
        update += [_assigned((name,), value) for name, value in sorted(keys.items())]
        if not update:
            return None
        if not notes:
            check_version(self.plan, item)
        names = sorted((*self.sources, *self.targets, self.mark))
        guards = [holds((*path, name), item.get(name)) for name in names]
        made_of = () if path else self._as_read(item)
        if made_of is None:
            return Skipped(TOO_WIDE)
        return replace(self.change(whole, update, *guards, *made_of), notes=notes and not keys)

    def _requires(self, item: Item, name: str) -> bool:
        """Whether the model cannot read an item without this attribute; of an older one, its upcasts may make it."""
        field = next((field for field in self.plan.fields.values() if field.path == (name,)), None)
        older = self.plan.versions is not None and self.plan.versions.is_old(item)
        return field is not None and not field.nullable and field.default is None and not older

    def _index_keys(self, item: Item, other: Form, way: str) -> Form | Skipped:
        """Keys that are to be others, as the model makes them of the item as it will be. On the way back, as it makes them of what
        goes then, made like the form that stays."""
        if not self.bindings:
            return {}
        if self.back:
            other = {name: value for name, value in other.items() if name not in self.sources}
            if way is _SOURCES:
                made = _made(item, self.targets, self.sources, self.reverse)
                if isinstance(made, Skipped):
                    return made
                other |= made
        after = recast_by(self.others, {name: v for name, v in {**item, **other}.items() if v is not None})
        if isinstance(after, Skipped):
            return {}  # whatever decides about that makes the keys of it
        wanted = index_keys(self.plan, after, self.bindings)
        both = {*self.sources, *self.targets}  # what these are is not for keys to say
        return {n: v for n, v in wanted.items() if n not in both and not _same(item.get(n), v)}

    def _as_read(self, item: Item) -> tuple[ast.Condition, ...] | None:
        """Index keys, and what they are made of beside both forms, are as they were; None where that is more than a condition can
        hold."""
        if not self.bindings:
            return ()
        known = {*self.sources, *self.targets}
        besides = {name for one in self.others for name in (*one.sources, *one.targets, one.mark)} - known
        made_of = frozenset().union(*map(sources_of, self.bindings))
        fields = fields_as_read(
            self.plan, item, {name for name in made_of if self.plan.sources[name].path[0] not in known | besides}
        )
        keys = sorted(besides.union(*(binding.written for binding in self.bindings)))
        return None if fields is None else (*fields, *(holds((name,), item.get(name)) for name in keys))

    def _way(self, item: Item) -> str | Skipped | None:
        """Which form follows the other: the targets, the sources, or neither, since they belong together."""
        noted = noted_states(item.get(self.mark))
        sources, targets = (any(name in item for name in some) for some in (self.sources, self.targets))
        if noted:
            before = reversed(noted) if self.back else noted
            changed = [
                was != _state(item, some) for was, some in zip(before, (self.sources, self.targets), strict=True)
            ]
            if changed[0] != changed[1]:
                return _TARGETS if changed[0] else _SOURCES
            if not changed[0]:
                return _NEITHER
        elif not (sources and targets):
            # What only the new model has written is for the old one too, as long as it may be there. Then there is nothing to make,
            # but code that knows the other form may have taken keys away that it could not make.
            return _TARGETS if sources else _SOURCES if targets and (self.bindings or not self.removes) else None
        if not sources and not targets:
            return _NEITHER
        made = _made(item, self.sources, self.targets, self.by)
        if isinstance(made, Skipped):
            return made
        if all(_same(item.get(name), value) for name, value in made.items()):
            return _NEITHER
        if self.overwrites is None:
            return Skipped(f"{', '.join(self.sources)} and {', '.join(self.targets)} are both there and do not agree")
        return _TARGETS if self.overwrites else _SOURCES


def recast_by(recasts: Iterable[Recast], item: Item) -> Item | Skipped:
    """The item with what steps about attributes make of it, beside what it has."""
    after = item
    for recast in recasts:
        decision = recast.look(after)
        if isinstance(decision, Skipped):
            return decision
        if isinstance(decision, Writes):
            for action in decision.actions:
                after = {**after, **updated(after, action["Update"])}
    return after


Form: TypeAlias = dict[str, AttributeValue | None]
_TARGETS, _SOURCES, _NEITHER = "targets", "sources", "neither"


def _assigned(path: tuple[str, ...], value: AttributeValue | None) -> ast.UpdateAction:
    return ast.RemoveAction(path) if value is None else ast.SetAction(path, ast.Value(dict(value)))


def _made(item: Item, of: tuple[str, ...], names: tuple[str, ...], by: Callable[..., Any] | None) -> Form | Skipped:
    """What some attributes should be that are made of others, None for one that is left out; of nothing, nothing is made."""
    if all(name not in item for name in of):
        return dict.fromkeys(names)
    if by is None:
        return {names[0]: item[of[0]]}
    try:
        result = by(*(from_wire(item[name]) if name in item else None for name in of))
        values = result if len(names) > 1 else (result,)
        if not isinstance(values, tuple | list) or len(values) != len(names):
            return Skipped(f"{by.__name__}() did not return {len(names)} values")
        return {name: None if value is None else to_wire(value) for name, value in zip(names, values, strict=True)}
    except TablewrightError as error:
        return Skipped(f"what {by.__name__}() returned cannot be stored ({error.code})")
    except Exception as error:  # a function of the file's author, which may fail at any item
        return Skipped(f"{by.__name__}() failed with {type(error).__name__}")


def _state(item: Mapping[str, AttributeValue | None], names: tuple[str, ...]) -> str:
    return digest({name: value for name in names if (value := item.get(name)) is not None})


def _same(stored: AttributeValue | None, made: AttributeValue | None) -> bool:
    return stored is made if stored is None or made is None else equal(stored, made)
