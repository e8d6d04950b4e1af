"""Entity-key tables: how each entity's key is made, on the table and on every index, and which patterns use it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tablewright.compiler.derived import ShardPlan
from tablewright.compiler.entity_plan import EntityPlan, IndexBinding
from tablewright.compiler.keys import KeyPlan, TemplateKey
from tablewright.compiler.plan import TablePlan
from tablewright.generate.documents.markdown import code, heading, page, table
from tablewright.generate.documents.wording import condition, docline, uses
from tablewright.generate.material import Material
from tablewright.model.indexes import Index


def key_tables(material: Material) -> Mapping[str, str]:
    """A file for the main table and one for each index."""
    plan = material.plan
    files = {"entity-key-table-main.md": main_table(plan)}
    for index in plan.table.indexes.values():
        files[f"entity-key-table-{index.name.lower()}.md"] = index_table(plan, index)
    return files


def main_table(plan: TablePlan) -> str:
    """The keys on the table itself."""
    model = plan.table
    attributes = [_attribute("Partition key", model.pk.name, model.pk.tag)]
    if model.sk is not None:
        attributes.append(_attribute("Sort key", model.sk.name, model.sk.tag))
    used = uses(plan).get(None, {})
    rows = [
        [
            entity.name,
            code(str(entity.pk)),
            "" if entity.sk is None else code(str(entity.sk)),
            _listed(used.get(entity.name, ())),
            "; ".join(_notes_of_entity(entity)),
        ]
        for entity in plan.entities.values()
    ]
    markers = [
        [
            f"{entity.name} (marker of {' and '.join(sorted(unique.fields))})",
            *(code(str(key)) for key in unique.keys),
            *([""] * (2 - len(unique.keys))),
            "",
            "Keeps the value unique; written in the same transaction.",
        ]
        for entity in plan.entities.values()
        for unique in entity.uniques
    ]
    return page(
        heading(f"{model.name}: keys of the main table"),
        "\n".join(attributes),
        table(
            ["Entity", model.pk.name, "" if model.sk is None else model.sk.name, "Access patterns", "Notes"],
            rows + markers,
        ),
    )


def index_table(plan: TablePlan, index: Index) -> str:
    """The keys on one index."""
    used = uses(plan).get(index.name, {})
    rows = []
    for entity in plan.entities.values():
        for binding in entity.bindings:
            if binding.index.name == index.name:
                keys = (entity.pk, *binding.sk) if index.local else binding.keys
                rows.append(
                    [
                        entity.name,
                        *(code(str(key)) for key in keys),
                        _listed(used.get(entity.name, ())),
                        "; ".join(_notes_of_binding(entity, binding)),
                    ]
                )
    attributes = [_attribute("Partition key", a.name, a.tag) for a in index.pk]
    attributes += [_attribute("Sort key", a.name, a.tag) for a in index.sk]
    attributes.append(f"- Kind: {'local' if index.local else 'global'}")
    attributes.append(f"- Projection: {projection(index)}")
    headers = ["Entity", *(a.name for a in index.attributes), "Access patterns", "Notes"]
    body = table(headers, rows) if rows else "No entity has keys on this index."
    return page(heading(f"{plan.table.name}: keys of the index {index.name}"), "\n".join(attributes), body)


def projection(index: Index) -> str:
    """What an index holds beside its keys, in words."""
    if index.projection == "INCLUDE":
        return f"the keys with {', '.join(code(name) for name in index.include)}"
    return "all attributes" if index.projection == "ALL" else "the keys alone"


def _attribute(side: str, name: str, tag: str) -> str:
    return f"- {side}: {code(name)} ({ {'S': 'text', 'N': 'number', 'B': 'binary'}[tag] })"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(code(name) for name in names)


def _notes_of_entity(entity: EntityPlan) -> Iterator[str]:
    said = docline(entity.entity)
    if said:
        yield said.rstrip(".")
    yield from _derived_notes((entity.pk, *([] if entity.sk is None else [entity.sk])))
    options = entity.options
    if options.type != entity.name:
        yield f"stored as {code(options.type)}"
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
        yield f"only with a value of {', '.join(code(name) for name in may_be_missing)}"
    yield from _derived_notes(binding.keys)
    if binding.shared:
        yield "holds fields as they are"


def _derived_notes(keys: tuple[KeyPlan, ...]) -> Iterator[str]:
    for key in keys:
        if isinstance(key, TemplateKey):
            for name, derived in key.derived.items():
                if isinstance(derived, ShardPlan):
                    fields = ", ".join(code(f) for f in derived.fields)
                    yield f"{code(name)} is one of {derived.of} shards, by {fields}"
                else:
                    yield f"{code(name)} is the {derived.by} of {code(derived.field)}"
