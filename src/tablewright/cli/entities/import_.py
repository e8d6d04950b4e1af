"""`tablewright entities import`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablewright.cli.models import MODEL_HELP
from tablewright.cli.opening import STAGE_HELP, TARGET_HELP, TableName
from tablewright.wording import counted

if TYPE_CHECKING:
    from tablewright.evolve.transfer.importing import Imported

_SHOWN = 20


def import_(
    model: Annotated[str, typer.Argument(help=MODEL_HELP)],
    target: Annotated[str, typer.Argument(help=TARGET_HELP)],
    source: Annotated[
        str,
        typer.Argument(
            help="A file (.csv, .jsonl, .parquet, also with .gz), the folder of a DynamoDB export, or the URL of a database."
        ),
    ],
    entity: Annotated[
        str | None,
        typer.Option("--entity", help="The entity that rows become; of stored items, the ones that are taken."),
    ] = None,
    mapping: Annotated[
        Path | None, typer.Option("--map", help="A TOML file that says which columns fields come from.", dir_okay=False)
    ] = None,
    file_format: Annotated[
        str | None, typer.Option("--format", help="csv, jsonl, parquet, dynamodb or sql, where the name does not tell.")
    ] = None,
    delimiter: Annotated[str | None, typer.Option("--delimiter", help="What stands between cells of CSV.")] = None,
    write: Annotated[bool, typer.Option("--write", help="Write. Without it, only count what would be.")] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace items that are there and differ, instead of leaving them.")
    ] = False,
    create: Annotated[bool, typer.Option("--create", help="Make the table if it is missing.")] = False,
    checkpoint: Annotated[
        Path | None, typer.Option("--checkpoint", help="A file that keeps how far it is, to go on after a kill.")
    ] = None,
    bad_rows: Annotated[
        Path | None, typer.Option("--bad-rows", help="Write all that is wrong with rows to this file, as JSON lines.")
    ] = None,
    workers: Annotated[int, typer.Option("--workers", help="Requests that are under way at once.", min=1, max=64)] = 8,
    stage: Annotated[str | None, typer.Option("--stage", help=STAGE_HELP)] = None,
    table_name: TableName = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Bring rows from elsewhere into the table, as entities of the model.

    Rows are checked by the entity's own validation, and keys are made by the model. A row that is wrong is told with its
    place and column, without its values, and left out; two rows of one key are told too. What is in the table already is
    left as it is. Nothing is written without --write. It ends with 1 if a row was not taken.

    Example: tablewright entities import shop/model.py shop.db orders.csv --entity Order --write
    """
    import json

    from tablewright.cli.bad_rows import bad_rows_file
    from tablewright.cli.models import load_model
    from tablewright.cli.opening import opened
    from tablewright.cli.telling import tell
    from tablewright.errors import ArgumentError
    from tablewright.evolve.transfer.importing import ImportOptions, import_rows
    from tablewright.evolve.transfer.mapping import EntityMapping, read_mapping
    from tablewright.evolve.transfer.sources import find_source, input_format

    table = load_model(model).table
    said = {} if mapping is None else read_mapping(mapping, table)
    kind = input_format(source, file_format)
    wanted: list[str | None] = [entity]
    if entity is None and kind == "sql":
        wanted = [*said]
        if not wanted:
            raise ArgumentError("Which entities?", hint="Give a mapping with --map, which names a table for each.")
    if checkpoint is not None and len(wanted) > 1:
        raise ArgumentError("A checkpoint is for one entity.", hint=f"Name it: --entity {wanted[0]}.")
    options = ImportOptions(write=write, replace=replace, workers=workers, checkpoint=checkpoint)
    reports: list[Imported] = []
    made = create and (write or not _is_missing_file(target))
    place = "memory:" if create and not made else target
    with _stopping(write=write):
        # Before anything is made: what cannot be read is refused.
        sources = [find_source(source, kind, said.get(name or "", EntityMapping()), delimiter) for name in wanted]
        with (
            bad_rows_file(bad_rows) as noted,
            _hinting(create=create),
            opened(table, place, stage, table_name, create=made or None if create else False) as db,
        ):
            for name, rows in zip(wanted, sources, strict=True):
                done = import_rows(db, table, rows, name, said, options, progress=tell, problem=noted)
                reports.append(done)
                if not as_json:
                    _show(done, name)
    if as_json:
        print(json.dumps([_told(one) for one in reports], indent=2))
    elif not write:
        print("Nothing was written: this was a dry run. Add --write to write.")
    if not all(one.well for one in reports):
        raise typer.Exit(1)


@contextmanager
def _stopping(*, write: bool) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        on = "The same command goes on: rows that are in the table by now are not written again."
        print(f"\nStopped. {on if write else 'Nothing was written.'}", file=sys.stderr)
        raise typer.Exit(130) from None


@contextmanager
def _hinting(*, create: bool) -> Iterator[None]:
    """Where there is no table: that this command can make it."""
    from tablewright.errors import ConfigError, ResourceNotFound

    try:
        yield
    except (ResourceNotFound, ConfigError) as error:
        if not create and (isinstance(error, ResourceNotFound) or error.message.startswith("There is no file")):
            error.hint = "Add --create to make it."
        raise


def _is_missing_file(target: str) -> bool:
    return ":" not in target and not Path(target).exists()


def _told(report: Imported) -> dict[str, Any]:
    from msgspec import to_builtins

    told: dict[str, Any] = to_builtins(report)
    return told


def _show(report: Imported, entity: str | None) -> None:
    print(f"{report.source}: {counted(report.rows, 'row')}{'' if entity is None else f' of {entity}'}.")
    if report.unused:
        print(f"  Columns that no field comes from: {', '.join(report.unused)}.")
    would = "" if report.written else "would be "
    for count, what in (
        (report.new, f"{would}new"),
        (report.replaced, f"{would}replaced"),
        (report.same, "there already, and the same"),
        (report.different, "there already with other values, and left as they are; --replace replaces them"),
        (report.passed, "of other entities, or of the library's own"),
        (report.bad, "wrong, and not taken"),
    ):
        if count:
            print(f"  {count:,} {what}.")
    for problem in report.problems[:_SHOWN]:
        print(f"  {problem}")
    if len(report.problems) > _SHOWN:
        print("  And more: --bad-rows FILE has all of them.")
    if report.written and not report.changed:
        print("  Nothing had to be changed.")
