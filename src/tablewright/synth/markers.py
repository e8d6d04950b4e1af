"""Reads by a unique field: the marker that keeps it unique finds the item too, in two requests and without a copy."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.synth.facts import EntityFacts
from tablewright.synth.naming import KeyText
from tablewright.synth.needs import called


def by_marker(facts: EntityFacts, key: KeyText, plan: EntityPlan, price: str) -> Iterator[str]:
    """What would be won and lost where an index copy of an entity serves nothing but a get() by a unique field; `price`
    says in words what a month of the copy costs."""
    markers = {unique.fields: str(unique.keys[0]) for unique in plan.uniques}
    if key.index is None or len(key.shape.needs) != 1:
        return
    (need,) = key.shape.needs
    if need.whole and need.known in markers:
        yield (
            f"{called(need.patterns[0])} could do without {facts.name} in {key.index}: the marker that keeps "
            f"{' and '.join(sorted(need.known))} unique, {markers[need.known]}, holds the item's key in its attribute "
            f"{plan.names.owner!r}. That is two requests one after the other, which can be consistent, where the index is one "
            f"that may be late; it spares the copy, {price}. Patterns read by keys, so it would be a function of your own."
        )
