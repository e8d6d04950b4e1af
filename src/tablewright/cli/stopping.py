"""How a command is stopped: SIGTERM lets it end in order, as Ctrl-C does."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def sigterm_as_ctrl_c() -> Iterator[None]:
    """Raises KeyboardInterrupt at a SIGTERM too."""

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    here = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, stop) if here else None
    try:
        yield
    finally:
        if here:
            signal.signal(signal.SIGTERM, before)
