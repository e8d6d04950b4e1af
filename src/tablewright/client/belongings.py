"""What belongs to somebody, listed and erased: along the patterns that lead to it, page by page.

A list goes from the top down, and can go on anywhere. Erasing goes from the bottom up: whatever leads to others is deleted
after them, and the owner last. So what is left can always be found from the beginning, and nobody has to remember how far
it got. What must hold of the owner meanwhile is checked with every delete, since whoever has the same id next is another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from tablewright.client import hooks
from tablewright.client.batches import delete_keys, only_deleted
from tablewright.client.calls import Steps, check_function
from tablewright.client.collections import PAGE, Deleted, holding, stays
from tablewright.client.context import Context
from tablewright.client.cursors import begins
from tablewright.client.fetching import fetch_item
from tablewright.client.operations import Order, own_condition, plan_delete
from tablewright.client.pages import DEFAULT_PAGE, Partition, check_count
from tablewright.client.performing import commit, perform
from tablewright.client.stumbling import Stumbling
from tablewright.client.targets import Resolved
from tablewright.client.transacting import MAX_BYTES
from tablewright.client.unsaid import UNSET
from tablewright.client.writes.action import same_key
from tablewright.client.writes.base import Write
from tablewright.client.writes.delete import Delete, Standing
from tablewright.client.writes.tombstone import Purge
from tablewright.compiler.belongings import BelongingsPlan, Lead
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.paths import KeyPath
from tablewright.compiler.reads import CollectionPlan, GetPlan, KeyQuery
from tablewright.errors import ArgumentError, NotFoundError
from tablewright.expressions import ast, evaluate
from tablewright.model.belongings import Owned
from tablewright.model.results import Capacity
from tablewright.values.sizes import item_size
from tablewright.values.types import Item
from tablewright.values.wire import dumps

Values: TypeAlias = Mapping[str, Any]
_TOGETHER = 25
"""Deletes in one transaction: as many as in a batch. Whoever writes to one of the items meanwhile delays them all."""


class Source(Struct, frozen=True, eq=False):
    """One partition to read, which of its items are meant, and the key that leads there."""

    query: KeyQuery
    path: KeyPath
    meant: Callable[[Item], bool]


def _sources(context: Context, lead: Lead, values: Values) -> list[Source]:
    """What a pattern reads for these values: consistently where that can be, and with everything that reads hide."""
    read, arguments = lead.read, {name: values[name] for name in lead.needs}
    path = read.served.path
    queries: Sequence[KeyQuery]
    if isinstance(read, CollectionPlan):
        sort = path.sk[0].attribute.name
        ranges = read.ranges(arguments)
        parts = [(p.query.plan, keys) for p, keys in zip(read.parts, ranges, strict=True)]
        queries = [] if all(keys.empty for keys in ranges) else read.each_partition(arguments, context.table)

        def meant(item: Item) -> bool:
            return any(plan.owns(item) and item[sort]["S"] in keys for plan, keys in parts)
    else:
        meant = read.plan.owns
        key = read.key(arguments) if isinstance(read, GetPlan) else None
        queries = [_only(context, key, read.pattern)] if key is not None else read.queries(arguments, context.table)
    strong = _at_once(path)
    return [Source(replace(q, filter=None, strong=strong, descending=False), path, meant) for q in queries]


def _only(context: Context, key: Item, pattern: str | None) -> KeyQuery:
    terms = [ast.Compare("=", ast.Attribute((name,)), ast.Value(value)) for name, value in key.items()]
    return KeyQuery(context.table, None, tuple(terms), pattern=pattern)


def _below(context: Context, plan: BelongingsPlan, item: Item) -> Iterator[Source]:
    """What an item leads to; an optional field without a value leads nowhere."""
    tag = item[context.plan.table.names.type]["S"]
    for lead in plan.below.get(tag, ()):
        values = context.plan.by_type[tag].values_in(item, lead.needs)
        if None not in values.values():
            yield from _sources(context, lead, values)


# ---------------------------------------------------------------------------------------------------- listing


class _Level(Struct, eq=False):
    """Sources one after another, and how far they were read."""

    sources: list[Source]
    number: int = 0
    last: Item | None = None
    """The key of the last item that was passed on; none of this source yet."""
    partition: Partition | None = None

    def next(self, limit: int) -> Steps[Item | None]:
        """The next item; None at the end."""
        while self.number < len(self.sources):
            source = self.sources[self.number]
            if self.partition is None:
                self.partition = Partition(source.query, check=source.meant, start=self.last)
            while not self.partition.buffer and not self.partition.exhausted:
                yield from self.partition.fetch(limit)
            if self.partition.buffer:
                item = self.partition.buffer.pop(0)
                self.last = {name: item[name] for name in _names(source.path)}
                return item
            self.number, self.last, self.partition = self.number + 1, None, None
        return None


def _names(path: KeyPath) -> set[str]:
    own = (path.plan.pk, *(() if path.plan.sk is None else (path.plan.sk,)))
    return {key.attribute.name for key in (*own, *path.pk, *path.sk)}


class OwnedReader:
    """Hands out what belongs to an owner: what the id leads to, and after each item all that lies below it."""

    def __init__(self, context: Context, owned: Owned) -> None:
        self._context = context
        self._plan = context.plan.belongings(checked(owned).belongings)
        self._arguments = owned.arguments
        self._levels = [_Level(self._top())]
        self.done = False
        self.scanned: int | None = None
        self.capacity: Capacity | None = None

    def _top(self) -> list[Source]:
        return [s for lead in self._plan.roots for s in _sources(self._context, lead, self._arguments)]

    def decode(self, item: Item) -> Any:
        """An item as what it is."""
        with Stumbling("Query", [item]):
            return self._context.plan.decode(item)

    def more(self) -> Steps[list[Item]]:
        """The next items."""
        return (yield from self.take(DEFAULT_PAGE))

    def first(self) -> Steps[Item | None]:
        """The first item."""
        return next(iter((yield from self.take(1))), None)

    def take(self, count: int) -> Steps[list[Item]]:
        """The next items, as many as asked for if there are."""
        check_count(count)
        items: list[Item] = []
        while len(items) < count and not self.done:
            item = yield from self._levels[-1].next(count)
            if item is None:
                self._levels.pop()
                self.done = not self._levels
                continue
            if self._of(item).alive(item) is not None:
                items.append(item)
            following = list(_below(self._context, self._plan, item))
            if following:
                self._levels.append(_Level(following))
        return items

    def page(
        self, limit: int | None, cursor: str | None, *, fill: bool = False
    ) -> Steps[tuple[list[Item], str | None]]:
        """Some items, and where to go on."""
        seal = self._context.seal
        if not begins(cursor):
            yield from self._go_to(seal.open(self._binding(), cursor))
        items = yield from self.take(DEFAULT_PAGE if limit is None else limit)
        if self.done:
            return items, None
        return items, seal.seal(self._binding(), [[level.number, level.last] for level in self._levels])

    def _go_to(self, position: Sequence[tuple[int, Item | None]]) -> Steps[None]:
        """Each level but the last stands at the item that the next one lies below; if that is gone, so is its level."""
        self._levels = []
        sources = self._top()
        for number, last in position:
            self._levels.append(_Level(sources, number, last))
            if len(self._levels) < len(position):
                assert last is not None
                names = [a.name for a in (self._context.plan.table.pk, self._context.plan.table.sk) if a is not None]
                item = yield from fetch_item(self._context, {name: last[name] for name in names}, strong=True)
                if item is None:
                    return
                sources = list(_below(self._context, self._plan, item))

    def _binding(self) -> str:
        requests = [source.query.request() for source in self._top()]
        digest = hashlib.sha256(dumps(requests))
        return f"{self._context.table}/{self._context.options.tenant or ''}/belongings/{digest.hexdigest()}"

    def count(self) -> Steps[int]:
        """How many there are."""
        total = 0
        while not self.done:
            total += len((yield from self.more()))
        return total

    def _of(self, item: Item) -> EntityPlan:
        return self._context.plan.by_type[item[self._context.plan.table.names.type]["S"]]


# ---------------------------------------------------------------------------------------------------- erasing


class _Eraser(Struct, eq=False):
    """An erasure under way."""

    context: Context
    plan: BelongingsPlan
    limit: int | None
    progress: Callable[[int], object] | None
    standing: Standing | None
    """What must hold of the owner as long as there is one."""
    count: int = 0
    waiting: list[tuple[Delete, int]] = field(default_factory=list)
    """Deletes to send together, and the sizes of their items."""
    gone: set[Hashable] = field(default_factory=set)
    """What an index led to and was deleted: it may go on telling of it for a while."""

    @property
    def enough(self) -> bool:
        """Whether this step has done its share."""
        return self.limit is not None and self.count + len(self.waiting) >= self.limit

    def erase(self, sources: Sequence[Source]) -> Steps[bool]:
        """Deletes what these sources hold, after what lies below each; whether nothing is left."""
        for source in sources:
            partition = Partition(source.query, check=source.meant)
            while not partition.exhausted:
                yield from partition.fetch(PAGE)
                for item in partition.take():
                    if not _at_once(source.path) and same_key(source.path.plan.key_of_item(item)) in self.gone:
                        continue
                    if self.enough or not (yield from self._erase_below(source, item)):
                        yield from self.flush()
                        return False
                    yield from self._delete(source, item)
                yield from self.flush()
        return True

    def _erase_below(self, source: Source, item: Item) -> Steps[bool]:
        following = list(_below(self.context, self.plan, item))
        if not following or not (yield from self._still_meant(source, item)):
            return True
        yield from self.flush()
        emptied = yield from self.erase(following)
        return emptied and not self.enough

    def _still_meant(self, source: Source, item: Item) -> Steps[bool]:
        """Whether an item still is the owner's: an index may tell what is true no longer, and what lies below is another's."""
        if stays(source.path):
            return True
        key = source.path.plan.key_of_item(item)
        current = yield from fetch_item(self.context, key, strong=True)
        return current is not None and evaluate(holding(source.path, item), current)

    def _delete(self, source: Source, item: Item) -> Steps[None]:
        plan = self.context.plan.by_type[item[self.context.plan.table.names.type]["S"]]
        key = plan.key_of_item(item)
        if not _at_once(source.path):
            self.gone.add(same_key(key))
        owner = self.standing is not None and key == self.standing.key
        condition = self.standing.condition if self.standing is not None and owner else None
        through = None if stays(source.path) else holding(source.path, item)
        if not owner and through is None and plan.hooks is None and only_deleted(plan):
            self.waiting.append((Delete(plan, key), item_size(item)))
            return
        yield from self.flush()
        values = hooks.key_fields(plan, key) if plan.hooks is not None else {}
        if plan.hides is not None:
            if plan.hooks is not None:
                hooks.before_delete(plan.hooks, values)
            write: Write = Purge(plan, key, condition, met_through=through)
        else:
            write = plan_delete(Order(plan, condition, UNSET), Resolved(plan, key, values, through=through))
        try:
            if self.standing is None or owner:
                yield from perform(self.context, write)
            else:
                yield from commit(self.context, [self.standing, write])
        except NotFoundError:  # an index told of it what is true no longer, or another was faster
            return
        self._tell(1)

    def flush(self) -> Steps[None]:
        """Sends the deletes that wait."""
        while self.waiting:
            number, size = 0, 0
            for _, more in self.waiting[: None if self.standing is None else _TOGETHER]:
                size += more
                if number and self.standing is not None and size > MAX_BYTES:
                    break
                number += 1
            writes, self.waiting = [write for write, _ in self.waiting[:number]], self.waiting[number:]
            if self.standing is None:
                yield from delete_keys(self.context, [write.key for write in writes])
            else:
                yield from commit(self.context, [self.standing, *writes])
            self._tell(number)

    def _tell(self, more: int) -> None:
        self.count += more
        if self.progress is not None:
            self.progress(self.count)


def erase(
    context: Context, owned: Owned, when: object, limit: int | None, progress: Callable[[int], object] | None
) -> Steps[Deleted]:
    """Deletes what belongs to an owner, the owner last."""
    plan = context.plan.belongings(checked(owned).belongings)
    if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool) or limit < 1):
        raise ArgumentError("erase(limit=...) is a number of items, at least one.", field="limit")
    if progress is not None:
        check_function("erase(progress=...)", progress, "Pass a function that takes a number of items.")
    standing = None if when is None else _standing(plan, owned, when)
    if standing is not None:
        error = standing.verdict(standing.seen((yield from fetch_item(context, standing.key, strong=True))))
        if error is not None:
            raise error
    eraser = _Eraser(context, plan, limit, progress, standing)
    owner, *others = plan.roots
    # What indexes lead to is read last, and twice: they are behind the table, and each moment counts.
    late = [lead for lead in others if not _at_once(lead.read.served.path)]
    first = [lead for lead in reversed(others) if lead not in late]
    for lead in (*first, *late, *late, owner):
        if not (yield from eraser.erase(_sources(context, lead, owned.arguments))):
            return Deleted(eraser.count, False)
    return Deleted(eraser.count, True)


def _at_once(path: KeyPath) -> bool:
    """Whether a read by this key shows everything that was written before."""
    return path.index is None or path.index.local


def _standing(plan: BelongingsPlan, owned: Owned, when: object) -> Standing:
    read = plan.roots[0].read
    key = read.key(owned.arguments) if isinstance(read, GetPlan) else None
    if not isinstance(read, GetPlan) or key is None:
        raise ArgumentError(
            "erase(when=...) needs an owner whose primary key is known.",
            hint="Let the first pattern of belongings() get the owner by the table's own key.",
            field="when",
        )
    return Standing(read.plan, key, own_condition(read.plan, when))


def checked(owned: Any) -> Owned:
    """Refuses what says not whose belongings are meant."""
    if not isinstance(owned, Owned):
        raise ArgumentError(
            f"{type(owned).__name__} is nobody's belongings.",
            hint='Declare them, everything_of = table.belongings(...), and say whose: everything_of("u1").',
        )
    return owned
