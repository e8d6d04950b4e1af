"""unused-index: nobody reads an index that every write pays for."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.observe.judging import DAY, called, design_of, in_code, lasted, listed, percent, priced, share_of
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.snapshot import TABLE, Snapshot
from tablewright.wording import counted

_UNUSED = 7 * DAY
_PERHAPS = 1 * DAY
_ENOUGH = 100


class UnusedIndex(Rule):
    """Nobody reads an index that every write pays for.

    Each write of an item that is in an index is paid once more for it, and what it holds is stored once more.

    It fires when an index was not read in seven days in which somebody looked: the spans of observation after its last read
    are added up, and gaps between them count for nothing. After a day without a single read, and less than seven days, it says
    so as info, because jobs may run once a week. Nothing is said as long as fewer than 100 requests were seen: a table that
    nobody uses tells nothing of its indexes. What reads it in PartiQL is seen as well.

    Remove the index, after asking whoever else reads the table, whom nobody observed. Declared patterns that read it are named,
    and would no longer be served. A local index lives as long as its table, and is told as info after seven days: it can only
    be left out of a new one.

    > GSI2 was not read in the 9 days observed, and took 31% of all write units.
    """

    name = "unused-index"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        snapshot = seen.snapshot
        if snapshot.requests < _ENOUGH:
            return
        design = design_of(seen)
        for index in _known(snapshot, design):
            last = _last_read(snapshot, index)
            unread = sum(max(0.0, until - max(since, last)) for since, until in snapshot.spans)
            model = None if design is None else design.table.indexes.get(index)
            removable = model is None or not model.local
            if unread >= _UNUSED or (unread >= _PERHAPS and not last and removable):
                yield _told(seen, design, index, unread, local=not removable)

    def waits_for(self, seen: Observed) -> str | None:
        snapshot = seen.snapshot
        never = [i for i in _known(snapshot, design_of(seen)) if not _last_read(snapshot, i)]
        if not never:
            return None
        if snapshot.requests < _ENOUGH:
            return f"{_ENOUGH} requests"
        if snapshot.seconds < _PERHAPS:
            return f"a day without a read of {listed(never)}, and to be sure for seven"
        return None


def _known(snapshot: Snapshot, design: Design | None) -> list[str]:
    """The indexes of the model; and those that are paid for or were seen, where the model does not know them."""
    told = [] if design is None else list(design.table.indexes)
    told += [name for name in (*snapshot.billing.ready, *snapshot.places) if name != TABLE]
    told += [name for t in snapshot.traffic for name in t.index_units]
    return list(dict.fromkeys(told))


def _last_read(snapshot: Snapshot, index: str) -> float:
    """When it was last read; 0 if never."""
    place = snapshot.places.get(index)
    times = [t.last for t in snapshot.traffic if t.index == index]
    return max([0.0 if place is None else place.last_used, *times])


def _told(seen: Observed, design: Design | None, index: str, unread: float, *, local: bool) -> Recommendation:
    snapshot = seen.snapshot
    units = sum(t.index_units.get(index, 0.0) for t in snapshot.traffic)
    share = share_of(units, sum(t.write_units for t in snapshot.traffic))
    sure = unread >= _UNUSED
    took = f", and took {percent(share)} of all write units" if units else ""
    figures = f"It was not read in {lasted(unread)}"
    if units:
        figures += f"; writes put {counted(round(units, 1), 'write unit')} into it{priced(seen, writes=units)}"
    readers = () if design is None else called(design.readers(index))
    asks = f" {listed(readers)} {'reads' if len(readers) == 1 else 'read'} it by the model." if readers else ""
    if local:
        action = "A local index lives as long as its table: leave it out when the table is made anew."
    elif sure:
        action = "Remove it, once nobody else who reads the table needs it."
    else:
        action = "Look for longer, a week at least: what runs once a week was perhaps not seen. Then remove it."
    return Recommendation(
        rule=UnusedIndex.name,
        severity="warning" if sure and not local else "info",
        category="cost",
        subject=index,
        message=f"{index} was not read in the {lasted(unread)} observed{took}.",
        details=f"{figures}.{asks}",
        action=action,
        code=None if local else _removal(snapshot.table, index),
        affected=readers,
        breaks=readers,
        saves=share if units and not local else None,
        evidence={"seconds": unread, "write_units": units, "share": share, "local": str(local).lower()},
        impact=share,
        effort=2,
    )


def _removal(table: str, index: str) -> str:
    update = f'[{{"Delete": {{"IndexName": {in_code(index)}}}}}]'
    return (
        f"# leave GSI({in_code(index)}) out of the model, then\n"
        f'boto3.client("dynamodb").update_table(TableName={in_code(table)}, GlobalSecondaryIndexUpdates={update})'
    )
