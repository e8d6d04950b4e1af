"""Which items a migration leaves as they are, in a file that one command writes and the one that goes on with it adds to."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from tablewright.evolve.jobs.leaving import Leave, Left, LeftFile, refuse_other

TO_DO = "it is not yet as the migration says"


class LeftItems:
    """JSON lines with the migration, the part, the key and the reason. Nothing is touched before work begins."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._file: LeftFile | None = None
        self._kept = 0

    @property
    def lines(self) -> int:
        """How many there are in the file."""
        return self._kept + (0 if self._file is None else self._file.lines)

    def begin(self, going_on: str | None = None) -> None:
        """Writes the file anew; where a migration is gone on with that was stopped, what was told of that one stays."""
        self.close()
        self._kept = 0
        refuse_other(self._path)
        if going_on is not None and self._path.is_file():
            self._keep(going_on)
        self._file = LeftFile(self._path, add=going_on is not None)

    def of(self, migration: str, part: str, *, to_do: bool = False) -> Leave:
        """What gets the items that a part leaves. `to_do`: those too that would be written."""

        def leave(left: Sequence[Left]) -> None:
            assert self._file is not None
            told = [one for one in left if to_do or one.reason is not None]
            self._file.add(
                {"migration": migration, "part": part, "key": one.key, "reason": one.reason or TO_DO} for one in told
            )

        return leave

    def close(self) -> None:
        """Ends it."""
        if self._file is not None:
            self._kept = self.lines
            self._file.close()
            self._file = None

    def _keep(self, migration: str) -> None:
        descriptor, name = tempfile.mkstemp(dir=self._path.parent, prefix=f".{self._path.name}.")
        try:
            with os.fdopen(descriptor, "wb") as kept:
                for line in self._of(migration):
                    kept.write(line)
                    self._kept += 1
            os.replace(name, self._path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def _of(self, migration: str) -> Iterator[bytes]:
        with self._path.open("rb") as lines:
            for line in lines:
                try:
                    told = msgspec.json.decode(line)
                except (
                    ValueError,
                    RecursionError,
                ):  # half of it was written when the process was killed, or it is no such file
                    continue
                if isinstance(told, dict) and told.get("migration") == migration and line.endswith(b"\n"):
                    yield line
