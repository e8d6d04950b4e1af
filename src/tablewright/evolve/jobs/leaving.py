"""Items that a job leaves as they are: which they are and why, handed on before the checkpoint that passes them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import msgspec
from msgspec import Struct

from tablewright.errors import ArgumentError
from tablewright.evolve.private import private
from tablewright.values.types import Item


class Left(Struct, frozen=True):
    """An item that was not written for."""

    key: Item
    reason: str | None
    """Why it was skipped; None for one that a dry run would write for."""


_BEGINNINGS = (b'{"key":', b'{"migration":')
"""How a line begins, of a job's list and of a migration's."""

Leave: TypeAlias = Callable[[Sequence[Left]], object]
"""Gets some that were left at a time. After a kill it may get some of them again."""


class LeftFile:
    """A file of JSON lines, one for each item that was left. Keys hold values, so a file that is made here is its owner's alone."""

    def __init__(self, path: str | os.PathLike[str], *, add: bool = False) -> None:
        """`add`: to what is there; otherwise the file is written anew, if it is one that was made here."""
        try:
            refuse_other(path)
            self._file = open(path, "ab" if add else "wb", opener=private)  # noqa: SIM115 - close() closes it
        except OSError as error:
            raise ArgumentError(
                f"{os.fspath(path)} cannot be written: {error.strerror}.",
                hint="Name another file for the items that are left.",
            ) from None
        self.lines = 0
        """How many this process has written."""

    def __call__(self, left: Sequence[Left]) -> None:
        """Writes some of them."""
        self.add({"key": one.key, "reason": one.reason} for one in left)

    def add(self, lines: Iterable[object]) -> None:
        """Writes lines; they are out of this process when it returns."""
        written = [msgspec.json.encode(line) for line in lines]
        self._file.write(b"".join(line + b"\n" for line in written))
        self._file.flush()
        self.lines += len(written)

    def close(self) -> None:
        """Ends it."""
        self._file.close()


def refuse_other(path: str | os.PathLike[str]) -> None:
    """Nobody means to lose what is in a file of another kind: a slip may name the table itself."""
    try:
        with open(path, "rb") as file:
            begins = file.read(len(max(_BEGINNINGS, key=len))) if os.path.isfile(path) else b""
    except OSError:  # whoever writes to it is told
        return
    if begins and not any(begins.startswith(one) or one.startswith(begins) for one in _BEGINNINGS):
        raise ArgumentError(
            f"{os.fspath(path)} is there, and is no list of items that were left.",
            hint="Name another file for them: this one would be written over.",
        )


def opened(left: str | os.PathLike[str] | Leave | None, *, resumed: bool) -> Leave | None:
    """What gets those that are left. A run that goes on where another stopped adds to that one's file."""
    if left is None or callable(left):
        return left
    return LeftFile(left, add=resumed)


def closed(left: Leave | None) -> None:
    """Ends what opened() has opened."""
    if isinstance(left, LeftFile):
        left.close()
