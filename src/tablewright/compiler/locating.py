"""From the key fields that a caller gives straight to the primary key: one generated function for each entity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tablewright.compiler.codegen import Source
from tablewright.compiler.fields import ENCODING_FAILURES, FieldPlan
from tablewright.compiler.keys import SURELY_SHORT, KeyPlan, TemplateKey
from tablewright.errors import ArgumentError, MissingKeyPartError, TablewrightError, UnknownFieldError
from tablewright.model.entity import did_you_mean
from tablewright.values.keycodec import BoundTemplate
from tablewright.values.types import Item

Located = tuple[dict[str, Any], Item]
"""Key fields, validated, and the key that they make."""
Locate = Callable[[Mapping[str, Any]], Located]


def wrong_fields(
    entity: str, fields: Mapping[str, FieldPlan], names: frozenset[str], given: Mapping[str, Any]
) -> TablewrightError:
    """What is wrong with fields that are not those of the key."""
    for name in given:
        if name not in fields:
            return UnknownFieldError(f"{entity} has no field {name!r}.{did_you_mean(name, names)}", field=name)
        if name not in names:
            return ArgumentError(
                f"{entity}.{name} is no part of the primary key.",
                field=name,
                hint=f"The key is made of {', '.join(sorted(names))}.",
            )
    missing = sorted(names - given.keys())
    return MissingKeyPartError(
        f"{entity}: the key needs {', '.join(missing)}.", field=missing[0], constraint="required", hint="Give it."
    )


def locator(
    entity: str,
    fields: Mapping[str, FieldPlan],
    names: frozenset[str],
    keys: tuple[KeyPlan, ...],
    make: Callable[[Mapping[str, Any]], Item],
) -> Locate:
    """What finds the key of given fields, all of them and no others; it raises for what is wrong with them."""

    def careful(given: Mapping[str, Any]) -> Located:
        if given.keys() != names:
            raise wrong_fields(entity, fields, names, given)
        values = {name: fields[name].accept(value) for name, value in given.items()}
        return values, make(values)

    templates = [key for key in keys if isinstance(key, TemplateKey) and not key.derived]
    if len(templates) < len(keys):
        return careful
    source = Source("locate", "fields")
    source.add(f"if len(fields) != {len(names)}: raise LookupError")
    values = {name: f"v{number}" for number, name in enumerate(sorted(names))}
    for name, value in values.items():
        field = fields[name]
        source.add(f"{value} = fields[{name!r}]")
        check = f"{value} = {source.ref(field.accept)}({value})"
        source.add(f"if {value}.__class__ is not str: {check}" if field.any_text else check)
    made: dict[str, str] = {}
    for key in templates:
        if str(key) not in made:
            made[str(key)] = text = f"k{len(made)}"
            source.add(f"{text} = {_text(source, key.bound, values)}")
            source.add(f"if len({text}) > {SURELY_SHORT}: raise LookupError")
    parts = ", ".join(f"{key.attribute.name!r}: {{'S': {made[str(key)]}}}" for key in templates)
    source.add(f"return {{{', '.join(f'{n!r}: {v}' for n, v in values.items())}}}, {{{parts}}}")
    locate: Locate = source.function_or((TablewrightError, *ENCODING_FAILURES), careful)
    return locate


def _text(source: Source, bound: BoundTemplate, values: Mapping[str, str]) -> str:
    """An expression for a key's text."""
    pieces = [repr(bound.head)] if bound.head or not bound.fields else []
    for field in bound.fields:
        pieces.append(f"{source.ref(field.encode)}({values[field.name]})")
        if field.follow:
            pieces.append(repr(field.follow))
    return " + ".join(pieces)
