"""What CloudWatch is told of a request or an operation: names, units, values and dimensions, the same on both ways to it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from tablewright.errors import ArgumentError
from tablewright.observe.events import Event
from tablewright.observe.tracking import Tracked

NAMESPACE = "Tablewright"
Axis = Literal["Table", "Index", "Pattern", "Entity"]
AXES: tuple[Axis, ...] = ("Table", "Index", "Pattern", "Entity")
MOST_DIMENSIONS = 30

_NAMESPACE = re.compile(r"[A-Za-z0-9.\-_/#][A-Za-z0-9.\-_/#: ]{0,254}")
_STRANGE = re.compile(r"[^\x20-\x7e]")


class Measure(NamedTuple):
    """One value of one metric."""

    name: str
    unit: Literal["Milliseconds", "Count"]
    value: float


def measures(told: Event | Tracked) -> list[Measure]:
    """How long it took, whether it succeeded, and what it consumed."""
    name = text(told.operation if isinstance(told, Event) else told.name, 240)
    found = [
        Measure(f"{name}Duration", "Milliseconds", told.seconds * 1000),
        Measure(f"{name}{'Success' if told.error is None else 'Failure'}", "Count", 1),
    ]
    if isinstance(told, Event):
        if told.read_units:
            found.append(Measure(f"{name}ReadUnits", "Count", told.read_units))
        if told.write_units:
            found.append(Measure(f"{name}WriteUnits", "Count", told.write_units))
    return found


class Dimensions:
    """By what figures are told apart: parts of a request, and what is the same for all that this process does."""

    def __init__(self, by: Sequence[Axis], always: Mapping[str, str]) -> None:
        unknown = [axis for axis in by if axis not in AXES]
        if unknown:
            raise ArgumentError(
                f"Requests cannot be told apart by {', '.join(map(repr, unknown))}.",
                hint=f"Use some of {', '.join(AXES)}; what is the same for all requests goes into dimensions={{...}}.",
            )
        taken = [
            name for name in always if name in _OWN or not name.strip() or text(name, 250) != name or name[0] == ":"
        ]
        if taken:
            raise ArgumentError(
                f"{', '.join(map(repr, taken))} cannot be the name of a dimension here.",
                hint=f"Use up to 250 characters of ASCII, no colon first, and none of {', '.join(sorted(_OWN))}.",
            )
        empty = [name for name, value in always.items() if not text(value, 1024).strip()]
        if empty:
            raise ArgumentError(f"The dimension {empty[0]} has no value.", hint="Give it one, or leave it out.")
        if len(by) + len(always) > MOST_DIMENSIONS:
            raise ArgumentError(
                f"These are {len(by) + len(always)} dimensions; CloudWatch takes {MOST_DIMENSIONS} at most.",
                hint="Leave some out: every combination of their values is a metric of its own, and is paid for.",
            )
        self._by = tuple(by)
        self._always = {name: text(value, 1024) for name, value in always.items()}

    def of(self, told: Event | Tracked) -> dict[str, str]:
        """The dimensions of this one. What it does not have, such as a pattern, is left out."""
        if isinstance(told, Tracked):
            return self._always
        named = {axis: text(getattr(told, axis.lower()) or "", 1024) for axis in self._by}
        return {axis: value for axis, value in named.items() if value.strip()} | self._always


_OWN = frozenset((*AXES, "_aws", "Error", "Operation", "Retries", "Returned", "Scanned"))


def checked_namespace(namespace: str) -> str:
    """The namespace, if CloudWatch would take it."""
    if _NAMESPACE.fullmatch(namespace) is None or namespace.startswith("AWS/"):
        raise ArgumentError(
            f"CloudWatch takes no namespace {namespace!r}.",
            hint="Use up to 255 letters, digits, spaces and any of .-_/#: such as Shop/Orders; AWS/ is not for applications.",
        )
    return namespace


def text(value: str, most: int) -> str:
    """As CloudWatch takes it, printable ASCII of so many characters: it refuses all that comes along with anything else."""
    return _STRANGE.sub("_", value[:most])
