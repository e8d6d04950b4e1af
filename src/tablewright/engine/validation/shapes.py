"""A small language for the shapes of requests. A shape tells quickly whether a value fits, and at length why not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NoReturn, Protocol

import msgspec
from msgspec.structs import force_setattr

from tablewright.errors import RequestRefused


class Shape(Protocol):
    """What a parameter must look like."""

    @property
    def required(self) -> bool | str:
        """Whether it must be there; where the service has words of its own for its absence, these."""
        ...

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


class Text(msgspec.Struct, frozen=True):
    """A string, of certain values, pattern or length where given."""

    required: bool | str = False
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
        # The length first: some of the service's patterns take long to refuse a long text.
        if len(value) < self.low or (self.high is not None and len(value) > self.high):
            return False
        return self.pattern is None or re.fullmatch(self.pattern, value) is not None

    def explain(self, value: Any, path: str, faults: list[str]) -> None:
        """Refuse a wrong JSON type; add broken constraints to `faults`."""
        if not isinstance(value, str):
            wrong_text(value)
        if self.choices and value not in self.choices:
            faults.append(fault(value, path, f"Member must satisfy enum value set: [{', '.join(self.choices)}]"))
        short = self.high is None or len(value) <= self.high
        if self.pattern is not None and short and not re.fullmatch(self.pattern, value):
            faults.append(fault(value, path, f"Member must satisfy regular expression pattern: {self.pattern}"))
        _explain_length(value, self, self.low, self.high, path, faults)


class NameOrNull(msgspec.Struct, frozen=True):
    """A string among others, where null is told about later, in words of its own."""

    required: bool = False

    @property
    def only(self) -> type | None:
        """The type, if being of it is all that the shape asks."""
        return None

    def fits(self, value: Any) -> bool:
        """Whether the value has this shape."""
        return value is None or value.__class__ is str

    def explain(self, value: Any, path: str, faults: list[str]) -> None:
        """Refuse a wrong JSON type."""
        if value is not None and not isinstance(value, str):
            wrong_text(value)


class Number(msgspec.Struct, frozen=True):
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
            faults.append(fault(value, path, f"Member must have value greater than or equal to {self.low}"))
        if self.high is not None and value > self.high:
            faults.append(fault(value, path, f"Member must have value less than or equal to {self.high}"))


class Flag(msgspec.Struct, frozen=True):
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


class Members(msgspec.Struct, frozen=True):
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
        return value.__class__ is list and self.sized(value) and all(map(self.of.fits, value))

    def sized(self, value: list[Any]) -> bool:
        """Whether the list is neither too short nor too long."""
        return len(value) >= self.low and (self.high is None or len(value) <= self.high)

    def explain(self, value: Any, path: str, faults: list[str]) -> None:
        """Refuse a wrong JSON type; add broken constraints to `faults`."""
        if not isinstance(value, list):
            _refuse_type(_STRUCTURE if isinstance(value, dict) else "Unexpected field type")
        _explain_length(value, self, self.low, self.high, path, faults)
        for position, element in enumerate(value, 1):
            inner: list[str] = []
            self.of.explain(element, f"{path}.{position}.member", inner)
            if inner and isinstance(self.of, Text):
                # Of plain members the service shows the whole list.
                inner = [fault(show(value, self), path, f"Member must satisfy constraint: {_rules(self.of)}")]
            faults.extend(inner)


class Entries(msgspec.Struct, frozen=True):
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
        _explain_length(value, self, self.low, self.high, path, faults)
        if self.of is None:
            return
        for name, element in value.items():
            inner: list[str] = []
            self.of.explain(element, f"{path}.{name}.member", inner)
            if isinstance(self.of, Members) and not self.of.sized(element):
                # Of lists with a wrong number of members the service shows the whole map.
                inner = [fault(show(value, self), path, f"Map value must satisfy constraint: {_rules(self.of)}")]
            faults.extend(inner)


class Struct(msgspec.Struct, frozen=True):
    """A map with known members. Others are ignored, and null means absent, as on the service."""

    members: Mapping[str, Shape]
    required: bool = False
    name: str = ""
    """What the service calls it where a message shows a whole list of them."""
    _needed: tuple[str, ...] = ()
    _plain: Mapping[str, type] = {}

    def __post_init__(self) -> None:
        needed = tuple(name for name, shape in self.members.items() if shape.required)
        # Most parameters need only be of a type; a look into this table is cheaper than a call.
        plain = {name: shape.only for name, shape in self.members.items() if shape.only is not None}
        force_setattr(self, "_needed", needed)
        force_setattr(self, "_plain", plain)

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
            where = f"{path}.{spell(name)}" if path else spell(name)
            if element is not None:
                shape.explain(element, where, faults)
            elif isinstance(shape.required, str):
                faults.append(shape.required)
            elif shape.required:
                faults.append(fault(None, where, "Member must not be null"))


def check_shape(shape: Struct, request: Mapping[str, Any]) -> None:
    """Refuse a request that does not have its operation's shape."""
    if shape.fits(request):
        return
    faults: list[str] = []
    # To the end, because a wrong JSON type anywhere comes before every broken constraint.
    shape.explain(request, "", faults)
    if faults:
        raise RequestRefused(_together(faults))


def _together(faults: list[str]) -> str:
    """All broken constraints in one message. What the service words otherwise it tells alone, or not at all."""
    if not faults[0].startswith(ONE_ERROR):
        return faults[0]
    broken = list(dict.fromkeys(one.removeprefix(ONE_ERROR) for one in faults if one.startswith(ONE_ERROR)))
    if len(broken) == 1:
        return ONE_ERROR + broken[0]
    told = broken[:_MOST_TOLD]
    return f"{len(told)} validation errors detected: {'; '.join(told)}"


# ------------------------------------------------------------------------------------------ the service's words

ONE_ERROR = "1 validation error detected: "
"""How the message about a single broken constraint begins."""
_MOST_TOLD = 10
_STRUCTURE = "Start of structure or map found where not expected"
_FIELD = "Unexpected field type"


def spell(name: str) -> str:
    """The name of a parameter as messages spell it."""
    return name[0].lower() + name[1:]


def fault(value: Any, path: str, constraint: str) -> str:
    """The message for a value that breaks a constraint."""
    shown = "null" if value is None else f"'{value}'"
    return f"{ONE_ERROR}Value {shown} at '{path}' failed to satisfy constraint: {constraint}"


def show(value: Any, shape: Shape | None) -> str:
    """A value as messages show it. Whatever may hold items is only counted."""
    if isinstance(shape, Members) and isinstance(value, list):
        if isinstance(shape.of, Text) or (isinstance(shape.of, Struct) and shape.of.name):
            return f"[{', '.join(show(element, shape.of) for element in value)}]"
        return f"[{len(value)} members]" if value else "[]"
    if isinstance(shape, Entries) and isinstance(value, dict):
        if isinstance(shape.of, Members):
            return "{" + ", ".join(f"{name}={show(element, shape.of)}" for name, element in value.items()) + "}"
        return f"{{{len(value)} members}}" if value else "{}"
    if isinstance(shape, Struct) and isinstance(value, Mapping):
        shown = ", ".join(f"{spell(name)}={show(value.get(name), inner)}" for name, inner in shape.members.items())
        return f"{shape.name}({shown})"
    return "null" if value is None else str(value)


def wrong_text(value: Any) -> NoReturn:
    """Refuse what should have been a string."""
    _wrong_scalar(value, "String")


def _rules(shape: Text | Members) -> str:
    rules: list[str] = []
    if shape.high is not None:
        rules.append(f"Member must have length less than or equal to {shape.high}")
    if shape.low:
        rules.append(f"Member must have length greater than or equal to {shape.low}")
    if isinstance(shape, Text) and shape.pattern is not None:
        rules.append(f"Member must satisfy regular expression pattern: {shape.pattern}")
    return f"[{', '.join(rules)}]"


def _explain_length(sized: Any, shape: Shape | None, low: int, high: int | None, path: str, faults: list[str]) -> None:
    if len(sized) < low:
        faults.append(fault(show(sized, shape), path, f"Member must have length greater than or equal to {low}"))
    if high is not None and len(sized) > high:
        faults.append(fault(show(sized, shape), path, f"Member must have length less than or equal to {high}"))


def _wrong_scalar(value: Any, wanted: str) -> NoReturn:
    if isinstance(value, dict):
        _refuse_type(_STRUCTURE)
    if isinstance(value, list):
        _refuse_type(f"Unrecognized collection type class java.lang.{wanted}")
    if isinstance(value, bool):
        found = "TRUE_VALUE" if value else "FALSE_VALUE"
    elif value is None:
        found = "NULL_VALUE"
    elif isinstance(value, str):
        found = "STRING_VALUE"
    else:
        found = "DECIMAL_VALUE" if isinstance(value, float) else "NUMBER_VALUE"
    _refuse_type(f"{found} cannot be converted to {wanted}")


def _refuse_type(message: str) -> NoReturn:
    raise RequestRefused(message, wire_name="SerializationException")
