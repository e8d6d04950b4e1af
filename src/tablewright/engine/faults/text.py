"""Faults as text, for command lines and HTTP: `throttle:table=Shop,every=3`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from tablewright.engine.faults.fault import Fault
from tablewright.engine.faults.lag import IndexLag
from tablewright.engine.faults.leftovers import Unprocessed
from tablewright.engine.faults.limits import PartitionLimits, ProvisionedThroughput
from tablewright.engine.faults.refusals import Conflict, ExpiredToken, RequestLimit, ServerError, Throttle
from tablewright.engine.faults.replies import LostReply, SlowReply
from tablewright.errors import ConfigError
from tablewright.wording import nearest

KINDS: Mapping[str, type[Fault]] = {
    kind.name: kind
    for kind in (
        Conflict,
        ExpiredToken,
        IndexLag,
        LostReply,
        PartitionLimits,
        ProvisionedThroughput,
        RequestLimit,
        ServerError,
        SlowReply,
        Throttle,
        Unprocessed,
    )
}
"""Every kind of fault by its name."""

_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_READERS: Mapping[str, Callable[[str], Any]] = {
    "burst": float,
    "carried_out": lambda text: _TRUTHS[text.lower()],
    "every": int,
    "first": int,
    "index": str,
    "nth": lambda text: tuple(int(one) for one in text.split("+")),
    "operations": lambda text: tuple(text.split("+")),
    "read": float,
    "seconds": float,
    "seed": int,
    "share": float,
    "table": str,
    "times": int,
    "write": float,
}
_WANTED = {"carried_out": "true or false", "nth": "whole numbers with a plus between, such as 1+4"}


def parse_fault(text: str) -> Fault:
    """A fault from its name and, behind a colon, settings with commas between; several values have a plus between."""
    name, _, rest = text.strip().partition(":")
    kind = KINDS.get(name)
    if kind is None:
        meant = nearest(name, KINDS)
        told = "" if meant is None else f"Did you mean {meant}? "
        raise ConfigError(f"There is no fault {name!r}.", hint=f"{told}There are {', '.join(KINDS)}.")
    known = [one.name for one in dataclasses.fields(kind) if one.init and one.name in _READERS]
    given: dict[str, Any] = {}
    for part in filter(None, rest.split(",")):
        setting, equals, value = (piece.strip() for piece in part.partition("="))
        key = setting.replace("-", "_")
        if key not in known or not equals:
            raise ConfigError(
                f"The fault {name} has no setting {setting!r}." if equals else f"{part!r} sets nothing.",
                hint=f"Write {name}:setting=value; it has {', '.join(known)}.",
            )
        try:
            given[key] = _READERS[key](value)
        except (KeyError, ValueError):
            wanted = _WANTED.get(key, "a whole number" if _READERS[key] is int else "a number")
            raise ConfigError(
                f"The setting {setting} of the fault {name} cannot be {value!r}.", hint=f"Give {wanted}."
            ) from None
    try:
        return kind(**given)
    except TypeError:
        needed = [one.name for one in dataclasses.fields(kind) if one.init and _is_needed(one)]
        raise ConfigError(f"The fault {name} needs {', '.join(needed)}.") from None


def describe_fault(fault: Fault) -> str:
    """The text that makes such a fault."""
    settings: list[str] = []
    for one in dataclasses.fields(fault):
        value = getattr(fault, one.name)
        if one.init and one.name in _READERS and value is not None and (_is_needed(one) or value != one.default):
            many = [value] if isinstance(value, (str, int, float)) else sorted(value)
            settings.append(f"{one.name.replace('_', '-')}={'+'.join(map(_written, many))}")
    return f"{fault.name}:{','.join(settings)}" if settings else fault.name


def _is_needed(one: dataclasses.Field[Any]) -> bool:
    return one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)
