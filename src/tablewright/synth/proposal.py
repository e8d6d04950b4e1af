"""A proposal: keys and indexes for a design, why they are so, and the model with them, proved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from msgspec import Struct

from tablewright.compiler.plan import TablePlan
from tablewright.compiler.proofs import TableProof, prove
from tablewright.cost.estimating import Estimate, Planned, estimate
from tablewright.cost.prices import load_prices
from tablewright.errors import ArgumentError, ModelError, TablewrightError
from tablewright.model.inspection import Inspection, Refused, inspecting
from tablewright.model.table import TableModel
from tablewright.synth.design import Design
from tablewright.synth.emitting import emit
from tablewright.synth.explaining import Explained, explain
from tablewright.synth.facts import facts_of
from tablewright.synth.heat import Spread, still_hot
from tablewright.synth.naming import KeyText, Named, name_keys
from tablewright.synth.native import native_index
from tablewright.synth.needs import called, wanted, with_forced
from tablewright.synth.projections import narrow
from tablewright.synth.refusals import Refusals, of_keys
from tablewright.synth.running import run
from tablewright.synth.search import STEPS, search
from tablewright.synth.trees import parents, tree_need


class EntityKeys(Struct, frozen=True):
    """The keys of one entity."""

    entity: str
    keys: tuple[KeyText, ...]


class Proposal(Struct, frozen=True, eq=False):
    """Keys for a design, proved: the table was built from the code, and every pattern compiled."""

    table: str
    indexes: tuple[str, ...]
    entities: tuple[EntityKeys, ...]
    minimal: bool
    """Whether it is proved that fewer indexes would not do."""
    explained: Explained
    code: str
    """The design's file with Table(...), indexes and keys."""
    model: TableModel
    """The table, as that code builds it."""
    proof: TableProof
    """What the compiler proved of that table: the requests of every pattern."""
    estimate: Estimate
    """What it costs, by what the design expects: the same as `tablewright cost` tells."""


def read_design(path: Path) -> tuple[Design, str]:
    """The one design of a file, and the file's text; raises ModelError for all that is wrong in it."""
    design, source, refusals = _read(path)
    refusals.raise_any()
    return design, source


def _read(path: Path) -> tuple[Design, str, Refusals]:
    """A design as far as it can be read, and what was refused of it."""
    if not path.is_file():
        raise ArgumentError(f"There is no file {path}.", hint="Name a Python file that holds a Design(...).")
    source = path.read_text(encoding="utf-8")
    with inspecting() as noted:
        try:
            module = run(source, path)
        except TablewrightError as error:
            refusals = _noted_of(noted)
            refusals.add("", error)
            refusals.raise_any()
            raise
    found = list(dict.fromkeys(v for v in vars(module).values() if isinstance(v, Design)))
    if len(found) != 1:
        raise ArgumentError(
            f"{path.name} holds {len(found) or 'no'} designs.", hint='It needs one: blog = Design("BlogTable").'
        )
    return found[0], source, _noted_of(noted, found[0])


def _noted_of(noted: Inspection, design: Design | None = None) -> Refusals:
    """What was refused while a file was read: of this design, or of the first."""
    designs = [design] if design is not None else [t for t in noted.tables if isinstance(t, Design)]
    refusals = Refusals(designs[0].name, designs[0].lines) if designs else Refusals("the design", {})
    refusals.add_all(one for one in noted.refused if one.table in designs)
    return refusals


def propose(path: Path, *, steps: int = STEPS, multi_attribute: bool = False) -> Proposal:
    """Finds keys for the design in a file; raises PatternError or ModelError for all that is wrong in it or cannot be
    served, and hands out nothing that is not proved. `steps` bounds the search. With `multi_attribute`, an index that one
    entity has to itself is made of its own attributes wherever that serves the same patterns."""
    design, source, refusals = _read(path)
    return _propose(design, source, path, refusals, steps=steps, multi_attribute=multi_attribute)


def propose_for(
    design: Design, source: str, path: Path, *, steps: int = STEPS, multi_attribute: bool = False
) -> Proposal:
    """The same for a design that was read already."""
    refusals = Refusals(design.name, design.lines)
    return _propose(design, source, path, refusals, steps=steps, multi_attribute=multi_attribute)


def _propose(
    design: Design, source: str, path: Path, refusals: Refusals, *, steps: int, multi_attribute: bool
) -> Proposal:
    if not design.entities:
        refusals.raise_any()
        raise ArgumentError(f"{design.name} has no entities.", hint="Add classes with table= and identity=.")
    trees = parents(design.aggregates)
    prices = load_prices()
    facts = [facts_of(entity, design, prices, parent=entity in trees) for entity in design.entities.values()]
    known = {one.entity: one for one in facts}
    collections = []
    for tree in design.aggregates.values():
        with refusals.of(tree.__name__):
            collections.append(tree_need(tree, known))
    asked = wanted(design, known, collections, refusals=refusals)
    facts = [with_forced(one, asked) for one in facts]
    solution = search(facts, asked, refusals, steps=steps)
    indexes = tuple(f"GSI{n}" for n in range(1, solution.indexes + 1))
    by_name = {one.name: one for one in facts}
    held: dict[str, tuple[str, ...]] = {}

    def written(named: Named) -> str:
        return emit(source, design.name, named, by_name, {index: held.get(index) for index in indexes})

    def tried(named: Named, code: str) -> _Tried:
        model = _built(code, path, design.name)
        return _Tried(named, code, model, _proved(model, design))

    first = name_keys(facts, asked, solution)
    code = written(first)
    try:
        best = tried(first, code)
    except ArgumentError as error:
        raise ArgumentError(
            f"Keys for {design.name} were found, but the file does not run with them: {error.message}",
            hint="The line is that of the model, where Table(...) stands in place of Design(...).",
        ) from error
    except TablewrightError as error:
        refused = error.refused if isinstance(error, _RefusedError) else ()
        if not any(of_keys(one.error) for one in refused):
            refusals.add_all(refused)
            refusals.raise_any()
        raise ModelError(
            f"Keys for {design.name} were found, but could not be proved: {error.message}",
            hint=f"{'' if error.hint is None else f'{error.hint} '}Nothing is handed out that is not proved. The fault is the "
            "search's, not the design's: please report it.",
        ) from error
    for index, attributes in narrow(indexes, best.named, by_name).items():
        held[index] = attributes
        try:
            best = tried(best.named, written(best.named))
        except TablewrightError:  # an attribute that reads need beside their view, such as that of soft deletion
            del held[index]
    composed: dict[str, str] = {}
    for index in indexes if multi_attribute else ():
        changed, why = native_index(index, best.named, by_name)
        try:
            best = best if changed is None else tried(changed, written(changed))
        except TablewrightError as error:
            why = error.message
        if why:
            composed[index] = why
    estimated = estimate(cast("Planned", best.model), prices)
    return Proposal(
        table=design.name,
        indexes=indexes,
        entities=tuple(EntityKeys(name, tuple(keys)) for name, keys in best.named.items()),
        minimal=solution.minimal,
        explained=explain(
            facts,
            asked,
            solution,
            best.named,
            composed,
            estimated,
            still_hot(best.model, _spread(best.named)),
            cast("Any", best.model).plan,
            held,
        ),
        estimate=estimated,
        code=best.code,
        model=best.model,
        proof=best.proof,
    )


def _spread(named: Named) -> Iterator[Spread]:
    for name, keys in named.items():
        for key in keys:
            if key.shard is not None:
                reads = frozenset(called(read) for need in key.shape.needs for read in need.patterns)
                yield Spread(f"{name} on {key.index}", key.shape.shards, reads)


class _Tried(Struct, frozen=True, eq=False):
    """Keys that were written down, built and proved."""

    named: Named
    code: str
    model: TableModel
    proof: TableProof


class _RefusedError(ModelError):
    """Keys that were written down, and definitions that do not go with them."""

    def __init__(self, refused: Sequence[Refused]) -> None:
        first = refused[0].error
        super().__init__(first.message, hint=first.hint)
        self.refused = tuple(refused)


def _built(code: str, path: Path, name: str) -> TableModel:
    with inspecting() as noted:
        module = run(code, path)
    found = [v for v in vars(module).values() if isinstance(v, TableModel) and v.name == name]
    refused = [one for one in noted.refused if one.table in found]
    if refused:
        # Whatever is about keys is the cause of the rest.
        raise _RefusedError(sorted(refused, key=lambda one: not of_keys(one.error)))
    if not found or not isinstance(getattr(found[0], "plan", None), TablePlan):
        raise ModelError(f"The proposed code builds no table {name}.")
    return found[0]


def _proved(model: Any, design: Design) -> TableProof:
    """What the compiler proves of the table; raises ModelError where that is less than the design asks for."""
    proof = prove(model)
    lost = [name for name in design.patterns if name not in model.patterns]
    if lost or not proof.holds:
        raise ModelError(f"Not everything is served: {', '.join(lost) or ', '.join(p.name for p in proof.unserved)}.")
    return proof
