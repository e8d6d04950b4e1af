"""JSON Schema of the entities, as `model_dump_json()` writes them: a file each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from msgspec import Struct
from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema

from tablewright.generate.documents.wording import said
from tablewright.generate.material import Material

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class _AsWritten(GenerateJsonSchema):
    """Entities as they are written out."""

    def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> JsonSchemaValue:
        """A type that JSON Schema cannot describe may be anything, rather than end the whole document."""
        return {}

    def field_is_required(self, field: Any, total: bool) -> bool:
        """What is written out always has every field, also those with defaults."""
        if field["type"] == "typed-dict-field":
            return super().field_is_required(field, total)
        return not field.get("serialization_exclude", False)

    def field_title_should_be_set(self, schema: Any) -> bool:
        """The name of a field says as much."""
        return False


def json_schemas(material: Material) -> Mapping[str, str]:
    """A schema for each entity, in the folder `schemas`."""
    files: dict[str, str] = {}
    for plan in material.plan.entities.values():
        schema = plan.entity.model_json_schema(schema_generator=_AsWritten, mode="serialization")
        whole = {"$schema": DIALECT, **schema}
        if said(plan.entity):
            whole["description"] = said(plan.entity)
        files[f"schemas/{plan.name}.schema.json"] = json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
    return files


class Schemas(Struct, frozen=True):
    """The schemas of all entities and of the records within them; they refer to each other by name."""

    by_name: dict[str, dict[str, Any]]
    names: dict[type[BaseModel], str]
    """The name that each entity has there."""


def schemas_together(material: Material) -> Schemas:
    """The schemas of a table."""
    models: list[type[BaseModel]] = [plan.entity for plan in material.plan.entities.values()]
    refs, schema = models_json_schema([(m, "serialization") for m in models], schema_generator=_AsWritten)
    found = cast(dict[str, dict[str, Any]], schema.get("$defs", {}))
    names = {model: refs[model, "serialization"]["$ref"].rpartition("/")[2] for model in models}
    for model, name in names.items():
        found[name]["description"] = said(model)
    return Schemas(found, names)
