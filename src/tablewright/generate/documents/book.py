"""The design book: everything that a model says of a table, in one document with pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tablewright.compiler.plan import TablePlan
from tablewright.generate.documents.access_patterns import pattern_blocks, request_blocks
from tablewright.generate.documents.blocks import (
    Block,
    Bullets,
    Grid,
    Heading,
    Listing,
    Picture,
    Text,
    code,
    codes,
    lowered,
    prose,
)
from tablewright.generate.documents.entities import EntityShown, FieldShown, Shown, shown
from tablewright.generate.documents.html import to_html
from tablewright.generate.documents.key_tables import index_table, main_table
from tablewright.generate.documents.markdown import to_markdown
from tablewright.generate.documents.relationships import relationship_blocks
from tablewright.generate.documents.review import review_blocks
from tablewright.generate.documents.wording import docline
from tablewright.generate.material import Material
from tablewright.generate.pictures.collections import collection_pictures
from tablewright.generate.pictures.erd import erd_picture
from tablewright.model.expectations import ItemsExpected
from tablewright.wording import quantity

_PICTURES = "pictures"


def markdown_book(material: Material) -> Mapping[str, str]:
    """The book as Markdown, with its pictures in a folder beside it."""
    blocks = book_blocks(material)
    files = {"design-book.md": to_markdown(blocks, pictures=_PICTURES)}
    return files | {f"{_PICTURES}/{b.name}.svg": b.svg for b in blocks if isinstance(b, Picture)}


def html_book(material: Material) -> str:
    """The book as one page that needs nothing else, not even a network."""
    return to_html(f"{material.table.name}: design book", book_blocks(material))


def book_blocks(material: Material) -> list[Block]:
    """All of it."""
    plan = material.plan
    found = shown(plan)
    blocks: list[Block] = [Heading(1, f"{plan.table.name}: design book"), *_overview(plan)]
    picture = Picture("erd", f"{plan.table.label}: entities and relationships", erd_picture(plan.table.label, found))
    blocks += [Heading(2, "Entities"), picture, *_entities(plan, found)]
    blocks += [Heading(2, "Keys"), *_keys(plan)]
    blocks += [Heading(2, "Access patterns"), *pattern_blocks(material), *lowered(list(request_blocks(material)), 2)]
    blocks += [Heading(2, "Relationships"), *lowered(relationship_blocks(plan)[1:], 1)]
    blocks += _changes(plan)
    blocks += [Heading(2, "Anti-pattern review"), *lowered(review_blocks(material.findings), 1)]
    if material.items:
        blocks += [Heading(2, "Sample items"), *_samples(material)]
    return blocks


def _overview(plan: TablePlan) -> Iterator[Block]:
    table = plan.table
    globals_, locals_ = ([i.name for i in table.indexes.values() if i.local is local] for local in (False, True))
    facts = [
        f"Entities: {', '.join(entity.name for entity in plan.entities.values()) or 'none'}",
        f"Global indexes: {codes(globals_) or 'none'}",
        *([f"Local indexes: {codes(locals_)}"] if locals_ else []),
        f"Access patterns: {len(plan.patterns)}",
        f"Items expire by: {code(table.ttl_attribute)}" if table.ttl_attribute else "Items do not expire.",
        f"Stream: {code(table.stream)}" if table.stream else "Stream: none",
    ]
    yield Bullets(tuple(facts))
    if plan.warnings:
        yield Text("What could not be proved:")
        yield Bullets(tuple(map(prose, plan.warnings)))


def _entities(plan: TablePlan, found: Shown) -> Iterator[Block]:
    expected = {e.__name__: what for e, what in plan.table.expectations.entities.items()}
    unique = {e.name: [", ".join(sorted(u.fields)) for u in e.uniques] for e in plan.entities.values()}
    for entity in found.entities:
        yield Heading(3, entity.name)
        if entity.about:
            yield Text(prose(entity.about))
        if entity.embedded:
            yield Text("Embedded: it is stored within the item that holds it.")
        if entity.fields:
            yield Grid(("Field", "Type", "Key", "Indexes", "Description"), tuple(_field(f) for f in entity.fields))
        notes = [f"Unique: {codes([rule])}" for rule in unique.get(entity.name, [])]
        notes += _expected(expected.get(entity.name, ItemsExpected()), entity)
        if notes:
            yield Bullets(tuple(notes))


def _field(field: FieldShown) -> tuple[str, ...]:
    marks = [m for m, is_so in (("key", field.in_key), ("unique", field.unique), ("reference", field.foreign)) if is_so]
    kind = field.type + (" or nothing" if field.optional else "")
    return code(field.name), code(kind), ", ".join(marks), ", ".join(field.indexes), prose(field.about)


def _expected(what: ItemsExpected, entity: EntityShown) -> Iterator[str]:
    if what.items is not None:
        yield f"Expected: {quantity(what.items)} items"
    if what.size is not None or what.max_size is not None:
        usual = "" if what.size is None else f"usually {quantity(what.size)} bytes"
        most = "" if what.max_size is None else f"{quantity(what.max_size)} bytes at most"
        yield "Size: " + ", ".join(part for part in (usual, most) if part)
    if what.writes is not None:
        yield f"Writes: {quantity(what.writes)} a second at the peak"
    for fields, count in sorted(what.per.items()):
        yield f"At most {quantity(count)} {entity.name} share {codes(fields)}"


def _keys(plan: TablePlan) -> Iterator[Block]:
    pictures = collection_pictures(plan)
    yield Heading(3, "The table")
    yield from main_table(plan)[1:]
    yield from pictures[None]
    for index in plan.table.indexes.values():
        yield Heading(3, f"The index {index.name}")
        yield from index_table(plan, index)[1:]
        yield from pictures[index.name]


def _changes(plan: TablePlan) -> Iterator[Block]:
    if not plan.changes:
        return
    yield Heading(2, "Changes")
    rows = []
    for name, summary in plan.changes.items():
        change = plan.table.changes[name]
        moved = ", ".join(summary.indexes) or "none"
        rows.append((code(name), change.entity.__name__, prose(docline(change)), codes(sorted(summary.fields)), moved))
    yield Grid(("Change", "Entity", "What it does", "Writes", "Indexes that move"), tuple(rows))


def _samples(material: Material) -> Iterator[Block]:
    import json

    for item in material.items:
        yield Listing("json", json.dumps(item, indent=2, ensure_ascii=False, sort_keys=True))
