"""Migrations on a table: what was done of each, and the way from one state to the next.

    nothing --run--> running --> ran --cutover--> cut over --retire--> retiring --> retired
                        └──────────┴─────────────────┴────rollback────────┴───────────┘

Each state is noted before its work begins and after it has ended. Work that was interrupted is found by its state, and done
again from the step that was not finished; nothing that was done is done twice. What finished steps have left is noted with them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

from msgspec import Struct
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
from tablewright.evolve.migrations.digesting import Digest, digests
from tablewright.evolve.migrations.elsewhere import Cluster, Place, carry_out_on
from tablewright.evolve.migrations.files import MigrationFile
from tablewright.evolve.migrations.foreseeing import Foresight
from tablewright.evolve.migrations.ground import Ground
from tablewright.evolve.migrations.history import Entry, History, Ledger, State
from tablewright.evolve.migrations.indexes import DropOne, MakeOne, settled
from tablewright.evolve.migrations.keeping import MAX_SEGMENTS, InHistory
from tablewright.evolve.migrations.leaving import LeftItems
from tablewright.evolve.migrations.outcome import Told
from tablewright.evolve.migrations.refusing import (
    SAID,
    refuse_changed,
    refuse_early,
    refuse_gone,
    refuse_lost,
    refuse_questions,
    refuse_unfit,
)
from tablewright.evolve.migrations.step import Part, Step
from tablewright.evolve.migrations.works.guarding import identity
from tablewright.table import Table
from tablewright.wording import counted

_PAIRED: Collection[State] = ("running", "ran", "cut over")
_ASIDE = 1000
"""Numbers of parts that are of no step of the migration, so that they push none of those aside."""

__all__ = ["Migrator", "Standing", "Told"]

T = TypeVar("T")

_WORDS = {"run": "running", "retire": "retiring", "undo": "rolling back"}


class Standing(Struct, frozen=True):
    """What a migration is in."""

    name: str
    state: State | None
    """None where nothing was done of it."""
    at: str
    changed: bool
    """Whether its file is another one than was carried out."""
    questions: int
    """How many are unanswered."""
    missing: bool = False
    """Whether its file is gone."""


class Migrator:
    """The migrations of a model on one table."""

    def __init__(
        self,
        session: Session,
        model: Table,
        files: Sequence[MigrationFile],
        *,
        progress: Tell | None = None,
        take_over: bool = False,
        job: JobOptions | None = None,
        cluster: Cluster | None = None,
        left: LeftItems | None = None,
        fitting: bool = True,
    ) -> None:
        """`take_over`: take the lock from another process, which is known to have ended. `job`: how work on items is run; on a
        `cluster`, where one is given and something is written. `left`: a file for the items that are left. Steps that are not
        `fitting`, since they name what the model does not have or still needs, are refused, unless somebody says False."""
        if cluster is not None:
            check_target(cluster.target)
        options = session._context.options
        self._session = session
        self._model = model
        self._table = session.table_name
        self._files = tuple(files)
        self._known = self._files if fitting else None
        self._progress = progress
        self._job = _checked(job or {})
        self._cluster = cluster
        self._left = left
        self._owner = options.token()
        self._take_over = take_over
        self._clock: Callable[[], float] = lambda: options.clock().timestamp()
        self._renewed = 0.0
        self._unaware = 0.0
        self.remarks: list[str] = []
        """What whoever asked should know beside the counts."""
        self._history = History(model, self._table, self._owner, self._clock, lambda: format_datetime(options.clock()))

    # --------------------------------------------------------------------------------------------- what there is

    def status(self) -> tuple[Standing, ...]:
        """Every migration, in their order; those first whose file is gone."""
        entries = self._drive(self._history.read()).entries
        names = {file.name for file in self._files}
        gone = [Standing(n, e.state, e.at, False, 0, missing=True) for n, e in entries.items() if n not in names]
        return (*gone, *(self._standing(file, entries.get(file.name)) for file in self._files))

    def plan(self) -> tuple[Told, ...]:
        """What `run` would do, counted."""
        return self.run(write=False)

    def verify(self) -> tuple[Told, ...]:
        """What is not yet as those migrations say that have been run, and not been retired; of those that are being retired or
        rolled back, what that has still to do."""
        refuse_gone(self._files, self._drive(self._history.read()).entries)
        open_ = self._open()
        self._begin()
        stages: dict[State, str] = {"retiring": "retire", "rolling back": "undo"}
        foresight, found = Foresight(), list[Told]()
        for file, entry in open_:
            found += self._counted([file], stages.get(entry.state, "run"), foresight, to_do=True)
        return tuple(found)

    def unfinished(self) -> tuple[tuple[Standing, str], ...]:
        """Migrations whose way from one state to the next has not ended, with the command that goes on with it."""
        verbs = {"running": "run", "retiring": "retire", "rolling back": "rollback"}
        return tuple((one, verbs[one.state]) for one in self.status() if one.state in verbs)

    def waiting(self) -> tuple[str, ...]:
        """Migrations that were not run yet, or were rolled back."""
        return tuple(one.name for one in self.status() if one.state is None)

    def digests(self) -> dict[str, Digest]:
        """What the table holds of each entity of the model, to be compared with what it should hold."""
        ground = self._ground()
        steps = tuple(step for file, _ in self._open() for step in file.migration.steps)
        return self._drive(digests(replace(ground, steps=steps).known(), self._table))

    def _open(self) -> list[tuple[MigrationFile, Entry]]:
        """The migrations that have begun, and are not retired."""
        entries = self._drive(self._history.read()).entries
        known = ((file, entries.get(file.name)) for file in self._files)
        return [(file, entry) for file, entry in known if entry is not None and entry.state != "retired"]

    # --------------------------------------------------------------------------------------------- what can be done

    def run(self, *, write: bool, to: str | None = None) -> tuple[Told, ...]:
        """Carries out all migrations that are not retired, up to one of them. Those that ran are looked through again, for
        what code of either model has written since."""
        wanted = self._up_to(to)
        ledger = self._drive(self._history.read())
        refuse_gone(self._files, ledger.entries)
        todo = self._unfinished(wanted, ledger)
        for file in todo:
            refuse_questions(file)
        if not write:
            refuse_unfit("run", todo, self._ground(), ledger.entries, known=self._known)
            self._begin()
            return self._counted(todo, "run")
        with self._locked() as ledger:  # what others did before the lock was taken counts too
            todo = self._unfinished(wanted, ledger)
            refuse_unfit("run", todo, self._ground(), ledger.entries, known=self._known)
            self._begin(ledger, "run", *todo)
            return tuple(told for file in todo for told in self._run(file, ledger.entries.get(file.name)))

    def cutover(self, name: str | None = None) -> str:
        """Notes that readers may use what a migration has brought about; its name. What is not verified is refused."""
        file = self._chosen(name, "ran")
        left = sum(told.outcome.left for told in self._counted([file], "run", kept=False))
        if left:
            raise ArgumentError(
                f"{file.name} is not finished: {counted(left, 'item or index', 'items or indexes')} not as it says.",
                hint="`tablewright migrate verify --left-items FILE` tells which; run it again, and settle what is skipped.",
            )
        with self._locked() as ledger:
            entry = self._expected(file, ledger, "ran")
            self._note(file, entry, replace(entry, state="cut over", done=0, left=()))
        return file.name

    def retire(self, name: str | None = None, *, write: bool) -> tuple[Told, ...]:
        """Removes what a migration has left behind. Only what is cut over is retired. Where items are left, it is not over: what
        is in their way is settled, and it is retired again."""
        file = self._chosen(name, "cut over", "retiring")
        entries = self._drive(self._history.read()).entries
        refuse_early(file, self._files, entries)
        if not write:
            self._begin()
            return self._foreseen(file, "retire", entries)
        with self._locked() as ledger:
            entry = self._expected(file, ledger, "cut over", "retiring")
            refuse_early(file, self._files, ledger.entries)
            told, entry = self._end(file, entry, replace(entry, state="retiring", retired=True), "retire", ledger)
            left = any(one.outcome.skipped for one in told)
            self._note(file, entry, replace(entry, state="retiring" if left else "retired", done=0, left=()))
            return tuple(told)

    def rollback(self, name: str | None = None, *, write: bool) -> tuple[Told, ...]:
        """Undoes the last migration that was run. Where items are left, it is not over, as with retire()."""
        entries = self._drive(self._history.read()).entries
        begun = [file for file in self._files if file.name in entries]
        if not entries:
            raise ArgumentError("No migration was run on this table.", hint="There is nothing to undo.")
        last = max(entries)
        if not begun or last > begun[-1].name:
            raise ArgumentError(
                f"{last} is the last migration that was run, and its file is gone.",
                hint="Bring the file back, and undo it first.",
            )
        file = begun[-1]
        if name is not None and self._named(name) is not file:
            raise ArgumentError(
                f"{name} is not the last migration that was run; {file.name} is.", hint=f"Undo {file.name} first."
            )
        refuse_changed(file, entries[file.name])
        refuse_lost(file, entries[file.name])
        if not write:
            self._begin()
            return self._foreseen(file, "undo", entries)
        with self._locked() as ledger:
            entry = self._expected(file, ledger)
            refuse_lost(file, entry)
            told, entry = self._end(file, entry, replace(entry, state="rolling back"), "undo", ledger)
            left = any(one.outcome.skipped for one in told)
            self._drive(self._history.note(file.name, entry, replace(entry, done=0, left=()) if left else None))
            return tuple(told)

    # --------------------------------------------------------------------------------------------- how it is done

    def _run(self, file: MigrationFile, entry: Entry | None) -> list[Told]:
        if entry is None or entry.digest != file.digest:  # new, or edited since: all of it is looked through
            entry = self._note(file, entry, Entry("running", file.digest, outline=file.migration.outline))
        told, entry = self._stage(file, entry, "run")
        if entry.state == "running":
            self._note(file, entry, replace(entry, state="ran", done=0, left=()))
        return told

    def _end(
        self, file: MigrationFile, entry: Entry, wanted: Entry, what: str, ledger: Ledger
    ) -> tuple[list[Told], Entry]:
        """Goes into a state that ends a migration, at its first step; or on in it, unless the file was mended meanwhile. All that
        can be refused is refused before."""
        ground = self._ground()
        refuse_unfit(what, [file], ground, known=self._known)
        pairs = self._pairs(file, ledger.entries, ground)
        self._begin(ledger, what, file)
        if (entry.state, entry.digest) != (wanted.state, file.digest):
            if entry.digest != file.digest:
                self.remarks.append(f"{file.name} was changed since: all its steps are gone through from the first.")
            entry = self._note(file, entry, replace(wanted, digest=file.digest, done=0, left=()))
            self._let_stop()
        alike = self._made_alike(pairs, ground)
        told, entry = self._stage(file, entry, what)
        return [*alike, *told], entry

    def _let_stop(self) -> None:
        """Whoever the lock was taken from may live, and write until it sees that: harmless where the same is gone on with, but not
        where that is undone or ended."""
        if self._unaware:
            if self._progress is not None:
                self._progress("wait until the other process has stopped", None)
            self._session._driver.sleep(self._unaware)

    def _stage(self, file: MigrationFile, entry: Entry, what: str) -> tuple[list[Told], Entry]:
        going_on = entry.state == _WORDS[what]
        found: list[Told] = list(entry.left) if going_on else []
        count = len(file.migration.steps)
        for number in range(entry.done, count):
            ground = self._ground()
            step, parts = file.migration.stage(what, ground)[number]
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
                entry = self._note(file, entry, replace(entry, done=number + 1, left=left))
        return found, entry

    def _pairs(
        self, file: MigrationFile, entries: Mapping[str, Entry], ground: Ground
    ) -> list[tuple[MigrationFile, Step, Part]]:
        """What makes pairs alike that other migrations hold, before this one ends: what it changes in one of a pair would look as
        if an application had."""
        held = [f for f in self._files if f is not file and f.name in entries and entries[f.name].state in _PAIRED]
        entities = file.migration.entities
        return [(other, step, part) for other in held for step, part in other.migration.pairs(entities, ground)]

    def _made_alike(self, pairs: Sequence[tuple[MigrationFile, Step, Part]], ground: Ground) -> list[Told]:
        found: list[Told] = []
        for place, (other, step, part) in enumerate(pairs, _ASIDE):
            kept = InHistory(self._history, place, identity("pairs", other.name, part.name), _segments(ground))
            job = self._job_of(other, part.name)
            outcome = carry_out(part, self._session, job, self._tell, kept, anew=True)
            found.append(told_of(other.name, step, part, outcome))
        return found

    def _foreseen(self, file: MigrationFile, what: str, entries: Mapping[str, Entry]) -> tuple[Told, ...]:
        """What an end would do, counted."""
        foresight, ground, found = Foresight(), self._ground(), list[Told]()
        for other, step, part in self._pairs(file, entries, ground):
            job: JobOptions = {"segments": _segments(ground), **self._job_of(other, part.name)}
            outcome = count_out(part, self._session, job, self._progress or _silent, foresight)
            found.append(told_of(other.name, step, part, outcome))
        return (*found, *self._counted([file], what, foresight))

    def _counted(
        self,
        files: Sequence[MigrationFile],
        what: str,
        foresight: Foresight | None = None,
        *,
        to_do: bool = False,
        kept: bool = True,
    ) -> tuple[Told, ...]:
        """`to_do`: what would be written is left too. `kept`: whether the keys of what is left are wanted."""
        found: list[Told] = []
        foresight = Foresight() if foresight is None else foresight
        for file in files:
            ground = self._ground()
            for step, parts in file.migration.stage(what, ground):
                for part in parts:
                    own = self._job_of(file, part.name, to_do=to_do) if kept else self._job
                    job: JobOptions = {"segments": _segments(ground), **own}
                    outcome = count_out(part, self._session, job, self._progress or _silent, foresight)
                    found.append(told_of(file.name, step, part, outcome))
        return tuple(found)

    def _begin(self, ledger: Ledger | None = None, what: str = "", *files: MigrationFile) -> None:
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

    def _job_of(self, file: MigrationFile, part: str, *, to_do: bool = False) -> JobOptions:
        return self._job if self._left is None else {**self._job, "left": self._left.of(file.name, part, to_do=to_do)}

    def _ground(self) -> Ground:
        return Ground(self._model, self._table, self._drive(settled(self._table)))

    def _tell(self, name: str, progress: Progress | None) -> None:
        if progress is None and self._clock() - self._renewed > _RENEWED:  # a job does so itself
            self._renewed = self._clock()
            self._drive(self._history.renew())
        if self._progress is not None:
            self._progress(name, progress)

    @contextmanager
    def _locked(self) -> Iterator[Ledger]:
        self._unaware = self._drive(self._history.lock(take_over=self._take_over))
        self._renewed = self._clock()
        try:
            yield self._drive(self._history.read())
        finally:
            self._drive(self._history.unlock())

    def _note(self, file: MigrationFile, before: Entry | None, after: Entry) -> Entry:
        noted = self._drive(self._history.note(file.name, before, after))
        assert noted is not None
        return noted

    def _drive(self, steps: Steps[T]) -> T:
        return stored(self._session, steps)

    # --------------------------------------------------------------------------------------------- what is meant

    def _standing(self, file: MigrationFile, entry: Entry | None) -> Standing:
        questions = len(file.migration.questions)
        if entry is None:
            return Standing(file.name, None, "", False, questions)
        return Standing(file.name, entry.state, entry.at, entry.digest != file.digest, questions)

    def _up_to(self, name: str | None) -> list[MigrationFile]:
        if name is None:
            return list(self._files)
        return list(self._files[: self._files.index(self._named(name)) + 1])

    def _unfinished(self, wanted: Sequence[MigrationFile], ledger: Ledger) -> list[MigrationFile]:
        """Those that are not retired."""
        for name, entry in ledger.entries.items():
            if entry.state in ("rolling back", "retiring"):
                verb = "rollback" if entry.state == "rolling back" else "retire"
                raise ArgumentError(
                    f"{name} is {entry.state}, which was interrupted.",
                    hint=f"Finish that first: migrate {verb} --write.",
                )
        entries = ledger.entries
        return [f for f in wanted if f.name not in entries or entries[f.name].state != "retired"]

    def _named(self, name: str) -> MigrationFile:
        for file in self._files:
            number = file.name.partition("_")[0]
            if name in (file.name, number) or (name.isdecimal() and name.lstrip("0") == number.lstrip("0")):
                return file
        known = ", ".join(file.name for file in self._files) or "none"
        raise ArgumentError(f"There is no migration {name!r}.", hint=f"There are: {known}.")

    def _chosen(self, name: str | None, *states: State) -> MigrationFile:
        """A migration that is in one of these states: the one that is named, or the first."""
        entries = self._drive(self._history.read()).entries
        fitting = [file for file in self._files if file.name in entries and entries[file.name].state in states]
        if name is not None:
            fitting = [file for file in fitting if file is self._named(name)]
        if not fitting:
            what = "No migration is" if name is None else f"{self._named(name).name} is not"
            raise ArgumentError(
                f"{what} {' or '.join(SAID.get(state, state) for state in states)}.",
                hint="`tablewright migrate status` tells where they are.",
            )
        file = fitting[0]
        refuse_changed(file, entries[file.name])
        return file

    def _expected(self, file: MigrationFile, ledger: Ledger, *states: State) -> Entry:
        """What a migration is in, now that nobody else can change it: one of these states, or the last that was run."""
        entry = ledger.entries.get(file.name)
        if entry is None or (states and entry.state not in states) or (not states and max(ledger.entries) != file.name):
            raise ArgumentError(
                f"Another process has worked on {file.name} meanwhile.", hint="Look at `tablewright migrate status`."
            )
        refuse_changed(file, entry)
        return entry


_PAGE = 1 << 20
"""Bytes of a page of a Scan."""
_RENEWED = 15.0
"""Seconds after which a lock is renewed."""


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
