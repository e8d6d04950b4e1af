"""DynamoDB's exports: a folder with manifests and files of items, as they lie in S3, or such a file alone."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from tablewright.errors import ArgumentError, TablewrightError
from tablewright.evolve.transfer.files import InputFile
from tablewright.evolve.transfer.json_lines import parsed
from tablewright.evolve.transfer.rows import Problem, Row
from tablewright.values.checks import check_item
from tablewright.values.wire import from_wire_item
from tablewright.wording import counted

SUMMARY, FILES = "manifest-summary.json", "manifest-files.json"
_AGAIN = "Copy the export from S3 again."


class _Part(Struct, frozen=True, eq=False):
    """A file of items, and what the manifest says of it."""

    file: InputFile
    name: str
    items: int | None = None
    md5: str | None = None

    def check(self) -> None:
        """Refuses what is not what the manifest says, or cannot be read to its end."""
        if self.md5 is not None:
            with self.file.packed() as opened:
                found = hashlib.file_digest(opened, lambda: hashlib.md5(usedforsecurity=False)).digest()
            if b64encode(found).decode("ascii") != self.md5:
                raise ArgumentError(f"{self.name} is not what the manifest has the digest of.", hint=_AGAIN)
        if self.items is None:
            self.file.check()
            return
        with self.file.opened() as lines:
            count = sum(1 for line in lines if line.strip())
        if count != self.items:
            raise ArgumentError(
                f"{self.name} holds {counted(count, 'item')} where the manifest says {self.items:,}.", hint=_AGAIN
            )


class ExportSource:
    """The items of an export, in the order of its files."""

    columns = None

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._parts = _of_folder(path) if path.is_dir() else [_Part(InputFile(path), path.name)]
        told = hashlib.sha256("\n".join(part.file.identity for part in self._parts).encode()).hexdigest()
        self.identity = f"dynamodb {told}"
        self._done = 0
        for part in self._parts:
            part.check()  # what cannot be read is refused before anything is written

    def rows(self) -> Iterator[Row | Problem]:
        """All items."""
        self._done = 0
        for part in self._parts:
            with part.file.opened() as opened:
                for number, line in enumerate(opened, 1):
                    if line.strip():
                        yield _row(f"{part.name} line {number}", line)
            self._done += 1

    def fraction(self) -> float | None:
        """How much was read, as if all files were equally large."""
        if self._done == len(self._parts):
            return None
        return (self._done + (self._parts[self._done].file.fraction() or 0)) / len(self._parts)


def _row(place: str, line: bytes) -> Row | Problem:
    read = parsed(line)
    item = None if read is None else read.get("Item")
    try:
        if not isinstance(item, dict):
            raise TypeError
        check_item(item)
        values: dict[str, Any] = from_wire_item(item)
    except (TypeError, ValueError, LookupError, AttributeError, TablewrightError):
        return Problem(place, "it is no item in DynamoDB's JSON", 'Each line should be {"Item": {...}}.')
    return Row(place, values, item=item)


def _of_folder(folder: Path) -> list[_Part]:
    summaries = sorted(folder.rglob(SUMMARY))
    if len(summaries) > 1:
        raise ArgumentError(
            f"{folder} holds {len(summaries)} exports.", hint=f"Name the folder of one: {summaries[0].parent}."
        )
    if not summaries:
        found = [_Part(InputFile(f), str(f.relative_to(folder))) for f in sorted(folder.rglob("*.json.gz"))]
        if not found:
            raise ArgumentError(
                f"{folder} is no export: it has neither a {SUMMARY} nor files that end in .json.gz.",
                hint="Name the folder below AWSDynamoDB that has it.",
            )
        return found
    root, summary = summaries[0].parent, _Manifest(str(summaries[0]), parsed(_content(summaries[0])))
    written = summary.text("outputFormat", "DYNAMODB_JSON")
    if written != "DYNAMODB_JSON":
        raise ArgumentError(
            f"{folder} is an export in the format {written}, which is not read here.",
            hint="Export again with the format DYNAMODB_JSON.",
        )
    if summary.text("exportType", "FULL_EXPORT") != "FULL_EXPORT":
        raise ArgumentError(
            f"{folder} is an incremental export, which holds changes and not items.", hint="Make a full export."
        )
    listed = root / FILES
    if not listed.is_file():
        raise ArgumentError(
            f"{root} has no {FILES}, so that nobody knows which files belong to the export.", hint=_AGAIN
        )
    lines = enumerate(_content(listed).splitlines(), 1)
    files = [_Manifest(f"{listed} line {number}", parsed(line)) for number, line in lines if line.strip()]
    total, count = summary.count("itemCount"), sum(one.count("itemCount") for one in files)
    if count != total:
        raise ArgumentError(
            f"The files of {root} hold {counted(count, 'item')} where {SUMMARY} says {total:,}.", hint=_AGAIN
        )
    return [_listed(root, one) for one in files]


def _listed(root: Path, one: _Manifest) -> _Part:
    name = one.text("dataFileS3Key").rpartition("/")[2]
    return _Part(
        InputFile(root / "data" / name), f"data/{name}", items=one.count("itemCount"), md5=one.text("md5Checksum")
    )


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ArgumentError(
            f"{path} cannot be read: {type(error).__name__}.", hint="It is damaged, or not yours to read."
        ) from None


class _Manifest:
    """What an object of a manifest says, checked."""

    def __init__(self, place: str, said: dict[str, Any] | None) -> None:
        if said is None:
            raise ArgumentError(f"{place} is no JSON object.", hint=_AGAIN)
        self._place = place
        self._said = said

    def text(self, name: str, default: str | None = None) -> str:
        """A member that is a text."""
        value = self._said.get(name, default)
        if not isinstance(value, str):
            raise self._wrong(name, "text")
        return value

    def count(self, name: str) -> int:
        """A member that is a number of items."""
        value = self._said.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self._wrong(name, "number of items")
        return value

    def _wrong(self, name: str, kind: str) -> ArgumentError:
        what = f"{name} is no {kind}" if name in self._said else f"{name} is missing"
        return ArgumentError(f"{self._place}: {what}.", hint=_AGAIN)
