"""Parts of a model as texts that are the same for the same part, wherever and whenever it was loaded."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import Enum
from types import CodeType
from typing import Any

from tablewright.model.annotations import describe
from tablewright.model.conditions import AllOf, AnyOf, Condition, FieldPath, Negated, Test, path_text
from tablewright.model.entity import Entity


def constant_text(value: Any) -> str:
    """A constant as text, without where in memory it lies."""
    if issubclass(type(value), set | frozenset):  # a parameter may not be asked by isinstance()
        return f"{{{', '.join(sorted(map(constant_text, value)))}}}"
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def default_text(value: Any) -> str:
    """A default by what is stored for it: numbers alike in whatever type, members of an enumeration by their values."""
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return str(Decimal(value).normalize() + 0)
    return constant_text(value)


def type_text(annotation: Any) -> str:
    """A type without the modules that its names come from, since the two models may lie in different ones."""
    return re.sub(r"(?:\w+\.|<locals>\.)+(?=\w)", "", describe(annotation))


def condition_text(condition: Condition, path: Callable[[FieldPath], str] = path_text) -> str:
    """A condition in words that are the same for the same condition; `path` says how fields are called."""

    def joined(word: str, parts: tuple[Condition, ...]) -> str:
        return f"({f' {word} '.join(sorted(condition_text(part, path) for part in parts))})"

    match condition:
        case AllOf(parts):
            return joined("and", parts)
        case AnyOf(parts):
            return joined("or", parts)
        case Negated(inner):
            return f"not {condition_text(inner, path)}"
        case Test():
            operands = ", ".join(map(constant_text, condition.operands()))
            return f"{path(condition.path)} {type(condition).__name__.lower()} {operands}".strip()
    return type(condition).__name__


def field_text(entity: type[Entity], path: FieldPath) -> str:
    """A field with whose it is, as `{type|field}`: two models may call both otherwise, and mean the same."""
    return f"{{{entity.__options__.type}|{path_text(path)}}}"


def translated(text: str, kinds: Mapping[str, str], fields: Mapping[tuple[str, str], str]) -> str:
    """A text of the old model in the words of the new one: stored types, and fields by the old type."""

    def field(found: re.Match[str]) -> str:
        kind, name = found.groups()
        return f"{{{kinds.get(kind, kind)}|{fields.get((kind, name), name)}"

    return re.sub(r"\{([^{}|]+)\|(\w+)", field, text)


def in_words(text: str, *, whose: bool = False) -> str:
    """The same for people, with whose the fields are if that is asked for."""
    text = re.sub(r"\{([^{}|]+)\|([^{}]+)\}", r"\1.\2" if whose else r"\2", text)
    text = re.sub(r" compare '(\S+)', ", r" \1 ", text)
    return re.sub(r"<parameter (\w+)>", r"\1", text)


def code_text(function: Any) -> str:
    """What a function does, as a text that differs when its body does: neither where it lies nor what is said about it."""
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        return str(getattr(function, "__qualname__", type(function).__qualname__))
    digest = hashlib.blake2b(digest_size=8)
    _add_code(digest.update, code, function.__doc__)
    digest.update(constant_text(function.__defaults__).encode())
    return digest.hexdigest()


def _add_code(add: Callable[[bytes], None], code: CodeType, doc: str | None = None) -> None:
    add(code.co_code)
    add(repr((code.co_names, code.co_varnames, code.co_freevars)).encode())
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _add_code(add, constant)
        elif constant != doc or doc is None:
            add(constant_text(constant).encode())
