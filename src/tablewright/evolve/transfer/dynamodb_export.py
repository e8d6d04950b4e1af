"""DynamoDB's exports: a folder with manifests and files of items, as they lie in S3, or such a file alone."""

from __future__ import annotations

import hashlib
import json
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


class _Part(Struct, frozen=True, eq=False):
    """A file of items, and what the manifest says of it."""

    file: InputFile
    name: str
    items: int | None = None
    md5: str | None = None


class ExportSource:
    """The items of an export, in the order of its files."""

    columns = None

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._parts = _of_folder(path) if path.is_dir() else [_Part(InputFile(path), path.name)]
        told = hashlib.sha256("\n".join(part.file.identity for part in self._parts).encode()).hexdigest()
        self.identity = f"dynamodb {told}"
        self._done = 0

    def rows(self) -> Iterator[Row | Problem]:
        """All items. A file that is not what the manifest says ends the reading."""
        self._done = 0
        for part in self._parts:
            _check_digest(part)
            count = 0
            with part.file.opened() as opened:
                for number, line in enumerate(opened, 1):
                    if line.strip():
                        count += 1
                        yield _row(f"{part.name} line {number}", line)
            if part.items is not None and part.items != count:
                raise ArgumentError(
                    f"{part.name} holds {counted(count, 'item')} where the manifest says {part.items:,}.",
                    hint="Copy the export from S3 again.",
                )
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
    summary = _object(summaries[0])
    if summary.get("outputFormat", "DYNAMODB_JSON") != "DYNAMODB_JSON":
        raise ArgumentError(
            f"{folder} is an export in the format {summary['outputFormat']}, which is not read here.",
            hint="Export again with the format DYNAMODB_JSON.",
        )
    if summary.get("exportType", "FULL_EXPORT") != "FULL_EXPORT":
        raise ArgumentError(
            f"{folder} is an incremental export, which holds changes and not items.", hint="Make a full export."
        )
    root = summaries[0].parent
    try:
        listed = [parsed(line) for line in (root / FILES).read_bytes().splitlines() if line.strip()]
    except OSError:
        raise ArgumentError(
            f"{root} has no {FILES}, so that nobody knows which files belong to the export.",
            hint="Copy the export from S3 again.",
        ) from None
    parts = [_listed(root, one) for one in listed]
    told, counts = summary.get("itemCount"), [part.items for part in parts if part.items is not None]
    if isinstance(told, int) and len(counts) == len(parts) and sum(counts) != told:
        raise ArgumentError(
            f"The files of {root} hold {counted(sum(counts), 'item')} where {SUMMARY} says {told:,}.",
            hint="Copy the export from S3 again.",
        )
    return parts


def _listed(root: Path, one: dict[str, Any] | None) -> _Part:
    key = None if one is None else one.get("dataFileS3Key")
    if one is None or not isinstance(key, str):
        raise ArgumentError(f"{root / FILES} is no list of files.", hint="Copy the export from S3 again.")
    name = key.rpartition("/")[2]
    return _Part(InputFile(root / "data" / name), f"data/{name}", one.get("itemCount"), one.get("md5Checksum"))


def _object(path: Path) -> dict[str, Any]:
    try:
        read = json.loads(path.read_bytes())
    except ValueError:
        read = None
    if not isinstance(read, dict):
        raise ArgumentError(f"{path} is no JSON object.", hint="Copy the export from S3 again.")
    return read


def _check_digest(part: _Part) -> None:
    if part.md5 is None:
        return
    with part.file.path.open("rb") as opened:
        found = hashlib.file_digest(opened, lambda: hashlib.md5(usedforsecurity=False)).digest()
    if b64encode(found).decode("ascii") != part.md5:
        raise ArgumentError(
            f"{part.name} is not what the manifest has the digest of.", hint="Copy the export from S3 again."
        )
