"""Whose data an item is: the field that names the tenant, as far as keys and names tell."""

from __future__ import annotations

import re

from msgspec import Struct

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keys import NativeKey
from tablewright.compiler.paths import KeyPath
from tablewright.lint.design import Design
from tablewright.lint.keyfacts import fields, is_id, named_ids, pieces, snake

_SAID = re.compile(r"tenant(_?(id|key|slug))?").fullmatch
_CALLED = re.compile(r"(org|organi[sz]ation|account|workspace|company|merchant)(_?(id|key|slug))?").fullmatch
_DOUBTFUL = re.compile(r"(account|company|merchant)(_?(id|key|slug))?").fullmatch
"""Words for tenants that are words for other things too, such as the accounts of a bank's customer."""


class Tenant(Struct, frozen=True):
    """A field that says whose data an item is."""

    field: str
    guessed: bool
    """Whether only its place in the keys says so, and not its name."""


def is_tenant_name(name: str) -> bool:
    """Whether a field is called like one that says whose data an item is."""
    return bool(_SAID(snake(name)) or _CALLED(snake(name)))


def tenants(design: Design) -> list[Tenant]:
    """Fields that lead the partition keys of the table and say whose data an item is.

    One that is called tenant is one. One that is called like a customer of a service is one if it leads several entities
    and belongs to nobody else. Any other id is taken for one if it leads all entities, none of which is the thing itself.
    """
    led: dict[str, list[EntityPlan]] = {}
    for plan in design.entities:
        for name in fields(plan.pk)[:1]:
            led.setdefault(name, []).append(plan)
    found = []
    for name, plans in led.items():
        inside = [plan for plan in plans if plan.key_fields != {name}]
        if _SAID(snake(name)) and inside:
            found.append(Tenant(name, guessed=False))
        elif _CALLED(snake(name)):
            if len(plans) > 1 and not (_DOUBTFUL(snake(name)) and _belongs(design, name)):
                found.append(Tenant(name, guessed=False))
        elif len(inside) == len(design.entities) > 1 and all(is_id(plan, name) for plan in inside):
            found.append(Tenant(name, guessed=True))
    return found


def _belongs(design: Design, name: str) -> bool:
    """Whether what a field names is itself listed by the id of something else: accounts by their customer."""
    things = [plan for plan in design.entities if plan.key_fields == {name} or name in named_ids(design, plan)]
    lists = [(plan, path) for plan in things for path in design.paths(plan)]
    return any(is_id(plan, first) and first != name for plan, path in lists for first in fields(path.pk)[:1])


def leads(path: KeyPath, name: str) -> bool:
    """Whether a partition key begins with a field; in one of several attributes, whether one of them is the field."""
    if len(path.pk) > 1:
        return any(isinstance(key, NativeKey) and key.field.name == name for key in path.pk)
    first = next((piece for piece in pieces(path.pk) if piece.field is not None), None)
    return first is not None and first.derived is None and first.field == name
