"""SELECT on the engine: which ranges it reads, in which order, one page of them, and the columns that are wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tablewright.engine.capacity import counts
from tablewright.engine.context import Context
from tablewright.engine.index import IndexSchema
from tablewright.engine.keys import Key, KeyAttribute, spread
from tablewright.engine.partiql.branches import Branch, KeyFinder
from tablewright.engine.partiql.continuation import Continuation
from tablewright.engine.partiql.messages import INVALID_TOKEN, MULTI_ATTRIBUTE, refuse
from tablewright.engine.partiql.statements import Order, Reading
from tablewright.engine.reads.pages import PAGE_BYTES, read_page
from tablewright.engine.reads.selections import checked_start, start_query, start_scan
from tablewright.engine.reads.targets import Target
from tablewright.engine.storage import Selection, TableStore
from tablewright.engine.validation.expressions import NO_EXPRESSIONS, Expressions
from tablewright.errors import RequestRefused, ValidationError
from tablewright.expressions import CompiledCondition, check_scalar_keys
from tablewright.expressions.ast import paths_of
from tablewright.expressions.reading import value_at
from tablewright.expressions.resolve import fixed
from tablewright.values import Item, item_size

_INVALID = "One or more parameter values were invalid: "


@dataclass(slots=True)
class Plan:
    """A SELECT on a real table. No branches mean a scan."""

    reading: Reading
    target: Target
    branches: list[Branch] | None
    expressions: Expressions
    forward: bool = True

    def columns(self, item: Item) -> Item:
        """What is wanted of an item. What is not there is left out."""
        if self.reading.columns is None:
            return item
        found = ((name, value_at(item, path)) for name, path in self.reading.columns)
        return {name: value for name, value in found if value is not None}

    @property
    def single(self) -> Key | None:
        """The one key that the statement asks for, if it asks for nothing else."""
        schema = self.target.table.schema
        if self.target.index is not None or self.branches is None or len(self.branches) != 1:
            return None
        (branch,) = self.branches
        if branch.filters or branch.partition is None:
            return None
        if schema.range is None:
            return spread(branch.partition), b""
        if not branch.bounds.is_point or branch.bounds.low is None:
            return None
        return spread(branch.partition), branch.bounds.low


# -------------------------------------------------------------------------------------------------------- planning


def plan_reading(context: Context, reading: Reading, *, consistent: bool) -> Plan:
    """Find the table and the ranges of keys that a SELECT is about."""
    table, index = _find(context, reading)
    if consistent and index is not None and index.is_global:
        refuse("Strongly consistent read is not supported on Global Secondary Indexes")
    expressions = NO_EXPRESSIONS
    branches: list[Branch] | None = None
    where, columns = reading.where, reading.columns
    paths = [] if where is None else list(paths_of(where.condition))
    paths.extend(path for _, path in columns or ())
    if any(len(path) > 1 for path in paths):
        check_scalar_keys(paths, table.schema.key_names)
        check_scalar_keys(paths, table.schema.index_keys, "IndexKey")
    hash_key, range_key = _keys(table, index)
    if where is not None:
        schema = table.schema.key_schema if index is None else index.key_schema
        branches = KeyFinder(hash_key, range_key, schema, where.values).branches(where.condition)
        expressions = Expressions(where.values, filter=CompiledCondition(fixed("FilterExpression", where.condition)))
    fetches = False
    if index is not None and index.projected is not None:
        fetches = _check_projection(index, index.projected, reading, branches)
    target = Target(table, index, consistent, counting=False, fetches=fetches)
    if reading.order and where is None:
        refuse("Must have WHERE clause in the statement when using ORDER BY clause.")
    forward = _arrange(branches, reading.order, hash_key, range_key)
    return Plan(reading, target, branches, expressions, forward)


def refuse_multi_attribute(context: Context, table_name: str, index_name: str) -> None:
    """Refuse an index with several attributes in a part of its key, before anything else is said of a statement."""
    table = context.database.catalogue.tables.get(table_name)
    index = table.schema.index.get(index_name) if table is not None else None
    if index is not None and (len(index.hash) > 1 or len(index.range) > 1):
        refuse(MULTI_ATTRIBUTE)


def _find(context: Context, reading: Reading) -> tuple[TableStore, IndexSchema | None]:
    table = context.table(reading.place.table)
    name = reading.place.index
    if name is None:
        return table, None
    table, index = context.index(table, name)
    if index is None:
        refuse("The table does not have the specified index")
    refuse_multi_attribute(context, table.name, name)
    return table, index


def _keys(table: TableStore, index: IndexSchema | None) -> tuple[KeyAttribute, KeyAttribute | None]:
    if index is None:
        return table.schema.hash, table.schema.range
    return index.hash[0], index.range[0] if index.range else None


def _check_projection(
    index: IndexSchema, projected: frozenset[str], reading: Reading, branches: Sequence[Branch] | None
) -> bool:
    """Refuse what a partial index does not have; True when a local one must ask the table for columns."""
    columns = dict.fromkeys(str(path[0]) for _, path in reading.columns or ())
    missing = [name for name in columns if name not in projected]
    if missing and index.is_global:
        refuse(f"{_INVALID}Global secondary index {index.name} does not project [{', '.join(missing)}]")
    unknown: list[str] = []
    for branch in branches or ():
        named = dict.fromkeys(str(path[0]) for node in branch.filters for path in paths_of(node))
        unknown = [name for name in named if name not in projected]
        if not unknown:
            break
    if unknown:
        refuse(
            f"{_INVALID}Secondary index {index.name} does not project one or more filter attributes: "
            f"[{', '.join(unknown)}]"
        )
    return bool(missing)


def _arrange(
    branches: list[Branch] | None, order: Sequence[Order], hash_key: KeyAttribute, range_key: KeyAttribute | None
) -> bool:
    """Put the ranges into the order that is asked for; True when each is read forwards."""
    if not order:
        return True
    if branches is None:
        refuse("Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.")
    descending: dict[str, bool] = {}
    names = [key.name for key in (hash_key, range_key) if key is not None]
    for term in order:
        if term.name not in names:
            refuse(f"Attribute {term.name} in ORDER BY clause must be part of the primary key")
        descending.setdefault(term.name, term.descending)
    if hash_key.name not in descending and len({branch.partition for branch in branches}) > 1:
        refuse("Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause.")
    # The service reads backwards where only the partition key is ordered, whatever its direction.
    forward = range_key is not None and not descending.get(range_key.name, True)
    if not forward:
        branches.sort(key=lambda branch: (branch.bounds.low or b"", branch.bounds.low_open), reverse=True)
    branches.sort(key=lambda branch: branch.partition or b"", reverse=descending.get(hash_key.name, False))
    return forward


# --------------------------------------------------------------------------------------------------------- reading


def read_statement(
    context: Context, plan: Plan, request: Mapping[str, Any], start: Continuation | None
) -> tuple[dict[str, Any], Continuation | None]:
    """One page of a SELECT, and where the next one begins."""
    branches = plan.branches
    selections = [Selection()] if branches is None else [_selection(branch, plan.forward) for branch in branches]
    limit: int | None = request.get("Limit")
    wanted = str(request.get("ReturnConsumedCapacity") or "NONE")
    items: list[Item] = []
    reports: list[dict[str, Any]] = []
    number, last = start or (0, None)
    if number >= len(selections) and start is not None:
        refuse(INVALID_TOKEN)
    going_on: Continuation | None = None
    size = 0
    for at in range(number, len(selections)):
        selection = selections[at]
        if last is not None:
            _start(plan.target, selection, last, is_scan=branches is None)
            last = None
        page = read_page(
            context, {"Limit": limit, "ReturnConsumedCapacity": wanted}, plan.target, selection, plan.expressions
        )
        items.extend(page["Items"])
        if "ConsumedCapacity" in page:
            reports.append(page["ConsumedCapacity"])
        if "LastEvaluatedKey" in page:
            going_on = Continuation(at, page["LastEvaluatedKey"])
            break
        size += sum(map(item_size, page["Items"]))
        if limit is not None:
            limit -= page["ScannedCount"]
        if at + 1 < len(selections) and (limit == 0 or size >= PAGE_BYTES):
            going_on = Continuation(at + 1, None)
            break
    response: dict[str, Any] = {"Items": [plan.columns(item) for item in items]}
    if counts(wanted):
        response["ConsumedCapacity"] = add_reports(plan.target.table.name, reports, wanted)
    return response, going_on


def _selection(branch: Branch, forward: bool) -> Selection:
    bounds = branch.bounds
    return Selection(
        partition=spread(branch.partition or b""),
        low=bounds.low,
        low_open=bounds.low_open,
        high=bounds.high,
        high_open=bounds.high_open,
        forward=forward,
    )


def _start(target: Target, selection: Selection, last: Item, *, is_scan: bool) -> None:
    try:
        if is_scan:
            start_scan(target, selection, checked_start(last), "")
        else:
            start_query(target, selection, checked_start(last))
    except (RequestRefused, ValidationError):
        refuse(INVALID_TOKEN)


def add_reports(table: str, reports: Sequence[Mapping[str, Any]], wanted: str) -> dict[str, Any]:
    """Several ConsumedCapacity members of one table as one."""
    total: dict[str, Any] = {"TableName": table, "CapacityUnits": 0.0}
    if wanted == "INDEXES":
        total["Table"] = {"CapacityUnits": 0.0}
    for report in reports:
        total["CapacityUnits"] += report["CapacityUnits"]
        if "Table" in report:
            total["Table"]["CapacityUnits"] += report["Table"]["CapacityUnits"]
        for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
            for name, units in report.get(member, {}).items():
                known = total.setdefault(member, {}).setdefault(name, {"CapacityUnits": 0.0})
                known["CapacityUnits"] += units["CapacityUnits"]
    return total
