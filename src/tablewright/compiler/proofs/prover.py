"""Proving a table: every pattern in every variant, and what else its model says that cannot be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from tablewright.compiler.plan import TablePlan
from tablewright.compiler.proofs.requests import prove_request
from tablewright.compiler.proofs.results import PatternProof, Problem, RequestProof, TableProof
from tablewright.compiler.proofs.unserved import explain_entity, explain_unserved, parameters_of
from tablewright.compiler.reads import indexes_of
from tablewright.model.inspection import Refused
from tablewright.model.pattern import Pattern
from tablewright.model.signature import GIVEN


class Planned(Protocol):
    """A table with its plan: `tablewright.Table`."""

    plan: TablePlan


def prove(table: Planned, refused: Iterable[Refused] = ()) -> TableProof:
    """Proves every pattern of a table. `refused` is what was noted while its model was read leniently."""
    plan = table.plan
    model = plan.table
    proofs = {name: _served(plan, pattern) for name, pattern in model.patterns.items()}
    problems = []
    noted = list(refused)
    broken = [one.name for one in noted if one.kind == "entity"]
    for one in noted:
        if one.table is not model:
            continue
        if one.kind == "pattern":
            proofs.setdefault(one.name, explain_unserved(plan, one, broken))
        else:
            problems.append(_problem(plan, one))
    return TableProof(
        model.name,
        tuple(proofs.values()),
        tuple(name for name in model.indexes if name not in set(_used_indexes(plan))),
        tuple(problems),
        plan.warnings,
    )


def _served(plan: TablePlan, pattern: Pattern[..., Any]) -> PatternProof:
    requests: dict[str, RequestProof] = {}
    for key, read in plan.patterns[pattern.name].items():
        proof = prove_request(read, _when(pattern, key), plan.table, plan.entities, pattern.name)
        requests.setdefault(repr(proof.request), proof)
    entities = dict.fromkeys(name for proof in requests.values() for name in proof.entities)
    return PatternProof(pattern.name, pattern.doc, parameters_of(pattern), tuple(entities), tuple(requests.values()))


def _when(pattern: Pattern[..., Any], key: tuple[object, ...]) -> str:
    """Which arguments a variant is for; nothing where there is only one."""
    if len(pattern.variants) == 1:
        return ""
    optional = {i for other in pattern.variants for i, choice in enumerate(other) if choice != key[i]}
    said = []
    for position in sorted(optional):
        name, choice = pattern.parameters.names[position], key[position]
        said.append(f"{name} is given" if choice == GIVEN else f"{name} is {choice}")
    return ", ".join(said)


def _used_indexes(plan: TablePlan) -> Iterator[str | None]:
    for variants in plan.patterns.values():
        for read in variants.values():
            yield from indexes_of(read)
    for aggregate in plan.aggregates.values():
        for collection in aggregate.collections:
            yield from indexes_of(collection)
        for branch in aggregate.every():
            if branch.alone is not None:
                yield from indexes_of(branch.alone)
    for entity in plan.entities.values():
        if entity.feed is not None:
            yield entity.feed.index.name


def _problem(plan: TablePlan, one: Refused) -> Problem:
    error = one.error
    return Problem(
        one.kind,
        one.name,
        error.code,
        error.message,
        error.hint,
        one.follows,
        None if one.kind != "entity" else explain_entity(plan, one),
        None if one.line is None else f"{one.line[0]}:{one.line[1]}",
    )
