"""The shape of a field's values as data, and whether one shape takes everything that another one takes."""

from __future__ import annotations

import dataclasses
import enum
import typing
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Literal, TypeAlias, get_args, get_origin

from msgspec import Struct
from msgspec.structs import replace
from pydantic import BaseModel

from tablewright.evolve.differences.texts import code_text
from tablewright.model.annotations import (
    alternatives,
    constraint,
    field_annotation,
    is_typed_dict,
    marks,
    members,
    metadata,
    optional,
    plain,
    without_none,
)
from tablewright.model.fields import Epoch

Fit: TypeAlias = Literal["same", "wider", "narrower", "other"]
"""How a new shape takes old values: all as before, all and more, not all of them, or in another form."""
_ORDER: tuple[Fit, ...] = ("same", "wider", "narrower", "other")
_LOWER, _UPPER = ("ge", "gt", "min_length"), ("le", "lt", "max_length", "max_digits", "decimal_places")
_RULES = ("pattern", "strip_whitespace", "to_lower", "to_upper", "multiple_of")
NORMALISING = {
    "strip_whitespace=True": "without spaces around it",
    "to_lower=True": "in lower case",
    "to_upper=True": "in upper case",
}
"""Rules that refuse nothing, but store something else than what is given."""
_DEPTH = 12
_COLLECTIONS = (list, tuple, set, frozenset, dict)


class Member(Struct, frozen=True):
    """A part of a nested record."""

    shape: Shape
    required: bool


class Shape(Struct, frozen=True):
    """What values a field takes."""

    kind: str
    none: bool = False
    choices: tuple[str, ...] = ()
    inner: tuple[Shape, ...] = ()
    members: Mapping[str, Member] = {}
    bounds: Mapping[str, float] = {}
    rules: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = self.kind
        if self.choices:
            text = " or ".join(self.choices)
        elif self.inner:
            text += f"[{', '.join(map(str, self.inner))}]"
        return f"{text} or None" if self.none else text


def shape_of(annotation: Any, depth: int = 0) -> Shape:
    """The shape behind an annotation."""
    none = optional(annotation)
    inner = without_none(annotation)
    epoch = metadata(inner, Epoch)
    kinds = members(inner)
    common: dict[str, Any] = {"none": none, "bounds": _bounds(inner), "rules": rules_of(inner)}
    if len(kinds) > 1:
        shapes = tuple(sorted((shape_of(k, depth + 1) for k in alternatives(inner)), key=str))
        return Shape("union", inner=shapes, **common)
    kind: Any = plain(next(iter(kinds), Any))
    origin = get_origin(kind)
    if origin is Literal:
        return Shape("choice", choices=tuple(sorted(repr(value) for value in get_args(kind))), **common)
    if origin in _COLLECTIONS:
        parts = [a for a in get_args(kind) if a is not Ellipsis]
        return Shape(origin.__name__, inner=tuple(shape_of(a, depth + 1) for a in parts), **common)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return Shape("choice", choices=tuple(sorted(repr(member.value) for member in kind)), **common)
    parts_of = _parts(kind) if isinstance(kind, type) and depth < _DEPTH else None
    if parts_of is not None:
        found = {name: Member(shape_of(part, depth + 1), required) for name, (part, required) in parts_of.items()}
        common["rules"] += tuple(f"{name}={code}" for name, code in sorted(validators_of(kind).items()))
        return Shape("record", members=found, **common)
    name = kind.__name__ if isinstance(kind, type) else str(kind)
    return Shape(f"{name} as {epoch.unit} since 1970" if epoch is not None else name, **common)


def fit(old: Shape, new: Shape) -> Fit:
    """How the new shape takes values of the old one."""
    found: list[Fit] = [_none(old, new), _bounds_fit(old, new)]
    before, after = (tuple(rule for rule in shape.rules if rule not in NORMALISING) for shape in (old, new))
    if before != after:
        found.append("wider" if not after else "narrower")
    found.append(_kind_fit(old, new))
    return _worst(found)


def normalising(shape: Shape) -> tuple[str, ...]:
    """The rules by which values, or parts of them, are stored otherwise than they are given."""
    parts = [*shape.inner, *(member.shape for _, member in sorted(shape.members.items()))]
    return (
        *(rule for rule in shape.rules if rule in NORMALISING),
        *(rule for part in parts for rule in normalising(part)),
    )


def makes_other_text(rule: str) -> bool:
    """Whether a rule can make another text of a value, rather than only refuse it."""
    return rule in NORMALISING or "Validator=" in rule or "Serializer=" in rule


def in_rule_words(rule: str) -> str:
    """Such a rule for people."""
    return NORMALISING.get(rule) or f"as its validator {rule.rpartition('=')[2][:6]} makes it"


def trouble(old: Shape, new: Shape) -> str:
    """What code of the old shape does with values that only the new one takes. Reads look at types and choices, at None
    and at the parts of records; limits and rules are looked at by writes."""
    if not _reads(old, new):
        return "readers of the old model fail at what is new"
    if _drops(old, new):
        return "writers of the old model drop the new parts when they store it again"
    return "writers of the old model refuse to store such an item again"


def _reads(old: Shape, new: Shape) -> bool:
    if old.kind == "Any":
        return True
    if (new.none and not old.none) or not set(new.choices) <= set(old.choices):
        return False
    if old.kind == "union":
        kinds = new.inner if new.kind == "union" else (replace(new, none=False),)
        return all(any(_reads(a, b) for a in old.inner) for b in kinds)
    if old.kind != new.kind or len(old.inner) != len(new.inner):
        return False
    for name, member in old.members.items():
        now = new.members.get(name)
        if member.required and (now is None or not now.required):
            return False
        if now is not None and not _reads(member.shape, now.shape):
            return False
    return all(_reads(a, b) for a, b in zip(old.inner, new.inner, strict=True))


def _drops(old: Shape, new: Shape) -> bool:
    parts = [
        *zip(old.inner, new.inner, strict=False),
        *((m.shape, new.members[name].shape) for name, m in old.members.items() if name in new.members),
    ]
    return bool(new.members.keys() - old.members.keys()) or any(_drops(a, b) for a, b in parts)


def _kind_fit(old: Shape, new: Shape) -> Fit:
    if old.kind != new.kind:
        return _other_kind(old, new)
    if old.kind == "choice":
        before, after = set(old.choices), set(new.choices)
        return "same" if before == after else "wider" if before < after else "narrower"
    if old.kind == "union":
        return _worst([*_taken(old.inner, new.inner), "same" if len(new.inner) <= len(old.inner) else "wider"])
    if old.kind == "record":
        return _worst(_record_fits(old.members, new.members))
    if len(old.inner) != len(new.inner):
        return "wider" if not new.inner else "narrower"
    return _worst([fit(a, b) for a, b in zip(old.inner, new.inner, strict=True)])


def _other_kind(old: Shape, new: Shape) -> Fit:
    choices = (*old.choices, *new.choices)
    alike: tuple[str, ...] = ("str",) if all(choice[0] in "'\"" for choice in choices) else ()
    if all(choice.lstrip("-").isdigit() for choice in choices):
        alike = ("int", "Decimal")
    pair = (old.kind, new.kind)
    if new.kind == "Any" or pair == ("int", "Decimal") or (old.kind == "choice" and new.kind in alike):
        return "wider"
    if old.kind == "Any" or pair == ("Decimal", "int") or (new.kind == "choice" and old.kind in alike):
        return "narrower"
    if new.kind == "union":
        return _worst(["wider", *_taken((old,), new.inner)])
    if old.kind == "union" and any(fit(inner, replace(new, none=False)) in ("same", "wider") for inner in old.inner):
        return "narrower"
    return "other"


def _taken(old: tuple[Shape, ...], new: tuple[Shape, ...]) -> list[Fit]:
    """How each of some alternatives is taken by the one that takes it best."""
    found: list[Fit] = []
    for was in old:
        fits: list[Fit] = [fit(replace(was, none=False), replace(now, none=False)) for now in new]  # None is told apart
        best = min(fits, key=_ORDER.index)
        found.append("narrower" if best == "other" and len(old) > 1 else best)
    return found


def _record_fits(old: Mapping[str, Member], new: Mapping[str, Member]) -> list[Fit]:
    found: list[Fit] = []
    for name in old.keys() | new.keys():
        before, after = old.get(name), new.get(name)
        if before is None:
            assert after is not None
            found.append("narrower" if after.required else "wider")
        elif after is None:
            found.append("other")
        else:
            found.append(fit(before.shape, after.shape))
            if before.required != after.required:
                found.append("narrower" if after.required else "wider")
    return found


def _none(old: Shape, new: Shape) -> Fit:
    return "same" if old.none == new.none else "wider" if new.none else "narrower"


def _bounds_fit(old: Shape, new: Shape) -> Fit:
    found: list[Fit] = []
    for name in old.bounds.keys() | new.bounds.keys():
        before, after = old.bounds.get(name), new.bounds.get(name)
        if before == after:
            continue
        looser = after is None or (before is not None and (after < before if name in _LOWER else after > before))
        found.append("wider" if looser else "narrower")
    return _worst(found)


def _worst(found: list[Fit]) -> Fit:
    for fits in reversed(_ORDER):
        if fits in found:
            return fits
    return "same"


def _bounds(annotation: Any) -> dict[str, float]:
    bounds = {name: constraint(annotation, name) for name in (*_LOWER, *_UPPER)}
    return {name: float(value) for name, value in bounds.items() if isinstance(value, int | float | Decimal)}


def rules_of(annotation: Any) -> tuple[str, ...]:
    """What values must be like or are made into, beside their limits."""
    named = [f"{n}={v!r}" for n in _RULES if (v := constraint(annotation, n)) is not None]
    checks = [(mark, getattr(mark, "func", None)) for mark in marks(annotation)]
    own = [f"{type(mark).__name__}={code_text(check)}" for mark, check in checks if callable(check)]
    return tuple(sorted({*named, *own}))


def validators_of(kind: type) -> dict[str, str]:
    """The validators that a Pydantic model declares, by name."""
    decorators: Any = getattr(kind, "__pydantic_decorators__", None)
    if decorators is None:
        return {}
    found = {**decorators.field_validators, **decorators.model_validators}
    return {
        name: f"{', '.join(sorted(getattr(d.info, 'fields', ())))} {d.info.mode} {code_text(d.func)}".strip()
        for name, d in found.items()
    }


def _parts(kind: type) -> dict[str, tuple[Any, bool]] | None:
    if issubclass(kind, BaseModel):
        return {name: (field_annotation(info), info.is_required()) for name, info in kind.model_fields.items()}
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind, include_extras=True)
        missing = dataclasses.MISSING
        return {
            f.name: (hints[f.name], f.default is missing and f.default_factory is missing)
            for f in dataclasses.fields(kind)
        }
    if is_typed_dict(kind):
        required: frozenset[str] = getattr(kind, "__required_keys__", frozenset())
        return {n: (hint, n in required) for n, hint in typing.get_type_hints(kind, include_extras=True).items()}
    return None
