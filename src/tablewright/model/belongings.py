"""What belongs to somebody: the patterns that lead to it from an id, and from what they find to the rest. It only describes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, ParamSpec

from msgspec import Struct

from tablewright.errors import ArgumentError, ModelError
from tablewright.model.entity import Entity
from tablewright.model.inspection import Unread
from tablewright.model.pattern import Pattern

if TYPE_CHECKING:
    from tablewright.model.table import TableModel

P = ParamSpec("P")


class Owned(Struct, frozen=True, eq=False):
    """The belongings of one owner: `everything_of("u1")`. Sessions list and erase them."""

    belongings: Belongings[...]
    arguments: Mapping[str, Any]


class Belongings(Generic[P]):
    """A declared set of belongings, made by `table.belongings(...)`. Calling it says whose."""

    def __init__(
        self,
        table: TableModel,
        patterns: tuple[Pattern[..., Any], ...],
        below: Mapping[type[Entity], tuple[Pattern[..., Any], ...]],
        beside: tuple[type[Entity], ...],
    ) -> None:
        self.table = table
        self.patterns = patterns
        self.below = below
        self.beside = beside

    def __repr__(self) -> str:
        return f"<belongings of {self.table.name!r}: {', '.join(p.name for p in self.patterns)}>"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Owned:
        first = self.patterns[0]
        arguments = first.parameters.bind(args, kwargs)
        first.parameters.variant_of(arguments)  # refuses None where there must be a value
        given = {name for name, value in arguments.items() if value is not None}
        needed = set(required(first))
        if given - needed:
            raise ArgumentError(
                f"All that belongs to somebody is asked for, and {', '.join(sorted(given - needed))} would leave some out.",
                hint=f"Pass {', '.join(sorted(needed))} only.",
            )
        return Owned(self, {name: arguments[name] for name in needed})


def declared(
    table: TableModel,
    patterns: tuple[Any, ...],
    below: Mapping[Any, Any] | None,
    beside: tuple[Any, ...],
) -> Belongings[...] | None:
    """Belongings of the right form; whether they are complete is for the compiler to say. None where a pattern was refused
    before, of which enough was said."""
    leading = {entity: _listed(found) for entity, found in (below or {}).items()}
    every = (*patterns, *(p for found in leading.values() for p in found))
    if any(isinstance(p, Unread) or p in table.unserved.values() for p in every):
        return None
    for pattern in every:
        if not isinstance(pattern, Pattern) or table.patterns.get(pattern.name) is not pattern:
            shown = getattr(pattern, "__name__", type(pattern).__name__)
            raise ModelError(
                f"belongings() was given {shown}, which is no pattern of {table.name}.",
                hint="Pass functions that have @table.pattern above them.",
            )
    for entity in (*leading, *beside):
        if not (isinstance(entity, type) and entity in table.entities.values()):
            shown = getattr(entity, "__name__", type(entity).__name__)
            raise ModelError(
                f"belongings() was given {shown}, which is no entity of {table.name}.",
                context={"missing_entity": shown},
            )
    return Belongings(table, patterns, leading, beside)


def required(pattern: Pattern[..., Any]) -> tuple[str, ...]:
    """The parameters that a pattern cannot do without."""
    return _least(pattern)[1]


def least_variant(pattern: Pattern[..., Any]) -> tuple[object, ...]:
    """The variant in which a pattern is given no more than it needs, so that it finds most."""
    return _least(pattern)[0]


def _least(pattern: Pattern[..., Any]) -> tuple[tuple[object, ...], tuple[str, ...]]:
    found = []
    for key, arguments in pattern.parameters.variants():
        given = tuple(name for name, value in arguments.items() if value is not None)
        if not any(value is True or value is False for value in arguments.values()):
            found.append((key, given))
    if not found:
        raise ModelError(
            f"{pattern.name}() takes a flag, so that there is no one answer to what belongs to somebody.",
            hint="Declare a pattern without it.",
        )
    return min(found, key=lambda one: len(one[1]))


def _listed(found: Any) -> tuple[Any, ...]:
    return tuple(found) if isinstance(found, list | tuple) else (found,)
