"""Finding the source of an import: by what it is called, or as was said."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

from tablewright.errors import ArgumentError
from tablewright.evolve.transfer.csv_format import CsvSource
from tablewright.evolve.transfer.dynamodb_export import ExportSource
from tablewright.evolve.transfer.files import ending
from tablewright.evolve.transfer.json_lines import JsonLinesSource
from tablewright.evolve.transfer.mapping import EntityMapping
from tablewright.evolve.transfer.parquet import ParquetSource
from tablewright.evolve.transfer.rows import Source
from tablewright.evolve.transfer.sql import SqlSource

InputFormat = Literal["csv", "jsonl", "parquet", "dynamodb", "sql"]
_ENDINGS: dict[str, InputFormat] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".json": "dynamodb",
}


def input_format(name: str, said: str | None) -> InputFormat:
    """What a source is: as was said, a folder of an export, a database by its URL, or a file by its ending."""
    path = Path(name)
    found = said or ("dynamodb" if path.is_dir() else "sql" if "://" in name else _ENDINGS.get(ending(path)))
    for known in get_args(InputFormat):
        if found == known:
            return known  # type: ignore[no-any-return]
    raise ArgumentError(
        f"{name} does not tell its format.", hint=f"Say it with --format: {', '.join(get_args(InputFormat))}."
    )


def find_source(name: str, kind: InputFormat, said: EntityMapping, delimiter: str | None = None) -> Source:
    """The source of this name."""
    if delimiter is not None and (kind != "csv" or len(delimiter) != 1):
        raise ArgumentError("A delimiter is one character between cells of CSV.", hint="--delimiter ';'")
    path = Path(name)
    match kind:
        case "csv":
            return CsvSource(path, delimiter or ("\t" if ending(path) == ".tsv" else ","))
        case "jsonl":
            return JsonLinesSource(path)
        case "parquet":
            return ParquetSource(path)
        case "dynamodb":
            return ExportSource(path)
        case "sql":
            return SqlSource(name, table=said.table, query=said.query)
