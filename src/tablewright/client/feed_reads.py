"""The read behind a change feed: an index by time, of one entity or shared by several, each item as what it is."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from tablewright.client.context import Context
from tablewright.client.pages import QueryReader
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.fields import UPDATED
from tablewright.compiler.reads import CollectionPart, MixedPlan, QueryPlan
from tablewright.compiler.sortkeys import NativeSort, TemplateSort
from tablewright.errors import ArgumentError, PatternError, UnknownEntityTypeError
from tablewright.model.comparing import updated
from tablewright.model.entity import Entity
from tablewright.model.operations import Mixed, Query, query
from tablewright.values.types import Item
from tablewright.values.wire import dumps

E = TypeVar("E", bound=Entity)

FIRST = datetime(1, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


class FeedRead(Struct, frozen=True, eq=False):
    """What a feed reads from a time on, tombstones included."""

    context: Context
    compiled: QueryPlan | MixedPlan
    arguments: Mapping[str, Any]

    @property
    def order(self) -> tuple[str, ...]:
        """The attributes that changes are sorted by."""
        return self.compiled.order

    def reader(self) -> QueryReader:
        """Reads the feed in the order of time."""
        compiled, arguments = self.compiled, self.arguments
        wanted = compiled.wanted(arguments, self.context.plan.by_type) if isinstance(compiled, MixedPlan) else None
        return QueryReader(self.context, compiled, arguments, wanted)

    def from_the_end(self) -> QueryReader:
        """The same, the newest first."""
        turned: QueryPlan | MixedPlan
        if isinstance(self.compiled, MixedPlan):
            turned = _with_queries(self.compiled, lambda q: replace(q, descending=True))
        else:
            turned = replace(self.compiled, descending=True)
        return replace(self, compiled=turned).reader()

    def plan_of(self, item: Item) -> EntityPlan:
        """What an item of the feed is."""
        return self._part(item).plan

    def time_of(self, item: Item) -> int:
        """The time that an item stands at in the index, in microseconds."""
        sort = self._part(item).served.sort
        if isinstance(sort, TemplateSort):
            moment = sort.key.decode(item[sort.key.attribute.name])[UPDATED]
        else:
            assert isinstance(sort, NativeSort)
            assert sort.ranged is not None
            moment = sort.ranged.decode(item[sort.ranged.attribute.name])[UPDATED]
        return int((moment - FIRST) / MICROSECOND)

    def binding(self) -> str:
        """What the feed's cursors are bound to: its requests, what it hands out of them, and the tenant."""
        requests = [q.request() for q in self.compiled.queries(self.arguments, self.context.table)]
        if isinstance(self.compiled, MixedPlan):
            requests.append({"types": sorted(p.query.plan.type_name for p in self.compiled.parts)})
        digest = hashlib.sha256(dumps(requests)).hexdigest()
        return f"feed/{self.context.table}/{self.context.options.tenant or ''}/{digest}"

    def _part(self, item: Item) -> QueryPlan:
        if not isinstance(self.compiled, MixedPlan):
            return self.compiled
        for part in self.compiled.parts:
            if part.query.plan.owns(item):
                return part.query
        tag = item.get(self.context.plan.table.names.type, {}).get("S")
        raise UnknownEntityTypeError(
            "The feed holds an item of a type that the model does not know.",
            hint="Define an entity for it, or leave such items out: (query(...) | query(...)).skipping_unknown().",
            context={"type": tag},
        )


def feed_read(context: Context, what: type[E] | Mixed[E], conditions: Sequence[bool], low: datetime) -> FeedRead:
    """The feed of an entity, or of several that one index sorts together, from a time on."""
    if not isinstance(what, Mixed):
        return FeedRead(context, _of_one(context, what, conditions, low), {})
    if conditions:
        raise ArgumentError(
            "changes() of several entities takes no conditions beside them.",
            hint="Each query has its own: changes(query(Note, Note.user == u) | query(Folder, Folder.user == u)).",
        )
    if any(q.descending or q.page_limit is not None for q in what.queries):
        raise ArgumentError(
            "A feed is in the order of time, and limit= says how much of it is wanted.",
            hint="Leave newest_first() and per_page() out of its queries.",
        )
    return FeedRead(context, _together(context, what, low), what.arguments)


def _of_one(context: Context, entity: type[Entity], conditions: Sequence[bool], low: datetime) -> QueryPlan | MixedPlan:
    described = _from(query(entity, *conditions), low)
    try:
        compiled = context.compiled(described)
    except PatternError as error:
        try:  # if only others are in the way, they can be left out by their type
            return _together(context, Mixed((query(entity, *conditions),)), low)
        except PatternError:
            raise _refused(entity.__name__, error) from None
    assert isinstance(compiled, QueryPlan)
    return _with_tombstones(compiled)


def _together(context: Context, feed: Mixed[Any], low: datetime) -> MixedPlan:
    names = " and ".join(dict.fromkeys(q.entity.__name__ for q in feed.queries))
    described = replace(feed, queries=tuple(_from(q, low) for q in feed.queries), compiled=None)
    try:
        compiled = context.compiled(described)
        assert isinstance(compiled, MixedPlan)
        if len({keys.low for keys in compiled.ranges(feed.arguments)}) > 1:
            raise PatternError("the sort keys of the index have different texts before {updated_at}.")
    except PatternError as error:
        refused = _refused(names, error)
        if feed.strong or any(q.strong for q in feed.queries):
            refused.hint = "Leave .consistent() out, unless a local index sorts them by time."
        raise refused from None
    return _with_queries(compiled, _with_tombstones)


def _from(read: Query[Any], low: datetime) -> Query[Any]:
    moved: Query[Any] = read.when(low, lambda moment: updated(read.entity) >= moment)
    return moved


def _refused(names: str, error: PatternError) -> PatternError:
    return PatternError(
        f"The changes of {names} cannot be read in order: {error.message}",
        hint='Give it an index by time, such as GSI1=("CHANGES#{tenant}", "{updated_at}#{id}"), and fix the '
        "fields of its partition.",
    )


def _with_tombstones(compiled: QueryPlan) -> QueryPlan:
    return replace(compiled, plan=replace(compiled.plan, hides=None))  # tombstones are changes, too


def _with_queries(compiled: MixedPlan, change: Any) -> MixedPlan:
    parts = tuple(CollectionPart(p.name, p.many, change(p.query)) for p in compiled.parts)
    return replace(compiled, parts=parts)
