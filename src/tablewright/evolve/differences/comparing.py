"""Two models, compared: every difference, and the order in which to carry them out."""

from __future__ import annotations

from msgspec import Struct

from tablewright.evolve.differences.calls import compare_changes, compare_patterns
from tablewright.evolve.differences.changes import IMPACTS, Change, Impact, worst
from tablewright.evolve.differences.describing import ModelDescription
from tablewright.evolve.differences.entities import compare_entities
from tablewright.evolve.differences.relations import compare_relationships
from tablewright.evolve.differences.renames import Renames, pair_entities
from tablewright.evolve.differences.steps import Step, steps_of
from tablewright.evolve.differences.tables import (
    compare_counters,
    compare_deployments,
    compare_indexes,
    compare_settings,
)
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
    unfilled = _unfilled(old, new, found)
    renames = Renames(old, new)
    names = {kind: entity.name for kind, entity in (*old.entities.items(), *new.entities.items())}
    found += [*compare_patterns(old, new, renames, unfilled), *compare_changes(old, new, renames)]
    found += compare_relationships(old.relationships, new.relationships, renames)
    found += compare_trees(old.aggregates, new.aggregates, renames, names)
    found += [*compare_counters(old, new), *compare_deployments(old, new)]
    changes = tuple(sorted(found, key=lambda change: -IMPACTS.index(change.impact)))
    return Differences(new.name, changes, steps_of(old, new, changes))


def _unfilled(old: ModelDescription, new: ModelDescription, found: list[Change]) -> set[tuple[str, str]]:
    """Stored types and indexes whose items lack the keys that the new model reads."""
    _, pairs = pair_entities(old, new)
    types = {after.name: after.type for _, after in pairs}
    kinds = ("index-keys-added", "index-keys-changed", "sparse-condition-changed", "index-added", "index-changed")
    return {
        (types[name], change.index)
        for change in found
        if change.kind in kinds and change.index is not None
        for name in change.entities
        if name in types
    }
