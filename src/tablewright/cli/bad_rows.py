"""The file of `--bad-rows`: what is wrong with rows, a line of JSON each, as it is met."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tablewright.errors import ArgumentError


@contextmanager
def bad_rows_file(path: Path | None) -> Iterator[Callable[[Any], None] | None]:
    """What writes one of them, a Struct, to the file; None where nobody wants it. A file that is there is written over.
    Keys hold values, so one that is made here is its owner's alone."""
    if path is None:
        yield None
        return
    import json

    from msgspec import to_builtins

    from tablewright.evolve.private import private

    try:
        file = open(path, "w", encoding="utf-8", opener=private)  # noqa: SIM115 - the block below closes it
    except OSError as error:
        raise ArgumentError(
            f"{path} cannot be written: {error.strerror}.", hint="Name another file with --bad-rows."
        ) from None
    with file:
        yield lambda row: print(json.dumps(to_builtins(row)), file=file)
