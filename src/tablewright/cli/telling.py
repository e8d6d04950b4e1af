"""What long commands tell while they work, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


def tell(text: str) -> None:
    """One line for whoever is waiting."""
    print(text, file=sys.stderr)


@contextmanager
def without_scan_warnings() -> Iterator[None]:
    """Whoever asks for a whole table by a command knows that all of it is read."""
    import logging

    log = logging.getLogger("tablewright")
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(before)
