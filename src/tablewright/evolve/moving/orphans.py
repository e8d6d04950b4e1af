"""Orphans: moved items whose legacy item is gone or has become something else while only legacy tables were written."""

from __future__ import annotations

from tablewright.evolve.moving import ledger
from tablewright.evolve.moving.sides import Place, Walk, send
from tablewright.evolve.moving.verifying import derived_now, key_of, page


def sweep_orphans(place: Place) -> Walk[int]:
    """Notes every moved item whose legacy item is gone, or no longer becomes it, so that `repair` removes it; how many."""
    count, start = 0, None
    while True:
        items, start = yield from page("new", place.table, start)
        for item in items:
            origin = item.get(place.moving.origin, {}).get("M")
            move = None if origin is None else place.moving.by_name.get(origin["move"]["S"])
            if origin is None or move is None:
                continue
            key = ledger.key_from_text(origin["key"]["S"])
            part, gone = yield from derived_now(place, move, key, item)
            if part is None and not gone:
                body = ledger.noting(place, move, key, [key_of(place, item)])["Update"]
                yield from send("legacy", "UpdateItem", body)
                count += 1
        if start is None:
            return count
