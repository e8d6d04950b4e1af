"""The flag that switches reads: how many of a hundred subjects read the new table, and which ones."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Protocol

import msgspec
from msgspec import Struct

from tablewright.errors import ArgumentError, ConfigError

READS = "single-table-reads"
"""The flag's name."""


class Flag(Struct, frozen=True):
    """How far reads are switched."""

    percent: int = 0
    """Of a hundred subjects, how many read the new table."""
    killed: bool = False
    """The kill switch: everybody reads the legacy tables, whatever `percent` says."""

    def __post_init__(self) -> None:
        if isinstance(self.percent, bool) or not isinstance(self.percent, int) or not 0 <= self.percent <= 100:
            raise ArgumentError("A flag is on for 0 to 100 percent.", field="percent", constraint="0 to 100")

    def on(self, subject: str, name: str = READS) -> bool:
        """Whether a subject reads the new table. The same one always does, and still does when `percent` grows."""
        return not self.killed and place_of(subject, name) < self.percent * 100


def place_of(subject: str, name: str = READS) -> int:
    """Where a subject stands among 10,000, by a digest of its id: the same in every process."""
    if not isinstance(subject, str) or not subject:
        raise ArgumentError("A subject is a text that is not empty.", hint="Pass the id of a user or tenant.")
    return int.from_bytes(sha256(f"{name}:{subject}".encode()).digest()[:8], "big") % 10_000


class FlagStore(Protocol):
    """Who keeps flags: the ledger, unless a session is given another. A switch looks at a store again just before it sets the
    flag; in the ledger, both are one."""

    def get(self, name: str) -> Flag | None:
        """The flag as it is now; None where it was never set."""
        ...

    def set(self, name: str, flag: Flag) -> None:
        """Changes the flag, for everybody."""
        ...


class MemoryFlags:
    """Flags of one process, for tests."""

    def __init__(self) -> None:
        self._flags: dict[str, Flag] = {}

    def get(self, name: str) -> Flag | None:
        """The flag."""
        return self._flags.get(name)

    def set(self, name: str, flag: Flag) -> None:
        """Changes it."""
        self._flags[name] = flag


class FileFlags:
    """Flags in a JSON file that several processes read."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._lock = threading.Lock()

    def get(self, name: str) -> Flag | None:
        """The flag."""
        return self._read().get(name)

    def set(self, name: str, flag: Flag) -> None:
        """Changes it; whoever reads meanwhile sees the old file or the new one. A file that holds no flags is written anew, so that
        nothing stops a kill."""
        with self._lock:
            flags = {name: flag}
            with suppress(ConfigError):
                flags = self._read() | flags
            beside = self._path.with_name(f"{self._path.name}.{os.getpid()}")
            beside.write_bytes(msgspec.json.encode(flags))
            beside.replace(self._path)

    def _read(self) -> dict[str, Flag]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, Flag])
        except FileNotFoundError:
            return {}
        except (msgspec.DecodeError, ArgumentError) as error:
            raise ConfigError(
                f"{self._path} holds no flags.", hint="Delete it, or kill(), which writes it anew; then switch() again."
            ) from error
