"""A proposal: keys and indexes for a design, why they are so, and the model with them, proved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from tablewright.compiler.plan import TablePlan
from tablewright.compiler.reads import CollectionPlan, GetPlan
from tablewright.errors import ArgumentError, ModelError, TablewrightError
from tablewright.model.table import TableModel
from tablewright.synth.design import Design
from tablewright.synth.emitting import emit
from tablewright.synth.explaining import Explained, explain
from tablewright.synth.facts import facts_of
from tablewright.synth.naming import KeyText, name_keys
from tablewright.synth.needs import wanted
from tablewright.synth.running import run
from tablewright.synth.search import STEPS, search


class EntityKeys(Struct, frozen=True):
    """The keys of one entity."""

    entity: str
    keys: tuple[KeyText, ...]


class ServedPattern(Struct, frozen=True):
    """One access pattern with the requests that its variants become, in words."""

    name: str
    requests: tuple[str, ...]
    single: bool
    """Whether each variant is one request for a page."""
    over_reads: tuple[str, ...] = ()
    """Others whose items may lie in between."""


class Proposal(Struct, frozen=True, eq=False):
    """Keys for a design, proved: the table was built from the code, and every pattern compiled."""

    table: str
    indexes: tuple[str, ...]
    entities: tuple[EntityKeys, ...]
    patterns: tuple[ServedPattern, ...]
    minimal: bool
    """Whether it is proved that fewer indexes would not do."""
    explained: Explained
    code: str
    """The design's file with Table(...), indexes and keys."""
    model: TableModel
    """The table, as that code builds it."""


def read_design(path: Path) -> tuple[Design, str]:
    """The one design of a file, and the file's text."""
    if not path.is_file():
        raise ArgumentError(f"There is no file {path}.", hint="Name a Python file that holds a Design(...).")
    source = path.read_text(encoding="utf-8")
    found = list(dict.fromkeys(v for v in vars(run(source, path)).values() if isinstance(v, Design)))
    if len(found) != 1:
        raise ArgumentError(
            f"{path.name} holds {len(found) or 'no'} designs.", hint='It needs one: blog = Design("BlogTable").'
        )
    return found[0], source


def propose(path: Path, *, steps: int = STEPS) -> Proposal:
    """Finds keys for the design in a file; raises PatternError where a pattern cannot be served, and hands out nothing that
    is not proved. `steps` bounds the search."""
    design, source = read_design(path)
    return propose_for(design, source, path, steps=steps)


def propose_for(design: Design, source: str, path: Path, *, steps: int = STEPS) -> Proposal:
    """The same for a design that was read already."""
    if not design.entities:
        raise ArgumentError(f"{design.name} has no entities.", hint="Add classes with table= and identity=.")
    facts = {entity: facts_of(entity, design) for entity in design.entities.values()}
    asked = wanted(design, facts)
    solution = search(list(facts.values()), asked, steps=steps)
    named = name_keys(list(facts.values()), asked, solution)
    shards = {f.name: ", ".join(f'"{n}"' for n in f.identity) for f in facts.values()}
    code = emit(source, design.name, named, shards, solution.indexes)
    try:
        model = _built(code, path, design.name)
        patterns = _proved(model, design, named)
    except TablewrightError as error:
        raise ModelError(
            f"Keys for {design.name} were found, but could not be proved: {error.message}",
            hint="Nothing is handed out that is not proved. The fault is the search's, not the design's: please report it.",
        ) from error
    return Proposal(
        table=design.name,
        indexes=tuple(f"GSI{n}" for n in range(1, solution.indexes + 1)),
        entities=tuple(EntityKeys(name, tuple(keys)) for name, keys in named.items()),
        patterns=patterns,
        minimal=solution.minimal,
        explained=explain(list(facts.values()), asked, solution, named),
        code=code,
        model=model,
    )


def _built(code: str, path: Path, name: str) -> TableModel:
    found = [v for v in vars(run(code, path)).values() if isinstance(v, TableModel) and v.name == name]
    if not found or not isinstance(_plan(found[0]), TablePlan):
        raise ModelError(f"The proposed code builds no table {name}.")
    return found[0]


def _plan(model: Any) -> Any:
    return getattr(model, "plan", None)


def _proved(model: TableModel, design: Design, named: dict[str, list[KeyText]]) -> tuple[ServedPattern, ...]:
    """Every pattern of the design with its compiled requests; raises ModelError where one is missing or does more than said."""
    plan: TablePlan = _plan(model)
    sharded = any(key.shard is not None for keys in named.values() for key in keys)
    proved = []
    for name in design.patterns:
        if name not in plan.patterns:
            raise ModelError(f"The proposed code lost the pattern {name}().")
        variants = list(plan.patterns[name].values())
        proved.append(_served(name, variants, sharded=sharded))
    return tuple(proved)


def _served(name: str, variants: Sequence[Any], *, sharded: bool) -> ServedPattern:
    single = True
    over: set[str] = set()
    for read in variants:
        if isinstance(read, CollectionPlan):
            over.update(read.over_reads)
            continue
        fan_out = () if isinstance(read, GetPlan) else read.served.fan_out
        if any(fan.listed is None for fan in fan_out) and not sharded:
            raise ModelError(f"The proposed keys spread {name}() over partitions without need.")
        single = single and not fan_out
    shown = dict.fromkeys(str(read.shown()) for read in variants)
    return ServedPattern(name, tuple(shown), single, tuple(sorted(over)))
