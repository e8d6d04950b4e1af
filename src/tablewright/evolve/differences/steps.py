"""From differences to work: indexes are made first and dropped last, one at a time, and items are filled in between."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from tablewright.evolve.differences.changes import Change
from tablewright.evolve.differences.describing import ModelDescription

Action: TypeAlias = Literal[
    "decide",
    "stop-expiry",
    "create-index",
    "deploy-writers",
    "backfill",
    "claim",
    "start-expiry",
    "switch-readers",
    "drop-index",
]


class Step(Struct, frozen=True):
    """One step of the way from one model to the other."""

    action: Action
    subject: str
    text: str


def steps_of(old: ModelDescription, new: ModelDescription, changes: tuple[Change, ...]) -> tuple[Step, ...]:
    """The steps in a safe order; those that need a decision first."""
    return tuple(_steps(old, new, changes))


def _steps(old: ModelDescription, new: ModelDescription, changes: tuple[Change, ...]) -> Iterator[Step]:
    dropped = [n for n, index in old.indexes.items() if n not in new.indexes and not index.local]
    for change in changes:
        if change.impact == "breaking" and change.remedy and change.kind != "index-removed":
            yield Step("decide", change.subject, f"Not in place: {change.remedy}")
    if old.ttl is not None and old.ttl != new.ttl:
        yield Step("stop-expiry", old.ttl, f"Switch time to live off for {old.ttl}, and wait an hour until it is.")
    for name, index in new.indexes.items():
        if name not in old.indexes and not index.local:
            yield Step("create-index", name, f"Make the index {name} and wait until it is active.")
    filling = [
        c for c in changes if c.impact == "backfill" and c.entities and not c.kind.startswith(("pattern", "unique"))
    ]
    if filling or any(c.kind.startswith("unique-") for c in changes):
        yield Step("deploy-writers", new.name, "Deploy code that writes by the new model, and still reads as before.")
    for entity in dict.fromkeys(name for change in filling for name in change.entities):
        why = [c.subject for c in filling if entity in c.entities]
        yield Step("backfill", entity, f"Write all items of {entity} again: {', '.join(dict.fromkeys(why))}.")
    for change in changes:
        if change.kind in ("unique-added", "unique-key-changed", "unique-scope-changed"):
            yield Step("claim", change.subject, change.remedy)
    if new.ttl is not None and old.ttl != new.ttl:
        yield Step("start-expiry", new.ttl, f"Switch time to live on for {new.ttl}.")
    switched = [
        name
        for change in changes
        if change.kind in ("pattern-added", "pattern-served-otherwise") and change.impact == "backfill"
        for name in change.patterns
    ]
    left = [name for change in changes if change.kind == "index-removed" for name in change.patterns]
    readers = list(dict.fromkeys((*switched, *left)))
    if readers:
        yield Step("switch-readers", ", ".join(readers), f"Switch readers: {', '.join(f'{r}()' for r in readers)}.")
    for name in dropped:
        yield Step("drop-index", name, f"Drop the index {name} when nothing reads it any more.")
