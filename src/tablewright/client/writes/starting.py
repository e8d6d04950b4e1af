"""What a change inside a field starts from where the item lacks it: what a reader of that item sees, which is its default."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from tablewright.client.writes.limits import Limit
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import ArgumentError, TablewrightError
from tablewright.expressions import ast
from tablewright.model.annotations import members
from tablewright.model.conditions import FieldPath, path_text

_UNKNOWN = object()


def start_of(plan: EntityPlan, path: FieldPath, stored: ast.Path, limits: list[Limit]) -> Any:
    """The default of what stands at a path, None where it has none. Where that is not known beforehand, as several models may
    stand there that differ in it, the item must have the part itself."""
    if len(path) == 1:
        default = plan.paths.root(path).default
        return None if default is None else default()
    found = [one or None for one in defaults_at(plan, path)]  # nothing, 0 and empty are one and the same start
    if any(one is _UNKNOWN or one != found[0] for one in found):
        limits.append(Limit(ast.AttributeExists(stored), _unknown(plan, path)))
        return None
    return found[0] if found else None


def defaults_at(plan: EntityPlan, path: FieldPath) -> list[Any]:
    """The default of a part in each kind of record that may hold it; None where it is required, or None by default."""
    return list(_defaults(plan.paths.annotation(path[:-1]), str(path[-1])))


def _defaults(holder: Any, name: str) -> Iterator[Any]:
    for kind in members(holder):
        if not isinstance(kind, type):
            continue
        known = kind.model_fields if issubclass(kind, BaseModel) else getattr(kind, "__pydantic_fields__", {})
        if name in known:
            yield _default(known[name], PydanticUndefined)
        elif dataclasses.is_dataclass(kind):
            yield from (_default(f, dataclasses.MISSING) for f in dataclasses.fields(kind) if f.name == name)


def _default(part: Any, none: Any) -> Any:
    """The default of a field of a model or dataclass, which is `none` where it has none."""
    if getattr(part, "default_factory_takes_validated_data", False):
        return _UNKNOWN
    if part.default_factory not in (None, none):
        return part.default_factory()
    return None if part.default is none else part.default


def _unknown(plan: EntityPlan, path: FieldPath) -> Callable[[], TablewrightError]:
    def error() -> TablewrightError:
        return ArgumentError(
            f"{plan.name}.{path_text(path)} cannot be changed: the stored item lacks it, and what it stands for there is not "
            "known beforehand.",
            field=path_text(path),
            hint=f"Nothing was written; set {path_text(path)} as a whole.",
        )

    return error
