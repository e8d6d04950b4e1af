"""What DynamoDB counts of an UpdateExpression by itself, whatever item it meets.

The service has no document about this; the figures were measured on it, to the byte, by the public conformance suite.
They look like the size of a record of the change: so much for each action, function and step of a path.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tablewright.expressions.ast import (
    AddAction,
    Arithmetic,
    Attribute,
    IfNotExists,
    ListAppend,
    Path,
    SetAction,
    Update,
    UpdateValue,
    Value,
    ValueRef,
)
from tablewright.values.sizes import attribute_size, text_size
from tablewright.values.types import AttributeValue

_UPDATE = 3
_SET_OR_ADD = 19
_REMOVE_OR_DELETE = 1
_STEP = 4
_READ = 1
_READ_STEP = 14
_ARITHMETIC = {"+": 34, "-": 37}
_IF_NOT_EXISTS = 39
_LIST_APPEND = 37


class Charge:
    """The bytes of one update: those that never change, and the placeholders whose values are counted at each use."""

    __slots__ = ("_fixed", "_uses")

    def __init__(self, update: Update) -> None:
        self._fixed = _UPDATE
        self._uses: list[str] = []
        for action in update.actions:
            self._fixed += _target(action.path)
            if isinstance(action, SetAction | AddAction):
                self._fixed += _SET_OR_ADD + sum(self._parts(action.value))
            else:
                self._fixed += _REMOVE_OR_DELETE

    def of(self, values: Mapping[str, AttributeValue]) -> int:
        """The bytes with these values."""
        return self._fixed + sum(attribute_size(values[name]) for name in self._uses)

    def _parts(self, node: UpdateValue) -> Iterator[int]:
        match node:
            case ValueRef(name):
                self._uses.append(name)
            case Value(value):
                yield attribute_size(value)
            case Attribute(path):
                yield _read(path)
            case Arithmetic(op, left, right):
                yield _ARITHMETIC[op]
                yield from self._parts(left)
                yield from self._parts(right)
            case ListAppend(first, second):
                yield _LIST_APPEND
                yield from self._parts(first)
                yield from self._parts(second)
            case IfNotExists(path, default):
                yield _IF_NOT_EXISTS + _read(path)
                yield from self._parts(default)


def _step(step: str | int) -> int:
    return text_size(step) if isinstance(step, str) else len(str(step))


def _target(path: Path) -> int:
    return _step(path[0]) + sum(_STEP + _step(step) for step in path[1:])


def _read(path: Path) -> int:
    return _READ + sum(_READ_STEP + _step(step) for step in path)
