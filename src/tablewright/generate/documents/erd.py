"""Entity-relationship diagrams as text: Mermaid and PlantUML."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tablewright.generate.documents.blocks import plain_line
from tablewright.generate.documents.entities import EntityShown, FieldShown, LinkShown, shown
from tablewright.generate.material import Material

_ENDS = {"1:1": ("||", "o|"), "1:N": ("||", "o{"), "M:N": ("}o", "o{")}
_WORDS_OF_MERMAID = (
    "title class classdef style direction erdiagram acctitle accdescr one only many to optionally end subgraph"
)
_SAFE = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def mermaid(material: Material) -> str:
    """The diagram for Mermaid, which GitHub and many editors draw."""
    found = shown(material.plan)
    lines = ["erDiagram"]
    for entity in found.entities:
        lines += [f"    {_mermaid_name(entity.name)} {{", *_mermaid_fields(entity), "    }"]
    for link in found.links:
        source, target = _mermaid_name(link.source), _mermaid_name(link.target)
        lines.append(f'    {source} {_line(link)} {target} : "{_unquoted(link.label)}"')
    return "\n".join(lines) + "\n"


def _mermaid_fields(entity: EntityShown) -> Iterator[str]:
    for field in entity.fields:
        kind = re.sub(r"[^A-Za-z0-9_\[\]()-]+", "_", field.type)
        keys = ", ".join(_marks(field))
        about = [*(["optional"] if field.optional else []), *field.indexes, *([field.about] if field.about else [])]
        comment = f'"{_unquoted("; ".join(about))}"' if about else ""
        yield "        " + " ".join(part for part in (kind, _mermaid_field(field.name), keys, comment) if part)


def _mermaid_name(name: str) -> str:
    bare = _SAFE.fullmatch(name) and name.lower() not in _WORDS_OF_MERMAID.split()
    return name if bare else f'"{_unquoted(name)}"'


def _mermaid_field(name: str) -> str:
    """A field may not be called like the mark of a key."""
    return f"{name}_" if name.lower() in ("pk", "fk", "uk") else re.sub(r"[^A-Za-z0-9_]", "-", name)


def _marks(field: FieldShown) -> list[str]:
    return [m for m, is_so in (("PK", field.in_key), ("FK", field.foreign), ("UK", field.unique)) if is_so]


def _unquoted(text: str) -> str:
    """Text as it can stand between quotes, in Mermaid and in PlantUML: on one line, and without what begins a comment."""
    return re.sub("%{2,}", "%", plain_line(text).replace('"', "'"))


def _line(link: LinkShown) -> str:
    begin, end = _ENDS[link.cardinality]
    return f"{begin}{'..' if link.aside else '--'}{end}"


def plantuml(material: Material) -> str:
    """The diagram for PlantUML."""
    found = shown(material.plan)
    names = {entity.name: f"e{number}" for number, entity in enumerate(found.entities, 1)}
    lines = ["@startuml", "hide circle", "skinparam linetype ortho", f"title {_unquoted(material.table.name)}"]
    for entity in found.entities:
        mark = " <<embedded>>" if entity.embedded else ""
        lines += [
            "",
            f'entity "{_unquoted(entity.name)}" as {names[entity.name]}{mark} {{',
            *_plantuml_fields(entity),
            "}",
        ]
    lines.append("")
    for link in found.links:
        lines.append(f"{names[link.source]} {_line(link)} {names[link.target]} : {_unquoted(link.label)}")
    return "\n".join([*lines, "@enduml"]) + "\n"


def _plantuml_fields(entity: EntityShown) -> Iterator[str]:
    keys = [field for field in entity.fields if field.in_key]
    for field in keys:
        yield _plantuml_field(field)
    if 0 < len(keys) < len(entity.fields):
        yield "  --"
    for field in entity.fields:
        if not field.in_key:
            yield _plantuml_field(field)


def _plantuml_field(field: FieldShown) -> str:
    marks = [*_marks(field), *field.indexes]
    shown_marks = "".join(f" <<{mark}>>" for mark in marks)
    return f"  {'' if field.optional else '* '}{field.name} : {_unquoted(field.type)}{shown_marks}"
