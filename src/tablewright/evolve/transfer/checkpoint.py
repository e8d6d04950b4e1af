"""Checkpoints: how far a transfer is, in a small file, so that it goes on after a kill."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
from msgspec import Struct, field

from tablewright.errors import ArgumentError
from tablewright.evolve.transfer.files import why_not
from tablewright.evolve.transfer.rows import Problem


class Checkpoint(Struct):
    """Rows that were seen to from the beginning on, and what became of them. `identity` says of which transfer."""

    identity: str
    done: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    refused: list[Problem] = field(default_factory=list)
    """Rows that were right, and that the table would not take."""


def load_checkpoint(path: Path | None, identity: str) -> Checkpoint:
    """Where to go on: at the beginning, if there is no file yet. One of another transfer is refused."""
    if path is not None and not path.parent.is_dir():
        raise ArgumentError(
            f"There is no folder {path.parent} for the checkpoint.", hint="Make it, or name another file."
        )
    if path is None or not path.exists():
        return Checkpoint(identity)
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Checkpoint)
    except (msgspec.DecodeError, OSError):
        raise ArgumentError(f"{path} is no checkpoint.", hint="Name another file, or remove this one.") from None
    if found.identity != identity:
        raise ArgumentError(
            f"{path} is the checkpoint of something else, or what is read has changed since.",
            hint="Remove it to begin anew: what was done already is found and left as it is.",
        )
    return found


def save_checkpoint(path: Path | None, checkpoint: Checkpoint) -> None:
    """Keeps it; whoever is killed meanwhile leaves the one before."""
    if path is None:
        return
    beside = path.with_name(f".{path.name}.partial")
    try:
        with beside.open("wb") as written:
            written.write(msgspec.json.encode(checkpoint))
            written.flush()
            os.fsync(written.fileno())
        beside.replace(path)
    except OSError as error:
        raise ArgumentError(
            f"{path} cannot be written: {why_not(error)}.",
            hint="Make room, or name another file: what was done until now is found, and left as it is.",
        ) from error
