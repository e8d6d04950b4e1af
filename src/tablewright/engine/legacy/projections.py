"""AttributesToGet as a projection."""

from __future__ import annotations

from collections.abc import Sequence

from tablewright.engine.legacy.operators import INVALID, check_attribute_name
from tablewright.engine.validation.wording import Malformed
from tablewright.expressions import CompiledProjection, fixed
from tablewright.expressions.ast import Projection


def read_attributes_to_get(names: Sequence[str]) -> CompiledProjection:
    """The projection on whole attributes; dots in a name are part of it."""
    seen: set[str] = set()
    for name in names:
        check_attribute_name(name)
        if name in seen:
            raise Malformed(f"{INVALID}Duplicate value in attribute name: {name}")
        seen.add(name)
    return CompiledProjection(fixed("ProjectionExpression", Projection(tuple((name,) for name in names))))
