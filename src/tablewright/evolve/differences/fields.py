"""Fields of an entity, compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tablewright.evolve.differences.changes import Change
from tablewright.evolve.differences.describing import EntityDescription, FieldDescription
from tablewright.evolve.differences.shapes import fit

_FILL = "Give it a default, or write it to all items first, with the old code still running."
_KEEP = "Add a new field beside it, write both, fill it for all items, switch the readers, then remove the old one."


def compare_fields(old: EntityDescription, new: EntityDescription, renamed: Mapping[str, str]) -> Iterator[Change]:
    """What differs in the fields of one entity."""
    entity = (new.name,)
    for name, after in new.fields.items():
        if name in old.fields or name in renamed.values():
            continue
        subject = f"{new.name}.{name}"
        if after.required:
            text = "is new and required: items that lack it cannot be read"
            yield Change("field-added-required", "backfill", subject, text, _FILL, entities=entity)
        else:
            yield Change("field-added", "additive", subject, "is new, and may be missing", entities=entity)
    for name, before in old.fields.items():
        later = renamed.get(name, name)
        subject = f"{new.name}.{later}"
        if later not in new.fields:
            text = f"is gone; items keep the attribute {before.attribute!r}, which nobody reads"
            remedy = "Keep it, optional, until nothing reads it; then remove the attribute from all items."
            yield Change("field-removed", "breaking", f"{new.name}.{name}", text, remedy, entities=entity)
            continue
        if later != name:
            text = f"was called {name!r} in code; it is stored as before"
            yield Change("field-renamed", "additive", subject, text, entities=entity)
        yield from _compare_field(subject, entity, before, new.fields[later])


def _compare_field(
    subject: str, entity: tuple[str, ...], old: FieldDescription, new: FieldDescription
) -> Iterator[Change]:
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
    match fit(old.shape, new.shape):
        case "wider":
            text = f"takes more than before: {new.shape} instead of {old.shape}"
            if str(old.shape) == str(new.shape):
                text = "takes more than before: its limits are wider"
            yield Change("field-widened", "additive", subject, text, entities=entity)
        case "narrower":
            text = f"takes less than before: {new.shape} instead of {old.shape}"
            if str(old.shape) == str(new.shape):
                text = "takes less than before: its limits or rules are stricter"
            remedy = "Look for items that no longer fit, and change them first."
            yield Change("field-narrowed", "backfill", subject, text, remedy, entities=entity)
        case "other":
            text = f"has another type: {new.shape} instead of {old.shape}"
            yield Change("field-type-changed", "breaking", subject, text, _KEEP, entities=entity)
        case "same":
            pass
    if old.required and not new.required:
        yield Change("field-became-optional", "additive", subject, "may be missing now", entities=entity)
    elif new.required and not old.required:
        text = "is required now: items that lack it cannot be read"
        yield Change("field-became-required", "backfill", subject, text, _FILL, entities=entity)
    elif old.default != new.default:
        text = f"has another default, {new.default or 'made anew'}: items that lack it read differently"
        yield Change("default-changed", "additive", subject, text, entities=entity)
