"""Fields of an entity, compared."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Literal, TypeAlias

from msgspec.structs import replace

from tablewright.evolve.differences.changes import Change
from tablewright.evolve.differences.describing import EntityDescription, FieldDescription, is_upcast
from tablewright.evolve.differences.shapes import NORMALISING, fit, normalising, trouble

_Place: TypeAlias = Literal["primary key", "key"] | None
"""Where a field is written in another form than before."""
_FILL = "Give it a default, or write it to all items before readers rely on it."
_KEEP = "Add a new field beside it, write both, fill it for all items, switch the readers, then remove the old one."
_KEEP_KEYS = (
    "Add a field of the new type beside it, in keys of its own: on another index, with its own unique rule. Write both, "
    "fill it for all items, switch the readers, then remove the old one."
)
_READERS = "Deploy the new model everywhere before anything writes what only it takes."
_LOOK = "Look for items that no longer fit, and change them first."


def compare_fields(
    old: EntityDescription,
    new: EntityDescription,
    renamed: Mapping[str, str],
    identifying: Collection[str],
    keyed: Collection[str],
) -> Iterator[Change]:
    """What differs in the fields of one entity. `identifying` are those that are written otherwise in the primary key,
    `keyed` those that are in another key: what they are called now."""
    entity = (new.name,)
    came = [name for name in new.fields if name not in old.fields and name not in renamed.values()]
    for name in came:
        after = new.fields[name]
        subject = f"{new.name}.{name}"
        if after.required and is_upcast(old, new):
            text = "is new and required; items of older versions get it on their way, by an upcast"
            yield Change("field-added", "additive", subject, text, entities=entity)
        elif after.required:
            text = "is new and required: items that lack it cannot be read"
            meanwhile = f"{subject} may be missing, and is always given"
            yield Change("field-added-required", "backfill", subject, text, _FILL, entity, meanwhile=meanwhile)
        else:
            yield Change("field-added", "additive", subject, "is new, and may be missing", entities=entity)
    meant: set[str] = set()
    for name, before in old.fields.items():
        later = renamed.get(name, name)
        subject = f"{new.name}.{later}"
        if later not in new.fields and is_upcast(old, new):
            text = "is gone; whether items of older versions keep its attribute is for their upcast to say"
            yield Change("field-removed", "additive", subject, text, entities=entity)
            continue
        if later not in new.fields:
            yield _removed(f"{new.name}.{name}", before, new, came, meant)
            continue
        if later != name:
            text = f"was called {name!r} in code; it is stored as before"
            yield Change("field-renamed", "additive", subject, text, entities=entity)
        yield from _compare_field(subject, entity, before, new.fields[later])
        place: _Place = "primary key" if later in identifying else "key" if later in keyed else None
        yield from _compare_values(subject, entity, before, new.fields[later], place)


def _removed(subject: str, field: FieldDescription, new: EntityDescription, came: list[str], meant: set[str]) -> Change:
    """A field that is gone; or has another name, which the model cannot say by itself. `meant` are new fields that others before it
    were taken for: no two are stored as one."""
    entity = (new.name,)
    text = f"is gone; items keep the attribute {field.attribute!r}, which nobody reads"
    if field.required:
        text += ", and readers of the old model fail at items without it"
    remedy = "Keep it until nothing reads it; then remove the attribute from all items."
    meanwhile = f"{subject}, which may be missing, and is written as before"
    alike = [
        n for n in came if fit(field.shape, new.fields[n].shape) == "same" and field.sealed == new.fields[n].sealed
    ]
    if alike:
        text += f". Was it renamed to {' or '.join(alike)}, which is new and has the same type?"
        one = next((n for n in alike if n not in meant), None)
        if one is None:
            so = "If so, keep the attribute in the stored= of that one"
        else:
            meant.add(one)
            so = f'If so, keep the attribute: class {new.name}(Entity, table=..., stored={{"{one}": "{field.attribute}"}})'
        remedy = f"{so}, and compare again. If not: {remedy[0].lower()}{remedy[1:]}"
    return Change("field-removed", "breaking", subject, text, remedy, entity, meanwhile=meanwhile)


def _compare_field(
    subject: str, entity: tuple[str, ...], old: FieldDescription, new: FieldDescription
) -> Iterator[Change]:
    """Where and how it is stored, and what is read where it is missing."""
    if old.attribute != new.attribute:
        text = f"is stored as {new.attribute!r}; items have it as {old.attribute!r}"
        yield Change("stored-name-changed", "breaking", subject, text, _KEEP, entities=entity)
    if old.sealed != new.sealed:
        text = f"was stored {old.sealed or 'as it is'}, and now {new.sealed or 'as it is'}"
        yield Change("field-sealing-changed", "breaking", subject, text, _KEEP, entities=entity)
    elif old.sealer != new.sealer:
        text = f"is {new.sealed} with another cipher or store: what is there cannot be read with it"
        remedy = "Let the new one read what the old one stored, or write all items again first."
        yield Change("field-sealing-changed", "breaking", subject, text, remedy, entities=entity)
    if old.required and not new.required:
        if new.omits:
            text = "may be missing now: readers of the old model fail at items without it"
            yield Change("field-became-optional", "breaking", subject, text, _READERS, entity, readers_first=True)
        else:
            text = "may be left out now, and is stored as its default"
            yield Change("field-became-optional", "additive", subject, text, entities=entity)
    elif new.required and not old.required:
        text = "is required now: items that lack it cannot be read"
        meanwhile = f"{subject} may be missing, and is always given"
        yield Change("field-became-required", "backfill", subject, text, _FILL, entity, meanwhile=meanwhile)
    elif old.default != new.default and fit(old.shape, new.shape) != "other":
        text = f"has another default, {new.default or 'made anew'}: items that lack it read differently"
        remedy = _KEEP if old.omits else "Write all items again with the old model first, so that each holds its value."
        yield Change("default-changed", "breaking", subject, text, remedy, entities=entity)


def _compare_values(
    subject: str, entity: tuple[str, ...], old: FieldDescription, new: FieldDescription, place: _Place
) -> Iterator[Change]:
    """Which values it takes."""
    before, after = normalising(old.shape), normalising(new.shape)
    fits = fit(old.shape, new.shape)
    if place == "key":
        if fits == "other":
            yield Change("field-type-changed", "breaking", subject, _other_type(old, new), _KEEP_KEYS, entity)
        else:
            text = f"is stored {_how(after)} from now on, and stands in keys; items keep what they have"
            yield Change("field-normalised", "breaking", subject, text, _KEEP_KEYS, entity)
        return
    if before != after and place is None:
        text = f"is stored {_how(after)} from now on; items keep what they have until they are written again"
        if set(before) - set(after):
            text += ", and readers of the old model do not find such values"
            yield Change("field-normalised", "breaking", subject, text, _READERS, entity, readers_first=True)
        else:
            text += ", and conditions on it miss them"
            remedy = "Write all items again with the new model."
            yield Change("field-normalised", "backfill", subject, text, remedy, entity)
    alike = str(old.shape) == str(new.shape)
    if alike and place is not None:  # told with the key
        return
    # A choice that takes the place of another one is both. Of a validator nobody knows; what it refuses is looked for.
    other = fits == "narrower" and fit(*(replace(one.shape, rules=()) for one in (new, old))) in ("narrower", "other")
    if fits == "wider" or other:
        text = f"takes {'what it did not' if other else 'more than'} before"
        text += ("" if alike else f": {new.shape} instead of {old.shape}") + f"; {trouble(old.shape, new.shape)}"
        yield Change("field-widened", "breaking", subject, text, _READERS, entity, readers_first=True)
    if fits == "narrower":
        text = f"takes less than before: {new.shape} instead of {old.shape}"
        if alike:
            text = "takes less than before: its limits or rules are stricter"
        if other:
            text = "does not take all that it took before"
        keeps = "takes what it took and what it takes now" if other else "keeps its type"
        meanwhile = f"{subject} {keeps}, and gets only what the new one takes"
        yield Change("field-narrowed", "backfill", subject, text, _LOOK, entity, meanwhile=meanwhile)
    if fits == "other":
        yield Change("field-type-changed", "breaking", subject, _other_type(old, new), _KEEP, entity)


def _other_type(old: FieldDescription, new: FieldDescription) -> str:
    return f"has another type: {new.shape} instead of {old.shape}"


def _how(rules: tuple[str, ...]) -> str:
    return ", ".join(dict.fromkeys(NORMALISING[rule] for rule in rules)) or "as its rules now have it"
