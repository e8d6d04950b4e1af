"""Wider projections of an index after which reads through it are served, tried on a copy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.paths import key_paths
from tablewright.compiler.plan import TablePlan
from tablewright.compiler.projections import STAMPS, held_fields, missing_attributes, stamp_attributes
from tablewright.compiler.proofs.results import Edit
from tablewright.compiler.proofs.trials import Trial
from tablewright.compiler.views import needs_of
from tablewright.model.indexes import GSI, MAX_INCLUDED, Index
from tablewright.model.operations import Query, reads_in
from tablewright.model.table import TableModel


def wider_projections(plan: TablePlan, operations: list[Any]) -> Iterator[Edit]:
    """Indexes that serve these reads of one entity or several, once they hold what is read."""
    trial, several = Trial(plan), any(len(reads_in(op)) > 1 for op in operations)
    reads = [read for op in operations for read in reads_in(op)]
    owners = list(dict.fromkeys(plan.entities[read.entity] for read in reads))
    for index in plan.table.indexes.values():
        if index.local or index.projection == "ALL":
            continue
        names = dict.fromkeys(name for read in reads for name in _lacking(plan.entities[read.entity], index, read))
        if several:  # they are told apart by their types
            names |= dict.fromkeys(owner.names.type for owner in owners)
        more = tuple(dict.fromkeys((*index.include, *names)))
        if len(more) == len(index.include):
            continue
        # Of much, the whole item is easier to say, and holds what is added later.
        if len(more) <= MAX_INCLUDED and len(names) < len({name for owner in owners for name in owner.fields}):
            wider, said = _projecting(index, more), "[" + ", ".join(f'"{n}"' for n in more) + "]"
        else:
            wider, said = _projecting(index, ()), '"ALL"'
        if trial.serves(operations, wider, dict.fromkeys(owner.entity for owner in owners)):
            # Only what is said of the projection changes; its attributes stay as they were declared.
            declared = "..., " if _named(index, plan.table) else ""
            code = f'GSI("{index.name}", {declared}projection={said})'
            yield Edit("projection", f"let {index.name} hold what is read: projection={said}", (code,))


def _lacking(owner: EntityPlan, index: Index, read: Query[Any]) -> Iterable[str]:
    """The attributes that an index would have to hold as well."""
    path = next((p for p in key_paths(owner) if p.index_name == index.name), None)
    if path is None:
        return []
    if read.view is None:
        return missing_attributes(path)
    lacking = sorted(needs_of(read.view) - held_fields(path))
    stamps = stamp_attributes(owner) if STAMPS in lacking else []
    return [*(owner.fields[name].path[0] for name in lacking if name in owner.fields), *stamps]


def _projecting(index: Index, include: tuple[str, ...]) -> Index:
    return Index(index.name, index.pk, index.sk, "INCLUDE" if include else "ALL", include)


def _named(index: Index, table: TableModel) -> bool:
    """Whether its attributes were given names of their own."""
    default = GSI(index.name).resolved(table.names)
    return (index.pk, index.sk) != (default.pk, default.sk)
