"""The sessions of an application while its tables move, sync and async, and what an operator does meanwhile."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

from msgspec.structs import replace

from tablewright.client.drive import SyncDriver
from tablewright.client.opening import transport_to
from tablewright.client.session import Session
from tablewright.client.settings import OpenOptions, SessionOptions
from tablewright.compiler.wirecodec import format_datetime
from tablewright.errors import ArgumentError, ConfigError, TablewrightError
from tablewright.evolve.jobs import JobOptions, Report, run
from tablewright.evolve.moving import (
    backfill,
    comparing,
    ledger,
    mending,
    phases,
    planning,
    restoring,
    retiring,
    verifying,
)
from tablewright.evolve.moving.bad_rows import Tell, told_of
from tablewright.evolve.moving.comparing import Schemas
from tablewright.evolve.moving.flags import Flag, FlagStore
from tablewright.evolve.moving.late import Wins
from tablewright.evolve.moving.mapping import Moving
from tablewright.evolve.moving.meanwhile import Meanwhile
from tablewright.evolve.moving.mending import Mended
from tablewright.evolve.moving.phases import Phase, Progress
from tablewright.evolve.moving.planning import Missing, Plan
from tablewright.evolve.moving.reading import E, Read, read_legacy
from tablewright.evolve.moving.repairing import Repairing, repair_paced
from tablewright.evolve.moving.restoring import Restored
from tablewright.evolve.moving.retiring import Archived
from tablewright.evolve.moving.settling import Repaired
from tablewright.evolve.moving.shadowing import ShadowReport
from tablewright.evolve.moving.sides import Place, Side, Walk, drive
from tablewright.evolve.moving.verifying import Verification
from tablewright.evolve.moving.writing import Written
from tablewright.model.indexes import KeyAttribute

T = TypeVar("T")
AGAIN = 2
"""Answers that differ are asked for again so often: a write in between is no difference."""


class MovingOptions(OpenOptions, total=False):
    """The options of `Table.open`, and those of a moving."""

    flags: FlagStore
    """Who keeps the flag; the ledger unless said otherwise."""
    timer: Callable[[], float]
    """What measures how long reads take."""


def without_ours(options: MovingOptions) -> OpenOptions:
    """Those of the options that are any session's."""
    kept: Any = {n: v for n, v in options.items() if n not in ("flags", "timer")}
    opened: OpenOptions = kept
    return opened


def session_options(options: MovingOptions, *, ours: bool) -> OpenOptions:
    """Those of the options that the new table is opened with."""
    return {**without_ours(options), "create": options.get("create", ours)}


def known_of(moving: Moving, table: str, options: MovingOptions, checked: SessionOptions, together: bool) -> Meanwhile:
    """What both sessions go by."""
    place = Place(moving, table, together, lambda: format_datetime(checked.clock()), checked.token)
    return Meanwhile(place, checked.clock, options.get("timer", time.perf_counter), options.get("flags"))


class MovingSession:
    """An application's way to both sides while its tables move. Safe to share between threads; close it, or use it with `with`.

    Writes take legacy items, as plain dicts, until the phase is "new"; reads answer with entities. `db` is the session of the new
    table."""

    def __init__(self, meanwhile: Meanwhile, db: Session, ways: dict[Side, SyncDriver]) -> None:
        self._meanwhile = meanwhile
        self.db = db
        self._ways = ways

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the way to both sides."""
        self.db.close()
        if self._ways["legacy"] is not self._ways["new"]:
            self._ways["legacy"].transport.close()

    @property
    def moving(self) -> Moving:
        """What is moved."""
        return self._meanwhile.place.moving

    def _run(self, walk: Walk[T]) -> T:
        return drive(walk, self._ways)

    # ------------------------------------------------------------------------------------------------- writing

    def create(self, table: str, item: Mapping[str, Any]) -> Written:
        """A new item of a legacy table, and what it becomes; raises where there is one."""
        return self._run(self._meanwhile.create(table, item))

    def put(self, table: str, item: Mapping[str, Any]) -> Written:
        """A whole item, over whatever was there."""
        return self._run(self._meanwhile.put(table, item))

    def update(
        self,
        table: str,
        key: Mapping[str, Any],
        *,
        set: Mapping[str, Any] | None = None,  # noqa: A002 - the caller's word
        remove: Iterable[str] = (),
    ) -> Written:
        """Changes of some attributes of an item that exists."""
        return self._run(self._meanwhile.update(table, key, set, remove))

    def revise(
        self, table: str, key: Mapping[str, Any], function: Callable[[dict[str, Any]], Mapping[str, Any]], /
    ) -> Written:
        """Changes an item by a function of it, which is called again when another writer was faster; it may raise."""
        return self._run(self._meanwhile.revise(table, key, function))

    def delete(self, table: str, key: Mapping[str, Any]) -> Written:
        """Deletes an item, and what it became."""
        return self._run(self._meanwhile.delete(table, key))

    def write(self, *, legacy: Callable[[MovingSession], T], new: Callable[[Session], T]) -> T:
        """One of two ways to write, by the phase: `legacy` with this session, or `new` with that of the new table. What `legacy` has begun
        it may end, though the last phase begins meanwhile."""
        phase, _ = self._run(self._meanwhile.know())
        if phase == "new":
            return new(self.db)
        with self._meanwhile.chosen(phase):
            return legacy(self)

    # ------------------------------------------------------------------------------------------------- reading

    def read(self, read: Read[E], *args: Any, subject: str, **kwargs: Any) -> list[E]:
        """What the side that the phase and the flag say answers. `subject` is the id of whoever asks, such as a user."""
        side, both = self._run(self._meanwhile.sides(subject))
        answer = self._timed(side, read, args, kwargs)
        if both:
            self._shadow(read, args, kwargs, answer)
        return answer

    def read_one(self, read: Read[E], *args: Any, subject: str, **kwargs: Any) -> E | None:
        """The same for reads of one item."""
        return next(iter(self.read(read, *args, subject=subject, **kwargs)), None)

    def _timed(self, side: Side, read: Read[E], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[E]:
        began, failed = self._meanwhile.timer(), True
        try:
            if side == "legacy":
                answer = self._run(read_legacy(self._meanwhile.place, read, args, kwargs))
            else:
                found: Any = self.db.run(read.new, *args, **kwargs)
                answer = [] if found is None else [found] if isinstance(found, read.entity) else list(found)
            failed = False
            return answer
        finally:
            self._meanwhile.shadow.answered(side, self._meanwhile.timer() - began, failed=failed)

    def _shadow(self, read: Read[E], args: tuple[Any, ...], kwargs: dict[str, Any], legacy: list[E]) -> None:
        kinds: list[str] = []
        for attempt in range(1 + AGAIN):
            try:
                new = self._timed("new", read, args, kwargs)
                kinds = self._meanwhile.compare(read, legacy, new)
                if not kinds or attempt == AGAIN:
                    break
                legacy = self._timed("legacy", read, args, kwargs)
            except TablewrightError:  # it is counted; the caller has an answer
                return
        self._meanwhile.shadow.compared(read.name, kinds)

    def shadow(self, read: Read[Any], *args: Any, **kwargs: Any) -> None:
        """Asks both sides, whatever the phase, and counts what differs: for reads that somebody wrote down to be tried."""
        self._shadow(read, args, kwargs, self._timed("legacy", read, args, kwargs))

    def shadow_report(self) -> ShadowReport:
        """What this session's reads found."""
        return self._meanwhile.shadow.report()

    def tell(self) -> Progress:
        """Adds what this session compared to what the ledger knows, which the next phase asks for."""
        return self._run(self._meanwhile.tell())

    # ---------------------------------------------------------------------------------------------- operating

    def prepare(self) -> None:
        """Makes the ledger, and the new table where it is missing."""
        place = self._meanwhile.place
        for table, why in self._run(planning.wrong_tables(place)).items():
            raise ConfigError(f"The legacy table {table}: {why}.", hint="Mend the mapping, or open the right place.")
        self._run(ledger.create_ledgers(place))
        for side in ledger.sides_of(place):
            self._ways[side].run(ledger.until_active(place))
        self.db.ensure_table()

    def plan(self, sample: int | None = 1000, *, bad_row: Tell | None = None) -> Plan:
        """Tries the mapping on samples, or on all items with `sample=None`; writes nothing. `bad_row` gets the items that
        something is wrong with, here and in the calls below: a BadRow each, with its key."""
        return self._run(planning.plan(self._meanwhile.place, sample, bad_row))

    def missing_tables(self) -> list[Missing]:
        """The tables of both sides that are not there."""
        return self._run(planning.missing_tables(self._meanwhile.place))

    def progress(self) -> Progress:
        """How far the moving is."""
        return self._run(phases.read_progress(self._meanwhile.place))

    def flag(self) -> Flag:
        """The flag as it is now."""
        return self._run(phases.read_flag(self._meanwhile.place, self._meanwhile.flags))

    def advance(self, to: Phase) -> Progress:
        """To the next phase, if all that it needs holds. It holds everywhere a little later: see Progress.since."""
        return self._run(phases.advance(self._meanwhile.place, to, self._now(), self._meanwhile.flags))

    def go_back(self, to: Phase) -> Progress:
        """To the phase before. Out of "switched" the flag goes to nobody first, so that the next switch starts anew."""
        if to == "shadow" and self.progress().at(self._now().timestamp()) == "switched":
            self.switch(0)
        return self._run(phases.go_back(self._meanwhile.place, to, self._now()))

    def switch(self, percent: int) -> Progress:
        """Lets so many of a hundred subjects read the new table, in the phase "switched". It ends a kill, but not one that came
        while it was under way: then it raises ConcurrentModificationError."""
        return self._run(phases.switch(self._meanwhile.place, self._meanwhile.flags, Flag(percent), self._now()))

    def kill(self) -> Progress:
        """The kill switch: everybody reads the legacy tables again, at the next look at the flag."""
        return self._run(phases.kill(self._meanwhile.place, self._meanwhile.flags, self._now()))

    def backfills(self) -> list[backfill.Backfill]:
        """The work that moves what was there before, one for each move, for whoever carries it out by other means."""
        self._up_to_date("The backfill", "dual", "shadow", "switched")
        return backfill.backfills(replace(self._meanwhile.place, schemas=self.key_schemas()))

    def key_schemas(self) -> Mapping[str, tuple[KeyAttribute, ...]]:
        """The key attributes of the legacy tables that are merged into others, for a backfill in another process."""
        return self._run(planning.key_schemas(self._meanwhile.place))

    def backfill(self, *moves: str, bad_row: Tell | None = None, **options: Unpack[JobOptions]) -> list[Report]:
        """Moves what was there before, by a job for each move, or for those that are named; run repair() after it.

        A dry run, which may come before both sides are written, unless `write=True` is given. A run that was stopped or killed is
        gone on with by the next one; how far it is, is kept in the ledger. `bad_row` gets the items that this run skips."""
        place = self._meanwhile.place
        for name in moves:
            if name not in place.moving.by_name:
                raise ArgumentError(
                    f"No move is called {name!r}.", hint=f"There are: {', '.join(sorted(place.moving.by_name))}."
                )
        phases: tuple[Phase, ...] = ("dual", "shadow", "switched")
        self._up_to_date("The backfill", *phases, *(() if options.get("write") else ("legacy",)))
        chosen = [move for move in place.moving.moves if not moves or move.called in moves]
        left = options.get("left")
        if left is not None and (bad_row is not None or (len(chosen) > 1 and not callable(left))):
            raise ArgumentError(
                "left= of a backfill is a file for one move, or a function, and stands alone.",
                hint="Give bad_row=, whose rows tell their move.",
            )
        reports, place = [], replace(place, schemas=self.key_schemas())
        for move in chosen:
            if bad_row is not None:
                options["left"] = told_of(move, bad_row)
            reports.append(run(backfill.Backfill(place, move), self._ways["legacy"].transport, **options))
        return reports

    def pending(self, *, bad_row: Tell | None = None) -> Mapping[str, int]:
        """How many items the ledger says are still to be written, by reason."""
        return self._run(ledger.pending_by_reason(self._meanwhile.place, bad_row))

    def repair(
        self,
        *,
        max_write_units: float | None = None,
        progress: Callable[[Repairing], object] | None = None,
        bad_row: Tell | None = None,
        in_flight: int = 1,
        wins: Wins | None = None,
    ) -> Repaired:
        """Writes what the ledger says is still to be written, with so many write units a second at most, `in_flight` items at
        once; `progress` is called after each item, `bad_row` for each that is left.

        In the phase "new", and on the way to it and back, the new table may have been written since: an item is left where that cannot be
        excluded, and `wins` decides which side is right then."""
        known = self._meanwhile
        self._run(known.in_phase("A repair", "dual", "shadow", "switched", "new"))
        late = self._run(known.late(wins))
        return repair_paced(known.place, self._ways, max_write_units, progress, known.timer, bad_row, in_flight, late)

    def mend(self, *, bad_row: Tell | None = None, in_flight: int = 1) -> Mended:
        """Verifies, and writes anew or removes whatever differs in the new table, as after a time when only legacy tables were
        written, or somebody else changed moved items. Where something did, it verifies again, and tells what is left."""
        self._up_to_date("Mending", "dual", "shadow", "switched")
        place = self._meanwhile.place
        return mending.mend(
            lambda mends, tell: self._run(verifying.verify(place, writing=True, mends=mends, bad_row=tell)),
            lambda tell: self.repair(bad_row=tell, in_flight=in_flight),
            bad_row,
        )

    def verify(self, *, writing: bool = False, bad_row: Tell | None = None) -> Verification:
        """Compares both sides, and notes for the next phase whether all is well. `bad_row` gets each item that differs."""
        place, began = self._meanwhile.place, self._now().timestamp()
        retiring.refuse_retired(self.progress(), "There is nothing to compare the new table with")
        phase, _ = self._run(self._meanwhile.know(anew=True))
        alone = phase == "new" or self.progress().behind
        walk = verifying.verify(place, writing=writing, new_alone=alone, bad_row=bad_row)
        found = self._run(walk)
        self._run(phases.verified(place, None if found.well else found.wrong, began))
        return found

    def compare_schemas(self, reads: Iterable[tuple[Read[Any], tuple[Any, ...]]]) -> Schemas:
        """Tables, indexes, and the requests of some reads with their arguments, on both sides."""
        taken: dict[str, tuple[int, int]] = {}
        for read, args in reads:
            legacy = self._run(comparing.counted(read_legacy(self._meanwhile.place, read, args, {})))
            with self.db.measure() as meter:
                self._timed("new", read, args, {})
            taken[read.name] = (legacy, len(meter.requests))
        indexes = self._run(comparing.legacy_indexes(self._meanwhile.place.moving))
        return Schemas(indexes, len(self._meanwhile.place.moving.table.indexes), taken)

    def restore_legacy(self, *, write: bool = True) -> Restored:
        """Brings legacy tables up to date in the phase "new", for the way back, and once more when the phase before it holds again,
        until a run finds nothing to do; without `write` it only counts."""
        place, began = self._meanwhile.place, self._now().timestamp()
        progress = self._run(self._meanwhile.in_phase("Restoring legacy tables", "new", "switched"))
        retiring.refuse_retired(progress, "There is nothing to restore")
        if progress.phase == "switched" and not progress.behind:
            return Restored(0, 0)
        done = self._run(restoring.restore_legacy(place, write=write))
        wait = max(0.0, phases.alone_until(place, progress) - began) if progress.behind else 0.0
        if write and progress.behind and not wait and done.nothing:
            self._run(phases.caught_up(place, progress.since))
        return replace(done, wait=wait)

    def _up_to_date(self, what: str, *allowed: Phase) -> None:
        """Refuses what does not belong to the phase, or would bring back what legacy tables have not been told of."""
        phases.refuse_behind(self._run(self._meanwhile.in_phase(what, *allowed)), f"{what} has to wait")

    def check_retirement(self) -> None:
        """Refuses where retire() would."""
        self._run(retiring.check_retirement(self._meanwhile.place, self._now()))

    def retire(self, folder: str | os.PathLike[str]) -> Mapping[str, Archived]:
        """Archives and deletes the legacy tables, after the safety period."""
        return self._run(retiring.retire(self._meanwhile.place, folder, self._now()))

    def delete_ledgers(self) -> None:
        """Deletes the ledger, once the legacy tables are retired."""
        self._run(retiring.delete_ledgers(self._meanwhile.place))

    def _now(self) -> datetime:
        return self._meanwhile.clock()


def open_moving(
    moving: Moving, target: Any = None, *, legacy: Any = None, **options: Unpack[MovingOptions]
) -> MovingSession:
    """Opens both sides: `target` and options are those of `Table.open`. `legacy` is another target where the legacy tables are
    in another account, region or engine; then no transaction spans both sides, and the ledger carries what is left."""
    checked = SessionOptions.of(without_ours(options))
    transport, ours = transport_to(target, checked)
    try:
        db = moving.table.open(transport, **session_options(options, ours=ours))
        driver = SyncDriver(transport, checked.retry, timeout=checked.timeout)
        other = driver
        if legacy is not None:
            there = replace(checked, create=False)  # legacy tables are there, or they are nobody's to make
            other = SyncDriver(transport_to(legacy, there)[0], checked.retry, timeout=checked.timeout)
    except BaseException:
        transport.close()
        raise
    meanwhile = known_of(moving, db.table_name, options, checked, legacy is None)
    return MovingSession(meanwhile, db, {"new": driver, "legacy": other})
