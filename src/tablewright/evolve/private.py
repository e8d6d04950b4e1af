"""Files that hold keys or items, and are nobody's but their owner's."""

from __future__ import annotations

import os


def private(path: str, flags: int) -> int:
    """An `opener=` of open(): a file that is made is its owner's alone; one that is there stays as it is."""
    return os.open(path, flags, 0o600)
