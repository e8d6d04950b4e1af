"""A stage of a migration, part by part: carried out and noted in the history, or counted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

from msgspec.structs import replace

from tablewright.client.calls import Steps
from tablewright.client.session import Session
from tablewright.compiler.wirecodec import format_datetime
from tablewright.errors import ArgumentError
from tablewright.evolve.jobs.counting import Progress
from tablewright.evolve.jobs.dask import check_target
from tablewright.evolve.jobs.in_table import USUAL_SEGMENTS
from tablewright.evolve.jobs.job import JobOptions, settings_of
from tablewright.evolve.migrations.carrying import Tell, carry_out, count_out, stored, told_of
from tablewright.evolve.migrations.elsewhere import Cluster, Place, carry_out_on
from tablewright.evolve.migrations.files import MigrationFile, later_steps
from tablewright.evolve.migrations.foreseeing import Foresight
from tablewright.evolve.migrations.ground import Ground
from tablewright.evolve.migrations.history import Entry, History, Ledger, State
from tablewright.evolve.migrations.indexes import DropOne, MakeOne, settled
from tablewright.evolve.migrations.keeping import MAX_SEGMENTS, InHistory
from tablewright.evolve.migrations.leaving import LeftItems
from tablewright.evolve.migrations.outcome import Told
from tablewright.evolve.migrations.step import Part, Step
from tablewright.evolve.migrations.steps.change_key import ChangeKey
from tablewright.evolve.migrations.works.guarding import identity
from tablewright.evolve.migrations.works.reading import ReadByModel
from tablewright.table import Table

T = TypeVar("T")

_WORDS = {"run": "running", "retire": "retiring", "undo": "rolling back"}
_PAIRED: Collection[State] = ("running", "ran", "cut over")
_ASIDE = 1000
"""Numbers of parts that are of no step of the migration, so that they push none of those aside."""
_PAGE = 1 << 20
"""Bytes of a page of a Scan."""
_RENEWED = 15.0
"""Seconds after which a lock is renewed."""


class Stages:
    """What is done on one table, by whoever holds its lock."""

    def __init__(
        self,
        session: Session,
        model: Table,
        files: Sequence[MigrationFile],
        *,
        progress: Tell | None,
        take_over: bool,
        job: JobOptions | None,
        cluster: Cluster | None,
        left: LeftItems | None,
    ) -> None:
        if cluster is not None:
            check_target(cluster.target)
        options = session._context.options
        self._session = session
        self._model = model
        self._table = session.table_name
        self._files = files
        self._progress = progress
        self._job = _checked(job or {})
        self._cluster = cluster
        self._left = left
        self._owner = options.token()
        self._take_over = take_over
        self._clock: Callable[[], float] = lambda: options.clock().timestamp()
        self._renewed = 0.0
        self._unaware = 0.0
        self._history = History(model, self._table, self._owner, self._clock, lambda: format_datetime(options.clock()))

    # ------------------------------------------------------------------------------------------------- the history

    def read(self) -> Ledger:
        """What was done, and who is at work."""
        return self.drive(self._history.read())

    def held(self, ledger: Ledger) -> bool:
        """Whether somebody is at work now."""
        return ledger.held(self._clock())

    @contextmanager
    def locked(self) -> Iterator[Ledger]:
        """Nobody else is at work on the table until the end; what was done, as of now."""
        self._unaware = self.drive(self._history.lock(take_over=self._take_over))
        self._renewed = self._clock()
        try:
            yield self.read()
        finally:
            self.drive(self._history.unlock())

    def note(self, file: MigrationFile, before: Entry | None, after: Entry) -> Entry:
        """Writes what a migration is in now."""
        noted = self.drive(self._history.note(file.name, before, after))
        assert noted is not None
        return noted

    def forget(self, file: MigrationFile, before: Entry) -> None:
        """Nothing of it is done any more."""
        self.drive(self._history.note(file.name, before, None))

    def let_stop(self) -> None:
        """Whoever the lock was taken from may live, and write until it sees that: harmless where the same is gone on with, but not
        where that is undone or ended."""
        if self._unaware:
            if self._progress is not None:
                self._progress("wait until the other process has stopped", None)
            self._session._driver.sleep(self._unaware)

    def drive(self, steps: Steps[T]) -> T:
        """Requests with items as they are stored."""
        return stored(self._session, steps)

    def ground(self) -> Ground:
        """What steps stand on: the model, and the table as it is now."""
        return Ground(self._model, self._table, self.drive(settled(self._table)))

    # ------------------------------------------------------------------------------------------------- carried out

    def begin(self, ledger: Ledger | None = None, what: str = "", *files: MigrationFile) -> None:
        """Begins the file of what is left: anew, unless work is gone on with that was stopped."""
        if self._left is None:
            return
        found = {} if ledger is None else ledger.entries
        begun = ledger is not None and ledger.begun
        stopped = [
            file.name
            for file in files
            if (entry := found.get(file.name)) is not None
            and (entry.state, entry.digest) == (_WORDS[what], file.digest)
            and (entry.done or begun)
        ]
        self._left.begin(stopped[0] if stopped else None)

    def carry_out(self, file: MigrationFile, entry: Entry, what: str) -> tuple[list[Told], Entry]:
        """All steps of a stage that are not finished. Each is noted where the migration is in the state that the stage is."""
        going_on = entry.state == _WORDS[what]
        found: list[Told] = list(entry.left) if going_on else []
        count = len(file.migration.steps)
        for number in range(entry.done, count):
            ground = self.ground()
            step, parts = file.migration.stage(what, self._with_later(file, ground))[number]
            # What a part before it has written may lie where it has already been; and who looks through what has run looks at all.
            anew = not going_on
            for place, part in enumerate(parts):
                mark = identity(file.name, file.digest, what, entry.at, number, place, part.name)
                segments = _segments(ground)
                job = self._job_of(file, part.name)
                if self._cluster is None or isinstance(part, MakeOne | DropOne):
                    kept = InHistory(self._history, place, mark, segments)
                    outcome = carry_out(part, self._session, job, self._tell, kept, anew=anew)
                else:
                    where = Place(file.name, file.digest, what, number, place, ground.live, self._owner, mark, segments)
                    outcome = carry_out_on(self._cluster, self._table, where, job, anew=anew)
                anew = anew or outcome.written > 0
                found.append(told_of(file.name, step, part, outcome))
            if going_on:
                left = tuple(one for one in found if one.outcome.skipped)
                entry = self.note(file, entry, replace(entry, done=number + 1, left=left))
        return found, entry

    def pairs(
        self, file: MigrationFile, entries: Mapping[str, Entry], ground: Ground
    ) -> list[tuple[MigrationFile, Step, Part]]:
        """What makes pairs alike that other migrations hold, before this one ends and behind it: what it changes in one of a pair
        would look as if an application had."""
        held = [f for f in self._files if f is not file and f.name in entries and entries[f.name].state in _PAIRED]
        entities = file.migration.entities
        return [(other, step, part) for other in held for step, part in other.migration.pairs(entities, ground)]

    def beside(self, entries: Mapping[str, Entry], ground: Ground) -> list[tuple[MigrationFile, Step, Part]]:
        """What is to be done when all migrations were looked through: one has changed items that another one has given two keys, or
        one has ended what had two keys, and another one has not seen what became of it; or one has brought back what an earlier one
        is to bring further back."""
        held = [f for f in self._files if f.name in entries and entries[f.name].state in _PAIRED]
        crossing = {
            name
            for one in held
            for name in one.migration.paired
            if any(name in other.migration.entities for other in held if other is not one)
        }
        pairs = [(f, step, part) for f in held for step, part in f.migration.pairs(crossing, ground)]
        again = [
            *((file, frozenset(crossing)) for file in held),
            *(
                (f, f.migration.taken_further(one.migration for one in held if one.name > f.name))
                for f in reversed(held)
            ),
        ]
        seen = [
            (file, *one)
            for file, entities in again
            if entities
            for one in file.migration.beside_pairs(entities, self._with_later(file, ground))
        ]
        return [*pairs, *seen]

    def make_alike(self, pairs: Sequence[tuple[MigrationFile, Step, Part]], ground: Ground) -> list[Told]:
        """Carries those out."""
        found: list[Told] = []
        for place, (other, step, part) in enumerate(pairs, _ASIDE):
            kept = InHistory(self._history, place, identity("pairs", other.name, part.name, place), _segments(ground))
            job = self._job_of(other, part.name)
            outcome = carry_out(part, self._session, job, self._tell, kept, anew=True)
            found.append(told_of(other.name, step, part, outcome))
        return found

    def _with_later(self, file: MigrationFile, ground: Ground) -> Ground:
        """The ground of one migration."""
        return replace(ground, later=later_steps(file.name, self._files))

    # ------------------------------------------------------------------------------------------------- counted

    def foreseen(self, file: MigrationFile, what: str, entries: Mapping[str, Entry]) -> tuple[Told, ...]:
        """What an end would do, counted."""
        foresight, ground = Foresight(), self.ground()
        found = self.foreseen_alike(self.pairs(file, entries, ground), ground, foresight)
        return (*found, *self.counted([file], what, foresight))

    def foreseen_alike(
        self,
        pairs: Sequence[tuple[MigrationFile, Step, Part]],
        ground: Ground,
        foresight: Foresight,
        *,
        kept: bool = True,
    ) -> tuple[Told, ...]:
        """What make_alike() would do, counted."""
        return tuple(
            self._foreseen(other, step, part, ground, self._job_of(other, part.name) if kept else self._job, foresight)
            for other, step, part in pairs
        )

    def counted(
        self,
        files: Sequence[MigrationFile],
        what: str,
        foresight: Foresight | None = None,
        *,
        to_do: bool = False,
        kept: bool = True,
    ) -> tuple[Told, ...]:
        """`to_do`: what would be written is left too, and what lies where items should go is looked at. `kept`: whether the keys of what is left are wanted."""
        found: list[Told] = []
        foresight = Foresight() if foresight is None else foresight
        for file in files:
            ground = self.ground()
            for step, parts in file.migration.stage(what, self._with_later(file, ground)):
                for part in parts:
                    job = self._job_of(file, part.name, to_do=to_do) if kept else self._job
                    found.append(self._foreseen(file, step, part, ground, job, foresight, looking=to_do))
        return tuple(found)

    def unreadable(
        self, files: Sequence[MigrationFile], waiting: Sequence[MigrationFile], foresight: Foresight
    ) -> list[Told]:
        """Items of what these are about that the model could not read or find when all was carried out that was counted; none of
        what others are about that are `waiting` to be run. Nothing where there are none."""
        ground, found = self.ground(), list[Told]()
        later = frozenset[str]().union(*(file.migration.entities for file in waiting))
        moved = frozenset(s.entity for f in self._files for s in f.migration.steps if isinstance(s, ChangeKey))
        about = {name: file for file in reversed(files) for name in sorted(file.migration.entities - later)}
        for name, file in about.items():
            if name in ground.entities:
                part = ReadByModel(ground.entity(name), self._table, name in moved)
                job: JobOptions = {"segments": _segments(ground), **self._job_of(file, part.name)}
                outcome = count_out(part, self._session, job, self._progress or _silent, foresight)
                found += [Told(file.name, "", part.name, outcome)] if outcome.skipped else []
        return found

    def _foreseen(
        self,
        file: MigrationFile,
        step: Step,
        part: Part,
        ground: Ground,
        options: JobOptions,
        foresight: Foresight,
        *,
        looking: bool = False,
    ) -> Told:
        job: JobOptions = {"segments": _segments(ground), **options}
        outcome = count_out(part, self._session, job, self._progress or _silent, foresight, looking=looking)
        return told_of(file.name, step, part, outcome)

    def _job_of(self, file: MigrationFile, part: str, *, to_do: bool = False) -> JobOptions:
        return self._job if self._left is None else {**self._job, "left": self._left.of(file.name, part, to_do=to_do)}

    def _tell(self, name: str, progress: Progress | None) -> None:
        if progress is None and self._clock() - self._renewed > _RENEWED:  # a job does so itself
            self._renewed = self._clock()
            self.drive(self._history.renew())
        if self._progress is not None:
            self._progress(name, progress)


def _segments(ground: Ground) -> int:
    """Into how many a table is divided where nobody says: what fits into a page is read at once. Of one that says that it is empty
    nothing is known, since a table says so until it has counted."""
    return 1 if 0 < ground.live.get("TableSizeBytes", 0) <= _PAGE else USUAL_SEGMENTS


def _silent(name: str, progress: Progress | None) -> None:
    """Nobody is told."""


def _checked(job: JobOptions) -> JobOptions:
    if (settings_of(job).segments or 0) > MAX_SEGMENTS:
        raise ArgumentError(
            f"A migration reads {MAX_SEGMENTS} segments side by side at most.", constraint=f"1 to {MAX_SEGMENTS}"
        )
    return job
