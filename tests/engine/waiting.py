"""What happens beside a test: waiting for it, and writing meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def eventually(holds: Callable[[], bool]) -> bool:
    """Whether something comes to hold within half a minute."""
    deadline = time.monotonic() + 30
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


@contextmanager
def writing(write: Callable[[int], None]) -> Iterator[list[int]]:
    """Have another thread call `write` with 0, 1, 2 and so on; the list holds how many calls returned, in the end."""
    written = [0]
    ended = threading.Event()

    def go_on() -> None:
        while not ended.is_set():
            write(written[0])
            written[0] += 1

    writer = threading.Thread(target=go_on)
    writer.start()
    try:
        yield written
    finally:
        ended.set()
        writer.join()
