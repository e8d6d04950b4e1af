"""Entity-key tables: how each entity's key is made, on the table and on every index, and which patterns use it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tablewright.compiler.derived import ShardPlan
from tablewright.compiler.entity_plan import EntityPlan, IndexBinding
from tablewright.compiler.keys import KeyPlan, TemplateKey
from tablewright.compiler.plan import TablePlan
from tablewright.generate.documents.blocks import Block, Bullets, Grid, Heading, Text, code, codes, prose
from tablewright.generate.documents.markdown import to_markdown
from tablewright.generate.documents.wording import condition, docline, uses
from tablewright.generate.material import Material
from tablewright.model.indexes import Index, KeyAttribute


def key_tables(material: Material) -> Mapping[str, str]:
    """A file for the main table and one for each index."""
    plan = material.plan
    files = {"entity-key-table-main.md": to_markdown(main_table(plan))}
    for index in plan.table.indexes.values():
        files[f"entity-key-table-{index.name.lower()}.md"] = to_markdown(index_table(plan, index))
    return files


def main_table(plan: TablePlan) -> list[Block]:
    """The keys on the table itself."""
    model = plan.table
    sides = [model.pk, *([] if model.sk is None else [model.sk])]
    used = uses(plan).get(None, {})
    rows: list[tuple[str, ...]] = []
    for entity in plan.entities.values():
        patterns, notes = codes(used.get(entity.name, ())), "; ".join(_notes_of_entity(entity))
        rows.append((entity.name, *(code(str(key)) for key in primary(entity)), patterns, notes))
    for entity in plan.entities.values():
        for unique in entity.uniques:
            name = f"{entity.name}: marker of {' and '.join(sorted(unique.fields))}"
            note = "keeps the value unique; written in the same transaction"
            rows.append((name, *(code(str(key)) for key in unique.keys), "", note))
    return [
        Heading(1, f"{model.name}: keys of the main table"),
        Bullets(tuple(_attribute(*each) for each in zip(("Partition key", "Sort key"), sides, strict=False))),
        Grid(("Entity", *(code(a.name) for a in sides), "Access patterns", "Notes"), tuple(rows)),
    ]


def index_table(plan: TablePlan, index: Index) -> list[Block]:
    """The keys on one index."""
    used = uses(plan).get(index.name, {})
    rows = []
    for entity in plan.entities.values():
        for binding in entity.bindings:
            if binding.index.name == index.name:
                keys = (entity.pk, *binding.sk) if index.local else binding.keys
                patterns, notes = codes(used.get(entity.name, ())), "; ".join(_notes_of_binding(entity, binding))
                rows.append((entity.name, *(code(str(key)) for key in keys), patterns, notes))
    facts = [_attribute("Partition key", a) for a in index.pk] + [_attribute("Sort key", a) for a in index.sk]
    facts += [f"Kind: {'local' if index.local else 'global'}", f"Projection: {projection(index)}"]
    headers = ("Entity", *(code(a.name) for a in index.attributes), "Access patterns", "Notes")
    return [
        Heading(1, f"{plan.table.name}: keys of the index {index.name}"),
        Bullets(tuple(facts)),
        Grid(headers, tuple(rows)) if rows else Text("No entity has keys on this index."),
    ]


def primary(entity: EntityPlan) -> tuple[KeyPlan, ...]:
    """The keys of an entity on the table itself."""
    return (entity.pk,) if entity.sk is None else (entity.pk, entity.sk)


def projection(index: Index) -> str:
    """What an index holds beside its keys, in words."""
    if index.projection == "INCLUDE":
        return f"the keys with {codes(index.include)}"
    return "all attributes" if index.projection == "ALL" else "the keys alone"


def _attribute(side: str, attribute: KeyAttribute) -> str:
    kind = {"S": "text", "N": "number", "B": "binary"}[attribute.tag]
    return f"{side}: {code(attribute.name)} ({kind})"


def _notes_of_entity(entity: EntityPlan) -> Iterator[str]:
    said = docline(entity.entity)
    if said:
        yield prose(said.rstrip("."))
    yield from _derived_notes(primary(entity))
    options = entity.options
    if options.type != entity.name:
        yield f"stored as {code(options.type)}"
    if options.schema_version is not None:
        yield f"schema version {options.schema_version}"
    if options.version:
        yield "locked by version"
    if options.lock:
        yield "locked by time"
    if options.ttl is not None:
        yield f"expires by {code(options.ttl)}"
    if options.soft_delete is not None:
        yield "deleted softly"
    if options.nested is not None:
        yield f"fields nested in {code(options.nested)}"


def _notes_of_binding(entity: EntityPlan, binding: IndexBinding) -> Iterator[str]:
    if binding.condition is not None:
        yield f"only while {condition(binding.condition)}"
    may_be_missing = sorted(name for name in binding.required if entity.sources[name].nullable)
    if may_be_missing:
        yield f"only with a value of {codes(may_be_missing)}"
    yield from _derived_notes(binding.keys)
    if binding.shared:
        yield "holds fields as they are"


def _derived_notes(keys: tuple[KeyPlan, ...]) -> Iterator[str]:
    for key in keys:
        if isinstance(key, TemplateKey):
            for name, derived in key.derived.items():
                if isinstance(derived, ShardPlan):
                    yield f"{code(name)} is one of {derived.of} shards, by {codes(derived.fields)}"
                else:
                    yield f"{code(name)} is the {derived.by} of {code(derived.field)}"
