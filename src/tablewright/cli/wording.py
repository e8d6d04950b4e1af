"""How commands say numbers of things."""

from __future__ import annotations


def counted(number: int, what: str) -> str:
    """As in "1 item" and "1,200 items"."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
