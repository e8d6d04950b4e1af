"""The names under which an entity's fields are stored: none that the library writes itself, none twice, and none that
would put an item into an index by accident."""

from __future__ import annotations

from collections.abc import Mapping

from tablewright.compiler.entity_plan import IndexBinding
from tablewright.compiler.fields import FieldPlan
from tablewright.compiler.keys import KeyPlan, NativeKey
from tablewright.errors import ModelError, ReservedNameError
from tablewright.model.annotations import metadata, plain, without_none
from tablewright.model.entity import Entity
from tablewright.model.fields import Epoch
from tablewright.model.indexes import Index, KeyAttribute
from tablewright.model.table import TableModel


def check_attribute_names(
    entity: type[Entity],
    table: TableModel,
    fields: Mapping[str, FieldPlan],
    keys: tuple[KeyPlan, ...],
    bindings: tuple[IndexBinding, ...],
) -> None:
    """Raises ModelError when a field's attribute belongs to something else."""
    owner = entity.__name__
    library = _library_names(entity, table) | {name for b in bindings for name in b.written}
    shared = {k.attribute.name for k in keys if isinstance(k, NativeKey) and k.shared}
    shared |= {k.attribute.name for b in bindings for k in b.shared}
    indexes = {a.name: i for i in table.indexes.values() for a in _own_attributes(i)}
    held = {k.attribute.name for k in (*keys, *(k for b in bindings for k in b.keys))}
    for_templates = {a for i in table.indexes.values() for a in table.names.of_index(i.name)}
    _check_nested(entity, table, indexes)
    taken: dict[tuple[str, ...], str] = {}
    flat = {f.path[0]: f for f in fields.values() if len(f.path) == 1}
    for field in fields.values():
        if field.path in taken:
            raise ModelError(
                f"{owner}: {taken[field.path]!r} and {field.name!r} are both stored as {field.path[-1]!r}."
            )
        taken[field.path] = field.name
    for attribute, field in flat.items():
        if attribute in shared:
            continue
        if attribute in library or (attribute in indexes and attribute in for_templates):
            raise ReservedNameError(
                f"{owner}.{field.name} would be stored as {attribute!r}, which the library writes itself.",
                field=field.name,
                hint=f'Store it under another name: stored={{"{field.name}": "..."}}.',
            )
        for index in table.indexes.values():
            if attribute in {a.name for a in _own_attributes(index)}:
                _check_stray(owner, field, attribute, index, held | flat.keys())


def _check_nested(entity: type[Entity], table: TableModel, indexes: Mapping[str, Index]) -> None:
    """The map of nested fields has a name that nothing else ever has, whatever this entity keeps."""
    nested, names = entity.__options__.nested, table.names
    keys = {a.name for a in (table.pk, table.sk) if a is not None}
    if nested in {*keys, *names.own(), names.owner, names.deleted, names.remains, names.expires, *indexes}:
        raise ReservedNameError(
            f"{entity.__name__}: nested={nested!r} is the name of an attribute that the library writes itself.",
            field=nested,
            hint='Give the map another name: nested="data".',
        )


def _library_names(entity: type[Entity], table: TableModel) -> set[str]:
    """What the library writes on items of this entity beside its fields."""
    names, options = table.names, entity.__options__
    found = {table.pk.name, names.type}
    if table.sk is not None:
        found.add(table.sk.name)
    if options.timestamps:
        found |= {names.created, names.updated}
    if options.version:
        found.add(names.version)
    if options.schema_version is not None:
        found.add(names.schema)
    if options.nested is not None:
        found.add(options.nested)
    if options.soft_delete is not None:
        found |= {names.deleted, names.remains}
    return found


def kept_names(entity: type[Entity], table: TableModel, fields: Mapping[str, FieldPlan]) -> frozenset[str]:
    """What no version of an entity has a say in: keys of the table and of its indexes, and what the library keeps itself.
    A field that is the key of an index by itself is the entity's."""
    indexed = {a.name for index in table.indexes.values() for a in index.attributes}
    own = {f.path[0] for f in fields.values()}
    found = _library_names(entity, table) - {entity.__options__.nested}
    if entity.__options__.soft_delete is not None:
        found.add(table.names.expires)
    return frozenset(found | (indexed - own))


def _own_attributes(index: Index) -> tuple[KeyAttribute, ...]:
    return index.sk if index.local else index.attributes


def _check_stray(owner: str, field: FieldPlan, attribute: str, index: Index, held: set[str]) -> None:
    """A field that is stored under the name of an index's key attribute, though it is not bound to it."""
    remedy = f'store it under another name: stored={{"{field.name}": "..."}}.'
    if {a.name for a in index.attributes} <= held:
        raise ModelError(
            f"{owner}.{field.name} is stored as {attribute!r}, a key attribute of index {index.name!r}, so {owner} would be "
            f"in that index without having keys for it.",
            hint=f"Bind it in Keys({index.name}=...), or {remedy}",
        )
    tag = next(a.tag for a in index.attributes if a.name == attribute)
    if field.codec.tag != tag:
        raise ModelError(
            f"{owner}.{field.name} is stored as {attribute!r} of type {field.codec.tag or 'several'}, but index "
            f"{index.name!r} has it as {tag}: DynamoDB would refuse the item.",
            hint=remedy.capitalize(),
        )


def check_ttl(entity: type[Entity], table: TableModel, fields: Mapping[str, FieldPlan]) -> None:
    """Raises ModelError when items could not expire by the declared field."""
    name = entity.__options__.ttl
    if name is None:
        return
    field = fields[name]
    annotation = without_none(field.annotation)
    epoch = metadata(annotation, Epoch)
    if (epoch is None or epoch.unit != "s") and plain(annotation) is not int:
        raise ModelError(
            f"{entity.__name__}: the TTL field {name!r} is not stored as a whole number of seconds.",
            hint='Write Annotated[datetime, Epoch("s")] or int.',
        )
    if len(field.path) != 1:
        raise ModelError(f"{entity.__name__}: the TTL field {name!r} must not lie in a map.", hint=f"flat=[{name!r}].")
    for other in table.entities.values():
        theirs = other.__options__.ttl
        if theirs is not None and other is not entity and other.__options__.stored.get(theirs, theirs) != field.path[0]:
            raise ModelError(
                f"{entity.__name__} expires by {field.path[0]!r}, {other.__name__} by another attribute; a table has one.",
                hint="Store both under one name with stored={...}.",
            )
