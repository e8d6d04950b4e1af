"""`tablewright generate`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablewright.cli.models import MODEL_HELP
from tablewright.cli.writing import FORCE_HELP
from tablewright.wording import counted

if TYPE_CHECKING:
    from tablewright.generate.material import Material
    from tablewright.table import Table
    from tablewright.values.types import Item

_SAMPLES = 5
"""How many items of a type show what it is like."""


def generate(
    model: Annotated[str | None, typer.Argument(help=MODEL_HELP)] = None,
    outputs: Annotated[list[str] | None, typer.Argument(help="What to make; everything, if none is named.")] = None,
    to: Annotated[
        Path | None, typer.Option("--to", help="The folder to write to; made if missing.", file_okay=False)
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(
            "--into",
            help="A Markdown file, in which parts marked by <!-- tablewright:OUTPUT --> and <!-- tablewright:end --> are "
            "made anew.",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; end with 1 if a file is not up to date.")
    ] = False,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", help="A file with the table, whose items serve as samples.", exists=True, dir_okay=False
        ),
    ] = None,
    tenant: Annotated[
        str | None,
        typer.Option(
            "--tenant", metavar="FIELD", help="The field that names the tenant, for a policy of IAM for each."
        ),
    ] = None,
    stage: Annotated[str | None, typer.Option("--stage", help="The stage that policies are for.")] = None,
    region: Annotated[
        str | None, typer.Option("--region", help="The region that policies are for; any, if not given.")
    ] = None,
    account: Annotated[
        str | None, typer.Option("--account", help="The number of the account that policies are for.")
    ] = None,
    partition: Annotated[
        str | None,
        typer.Option("--partition", help="The partition of AWS, such as aws-us-gov; it follows from the region."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help=FORCE_HELP)] = False,
    listed: Annotated[bool, typer.Option("--list", help="List what can be made.")] = False,
) -> None:
    """Make documents, types and infrastructure of a model.

    The same model always makes the same files, so that they can be committed and compared. One output that is a single
    file is printed when no folder is given. Of files that are there, those are replaced that nobody edited since they were
    generated: .tablewright.json in the folder holds their digests.

    With --into shop/README.md, marked parts of that page are kept up to date, and what people wrote around them stays.

    Example: tablewright generate shop/model.py --to docs/design
    """
    import sys

    from tablewright.cli.models import load_model
    from tablewright.cli.writing import stale_files, write_generated
    from tablewright.errors import ArgumentError
    from tablewright.generate.iam.places import Place
    from tablewright.generate.material import Material
    from tablewright.generate.outputs import OUTPUTS, outputs_named

    if listed:
        width = max(len(output.name) for output in OUTPUTS)
        for output in OUTPUTS:
            print(f"{output.name:<{width}}  {output.filename}: {output.description}")
        return
    if model is None:
        raise ArgumentError("generate needs a model.", hint="tablewright generate shop/model.py --to docs/design")
    wanted = outputs_named(outputs or [])
    table = load_model(model).table
    place = Place(region=region, account=account, partition=partition)
    material = Material(table.plan, items=_items(table, data), tenant_field=tenant, stage=stage, place=place)
    if into is not None:
        if to is not None or outputs:
            given = "--to" if to is not None else "Outputs"
            raise ArgumentError(
                f"{given} and --into exclude each other.", hint="The marks in the file name the outputs."
            )
        _into(into, material, check=check)
        return
    files = {name: text for output in wanted for name, text in output.files(material).items()}
    if to is None:
        if len(files) != 1 or check:
            what = "--check compares files of a folder" if check else f"{len(files)} files need a folder"
            raise ArgumentError(f"{what}.", hint="Name one: --to docs/design.")
        sys.stdout.write(next(iter(files.values())))
        return
    patterns = [output.filename for output in wanted if "*" in output.filename]
    left_over = {path for pattern in patterns for path in to.glob(pattern)} - {to / name for name in files}
    for path in sorted(left_over):
        print(f"{path} is left over: the model makes it no more.", file=sys.stderr)
    if check:
        stale = stale_files(to, files)
        for name in stale:
            print(f"{to / name} is not up to date.", file=sys.stderr)
        if stale or left_over:
            raise typer.Exit(1)
        print(f"{counted(len(files), 'file')} in {to}, all up to date.")
        return
    written = write_generated(to, files, force=force)
    print(f"{counted(len(files), 'file')} in {to}, {len(written)} of them new or changed.")


def _into(page: Path, material: Material, *, check: bool) -> None:
    import sys

    from tablewright.generate.embedding import embed
    from tablewright.generate.outputs import outputs_named

    def made(name: str) -> dict[str, str]:
        (output,) = outputs_named([name])
        return output.files(material)

    text = page.read_bytes().decode()
    fresh = embed(text, made)
    if fresh == text:
        print(f"{page} is up to date.")
    elif check:
        print(f"{page} is not up to date.", file=sys.stderr)
        raise typer.Exit(1)
    else:
        page.write_bytes(fresh.encode())
        print(f"{page} was brought up to date.")


def _items(table: Table, data: Path | None) -> list[Item]:
    """Some items of each type from the table in a file, in the order of their keys."""
    from itertools import groupby

    from tablewright.engine import open_engine

    if data is None:
        return []
    found: list[Item] = []
    request: dict[str, Any] = {"TableName": table.physical_name(os.environ.get("TABLEWRIGHT_STAGE"))}
    with open_engine(data, sweep_every=None, backfills=False) as engine:
        while True:
            reply = engine.execute("Scan", request)
            found += reply["Items"]
            if "LastEvaluatedKey" not in reply:
                break
            request["ExclusiveStartKey"] = reply["LastEvaluatedKey"]
    kind, keys = table.names.type, [a.name for a in (table.pk, table.sk) if a is not None]
    found.sort(key=lambda item: (str(item.get(kind)), [str(item[name]) for name in keys]))
    return [item for _, items in groupby(found, key=lambda item: item.get(kind)) for item in list(items)[:_SAMPLES]]
