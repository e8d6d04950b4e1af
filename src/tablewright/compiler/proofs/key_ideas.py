"""The index key that a pattern would need: its known fields choose the partition, its ranges sort, the rest tells apart."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from typing import Any

from msgspec import Struct

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keys import KeyPlan, TemplateKey, bounds_of
from tablewright.compiler.paths import key_paths
from tablewright.compiler.selection import select
from tablewright.model.annotations import plain, without_none
from tablewright.model.operations import Get, Query
from tablewright.values.keycodec import Literal, Placeholder

_WIDTH = 10
"""Digits for a number whose greatest value is not declared."""


class Idea(Struct, frozen=True):
    """Templates for both sides of an index."""

    pk: str
    sk: str | None
    together: bool = False
    """Whether all items of the entity would lie in one partition."""


class Labels:
    """The words that stand before fields and entities in keys: those that the model has for them already."""

    def __init__(self, owner: EntityPlan, everybody: Iterable[EntityPlan]) -> None:
        self._owner = owner
        self._everybody = everybody

    def of(self, field: str) -> str:
        """The word before a field: TENANT for tenant_id, or T where the model has T#{tenant_id}."""
        for plan in (self._owner, *self._everybody):
            if field in plan.fields:
                for word in _words_before(field, plan):
                    return word
        return label_of(field)

    @staticmethod
    def entity(plan: EntityPlan) -> str:
        """The word before what sorts an entity's items: its name, or how the model shortens it."""
        name = label_of(plan.name)
        words = [] if plan.sk is None else [word for word, _, _ in _labelled(plan.sk) if name.startswith(word)]
        return words[-1] if words else name


def _words_before(field: str, plan: EntityPlan) -> Iterator[str]:
    """In partition keys, then in sort keys: there the first word means the entity, unless one field is all that follows."""
    paths = list(key_paths(plan))
    for key in (key for path in paths for key in path.pk):
        yield from (word for word, name, _ in _labelled(key) if name == field)
    for key in (key for path in paths for key in path.sk):
        yield from (word for word, name, alone in _labelled(key) if name == field and alone)


def _labelled(key: KeyPlan) -> Iterator[tuple[str, str, bool]]:
    """Each literal of a key that a field follows, with the field, and whether that ends the key."""
    if not isinstance(key, TemplateKey):
        return
    segments = key.bound.template.segments
    for position, (word, field) in enumerate(itertools.pairwise(segments)):
        if isinstance(word, Literal) and isinstance(field, Placeholder) and field.field not in key.derived:
            yield word.text, field.field, position + 2 == len(segments)


def ideas(plan: EntityPlan, operations: list[Get[Any] | Query[Any]], labels: Labels) -> Iterator[Idea]:
    """Index keys that may serve all these variants of a read, the plainest first, in the style of proposed designs: words
    before the fields of the partition, and one for the entity before those that sort."""
    selections = [select("The read", plan.entity, op.conditions, plan.sources) for op in operations]
    always = _in_all([[*s.equal, *s.among] for s in selections])
    sometimes = [n for s in selections for n in (*s.equal, *s.among) if n not in always]
    ranged = [n for s in selections for n in s.ranges if n not in always]
    separator = plan.table.key_style.separator
    label = labels.entity(plan)
    known = separator.join(f"{labels.of(name)}{separator}{{{name}}}" for name in always)
    whole = all(isinstance(op, Get) for op in operations)
    if whole:
        sort: list[str] = []
    else:
        relied_on = [n for op in operations if isinstance(op, Query) for n in op.order if n not in always]
        later = relied_on or _by_time(plan, operations, always)
        sort = list(dict.fromkeys([*sometimes, *ranged, *later]))
        sort += [n for n in tie_breakers(plan) if n not in sort and n not in always]
    end = separator.join(placeholder(plan, name) for name in sort)
    sorts = f"{label}{separator}{end}" if end else label
    for start in (known, separator.join([label, known])) if known else (f"{label_of(plan.name)}S",):
        yield Idea(start, sorts, together=not known)
        if end:
            yield Idea(start, end, together=not known)


def _in_all(lists: list[list[str]]) -> list[str]:
    return [name for name in lists[0] if all(name in other for other in lists)] if lists else []


def label_of(name: str) -> str:
    """USER for user_id, LINE_ITEM for LineItem."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return (re.sub(r"_id$", "", words) or words).upper()


def _by_time(plan: EntityPlan, operations: list[Get[Any] | Query[Any]], always: list[str]) -> list[str]:
    """The time that the newest come first by."""
    if not any(isinstance(op, Query) and op.descending for op in operations):
        return []
    times = [n for n, f in plan.fields.items() if _is_time(f.annotation) and not f.nullable and n not in always]
    return [n for n in times if n in plan.key_fields][:1] or times[:1]


def tie_breakers(plan: EntityPlan) -> list[str]:
    """The fields of the key, times first."""
    names = [n for n in plan.fields if n in plan.key_fields]
    return sorted(names, key=lambda n: not _is_time(plan.fields[n].annotation))


def _is_time(annotation: Any) -> bool:
    kind = plain(without_none(annotation))
    return isinstance(kind, type) and issubclass(kind, datetime | date)


def placeholder(plan: EntityPlan, name: str) -> str:
    """A field in a sort key, where whole numbers need a width."""
    kind = plain(without_none(plan.sources[name].annotation))
    if not (isinstance(kind, type) and issubclass(kind, int)) or issubclass(kind, bool):
        return f"{{{name}}}"
    low, high = bounds_of(plan.sources[name])
    width = (
        max((len(str(abs(int(b)))) for b in (low, high) if b is not None), default=_WIDTH)
        if high is not None
        else _WIDTH
    )
    return f"{{{name}:{width}}}"
