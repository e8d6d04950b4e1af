"""Two models, compared: every difference, and the order in which to carry them out."""

from __future__ import annotations

from msgspec import Struct

from tablewright.evolve.differences.calls import Reads, compare_changes, compare_patterns
from tablewright.evolve.differences.changes import IMPACTS, Change, Impact, worst
from tablewright.evolve.differences.deployments import compare_deployments
from tablewright.evolve.differences.describing import ModelDescription
from tablewright.evolve.differences.entities import compare_entities
from tablewright.evolve.differences.relations import compare_relationships
from tablewright.evolve.differences.renames import Renames, pair_entities
from tablewright.evolve.differences.steps import Step, steps_of
from tablewright.evolve.differences.tables import compare_counters, compare_indexes, compare_settings
from tablewright.evolve.differences.trees import compare_trees


class Differences(Struct, frozen=True):
    """What differs between two models of a table."""

    table: str
    changes: tuple[Change, ...]
    """The gravest first."""
    steps: tuple[Step, ...]
    """What to do, in a safe order."""

    @property
    def impact(self) -> Impact | None:
        """The gravest impact; None where nothing differs."""
        return worst(self.changes)


def compare_models(old: ModelDescription, new: ModelDescription) -> Differences:
    """Everything that differs between two models."""
    found = [*compare_settings(old, new), *compare_indexes(old, new), *compare_entities(old, new)]
    unfilled, moved = _read_in_vain(old, new, found)
    renames = Renames(old, new)
    names = {kind: entity.name for kind, entity in (*old.entities.items(), *new.entities.items())}
    found += [*compare_patterns(old, new, renames, unfilled, moved), *compare_changes(old, new, renames)]
    found += compare_relationships(old.relationships, new.relationships, renames)
    found += compare_trees(old.aggregates, new.aggregates, renames, names)
    found += [*compare_counters(old, new), *compare_deployments(old, new)]
    changes = tuple(sorted(found, key=lambda change: -IMPACTS.index(change.impact)))
    return Differences(new.name, changes, steps_of(old, new, changes))


def _read_in_vain(old: ModelDescription, new: ModelDescription, found: list[Change]) -> tuple[Reads, Reads]:
    """Where items lack the keys that the new model reads, and where they lie under others: by stored type and index."""
    types = {after.name: after.type for _, after in pair_entities(old, new)[1]}
    added = ("index-keys-added", "index-added", "index-changed")
    changed = ("index-keys-changed", "sparse-condition-changed")

    def places(kinds: tuple[str, ...]) -> set[tuple[str, str]]:
        concerned = [c for c in found if c.kind in kinds]
        return {(types[n], c.index) for c in concerned if c.index is not None for n in c.entities if n in types}

    unfilled, moved = places(added), places(changed)
    for change in found:
        if change.kind in ("key-changed", "type-changed"):
            everywhere = ["", *new.indexes] if change.kind == "type-changed" else [""]
            moved |= {(types[name], index) for name in change.entities for index in everywhere}
    return frozenset(unfilled), frozenset(moved)
