"""Where exporters that write lines write them to."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Protocol

from tablewright.errors import ArgumentError


class Stream(Protocol):
    """A file that is open for text."""

    def write(self, text: str, /) -> object:
        """Takes a line, with its end."""

    def flush(self) -> object:
        """Passes on what it has."""


Sink = Stream | Callable[[str], object] | None


def line_writer(to: Sink) -> Callable[[str], object]:
    """What writes a line: to a stream, through a function, or to standard output as it is at that time."""
    if to is not None and not hasattr(to, "write") and not callable(to):
        raise ArgumentError(
            f"Lines cannot be written to a {type(to).__name__}.",
            hint="Give an open file, or a function that takes a text.",
        )

    def write(line: str) -> None:
        stream = sys.stdout if to is None else to
        # One call for the whole line: lines of other threads and processes then do not get into it.
        stream.write(f"{line}\n")  # type: ignore[union-attr]
        stream.flush()  # type: ignore[union-attr]

    return to if callable(to) and not hasattr(to, "write") else write
