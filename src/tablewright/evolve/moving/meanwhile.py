"""What a process knows of a moving that goes on: the phase and the flag, re-read every few seconds, and what follows from them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace

from tablewright.compiler.wirecodec import format_datetime
from tablewright.errors import AlreadyExistsError, ArgumentError, NotFoundError, TablewrightError
from tablewright.evolve.moving import phases
from tablewright.evolve.moving.expiring import without_expired
from tablewright.evolve.moving.flags import Flag, FlagStore
from tablewright.evolve.moving.late import Late, Wins
from tablewright.evolve.moving.phases import Phase, Progress
from tablewright.evolve.moving.reading import E, Read
from tablewright.evolve.moving.shadowing import Shadow, differences
from tablewright.evolve.moving.sides import Place, Side, Walk
from tablewright.evolve.moving.writing import Wish, Written, key_in, write
from tablewright.values.types import Item
from tablewright.values.wire import from_wire_item, to_wire_item

_chosen: ContextVar[tuple[object, Phase] | None] = ContextVar("chosen", default=None)
"""The phase in which a function of the user's was called to write, for whom."""


class Meanwhile:
    """What both sessions share: no I/O, and every decision."""

    def __init__(
        self, place: Place, clock: Callable[[], datetime], timer: Callable[[], float], flags: FlagStore | None
    ) -> None:
        self.place = place
        self.clock = clock
        self.timer = timer
        self.flags = flags
        self.shadow = Shadow()
        self._known: tuple[Progress, Flag, float] | None = None
        self._begun: tuple[Phase, float] | None = None

    def know(self, *, anew: bool = False) -> Walk[tuple[Phase, Flag]]:
        """The phase that holds and the flag, at most `refresh` seconds old; twice that while they cannot be read."""
        now, refresh = self.clock().timestamp(), self.place.moving.refresh
        known = self._known
        if known is None or anew or not 0 <= now - known[2] < refresh:
            try:
                progress = yield from phases.read_progress(self.place)
                flag = yield from phases.read_flag(self.place, self.flags)
                known = self._known = (progress, flag, now)
            except TablewrightError:
                if known is None or anew or not 0 <= now - known[2] < 2 * refresh:
                    raise
        return self._phase(known[0], now), known[1]

    def _phase(self, progress: Progress, now: float) -> Phase:
        """The phase that holds; one that this process has begun with is not left because its clock is put back."""
        change = (progress.phase, progress.since)
        if self._begun != change and now >= progress.since:
            if self._begun is not None:
                self.shadow.forget_untold()
            self._begun = change
        if self._begun == change:
            return progress.phase
        return progress.before

    # ------------------------------------------------------------------------------------------------- writing

    @contextmanager
    def chosen(self, phase: Phase) -> Iterator[None]:
        """What is written here began in this phase, and may end in it: the function that writes was chosen by it."""
        token = _chosen.set((self, phase))
        try:
            yield
        finally:
            _chosen.reset(token)

    def write(
        self,
        table: str,
        key: Mapping[str, Any],
        wish: Wish,
        *,
        looks: bool = False,
        named: Collection[str] | None = None,
    ) -> Walk[Written]:
        """A write of the application, as the phase says."""
        phase, _ = yield from self.know()
        if phase == "new" and _chosen.get() == (self, "switched"):
            phase = "switched"  # as of a write that takes long: it looks at what was written since
        if phase == "new":
            raise ArgumentError(
                "Legacy tables are written no more in the phase 'new'.",
                hint="Write entities by the session's db, or both ways by write(legacy=..., new=...).",
            )
        # Once both sides answer readers, a write that only one of them has would show.
        both, lenient = phase != "legacy", phase != "switched"
        late = self._late(phase)
        return (
            yield from write(
                self.place, table, key, wish, both=both, lenient=lenient, looks=looks, named=named, late=late
            )
        )

    def late(self, wins: Wins | None) -> Walk[Late | None]:
        """How notes have to be settled now: with regard to what was written to the new table alone, if it may have been."""
        phase, _ = yield from self.know(anew=True)
        late = Late(self._alone_since(), wins) if phase == "new" else self._late(phase, wins)
        if late is None and wins is not None:
            raise ArgumentError("Which side wins is a question of the phase 'new'; before it, legacy tables are right.")
        return late

    def _late(self, phase: Phase, wins: Wins | None = None) -> Late | None:
        """The same where both sides are written: just before others write the new table alone, and while legacy tables are behind."""
        progress = Progress() if self._known is None else self._known[0]
        if phase == "switched" and (progress.behind or progress.phase == "new"):
            return Late(self._alone_since(), wins)
        return None

    def _alone_since(self) -> str:
        progress = Progress() if self._known is None else self._known[0]
        return format_datetime(datetime.fromtimestamp(progress.alone_since or progress.since, UTC))

    def create(self, table: str, item: Mapping[str, Any]) -> Walk[Written]:
        """A new item."""
        wire = to_wire_item(item)

        def wish(old: Item | None) -> Item:
            if old is not None:
                raise AlreadyExistsError(f"{table} has an item with this key.", hint="Use put() to replace it.")
            return wire

        return (yield from self.write(table, key_in(self.place, table, item), wish))

    def put(self, table: str, item: Mapping[str, Any]) -> Walk[Written]:
        """A whole item, whatever was there."""
        wire = to_wire_item(item)
        return (yield from self.write(table, key_in(self.place, table, item), lambda old: wire))

    def update(
        self, table: str, key: Mapping[str, Any], changes: Mapping[str, Any] | None, remove: Iterable[str]
    ) -> Walk[Written]:
        """Changes of some attributes."""
        wire, gone = to_wire_item(changes or {}), frozenset(remove)
        self._refuse_keys(table, wire.keys() | gone)
        wish = _existing(table, lambda o: {n: v for n, v in o.items() if n not in gone} | wire)
        return (yield from self.write(table, key, wish, named=wire.keys() | gone))

    def revise(
        self, table: str, key: Mapping[str, Any], function: Callable[[dict[str, Any]], Mapping[str, Any]]
    ) -> Walk[Written]:
        """Read, change, write."""

        def changed(old: Item) -> Item:
            new = to_wire_item(function(from_wire_item(old)))
            if any(new.get(n) != old[n] for n in self.place.moving.keys[table]):
                raise ArgumentError(f"The function changed the key of an item of {table}.")
            return new

        return (yield from self.write(table, key, _existing(table, changed), looks=True))

    def delete(self, table: str, key: Mapping[str, Any]) -> Walk[Written]:
        """No item."""
        return (yield from self.write(table, key, lambda old: None))

    def _refuse_keys(self, table: str, names: Iterable[str]) -> None:
        for name in {*names} & {*self.place.moving.keys.get(table, ())}:
            raise ArgumentError(f"{name!r} is part of the key of {table}.", field=name)

    # ------------------------------------------------------------------------------------------------- reading

    def sides(self, subject: str) -> Walk[tuple[Side, bool]]:
        """Which side answers a subject, and whether the other one is asked too."""
        phase, flag = yield from self.know()
        if phase == "new":
            return "new", False
        if phase == "switched" and flag.on(subject):
            return "new", False
        return "legacy", phase == "shadow"

    def compare(self, read: Read[E], legacy: Sequence[E], new: Sequence[E]) -> list[str]:
        """In which ways two answers differ, but for what has expired."""
        table, now = self.place.moving.table, self.place.now()
        sides = (without_expired(table, answer, now) for answer in (legacy, new))
        return differences(table, *sides, ordered=read.ordered)

    def tell(self) -> Walk[Progress]:
        """Adds what was compared here to what the ledger knows."""
        phase, _ = yield from self.know(anew=True)
        if phase != "shadow":
            return (yield from phases.read_progress(self.place))
        begun, counts = self._begun, self.shadow.untold()

        def change(old: Progress) -> Progress:
            if (old.phase, old.since) != begun:
                return old
            return replace(old, compared=old.compared + counts[0], differed=old.differed + counts[1])

        try:
            return (yield from phases.change_progress_anyhow(self.place, change))  # many processes tell at once
        except TablewrightError:
            self.shadow.untell(counts)
            raise

    def in_phase(self, what: str, *allowed: Phase) -> Walk[Progress]:
        """Refuses what does not belong to the phase that holds."""
        phase, _ = yield from self.know(anew=True)
        if phase not in allowed:
            raise ArgumentError(
                f"{what} does not belong to the phase {phase!r}.",
                hint=f"It belongs to {' and '.join(allowed)}; advance() leads to the next phase.",
            )
        return (yield from phases.read_progress(self.place))


def _existing(table: str, change: Callable[[Item], Item]) -> Wish:
    def wish(old: Item | None) -> Item:
        if old is None:
            raise NotFoundError(f"{table} has no item with this key.", hint="Use create() or put() for a new one.")
        return change(old)

    return wish
