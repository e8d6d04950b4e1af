"""What a Query or Scan reads: the table or one of its indexes, and which attributes it may ask of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from tablewright.engine.context import Context
from tablewright.engine.index import IndexSchema
from tablewright.engine.storage import TableStore
from tablewright.engine.validation.expressions import Expressions, check_key_paths
from tablewright.engine.validation.names import required_name
from tablewright.errors import RequestRefused
from tablewright.expressions import KeySchema

_INVALID = "One or more parameter values were invalid: "


class Target(Struct):
    """A table or index to be read. `fetches` says that a local index must look up whole items in the table."""

    table: TableStore
    index: IndexSchema | None
    consistent: bool
    counting: bool
    fetches: bool

    @property
    def keys(self) -> KeySchema:
        """The keys by which it is ordered."""
        return self.table.schema.key_schema if self.index is None else self.index.key_schema

    @property
    def start_names(self) -> tuple[str, ...]:
        """The attributes of a LastEvaluatedKey: the table's key and the index's."""
        names = self.table.schema.key_names
        if self.index is None:
            return names
        return names + tuple(name for name in self.index.key_names if name not in names)


def resolve_target(context: Context, request: Mapping[str, Any], expressions: Expressions, verb: str) -> Target:
    """Find what is to be read, and refuse what it cannot give; `verb` is Querying or Scanning."""
    select, projection = request.get("Select"), expressions.projection
    _check_select(request, select, has_projection=projection is not None, verb=verb)
    table = context.table(required_name(request))
    name: str | None = request.get("IndexName")
    consistent = bool(request.get("ConsistentRead"))
    index = None
    if name is not None:
        table, index = context.index(table, name)
        if index is None:
            raise RequestRefused(f"The table does not have the specified index: {name}")
        if index.is_global and consistent:
            raise RequestRefused("Consistent reads are not supported on global secondary indexes")
    return Target(table, index, consistent, select == "COUNT", fetches=False)


def check_attributes(target: Target, request: Mapping[str, Any], expressions: Expressions, verb: str) -> None:
    """Refuse attributes that what is read cannot give, and see whether the table must be asked for some."""
    index = target.index
    if index is not None and index.projected is not None:
        select: str | None = request.get("Select")
        target.fetches = _check_projection(index, index.projected, select, expressions, verb)
    check_key_paths(target.table.schema, expressions)


def _check_select(request: Mapping[str, Any], select: str | None, *, has_projection: bool, verb: str) -> None:
    if has_projection and select is not None:
        given = "AttributesToGet" if request.get("AttributesToGet") is not None else "ProjectionExpression"
        if select == "COUNT":
            raise RequestRefused(f"Cannot specify the {given} when choosing to get only the Count")
        if select in ("ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"):
            raise RequestRefused(f"Cannot specify the {given} when choosing to get {select}")
    elif select == "SPECIFIC_ATTRIBUTES":
        # The service's newer checks, which only queries have, count their findings.
        counted = "1 validation error detected: " if verb == "Querying" else ""
        raise RequestRefused(
            f"{counted}Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"
        )
    elif select == "ALL_PROJECTED_ATTRIBUTES" and request.get("IndexName") is None:
        raise RequestRefused(f"ALL_PROJECTED_ATTRIBUTES can be used only when {verb} using an IndexName")


def _check_projection(
    index: IndexSchema, projected: frozenset[str], select: str | None, expressions: Expressions, verb: str
) -> bool:
    """Refuse what an index with a partial projection does not have; True when the table must be asked instead."""
    # A scan's filter may ask for what is not there.
    if expressions.filter is not None and verb == "Querying":
        missing = _missing(projected, expressions.filter.paths)
        if missing:
            raise RequestRefused(
                f"{_INVALID}Secondary index {index.name} does not project one or more filter attributes: "
                f"[{', '.join(missing)}]"
            )
    missing = _missing(projected, expressions.projection.paths) if expressions.projection is not None else []
    if not index.is_global:
        return bool(missing) or select == "ALL_ATTRIBUTES"
    if missing:
        raise RequestRefused(f"{_INVALID}Global secondary index {index.name} does not project [{', '.join(missing)}]")
    if select == "ALL_ATTRIBUTES":
        raise RequestRefused(
            f"{_INVALID}Select type ALL_ATTRIBUTES is not supported for global secondary index {index.name} "
            "because its projection type is not ALL"
        )
    return False


def _missing(projected: frozenset[str], paths: tuple[tuple[str | int, ...], ...]) -> list[str]:
    return list(dict.fromkeys(str(path[0]) for path in paths if path[0] not in projected))
