"""What long commands tell while they work, on standard error."""

from __future__ import annotations

import sys


def tell(text: str) -> None:
    """One line for whoever is waiting."""
    print(text, file=sys.stderr)


def without_scan_warnings() -> None:
    """Whoever asks for a whole table by a command knows that all of it is read."""
    import logging

    logging.getLogger("tablewright").setLevel(logging.ERROR)
