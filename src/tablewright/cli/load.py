"""`tablewright load`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablewright.cli.models import MODEL_HELP
from tablewright.cli.opening import STAGE_HELP
from tablewright.errors import ResourceNotFound
from tablewright.wording import counted

if TYPE_CHECKING:
    from tablewright.client.settings import OpenOptions


def load(
    model: Annotated[str, typer.Argument(help=MODEL_HELP)],
    target: Annotated[
        str, typer.Argument(help="What to load: memory:, a file, a URL such as http://127.0.0.1:8000, or aws:REGION.")
    ] = "memory:",
    seconds: Annotated[float, typer.Option(help="For how long, at most.", min=0.01)] = 10.0,
    requests: Annotated[int, typer.Option(help="How many requests, at most.", min=1)] = 100_000,
    rate_scale: Annotated[float, typer.Option(help="Multiplies the rates that the model declares.", min=0)] = 1.0,
    concurrency: Annotated[int, typer.Option(help="How many requests may be under way at once.", min=1)] = 16,
    only: Annotated[
        list[str] | None, typer.Option(help="Drive this pattern or entity; may be given more than once.")
    ] = None,
    zipf: Annotated[
        float, typer.Option(help="How uneven keys are wanted where the model does not say it; 0: all alike.", min=0)
    ] = 0.99,
    seed: Annotated[int, typer.Option(help="Another number draws other keys.")] = 0,
    items: Annotated[int, typer.Option(help="How many items of a kind are put in place first.", min=1)] = 300,
    limits: Annotated[
        bool,
        typer.Option("--limits", help="Refuse what a partition of DynamoDB would not bear; memory and files only."),
    ] = False,
    partition_writes: Annotated[float, typer.Option(help="Write units a second of such a partition.", min=1)] = 1000.0,
    partition_reads: Annotated[float, typer.Option(help="Read units a second of such a partition.", min=1)] = 3000.0,
    simulated: Annotated[
        bool | None,
        typer.Option(
            "--simulated/--real-time",
            help="Let the schedule move time, in memory only; by default it does so with --limits.",
        ),
    ] = None,
    reads_only: Annotated[bool, typer.Option("--reads-only", help="Send no writes.")] = False,
    yes_write_to: Annotated[
        str | None, typer.Option(help="Name a target that is not on this machine once more, to have it written to.")
    ] = None,
    clean: Annotated[
        bool, typer.Option("--clean", help="Remove what loads have written to the target, and do nothing else.")
    ] = False,
    create: Annotated[
        bool, typer.Option("--create", help="Make the table if it is missing; in files it always is.")
    ] = False,
    stage: Annotated[str | None, typer.Option("--stage", help=STAGE_HELP)] = None,
    save: Annotated[
        Path | None, typer.Option(help="Keep what was observed in this file, for `tablewright advise`.", dir_okay=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Drive a model's patterns and writes at their declared rates.

    It ends with 1 if requests were throttled or failed, if 99 of 100 were not answered in the time that the model expects, or
    if the target did not keep up. Targets that are not on this machine are only read. Ctrl-C stops it, with a report.

    Example: tablewright load shop/model.py --limits
    """
    import msgspec

    from tablewright.cli.models import load_model
    from tablewright.load.live import looking_on
    from tablewright.load.report import Limits
    from tablewright.load.running import LoadSettings, clean_up, run_load
    from tablewright.load.showing import shown

    table = load_model(model).table
    options: OpenOptions = {}
    if stage is not None:
        options["stage"] = stage
    if clean:
        count = clean_up(table, target, yes_write_to=yes_write_to, **options)
        print(f"{counted(count, 'item')} of loads removed from {target}.")
        return
    if create:
        options["create"] = True
    settings = LoadSettings(
        seconds=seconds,
        requests=requests,
        scale=rate_scale,
        concurrency=concurrency,
        seed=seed,
        zipf=zipf,
        items=items,
        only=tuple(only or ()),
        reads_only=reads_only,
        limits=Limits(partition_reads, partition_writes) if limits else None,
        simulated=simulated,
        yes_write_to=yes_write_to,
    )
    try:
        with looking_on(sys.stderr, seconds) as watch:
            report = run_load(table, target, settings, watch=watch, save=save, **options)
    except ResourceNotFound as error:
        if not create:
            error.hint = "Add --create to make it, or say --stage, if it is there under another name."
        raise
    if as_json:
        print(msgspec.json.format(msgspec.json.encode(report)).decode())
    else:
        print(shown(report))
    if not report.well:
        raise typer.Exit(1)
