"""Which fields of what is fetched are looked at: for whoever asks for it, since every look is then counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tablewright.compiler.plan import WATCHED
from tablewright.observe.snapshot import FieldUse

Made = Callable[[Any], Any]


class FieldWatch:
    """Counts the fields that are read of entities, for each pattern that fetched them."""

    def __init__(self) -> None:
        self.uses: dict[str, FieldUse] = {}
        self._kinds: dict[tuple[str, type], type] = {}

    def watching(self, pattern: str | None, made: Made) -> Made:
        """What makes entities, and has those watched that it makes; reads that no pattern describes are not."""
        if pattern is None:
            return made
        return lambda item: self.watched(pattern, made(item))

    def watched(self, pattern: str, entity: Any) -> Any:
        """The same entity, whose fields are watched from now on."""
        kind = type(entity)
        fields = getattr(kind, "__pydantic_fields__", None)
        if not fields:
            return entity
        use = self.uses.setdefault(pattern, FieldUse())
        for name in fields:
            use.used.setdefault(name, 0)
        use.fetched += 1
        watching = self._kinds.get((pattern, kind))
        if watching is None:
            watching = self._kinds[pattern, kind] = _watching(kind, fields, use.used)
        object.__setattr__(entity, "__class__", watching)
        return entity


def _watching(kind: type, fields: Iterable[str], used: dict[str, int]) -> type:
    """The same class to everybody who asks, but for the looks that it counts. Whoever takes all values at once, as dumps and
    comparisons do, looks at every field."""
    names = frozenset(fields)
    look: Any = kind.__getattribute__

    def looked_at(self: Any, name: str) -> Any:
        if name in names:
            used[name] += 1
        elif name == "__dict__":
            for each in names:
                used[each] += 1
        elif name == "__class__":
            return kind
        return look(self, name)

    def reduced(self: Any, protocol: int) -> Any:
        """Copies and pickles are those of the entity itself."""
        watching = type(self)
        object.__setattr__(self, "__class__", kind)
        try:
            return self.__reduce_ex__(protocol)
        finally:
            object.__setattr__(self, "__class__", watching)

    members = {
        "__reduce_ex__": reduced,
        "__getattribute__": looked_at,
        "__slots__": (),
        "__module__": kind.__module__,
        WATCHED: kind,
    }
    # No new entity: what entities are made by would register it.
    meta: Any = type(kind)
    made: type = type.__new__(meta, kind.__name__, (kind,), members)
    return made
