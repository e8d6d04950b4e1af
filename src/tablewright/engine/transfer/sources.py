"""Where an import reads from: which files stand below a folder and prefix, and the items in them one by one."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import zlib
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, Literal, NamedTuple

import msgspec

from tablewright.engine.transfer.exporting import DEFINITION, FILES, SUMMARY
from tablewright.errors import RequestRefused, ValidationError
from tablewright.values import MAX_ITEM_SIZE
from tablewright.wording import counted

Format = Literal["DYNAMODB_JSON", "CSV"]

_read_line = msgspec.json.Decoder().decode
_BROKEN = (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error)


csv.field_size_limit(2 * MAX_ITEM_SIZE)  # the module's own limit is less than what an item may hold


class BrokenSource(Exception):
    """A source that cannot be read on, with the service's code for it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Told(NamedTuple):
    """What a manifest says of a file; None where it says nothing."""

    items: int | None
    md5: str | None


class Source(NamedTuple):
    """Files to import, how they are packed, and how their lines are to be read."""

    files: Sequence[Path]
    format: Format
    packed: bool
    delimiter: str = ","
    header: Sequence[str] | None = None
    ours: bool = False
    """Whether an engine wrote them: then they hold what a table has held, whatever its indexes made of it."""
    told: Mapping[Path, Told] = MappingProxyType({})
    """Of an export: what its manifest says of the files."""

    @property
    def size(self) -> int:
        """The size of the files in bytes."""
        return sum(path.stat().st_size for path in self.files)

    def check(self) -> None:
        """Refuses files that are not what their manifest has the digest of."""
        for path in self.files:
            told = self.told.get(path)
            if told is None or told.md5 is None:
                continue
            try:
                with path.open("rb") as file:
                    digest = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).digest()
            except OSError as error:
                raise _unreadable(path, error) from error
            if b64encode(digest).decode() != told.md5:
                raise BrokenSource("InvalidFileFormat", f"{path.name} is not what {FILES} has the digest of")

    def items(self, types: Mapping[str, str]) -> Iterator[tuple[Path, int, Any]]:
        """File, line, and what that line says an item is, unchecked; a line that says nothing of the kind gives an error.

        `types` are the types of key attributes, which CSV cannot tell.
        """
        for path in self.files:
            count = 0
            try:
                with _opened(path, packed=self.packed) as file:
                    lines = _json_items(file) if self.format == "DYNAMODB_JSON" else self._csv_items(file, types)
                    for number, item in lines:
                        count += 1
                        yield path, number, item
            except _BROKEN as error:
                raise _unreadable(path, error) from error
            told = self.told.get(path)
            if told is not None and told.items not in (None, count):
                raise BrokenSource(
                    "InvalidFileFormat",
                    f"{path.name} holds {counted(count, 'item')} where {FILES} says {told.items:,}",
                )

    def _csv_items(self, file: IO[bytes], types: Mapping[str, str]) -> Iterator[tuple[int, Any]]:
        text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        lines = csv.reader(text, delimiter=self.delimiter)
        header = self.header or next(lines, None)
        begin = lines.line_num + 1
        for fields in lines:
            number, begin = begin, lines.line_num + 1
            if not fields:
                continue
            if header is None or len(fields) != len(header):
                yield number, ValidationError(f"it has {counted(len(fields), 'field')}, the header {len(header or ())}")
                continue
            item = {
                name: {types.get(name, "S"): value}
                for name, value in zip(header, fields, strict=True)
                # An empty field stands for no attribute where an empty value could not be in a key.
                if value or name not in types
            }
            yield number, item
        text.detach()


def find_source(
    bucket: Path,
    prefix: str,
    format_: Format,
    *,
    packed: bool,
    delimiter: str = ",",
    header: Sequence[str] | None = None,
) -> Source:
    """The files below a folder whose paths start with a prefix; of an export, those that its manifest lists."""
    if not bucket.is_dir():
        raise BrokenSource("S3NoSuchBucket", "The specified bucket does not exist")
    bucket, start = bucket.resolve(), inside(bucket, prefix)
    told: dict[Path, Told] = {}
    if (start / FILES).is_file():
        told = _listed_files(bucket, start)
        files = list(told)
    else:
        folder = start if start.is_dir() else start.parent
        begin = "" if start.is_dir() else start.name
        found = sorted(folder.rglob("*")) if folder.is_dir() else []
        wanted = [
            path
            for path in found
            if path.relative_to(folder).as_posix().startswith(begin) and not path.name.startswith("_")
        ]
        for path in wanted:
            refuse_way_out(bucket, path)
        files = [path for path in wanted if path.is_file()]
    if not files:
        raise BrokenSource("NoSuchKey", "The specified key does not exist")
    ours = any((folder / DEFINITION).is_file() for folder in (start, start.parent))
    return Source(files, format_, packed, delimiter, header, ours, told)


def inside(bucket: Path, key: str) -> Path:
    """The path of a key; refuses keys that would lead out of their bucket."""
    try:
        path = (bucket / key.strip("/")).resolve()
        path.exists()  # an impossible name is refused here, and not in the middle of the work
    except (OSError, ValueError):
        raise RequestRefused(
            "The S3 prefix cannot be the name of a folder.", hint="Choose a shorter, plainer one."
        ) from None
    if not path.is_relative_to(bucket.resolve()):
        raise RequestRefused("The S3 prefix leads out of its bucket.", hint="Leave out '..' and links.")
    return path


def refuse_way_out(root: Path, path: Path) -> None:
    """Refuse what only a link puts below a root: who fills a folder may not choose what else on the machine is read."""
    for step in (path, *path.parents):
        if step == root:
            return
        if step.is_symlink() and not step.resolve().is_relative_to(root.resolve()):
            link = step.relative_to(root).as_posix()
            raise BrokenSource("S3AccessDenied", f"{link} is a link that leads out of the folder of the import")


def _listed_files(bucket: Path, start: Path) -> dict[Path, Told]:
    """The files of an export, and what its manifests say of them."""
    found: dict[Path, Told] = {}
    counts: list[int | None] = []
    for number, line in enumerate(_read(bucket, start / FILES).splitlines(), 1):
        if not line.strip():
            continue
        place = f"{FILES} line {number}"
        said = _object(place, line)
        told = Told(_count(place, said), _text(place, said, "md5Checksum"))
        found[_listed(bucket, start, place, _text(place, said, "dataFileS3Key"))] = told
        counts.append(told.items)
    if (start / SUMMARY).is_file():
        total = _count(SUMMARY, _object(SUMMARY, _read(bucket, start / SUMMARY)))
        known = [count for count in counts if count is not None]
        if total is not None and len(known) == len(counts) and sum(known) != total:
            raise BrokenSource(
                "InvalidFileFormat",
                f"the files of {FILES} hold {counted(sum(known), 'item')} where {SUMMARY} says {total:,}",
            )
    return found


def _listed(bucket: Path, start: Path, place: str, key: str | None) -> Path:
    if not key:
        raise BrokenSource("InvalidFileFormat", f"{place}: dataFileS3Key is missing")
    # An export may have been moved since; its data still stand beside its manifest.
    moved = start / "data" / key.rpartition("/")[2]
    try:
        if not moved.is_file():
            return inside(bucket, key)
    except (OSError, ValueError, RequestRefused) as error:
        raise BrokenSource("InvalidFileFormat", f"{place}: dataFileS3Key names no file of the export") from error
    refuse_way_out(bucket, moved)
    return moved


def _read(bucket: Path, manifest: Path) -> bytes:
    refuse_way_out(bucket, manifest)
    try:
        return manifest.read_bytes()
    except OSError as error:
        raise _unreadable(manifest, error) from error


def _object(place: str, text: bytes) -> dict[str, Any]:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise BrokenSource("InvalidFileFormat", f"{place} is no JSON object")
    return said


def _count(place: str, said: Mapping[str, Any]) -> int | None:
    value = said.get("itemCount")
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
        raise BrokenSource("InvalidFileFormat", f"{place}: itemCount is no number of items")
    return value


def _text(place: str, said: Mapping[str, Any], name: str) -> str | None:
    value = said.get(name)
    if value is not None and not isinstance(value, str):
        raise BrokenSource("InvalidFileFormat", f"{place}: {name} is no text")
    return value


def _unreadable(path: Path, error: Exception) -> BrokenSource:
    return BrokenSource("InvalidFileFormat", f"{path.name} cannot be read: {error}")


@contextmanager
def _opened(path: Path, *, packed: bool) -> Iterator[IO[bytes]]:
    with path.open("rb") as file:
        if not packed:
            yield file
            return
        with gzip.GzipFile(fileobj=file) as unpacked:
            yield io.BufferedReader(unpacked)


def _json_items(file: IO[bytes]) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            told = _read_line(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            yield number, ValidationError("it is not JSON")
            continue
        if isinstance(told, dict) and "Item" in told:
            yield number, told["Item"]
        else:
            yield number, ValidationError('it is not an object with the member "Item"')
