"""Keys of the markers that keep values unique: the library makes and finds them itself, so that rules on how keys are chosen leave them out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tablewright.compiler.keys import KeyPlan, TemplateKey
from tablewright.compiler.plan import TablePlan
from tablewright.observe.judging import may_be
from tablewright.observe.tally import form_of

_USUAL = re.compile(r"UNIQUE[#_|:/.-]").match
"""How they begin where the model does not say otherwise, and by custom in programs without one."""


def is_marker(plan: TablePlan | None, key: str) -> bool:
    """Whether a partition key of the table is one of a marker, and of no entity."""
    marked = _USUAL(key) is not None or any(may_be(pk, key) for pk in _marking(plan))
    return marked and not any(may_be(pk, key) for pk in _own(plan))


def is_marker_form(plan: TablePlan | None, form: str) -> bool:
    """The same of the form of a partition key, such as "UNIQUE#*"."""
    marked = _USUAL(form) is not None or any(form_of(pk.bound.head) == form for pk in _marking(plan))
    return marked and not any(form_of(pk.bound.head) == form for pk in _own(plan))


def _own(plan: TablePlan | None) -> Iterator[TemplateKey]:
    """The partition keys of entities."""
    return _telling(() if plan is None else (entity.pk for entity in plan.entities.values()))


def _marking(plan: TablePlan | None) -> Iterator[TemplateKey]:
    """The partition keys of markers."""
    entities = () if plan is None else plan.entities.values()
    return _telling(unique.keys[0] for entity in entities for unique in entity.uniques)


def _telling(keys: Iterable[KeyPlan]) -> Iterator[TemplateKey]:
    """Those that begin with a word. What begins with a value may look like any other."""
    return (key for key in keys if isinstance(key, TemplateKey) and key.bound.head)
