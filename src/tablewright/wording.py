"""How messages say numbers, numbers of things, and what was probably meant. This room imports nothing of the project."""

from __future__ import annotations

import math
from collections.abc import Iterable


def quantity(number: float) -> str:
    """1,500 and 0.2: a number for people, as exact as anybody reads it, and never with an exponent."""
    if not math.isfinite(number) or float(number).is_integer():
        return f"{number:,.0f}"
    size = abs(number)
    decimals = 1 if size >= 100 else 2 if size >= 1 else 2 - math.floor(math.log10(size))
    return f"{number:,.{decimals}f}".rstrip("0").rstrip(".")


_UNITS = (("day", 86_400), ("hour", 3600), ("minute", 60))


def span(seconds: float) -> str:
    """As in "30 days", "36 hours" and "5 seconds": in the largest unit that tells it exactly."""
    for unit, size in _UNITS:
        if seconds >= size and seconds % size == 0:
            return counted(seconds // size, unit)
    return counted(seconds, "second")


def span_left(seconds: float) -> str:
    """The same of what is left, rounded up: two or more of a unit, or less than that of the next."""
    size = next((size for _, size in _UNITS if seconds >= 2 * size), 1)
    return span(math.ceil(seconds / size) * size)


def counted(number: float, what: str, several: str | None = None) -> str:
    """As in "1 item", "1,200 items", "0.5 read units" and "2 entities"; `several` is a plural that has no mere s."""
    return f"{quantity(number)} {what if number == 1 else several or f'{what}s'}"


def nearest(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """The name that was probably meant; upper and lower case, dashes and underscores do not count."""
    from difflib import get_close_matches  # for mistakes only, and slow to load

    plain = {one.lower().replace("_", "-"): one for one in known}
    close = get_close_matches(name.lower().replace("_", "-"), plain, n=1, cutoff=cutoff)
    return plain[close[0]] if close else None
