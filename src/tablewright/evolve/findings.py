"""What validation says of values that come from elsewhere, without anything of the values: keys of maps are data as well."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, get_origin

import pydantic
from msgspec import Struct

from tablewright.model.annotations import NoneType, member_annotation, members

_KEY = "*"
_OF_A_KEY = "[key]"
_LISTS = (list, tuple, set, frozenset)


class Finding(Struct, frozen=True):
    """One thing that is wrong."""

    steps: tuple[str, ...]
    """Where, by names that the model has and positions in lists; a key of a map is "*"."""
    message: str
    kind: str
    """What Pydantic calls it."""


def findings(model: Any, error: pydantic.ValidationError) -> list[Finding]:
    """All that is wrong with what should be of a model; of one that is not known, None, the first names are taken for its own."""
    found: list[Finding] = []
    for one in error.errors(include_url=False, include_input=False, include_context=False):
        steps = one["loc"][:1] if model is None else ()
        rest = _named(None if steps else model, one["loc"][len(steps) :])
        said = (*(_KEY if one["type"] == "extra_forbidden" else str(step) for step in steps), *rest)
        # This one alone repeats what it was given.
        message = (
            "Input tag does not match any of the expected tags" if one["type"] == "union_tag_invalid" else one["msg"]
        )
        found.append(Finding(said, message, one["type"]))
    return found


def first_of(model: Any, error: pydantic.ValidationError) -> str:
    """The first of it in words, and how many more there are."""
    first = findings(model, error)[0]
    name = error.title if model is None else model.__name__
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    return f"{'.'.join((name, *first.steps))}: {first.message}{more}."


def _named(annotation: Any, steps: Iterable[str | int]) -> list[str]:
    """Steps into a value, without keys. Of each union, a step says which member is meant."""
    said: list[str] = []
    chosen = False
    for step in steps:
        kinds = [kind for kind in members(annotation) if kind is not NoneType]
        if step == _OF_A_KEY or (len(kinds) > 1 and not chosen):
            said.append(str(step))
            chosen = step != _OF_A_KEY
            continue
        chosen = False
        said.append(str(step) if any(_has(kind, step) for kind in kinds) else _KEY)
        # A number may be the key of a map as well.
        under = (member_annotation(kind, str(step) if get_origin(kind) is dict else step) for kind in kinds)
        annotation = next((found for found in under if found is not None), None)
    return said


def _has(kind: Any, step: str | int) -> bool:
    """Whether a step is no key: a position in a list, or a name that the model has."""
    origin = get_origin(kind) or kind
    if isinstance(step, int):
        return origin in _LISTS
    return origin not in (dict, Any) and member_annotation(kind, step) is not None
