"""What migrations note in items, and the attributes that this is about: no schema version has a say in them until they are retired."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec.json import decode, encode

from tablewright.values.types import AttributeValue, Item

_OURS = "Tablewright"
COPY_OF, COPIED_TO = "TablewrightCopyOf", "TablewrightCopiedTo"
"""On items that a migration gives another primary key: where the other one of the two lies, and what both held."""
PART_OF = "TablewrightPartOf"
"""On a part of an item that a migration has split: of which one it is, and what the part held when it was made."""
SPLIT = "TablewrightSplit"
"""On an item that was split: by what, where it lay, what it held then, and where its parts are."""
RECAST = "TablewrightRecast:"
"""Begins the name of an attribute that notes what both forms were when one was made of the other."""


def is_note(name: str) -> bool:
    """Whether an attribute is one that a migration notes something in."""
    return name.startswith(_OURS)


def recast_note(states: tuple[str, str], names: Collection[str]) -> AttributeValue:
    """What both forms are, and which attributes."""
    return {"S": " ".join((*states, encode(sorted(names)).decode()))}


def noted_states(note: AttributeValue | None) -> list[str]:
    """What both forms were; nothing where that was not noted."""
    found: list[str] = ({} if note is None else note).get("S", "").split(" ", 2)
    return found[:2] if len(found) > 1 else []


def split_form(item: Mapping[str, AttributeValue]) -> Item:
    """What parts were made of, with the note: it stays as it is."""
    names = [name["S"] for name in item.get(SPLIT, {}).get("M", {}).get("removes", {}).get("L", ())]
    return {name: item[name] for name in (SPLIT, *names) if name in item and names}


def with_notes(item: Item, cast: Item) -> Item:
    """What a cast has made of an item, with what is noted in that. An attribute that stands in it in both forms is not taken away:
    it would seem to be deleted, and the other one would follow."""
    notes = {name: value for name, value in item.items() if is_note(name)}
    if not notes:
        return cast
    both = [name for note, value in notes.items() if note.startswith(RECAST) for name in _names(value)]
    return {**{name: item[name] for name in both if name in item}, **cast, **notes, **split_form(item)}


def _names(note: AttributeValue) -> list[str]:
    found = note.get("S", "").split(" ", 2)
    names: list[str] = decode(found[2]) if len(found) > 2 else []
    return names
