"""Comparing fields: `Order.status == "PENDING"`, `between(Order.total, 10, 20)`.

Type checkers see the field's own type and `bool`; at run time the class hands out a `Field`, whose comparisons make
conditions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence, Sized
from collections.abc import Set as AbstractSet
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, ClassVar, NoReturn, TypeGuard, TypeVar, cast, get_args, get_origin, overload
from uuid import UUID

from tablewright.errors import ArgumentError, ChangeError, PatternError, UnknownFieldError
from tablewright.model.annotations import NoneType, describe, fits, member_annotation, members
from tablewright.model.conditions import (
    MAX_CHOSEN,
    AllOf,
    AnyOf,
    Between,
    Comparator,
    Compare,
    Condition,
    Contains,
    Exists,
    FieldPath,
    IsIn,
    Missing,
    Negated,
    SizeIs,
    StartsWith,
    as_condition,
    path_text,
)
from tablewright.model.symbols import Symbol, caller, is_symbol, use

T = TypeVar("T")
_LISTS = (list, tuple, set, frozenset, Sequence, Iterable, Collection, AbstractSet)


_WRITTEN = {
    "between": "between({}, low, high)",
    "startswith": "starts_with({}, prefix)",
    "starts_with": "starts_with({}, prefix)",
    "begins_with": "starts_with({}, prefix)",
    "contains": "contains({}, member)",
    "is_in": "is_in({}, values)",
    "in_": "is_in({}, values)",
    "isin": "is_in({}, values)",
    "size": "size({})",
    "exists": "exists({})",
    "not_exists": "missing({})",
    "is_null": "missing({})",
    "eq": "{} == value",
    "ne": "{} != value",
    "lt": "{} < value",
    "lte": "{} <= value",
    "gt": "{} > value",
    "gte": "{} >= value",
}
"""What boto3 and other libraries have as methods, as it is written here."""


class Field:
    """A field of an entity, or a path into it, as the class hands it out."""

    __slots__ = ("_annotation", "_owner", "_path")  # underscored, so that a nested model may have fields of these names
    __is_field__ = True
    _error: ClassVar[type[PatternError | ChangeError]] = PatternError

    def __init__(self, owner: type, path: FieldPath, annotation: Any) -> None:
        self._owner = owner
        self._path = path
        self._annotation = annotation

    def __repr__(self) -> str:
        return f"{self._owner.__name__}.{path_text(self._path)}"

    def __str__(self) -> str:
        raise PatternError(f"{caller()}: {self!r} is used as text, but no item is known yet.")

    def __format__(self, spec: str) -> str:
        return str(self)

    def __getattr__(self, name: str) -> Field:
        if name.startswith("__"):
            raise AttributeError(name)
        inner = member_annotation(self._annotation, name)
        if inner is None:
            written = _WRITTEN.get(name)
            raise UnknownFieldError(
                f"{caller()}: {self!r} has no part called {name!r}.",
                field=path_text(self._path),
                hint=None if written is None else f"Write {written.format(repr(self))}.",
            )
        return Field(self._owner, (*self._path, name), inner)

    def __getitem__(self, index: int | str) -> Field:
        if is_symbol(index):
            raise self._error(
                f"{caller()}: {self!r} is indexed with the parameter {index.name!r}, whose value is not known yet.",
                hint="Name the key itself, or use update(set={...}), whose paths are texts.",
            )
        known = isinstance(index, str) or (isinstance(index, int) and index >= 0)
        inner = member_annotation(self._annotation, index) if known else None
        if inner is None:
            raise UnknownFieldError(
                f"{caller()}: {self!r} cannot be indexed with {index!r}.", field=path_text(self._path)
            )
        return Field(self._owner, (*self._path, index), inner)

    def _compare(self, op: Comparator, value: Any) -> Compare:
        return Compare(self._owner, self._path, op, self._accept(value))

    def _accept(self, value: Any, annotation: Any = None) -> Any:
        # What can be checked of a value that is compared with this field.
        expected = self._annotation if annotation is None else annotation
        if type(value) is Symbol:
            if not fits(value.annotation, expected):
                raise PatternError(
                    f"{caller()}: {self!r} is {describe(expected)}, but the parameter {value.name!r} is "
                    f"{describe(value.annotation)}.",
                    hint=f"Annotate the parameter as {describe(expected)}, or compare it with another field.",
                )
            return use(value)
        if getattr(type(value), "__is_field__", False):
            raise PatternError(
                f"{caller()}: {self!r} is compared with another field.",
                hint="Keys and index lookups need values; compare a field with a parameter or a constant.",
            )
        return value

    def _accept_list(self, values: Symbol) -> Symbol:
        # A parameter that will bring several values to compare with.
        members_of = [get_args(kind) for kind in members(values.annotation) if get_origin(kind) in _LISTS]
        if not members_of or not all(m and fits(m[0], self._annotation) for m in members_of):
            raise PatternError(
                f"{caller()}: is_in({self!r}, {values.name}) needs a list of {describe(self._annotation)}, but the parameter is "
                f"{describe(values.annotation)}.",
                hint=f"Annotate it: {values.name}: list[{describe(self._annotation)}].",
            )
        used: Symbol = use(values)
        return used

    def __eq__(self, other: object) -> Any:
        return Missing(self._owner, self._path) if other is None else self._compare("=", other)

    def __ne__(self, other: object) -> Any:
        return Exists(self._owner, self._path) if other is None else self._compare("<>", other)

    def __lt__(self, other: object) -> Any:
        return self._compare("<", other)

    def __le__(self, other: object) -> Any:
        return self._compare("<=", other)

    def __gt__(self, other: object) -> Any:
        return self._compare(">", other)

    def __ge__(self, other: object) -> Any:
        return self._compare(">=", other)

    def __hash__(self) -> int:
        raise TypeError(f"{self!r} stands for a field and cannot be a dictionary key or set member.")

    def __bool__(self) -> NoReturn:
        raise PatternError(
            f"{caller()}: {self!r} is used as True or False, but no item is known yet.",
            hint=f"Compare it: {self!r} == True.",
        )

    def __iter__(self) -> NoReturn:
        raise PatternError(f"{caller()}: {self!r} stands for a field and cannot be looped over.")

    def __contains__(self, member: object) -> NoReturn:
        raise PatternError(f"{caller()}: 'in' asks for a value now.", hint=f"Write contains({self!r}, ...).")

    def __call__(self, *args: object, **kwargs: object) -> NoReturn:
        raise self._error(
            f"{caller()}: {self!r} is called, but it stands for a field.",
            hint="Of methods there are append and extend for lists, and add, update and discard for sets, in a change; keys "
            'of a map are assigned one by one: x.map["key"] = ...',
        )

    def _calculate(self, *_: object) -> Any:
        raise self._error(
            f"{caller()}: {self!r} is used in a calculation, but no item is known yet.",
            hint="Fields are compared, and in a change numbers are counted up and down with += and -=. For more, pass the "
            "result as a parameter, or use edit() or revise().",
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _calculate
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __matmul__ = __rmatmul__ = _calculate
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __or__ = __ror__ = __xor__ = __rxor__ = _calculate
    __and__ = __rand__ = __neg__ = __pos__ = __abs__ = __invert__ = __int__ = __float__ = __index__ = _calculate
    __round__ = __divmod__ = __rdivmod__ = _calculate

    def __len__(self) -> NoReturn:
        raise self._error(f"{caller()}: len() asks for a value now.", hint=f"Write size({self!r}).")


class SortKey(Field):
    """The sort key of whatever a plain query reads, whatever it is called there and of whichever type it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "sort_key"


def _is_field(value: object) -> TypeGuard[Field]:
    return getattr(type(value), "__is_field__", False) is True


# Given a field, each of these functions makes a condition. Given a real value, it answers at once: so the body of a
# change also runs on a real entity, as in a unit test.


def field_path(value: object) -> tuple[type, FieldPath] | None:
    """The entity and the path that a field stands for; None for what is no field."""
    return (value._owner, value._path) if _is_field(value) else None


def between(field: T, low: T, high: T) -> bool:
    """low <= field <= high, both ends included."""
    if _is_field(field):
        return cast(bool, Between(field._owner, field._path, field._accept(low), field._accept(high)))
    value: Any = field
    return bool(low <= value <= high)


@overload
def starts_with(field: SortKey, prefix: str | bytes | Sequence[Any]) -> bool: ...


@overload
def starts_with(field: str | None, prefix: str) -> bool: ...


def starts_with(field: Any, prefix: Any) -> bool:
    """The text begins with this prefix."""
    if _is_field(field):
        return cast(bool, StartsWith(field._owner, field._path, field._accept(prefix, str)))
    return field is not None and bool(field.startswith(prefix))


def contains(field: Iterable[T] | None, member: T) -> bool:
    """The list or set holds this member, or the text holds this part."""
    if _is_field(field):
        return cast(bool, Contains(field._owner, field._path, use(member)))
    return field is not None and member in field


def is_in(field: T, values: Iterable[T]) -> bool:
    """The field is one of these values, at most 100. In a pattern they may be a parameter, `authors: list[str]`; on a field
    of the partition key the read then asks each of up to 1,000 partitions and merges what they hold in order."""
    if _is_field(field) and is_symbol(values):
        return cast(bool, IsIn(field._owner, field._path, field._accept_list(values)))
    if not isinstance(values, Iterable) or isinstance(values, str | bytes):
        raise ArgumentError(
            f"{caller()}: is_in() was given {type(values).__name__}, not a list of values.", hint="Put it into a list."
        )
    if not _is_field(field):
        return field in tuple(values)
    chosen = tuple(field._accept(v) for v in values)
    if not 1 <= len(chosen) <= MAX_CHOSEN:
        raise ArgumentError(
            f"{caller()}: is_in({field!r}, ...) has {len(chosen)} values.",
            hint="DynamoDB compares with 1 to 100 values.",
        )
    return cast(bool, IsIn(field._owner, field._path, chosen))


def exists(field: object) -> bool:
    """The field is not None."""
    return cast(bool, Exists(field._owner, field._path)) if _is_field(field) else field is not None


def missing(field: object) -> bool:
    """The field is None."""
    return cast(bool, Missing(field._owner, field._path)) if _is_field(field) else field is None


def given(field: T | None) -> T:
    """The field where it has a value: `given(Job.retry_at) <= now` compares an optional field, for type checkers too.

    An item without the value does not meet the comparison. With a real value that is None it raises ArgumentError."""
    if field is None:
        raise ArgumentError(f"{caller()}: given() met None.", hint="Ask exists(...) before.")
    return field


def created(entity: type) -> datetime:
    """When an item was created, as the library keeps it: `created(Order) >= t`, where a key template has {created_at}."""
    return _stamp(entity, "created_at", "created")


def updated(entity: type) -> datetime:
    """When an item was last written: `updated(Order) >= t`, where a key template has {updated_at}."""
    return _stamp(entity, "updated_at", "updated")


def _stamp(entity: type, name: str, asked: str) -> datetime:
    if name in getattr(entity, "__pydantic_fields__", ()):
        raise PatternError(
            f"{asked}({entity.__name__}): {entity.__name__} has a field {name!r} of its own, so its keys are made of that, "
            f"not of the time that the library keeps.",
            hint=f"Rename the field, or compare {entity.__name__}.{name} itself.",
        )
    return cast(datetime, Field(entity, (name,), datetime))


_WITHOUT_SIZE = (int, float, Decimal, date, time, timedelta, UUID)


class _Size:
    """The size of a field, to be compared with a number."""

    __slots__ = ("field",)

    def __init__(self, field: Field) -> None:
        self.field = field

    def _compare(self, op: Comparator, value: object) -> Any:
        return SizeIs(self.field._owner, self.field._path, op, use(value))

    def __eq__(self, other: object) -> Any:
        return self._compare("=", other)

    def __ne__(self, other: object) -> Any:
        return self._compare("<>", other)

    def __lt__(self, other: object) -> Any:
        return self._compare("<", other)

    def __le__(self, other: object) -> Any:
        return self._compare("<=", other)

    def __gt__(self, other: object) -> Any:
        return self._compare(">", other)

    def __ge__(self, other: object) -> Any:
        return self._compare(">=", other)

    __hash__ = None  # type: ignore[assignment]


def size(field: Sized | None) -> int:
    """The size of a text (characters), binary (bytes), list, map or set (members): `size(Order.lines) < 20`."""
    if _is_field(field):
        kinds = [m for m in members(field._annotation) if m is not NoneType]
        if kinds and all(isinstance(m, type) and issubclass(m, _WITHOUT_SIZE) for m in kinds):
            raise ArgumentError(
                f"{caller()}: {field!r} is {describe(field._annotation)}, which has no size.",
                hint="Compare the field itself.",
            )
        return cast(int, _Size(field))
    return len(field) if field is not None else 0


def all_of(*conditions: bool) -> bool:
    """Every condition holds."""
    if any(_is_description(c) for c in conditions):
        return cast(bool, AllOf(tuple(as_condition(c, "all_of") for c in conditions)))
    return all(conditions)


def any_of(*conditions: bool) -> bool:
    """At least one condition holds."""
    if any(_is_description(c) for c in conditions):
        return cast(bool, AnyOf(tuple(as_condition(c, "any_of") for c in conditions)))
    return any(conditions)


def negate(condition: bool) -> bool:
    """The condition does not hold."""
    return cast(bool, Negated(as_condition(condition, "negate"))) if _is_description(condition) else not condition


def _is_description(value: object) -> bool:
    return _is_field(value) or isinstance(value, Condition)
