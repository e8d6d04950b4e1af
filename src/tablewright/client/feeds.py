"""Change feeds: what was written since a cursor, read from an index by time, in order and each change once.

Times are written by many clocks and become visible late, so a feed reads again from a little before the last time it
handed out, and its cursor remembers what it has handed out since then.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from tablewright.client.calls import Steps
from tablewright.client.context import Context
from tablewright.client.pages import QueryReader
from tablewright.client.targets import Key
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.fields import UPDATED
from tablewright.compiler.reads import QueryPlan
from tablewright.compiler.sortkeys import NativeSort, TemplateSort
from tablewright.errors import ArgumentError, PatternError
from tablewright.model.comparing import updated
from tablewright.model.entity import Entity
from tablewright.model.operations import Query, query
from tablewright.values.types import Item
from tablewright.values.wire import dumps

E = TypeVar("E", bound=Entity)
E_co = TypeVar("E_co", bound=Entity, covariant=True)

OVERLAP = timedelta(seconds=10)
_FIRST = datetime(1, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DIGEST = 12


class Changed(Struct, Generic[E_co], frozen=True):
    """One change: the item as it is now, or, if it was deleted, as it was (None where its tombstone could not keep it)."""

    entity: E_co | None
    key: Key[E_co]
    at: datetime
    deleted: bool


class ChangePage(Struct, Generic[E_co], frozen=True):
    """Some changes in the order of their times, and the cursor to ask for the next ones with, now or next year."""

    items: tuple[Changed[E_co], ...]
    cursor: str
    has_more: bool
    """Whether there were more already. If not, ask again later."""


class _Position(Struct, array_like=True):
    """Everything before `low` was handed out, and of what came after it, `seen`; `high` is the last time handed out."""

    low: int = 0
    high: int = 0
    seen: list[tuple[int, bytes]] = []


def read_changes(
    context: Context, entity: type[E], conditions: Sequence[bool], since: str | None, limit: int, overlap: timedelta
) -> Steps[ChangePage[E]]:
    """The changes after a cursor; without one, everything that there is."""
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise ArgumentError("A page of changes holds at least one.", constraint="limit >= 1")
    if not isinstance(overlap, timedelta) or overlap < timedelta(0):
        raise ArgumentError("overlap is a timedelta of 0 or more.", constraint="overlap >= 0")
    whole = _feed(context, entity, conditions, _FIRST)
    binding = _binding(context, whole)
    position = _Position() if since is None else _Position(*context.seal.open(binding, since))
    compiled = whole if since is None else _feed(context, entity, conditions, _FIRST + position.low * _MICROSECOND)
    seen = {bytes(digest) for _, digest in position.seen}
    found: list[tuple[int, bytes, Item]] = []
    reader = QueryReader(context, compiled, {})
    while len(found) <= limit and not reader.done:
        for item in (yield from reader.more()):
            digest = hashlib.blake2b(dumps(sorted(item.items())), digest_size=_DIGEST).digest()
            if digest not in seen:
                found.append((_time_of(compiled, item), digest, item))
    page = found[:limit]
    after = _moved_on(position, page, int((context.options.clock() - _FIRST) / _MICROSECOND), overlap)
    cursor = context.seal.seal(binding, [after.low, after.high, after.seen])
    items = tuple(_changed(compiled.plan, entity, item, _FIRST + at * _MICROSECOND) for at, _, item in page)
    return ChangePage(items, cursor, len(found) > limit)


def _moved_on(position: _Position, page: list[tuple[int, bytes, Item]], now: int, overlap: timedelta) -> _Position:
    # A clock that is far ahead must not carry the feed past what everybody else is about to write.
    high = max([position.high, *(min(at, now) for at, _, _ in page)])
    low = max(position.low, high - int(overlap / _MICROSECOND))
    handed_out = [*position.seen, *((at, digest) for at, digest, _ in page)]
    return _Position(low, high, [(at, digest) for at, digest in handed_out if at >= low])


def _feed(context: Context, entity: type[E], conditions: Sequence[bool], low: datetime) -> QueryPlan:
    described: Query[E] = query(entity, *conditions, updated(entity) >= low)
    try:
        compiled = context.compiled(described)
    except PatternError as error:
        raise PatternError(
            f"The changes of {entity.__name__} cannot be read in order: {error.message}",
            hint='Give it an index by time, such as GSI1=("CHANGES#{tenant}", "{updated_at}#{id}"), and fix the '
            "fields of its partition.",
        ) from None
    assert isinstance(compiled, QueryPlan)
    return replace(compiled, plan=replace(compiled.plan, hides=None))  # tombstones are changes, too


def _binding(context: Context, whole: QueryPlan) -> str:
    requests = [q.request() for q in whole.queries({}, context.table)]
    digest = hashlib.sha256(dumps(requests)).hexdigest()
    return f"changes/{context.table}/{context.options.tenant or ''}/{digest}"


def _time_of(compiled: QueryPlan, item: Item) -> int:
    """The time that an item stands at in the index, in microseconds."""
    sort = compiled.served.sort
    if isinstance(sort, TemplateSort):
        moment = sort.key.decode(item[sort.key.attribute.name])[UPDATED]
    else:
        assert isinstance(sort, NativeSort)
        assert sort.ranged is not None
        moment = sort.ranged.decode(item[sort.ranged.attribute.name])[UPDATED]
    return int((moment - _FIRST) / _MICROSECOND)


def _changed(plan: EntityPlan, entity: type[E], item: Item, at: datetime) -> Changed[E]:
    names, key = plan.names, plan.key_of_item(item)
    fields: dict[str, Any] = {}
    for part in (plan.pk, plan.sk):
        if part is not None:
            fields |= part.decode(key[part.attribute.name])
    if names.deleted not in item or plan.options.soft_delete is None:
        found: E = plan.decode(item)
        return Changed(found, Key(entity, fields), at, deleted=False)
    remains = item.get(names.remains, {}).get("M")
    before: E | None = None if remains is None else plan.decode({**remains, **key})
    return Changed(before, Key(entity, fields), at, deleted=True)
