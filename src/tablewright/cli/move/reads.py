"""Reads that somebody wrote down, one to a line, to be tried on both sides."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pydantic

from tablewright.errors import ArgumentError

if TYPE_CHECKING:
    from tablewright.evolve.moving import Read


class _Line(msgspec.Struct, forbid_unknown_fields=True, rename={"arguments": "with"}):
    read: str
    arguments: dict[str, Any] = {}


def reads_in(path: Path, name: str) -> Iterator[tuple[Read[Any], list[Any], dict[str, Any]]]:
    """The reads of a file with their arguments, as the patterns of the moving's module declare them: in the order of the
    pattern as far as none is missing, since the legacy side may call them otherwise, and by name behind that."""
    from tablewright.evolve.moving import Read

    module = sys.modules[name.partition(":")[0]]
    held = [each for value in vars(module).values() for each in _members(value)]
    known = {value.name: value for value in held if isinstance(value, Read)}
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise ArgumentError(f"{path} cannot be read: {error.strerror}.", hint="Name a file of JSON lines.") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            asked = msgspec.json.decode(line, type=_Line)
        except msgspec.DecodeError:
            raise ArgumentError(
                f"Line {number} of {path} is no read.", hint='{"read": "reviews_of", "with": {"merchant_id": "m1"}}'
            ) from None
        read = known.get(asked.read)
        if read is None:
            raise ArgumentError(
                f"Line {number} of {path} names {asked.read!r}, which {module.__name__} does not hold.",
                hint=f"Its reads are: {', '.join(sorted(known)) or 'none'}.",
            )
        typed = _typed(read, asked.arguments, f"Line {number} of {path}")
        known_first = takewhile(typed.__contains__, read.new.parameters.annotations)
        yield read, [typed.pop(each) for each in list(known_first)], typed


def _members(value: object) -> Iterable[object]:
    """What a name of a module stands for: itself, or what a dict, a list or a tuple holds."""
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list | tuple) else (value,)


def _typed(read: Read[Any], given: dict[str, Any], where: str) -> dict[str, Any]:
    types = read.new.parameters.annotations
    if unknown := given.keys() - types.keys():
        raise ArgumentError(
            f"{where}: {read.name} takes no {', '.join(sorted(unknown))}.",
            hint=f"It takes {', '.join(types) or 'nothing'}.",
        )
    typed: dict[str, Any] = {}
    for name, value in given.items():
        try:
            typed[name] = pydantic.TypeAdapter(types[name]).validate_python(value)
        except pydantic.ValidationError as error:
            raise ArgumentError(f"{where}: {name}: {error.errors()[0]['msg']}.", field=name) from None
    return typed
