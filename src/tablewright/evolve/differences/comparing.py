"""Two models, compared: every difference, and the order in which to carry them out."""

from __future__ import annotations

from msgspec import Struct

from tablewright.evolve.differences.calls import OldItems, compare_changes, compare_patterns
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
    items = _old_items(old, new, found)
    renames = Renames(old, new)
    names = {kind: entity.name for kind, entity in (*old.entities.items(), *new.entities.items())}
    found += [*compare_patterns(old, new, renames, items), *compare_changes(old, new, renames)]
    found += compare_relationships(old.relationships, new.relationships, renames)
    found += compare_trees(old.aggregates, new.aggregates, renames, names)
    found += [*compare_counters(old, new), *compare_deployments(old, new)]
    changes = tuple(sorted(found, key=lambda change: -IMPACTS.index(change.impact)))
    return Differences(new.name, changes, steps_of(old, new, changes))


def _old_items(old: ModelDescription, new: ModelDescription, found: list[Change]) -> OldItems:
    types = {after.name: after.type for _, after in pair_entities(old, new)[1]}

    def places(*kinds: str) -> set[tuple[str, str]]:
        concerned = [c for c in found if c.kind in kinds]
        return {(types[n], c.index or "") for c in concerned for n in c.entities if n in types}

    unknown = {(kind, index) for kind, _ in places("type-changed") for index in ("", *new.indexes)}
    return OldItems(
        unfilled=frozenset(places("index-keys-added", "index-added", "index-changed")),
        moved=frozenset(places("index-keys-changed", "sparse-condition-changed", "key-changed")),
        unknown=frozenset(unknown),
    )
