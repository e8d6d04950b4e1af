"""Migrations on a table: what was done of each, and the way from one state to the next.

    nothing --run--> running --> ran --cutover--> cut over --retire--> retiring --> retired
                        └──────────┴─────────────────┴────rollback────────┴───────────┘

Each state is noted before its work begins and after it has ended. Work that was interrupted is found by its state, and done
again from the step that was not finished; nothing that was done is done twice. What finished steps have left is noted with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from tablewright.client.session import Session
from tablewright.errors import ArgumentError
from tablewright.evolve.jobs.job import JobOptions
from tablewright.evolve.migrations.carrying import Tell
from tablewright.evolve.migrations.choosing import (
    chosen,
    expected,
    last_begun,
    named,
    standing,
    unended,
    unretired,
    up_to,
)
from tablewright.evolve.migrations.digesting import Digest, digests
from tablewright.evolve.migrations.elsewhere import Cluster
from tablewright.evolve.migrations.files import MigrationFile
from tablewright.evolve.migrations.foreseeing import Foresight
from tablewright.evolve.migrations.history import Entry, Ledger, State
from tablewright.evolve.migrations.leaving import LeftItems
from tablewright.evolve.migrations.outcome import Told
from tablewright.evolve.migrations.refusing import (
    SAID,
    refuse_clashes,
    refuse_early,
    refuse_gone,
    refuse_lost,
    refuse_missing,
    refuse_questions,
    refuse_unfit,
)
from tablewright.evolve.migrations.staging import Stages
from tablewright.table import Table
from tablewright.wording import counted

__all__ = ["Migrator", "Standing", "Told"]

_VERBS: Mapping[State | None, str] = {"running": "run", "retiring": "retire", "rolling back": "rollback"}
"""What goes on with a migration that is on its way."""


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
    idle: bool = False
    """Whether it is on its way, and nobody is at work on it."""


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
        `fitting`, since they name what the model does not have or still needs, are refused, unless somebody says False; then items
        that the model cannot read are not told either."""
        self._table = session.table_name
        self._files = tuple(files)
        self._known = self._files if fitting else None
        self.remarks: list[str] = []
        """What whoever asked should know beside the counts."""
        self._stages = Stages(
            session, model, self._files, progress=progress, take_over=take_over, job=job, cluster=cluster, left=left
        )

    # --------------------------------------------------------------------------------------------- what there is

    def status(self) -> tuple[Standing, ...]:
        """Every migration, in their order; those first whose file is gone."""
        ledger, names = self._stages.read(), {file.name for file in self._files}
        gone = [Standing(n, e.state, e.at, False, 0, missing=True) for n, e in ledger.entries.items() if n not in names]
        found = (*gone, *(_standing(file, ledger.entries.get(file.name)) for file in self._files))
        idle = not self._stages.held(ledger)
        return tuple(replace(one, idle=idle and one.state in _VERBS) for one in found)

    def plan(self) -> tuple[Told, ...]:
        """What `run` would do, counted."""
        return self.run(write=False)

    def verify(self) -> tuple[Told, ...]:
        """What is not yet as those migrations say that have been run, and not been retired; of those that are being retired or
        rolled back, what that has still to do."""
        entries = self._stages.read().entries
        refuse_gone(self._files, entries)
        self._stages.begin()
        stages: dict[State, str] = {"retiring": "retire", "rolling back": "undo"}
        foresight, found = Foresight(), list[Told]()
        for file, entry in unended(self._files, entries):
            found += self._stages.counted([file], stages.get(entry.state, "run"), foresight, to_do=True)
        if found and not stages.keys() & {entry.state for entry in entries.values()}:
            begun = [file for file, _ in unended(self._files, entries)]
            found += self._unreadable(begun, entries, foresight)
        return tuple(found)

    def unfinished(self) -> tuple[tuple[Standing, str], ...]:
        """Migrations whose way from one state to the next has not ended, with the command that goes on with it."""
        return tuple((one, _VERBS[one.state]) for one in self.status() if one.state in _VERBS)

    def _unreadable(
        self, files: Sequence[MigrationFile], entries: Mapping[str, Entry], foresight: Foresight
    ) -> list[Told]:
        """What readers of the model would trip over; of a model that steps do not fit nothing is expected."""
        waiting = [file for file in self._files if file.name not in entries]
        return self._stages.unreadable(files, waiting, foresight) if self._known is not None else []

    def waiting(self) -> tuple[str, ...]:
        """Migrations that were not run yet, or were rolled back."""
        return tuple(one.name for one in self.status() if one.state is None)

    def digests(self) -> dict[str, Digest]:
        """What the table holds of each entity of the model, to be compared with what it should hold."""
        open_ = unended(self._files, self._stages.read().entries)
        ground = replace(self._stages.ground(), steps=tuple(step for file, _ in open_ for step in file.migration.steps))
        return self._stages.drive(digests(ground.known(), self._table))

    # --------------------------------------------------------------------------------------------- what can be done

    def run(self, *, write: bool, to: str | None = None) -> tuple[Told, ...]:
        """Carries out all migrations that are not retired, up to one of them. Those that ran are looked through again, for
        what code of either model has written since."""
        stages, wanted = self._stages, up_to(self._files, to)
        ledger = stages.read()
        refuse_gone(self._files, ledger.entries)
        todo = unretired(wanted, ledger.entries)
        for file in todo:
            refuse_questions(file)
        refuse_clashes(todo, self._files, ledger.entries)
        if not write:
            refuse_unfit("run", todo, stages.ground(), ledger.entries, known=self._known)
            self._tell_edited(todo, ledger.entries)
            stages.begin()
            foresight, ground = Foresight(), stages.ground()
            told = stages.counted(todo, "run", foresight)
            return (*told, *stages.foreseen_alike(stages.beside(ledger.entries, ground), ground, foresight))
        with stages.locked() as ledger:  # what others did before the lock was taken counts too
            todo = unretired(wanted, ledger.entries)
            refuse_clashes(todo, self._files, ledger.entries)
            refuse_unfit("run", todo, stages.ground(), ledger.entries, known=self._known)
            stages.begin(ledger, "run", *todo)
            self._tell_edited(todo, ledger.entries)
            found = [told for file in todo for told in self._run(file, ledger.entries.get(file.name))]
            ground = stages.ground()
            found += stages.make_alike(stages.beside(stages.read().entries, ground), ground)
            return tuple(found)

    def cutover(self, name: str | None = None) -> str | None:
        """Notes that readers may use what a migration has brought about; its name, or None where that is noted already. What is not
        verified is refused."""
        stages = self._stages
        entries = stages.read().entries
        file = chosen(self._files, entries, name, {"ran"}, {"cut over", "retired"})
        if file is None:
            self._tell_done(entries, name)
            return None
        foresight, ground = Foresight(), stages.ground()
        refuse_missing(file, ground)
        told = stages.counted([file], "run", foresight, kept=False)
        told += stages.foreseen_alike(stages.pairs(file, entries, ground), ground, foresight, kept=False)
        told = (*told, *self._unreadable([file], entries, foresight))
        left = sum(one.outcome.left for one in told)
        if left:
            raise ArgumentError(
                f"{file.name} is not finished: {counted(left, 'item or index', 'items or indexes')} not as it says.",
                hint="`tablewright migrate verify --left-items FILE` tells which; run it again, and settle what is skipped.",
            )
        with stages.locked() as ledger:
            entry = expected(file, ledger, "ran")
            stages.note(file, entry, replace(entry, state="cut over", done=0, left=()))
        self._tell_others(file, ledger.entries, "ran")
        if late := file.migration.filled_at_the_end(ground):
            self.remarks.append(
                f"Items of older schema versions come into {', '.join(late)} when {file.name} is retired, since they do not hold what is "
                "its key before: let readers wait for that."
            )
        return file.name

    def retire(self, name: str | None = None, *, write: bool) -> tuple[Told, ...]:
        """Removes what a migration has left behind. Only what is cut over is retired. Where items are left, it is not over: what
        is in their way is settled, and it is retired again."""
        stages = self._stages
        entries = stages.read().entries
        file = chosen(self._files, entries, name, {"cut over", "retiring"}, {"retired"})
        if file is None:
            self._tell_done(entries, name)
            return ()
        self._tell_others(file, entries, "cut over")
        refuse_early(file, self._files, entries)
        if not write:
            refuse_unfit("retire", [file], stages.ground(), known=self._known)
            stages.begin()
            return stages.foreseen(file, "retire", entries)
        with stages.locked() as ledger:
            entry = expected(file, ledger, "cut over", "retiring")
            refuse_early(file, self._files, ledger.entries)
            told, entry = self._end(file, entry, replace(entry, state="retiring", retired=True), "retire", ledger)
            left = any(one.outcome.skipped for one in told)
            stages.note(file, entry, replace(entry, state="retiring" if left else "retired", done=0, left=()))
            return tuple(told)

    def rollback(self, name: str | None = None, *, write: bool) -> tuple[Told, ...]:
        """Undoes the last migration that was run. Where items are left, it is not over, as with retire()."""
        stages = self._stages
        entries = stages.read().entries
        file = last_begun(self._files, entries, name)
        refuse_lost(file, entries[file.name])
        if not write:
            refuse_unfit("undo", [file], stages.ground(), known=self._known)
            stages.begin()
            return stages.foreseen(file, "undo", entries)
        with stages.locked() as ledger:
            entry = expected(file, ledger)
            refuse_lost(file, entry)
            told, entry = self._end(file, entry, replace(entry, state="rolling back"), "undo", ledger)
            if any(one.outcome.skipped for one in told):
                stages.note(file, entry, replace(entry, done=0, left=()))
            else:
                stages.forget(file, entry)
            return tuple(told)

    def _tell_edited(self, files: Sequence[MigrationFile], entries: Mapping[str, Entry]) -> None:
        """What has been made of items is looked at, and not made again."""
        for file in files:
            if file.name in entries and entries[file.name].digest != file.digest:
                self.remarks.append(
                    f"{file.name} was changed since it ran: what its functions made of items before stays as it is. Roll back and "
                    "run again, to have it made anew."
                )

    def _tell_done(self, entries: Mapping[str, Entry], name: str | None) -> None:
        begun = [file for file in self._files if file.name in entries]
        self.remarks.append(f"{standing(begun if name is None else [named(begun, name)], entries)}.")

    def _tell_others(self, done: MigrationFile, entries: Mapping[str, Entry], state: State) -> None:
        """One is carried out at a time, which somebody who knows `run` may not expect."""
        others = [f for f in self._files if f is not done and f.name in entries and entries[f.name].state == state]
        if others:
            word = "is" if len(others) == 1 else "are"
            names = ", ".join(file.name for file in others)
            self.remarks.append(
                f"{names} {word} {SAID.get(state, state)}, too: the command takes one migration at a time."
            )

    # --------------------------------------------------------------------------------------------- from state to state

    def _run(self, file: MigrationFile, entry: Entry | None) -> list[Told]:
        if entry is None or entry.digest != file.digest:  # new, or edited since: all of it is looked through
            entry = self._stages.note(file, entry, Entry("running", file.digest, outline=file.migration.outline))
        told, entry = self._stages.carry_out(file, entry, "run")
        if entry.state == "running":
            self._stages.note(file, entry, replace(entry, state="ran", done=0, left=()))
        return told

    def _end(
        self, file: MigrationFile, entry: Entry, wanted: Entry, what: str, ledger: Ledger
    ) -> tuple[list[Told], Entry]:
        """Goes into a state that ends a migration, at its first step; or on in it, unless the file was mended meanwhile. All that
        can be refused is refused before."""
        stages = self._stages
        ground = stages.ground()
        refuse_unfit(what, [file], ground, known=self._known)
        pairs = stages.pairs(file, ledger.entries, ground)
        stages.begin(ledger, what, file)
        if (entry.state, entry.digest) != (wanted.state, file.digest):
            if entry.digest != file.digest:
                self.remarks.append(f"{file.name} was changed since: all its steps are gone through from the first.")
            entry = stages.note(file, entry, replace(wanted, digest=file.digest, done=0, left=()))
            stages.let_stop()
        alike = stages.make_alike(pairs, ground)
        told, entry = stages.carry_out(file, entry, what)
        again = stages.make_alike(pairs, stages.ground())
        return [*(one.and_then(other) for one, other in zip(alike, again, strict=True)), *told], entry


def _standing(file: MigrationFile, entry: Entry | None) -> Standing:
    questions = len(file.migration.questions)
    if entry is None:
        return Standing(file.name, None, "", False, questions)
    return Standing(file.name, entry.state, entry.at, entry.digest != file.digest, questions)
