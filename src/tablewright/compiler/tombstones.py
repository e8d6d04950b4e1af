"""Tombstones: where the items of an entity with soft delete stay after their deletion, checked when it is defined."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tablewright.compiler.entity_plan import IndexBinding
from tablewright.compiler.fields import UPDATED, FieldPlan
from tablewright.compiler.keys import KeyPlan
from tablewright.errors import DecodeError, ModelError, ReservedNameError
from tablewright.model.entity import Entity, did_you_mean, with_article
from tablewright.model.indexes import Index
from tablewright.model.table import TableModel


def feed_of(
    entity: type[Entity], own_keys: tuple[KeyPlan, ...], bindings: tuple[IndexBinding, ...]
) -> IndexBinding | None:
    """The index that tombstones are kept in on purpose; a design has none yet."""
    soft, name = entity.__options__.soft_delete, entity.__name__
    if soft is None or soft.feed is None or not entity.__table__.needs_keys:
        return None
    found = next((b for b in bindings if b.index.name == soft.feed), None)
    if found is None:
        raise ModelError(
            f"{name}: the feed of soft_delete is {soft.feed!r}, an index that {name} has no keys for."
            + did_you_mean(soft.feed, (b.index.name for b in bindings))
        )
    if UPDATED in found.sources & entity.model_fields.keys():
        raise ModelError(
            f"{name}: {{updated_at}} in the feed {soft.feed!r} is a field of {name}, not the time of the last write, so the "
            f"feed would miss what does not set that field, deletions among it.",
            hint="Rename the field: {updated_at} then is the time stamp that every write sets. "
            'stored={"changed_at": "updated_at"} keeps the name of its attribute.',
        )
    if found.shared:
        raise ModelError(
            f"{name}: tombstones cannot stay in {soft.feed!r}, whose key attribute {found.shared[0].attribute.name!r} is a "
            f"field of {name}.",
            hint="Choose an index with key attributes of its own.",
        )
    kept = {k.attribute.name for k in (*own_keys, *found.made)}
    for attribute in found.index.attributes:
        if attribute.name not in kept:
            raise ModelError(
                f"{name}: tombstones cannot stay in {soft.feed!r}, which shares {attribute.name!r} with an index that they "
                "leave.",
                hint="Choose an index with key attributes of its own.",
            )
    return found


def tombstone_indexes(
    entity: type[Entity], own_keys: tuple[KeyPlan, ...], bindings: tuple[IndexBinding, ...], feed: IndexBinding | None
) -> frozenset[str]:
    """The indexes that tombstones stay in: the feed, and every one that shares all its attributes with it or the table."""
    if entity.__options__.soft_delete is None:
        return frozenset()
    found = list(_staying(own_keys, bindings, feed))
    deleted = entity.__table__.names.deleted
    for index in found:
        if index.projection != "ALL" and deleted not in index.include:
            raise ModelError(
                f"{entity.__name__}: reads of {index.name!r} could not tell tombstones, since the index does not hold "
                f"{deleted!r}.",
                hint=f'Project everything, or include it: projection=["{deleted}", ...].',
            )
    return frozenset(index.name for index in found)


def _staying(
    own_keys: tuple[KeyPlan, ...], bindings: tuple[IndexBinding, ...], feed: IndexBinding | None
) -> Iterator[Index]:
    kept = {k.attribute.name for k in (*own_keys, *(() if feed is None else feed.made))}
    for binding in bindings:
        if kept.issuperset(a.name for a in binding.index.attributes):
            yield binding.index


def check_expiry(entity: type[Entity], table: TableModel, fields: Mapping[str, FieldPlan]) -> None:
    """No field but one that is declared for it is stored where the table's items expire by."""
    everybody = [*table.entities.values()]
    if any(e.__options__.ttl is not None for e in everybody):
        return
    if any(e.__options__.soft_delete is not None for e in everybody):
        for field in fields.values():
            if field.path == (table.names.expires,):
                raise ReservedNameError(
                    f"{entity.__name__}.{field.name} would be stored as {table.names.expires!r}, which tombstones of "
                    f"{table.name} expire by.",
                    field=field.name,
                    hint=f'Declare it: ttl="{field.name}"; or choose another name: AttributeNames(expires="...").',
                )


def unreadable_tombstone(entity: str) -> DecodeError:
    """Other code wrote it, in another form."""
    return DecodeError(
        f"The tombstone of {with_article(entity)} cannot be read.",
        hint="Other code wrote it. Write the item again with put(), or delete it with purge().",
    )
