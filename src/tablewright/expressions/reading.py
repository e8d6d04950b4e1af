"""Operands compiled to readers of a wire item and the values of the request. Nothing here raises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from tablewright.expressions.ast import Attribute, Operand, Path, Size, Value, ValueRef
from tablewright.expressions.comparison import size
from tablewright.values.types import AttributeValue, Item

Values: TypeAlias = Mapping[str, AttributeValue]
Test: TypeAlias = Callable[[Item, Values], bool]
Read: TypeAlias = Callable[[Item, Values], AttributeValue | None]


def value_at(item: Item, path: Path) -> AttributeValue | None:
    """The value at a path, or None where the path leads nowhere."""
    node: Any = item.get(path[0])  # type: ignore[arg-type]
    for part in path[1:]:
        if node is None:
            return None
        if isinstance(part, str):
            inside = node.get("M")
            node = None if inside is None else inside.get(part)
        else:
            inside = node.get("L")
            node = inside[part] if inside is not None and part < len(inside) else None
    return node  # type: ignore[no-any-return]


def compile_operand(operand: Operand) -> Read:
    """A reader for one operand."""
    match operand:
        case Attribute((str() as name,)):
            return lambda item, values: item.get(name)
        case Attribute(path):
            return lambda item, values: value_at(item, path)
        case Value(wire):
            return lambda item, values: wire
        case ValueRef(name):
            return lambda item, values: values[name]
        case Size(inner):
            read = compile_operand(inner)

            def read_size(item: Item, values: Values) -> AttributeValue | None:
                value = read(item, values)
                count = None if value is None else size(value)
                return None if count is None else {"N": str(count)}

            return read_size
