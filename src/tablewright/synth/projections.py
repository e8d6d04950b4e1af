"""What indexes hold: as much as their patterns take, where all of them take a view, and whole items where one does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tablewright.synth.facts import EntityFacts
from tablewright.synth.naming import Named

WHOLE = "ALL"


def narrow(indexes: Sequence[str], named: Named, facts: Mapping[str, EntityFacts]) -> dict[str, tuple[str, ...]]:
    """The attributes that are read through each index beside its keys, for those through which no whole item is read."""
    found: dict[str, tuple[str, ...]] = {}
    for index in indexes:
        there = [(facts[name], key) for name, keys in named.items() for key in keys if key.index == index]
        taken = [(one, need.takes) for one, key in there for need in key.shape.needs]
        if not taken or any(takes is None for _, takes in taken):
            continue
        in_keys = {name for one, key in there for name in (*key.shape.fields, *one.identity)}
        read = {(one.name, name) for one, takes in taken for name in takes or () if name not in in_keys}
        found[index] = tuple(sorted({str(facts[entity].fields[name].path[0]) for entity, name in read}))
    return found


def shown(held: Sequence[str] | None) -> str:
    """A projection as it is written."""
    if held is None:
        return f'"{WHOLE}"'
    names = ", ".join(f'"{name}"' for name in held)
    return f"[{names}]" if names else '"KEYS_ONLY"'
