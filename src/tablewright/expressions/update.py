"""Updates applied to wire items: every operand is read from the old item, then a changed copy is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, NoReturn, TypeAlias

from msgspec import Struct

from tablewright.errors import ExpressionError
from tablewright.expressions.ast import (
    AddAction,
    Arithmetic,
    Attribute,
    DeleteAction,
    IfNotExists,
    ListAppend,
    Path,
    RemoveAction,
    SetAction,
    Update,
    UpdateAction,
    UpdateValue,
    Value,
    ValueRef,
)
from tablewright.expressions.comparison import binary
from tablewright.expressions.projecting import project
from tablewright.expressions.reading import value_at
from tablewright.values.numbers import add_numbers, subtract_numbers
from tablewright.values.types import AttributeValue, Item

Values: TypeAlias = Mapping[str, AttributeValue]
_Read: TypeAlias = Callable[[Item, Values], AttributeValue]
_Compute: TypeAlias = Callable[[Item, Values], AttributeValue | None]
"""The value to write, or None to remove what stands there."""

MISSING_ATTRIBUTE = "The provided expression refers to an attribute that does not exist in the item"
INVALID_PATH = "The document path provided in the update expression is invalid for update"
WRONG_TYPE = "An operand in the update expression has an incorrect data type"

_MEMBER_KEYS: dict[str, Callable[[str], Any]] = {"SS": str, "NS": Decimal, "BS": binary}


def _refuse(message: str) -> NoReturn:
    raise ExpressionError(message, constraint="UpdateExpression", operation="update")


class UpdateResult(Struct, frozen=True):
    """The changed item and what was touched in it. The old item is left as it was; unchanged parts are shared."""

    item: Item
    old: Item
    paths: tuple[Path, ...]

    @property
    def attributes(self) -> frozenset[str]:
        """The names of the top-level attributes that the update names."""
        return frozenset(str(path[0]) for path in self.paths)

    def updated_old(self) -> Item:
        """What UPDATED_OLD returns: the updated paths as they were."""
        return project(self.paths, self.old)

    def updated_new(self) -> Item:
        """What UPDATED_NEW returns: the updated paths as they are now."""
        return project(self.paths, self.item)


# ------------------------------------------------------------------------------------------------- operands


def _compile_value(node: UpdateValue) -> _Read:
    match node:
        case Value(wire):
            return lambda item, values: wire
        case ValueRef(name):
            return lambda item, values: values[name]
        case Attribute(path):
            return lambda item, values: _existing(value_at(item, path))
        case IfNotExists(path, default):
            read_default = _compile_value(default)

            def if_not_exists(item: Item, values: Values) -> AttributeValue:
                # DynamoDB reads the default even where it is not needed, and refuses one that does not exist.
                fallback = read_default(item, values)
                found = value_at(item, path)
                return fallback if found is None else found

            return if_not_exists
        case ListAppend(first, second):
            read_first, read_second = _compile_value(first), _compile_value(second)
            tells = read_second if isinstance(second, IfNotExists) else None

            def list_append(item: Item, values: Values) -> AttributeValue:
                start = _first(read_first(item, values), "L", tells, item, values)
                return {"L": start + _of_type(read_second(item, values), "L")}

            return list_append
        case Arithmetic(op, left, right):
            read_left, read_right = _compile_value(left), _compile_value(right)
            compute = add_numbers if op == "+" else subtract_numbers
            tells = read_right if isinstance(right, IfNotExists) else None

            def arithmetic(item: Item, values: Values) -> AttributeValue:
                number = _first(read_left(item, values), "N", tells, item, values)
                return {"N": compute(number, _of_type(read_right(item, values), "N"))}

            return arithmetic


def _first(value: AttributeValue, tag: str, tells: _Read | None, item: Item, values: Values) -> Any:
    """The first of two operands. Where its type is wrong, a function beside it `tells` of a missing attribute first."""
    if tells is not None and tag not in value:
        tells(item, values)
    return _of_type(value, tag)


def _existing(value: AttributeValue | None) -> AttributeValue:
    if value is None:
        _refuse(MISSING_ATTRIBUTE)
    return value


def _of_type(value: AttributeValue, tag: str) -> Any:
    if tag not in value:
        _refuse(WRONG_TYPE)
    return value[tag]


def _compile_action(action: UpdateAction) -> _Compute:
    match action:
        case SetAction(_, value):
            return _compile_value(value)
        case RemoveAction():
            return lambda item, values: None
        case AddAction(path, value):
            read = _compile_value(value)
            return lambda item, values: _add(value_at(item, path), read(item, values))
        case DeleteAction(path, value):
            read = _compile_value(value)
            return lambda item, values: _delete(value_at(item, path), read(item, values))


def _add(present: AttributeValue | None, amount: AttributeValue) -> AttributeValue:
    if present is None:
        return amount
    if "N" in amount:
        return {"N": add_numbers(_of_type(present, "N"), amount["N"])}
    for tag, members in amount.items():
        if tag not in _MEMBER_KEYS:
            break
        kept: list[str] = _of_type(present, tag)
        key = _MEMBER_KEYS[tag]
        known = set(map(key, kept))
        return {tag: kept + [member for member in members if key(member) not in known]}
    _refuse(WRONG_TYPE)


def _delete(present: AttributeValue | None, unwanted: AttributeValue) -> AttributeValue | None:
    if present is None:
        return None
    for tag, members in unwanted.items():
        if tag not in _MEMBER_KEYS:
            break
        held: list[str] = _of_type(present, tag)
        key = _MEMBER_KEYS[tag]
        gone = set(map(key, members))
        rest = [member for member in held if key(member) not in gone]
        return {tag: rest} if rest else None
    _refuse(WRONG_TYPE)


# --------------------------------------------------------------------------------------------------- writing


class _Copy:
    """A copy of an item in which only the containers on the way to a change are copied, each once."""

    __slots__ = ("containers", "item")

    def __init__(self, item: Item) -> None:
        self.item = dict(item)
        self.containers: dict[Path, Any] = {(): self.item}

    def container(self, path: Path) -> Any:
        """The own copy of the map or list at a path that is known to lead to one."""
        found = self.containers.get(path)
        if found is None:
            parent = self.container(path[:-1])
            (tag, content), *_ = parent[path[-1]].items()
            found = dict(content) if tag == "M" else list(content)
            parent[path[-1]] = {tag: found}
            self.containers[path] = found
        return found

    def write(self, path: Path, value: AttributeValue) -> None:
        """Put a value at a path; a position beyond the end of a list appends."""
        container, last = self.container(path[:-1]), path[-1]
        if isinstance(last, int) and last >= len(container):
            container.append(value)
        else:
            container[last] = value

    def remove(self, path: Path) -> None:
        """Take away what stands at a path."""
        del self.container(path[:-1])[path[-1]]


class CompiledUpdate:
    """An update ready to be applied to many items."""

    __slots__ = ("_steps", "paths")

    def __init__(self, node: Update) -> None:
        self.paths = node.paths
        ordered = sorted(node.actions, key=lambda action: [(isinstance(part, int), part) for part in action.path])
        # Later paths first: so DynamoDB reports faults, and so list elements can be removed one by one.
        self._steps = tuple(
            (action.path, action.path[:-1], "M" if isinstance(action.path[-1], str) else "L", _compile_action(action))
            for action in reversed(ordered)
        )

    def apply(self, item: Item | None, values: Values) -> UpdateResult:
        """The result of the update; no item counts as an empty one. Raises ExpressionError or NumberError."""
        old: Item = item or {}
        results: list[tuple[Path, AttributeValue | None]] = []
        for path, parent, container, compute in self._steps:
            if parent and container not in (value_at(old, parent) or ()):
                _refuse(INVALID_PATH)
            results.append((path, compute(old, values)))
        copy = _Copy(old)
        for path, value in reversed(results):
            if value is not None:
                copy.write(path, value)
        for path, value in results:
            if value is None and value_at(old, path) is not None:
                copy.remove(path)
        return UpdateResult(copy.item, old, self.paths)


_NO_VALUES: Values = {}


def apply_update(node: Update, item: Item | None) -> UpdateResult:
    """Apply an update that holds its values. To apply it often, make a CompiledUpdate once."""
    return CompiledUpdate(node).apply(item, _NO_VALUES)
