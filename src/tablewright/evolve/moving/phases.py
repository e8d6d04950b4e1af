"""The phases of a move, and the way from one to the next and back: one conditional write of one record.

A change holds from a moment a little ahead, by when every process has read it: none goes on with the old phase while others
have begun with the new one, as long as their clocks agree to within `refresh` seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, TypeVar

from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from tablewright.client.context import GUARD_ATTEMPTS
from tablewright.client.writes.action import Action
from tablewright.errors import (
    ArgumentError,
    ConcurrentModificationError,
    ConditionalCheckFailed,
    NetworkError,
    TablewrightError,
    TransactionCanceled,
)
from tablewright.evolve.moving import ledger, planning
from tablewright.evolve.moving.flags import READS, Flag, FlagStore
from tablewright.evolve.moving.guarding import unchanged
from tablewright.evolve.moving.sides import Place, Walk, get, send, transact
from tablewright.expressions import ast
from tablewright.values.types import Item
from tablewright.values.wire import from_wire_item, to_wire_item
from tablewright.wording import counted, span_left

T = TypeVar("T")
Phase = Literal["legacy", "dual", "shadow", "switched", "new"]
ORDER: tuple[Phase, ...] = ("legacy", "dual", "shadow", "switched", "new")
_TIMES = ("since", "whole_since", "verified_at", "wrong_at", "alone_since")
_CHANGES = "changes"
"""The attribute that counts the writes of the flag."""
DOES: dict[Phase, str] = {
    "legacy": "legacy tables are read and written",
    "dual": "both are written, legacy tables are read",
    "shadow": "both are written and read, and compared; legacy answers are given",
    "switched": "both are written; a flag says who reads the new table",
    "new": "the new table is read and written",
}


class Progress(Struct, frozen=True):
    """How far a moving is. Times are seconds since 1970."""

    phase: Phase = "legacy"
    before: Phase = "legacy"
    """The phase that holds until `since`."""
    since: float = 0.0
    """When the phase holds from."""
    revision: int = 0
    whole_since: float | None = None
    """Since when all reads are switched, without a kill in between."""
    verified_at: float | None = None
    """When a verification that found nothing wrong began."""
    wrong_at: float | None = None
    """When the last verification began, where it found something wrong."""
    wrong: int = 0
    """How many differences it found."""
    compared: int = 0
    """Shadow reads that processes have told of, in this phase."""
    differed: int = 0
    """Those of them whose answers differed, or whose new side failed."""
    retired: dict[str, str] = {}
    """Legacy tables that were archived or deleted."""
    behind: bool = False
    """Whether legacy tables may lack what was written just before this phase began, when the new table was written alone."""
    alone_since: float | None = None
    """When the new table began to be written alone, until legacy tables lack nothing of it again."""

    def at(self, now: float) -> Phase:
        """The phase that holds at a time."""
        return self.phase if now >= self.since else self.before

    @property
    def last_wrong(self) -> str | None:
        """What the last verification found, where something was wrong."""
        if self.wrong_at is None:
            return None
        when = datetime.fromtimestamp(self.wrong_at, UTC).isoformat(timespec="seconds")
        what = counted(self.wrong, "difference") if self.wrong else "that checksums differ"
        return f"the last verification, of {when}, found {what}"

    @property
    def writes_both(self) -> bool:
        """Whether writes go to both sides once the phase holds."""
        return self.phase in ("dual", "shadow", "switched")


def read_progress(place: Place) -> Walk[Progress]:
    """The record as it is now; a moving without one has not begun."""
    item = yield from get("legacy", place.moving.ledger, ledger.record_id(place, "phase"))
    return Progress() if item is None else convert(_plain(item), Progress)


def _plain(item: Item) -> dict[str, Any]:
    values = from_wire_item({n: v for n, v in item.items() if n != ledger.ID})
    return {n: float(v) if n in _TIMES and v is not None else v for n, v in values.items()}


def change_progress(
    place: Place, change: Callable[[Progress], Progress], check: Action | None = None
) -> Walk[Progress]:
    """One conditional write of the record: whoever else changed it meanwhile is not overwritten. `check` has to hold too."""
    old = yield from read_progress(place)
    yield from _refuse_elsewhere(place, old)
    new = replace(change(old), revision=old.revision + 1)
    values: dict[str, Any] = to_builtins(new)
    key = ledger.record_id(place, "phase")
    item = {**key, **to_wire_item(values, allow_float=True)}
    seen = ast.Compare("=", ast.Attribute(("revision",)), ast.Value({"N": str(old.revision)}))
    fresh = ast.AttributeNotExists((ledger.ID,))
    action = Action("Put", key, item=item, condition=seen if old.revision else fresh)
    try:
        if check is None:
            yield from send("legacy", "PutItem", action.body(place.moving.ledger))
        else:
            yield from transact(place, "legacy", [{a.kind: a.body(place.moving.ledger)} for a in (action, check)])
    except (ConditionalCheckFailed, TransactionCanceled) as failed:
        if isinstance(failed, TransactionCanceled) and failed.transient:
            raise
        raise ConcurrentModificationError(
            "Somebody else changed the state of the moving at the same time.", hint="Look at it, and try again."
        ) from failed
    return new


def _refuse_elsewhere(place: Place, progress: Progress) -> Walk[None]:
    """Refuses to begin another record where the legacy tables are not: nobody would read it."""
    if not progress.revision:
        yield from planning.refuse_elsewhere(place)


def change_progress_anyhow(place: Place, change: Callable[[Progress], Progress]) -> Walk[Progress]:
    """The same, again and again where others change the record at once."""
    for _ in range(GUARD_ATTEMPTS - 1):
        with suppress(ConcurrentModificationError):
            return (yield from change_progress(place, change))
    return (yield from change_progress(place, change))


def advance(place: Place, to: Phase, now: datetime, store: FlagStore | None) -> Walk[Progress]:
    """To the next phase, if all that it needs holds."""
    flag, kept = yield from _kept(place, store)
    notes = yield from has_pending(place)
    at = now.timestamp()

    def change(old: Progress) -> Progress:
        _check_step(old, to, at, 1)
        missing = _missing(place, old, to, at, flag, notes)
        if missing:
            raise ArgumentError(f"The phase {to!r} cannot begin: {missing[0]}", hint=missing[1])
        return _into(place, old, to, at)

    # The last phase asks for no flag any more, so nobody may have pulled the kill switch before it.
    check = None
    if to == "new" and kept is not None:
        check = Action("ConditionCheck", ledger.record_id(place, READS), condition=_same_flag(kept))
    return (yield from change_progress(place, change, check))


def go_back(place: Place, to: Phase, now: datetime) -> Walk[Progress]:
    """To the phase before. What is only read from legacy tables can always be again, for they are still written."""
    at = now.timestamp()
    notes = yield from has_pending(place)

    def change(old: Progress) -> Progress:
        _check_step(old, to, at, -1)
        if old.retired:
            raise ArgumentError(
                "Legacy tables are archived or deleted; there is no way back.",
                hint="Their archives can be imported into tables of their own, to be looked at or moved again.",
            )
        refuse_behind(old, f"The phase {to!r} cannot begin")
        if old.phase == "new" and place.moving.no_way_back is not None:
            raise ArgumentError(
                f"There is no way back from the phase 'new': {place.moving.no_way_back}.",
                hint="Only the new table knows what was written since.",
            )
        if old.phase == "new" and notes:
            raise ArgumentError(
                "Writes are pending in the ledger, which both sides would be read for.",
                hint="Run repair(), and look at what it could not settle.",
            )
        if old.phase == "new" and (old.verified_at or 0) < old.since:
            if (old.wrong_at or 0) >= old.since:
                raise ArgumentError(
                    f"Legacy tables are behind: {old.last_wrong}.",
                    hint="Bring them up to date by restore_legacy(), then verify(). What differs then is not written by back=, or not "
                    "read by the fields of the move: mend those, and do both again.",
                )
            raise ArgumentError(
                "Legacy tables are behind: they were not written in this phase.",
                hint="Bring them up to date by restore_legacy(), then verify(), then go back.",
            )
        return _into(place, old, to, at)

    return (yield from change_progress(place, change))


def _into(place: Place, old: Progress, to: Phase, at: float) -> Progress:
    until = at + 2 * place.moving.refresh
    whole = old.whole_since if to in ("switched", "new") else None
    behind = old.phase == "new"  # some write the new table alone until this phase holds everywhere
    alone = until if to == "new" and not old.behind else old.alone_since
    return replace(
        old,
        phase=to,
        before=old.phase,
        since=until,
        compared=0,
        differed=0,
        whole_since=whole,
        behind=behind,
        alone_since=alone,
    )


def refuse_behind(progress: Progress, what: str) -> None:
    """Refuses what takes legacy tables for the truth, where they may lack the last writes."""
    if progress.behind:
        raise ArgumentError(
            f"{what}: legacy tables may lack what was written while the phase changed.",
            hint="Run restore_legacy() until it does nothing; then they are up to date.",
        )


def verified(place: Place, wrong: int | None, began: float) -> Walk[Progress]:
    """Notes what a verification found: how many differences, or None where all is well. One that found something wrong takes back
    what those before it had found."""

    def change(old: Progress) -> Progress:
        if wrong is not None:
            return replace(old, verified_at=None, wrong_at=began, wrong=wrong)
        old = replace(old, wrong_at=None, wrong=0)
        if old.behind and began >= alone_until(place, old):  # nothing is lacking
            return replace(old, verified_at=began, behind=False, alone_since=None)
        return replace(old, verified_at=began)

    return (yield from change_progress(place, change))


def alone_until(place: Place, progress: Progress) -> float:
    """When surely nobody writes the new table alone any more, behind a phase in which everybody did: clocks may differ."""
    return progress.since + place.moving.refresh


def caught_up(place: Place, since: float) -> Walk[Progress]:
    """Notes that legacy tables lack nothing any more, if the phase is still the one that it was found in."""

    def change(old: Progress) -> Progress:
        return replace(old, behind=False, alone_since=None) if old.behind and old.since == since else old

    return (yield from change_progress_anyhow(place, change))


def _check_step(old: Progress, to: Phase, at: float, by: int) -> None:
    if at < old.since:
        raise ArgumentError(
            f"The change to {old.phase!r} does not hold yet everywhere.",
            hint=f"Wait {counted(max(round(old.since - at), 1), 'more second')}.",
        )
    here = ORDER.index(old.phase) + by
    if not 0 <= here < len(ORDER) or ORDER[here] != to:
        allowed = ORDER[here] if 0 <= here < len(ORDER) else "none"
        raise ArgumentError(
            f"There is no way from {old.phase!r} to {to!r} in this direction.", hint=f"The next one is {allowed}."
        )


def _missing(place: Place, old: Progress, to: Phase, at: float, flag: Flag, pending: bool) -> tuple[str, str] | None:
    if to == "dual":
        return None
    if pending:
        return "writes are pending in the ledger.", "Run repair() and look at what it could not settle."
    begun = old.since if to == "shadow" else 0.0
    if old.verified_at is None or old.verified_at < begun:
        last = "" if old.last_wrong is None else f"; {old.last_wrong}"
        return f"no verification since this phase began found everything right{last}.", "Run backfill(), then verify()."
    if to == "switched" and (old.compared == 0 or old.differed):
        return (
            "shadow reads differ, or were not made." if old.compared else "no shadow reads were told of yet.",
            "Look at the differences; what was compared is told by tell().",
        )
    if to == "new":
        left = _left(place, old, at)
        if flag.percent < 100 or flag.killed or left is None:
            return "not all reads are switched.", "Run switch(100) first."
        if left > timedelta(0):
            return (
                f"the safety period lasts {span_left(left.total_seconds())} more.",
                "Legacy tables are kept up to date until then.",
            )
        if (
            old.whole_since is not None
            and old.verified_at < old.whole_since + place.moving.safety_period.total_seconds()
        ):
            return "no verification was made since the safety period was over.", "Run verify() once more."
    return None


def _left(place: Place, old: Progress, at: float) -> timedelta | None:
    if old.whole_since is None:
        return None
    return place.moving.safety_period - timedelta(seconds=at - old.whole_since)


def has_pending(place: Place) -> Walk[bool]:
    """Whether something is still to be written."""
    start = None
    while True:
        notes, start = yield from ledger.pending_notes(place, start)
        if notes or start is None:
            return bool(notes)


def read_flag(place: Place, store: FlagStore | None) -> Walk[Flag]:
    """The flag: of the ledger, or of a store of the user's own."""
    return (yield from _kept(place, store))[0]


def _kept(place: Place, store: FlagStore | None) -> Walk[tuple[Flag, Item | None]]:
    """The flag, and the record that it stands in."""
    if store is not None:
        return _told(store), None
    item = yield from get("legacy", place.moving.ledger, ledger.record_id(place, READS))
    return (Flag() if item is None else Flag(int(item["percent"]["N"]), item["killed"]["BOOL"])), item


def _told(store: FlagStore) -> Flag:
    """What a store says."""
    return _asked(lambda: store.get(READS)) or Flag()


def _asked(call: Callable[[], T]) -> T:
    """What a store answers. Of the user's own it may fail in any way, with any words: who knows the flag goes on for a while."""
    try:
        return call()
    except TablewrightError:
        raise
    except Exception as error:
        raise NetworkError(
            f"The store of the flag does not answer: {type(error).__name__}.", hint="See to it, or to its way here."
        ) from error


def switch(place: Place, store: FlagStore | None, flag: Flag, now: datetime) -> Walk[Progress]:
    """Changes the flag, and notes since when all reads are switched."""
    prior, kept = yield from _kept(place, store)
    at, known = now.timestamp(), (yield from read_progress(place))
    if known.at(at) != "switched":
        raise ArgumentError(
            f"Reads are switched in the phase 'switched' only; this one is {known.at(at)!r}.",
            hint="Go on phase by phase, by advance().",
        )
    whole, was = (f.percent == 100 and not f.killed for f in (flag, prior))
    if not whole:
        refuse_behind(known, "No reads can be switched back yet")

    def change(old: Progress) -> Progress:
        return replace(old, whole_since=((old.whole_since if was else None) or at) if whole else None)

    # The record says that all reads are switched only while they are: it is written after the flag goes up, before it goes
    # down.
    if whole:
        yield from _store_flag(place, store, flag, prior, kept)
        return (yield from change_progress(place, change))
    progress = yield from change_progress(place, change)
    yield from _store_flag(place, store, flag, prior, kept)
    return progress


def kill(place: Place, store: FlagStore | None, now: datetime) -> Walk[Progress]:
    """Sends everybody back to the legacy tables: the flag first, which waits for nothing and stands over whatever is under way."""
    try:
        progress = yield from read_progress(place)
    except TablewrightError:
        progress = Progress()  # who cannot be asked is no reason to wait
    else:
        yield from _refuse_elsewhere(place, progress)
    if progress.phase == "new":
        begins = progress.at(now.timestamp()) != "new"
        raise ArgumentError(
            f"In the phase 'new'{', which is about to begin,' if begins else ''} reads ask for no flag, and legacy tables are not "
            "written: there is nothing to send readers back to.",
            hint="restore_legacy() brings the legacy tables up to date; then go back to the phase before.",
        )
    if store is not None:
        flag = Flag()
        with suppress(TablewrightError):  # who cannot be read may be written
            flag = _told(store)
        killed = Flag(flag.percent, True)
        _asked(lambda: store.set(READS, killed))
    else:
        actions = (
            ast.SetAction(("killed",), ast.Value({"BOOL": True})),
            ast.SetAction(("percent",), ast.IfNotExists(("percent",), ast.Value({"N": "0"}))),
            ast.AddAction((_CHANGES,), ast.Value({"N": "1"})),
        )
        action = Action("Update", ledger.record_id(place, READS), update=ast.Update(actions))
        yield from send("legacy", "UpdateItem", action.body(place.moving.ledger), repeatable=True)
    return (yield from change_progress_anyhow(place, lambda old: replace(old, whole_since=None)))


def _store_flag(place: Place, store: FlagStore | None, flag: Flag, prior: Flag, kept: Item | None) -> Walk[None]:
    """Writes the flag where it is still what was read: somebody may have pulled the kill switch meanwhile."""
    try:
        if store is None:
            action = _flag_over(place, flag, kept)
            yield from send("legacy", "PutItem", action.body(place.moving.ledger))
            return
        if _told(store) == prior:
            _asked(lambda: store.set(READS, flag))
            return
    except ConditionalCheckFailed:
        pass
    raise ConcurrentModificationError(
        "Somebody else changed the flag at the same time, or pulled the kill switch.",
        hint="Look at the flag; another switch() overrules it.",
    )


def _flag_over(place: Place, flag: Flag, kept: Item | None) -> Action:
    key = ledger.record_id(place, READS)
    changes = int((kept or {}).get(_CHANGES, {"N": "0"})["N"])
    item: Item = {
        **key,
        "percent": {"N": str(flag.percent)},
        "killed": {"BOOL": flag.killed},
        _CHANGES: {"N": str(changes + 1)},
    }
    return Action("Put", key, item=item, condition=_same_flag(kept))


def _same_flag(kept: Item | None) -> ast.Condition:
    """That nobody has written the flag since it was read. Its number tells a kill from the one before; records of older
    processes have none."""
    return unchanged(("percent", "killed", _CHANGES), (ledger.ID,), kept)
