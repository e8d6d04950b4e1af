"""A model as a data model of NoSQL Workbench: a facet for each entity, with sample items where there are some."""

from __future__ import annotations

from msgspec import UNSET

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.plan import TablePlan
from tablewright.generate.material import Material
from tablewright.generate.workbench.files import (
    Attribute,
    DataModelFile,
    Facet,
    GlobalIndex,
    KeyAttributeAlias,
    KeyAttributes,
    Metadata,
    Projection,
    TableFile,
    written,
)
from tablewright.generate.workbench.notes import description, known_there
from tablewright.model.indexes import Index, KeyAttribute

NO_DATE = "Jan 01, 1970, 12:00 AM"
"""The format wants a date; one that moves would make a new file each time."""


def workbench(material: Material) -> str:
    """The JSON to import there."""
    table, plan = material.table, material.plan
    indexes = [index for index in table.indexes.values() if known_there(index)]
    sides = (table.pk, *([] if table.sk is None else [table.sk]))
    model = TableFile(
        table_name=table.label,
        key_attributes=_key(sides),
        non_key_attributes=_attributes(plan, indexes),
        table_facets=[_facet(material, entity, indexes) for entity in plan.entities.values()],
        global_secondary_indexes=[_index(index) for index in indexes],
        table_data=list(material.items),
    )
    metadata = Metadata(created=NO_DATE, modified=NO_DATE, description=description(plan))
    return written(DataModelFile(table.label, metadata, [model]))


def _key(sides: tuple[KeyAttribute, ...]) -> KeyAttributes:
    made = [Attribute(side.name, side.tag) for side in sides]
    return KeyAttributes(made[0], made[1] if len(made) > 1 else UNSET)


def _index(index: Index) -> GlobalIndex:
    included = list(index.include) if index.include else UNSET
    return GlobalIndex(index.name, _key(index.attributes), Projection(index.projection, included))


def _facet(material: Material, entity: EntityPlan, indexes: list[Index]) -> Facet:
    return Facet(
        facet_name=entity.name,
        key_attribute_alias=KeyAttributeAlias(str(entity.pk), UNSET if entity.sk is None else str(entity.sk)),
        non_key_attributes=list(_of_entity(entity, indexes)),
        table_data=[item for item in material.items if entity.owns(item)],
    )


def _attributes(plan: TablePlan, indexes: list[Index]) -> list[Attribute]:
    found: dict[str, str] = {}
    for entity in plan.entities.values():
        for name, tag in _of_entity(entity, indexes).items():
            found.setdefault(name, tag)
    return [Attribute(name, tag) for name, tag in found.items()]


def _of_entity(entity: EntityPlan, indexes: list[Index]) -> dict[str, str]:
    """The attributes of its items beside the table's key, with their types."""
    found: dict[str, str] = {}
    for field in entity.fields.values():
        nested = len(field.path) > 1
        found[field.path[0]] = "M" if nested else field.codec.tag or "S"
    known = {index.name for index in indexes}
    for binding in entity.bindings:
        if binding.index.name in known:
            found |= {key.attribute.name: key.attribute.tag for key in binding.keys}
    names, options = entity.names, entity.options
    own = {names.type: "S"}
    own |= {names.created: "S", names.updated: "S"} if options.timestamps else {}
    own |= {names.version: "N"} if options.version else {}
    own |= {names.schema: "N"} if options.schema_version is not None else {}
    keys = {key.attribute.name for key in (entity.pk, entity.sk) if key is not None}
    return {name: tag for name, tag in {**found, **own}.items() if name not in keys}
