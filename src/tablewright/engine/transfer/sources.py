"""Where an import reads from: which files stand below a folder and prefix, and the items in them one by one."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

import msgspec

from tablewright.engine.transfer.exporting import DEFINITION, FILES
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


class Source(NamedTuple):
    """Files to import, how they are packed, and how their lines are to be read."""

    files: Sequence[Path]
    format: Format
    packed: bool
    delimiter: str = ","
    header: Sequence[str] | None = None
    ours: bool = False
    """Whether an engine wrote them: then they hold what a table has held, whatever its indexes made of it."""

    @property
    def size(self) -> int:
        """The size of the files in bytes."""
        return sum(path.stat().st_size for path in self.files)

    def items(self, types: Mapping[str, str]) -> Iterator[tuple[Path, int, Any]]:
        """File, line, and what that line says an item is, unchecked; a line that says nothing of the kind gives an error.

        `types` are the types of key attributes, which CSV cannot tell.
        """
        for path in self.files:
            try:
                with _opened(path, packed=self.packed) as file:
                    lines = _json_items(file) if self.format == "DYNAMODB_JSON" else self._csv_items(file, types)
                    for number, item in lines:
                        yield path, number, item
            except _BROKEN as error:
                raise BrokenSource("InvalidFileFormat", f"{path.name} cannot be read: {error}") from error

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
    manifest = start / FILES
    if manifest.is_file():
        refuse_way_out(bucket, manifest)
        files = [_listed(bucket, start, line) for line in manifest.read_text(encoding="utf-8").splitlines()]
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
    return Source(files, format_, packed, delimiter, header, ours)


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


def _listed(bucket: Path, start: Path, line: str) -> Path:
    try:
        key = str(json.loads(line)["dataFileS3Key"])
    except (ValueError, TypeError, KeyError) as error:
        raise BrokenSource("InvalidFileFormat", f"{FILES} is damaged") from error
    # An export may have been moved since; its data still stand beside its manifest.
    moved = start / "data" / key.rpartition("/")[2]
    if not moved.is_file():
        return inside(bucket, key)
    refuse_way_out(bucket, moved)
    return moved


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
