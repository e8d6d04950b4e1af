"""Export and import by hand, without a bucket or a job: a table to a folder, a folder to a table."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tablewright.engine.arns import table_arn
from tablewright.engine.context import Context
from tablewright.engine.description import table_id
from tablewright.engine.transfer.exporting import DEFINITION, FILES, ROOT, Exported, moment_text
from tablewright.engine.transfer.importing import Imported
from tablewright.engine.transfer.jobs import read_import, write_export
from tablewright.engine.transfer.sources import BrokenSource, Source, find_source, refuse_way_out
from tablewright.engine.validation.shapes import check_shape
from tablewright.engine.validation.table_requests import SHAPES
from tablewright.engine.validation.tables import new_definition
from tablewright.errors import ConfigError, StorageError

_MOST_NAMED = 5
_GIVE = "Give the definition (definition= of import_table, --definition of tablewright import): a CreateTable request"


def export_to(context: Context, name: str, folder: Path) -> Exported:
    """Write what a table holds now below a folder, which is made if it is not there."""
    table = context.table(name, by_name=True)
    context.require_active(table)
    now = context.clock.now()
    stamp = _free_stamp(folder, int(now * 1000), table.schema.number)
    summary = {
        "startTime": moment_text(now),
        "tableArn": table_arn(context.region, table.name),
        "tableId": table_id(table.schema),
        "exportTime": moment_text(now),
        "s3Bucket": None,
    }
    try:
        return write_export(context, table, folder, "", stamp, summary)
    except OSError as error:
        raise StorageError(
            f"The export to {folder} failed: {error.strerror}.", hint="Check that the folder may be written to."
        ) from error


def import_from(context: Context, folder: Path, name: str | None, definition: Mapping[str, Any] | None) -> Imported:
    """Make a table from what stands in a folder: an export, or files of items in JSON or CSV."""
    if not os.path.isdir(folder):
        is_file = os.path.exists(folder)
        raise ConfigError(
            f"{folder} is a file, not a folder." if is_file else f"There is no folder {folder}.",
            hint="Give the folder of an export, or one that holds files of items and nothing else.",
        )
    try:
        start = _export_in(folder)
        request = dict(definition) if definition is not None else _known_definition(start)
        if name is not None:
            request["TableName"] = name
        check_shape(SHAPES["CreateTable"], request)
        wanted = new_definition(request, context.clock.now())
        imported, _ = read_import(context, request["TableName"], wanted, _source_in(start))
    except BrokenSource as error:
        raise StorageError(
            f"The import from {folder} failed: {error.message}.",
            hint="No table was made; mend the files and try again.",
        ) from error
    return imported


def _free_stamp(folder: Path, moment: int, number: int) -> str:
    while (folder / ROOT / (stamp := f"{moment:014d}-{number:08x}")).exists():
        moment += 1
    return stamp


def _export_in(folder: Path) -> Path:
    """The export in a folder that holds one; a folder without any stands for itself."""
    exports = sorted((folder / ROOT).glob(f"*/{FILES}"))
    for export in exports:
        refuse_way_out(folder, export)
    if len(exports) > 1:
        # Their names start with when they were made.
        latest = ", ".join(str(export.parent) for export in exports[-_MOST_NAMED:])
        these = latest if len(exports) <= _MOST_NAMED else f"the latest are {latest}"
        raise ConfigError(f"{folder} holds {len(exports)} exports: {these}.", hint="Give one of them.")
    return exports[0].parent if exports else folder


def _known_definition(folder: Path) -> dict[str, Any]:
    path = folder / DEFINITION
    if not path.is_file():
        raise ConfigError(
            f"{folder} does not say what table its items belong in.",
            hint=f"{_GIVE} with TableName, KeySchema and AttributeDefinitions.",
        )
    refuse_way_out(folder, path)
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        known = None
    if not isinstance(known, dict):
        raise ConfigError(f"{path} is damaged.", hint=f"{_GIVE}.")
    return known


def _source_in(folder: Path) -> Source:
    try:
        found = find_source(folder, "", "DYNAMODB_JSON", packed=True)
    except BrokenSource as error:
        if error.code != "NoSuchKey":
            raise
        found = Source((), "DYNAMODB_JSON", packed=True)
    files = [path for path in found.files if path.name.endswith((".json.gz", ".json", ".csv", ".csv.gz"))]
    files = [path for path in files if path.name != DEFINITION]
    kinds = {(".csv" in path.suffixes, path.suffix == ".gz") for path in files}
    if not kinds:
        raise ConfigError(
            f"{folder} holds no files that end in .json, .json.gz, .csv or .csv.gz.",
            hint="Give the folder of an export, or one with files of items.",
        )
    if len(kinds) != 1:
        raise ConfigError(
            f"{folder} does not hold files of one kind.",
            hint="Give a folder whose files all end in .json, .json.gz, .csv or .csv.gz.",
        )
    ((as_csv, packed),) = kinds
    return Source(files, "CSV" if as_csv else "DYNAMODB_JSON", packed, ours=found.ours, told=found.told)
