"""Indexes of an entity's own attributes: where one entity has an index to itself, no key needs to be composed for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from tablewright.model.indexes import MAX_KEY_ATTRIBUTES
from tablewright.synth.facts import EntityFacts
from tablewright.synth.naming import Named, Native
from tablewright.synth.needs import listed
from tablewright.synth.shapes import Shape


def native_index(index: str, named: Named, facts: Mapping[str, EntityFacts]) -> tuple[Named | None, str]:
    """The keys with this index made of its entity's own attributes; None and the reason where that cannot be."""
    there = [(name, key) for name, keys in named.items() for key in keys if key.index == index]
    if len(there) > 1:
        return None, f"it is shared by {listed([name for name, _ in there])}, which only composed keys tell apart"
    name, key = there[0]
    sort = _needed(key.shape)
    why = _composed(facts[name], key.shape, sort)
    if why is not None:
        return None, why
    made = replace(
        key, pk=_shown(key.shape.partition), sk=_shown(sort), native=_attributes(facts[name], key.shape, sort)
    )
    return {**named, name: [made if k is key else k for k in named[name]]}, ""


def _composed(facts: EntityFacts, shape: Shape, sort: Sequence[str]) -> str | None:
    """Why a key must be composed."""
    if shape.when:
        return f"it holds some {facts.name} only, and a field is never removed to leave an index"
    if shape.shards > 1:
        return "its partitions are spread over shards"
    if not shape.partition:
        return "its partition is a constant"
    repeated = [name for name in sort if name in shape.partition]
    if repeated:
        return f"{repeated[0]} is on both sides, where an attribute can be on one"
    if len(shape.partition) > MAX_KEY_ATTRIBUTES or len(sort) > MAX_KEY_ATTRIBUTES:
        return f"DynamoDB takes {MAX_KEY_ATTRIBUTES} attributes on each side"
    for name in (*shape.partition, *sort):
        field = facts.fields[name]
        if field.codec.tag not in ("S", "N", "B") or len(field.path) != 1:
            return f"{name} is not stored as a text, a number or bytes of its own"
    return None


def _needed(shape: Shape) -> tuple[str, ...]:
    """The sort fields that reads ask for, and those that break ties behind them as far as there is room."""
    held = set(shape.partition)
    asked = max((len({*need.known, *need.order} - held) for need in shape.needs), default=0)
    return shape.sort[: max(asked, MAX_KEY_ATTRIBUTES)]


def _attributes(facts: EntityFacts, shape: Shape, sort: Sequence[str]) -> Native:
    named = {name: (str(facts.fields[name].path[0]), str(facts.fields[name].codec.tag)) for name in facts.fields}
    return tuple(named[n] for n in shape.partition), tuple(named[n] for n in sort)


def _shown(fields: Sequence[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in fields)
