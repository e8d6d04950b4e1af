"""From differences to work, in an order in which no reader misses an item at any time.

Indexes are made first. Then a model goes out that has both, the new things and the old ones: it writes what readers of
either need, and reads as before. Items are filled, readers switch, and only then the new model goes out alone, and what
it has left behind is removed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from tablewright.evolve.differences.changes import Change
from tablewright.evolve.differences.deployments import SUBJECT
from tablewright.evolve.differences.describing import EntityDescription, ModelDescription, is_upcast
from tablewright.evolve.differences.renames import pair_entities, renamed_fields

Action: TypeAlias = Literal[
    "decide",
    "grant",
    "backfill-before",
    "stop-expiry",
    "create-index",
    "deploy-both",
    "deploy-writers",
    "write-new",
    "settle",
    "backfill",
    "claim",
    "start-expiry",
    "switch-readers",
    "deploy-new",
    "drop-index",
    "delete-markers",
    "remove-attributes",
]
_SETTLED = ("field-narrowed", "validators-changed", "cardinality-changed")
"""Items that do not fit are looked for; the others need no write."""

_HELD = {"soft-delete-added": "tombstones of ", "entity-added": "items of "}
"""What is not written yet, where it is no value of the subject."""


class Step(Struct, frozen=True):
    """One step of the way from one model to the other."""

    action: Action
    subject: str
    text: str


def steps_of(old: ModelDescription, new: ModelDescription, changes: tuple[Change, ...]) -> tuple[Step, ...]:
    """The steps in a safe order; those that need a decision first."""
    return (*_preparing(old, new, changes), *_carrying_out(old, new, changes), *_cleaning_up(old, new, changes))


def _preparing(old: ModelDescription, new: ModelDescription, changes: tuple[Change, ...]) -> Iterator[Step]:
    for change in changes:
        asks = change.kind in ("field-removed", "entity-removed") and change.text.endswith("?")
        if change.subject == SUBJECT and change.impact == "breaking":
            yield Step("grant", change.subject, change.remedy)
        elif asks:
            yield Step("decide", change.subject, f"Renamed? {change.remedy}")
        elif _needs_decision(change):
            yield Step("decide", change.subject, f"Not in place: {change.remedy}")
    for change in changes:
        if change.kind == "default-changed" and not _needs_decision(change):
            yield Step("backfill-before", change.subject, change.remedy)
    if old.ttl is not None and old.ttl != new.ttl:
        yield Step("stop-expiry", old.ttl, f"Switch time to live off for {old.ttl}, and wait an hour until it is.")
    for name, index in new.indexes.items():
        if name not in old.indexes and not index.local:
            yield Step("create-index", name, f"Make the index {name} and wait until it is active.")


def _needs_decision(change: Change) -> bool:
    """Whether the new model cannot be reached as it is: it has to come another way, with a model beside the old one."""
    if change.impact != "breaking" or not change.remedy or change.readers_first or change.meanwhile or change.follows:
        return False
    if change.kind == "default-changed":
        return "old model" not in change.remedy
    if change.kind.startswith("ttl-"):
        return "UpdateTimeToLive" not in change.remedy
    return change.kind not in ("index-removed", "unique-key-changed") and change.subject != SUBJECT


def _carrying_out(old: ModelDescription, new: ModelDescription, changes: tuple[Change, ...]) -> Iterator[Step]:
    filling = [
        c
        for c in changes
        if c.impact == "backfill"
        and c.entities
        and not c.kind.startswith(("pattern", "unique"))
        and c.kind not in _SETTLED
    ]
    moved = [c for c in changes if c.kind == "unique-key-changed" and not c.follows]
    claims = [c for c in changes if c.kind in ("unique-added", "unique-scope-changed")]
    kept = list(dict.fromkeys(c.meanwhile for c in changes if c.meanwhile))
    held = list(dict.fromkeys(_HELD.get(c.kind, "") + c.subject for c in changes if c.readers_first))
    settled = [c for c in changes if c.impact == "backfill" and c.kind in _SETTLED]
    hold = f" Nothing writes yet what the old one cannot read: {', '.join(held)}." if held else ""
    for change in moved:
        yield Step("claim", change.subject, change.remedy)
    if kept:
        text = f"Deploy a model that has both everywhere: the new one, and beside it {'; '.join(kept)}.{hold}"
        yield Step("deploy-both", new.name, text)
    elif filling or claims or settled:
        text = f"Deploy code that writes by the new model, and still reads as before.{hold}"
        yield Step("deploy-writers", new.name, text)
    elif held:
        yield Step("deploy-writers", new.name, f"Deploy the new model everywhere.{hold}")
    if held:
        text = f"When no code of the old model runs any more, begin to write what only the new one reads: {', '.join(held)}."
        yield Step("write-new", ", ".join(held), text)
    for change in settled:
        yield Step("settle", change.subject, "Look for items that do not fit the new model, and change them.")
    for entity in dict.fromkeys(name for change in filling for name in change.entities):
        why = [c.subject for c in filling if entity in c.entities]
        yield Step("backfill", entity, f"Write all items of {entity} again: {', '.join(dict.fromkeys(why))}.")
    for change in claims:
        yield Step("claim", change.subject, change.remedy)
    if new.ttl is not None and old.ttl != new.ttl:
        deletes = any(c.kind == "ttl-added" and c.impact == "breaking" for c in changes)
        look = f" Look first for items whose {new.ttl} has passed: they are deleted then." if deletes else ""
        yield Step("start-expiry", new.ttl, f"Switch time to live on for {new.ttl}.{look}")
    switched = [
        name
        for change in changes
        if change.kind in ("pattern-added", "pattern-served-otherwise") and change.impact == "backfill"
        for name in change.patterns
    ]
    gone = ("index-removed", "index-keys-removed")
    left = [name for change in changes if change.kind in gone for name in change.patterns]
    readers = list(dict.fromkeys((*switched, *left)))
    if readers:
        said = ", ".join(f"{name}(){_to(name, old, new)}" for name in readers)
        yield Step("switch-readers", ", ".join(readers), f"Switch readers: {said}.")
    if kept:
        text = "Deploy the new model as it is, when no reader is left that needs what was kept beside it."
        yield Step("deploy-new", new.name, text)


def _to(pattern: str, old: ModelDescription, new: ModelDescription) -> str:
    if pattern not in new.patterns:
        return " to something else"
    if pattern not in old.patterns:
        return ", which is new"
    indexes = sorted(new.patterns[pattern].indexes)
    return f" to {', '.join(indexes)}" if indexes else " to the table"


def _cleaning_up(old: ModelDescription, new: ModelDescription, changes: tuple[Change, ...]) -> Iterator[Step]:
    for name, index in old.indexes.items():
        if name not in new.indexes and not index.local:
            yield Step("drop-index", name, f"Drop the index {name} when nothing reads it any more.")
    for change in changes:
        if change.kind in ("unique-key-changed", "unique-scope-changed") and not change.follows:
            yield Step("delete-markers", change.subject, "Delete the old markers, which hold nobody any more.")
    for was, now in pair_entities(old, new)[1]:
        left = _left_behind(was, now, old, new)
        if left:
            text = f"Remove what nothing reads any more from all items of {now.name}: {', '.join(left)}."
            yield Step("remove-attributes", now.name, text)


def _left_behind(
    was: EntityDescription, now: EntityDescription, old: ModelDescription, new: ModelDescription
) -> list[str]:
    """Attributes that only the old model wrote to items of an entity, and that hold no field of the new one."""
    renamed = renamed_fields(was, now)
    gone = {f.attribute for name, f in was.fields.items() if renamed.get(name, name) not in now.fields}
    gone = set() if is_upcast(was, now) else gone  # what upcasts drop goes when items are written again
    before = gone | {a for i in was.indexes for a in old.indexes[i].attributes}
    after = {f.attribute for f in now.fields.values()} | {a for i in now.indexes for a in new.indexes[i].attributes}
    table_key = {part.partition(" ")[0] for part in (*old.key, *new.key)}
    return sorted(before - after - table_key)
