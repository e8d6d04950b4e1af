"""Which of the service's two sets of checks a request meets: its newer ones, or the older where those cannot read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.validation.names import TableName
from tablewright.engine.validation.shapes import ONE_ERROR, Shape, Struct, Text, spell
from tablewright.errors import RequestRefused

_READABLE = 128
"""Maps and lists of JSON inside each other that the newer checks read; an attribute's document is two for each level."""


def is_too_deep(request: Mapping[str, Any]) -> bool:
    """Whether a request is nested past what the newer checks read, twice as deep as an item may be."""
    level: list[Any] = [request]
    for _ in range(_READABLE):
        inside = (part for one in level for part in (one.values() if isinstance(one, Mapping) else one))
        level = [part for part in inside if isinstance(part, (dict, list))]
        if not level:
            return False
    return True


class Layered(Struct, frozen=True):
    """A request with newer checks. They look at the members of `newer`, in that order, before all others.

    Without one of its required members, or nested too deeply, it meets the older checks.
    """

    newer: Mapping[str, Shape] = {}

    def explain(self, value: Any, path: str, faults: list[str]) -> None:
        """Refuse a wrong JSON type; add broken constraints to `faults`."""
        older: list[str] = []
        # A wrong JSON type anywhere comes before everything else, whoever would find it.
        Struct.explain(self, value, path, older)
        if any(value.get(name) is None for name in self._needed) or is_too_deep(value):
            faults.extend(older)
            return
        rest = {name: shape for name, shape in self.members.items() if name not in self.newer}
        for name, shape in {**self.newer, **rest}.items():
            if value.get(name) is not None:
                shape.explain(value[name], spell(name), faults)


class OwnName(TableName, frozen=True):
    """A table's name in newer checks, which look no further when it is wrong."""

    def explain(self, value: Any, path: str, faults: list[str]) -> None:
        """Refuse what no table can be called."""
        wrong: list[str] = []
        TableName.explain(self, value, path, wrong)
        if wrong:
            raise RequestRefused(wrong[0])


class Unnamed(Text, frozen=True):
    """A choice that newer checks tell without its name and value, and alone.

    `shown` are the values that they say it can have; `counted` says whether the message begins with a count.
    """

    shown: str = ""
    counted: bool = True

    def explain(self, value: Any, path: str, faults: list[str]) -> None:
        """Refuse another choice at once."""
        if value not in self.choices:
            told = f"Failed to satisfy constraint: Member must satisfy enum value set: [{self.shown}]"
            raise RequestRefused(f"{ONE_ERROR if self.counted else ''}{told}")
