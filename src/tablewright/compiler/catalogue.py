"""The access patterns of a table as a list for people: what each reads, by which key, with which parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from tablewright.compiler.reads import ReadPlan, parts_of
from tablewright.compiler.showing import Shown
from tablewright.model.annotations import describe
from tablewright.model.pattern import Pattern


class Listed(Struct, frozen=True):
    """One access pattern: its name, what it says of itself, parameters with their types, the entities that it reads, and
    the request that each of its variants becomes."""

    name: str
    doc: str
    parameters: Mapping[str, str]
    entities: tuple[str, ...]
    requests: tuple[Shown, ...]

    def __str__(self) -> str:
        parameters = ", ".join(f"{name}: {kind}" for name, kind in self.parameters.items())
        lines = [f"{self.name}({parameters}) -> {', '.join(self.entities)}"]
        return "\n".join(
            lines + ([f"  {self.doc}"] if self.doc else []) + [f"  {request}" for request in self.requests]
        )


def listed(pattern: Pattern[..., Any], plans: Mapping[tuple[object, ...], ReadPlan]) -> Listed:
    """A pattern with its plans, described. Variants that become the same request are told once."""
    entities: dict[str, None] = {}
    requests: dict[str, Shown] = {}
    for plan in plans.values():
        read = [part.plan for part in parts_of(plan)]
        entities |= dict.fromkeys(p.name for p in read)
        request = plan.shown()
        requests.setdefault(str(request), request)
    parameters = {name: describe(kind) for name, kind in pattern.parameters.annotations.items()}
    return Listed(pattern.name, pattern.doc, parameters, tuple(entities), tuple(requests.values()))
