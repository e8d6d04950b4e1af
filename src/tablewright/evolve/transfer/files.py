"""Files that are read with their position known, and files that appear under their name only when they are whole."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from tablewright.errors import ArgumentError
from tablewright.evolve.private import private

_AT_ONCE = 1024 * 1024
"""Bytes that a check reads at once."""


def why_not(error: OSError) -> str:
    """What the system says of an error, without what libraries add to it."""
    return type(error).__name__ if error.errno is None else os.strerror(error.errno)


def is_packed(path: Path) -> bool:
    """Whether a file is packed with gzip, by its name."""
    return path.suffix.lower() == ".gz"


def ending(path: Path) -> str:
    """The ending of a name that tells the format, in small letters, packed or not."""
    return (path.with_suffix("") if is_packed(path) else path).suffix.lower()


class InputFile:
    """A file to read, packed with gzip or not."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            told = path.stat() if path.is_file() else None
        except (OSError, ValueError):  # no name that a file could have
            told = None
        if told is None:
            raise ArgumentError(f"There is no file {path}.", hint="Name a file that is there.")
        self._size = told.st_size
        self.identity = f"{path.resolve()} {told.st_size} {told.st_mtime_ns}"
        self._raw: IO[bytes] | None = None

    @contextmanager
    def packed(self) -> Iterator[io.BufferedReader]:
        """Its bytes as they lie there."""
        try:
            with self.path.open("rb") as raw:
                self._raw = raw
                yield raw
        except (OSError, EOFError, zlib.error) as error:
            raise ArgumentError(
                f"{self.path} cannot be read: {type(error).__name__}.", hint="It is damaged, or not yours to read."
            ) from None
        finally:
            self._raw = None

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """Its bytes, unpacked."""
        with self.packed() as raw:
            if is_packed(self.path):
                if not self._size:
                    raise EOFError  # as a copy leaves it that was broken off; gzip would say that it holds nothing
                with gzip.open(raw) as unpacked:
                    yield io.BufferedReader(unpacked)
            else:
                yield raw

    def check(self) -> None:
        """Reads it to its end, so that a file that is cut off or damaged is refused before anything is made of it."""
        with self.opened() as opened:
            while opened.read(_AT_ONCE):
                pass

    @contextmanager
    def text(self) -> Iterator[IO[str]]:
        """Its text, in UTF-8 with or without a byte order mark, with line ends as they are."""
        with self.opened() as opened:
            text = io.TextIOWrapper(opened, encoding="utf-8-sig", newline="")
            try:
                yield text
            finally:
                text.detach()  # who opened the bytes closes them

    def fraction(self) -> float | None:
        """How much of it was read."""
        if self._raw is None or self._raw.closed or not self._size:
            return None
        return self._raw.tell() / self._size


@contextmanager
def appearing(path: Path, *, force: bool = False) -> Iterator[Path]:
    """A path beside the file to write to; the file gets its name at the end of the block. If that fails, or the program is
    killed, nothing stands under that name that was not there before."""
    if path.exists() and not force:
        raise ArgumentError(f"{path} is there already; nothing was written.", hint="Name another file, or add --force.")
    if not path.parent.is_dir():
        raise ArgumentError(f"There is no folder {path.parent}.", hint="Make it first.")
    beside = path.with_name(f".{path.name}.partial")
    try:
        yield beside
        with beside.open("rb+") as written:
            os.fsync(written.fileno())
        beside.replace(path)
    except OSError as error:
        raise ArgumentError(
            f"{path} cannot be written: {why_not(error)}.", hint="Name another file, or make room."
        ) from error
    finally:
        with suppress(OSError):
            beside.unlink()


@contextmanager
def written_text(path: Path, final: Path, *, owners_alone: bool = False) -> Iterator[IO[str]]:
    """A file to write text to, packed if its final name ends in .gz; the same text makes the same bytes."""
    with open(path, "wb", opener=private if owners_alone else None) as raw:
        packed: Any = gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) if is_packed(final) else raw
        text = io.TextIOWrapper(packed, encoding="utf-8", newline="")
        yield text
        text.flush()
        if packed is not raw:
            text.detach()
            packed.close()
        else:
            text.detach()
