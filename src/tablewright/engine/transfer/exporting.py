"""Writing an export: data files first, then the manifests that vouch for them."""

from __future__ import annotations

import gzip
import hashlib
import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

ROOT = "AWSDynamoDB"
FILES = "manifest-files.json"
SUMMARY = "manifest-summary.json"
DEFINITION = "table-definition.json"
"""Beside the service's files: the request that creates such a table, so that an import needs no other source."""

_FILE_BYTES = 64 * 1024 * 1024
_LEVEL = 4


class Exported(NamedTuple):
    """What an export wrote: its folder, and how many items of how many bytes by DynamoDB's rules."""

    folder: Path
    items: int
    size: int


def export_rows(
    rows: Iterable[tuple[int, bytes]],
    bucket: Path,
    prefix: str,
    stamp: str,
    summary: Mapping[str, Any],
    definition: Mapping[str, Any],
    now: Callable[[], float],
) -> Exported:
    """Write items, given as size and JSON, below a folder as the service writes them into a bucket.

    One item at a time is held in memory. `summary` is what the summary says besides what is found here.
    """
    base = f"{prefix}/{ROOT}/{stamp}" if prefix else f"{ROOT}/{stamp}"
    folder = bucket / base
    (folder / "data").mkdir(parents=True)
    (folder / "_started").touch()
    counted = _Counter(rows)
    manifests: list[str] = []
    while counted.more:
        name = f"{stamp.rpartition('-')[2]}{len(manifests):06d}.json.gz"
        before = counted.items
        digest = _write_file(folder / "data" / name, counted)
        line = {
            "itemCount": counted.items - before,
            "md5Checksum": b64encode(digest).decode(),
            "etag": f"{digest.hex()}-1",
            "dataFileS3Key": f"{base}/data/{name}",
        }
        manifests.append(json.dumps(line))
    _write_manifest(folder, FILES, "".join(f"{line}\n" for line in manifests))
    (folder / DEFINITION).write_text(json.dumps(definition, indent=2) + "\n", encoding="utf-8")
    told = {
        "version": "2020-06-30",
        **summary,
        "endTime": moment_text(now()),
        "s3Prefix": prefix or None,
        "s3SseAlgorithm": "AES256",
        "s3SseKmsKeyId": None,
        "manifestFilesS3Key": f"{base}/{FILES}",
        "billedSizeBytes": counted.size,
        "itemCount": counted.items,
        "outputFormat": "DYNAMODB_JSON",
        "exportType": "FULL_EXPORT",
    }
    _write_manifest(folder, SUMMARY, json.dumps(told))
    return Exported(folder, counted.items, counted.size)


def moment_text(seconds: float) -> str:
    """A moment as manifests tell it."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class _Counter:
    """Rows one by one, counted; `more` tells whether another file is needed. An empty table has one empty file."""

    def __init__(self, rows: Iterable[tuple[int, bytes]]) -> None:
        self._rows = iter(rows)
        self._next: tuple[int, bytes] | None = None
        self.items = 0
        self.size = 0
        self.more = True

    def bodies(self, limit: int) -> Iterator[bytes]:
        """The JSON of items until some `limit` of bytes is passed."""
        written = 0
        for size, body in self._rows:
            self.items += 1
            self.size += size
            written += len(body)
            yield body
            if written > limit:
                return
        self.more = False


def _write_file(path: Path, counted: _Counter) -> bytes:
    with path.open("wb") as file, gzip.GzipFile("", "wb", _LEVEL, file, mtime=0) as packed:
        for body in counted.bodies(_FILE_BYTES):
            packed.write(b'{"Item":' + body + b"}\n")
    with path.open("rb") as written:
        return hashlib.file_digest(written, lambda: hashlib.md5(usedforsecurity=False)).digest()


def _write_manifest(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text, encoding="utf-8")
    digest = hashlib.md5(text.encode(), usedforsecurity=False).digest()
    (folder / name.replace(".json", ".md5")).write_text(b64encode(digest).decode(), encoding="utf-8")
