"""A small language for the shapes of requests. A shape tells quickly whether a value fits, and at length why not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn, Protocol

from tablewright.errors import RequestRefused

MAX_ERRORS = 10
"""The service lists no more faults than this in one message."""


class Shape(Protocol):
    """What a parameter must look like."""

    @property
    def required(self) -> bool: ...

    @property
    def only(self) -> type | None:
        """The type, if being of it is all that the shape asks."""
        ...

    def fits(self, value: Any) -> bool:
        """Whether the value has this shape."""
        ...

    def explain(self, value: Any, path: str, faults: list[str]) -> None:
        """Refuse a wrong JSON type; add broken constraints to `faults`."""
        ...


@dataclass(frozen=True, slots=True)
class Text:
    """A string, of certain values, pattern or length where given."""

    required: bool = False
    choices: tuple[str, ...] = ()
    pattern: str | None = None
    low: int = 0
    high: int | None = None

    @property
    def only(self) -> type | None:
        """The type, if being of it is all that the shape asks."""
        return None if self.choices or self.pattern is not None or self.low or self.high is not None else str

    def fits(self, value: Any) -> bool:
        """Whether the value has this shape."""
        if value.__class__ is not str:
            return False
        if self.choices:
            return value in self.choices
        if self.pattern is not None and not re.fullmatch(self.pattern, value):
            return False
        return len(value) >= self.low and (self.high is None or len(value) <= self.high)

    def explain(self, value: Any, path: str, faults: list[str]) -> None:
        """Refuse a wrong JSON type; add broken constraints to `faults`."""
        if not isinstance(value, str):
            _wrong_scalar(value, "String")
        if self.choices and value not in self.choices:
            _add(faults, value, path, f"Member must satisfy enum value set: [{', '.join(self.choices)}]")
        if self.pattern is not None and not re.fullmatch(self.pattern, value):
            _add(faults, value, path, f"Member must satisfy regular expression pattern: {self.pattern}")
        _explain_length(value, value, self.low, self.high, path, faults)


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number within bounds."""

    required: bool = False
    low: int | None = None
    high: int | None = None

    @property
    def only(self) -> type | None:
        """The type, if being of it is all that the shape asks."""
        return int if self.low is None and self.high is None else None

    def fits(self, value: Any) -> bool:
        """Whether the value has this shape."""
        if value.__class__ is not int:
            return False
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def explain(self, value: Any, path: str, faults: list[str]) -> None:
        """Refuse a wrong JSON type; add broken constraints to `faults`."""
        if isinstance(value, bool) or not isinstance(value, int):
            _wrong_scalar(value, "Integer")
        if self.low is not None and value < self.low:
            _add(faults, value, path, f"Member must have value greater than or equal to {self.low}")
        if self.high is not None and value > self.high:
            _add(faults, value, path, f"Member must have value less than or equal to {self.high}")


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    required: bool = False

    @property
    def only(self) -> type | None:
        """The type, if being of it is all that the shape asks."""
        return bool

    def fits(self, value: Any) -> bool:
        """Whether the value has this shape."""
        return value.__class__ is bool

    def explain(self, value: Any, path: str, faults: list[str]) -> None:
        """Refuse a wrong JSON type."""
        if isinstance(value, str):
            _refuse_type("Unexpected token received from parser")
        if not isinstance(value, bool):
            _wrong_scalar(value, "Boolean")


@dataclass(frozen=True, slots=True)
class Members:
    """A list; each element has the same shape."""

    of: Shape
    required: bool = False
    low: int = 0
    high: int | None = None

    @property
    def only(self) -> type | None:
        """The type, if being of it is all that the shape asks."""
        return None

    def fits(self, value: Any) -> bool:
        """Whether the value has this shape."""
        if value.__class__ is not list or len(value) < self.low or (self.high is not None and len(value) > self.high):
            return False
        return all(map(self.of.fits, value))

    def explain(self, value: Any, path: str, faults: list[str]) -> None:
        """Refuse a wrong JSON type; add broken constraints to `faults`."""
        if not isinstance(value, list):
            _refuse_type(_STRUCTURE if isinstance(value, dict) else "Unexpected field type")
        _explain_length(value, f"[{len(value)} members]" if value else "[]", self.low, self.high, path, faults)
        for position, element in enumerate(value, 1):
            self.of.explain(element, f"{path}.{position}.member", faults)


@dataclass(frozen=True, slots=True)
class Entries:
    """A map with free keys; values may have a shape. Items and attribute values are looked at later."""

    of: Shape | None = None
    required: bool = False
    low: int = 0
    high: int | None = None

    @property
    def only(self) -> type | None:
        """The type, if being of it is all that the shape asks."""
        return None if self.of is not None or self.low or self.high is not None else dict

    def fits(self, value: Any) -> bool:
        """Whether the value has this shape."""
        if value.__class__ is not dict or len(value) < self.low or (self.high is not None and len(value) > self.high):
            return False
        return self.of is None or all(map(self.of.fits, value.values()))

    def explain(self, value: Any, path: str, faults: list[str]) -> None:
        """Refuse a wrong JSON type; add broken constraints to `faults`."""
        if not isinstance(value, dict):
            _refuse_type("Unrecognized collection type java.util.Map" if isinstance(value, list) else _FIELD)
        _explain_length(value, f"{{{len(value)} members}}" if value else "{}", self.low, self.high, path, faults)
        if self.of is not None:
            for name, element in value.items():
                self.of.explain(element, f"{path}.{name}.member", faults)


@dataclass(frozen=True, slots=True)
class Struct:
    """A map with known members. Others are ignored, and null means absent, as on the service."""

    members: Mapping[str, Shape]
    required: bool = False
    _needed: tuple[str, ...] = field(init=False, repr=False)
    _plain: Mapping[str, type] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        needed = tuple(name for name, shape in self.members.items() if shape.required)
        # Most parameters need only be of a type; a look into this table is cheaper than a call.
        plain = {name: shape.only for name, shape in self.members.items() if shape.only is not None}
        object.__setattr__(self, "_needed", needed)
        object.__setattr__(self, "_plain", plain)

    @property
    def only(self) -> type | None:
        """The type, if being of it is all that the shape asks."""
        return None

    def fits(self, value: Any) -> bool:
        """Whether the value has this shape."""
        if value.__class__ is not dict:
            return False
        plain, members = self._plain, self.members
        for name, element in value.items():
            if element.__class__ is plain.get(name) or element is None:
                continue
            shape = members.get(name)
            if shape is not None and not shape.fits(element):
                return False
        for name in self._needed:  # noqa: SIM110 - a generator would cost as much as all the rest
            if value.get(name) is None:
                return False
        return True

    def explain(self, value: Any, path: str, faults: list[str]) -> None:
        """Refuse a wrong JSON type; add broken constraints to `faults`."""
        if not isinstance(value, Mapping):
            _refuse_type("Unrecognized collection type" if isinstance(value, list) else _FIELD)
        for name, shape in self.members.items():
            element = value.get(name)
            where = f"{path}.{_lower(name)}" if path else _lower(name)
            if element is not None:
                shape.explain(element, where, faults)
            elif shape.required:
                _add(faults, None, where, "Member must not be null")


def check_shape(shape: Struct, request: Mapping[str, Any]) -> None:
    """Refuse a request that does not have its operation's shape, with all faults in one message."""
    if shape.fits(request):
        return
    faults: list[str] = []
    shape.explain(request, "", faults)
    if faults:
        plural = "s" if len(faults) > 1 else ""
        raise RequestRefused(f"{len(faults)} validation error{plural} detected: {'; '.join(faults)}")


# ------------------------------------------------------------------------------------------ the service's words

_STRUCTURE = "Start of structure or map found where not expected"
_FIELD = "Unexpected field type"


def _lower(name: str) -> str:
    return name[0].lower() + name[1:]


def _add(faults: list[str], value: Any, path: str, constraint: str) -> None:
    if len(faults) < MAX_ERRORS:
        shown = "null" if value is None else f"'{value}'"
        faults.append(f"Value {shown} at '{path}' failed to satisfy constraint: {constraint}")


def _explain_length(sized: Any, shown: Any, low: int, high: int | None, path: str, faults: list[str]) -> None:
    if len(sized) < low:
        _add(faults, shown, path, f"Member must have length greater than or equal to {low}")
    if high is not None and len(sized) > high:
        _add(faults, shown, path, f"Member must have length less than or equal to {high}")


def _wrong_scalar(value: Any, wanted: str) -> NoReturn:
    if isinstance(value, dict):
        _refuse_type(_STRUCTURE)
    if isinstance(value, list):
        _refuse_type(f"Unrecognized collection type class java.lang.{wanted}")
    if isinstance(value, bool):
        found = "TRUE_VALUE" if value else "FALSE_VALUE"
    elif isinstance(value, str):
        found = "STRING_VALUE"
    else:
        found = "DECIMAL_VALUE" if isinstance(value, float) else "NUMBER_VALUE"
    _refuse_type(f"{found} cannot be converted to {wanted}")


def _refuse_type(message: str) -> NoReturn:
    raise RequestRefused(message, wire_name="SerializationException")
