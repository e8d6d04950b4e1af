"""Conditions on an entity's fields, as a tree of tests. They carry plain Python values and parameters; the compiler
turns them into keys and expressions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Literal, NoReturn, cast

from msgspec import Struct

from tablewright.errors import ArgumentError, PatternError
from tablewright.model.annotations import members
from tablewright.model.symbols import caller, fill

Comparator = Literal["=", "<>", "<", "<=", ">", ">="]
FieldPath = tuple[str | int, ...]
MAX_CHOSEN = 100


class Condition(Struct, frozen=True, eq=False):
    """Base of all conditions. Combine them with `all_of`, `any_of` and `negate`, or with & | ~."""

    def __bool__(self) -> NoReturn:
        raise PatternError(
            f"{caller()}: a condition on a field is used as True or False here, but no item is known yet.",
            hint="Use all_of(), any_of(), negate() or between() instead of and, or, not and chained comparisons; "
            "in a pattern use .when(parameter, ...) to add a condition only when the parameter is given.",
        )

    def __and__(self, other: Condition) -> Condition:
        return AllOf((self, as_condition(other, "&")))

    def __or__(self, other: Condition) -> Condition:
        return AnyOf((self, as_condition(other, "|")))

    def __invert__(self) -> Condition:
        return Negated(self)

    def leaves(self) -> Iterator[Test]:
        """The tests on single fields that this condition is made of."""
        raise NotImplementedError


class Test(Condition, frozen=True, eq=False):
    """One test on one field."""

    __test__: ClassVar[bool] = False  # not a pytest class
    owner: type
    path: FieldPath

    def leaves(self) -> Iterator[Test]:
        yield self

    def operands(self) -> list[Any]:
        """What the field is compared with."""
        return [getattr(self, name) for name in self.__struct_fields__ if name not in ("owner", "path")]

    @property
    def field(self) -> str:
        """The top-level field."""
        return cast(str, self.path[0])


class Compare(Test, frozen=True, eq=False):
    """field op value"""

    op: Comparator
    value: Any


class Between(Test, frozen=True, eq=False):
    """low <= field <= high"""

    low: Any
    high: Any


class StartsWith(Test, frozen=True, eq=False):
    """A text that begins with a prefix."""

    prefix: Any


class Contains(Test, frozen=True, eq=False):
    """A text that holds a part, or a list or set that holds a member."""

    member: Any


class IsIn(Test, frozen=True, eq=False):
    """A value out of a few: these, or those that a parameter will bring."""

    values: Any


class Exists(Test, frozen=True, eq=False):
    """The field has a value: it is stored, and not as NULL."""


class Missing(Test, frozen=True, eq=False):
    """The field is None: not stored, or stored as NULL."""


class SizeIs(Test, frozen=True, eq=False):
    """The size of a text, list, map or set compared with a number."""

    op: Comparator
    value: Any


class AllOf(Condition, frozen=True, eq=False):
    """Every one of them."""

    conditions: tuple[Condition, ...]

    def leaves(self) -> Iterator[Test]:
        for condition in self.conditions:
            yield from condition.leaves()


def conjuncts(condition: Condition) -> Iterator[Condition]:
    """The conditions that must all hold, however they are nested."""
    if isinstance(condition, AllOf):
        for part in condition.conditions:
            yield from conjuncts(part)
    else:
        yield condition


class AnyOf(Condition, frozen=True, eq=False):
    """At least one of them."""

    conditions: tuple[Condition, ...]

    def leaves(self) -> Iterator[Test]:
        for condition in self.conditions:
            yield from condition.leaves()


class Negated(Condition, frozen=True, eq=False):
    """Not this one."""

    condition: Condition

    def leaves(self) -> Iterator[Test]:
        yield from self.condition.leaves()


def path_text(path: FieldPath) -> str:
    """`address.lines[0]` for a path."""
    text = str(path[0])
    for step in path[1:]:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text


def as_condition(value: object, function: str) -> Condition:
    """The Condition behind what a type checker takes for a bool; a bool field alone means that it is true."""
    if isinstance(value, Condition):
        return value
    field: Any = value
    if getattr(type(value), "__is_field__", False) and bool in members(field._annotation):
        return Compare(field._owner, field._path, "=", True)
    raise ArgumentError(
        f"{caller()}: {function}() was given {type(value).__name__}, not a condition.",
        hint="Conditions name the class: Order.status == 'PENDING', not order.status == 'PENDING'.",
    )


def _chosen(values: Any) -> tuple[Any, ...]:
    chosen = listed_argument(values)
    if not 1 <= len(chosen) <= MAX_CHOSEN:
        raise ArgumentError(
            f"is_in() was given {len(chosen)} values.",
            constraint=f"1 to {MAX_CHOSEN}",
            hint="DynamoDB compares with 1 to 100 values.",
        )
    return chosen


def listed_argument(values: Any) -> tuple[Any, ...]:
    """The values that an argument of is_in() brings."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise ArgumentError(
            f"is_in() was given {type(values).__name__}, not a list of values.", hint="Put it into a list."
        )
    return tuple(values)


def substitute(condition: Condition, arguments: Mapping[str, Any]) -> Condition:
    """The condition with each parameter replaced by its argument."""

    def value(v: Any) -> Any:
        return fill(v, arguments)

    match condition:
        case Compare(owner, path, op, v):
            return Compare(owner, path, op, value(v))
        case Between(owner, path, low, high):
            return Between(owner, path, value(low), value(high))
        case StartsWith(owner, path, prefix):
            return StartsWith(owner, path, value(prefix))
        case Contains(owner, path, member):
            return Contains(owner, path, value(member))
        case IsIn(owner, path, values):
            return IsIn(owner, path, _chosen(value(values)))
        case SizeIs(owner, path, op, v):
            return SizeIs(owner, path, op, value(v))
        case AllOf(parts):
            return AllOf(tuple(substitute(c, arguments) for c in parts))
        case AnyOf(parts):
            return AnyOf(tuple(substitute(c, arguments) for c in parts))
        case Negated(inner):
            return Negated(substitute(inner, arguments))
        case _:
            return condition
