"""`tablewright infer`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tablewright.cli.writing import FORCE_HELP
from tablewright.wording import counted


def infer(
    source: Annotated[
        str,
        typer.Argument(
            help="A table's place (a file, aws:REGION, or a URL), a folder with an export, or a file with an item on each "
            "line, in DynamoDB JSON or plain JSON."
        ),
    ],
    table: Annotated[str | None, typer.Argument(help="The table's name; a file with one table needs none.")] = None,
    limit: Annotated[int, typer.Option(help="How many items are looked at, at most.", min=1)] = 5000,
    segments: Annotated[int, typer.Option(help="From how many parts of the table they are taken.", min=1)] = 8,
    key: Annotated[
        str | None, typer.Option(help='For files: the attributes of the key, such as "user_id order_id".')
    ] = None,
    index: Annotated[
        list[str] | None, typer.Option(help='For files: an index, such as "ByMail email"; may be repeated.')
    ] = None,
    to: Annotated[Path | None, typer.Option(help="Write the model to this file.")] = None,
    force: Annotated[bool, typer.Option("--force", help=FORCE_HELP)] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Work out a model for a table that has none.

    It looks at a sample of the items. Kinds of items are told by a type attribute or by their keys; key templates by
    finding the values of attributes in keys. Access patterns are proposed that these keys evidently serve. The model has
    read the sample before it is shown; what does not fit is listed by reason, never with values. It ends with 1 if
    something does not fit. The table is only read.

    Example: tablewright infer aws:eu-west-1 Orders --to model.py
    """
    import sys

    import msgspec

    from tablewright.cli.sampling import sample
    from tablewright.cli.writing import refuse_edited, write_file
    from tablewright.infer.inferring import infer as work_out

    if to is not None:
        refuse_edited(to, force=force)
    layout, items = sample(source, table, limit=limit, segments=segments, key=key, indexes=index or ())
    found = work_out(layout, items)
    if to is not None:
        write_file(to, found.code, force=force)
    if as_json:
        print(msgspec.json.format(msgspec.json.encode(found)).decode())
    else:
        if to is None:
            print(found.code)
        fitting = sum(entity.fitting for entity in found.entities)
        total = sum(entity.items for entity in found.entities)
        kinds = counted(len(found.entities), "kind")
        said = [f"{counted(found.items, 'item')} of {found.table}: {kinds}, {fitting:,} of {total:,} fit."]
        said += [f"{misfit.entity}: {counted(misfit.items, 'item')}: {misfit.reason}" for misfit in found.misfits]
        if found.patterns:
            said.append(f"{counted(len(found.patterns), 'access pattern')} that the keys serve as they are.")
        for line in (*said, *found.notes):
            print(line, file=sys.stderr)
    if found.misfits:
        raise typer.Exit(1)
