"""How the commands find a model, its migrations and its table, and how they show what was done."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, get_type_hints

import typer
from msgspec import Struct
from msgspec.structs import fields

from tablewright.cli.models import MODEL_HELP
from tablewright.cli.opening import STAGE_HELP, TARGET_HELP, TableName
from tablewright.cli.stopping import sigterm_as_ctrl_c
from tablewright.wording import counted

if TYPE_CHECKING:
    from tablewright.evolve.jobs import JobOptions, Progress
    from tablewright.evolve.migrations.leaving import LeftItems
    from tablewright.evolve.migrations.migrator import Migrator, Told
    from tablewright.evolve.migrations.outcome import Outcome
    from tablewright.table import Table

Model: TypeAlias = Annotated[str, typer.Argument(help=MODEL_HELP)]
Target: TypeAlias = Annotated[str, typer.Option("--on", help=TARGET_HELP)]
Stage: TypeAlias = Annotated[str | None, typer.Option("--stage", help=STAGE_HELP)]
Write: TypeAlias = Annotated[bool, typer.Option("--write", help="Do it. Without this, it is only counted.")]
TakeOver: TypeAlias = Annotated[
    bool, typer.Option("--take-over", help="Go on at once where another process was killed and still holds the lock.")
]
Name: TypeAlias = Annotated[str | None, typer.Option("--name", help="Which migration: its name, or its number.")]


def folder_of(model: str) -> Path:
    """Where the migrations of a model are: in a folder beside its file."""
    from tablewright.evolve.migrations.files import FOLDER

    where = model if Path(model).exists() else model.partition(":")[0]
    path = Path(where)
    if path.is_dir():
        return path / FOLDER
    if path.suffix == ".py":
        return path.parent / FOLDER
    file = importlib.import_module(where).__file__
    assert file is not None
    return Path(file).parent / FOLDER


MaxRead: TypeAlias = Annotated[
    float | None, typer.Option("--max-read-units", help="Read units a second, at most.", min=0.1)
]
MaxWrite: TypeAlias = Annotated[
    float | None, typer.Option("--max-write-units", help="Write units a second, at most.", min=0.1)
]
Segments: TypeAlias = Annotated[
    int | None,
    typer.Option("--segments", help="Parts of the table that are read side by side: 8 unless told.", min=1, max=64),
]
Dask: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--dask", help="The scheduler of a Dask cluster, tcp://HOST:PORT, whose workers can import the model's module."
    ),
]


LeftFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--left-items",
        help="Write the keys of the items that are left, and why, to this file, as JSON lines.",
        dir_okay=False,
    ),
]


class Working(Struct, frozen=True):
    """How work on items is done: the options of all commands that do any."""

    max_read_units: MaxRead = None
    max_write_units: MaxWrite = None
    segments: Segments = None
    dask: Dask = None
    stage: Stage = None
    table_name: TableName = None
    take_over: TakeOver = False
    left_items: LeftFile = None


def working(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command these options, in the place of its last parameter, which gets them all."""
    *own, last = inspect.signature(command, eval_str=True).parameters.values()
    hints = get_type_hints(Working, include_extras=True)
    named = inspect.Parameter.KEYWORD_ONLY
    shared = [
        inspect.Parameter(one.name, named, default=one.default, annotation=hints[one.name]) for one in fields(Working)
    ]

    @wraps(command)
    def called(**given: Any) -> None:
        how = Working(**{one.name: given.pop(one.name) for one in shared})
        command(**given, **{last.name: how})

    parameters = [*(one.replace(kind=named) for one in own), *shared]
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {one.name: one.annotation for one in parameters}
    return called


@contextmanager
def migrating(model: str, target: str, how: Working) -> Iterator[tuple[Migrator, Table, LeftItems | None]]:
    """The migrations of a model on a table, and the file for what is left."""
    from tablewright.cli.models import load_model
    from tablewright.cli.opening import opened
    from tablewright.evolve.migrations.elsewhere import Cluster
    from tablewright.evolve.migrations.files import read_files
    from tablewright.evolve.migrations.leaving import LeftItems
    from tablewright.evolve.migrations.migrator import Migrator

    table = load_model(model).table
    files = read_files(folder_of(model))
    left = None if how.left_items is None else LeftItems(how.left_items)
    with opened(table, target, how.stage, how.table_name, create=False) as db, sigterm_as_ctrl_c():
        progress = _tell if sys.stderr.isatty() else None
        job: JobOptions = {}
        if how.max_read_units is not None:
            job["max_read_units"] = how.max_read_units
        if how.max_write_units is not None:
            job["max_write_units"] = how.max_write_units
        if how.segments is not None:
            job["segments"] = how.segments
        cluster = None if how.dask is None else Cluster(how.dask, target, _importable(model, table))
        try:
            yield (
                Migrator(
                    db,
                    table,
                    files,
                    progress=progress,
                    take_over=how.take_over,
                    job=job,
                    cluster=cluster,
                    left=left,
                ),
                table,
                left,
            )
        except KeyboardInterrupt as stopped:
            print(f"\n{stopped or 'Stopped.'}", file=sys.stderr)
            raise typer.Exit(130) from None
        finally:
            if left is not None:
                left.close()
            if progress is not None:
                print("\r\033[K", end="", file=sys.stderr)


def carry_out(
    model: str, target: str, how: Working, done: Callable[[Migrator], Sequence[Told]], *, write: bool
) -> None:
    """Does something with the migrations of a model, and shows what came of it; ends with 1 if items had to be left."""
    with migrating(model, target, how) as (migrator, table, file):
        told = done(migrator)
        for remark in migrator.remarks:
            print(remark)
        show(told, table, write=write, by="--write")
        show_left(_skipped(told), file)
    if _skipped(told):
        raise typer.Exit(1)


def _importable(model: str, table: Table) -> str:
    """How workers import the model."""
    from tablewright.cli.models import read_module
    from tablewright.table import Table

    module, name = read_module(model)
    known = (n for n, value in vars(module).items() if isinstance(value, Table) and value.name == table.name)
    return f"{module.__name__}:{name or next(known)}"


def _tell(name: str, progress: Progress | None) -> None:
    """How far a part is."""
    print(f"\r\033[K{name}{'' if progress is None else f': {progress}'}", end="", file=sys.stderr, flush=True)


def show(
    told: Sequence[Told], table: Table, *, write: bool, by: str = "`tablewright migrate run --write`", of: str = ""
) -> None:
    """What was done, or would be, and what it costs; `by` does it. Where nothing is to do, `of` says for what."""
    from tablewright.cost.prices import deployed_rates, load_prices, on_demand
    from tablewright.evolve.migrations.ways_out import way_out

    shown, ways = "", set[str]()
    for one in told:
        if one.migration != shown:
            shown = one.migration
            print(shown)
        print(f"  {one.part}{one.also and f', {one.also}'}: {_outcome(one.outcome, write=write)}")
        for reason, count in sorted(one.outcome.skipped.items()):
            print(f"    left as {'it is' if count == 1 else 'they are'}, {counted(count, 'item')}: {reason}")
            way = way_out(one, reason)
            if way is not None and way not in ways:
                ways.add(way)
                print(f"      {way}")
    written, left = sum(one.outcome.written for one in told), _skipped(told)
    if not written:
        nothing = "Nothing was done" if write and left else f"Nothing to do{of}"
        together = ", in all parts together" if sum(bool(one.outcome.skipped) for one in told) > 1 else ""
        print(f"{nothing}; {_left(left)}{together}." if left else f"{nothing}.")
    elif not write:
        writes, reads = (sum(getattr(one.outcome, n) for one in told) for n in ("units", "read_units"))
        prices = load_prices()
        bill = on_demand(deployed_rates(prices, table.deployment), reads=reads, writes=writes, stored=0)
        units = f"{counted(round(writes), 'write unit')} and {counted(round(reads, 1), 'read unit')}"
        print(f"About {units}: {bill.total:.4f} {prices.currency} on demand.")
        print(f"Nothing was written. {by} does it.")


def show_left(left: int, file: LeftItems | None) -> None:
    """Where the items can be found that were left."""
    if file is None and left:
        print(f"--left-items FILE writes {'its key' if left == 1 else 'their keys'} to a file.")
    elif file is not None and file.lines < left:
        print(
            f"The file has {counted(file.lines, 'item')} of {left:,}: the others were left by a run that was stopped and wrote none. "
            "Give the same command again, and it has all that are left."
        )


def _skipped(told: Sequence[Told]) -> int:
    return sum(sum(one.outcome.skipped.values()) for one in told)


def _left(count: int) -> str:
    return f"{counted(count, 'item')} left as {'it is' if count == 1 else 'they are'}"


def _outcome(outcome: Outcome, *, write: bool) -> str:
    if not outcome.looked:
        done = "done" if write else "to do"
        return done if outcome.written else "nothing to do"
    counts = f"{outcome.written:,} of {counted(outcome.looked, 'item')} {'written' if write else 'to write'}"
    if outcome.provisional:
        counts = f"{counts}, as the table is now; what is above may change that"
    if outcome.moves and outcome.written:
        counts = f"{counts}; whether other items lie where they go shows when they are written"
        counts += "" if outcome.compared else ", and whether some of them go to one key"
    return counts
