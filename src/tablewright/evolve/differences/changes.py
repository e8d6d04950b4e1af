"""One difference between two models, and how grave it is."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

Impact: TypeAlias = Literal["additive", "backfill", "breaking"]
IMPACTS: tuple[Impact, ...] = ("additive", "backfill", "breaking")


class Change(Struct, frozen=True):
    """A difference.

    - additive: nothing has to be done for the items, readers and writers that there are.
    - backfill: it holds for new items; those that are there must be written again first.
    - breaking: readers or writers of one model fail, or see something else, with the other.
    """

    kind: str
    """What kind of difference: `field-added`, `index-removed`, …"""
    impact: Impact
    subject: str
    """What it is about: `Order.status`, `GSI1`, `orders_of()`."""
    text: str
    remedy: str = ""
    """What to do about it."""
    entities: tuple[str, ...] = ()
    """Whose items are concerned."""
    patterns: tuple[str, ...] = ()
    """Which access patterns are concerned."""
    index: str | None = None
    """The index that has to be made, filled or dropped."""
    readers_first: bool = False
    """Whether code of the old model fails at what the new one may write, so that code that does not goes out first."""
    meanwhile: str = ""
    """What the model in between has beside the new one, so that code of both can go on."""
    follows: str = ""
    """The subject of the difference that this one follows from, and is settled with."""


def worst(changes: tuple[Change, ...]) -> Impact | None:
    """The gravest impact; None where nothing differs."""
    return next((impact for impact in reversed(IMPACTS) if any(c.impact == impact for c in changes)), None)
