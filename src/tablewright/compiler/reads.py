"""Compiled reads: a get, a query or a collection, ready to become requests for given arguments."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any, ClassVar

from msgspec import Struct

from tablewright.compiler.conditions import conjunction, to_expression
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.selection import Arguments
from tablewright.compiler.served import Served
from tablewright.compiler.showing import Shown, ShownTerm, shown_equal
from tablewright.compiler.sortkeys import TemplateSort
from tablewright.errors import ArgumentError
from tablewright.expressions import ast
from tablewright.expressions.builder import ExpressionBuilder, all_of
from tablewright.model.annotations import plain, without_none
from tablewright.model.conditions import Condition, substitute
from tablewright.values.keycodec import KeyRange
from tablewright.values.types import Item

Request = dict[str, Any]


class KeyQuery(Struct, frozen=True, eq=False):
    """One Query request before it is written down: its key conditions, filter and flags."""

    table: str
    index: str | None
    terms: tuple[ast.Condition, ...]
    filter: ast.Condition | None = None
    strong: bool = False
    descending: bool = False
    projection: tuple[ast.Path, ...] = ()
    whole_items: bool = False
    """Fetch what a local index does not project."""
    pattern: str | None = None
    """The access pattern that it serves."""
    chosen: Mapping[str, Any] = {}
    """What chose this partition among several: a shard, a bucket, a value of a list."""

    def request(self, *, count: bool = False) -> Request:
        """The request, without a limit or start; with `count`, for the number of items instead of the items."""
        builder = ExpressionBuilder().key_condition(all_of(*self.terms))
        if self.filter is not None:
            builder.filter(self.filter)
        if self.projection and not count:
            builder.project(*self.projection)
        request: Request = {"TableName": self.table, **builder.build()}
        if self.index is not None:
            request["IndexName"] = self.index
        if self.strong:
            request["ConsistentRead"] = True
        if self.descending:
            request["ScanIndexForward"] = False
        if count:
            request["Select"] = "COUNT"
        elif self.whole_items:
            request["Select"] = "ALL_ATTRIBUTES"
        return request


SOUGHT = 2
"""How many items a get asks an index for: a second one is noticed."""


class GetPlan(Struct, frozen=True, eq=False):
    """One item by its primary key, or by the whole key of an index."""

    plan: EntityPlan
    served: Served
    strong: bool
    projection: tuple[ast.Path, ...] = ()
    pattern: str | None = None

    def key(self, arguments: Arguments) -> Item | None:
        """The primary key, when the read fixes it."""
        return self.plan.key(self.served.values(arguments)) if self.served.path.index is None else None

    def queries(self, arguments: Arguments, table: str) -> list[KeyQuery]:
        """The query on an index."""
        visible = self.plan.visible(self.served.path.index)
        return _key_queries(
            self.served,
            arguments,
            table,
            strong=self.strong,
            condition=visible,
            projection=self.projection,
            pattern=self.pattern,
        )

    @property
    def most(self) -> int | None:
        """How many items of a partition it reads; None where tombstones lie among them, which are passed over."""
        if self.served.path.index is None:
            return 1
        return SOUGHT if self.plan.visible(self.served.path.index) is None else None

    def shown(self) -> Shown:
        """For people."""
        operation = "GetItem" if self.served.path.index is None else "Query"
        return Shown(operation, self.served.path.index_name, _shown_key(self.served), "one item or none")


class QueryPlan(Struct, frozen=True, eq=False):
    """All items of one entity in a range of keys, over one partition or several."""

    plan: EntityPlan
    served: Served
    strong: bool
    descending: bool
    page_limit: int | None
    filters: tuple[Condition, ...]
    projection: tuple[ast.Path, ...] = ()
    pattern: str | None = None

    def queries(self, arguments: Arguments, table: str) -> list[KeyQuery]:
        """One query per partition."""
        condition = self.visible
        if self.filters:
            bound = [substitute(f, arguments) for f in self.filters]
            own = [to_expression(f, self.plan.paths) for f in bound]
            condition = conjunction(own if condition is None else [condition, *own])
        return _key_queries(
            self.served,
            arguments,
            table,
            strong=self.strong,
            descending=self.descending,
            condition=condition,
            projection=self.projection,
            pattern=self.pattern,
        )

    @property
    def visible(self) -> ast.Condition | None:
        """What hides tombstones where there may be some."""
        return self.plan.visible(self.served.path.index)

    @property
    def order(self) -> tuple[str, ...]:
        """The attributes that results are sorted by across partitions: the sort key, then the table's key."""
        names = [k.attribute.name for k in (*self.served.path.sk, self.plan.pk)]
        if self.plan.sk is not None:
            names.append(self.plan.sk.attribute.name)
        return tuple(dict.fromkeys(names))

    def shown(self) -> Shown:
        """For people."""
        notes = [self._descent()] if self.descending else []
        if self.served.fan_out:
            notes.append("one request per " + " and ".join(f.name for f in self.served.fan_out))
        if self.filters:
            notes.append("then a filter, which saves no read units")
        return Shown("Query", self.served.path.index_name, _shown_key(self.served), ", ".join(notes))

    def _descent(self) -> str:
        """What descending means, by the field that sorts first: what is a time is new, what is a number is large."""
        fields = (name for key in self.served.path.sk for name in key.fields if name not in self.served.known)
        first = self.plan.sources.get(next(fields, ""))
        kind = None if first is None else plain(without_none(first.annotation))
        if isinstance(kind, type) and issubclass(kind, date):
            return "newest first"
        return "largest first" if kind in (int, float, Decimal) else "in descending order"


class CollectionPart(Struct, frozen=True, eq=False):
    """One entity's share of a collection."""

    name: str
    many: bool
    query: QueryPlan


class CollectionPlan(Struct, frozen=True, eq=False):
    """Several entities of one partition in a single query over the smallest range that holds them all."""

    make: Callable[..., Any]
    parts: tuple[CollectionPart, ...]
    strong: bool
    over_reads: tuple[str, ...]
    doubtful: tuple[CollectionPart, ...]
    """Parts whose fields take arguments differently than the first part's, so that the partitions must be compared."""
    pattern: str | None = None

    def query(self, arguments: Arguments, table: str) -> KeyQuery:
        """The one query."""
        (query,) = self.each_partition(arguments, table)
        return query

    def each_partition(self, arguments: Arguments, table: str) -> list[KeyQuery]:
        """One query for each partition: of what is not spread over shards, there is one."""
        first = self.parts[0].query
        spots = first.served.spots(arguments)
        for part in self.doubtful:
            if [s.partition for s in part.query.served.spots(arguments)] != [s.partition for s in spots]:
                raise ArgumentError(
                    f"With these arguments {part.query.plan.name} lies in another partition than {first.plan.name}."
                )
        low, high = self._outer(arguments)
        attribute = ast.Attribute((first.served.path.sk[0].attribute.name,))
        sort: list[ast.Condition] = []
        if low is not None and high is not None:
            sort.append(ast.Between(attribute, ast.Value({"S": low}), ast.Value({"S": high})))
        elif low is not None:
            sort.append(ast.Compare(">=", attribute, ast.Value({"S": low})))
        elif high is not None:
            sort.append(ast.Compare("<=", attribute, ast.Value({"S": high})))
        index, visible = first.served.path.index_name, self.visible
        return [
            KeyQuery(
                table,
                index,
                (*_equalities(spot.partition), *sort),
                visible,
                self.strong,
                first.descending,
                pattern=self.pattern,
                chosen=spot.chosen,
            )
            for spot in spots
        ]

    @property
    def served(self) -> Served:
        """How its first part is served, which lies in the same partition as the others."""
        return self.parts[0].query.served

    @property
    def visible(self) -> ast.Condition | None:
        """What hides tombstones, and nothing else: to others, an attribute of that name may be a field."""
        leaving = [p.query for p in self.parts if p.query.visible is not None]
        if not leaving:
            return None
        plan = leaving[0].plan
        types = tuple(ast.Value({"S": name}) for name in dict.fromkeys(q.plan.type_name for q in leaving))
        theirs = ast.In(ast.Attribute((plan.type_attribute,)), types)
        return ast.Or((ast.AttributeNotExists((plan.names.deleted,)), ast.Not(theirs)))

    def ranges(self, arguments: Arguments) -> list[KeyRange]:
        """Each part's own keys."""
        found = []
        for part in self.parts:
            sort = part.query.served.sort
            assert isinstance(sort, TemplateSort)
            found.append(sort.ranges(arguments, part.query.served.values(arguments)))
        return found

    def _outer(self, arguments: Arguments) -> tuple[str | None, str | None]:
        every = self.ranges(arguments)
        ranges = [r for r in every if not r.empty]
        if not ranges:  # one key at most, which no part then takes
            return every[0].low or every[0].high, every[0].low or every[0].high
        lows, highs = [r.low for r in ranges], [r.high for r in ranges]
        low = None if None in lows else min(x for x in lows if x is not None)
        high = None if None in highs else max(x for x in highs if x is not None)
        return low, high

    def shown(self) -> Shown:
        """For people."""
        served = self.parts[0].query.served
        names = " + ".join(p.query.plan.name for p in self.parts)
        keys = [_in_words(p.query.served.sort.terms(p.query.served.known)) or "…" for p in self.parts]
        note = names + (f"; may also read {', '.join(self.over_reads)}" if self.over_reads else "")
        if served.fan_out:
            note += "; one request per " + " and ".join(fan.name for fan in served.fan_out)
        return Shown("Query", served.path.index_name, f"{shown_partition(served)} AND ({' … '.join(keys)})", note)


class MixedPlan(CollectionPlan, frozen=True, eq=False):
    """The same range, of one partition or of all shards, handed out item by item in key order."""

    skips_unknown: bool = False
    page_limit: int | None = None
    filters: ClassVar[tuple[Condition, ...]] = ()

    @property
    def plan(self) -> EntityPlan:
        """The first of its entities."""
        return self.parts[0].query.plan

    @property
    def descending(self) -> bool:
        """The one direction."""
        return self.parts[0].query.descending

    @property
    def order(self) -> tuple[str, ...]:
        """What the items are sorted by."""
        return self.parts[0].query.order

    def queries(self, arguments: Arguments, table: str) -> list[KeyQuery]:
        """One query for each partition; none where no key can match."""
        return [] if all(r.empty for r in self.ranges(arguments)) else self.each_partition(arguments, table)

    def wanted(self, arguments: Arguments, known: Container[str]) -> Callable[[Item], bool]:
        """Whether an item of the range is handed out: one of the entities within its own keys, or one whose type is none
        of the `known` ones, so that it is told."""
        kind, sort = self.plan.names.type, self.served.path.sk[0].attribute.name
        ranges: dict[str, list[KeyRange]] = {}
        for part, keys in zip(self.parts, self.ranges(arguments), strict=True):
            ranges.setdefault(part.query.plan.options.type, []).append(keys)

        def wants(item: Item) -> bool:
            name = item.get(kind, {}).get("S", "")
            if name in ranges:
                return any(item[sort]["S"] in keys for keys in ranges[name])
            return not self.skips_unknown and name not in known

        return wants


ReadPlan = GetPlan | QueryPlan | CollectionPlan | MixedPlan


def parts_of(plan: ReadPlan) -> list[GetPlan | QueryPlan]:
    """The reads of one entity each that a plan consists of."""
    return [part.query for part in plan.parts] if isinstance(plan, CollectionPlan) else [plan]


def indexes_of(plan: ReadPlan) -> set[str | None]:
    """The indexes that a plan reads; None is the table's own key."""
    return {part.served.path.index_name for part in parts_of(plan)}


def _key_queries(
    served: Served,
    arguments: Arguments,
    table: str,
    *,
    strong: bool,
    descending: bool = False,
    condition: ast.Condition | None = None,
    projection: tuple[ast.Path, ...] = (),
    pattern: str | None = None,
) -> list[KeyQuery]:
    index = served.path.index
    whole_items = index is not None and index.local and index.projection != "ALL" and not projection
    return [
        KeyQuery(
            table,
            served.path.index_name,
            (*_equalities(spot.partition), *sort),
            condition,
            strong,
            descending,
            projection,
            whole_items,
            pattern,
            chosen=spot.chosen,
        )
        for spot in served.spots(arguments)
        for sort in served.sort.conditions(arguments, spot.values)
    ]


def _equalities(partition: Mapping[str, Any]) -> list[ast.Condition]:
    return [ast.Compare("=", ast.Attribute((n,)), ast.Value(v)) for n, v in partition.items()]


def shown_partition(served: Served) -> str:
    """The partition that a read looks into, in words."""
    return _in_words(shown_equal(key, served.known) for key in served.path.pk)


def _shown_key(served: Served) -> str:
    return _in_words(served.terms())


def _in_words(terms: Iterable[ShownTerm]) -> str:
    return " AND ".join(map(str, terms))
