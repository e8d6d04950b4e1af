"""How the commands find a model, its migrations and its table, and how they show what was done."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from tablewright.cli.models import MODEL_HELP
from tablewright.cli.opening import STAGE_HELP, TARGET_HELP
from tablewright.wording import counted

if TYPE_CHECKING:
    from tablewright.evolve.jobs import JobOptions, Progress
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


@contextmanager
def migrating(
    model: str,
    target: str,
    stage: str | None,
    *,
    take_over: bool = False,
    max_read_units: float | None = None,
    max_write_units: float | None = None,
    segments: int | None = None,
    dask: str | None = None,
) -> Iterator[tuple[Migrator, Table]]:
    """The migrations of a model on a table, within so many units a second."""
    from tablewright.cli.models import load_model
    from tablewright.cli.opening import opened
    from tablewright.evolve.migrations.elsewhere import Cluster
    from tablewright.evolve.migrations.files import read_files
    from tablewright.evolve.migrations.migrator import Migrator

    table = load_model(model).table
    files = read_files(folder_of(model))
    with opened(table, target, stage, create=False) as db:
        progress = _tell if sys.stderr.isatty() else None
        job: JobOptions = {}
        if max_read_units is not None:
            job["max_read_units"] = max_read_units
        if max_write_units is not None:
            job["max_write_units"] = max_write_units
        if segments is not None:
            job["segments"] = segments
        cluster = None if dask is None else Cluster(dask, target, _importable(model, table))
        try:
            yield (
                Migrator(db, table, files, progress=progress, take_over=take_over, job=job, cluster=cluster),
                table,
            )
        finally:
            if progress is not None:
                print("\r\033[K", end="", file=sys.stderr)


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


def show(told: Sequence[Told], table: Table, *, write: bool) -> None:
    """What was done, or would be, and what it costs."""
    from tablewright.cost.prices import deployed_rates, load_prices, on_demand

    shown = ""
    for one in told:
        if one.migration != shown:
            shown = one.migration
            print(shown)
        print(f"  {one.part}: {_outcome(one.outcome, write=write)}")
        for reason, count in sorted(one.outcome.skipped.items()):
            print(f"    left as it is, {counted(count, 'item')}: {reason}")
    written = sum(one.outcome.written for one in told)
    left = sum(sum(one.outcome.skipped.values()) for one in told)
    if not written:
        print("Nothing to do." if not left else f"Nothing was done; {counted(left, 'item')} left as they are.")
    elif not write:
        writes, reads = (sum(getattr(one.outcome, n) for one in told) for n in ("units", "read_units"))
        prices = load_prices()
        bill = on_demand(deployed_rates(prices, table.deployment), reads=reads, writes=writes, stored=0)
        print(
            f"About {writes:,.0f} write units and {reads:,.1f} read units: {bill.total:.4f} {prices.currency} on demand."
        )
        print("Nothing was written. --write does it.")


def _outcome(outcome: Outcome, *, write: bool) -> str:
    if not outcome.looked:
        done = "done" if write else "to do"
        return done if outcome.written else "nothing to do"
    return f"{outcome.written:,} of {counted(outcome.looked, 'item')} {'written' if write else 'to write'}"
