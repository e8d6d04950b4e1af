"""The comparison as a whole."""

from __future__ import annotations

from tablewright.compiler.plan import TablePlan
from tablewright.observe.drift.entities import entity_departures, entity_uses
from tablewright.observe.drift.found import Departure, Drift
from tablewright.observe.drift.patterns import (
    LONG,
    MANY,
    pattern_departures,
    pattern_uses,
    undeclared,
    undeclared_departures,
)
from tablewright.observe.drift.places import place_departures, place_uses
from tablewright.observe.judging import lasted
from tablewright.observe.snapshot import Snapshot
from tablewright.wording import counted, quantity


def compare(plan: TablePlan, snapshot: Snapshot) -> Drift:
    """Holds what a model declares against what was observed of its table.

    Figures are told of everything; what departs is told only where there is enough to go by, and where it departs by more
    than chance, rounding and the usual ups and downs of a day make.
    """
    patterns = tuple(pattern_uses(plan, snapshot))
    strangers = tuple(undeclared(plan, snapshot))
    entities = tuple(entity_uses(plan, snapshot))
    places = tuple(place_uses(plan, snapshot))
    departures: list[Departure] = []
    for pattern in patterns:
        departures += pattern_departures(pattern, snapshot)
    departures += undeclared_departures(strangers)
    for entity in entities:
        departures += entity_departures(entity, snapshot)
    for place in places:
        departures += place_departures(place, plan, snapshot)
    return Drift(
        table=snapshot.table,
        seconds=snapshot.seconds,
        requests=snapshot.requests,
        processes=snapshot.processes,
        patterns=patterns,
        undeclared=strangers,
        entities=entities,
        places=places,
        departures=tuple(departures),
        notes=tuple(_notes(snapshot, places=len(snapshot.places))),
    )


def _notes(snapshot: Snapshot, places: int) -> list[str]:
    notes = [
        "Traffic does not tell what is stored: how many items there are, and how much of what is written is new.",
        "A pattern's busiest second is not known on its own; its average is, and the busiest second of the whole table.",
    ]
    if snapshot.seconds < LONG or snapshot.requests < MANY:
        notes.insert(
            0,
            f"It is too early to miss something, after {lasted(snapshot.seconds)} with {counted(snapshot.requests, 'request')}: "
            f"that takes a day and {quantity(MANY)} requests.",
        )
    if not places:
        notes.append("No partition keys were looked at.")
    return notes
