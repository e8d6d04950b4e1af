"""Waivers: findings that the model accepts, and waivers that accept nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tablewright.lint.design import Design
from tablewright.lint.findings import Found, Place, Subject
from tablewright.lint.registry import all_rules
from tablewright.lint.rule import Rule
from tablewright.model.comparing import Field
from tablewright.model.expectations import Waiver
from tablewright.model.indexes import Index
from tablewright.model.pattern import Pattern


class Waivers:
    """The waivers of a model, and which of them were used."""

    def __init__(self, design: Design) -> None:
        self._design = design
        self._used: set[int] = set()

    def reason(self, code: str, found: Found) -> str | None:
        """Why a finding is accepted, if it is; every waiver that covers it counts as used."""
        reasons = []
        for position, waiver in enumerate(self._design.table.waivers):
            if waiver.code.upper() == code and covers(waiver.on, found):
                self._used.add(position)
                reasons.append(waiver.reason)
        return reasons[0] if reasons else None

    def findings(self, chosen: Iterable[type[Rule]]) -> Iterator[tuple[type[Rule], Found]]:
        """What is wrong with the waivers themselves, as far as these rules were run."""
        codes = {rule.code for rule in chosen}
        rules = all_rules()
        for position, waiver in enumerate(self._design.table.waivers):
            first = waiver.on[0] if isinstance(waiver.on, tuple) and waiver.on else waiver.on
            subject = Subject(f"waive({waiver.code!r})", first if first is not None else self._design.table)
            if waiver.code.upper() not in rules:
                kind, told = "TW004", f"waive({waiver.code!r}) names a rule that does not exist."
                hint = "See `tablewright lint --rules` for all codes."
            elif not self._known(waiver):
                kind, told = (
                    "TW006",
                    f"waive({waiver.code!r}) is about {_shown(waiver.on)}, which is not in this table.",
                )
                hint = "Name an entity, a field, a pattern, a relationship or an index of the table, or leave it out."
            elif position not in self._used and waiver.code.upper() in codes:
                kind, told = "TW005", f"waive({waiver.code!r}) on {_shown(waiver.on)} waives nothing."
                hint = "Take it out: what it accepted is gone, and the next finding should be seen."
            else:
                continue
            if kind in codes:
                place = None if waiver.line is None else Place(*waiver.line)
                yield rules[kind], Found(subject, told, hint, place=place)

    def _known(self, waiver: Waiver) -> bool:
        return all(self._there(one) for one in (waiver.on if isinstance(waiver.on, tuple) else (waiver.on,)))

    def _there(self, on: Any) -> bool:
        table = self._design.table
        if on is None:
            return True
        if isinstance(on, str):
            return on in table.indexes or on in table.aggregates
        if isinstance(on, Field):
            return getattr(on._owner, "__table__", None) is table
        if isinstance(on, Pattern):
            return on in table.patterns.values() or on in table.unserved.values()
        if isinstance(on, type):
            return getattr(on, "__table__", None) is table or on in table.aggregates.values()
        return on in table.relationships or on in table.changes.values()


def covers(on: Any, found: Found) -> bool:
    """Whether a waiver on this thing is about a finding: on its subject, on what else it concerns, or on the entity whose
    field it is about. Of several things it must be about all."""
    if on is None:
        return True
    if isinstance(on, tuple):
        return all(covers(one, found) for one in on)
    if isinstance(on, Field):
        owners = (found.subject.thing, *found.also)
        return found.subject.field == on._path[0] and on._owner in owners
    for thing in (found.subject.thing, *found.also):
        if thing is on or (isinstance(on, str) and (thing == on or (isinstance(thing, Index) and thing.name == on))):
            return True
    return False


def _shown(on: Any) -> str:
    if on is None:
        return "the whole table"
    if isinstance(on, tuple):
        return " and ".join(map(_shown, on))
    if isinstance(on, Field):
        return repr(on)
    return on if isinstance(on, str) else str(getattr(on, "__name__", on))
