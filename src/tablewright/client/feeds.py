"""Change feeds: what was written since a cursor, read from an index by time, in order and each change once.

Times are written by many clocks and become visible late, so a feed goes through them in rounds: the next one begins a
little before the newest time that the last one met, and the cursor remembers what was handed out since then. Within a
round, a page goes on where the last one ended.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from msgspec import Struct

from tablewright.client.calls import Steps
from tablewright.client.context import Context
from tablewright.client.cursors import begins
from tablewright.client.decoding import key_in
from tablewright.client.feed_reads import FIRST, MICROSECOND, FeedRead, feed_read
from tablewright.client.targets import Key
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import ArgumentError
from tablewright.model.entity import Entity
from tablewright.model.operations import Mixed
from tablewright.values.types import Item
from tablewright.values.wire import dumps

E = TypeVar("E", bound=Entity)
E_co = TypeVar("E_co", bound=Entity, covariant=True)

_SECOND = 1_000_000
_DIGEST = 8
_MORE = 4
"""How much more each request of a page asks for than the one before, while all that comes was told already."""


class Changed(Struct, Generic[E_co], frozen=True):
    """One change: the item as it is now, or, if it was deleted, as it was (None where its tombstone could not keep it)."""

    entity: E_co | None
    """The item."""
    key: Key[E_co]
    """Its primary key."""
    at: datetime
    """When it was written, or deleted."""
    deleted: bool
    """Whether it was deleted."""


class ChangePage(Struct, Generic[E_co], frozen=True):
    """Some changes in the order of their times, and the cursor to ask for the next ones with, now or next year."""

    items: tuple[Changed[E_co], ...]
    """The changes, oldest first."""
    cursor: str
    """What to give to `since` next time."""
    has_more: bool
    """Whether there were more already. If not, ask again later."""


class _Position(Struct, array_like=True):
    """Where a feed is. Everything before `low` was told for good; this round, which began there, goes on behind the keys
    in `after`; the next one begins at `floor`. `told` has the digests of what was told since, by the second."""

    low: int = 0
    floor: int = 0
    after: Item | None = None
    told: dict[int, bytes] = {}

    def digests(self) -> set[bytes]:
        """All that was told."""
        return {d[n : n + _DIGEST] for d in self.told.values() for n in range(0, len(d), _DIGEST)}


class _Found(Struct):
    """An item of the feed: the time that it stands at in the index, its digest, and whether it was told before."""

    at: int
    digest: bytes
    item: Item
    known: bool


def read_changes(
    context: Context,
    what: type[E] | Mixed[E],
    conditions: Sequence[bool],
    since: str | None,
    limit: int,
    overlap: timedelta,
) -> Steps[ChangePage[E]]:
    """The changes after a cursor; without one, everything that there is."""
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise ArgumentError("A page of changes holds at least one.", constraint="limit >= 1")
    if not isinstance(overlap, timedelta) or overlap < timedelta(0):
        raise ArgumentError("overlap is a timedelta of 0 or more.", constraint="overlap >= 0")
    whole = feed_read(context, what, conditions, FIRST)
    binding = whole.binding()
    position = _Position() if begins(since) else _Position(*context.seal.open(binding, since))
    feed = whole if begins(since) else feed_read(context, what, conditions, FIRST + position.low * MICROSECOND)
    found, has_more = yield from _read(feed, position, limit)
    now, span = int((context.options.clock() - FIRST) / MICROSECOND), int(overlap / MICROSECOND)
    after = _moved_on(position, found, feed.order if has_more else None, now, span)
    if has_more and after.after is None:  # another round begins at once: how far is everything there by now?
        newest = yield from feed.from_the_end().first()
        if newest is not None:
            after.floor = max(after.low, min(feed.time_of(newest), now) - span)
    cursor = context.seal.seal(binding, [after.low, after.floor, after.after, after.told])
    items = tuple(_changed(feed.plan_of(f.item), f.item, FIRST + f.at * MICROSECOND) for f in found if not f.known)
    return ChangePage(items, cursor, has_more)


def _read(feed: FeedRead, position: _Position, limit: int) -> Steps[tuple[list[_Found], bool]]:
    """What there is up to the end of a page of new changes, and whether more is behind it."""
    told, found, new = position.digests(), list[_Found](), 0
    # One is the item to go on behind, one shows that there is more, and one that the items of its instant are complete.
    reader, size = feed.reader(), limit + 3
    reader.in_order(after=position.after)
    while not reader.done:
        for item in (yield from reader.more(size)):
            digest = hashlib.blake2b(dumps(_settled(item)), digest_size=_DIGEST).digest()
            known = digest in told
            if not known and new == limit:
                return found, True
            new += not known
            found.append(_Found(feed.time_of(item), digest, item, known))
        size *= _MORE
    return found, False


def _moved_on(position: _Position, found: list[_Found], order: Sequence[str] | None, now: int, span: int) -> _Position:
    """Where the feed is after a page; `order` are the keys to go on by, None at the end of what there is."""
    new = [f for f in found if not f.known]
    if order is not None and new[-1].at <= position.floor + span:
        last = found[-1]
        after = {name: last.item[name] for name in order}
        return _Position(position.low, position.floor, after, _kept(position, new, min(last.at, position.floor)))
    low = position.floor
    if position.after is None:  # all of it was read at once. A clock that is far ahead must not carry the feed away.
        low = max([low, *(min(f.at, now) - span for f in found)])
    return _Position(low, low, None, _kept(position, new, low))


def _kept(position: _Position, new: Iterable[_Found], low: int) -> dict[int, bytes]:
    kept = dict(position.told)
    for found in new:
        second = found.at // _SECOND
        kept[second] = kept.get(second, b"") + found.digest
    return {second: digests for second, digests in kept.items() if (second + 1) * _SECOND > low}


def _changed(plan: EntityPlan, item: Item, at: datetime) -> Changed[Any]:
    names, key = plan.names, key_in(plan, item)
    if names.deleted not in item or plan.options.soft_delete is None:
        return Changed(plan.decode(item), key, at, deleted=False)
    remains = item.get(names.remains, {}).get("M")
    before = None if remains is None else plan.decode({**remains, **plan.key_of_item(item)})
    return Changed(before, key, at, deleted=True)


def _settled(item: Item) -> list[tuple[str, Any]]:
    """An item in one order, whatever the order in which sets and maps came."""
    return sorted((name, _in_order(av)) for name, av in item.items())


def _in_order(av: Any) -> Any:
    ((tag, value),) = av.items()
    if tag == "M":
        return {tag: dict(_settled(value))}
    if tag == "L":
        return {tag: [_in_order(member) for member in value]}
    return {tag: sorted(value)} if tag in ("SS", "NS", "BS") else av
