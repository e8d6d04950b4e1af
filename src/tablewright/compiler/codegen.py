"""Generated functions between an entity's fields and its wire item: straight-line code, one line or two per field.

Generated because this runs for every item read or written; names in the source are our own, values come in through the
namespace, so nothing of the model's text is executed.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Any

from tablewright.compiler.fields import FieldPlan
from tablewright.errors import DecodeError
from tablewright.model.entity import STORED, Entity, Stored
from tablewright.model.indexes import AttributeNames
from tablewright.values.types import AttributeValue, Item

EncodeFields = Callable[[Mapping[str, Any]], Item]
DecodeItem = Callable[[Item], Any]

_INLINE_DECODE: Mapping[type, str] = {str: '{av}["S"]', bool: '{av}["BOOL"]', bytes: 'b64decode({av}["B"])'}


class _Source:
    """Lines of a function under construction, with the objects they refer to."""

    def __init__(self, header: str) -> None:
        self.lines = [header]
        self.names: dict[str, Any] = {}

    def add(self, line: str) -> None:
        self.lines.append("    " + line)

    def ref(self, value: Any) -> str:
        name = f"_{len(self.names)}"
        self.names[name] = value
        return name

    def function(self, name: str) -> Any:
        exec("\n".join(self.lines), self.names)  # noqa: S102 - see the module's docstring
        return self.names[name]


def encoder(fields: Mapping[str, FieldPlan], nested: str | None) -> EncodeFields:
    """From validated field values to the item's attributes, without keys and stamps."""
    source = _Source("def encode(values):")
    source.add("item = {}")
    if nested is not None:
        source.add("inner = {}")
        source.add(f'item[{source.ref(nested)}] = {{"M": inner}}')
    for field in fields.values():
        target = "item" if len(field.path) == 1 else "inner"
        source.add(f"v = values[{source.ref(field.name)}]")
        attribute = source.ref(field.path[-1])
        inline = '{"S": v}' if field.annotation is str else '{"BOOL": v}' if field.annotation is bool else None
        store = f"{target}[{attribute}] = {inline or source.ref(field.codec.encode) + '(v)'}"
        condition = " and ".join((["v is not None"] if field.omit_none else []) + (["v"] if field.omit_empty else []))
        source.add(f"if {condition}: {store}" if condition else store)
    source.add("return item")
    encode: EncodeFields = source.function("encode")
    return encode


def decoder(entity: type[Entity], fields: Mapping[str, FieldPlan], names: AttributeNames) -> DecodeItem:
    """From a stored item to an entity, without validation; the instance is filled directly."""
    source = _Source("def decode(item):")
    source.names["b64decode"] = b64decode
    if any(len(f.path) > 1 for f in fields.values()):
        nested = next(f.path[0] for f in fields.values() if len(f.path) > 1)
        source.add(f"inner = item[{source.ref(nested)}]['M']")
    source.add("d = {}")
    for field in fields.values():
        attribute, name = source.ref(field.path[-1]), source.ref(field.name)
        container = "item" if len(field.path) == 1 else "inner"
        template = _INLINE_DECODE.get(field.annotation)
        value = template.format(av="a") if template else f"{source.ref(field.codec.decode)}(a)"
        if field.default is None:
            source.add(f"a = {container}[{attribute}]")
            source.add(f"d[{name}] = {value}")
        else:
            fallback = "None" if field.default() is None else f"{source.ref(field.default)}()"
            if field.nullable:
                value = f"None if 'NULL' in a else {value}"
            source.add(f"a = {container}.get({attribute})")
            source.add(f"d[{name}] = {fallback} if a is None else {value}")
    source.add(f"fields_set = set(d); d[{source.ref(STORED)}] = {source.ref(_stored(names))}(item)")
    source.add(f"e = {source.ref(entity.__new__)}({source.ref(entity)})")
    setter = source.ref(object.__setattr__)
    for slot, value in (
        ("__dict__", "d"),
        ("__pydantic_fields_set__", "fields_set"),
        ("__pydantic_extra__", "None"),
        ("__pydantic_private__", f"{source.ref(_privates(entity))}()" if entity.__private_attributes__ else "None"),
    ):
        source.add(f"{setter}(e, {slot!r}, {value})")
    source.add("return e")
    fast: DecodeItem = source.function("decode")

    def decode(item: Item) -> Any:
        try:
            return fast(item)
        except (LookupError, ValueError, TypeError, ArithmeticError, AttributeError) as error:
            raise _what_failed(entity, fields, item) from error

    return decode


def _stored(names: AttributeNames) -> Callable[[Item], Stored]:
    version, created, updated, schema = names.version, names.created, names.updated, names.schema
    none: AttributeValue = {}

    def stored(item: Item) -> Stored:
        number, schema_number = item.get(version, none).get("N"), item.get(schema, none).get("N")
        return Stored(
            int(number) if number is not None else None,
            item.get(created, none).get("S"),
            item.get(updated, none).get("S"),
            int(schema_number) if schema_number is not None else None,
        )

    return stored


def _privates(entity: type[Entity]) -> Callable[[], dict[str, Any]]:
    attributes = entity.__private_attributes__

    def privates() -> dict[str, Any]:
        return {name: attribute.get_default() for name, attribute in attributes.items()}

    return privates


def _what_failed(entity: type[Entity], fields: Mapping[str, FieldPlan], item: Item) -> DecodeError:
    """Finds the field that made decoding fail; the value itself stays out of the message."""
    for field in fields.values():
        try:
            container = item if len(field.path) == 1 else item[field.path[0]]["M"]
            av = container.get(field.path[-1])
            if av is None:
                if field.default is None:
                    return DecodeError(
                        f"A stored {entity.__name__} lacks {field.name!r} (attribute {field.path[-1]!r}), which has no default.",
                        hint="Give the field a default, or migrate the stored items.",
                    )
            elif not (field.nullable and "NULL" in av):
                field.codec.decode(av)
        except (LookupError, ValueError, TypeError, ArithmeticError, AttributeError):
            tag = next(iter(av), "nothing") if isinstance(av, dict) else "nothing"
            return DecodeError(
                f"A stored {entity.__name__} has a {field.name!r} (attribute {field.path[-1]!r}, type {tag}) that does not "
                f"fit its field.",
                hint="The item was written by other code or an older model; change the field or migrate the items.",
            )
    return DecodeError(f"A stored item cannot be read as {entity.__name__}.")
