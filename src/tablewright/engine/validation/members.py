"""What is stored of a request: members that its shape has, and nothing else."""

from __future__ import annotations

from typing import Any

from tablewright.engine.validation.shapes import Members, Shape, Struct


def known_members(shape: Shape, value: Any) -> Any:
    """A copy of what has this shape, without members that the shape does not have, and without nulls.

    The service passes over both in silence, so nothing of them may be stored.
    """
    if isinstance(shape, Struct):
        members = shape.members.items()
        return {name: known_members(inner, value[name]) for name, inner in members if value.get(name) is not None}
    if isinstance(shape, Members):
        return [known_members(shape.of, element) for element in value]
    return value
