"""Parts of steps on a Dask cluster: each worker makes the part again, of the model and the file that it can import."""

from __future__ import annotations

import importlib
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from tablewright.errors import ArgumentError
from tablewright.evolve.jobs.checkpoints import Checkpoints
from tablewright.evolve.jobs.dask import DaskOptions, Recipe, run_on_dask
from tablewright.evolve.jobs.job import JobOptions
from tablewright.evolve.jobs.work import Decision, Work, WorkBeside
from tablewright.evolve.migrations.files import FOLDER, later_steps, read_files
from tablewright.evolve.migrations.ground import Ground
from tablewright.evolve.migrations.history import LEASE, History
from tablewright.evolve.migrations.indexes import DropOne, MakeOne
from tablewright.evolve.migrations.keeping import InHistory
from tablewright.evolve.migrations.outcome import Outcome, outcome_of
from tablewright.table import Table
from tablewright.values.types import Item


class Cluster(Struct, frozen=True):
    """Where parts are carried out instead of in this process."""

    address: str
    """Of the scheduler."""
    target: str
    """The table, as every worker can open it."""
    model: str
    """As every worker can import it: "package.module:variable". The migrations are in a folder beside that module."""


class Place(Struct, frozen=True):
    """Which part it is, in words that can be sent."""

    migration: str
    digest: str
    stage: str
    step: int
    part: int
    live: Mapping[str, Any]
    """What the table says of itself."""
    owner: str
    """Of the lock: who has it keeps how far the part is, on each worker."""
    mark: str
    segments: int


class Spread:
    """A part whose checkpoints are kept in the history, wherever it runs."""

    def __init__(self, part: Work, kept: Checkpoints) -> None:
        self._part = part
        self._kept = kept
        self.name = part.name
        self.identity = part.identity
        self.table = part.table
        self.reads = part.reads
        self.writes_to = (part.table,)

    def look(self, item: Item) -> Decision:
        """What the part says."""
        return self._part.look(item)

    def beside(self, item: Item) -> Sequence[tuple[str, Item]]:
        """What the part wants to know beside an item."""
        return self._part.beside(item) if isinstance(self._part, WorkBeside) else ()

    def compare(self, item: Item, found: Sequence[Item | None]) -> Decision:
        """What the part says."""
        return self._part.compare(item, found) if isinstance(self._part, WorkBeside) else self._part.look(item)

    def checkpoints(self, lease: float) -> Checkpoints:
        """In the history, under the lock of the migration."""
        return self._kept


def part_of(model: str, table: str, place: Place) -> Work:
    """A part for another process."""
    name, _, variable = model.partition(":")
    module = importlib.import_module(name)
    found = getattr(module, variable, None)
    if not isinstance(found, Table) or module.__file__ is None:
        raise ArgumentError(f"{model} is no table of a model.", hint="Every worker needs the same files.")
    files = {file.name: file for file in read_files(Path(module.__file__).parent / FOLDER)}
    file = files.get(place.migration)
    if file is None or file.digest != place.digest:
        raise ArgumentError(
            f"The migration {place.migration} beside {name} is not the one that is carried out.",
            hint="Every worker needs the same files.",
        )
    ground = Ground(found, table, place.live, later=later_steps(file.name, tuple(files.values())))
    part = file.migration.stage(place.stage, ground)[place.step][1][place.part]
    assert not isinstance(part, MakeOne | DropOne)
    history = History(found, table, place.owner, time.time, str)
    return Spread(part, InHistory(history, place.part, place.mark, place.segments))


def carry_out_on(cluster: Cluster, table: str, place: Place, job: JobOptions, *, anew: bool) -> Outcome:
    """Carries out a part on a cluster: from where it was left, or `anew`."""
    recipe = Recipe(f"{__name__}:{part_of.__name__}", {"model": cluster.model, "table": table, "place": place})
    sent: dict[str, Any] = {name: value for name, value in job.items() if name in DaskOptions.__annotations__}
    options: Any = {**sent, "write": True, "restart": anew, "lease": LEASE}
    return outcome_of(run_on_dask(recipe, cluster.target, cluster.address, left=job.get("left"), **options))
