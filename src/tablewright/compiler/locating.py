"""Keys from field values, in generated functions: straight-line code, since every read and write needs some."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tablewright.compiler.codegen import Source
from tablewright.compiler.fields import ENCODING_FAILURES, FieldPlan
from tablewright.compiler.keys import KeyPlan, TemplateKey, Values
from tablewright.errors import ArgumentError, MissingKeyPartError, TablewrightError, UnknownFieldError
from tablewright.model.entity import did_you_mean
from tablewright.values.keycodec import BoundTemplate
from tablewright.values.types import Item

Located = tuple[dict[str, Any], Item]
"""Key fields, validated, and the key that they make."""
Locate = Callable[[Mapping[str, Any]], Located]
MakeKeys = Callable[[Values], Item]

_SURELY_SHORT = 200
"""Characters of a key text that fit wherever one can stand; longer ones are counted."""


def key_maker(keys: tuple[KeyPlan, ...]) -> MakeKeys:
    """What makes key attributes of validated field values."""

    def careful(values: Values) -> Item:
        return {key.attribute.name: key.encode(values) for key in keys}

    source = Source("make", "values")
    names = {name for key in keys for name in key.sources}
    source.add(f"return {_attributes(source, keys, {name: f'values[{name!r}]' for name in names})}")
    make: MakeKeys = source.function_or((TablewrightError, *ENCODING_FAILURES), careful)
    return make


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
    make: MakeKeys,
) -> Locate:
    """What finds the key of given fields, all of them and no others; it raises for what is wrong with them."""

    def careful(given: Mapping[str, Any]) -> Located:
        if given.keys() != names:
            raise wrong_fields(entity, fields, names, given)
        values = {name: fields[name].accept(value) for name, value in given.items()}
        return values, make(values)

    source = Source("locate", "fields")
    source.add(f"if len(fields) != {len(names)}: raise LookupError")
    values = {name: f"v{number}" for number, name in enumerate(sorted(names))}
    for name, value in values.items():
        field = fields[name]
        source.add(f"{value} = fields[{name!r}]")
        check = f"{value} = {source.ref(field.accept)}({value})"
        source.add(f"if {value}.__class__ is not str: {check}" if field.any_text else check)
    found = f"{{{', '.join(f'{n!r}: {v}' for n, v in values.items())}}}"
    source.add(f"values = {found}")
    source.add(f"return values, {_attributes(source, keys, values)}")
    locate: Locate = source.function_or((TablewrightError, *ENCODING_FAILURES), careful)
    return locate


def _attributes(source: Source, keys: tuple[KeyPlan, ...], values: Mapping[str, str]) -> str:
    """An expression for key attributes, after the lines that it needs; `values` are those for the fields."""
    made: list[tuple[TemplateKey, str]] = []
    parts: list[str] = []
    for key in keys:
        name = key.attribute.name
        if not isinstance(key, TemplateKey) or key.derived:
            parts.append(f"{name!r}: {source.ref(key.encode)}(values)")
            continue
        text = next((known for other, known in made if _alike(key, other)), None)
        if text is None:
            text = f"k{len(made)}"
            made.append((key, text))
            source.add(f"{text} = {_text(source, key.bound, values)}")
            source.add(f"if len({text}) > {_SURELY_SHORT}: raise LookupError")
        parts.append(f"{name!r}: {{'S': {text}}}")
    return f"{{{', '.join(parts)}}}"


def _alike(key: TemplateKey, other: TemplateKey) -> bool:
    """Whether two keys always have the same text, as items without anything below them often have it."""
    if str(key) != str(other):
        return False
    codecs = ((a.codec, b.codec) for a, b in zip(key.bound.fields, other.bound.fields, strict=True))
    return all(type(a) is type(b) and vars(a) == vars(b) for a, b in codecs)


def _text(source: Source, bound: BoundTemplate, values: Mapping[str, str]) -> str:
    """An expression for a key's text."""
    pieces = [repr(bound.head)] if bound.head or not bound.fields else []
    for field in bound.fields:
        pieces.append(f"{source.ref(field.encode)}({values[field.name]})")
        if field.follow:
            pieces.append(repr(field.follow))
    return " + ".join(pieces)
