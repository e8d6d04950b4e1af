"""What validation says of values that come from elsewhere, without anything of the values: keys of maps are data as well."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, get_origin

import pydantic
from msgspec import Struct
from pydantic import BaseModel

from tablewright.model.annotations import NoneType, member_annotation, members

_KEY = "*"
_OF_A_KEY = "[key]"
_OWN_WORDS = ("value_error", "assertion_error")
_SHORT = 3
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
    for one in error.errors(include_url=False, include_context=False):
        steps = one["loc"][:1] if model is None else ()
        rest = _named(None if steps else model, one["loc"][len(steps) :])
        said = (*(_KEY if one["type"] == "extra_forbidden" else str(step) for step in steps), *rest)
        message = _message(one["type"], one["msg"], one["input"], whole=not one["loc"])
        found.append(Finding(said, message, one["type"]))
    return found


def _message(kind: str, said: str, given: Any, *, whole: bool) -> str:
    """What Pydantic says, which is about the model; but for what validators say in words of their own, of a `whole` model or a part."""
    if kind == "union_tag_invalid":
        return "Input tag does not match any of the expected tags"
    if kind in _OWN_WORDS:
        # Names of a model's own fields may be said.
        held = given.values() if whole and isinstance(given, Mapping) else given
        if any(_stands_in(text, said) for text in _texts(held)):
            return "A validator refuses it, in words that hold something of the value"
    return said


def _stands_in(text: str, said: str) -> bool:
    """Whether a text is in what was said; a short one as a word."""
    pattern = re.escape(text)
    return re.search(pattern if len(text) > _SHORT else rf"(?<!\w){pattern}(?!\w)", said, re.IGNORECASE) is not None


def _texts(given: Any) -> Iterator[str]:
    """All that a value holds, as texts."""
    if isinstance(given, BaseModel):
        given = vars(given).values()
    if isinstance(given, Mapping):
        yield from _texts([*given.keys(), *given.values()])
    elif isinstance(given, Iterable) and not isinstance(given, str | bytes):
        for value in given:
            yield from _texts(value)
    elif given is not None and not isinstance(given, bool) and str(given):
        yield str(given)


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
        under = (_inside(kind, str(step) if get_origin(kind) is dict else step) for kind in kinds)
        annotation = next((found for found in under if found is not None), None)
    return said


def _has(kind: Any, step: str | int) -> bool:
    """Whether a step is no key: a position in a list, or a name that the model has."""
    origin = get_origin(kind) or kind
    if isinstance(step, int):
        return origin in _LISTS
    return origin not in (dict, Any) and _inside(kind, step) is not None


def _inside(kind: Any, step: str | int) -> Any:
    """The type of a part of a value; None where there is none, or names of types cannot be made out from here."""
    try:
        return member_annotation(kind, step)
    except (NameError, TypeError, LookupError):
        return None
