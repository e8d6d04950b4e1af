"""What a model's own code says of several parts together, so that none of them can be judged alone."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, get_origin

from pydantic import BaseModel, TypeAdapter
from pydantic_core import SchemaValidator, core_schema

from tablewright.model.annotations import is_typed_dict

_RECORDS = frozenset(("model", "dataclass", "typed-dict"))
"""Schemas whose parts see each other, and nothing outside."""
_NO_SCHEMAS = frozenset(("serialization", "metadata", "default", "function", "expected", "members", "config", "cls"))


class FieldSchema:
    """What Pydantic validates one field of a model with, as far as that can be done without the other fields."""

    def __init__(self, model: type[BaseModel], name: str) -> None:
        schema: Any = model.__pydantic_core_schema__
        self._definitions: list[Any] = schema["definitions"] if schema["type"] == "definitions" else []
        self._config: Any = None
        known = {d.get("ref"): d for d in self._definitions}
        while schema["type"] != "model-fields":
            self._config = schema.get("config", self._config)
            schema = known[schema["schema_ref"]] if schema["type"] == "definition-ref" else schema["schema"]
        self._schema: Any = schema["fields"][name]["schema"]
        self.looks_around = _looks_around(self._schema, known)
        """Whether a validator of the field takes `info`, and so may look at the fields before it."""

    def alone(self) -> SchemaValidator:
        """The validator without those that may look at other fields."""
        field = self._schema["schema"] if self._schema["type"] == "default" else self._schema
        return _alone_validator(field, self._definitions, self._config)


def validator_alone(schema: Any, config: Any) -> SchemaValidator | None:
    """The validator of a type without those that may look at other fields; None where there are none of these."""
    definitions = schema["definitions"] if schema["type"] == "definitions" else []
    own = schema["schema"] if definitions else schema
    if not _looks_around(own, {d.get("ref"): d for d in definitions}):
        return None
    return _alone_validator(own, definitions, config)


def _alone_validator(own: Any, definitions: list[Any], config: Any) -> SchemaValidator:
    alone, around = _alone(own), [_alone(d) for d in definitions]
    return SchemaValidator(core_schema.definitions_schema(alone, around) if around else alone, config)


def has_rules(kind: Any) -> bool:
    """Whether a type has rules about its parts together."""
    return _has_rules(kind)  # behind a signature that takes classes whose instances have no hash


@lru_cache(maxsize=1024)
def _has_rules(kind: Any) -> bool:
    if (get_origin(kind) or kind) is tuple:
        return True
    if not isinstance(kind, type):
        return False
    if issubclass(kind, BaseModel):
        decorators = kind.__pydantic_decorators__
        own = decorators.model_validators or decorators.root_validators or kind.__pydantic_custom_init__
        return bool(own) or _own_post_init(kind) or _parts_look_around(kind.__pydantic_core_schema__)
    if is_typed_dict(kind):
        return _parts_look_around(TypeAdapter(kind).core_schema)
    if not dataclasses.is_dataclass(kind):
        return False
    # Validators of a Pydantic dataclass belong to the class; a path to one of its parts does not meet them.
    found = getattr(kind, "__pydantic_decorators__", None)
    declared = found is not None and (found.field_validators or found.model_validators or found.root_validators)
    made = getattr(kind, "__dataclass_params__").init  # noqa: B009 - no checker knows it
    return (
        bool(declared)
        or not made
        or hasattr(kind, "__post_init__")
        or _parts_look_around(TypeAdapter(kind).core_schema)
    )


@lru_cache(maxsize=1024)
def required_parts(kind: Any) -> frozenset[str]:
    """The parts that a dataclass or TypedDict cannot be without; of other types none is known."""
    if is_typed_dict(kind):
        # The words stand in the hints; where annotations are texts, the class itself did not see them.
        hints = typing.get_type_hints(kind, include_extras=True)
        words = {name: get_origin(hint) for name, hint in hints.items()}
        loose = {name for name, word in words.items() if word is typing.NotRequired}
        return frozenset({n for n, word in words.items() if word is typing.Required} | (kind.__required_keys__ - loose))
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        none = dataclasses.MISSING
        return frozenset(
            f.name for f in dataclasses.fields(kind) if f.init and f.default is none and f.default_factory is none
        )
    return frozenset()


def _own_post_init(kind: type[BaseModel]) -> bool:
    """Whether it has a model_post_init() beside the one that Pydantic makes where there are private attributes."""
    found = (vars(base).get("model_post_init") for base in kind.__mro__ if base is not BaseModel)
    return any(f is not None and getattr(f, "__name__", "") != "init_private_attributes" for f in found)


def _parts_look_around(schema: Any) -> bool:
    """Whether a part of a record has a validator that may look at other parts, or the whole has one around it."""
    definitions = {d.get("ref"): d for d in schema["definitions"]} if schema["type"] == "definitions" else {}
    while "fields" not in schema or schema["type"] == "dataclass":
        if schema["type"].startswith("function-"):
            return True
        inner = schema.get("schema")
        if inner is None and schema["type"] == "definition-ref":
            inner = definitions.get(schema["schema_ref"])
        if inner is None:
            return False
        schema = inner
    fields = schema["fields"]
    parts = fields.values() if isinstance(fields, Mapping) else fields
    return any(_looks_around(part["schema"], definitions) for part in parts)


def _looks_around(schema: Any, definitions: Mapping[Any, Any], seen: frozenset[Any] = frozenset()) -> bool:
    if schema["type"] in _RECORDS:
        return False
    if _takes_info(schema):
        return True
    if schema["type"] == "definition-ref":
        ref = schema["schema_ref"]
        return ref in definitions and ref not in seen and _looks_around(definitions[ref], definitions, seen | {ref})
    return any(_looks_around(inner, definitions, seen) for inner in _inner(schema))


def _takes_info(schema: Any) -> bool:
    function = schema.get("function")
    if not isinstance(function, Mapping) or function.get("type") != "with-info":
        return False
    # Pydantic's own types ask for nothing but the configuration; its old validators hand on the other fields.
    module = str(getattr(function["function"], "__module__", None))
    return not module.startswith("pydantic.") or module.endswith("_decorators_v1")


def _inner(part: Any) -> Iterator[Any]:
    """The schemas inside of one, or inside of a collection of them."""
    members: Any = ()
    if isinstance(part, Mapping):
        members = [m for name, m in part.items() if name not in _NO_SCHEMAS]
    elif isinstance(part, list | tuple):
        members = part
    for member in members:
        if isinstance(member, Mapping) and isinstance(member.get("type"), str):
            yield member
        else:
            yield from _inner(member)


def _alone(schema: Any) -> Any:
    if schema["type"] in _RECORDS:
        return schema
    if _takes_info(schema):
        return _alone(schema["schema"]) if "schema" in schema else core_schema.any_schema()
    return _mapped(schema, _alone)


def _mapped(part: Any, change: Callable[[Any], Any]) -> Any:
    """The same with every schema inside changed."""

    def member(found: Any) -> Any:
        if isinstance(found, Mapping) and isinstance(found.get("type"), str):
            return change(found)
        return _mapped(found, change)

    if isinstance(part, Mapping):
        return {name: m if name in _NO_SCHEMAS else member(m) for name, m in part.items()}
    if isinstance(part, list | tuple):
        return type(part)(member(m) for m in part)
    return part
