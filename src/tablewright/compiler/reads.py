"""Compiled reads: a get, a query or a collection, ready to become requests for given arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tablewright.compiler.conditions import conjunction, to_expression
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keys import NativeKey
from tablewright.compiler.paths import neighbours
from tablewright.compiler.queries import Served, serve
from tablewright.compiler.selection import Arguments, select
from tablewright.compiler.sortkeys import TemplateSort
from tablewright.errors import PatternError
from tablewright.expressions import ast
from tablewright.expressions.builder import ExpressionBuilder, all_of
from tablewright.model.conditions import Condition, substitute
from tablewright.model.operations import Collection, Get, Query
from tablewright.values.keycodec import KeyRange
from tablewright.values.types import Item

Request = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A request in words, for people and documents."""

    operation: str
    index: str | None
    key: str
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class KeyQuery:
    """One Query request before it is written down: its key conditions, filter and flags."""

    table: str
    index: str | None
    terms: tuple[ast.Condition, ...]
    filter: ast.Condition | None = None
    strong: bool = False
    descending: bool = False

    def request(self) -> Request:
        """The request, without a limit or start."""
        builder = ExpressionBuilder().key_condition(all_of(*self.terms))
        if self.filter is not None:
            builder.filter(self.filter)
        request: Request = {"TableName": self.table, **builder.build()}
        if self.index is not None:
            request["IndexName"] = self.index
        if self.strong:
            request["ConsistentRead"] = True
        if self.descending:
            request["ScanIndexForward"] = False
        return request


@dataclass(frozen=True, slots=True, eq=False)
class GetPlan:
    """One item by its primary key, or by the whole key of an index."""

    plan: EntityPlan
    served: Served
    strong: bool

    def key(self, arguments: Arguments) -> Item | None:
        """The primary key, when the read fixes it."""
        return self.plan.key(self.served.values(arguments)) if self.served.path.index is None else None

    def queries(self, arguments: Arguments, table: str) -> list[KeyQuery]:
        """The query on an index."""
        return _key_queries(self.served, arguments, table, strong=self.strong)

    def shown(self) -> Shown:
        """For people."""
        operation = "GetItem" if self.served.path.index is None else "Query"
        return Shown(operation, _index_name(self.served), _shown_key(self.served), "one item or none")


@dataclass(frozen=True, slots=True, eq=False)
class QueryPlan:
    """All items of one entity in a range of keys, over one partition or several."""

    plan: EntityPlan
    served: Served
    strong: bool
    descending: bool
    page_limit: int | None
    filters: tuple[Condition, ...]

    def queries(self, arguments: Arguments, table: str) -> list[KeyQuery]:
        """One query per partition."""
        condition = None
        if self.filters:
            bound = [substitute(f, arguments) for f in self.filters]
            condition = conjunction([to_expression(f, self.plan.paths) for f in bound])
        return _key_queries(
            self.served, arguments, table, strong=self.strong, descending=self.descending, condition=condition
        )

    @property
    def order(self) -> tuple[str, ...]:
        """The attributes that results are sorted by across partitions: the sort key, then the table's key."""
        names = [k.attribute.name for k in (*self.served.path.sk, self.plan.pk)]
        if self.plan.sk is not None:
            names.append(self.plan.sk.attribute.name)
        return tuple(dict.fromkeys(names))

    def shown(self) -> Shown:
        """For people."""
        notes = ["newest first"] if self.descending else []
        if self.served.fan_out:
            notes.append("one request per " + " and ".join(f.name for f in self.served.fan_out))
        if self.filters:
            notes.append("then a filter")
        return Shown("Query", _index_name(self.served), _shown_key(self.served), ", ".join(notes))


@dataclass(frozen=True, slots=True, eq=False)
class CollectionPart:
    """One entity's share of a collection."""

    name: str
    many: bool
    query: QueryPlan


@dataclass(frozen=True, slots=True, eq=False)
class CollectionPlan:
    """Several entities of one partition in a single query over the smallest range that holds them all."""

    make: Callable[..., Any]
    parts: tuple[CollectionPart, ...]
    strong: bool
    over_reads: tuple[str, ...]

    def query(self, arguments: Arguments, table: str) -> KeyQuery:
        """The one query."""
        first = self.parts[0].query
        values = first.served.values(arguments)
        (partition,) = first.served.partitions(arguments, values)
        terms = _equalities(partition)
        low, high = self._outer(arguments)
        name = first.served.path.sk[0].attribute.name if first.served.path.sk else ""
        if low is not None and high is not None:
            terms.append(ast.Between(ast.Attribute((name,)), ast.Value({"S": low}), ast.Value({"S": high})))
        elif low is not None:
            terms.append(ast.Compare(">=", ast.Attribute((name,)), ast.Value({"S": low})))
        elif high is not None:
            terms.append(ast.Compare("<=", ast.Attribute((name,)), ast.Value({"S": high})))
        return KeyQuery(table, _index_name(first.served), tuple(terms), None, self.strong, first.descending)

    def ranges(self, arguments: Arguments) -> list[KeyRange]:
        """Each part's own keys."""
        found = []
        for part in self.parts:
            sort = part.query.served.sort
            assert isinstance(sort, TemplateSort)
            found.append(sort.ranges(arguments, part.query.served.values(arguments)))
        return found

    def _outer(self, arguments: Arguments) -> tuple[str | None, str | None]:
        ranges = [r for r in self.ranges(arguments) if not r.empty]
        if not ranges:
            return None, None
        lows, highs = [r.low for r in ranges], [r.high for r in ranges]
        low = None if None in lows else min(x for x in lows if x is not None)
        high = None if None in highs else max(x for x in highs if x is not None)
        return low, high

    def shown(self) -> Shown:
        """For people."""
        served = self.parts[0].query.served
        names = " + ".join(p.query.plan.name for p in self.parts)
        keys = [p.query.served.sort.shown() for p in self.parts]
        note = names + (f"; also reads {', '.join(self.over_reads)}" if self.over_reads else "")
        return Shown("Query", _index_name(served), _shown_partition(served) + " AND (" + " … ".join(keys) + ")", note)


ReadPlan = GetPlan | QueryPlan | CollectionPlan


def plan_read(what: str, operation: Any, entities: Mapping[type, EntityPlan]) -> ReadPlan:
    """Compiles one description of a read; raises PatternError when no key serves it."""
    others = tuple(entities.values())
    match operation:
        case Get():
            plan = entities[operation.entity]
            chosen = select(what, operation.entity, operation.conditions, plan.sources)
            served = serve(what, plan, chosen, others, via=operation.index, strong=operation.strong, whole_key=True)
            return GetPlan(plan, served, operation.strong)
        case Query():
            return _plan_query(what, operation, entities, others)
        case Collection():
            return _plan_collection(what, operation, entities, others)
    raise PatternError(f"{what} is no read.")


def _plan_query(
    what: str, operation: Query[Any], entities: Mapping[type, EntityPlan], others: tuple[EntityPlan, ...]
) -> QueryPlan:
    plan = entities[operation.entity]
    chosen = select(what, operation.entity, operation.conditions, plan.sources)
    served = serve(what, plan, chosen, others, via=operation.index, strong=operation.strong)
    keys = {k.attribute.name for k in served.path.pk + served.path.sk if isinstance(k, NativeKey)}
    for condition in operation.filters:
        for leaf in condition.leaves():
            if plan.paths.stored(leaf.path)[0] in keys:
                raise PatternError(
                    f"{what} filters by {leaf.field!r}, a key attribute of {served.path.name}.",
                    hint="DynamoDB refuses that; make it a condition of the query.",
                )
    return QueryPlan(plan, served, operation.strong, operation.descending, operation.page_limit, operation.filters)


def _plan_collection(
    what: str, operation: Collection[Any], entities: Mapping[type, EntityPlan], others: tuple[EntityPlan, ...]
) -> CollectionPlan:
    parts = []
    for part in operation.parts:
        if part.query.filters:
            raise PatternError(f"{what}: the part {part.name!r} has a filter.", hint="Filter the result in Python.")
        parts.append(
            CollectionPart(
                part.name, part.many, _plan_query(f"{what}, part {part.name!r},", part.query, entities, others)
            )
        )
    first = parts[0].query
    for planned in parts:
        query = planned.query
        if query.served.fan_out or not isinstance(query.served.sort, TemplateSort):
            raise PatternError(f"{what}: the part {planned.name!r} is not one range of one partition.")
        if (_index_name(query.served), _shown_partition(query.served)) != (
            _index_name(first.served),
            _shown_partition(first.served),
        ):
            raise PatternError(
                f"{what}: {query.plan.name} lies in another partition than {first.plan.name}.",
                hint="Only entities that share a partition key can be read together; use two patterns.",
            )
        if query.descending != first.descending:
            raise PatternError(f"{what}: its parts are sorted in different directions.")
    wanted = {p.query.plan for p in parts}
    over = sorted(
        {met for met in neighbours(first.served.path, (), [o for o in others if o not in wanted]) if len(parts) > 1}
    )
    return CollectionPlan(operation.make, tuple(parts), operation.strong, tuple(m.split(" (")[0] for m in over))


def _key_queries(
    served: Served,
    arguments: Arguments,
    table: str,
    *,
    strong: bool,
    descending: bool = False,
    condition: ast.Condition | None = None,
) -> list[KeyQuery]:
    values = served.values(arguments)
    alternatives = served.sort.conditions(arguments, values)
    return [
        KeyQuery(table, _index_name(served), (*_equalities(partition), *sort), condition, strong, descending)
        for partition in served.partitions(arguments, values)
        for sort in alternatives
    ]


def _equalities(partition: Mapping[str, Any]) -> list[ast.Condition]:
    return [ast.Compare("=", ast.Attribute((n,)), ast.Value(v)) for n, v in partition.items()]


def _index_name(served: Served) -> str | None:
    return served.path.index.name if served.path.index is not None else None


def _shown_partition(served: Served) -> str:
    parts = []
    for key in served.path.pk:
        text = str(key)
        for name, source in served.known.items():
            text = text.replace(f"{{{name}}}", source.shown)
        parts.append(f"{key.attribute.name} = {text}")
    return " AND ".join(parts)


def _shown_key(served: Served) -> str:
    sort = served.sort.shown()
    for name, source in served.known.items():
        sort = sort.replace(f"{{{name}}}", source.shown)
    return " AND ".join(p for p in (_shown_partition(served), sort) if p)
