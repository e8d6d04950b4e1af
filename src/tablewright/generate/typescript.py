"""TypeScript types of the entities, as `model_dump_json()` writes them, for whoever reads them from an API."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tablewright.generate.json_schema import Schemas, schemas_together
from tablewright.generate.material import Material

_PLAIN = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean", "null": "null"}


def typescript(material: Material) -> str:
    """An interface for each entity and each record within, and the fields that make up each entity's key."""
    schemas = schemas_together(material)
    names = _Names(schemas)
    entities = material.plan.entities.values()
    blocks = [f"// Types of what {material.table.name} stores, made from its model. Edit the model instead."]
    blocks += [_declared(names, name, schema) for name, schema in schemas.by_name.items()]
    for plan in entities:
        fields = " | ".join(_quoted(name) for name in plan.entity.model_fields if name in plan.key_fields)
        own = names.of(schemas.names[plan.entity])
        blocks.append(
            f"/** What identifies one {plan.name}. */\nexport type {own}Key = Pick<{own}, {fields or 'never'}>;"
        )
    members = "".join(
        f"\n  {_property(plan.options.type)}: {names.of(schemas.names[plan.entity])};" for plan in entities
    )
    blocks.append(f"/** Every entity by its stored type. */\nexport interface EntityTypes {{{members}\n}}")
    return "\n\n".join(blocks) + "\n"


class _Names:
    """Names of schemas as TypeScript can have them; two that would become one stay apart."""

    def __init__(self, schemas: Schemas) -> None:
        self._names: dict[str, str] = {}
        known = {name: model.__name__ for model, name in schemas.names.items()}
        for name in schemas.by_name:
            base = known.get(name) or re.sub(r"\W+", "_", name).strip("_") or "Record"
            chosen = base if not base[0].isdigit() else f"_{base}"
            while chosen in self._names.values():
                chosen += "_"
            self._names[name] = chosen

    def of(self, name: str) -> str:
        return self._names[name]


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _declared(names: _Names, name: str, schema: Mapping[str, Any]) -> str:
    own = names.of(name)
    doc = _doc(schema.get("description", ""), "")
    if schema.get("type") == "object" and "properties" in schema:
        return f"{doc}export interface {own} {_object(names, schema, '')}"
    return f"{doc}export type {own} = {_type(names, schema, '')};"


def _object(names: _Names, schema: Mapping[str, Any], indent: str) -> str:
    required = set(schema.get("required", ()))
    lines = ["{"]
    for name, member in schema["properties"].items():
        inner = indent + "  "
        mark = "" if name in required else "?"
        doc = _doc(member.get("description", ""), inner)
        lines.append(f"{doc}{inner}{_property(name)}{mark}: {_type(names, member, inner)};")
    return "\n".join([*lines, f"{indent}}}"])


def _property(name: str) -> str:
    return name if name.isidentifier() else _quoted(name)


def _doc(text: str, indent: str) -> str:
    if not text:
        return ""
    lines = text.replace("*/", "* /").splitlines()
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    return "\n".join([f"{indent}/**", *(f"{indent} * {line}".rstrip() for line in lines), f"{indent} */"]) + "\n"


def _type(names: _Names, schema: Any, indent: str) -> str:
    """The type that a schema describes; one that says nothing is unknown."""
    if schema is True or not isinstance(schema, Mapping):
        return "unknown"
    if "$ref" in schema:
        return names.of(schema["$ref"].rpartition("/")[2])
    if "const" in schema:
        return _quoted(schema["const"])
    if "enum" in schema:
        return " | ".join(_quoted(value) for value in schema["enum"])
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return " | ".join(dict.fromkeys(_type(names, each, indent) for each in schema[word]))
    if "allOf" in schema:
        return " & ".join(dict.fromkeys(f"({_type(names, each, indent)})" for each in schema["allOf"]))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(_type(names, {**schema, "type": each}, indent) for each in kind)
    if kind == "array":
        return _array(names, schema, indent)
    if kind == "object":
        return _record(names, schema, indent)
    return _PLAIN.get(kind or "", "unknown")


def _array(names: _Names, schema: Mapping[str, Any], indent: str) -> str:
    if "prefixItems" in schema:
        fixed = ", ".join(_type(names, each, indent) for each in schema["prefixItems"])
        rest = schema.get("items")
        more = f", ...{_type(names, rest, indent)}[]" if isinstance(rest, Mapping) else ""
        return f"[{fixed}{more}]"
    inner = _type(names, schema.get("items", True), indent)
    return f"({inner})[]" if " " in inner else f"{inner}[]"


def _record(names: _Names, schema: Mapping[str, Any], indent: str) -> str:
    if schema.get("properties"):
        return _object(names, schema, indent)
    values = schema.get("additionalProperties", True)
    return f"Record<string, {_type(names, values, indent)}>" if values is not False else "Record<string, never>"
