"""Exports: what was selected, streamed into a file that appears when it is whole."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, get_args

from msgspec import Struct
from pydantic import BaseModel

from tablewright.client.session import Session
from tablewright.errors import ArgumentError
from tablewright.evolve.transfer.csv_format import write_csv
from tablewright.evolve.transfer.files import appearing, ending, is_packed
from tablewright.evolve.transfer.json_lines import write_json_lines
from tablewright.evolve.transfer.parquet import write_parquet
from tablewright.evolve.transfer.progress import Progress
from tablewright.evolve.transfer.selecting import Selection

Format = Literal["csv", "jsonl", "parquet"]
_ENDINGS: dict[str, Format] = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}


class Exported(Struct, frozen=True):
    """What was written."""

    path: Path
    rows: int
    size: int


def format_of(path: Path, said: str | None) -> Format:
    """The format of a file: as was said, or by the ending of its name."""
    found = said or _ENDINGS.get(ending(path))
    for known in get_args(Format):
        if found == known:
            return known  # type: ignore[no-any-return]
    raise ArgumentError(
        f"{path} does not tell its format.", hint="Name it .csv, .jsonl or .parquet, or say --format jsonl."
    )


def export_rows(
    db: Session,
    selection: Selection,
    path: Path,
    file_format: Format,
    *,
    as_text: Collection[str] = (),
    force: bool = False,
    progress: Callable[[str], object] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Exported:
    """Writes what was selected to a file, and tells how much that is. `as_text` is about columns of Parquet."""
    columns = {} if file_format == "jsonl" else selection.columns()
    for name in as_text:
        if name not in columns:
            raise ArgumentError(f"{name} is no column of this export.", field=name, hint="--as-text is for Parquet.")
    if file_format == "parquet" and is_packed(path):
        raise ArgumentError("Parquet is packed already.", hint="Leave out .gz.")
    with appearing(path, force=force) as beside:
        rows: Any = _told(selection.read(db), Progress(progress, clock, "row"))
        if file_format == "csv":
            count = write_csv(beside, path, columns, rows)
        elif file_format == "parquet":
            count = write_parquet(beside, columns, rows, as_text)
        else:
            named = selection.several
            count = write_json_lines(beside, path, selection.forms(), rows, named=named)
        size = beside.stat().st_size
    return Exported(path, count, size)


def _told(rows: Iterable[BaseModel], progress: Progress) -> Iterator[BaseModel]:
    for number, row in enumerate(rows, 1):
        yield row
        progress.step(number, None)
