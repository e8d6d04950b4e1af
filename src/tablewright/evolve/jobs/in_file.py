"""Checkpoints in a file, for tables among whose items they cannot stand."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

from tablewright.client.calls import Steps
from tablewright.errors import JobError
from tablewright.evolve.jobs.checkpoints import (
    LEASE,
    Asked,
    Held,
    Segment,
    check_same,
    held_by_another,
    taken_over,
)
from tablewright.evolve.jobs.in_table import USUAL_SEGMENTS


class _Kept(Struct):
    name: str
    identity: str
    owner: str
    until: float | None
    run: str
    segments: list[Segment]

    def held_from(self, owner: str, now: float) -> bool:
        """Whether another runner holds it."""
        return self.until is not None and self.until >= now and self.owner != owner


class InFile:
    """One file for one job. It is replaced as a whole, so that a kill leaves it as it was before or after."""

    def __init__(
        self, path: str | os.PathLike[str], *, lease: float = LEASE, token: Callable[[], str] | None = None
    ) -> None:
        self._path = Path(path)
        self._lease = lease
        self._token = token or (lambda: secrets.token_hex(8))
        self._gate = self._path.with_name(f"{self._path.name}.beginning")

    def take(self, asked: Asked, owner: str, now: float) -> Steps[Held]:
        """Holds the job, if nobody else does."""
        if asked.take_over:
            self._gate.unlink(missing_ok=True)
        with self._alone(asked.name):
            found = self._read()
            if found is not None and not asked.take_over and found.held_from(owner, now):
                raise held_by_another(found.name, found.until or now, now)
            if found is not None and not asked.restart:
                if found.name != asked.name:
                    raise JobError(f"{self._path} is the checkpoint of {found.name!r}.", hint="Name another file.")
                check_same(asked, {"identity": found.identity, "segments": len(found.segments)})
                kept = found
                kept.owner, kept.until = owner, now + self._lease
            else:
                segments = [Segment(number) for number in range(asked.segments or USUAL_SEGMENTS)]
                kept = _Kept(asked.name, asked.identity, owner, now + self._lease, self._token(), segments)
            self._write(kept)
        return Held(asked.name, owner, kept.run, tuple(kept.segments), len(kept.segments), resumed=kept is found)
        yield  # nothing is asked of the table

    def load(self, held: Held, number: int) -> Steps[Segment]:
        """How far a segment is by now."""
        return self._mine(held).segments[number]
        yield

    def renew(self, held: Held, now: float) -> Steps[None]:
        """A sign of life."""
        kept = self._mine(held)
        kept.until = now + self._lease
        self._write(kept)
        return
        yield

    def save(self, held: Held, segment: Segment) -> Steps[None]:
        """How far a segment is."""
        kept = self._mine(held)
        kept.segments[segment.number] = segment
        self._write(kept)
        return
        yield

    def release(self, held: Held) -> Steps[None]:
        """Lets others go on."""
        kept = self._mine(held)
        kept.until = None
        self._write(kept)
        return
        yield

    def finish(self, held: Held) -> Steps[None]:
        """The file goes."""
        self._mine(held)
        self._path.unlink()
        return
        yield

    def _mine(self, held: Held) -> _Kept:
        kept = self._read()
        if kept is None or (kept.owner, kept.run) != (held.owner, held.run):
            raise taken_over(held.name)
        return kept

    def _read(self) -> _Kept | None:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=_Kept)
        except FileNotFoundError:
            return None
        except msgspec.DecodeError:
            raise JobError(f"{self._path} is no checkpoint.", hint="Name another file, or delete it.") from None

    def _write(self, kept: _Kept) -> None:
        descriptor, name = tempfile.mkstemp(dir=self._path.parent, prefix=f".{self._path.name}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(msgspec.json.encode(kept))
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, self._path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    @contextmanager
    def _alone(self, name: str) -> Iterator[None]:
        """Two who begin in the same moment must not both find the file free."""
        gate = self._gate
        try:
            os.close(os.open(gate, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            raise JobError(
                f"Another runner is just beginning {name!r}.",
                hint=f"If none is, one died while it began: delete {gate}.",
            ) from None
        try:
            yield
        finally:
            gate.unlink()
