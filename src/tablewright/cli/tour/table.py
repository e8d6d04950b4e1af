"""The chapter in which the table is filled."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from tablewright.cli.tour.look import Look
from tablewright.cli.tour.shop import seed
from tablewright.client.session import Session


def show(look: Look, db: Session, path: Path) -> None:
    """Writes the seed data."""
    look.chapter("A table in a file")
    look.say("No server, no Java, no Docker: the engine runs in this process and keeps its tables in SQLite.")
    look.code(f'with shop.open("{path.name}") as db:\n    seed(db)')
    started = perf_counter()
    with db.measure() as meter:
        count = seed.seed(db)
    milliseconds = (perf_counter() - started) * 1000
    look.say(
        f"{count} entities in {len(meter.requests)} requests, {milliseconds:.0f} ms: "
        f"{len(seed.customers())} customers, {len(seed.orders())} orders, {len(seed.products())} products in "
        f"{len(seed.categories())} categories, {len(seed.reviews())} reviews."
    )
