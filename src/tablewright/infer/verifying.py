"""A model that was worked out, put to the test: it must read every item of the sample, and make its keys again."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from msgspec import Struct

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import TablewrightError
from tablewright.infer.clusters import Cluster
from tablewright.model.inspection import inspecting
from tablewright.values.types import Item

_MODULE = "tablewright_inferred_model"


class Misfit(Struct, frozen=True):
    """Items that a model does not fit, and why; never their values."""

    entity: str
    items: int
    reason: str


class Verdict(Struct, frozen=True):
    """How a model fits a sample."""

    fitting: Mapping[str, int]
    """How many items of each entity fit in every respect."""
    misfits: tuple[Misfit, ...]
    refused: Mapping[str, str]
    """Entities that the model cannot hold, and why."""

    @property
    def score(self) -> int:
        """How many items fit."""
        return sum(self.fitting.values())


def verify(code: str, clusters: Sequence[Cluster], left_out: Mapping[str, str] | None = None) -> Verdict:
    """Runs the code of a model, and reads the sample with it. `left_out` are entities that it could not hold, and why."""
    plans, refused = _run(code)
    refused |= left_out or {}
    fitting: dict[str, int] = {}
    misfits: list[Misfit] = []
    for cluster in clusters:
        plan = plans.get(cluster.name)
        if plan is None:
            reason = refused.get(cluster.name, "the model does not hold it")
            misfits.append(Misfit(cluster.name, len(cluster.items), reason))
            fitting[cluster.name] = 0
            continue
        reasons = Counter(found for item in cluster.items if (found := _misfit(plan, item)) is not None)
        fitting[cluster.name] = len(cluster.items) - sum(reasons.values())
        misfits += [Misfit(cluster.name, count, reason) for reason, count in sorted(reasons.items())]
    names = {cluster.name for cluster in clusters}
    return Verdict(fitting, tuple(misfits), {name: reason for name, reason in refused.items() if name in names})


def served(code: str) -> frozenset[str]:
    """The names of the patterns in a model's code that its keys serve."""
    return frozenset(name for table in _tables(code)[0] for name in table.patterns)


def _run(code: str) -> tuple[dict[str, EntityPlan], dict[str, str]]:
    tables, refused = _tables(code)
    plans = {plan.name: plan for table in tables for plan in _plans(table)}
    return plans, {name: reason for name, reason in refused.items() if name not in plans}


def _tables(code: str) -> tuple[list[Any], dict[str, str]]:
    """The tables of a model, and what of it was refused, by name."""
    module = ModuleType(_MODULE)
    sys.modules[_MODULE] = module  # Pydantic looks there for the names that annotations use
    try:
        with inspecting() as found:
            try:
                exec(compile(code, f"<{_MODULE}>", "exec"), vars(module))  # noqa: S102 - our own code, made of checked parts
            except TablewrightError as error:
                return [], dict.fromkeys([r.name for r in found.refused], error.message)
    finally:
        del sys.modules[_MODULE]
    return list(found.tables), {r.name: r.error.message for r in found.refused}


def _plans(table: Any) -> list[EntityPlan]:
    return list(table.plan.entities.values())


def _misfit(plan: EntityPlan, item: Item) -> str | None:
    try:
        values = plan.validated(plan.decode(item))
        values |= plan.values_in(item, [name for name in plan.sources if name not in plan.fields])  # its time stamps
        key = plan.key(values)
        store, drop = plan.index_attributes(values)
    except TablewrightError as error:
        return f"cannot be read: {error.message}"
    for name, value in key.items():
        if item.get(name) != value:
            return f"its {name} is not made by the template"
    for name, value in store.items():
        if name not in item:
            return f"it lacks {name}; take a larger sample, or make that index sparse by hand"
        if item[name] != value:
            return f"its {name} is not made by the template"
    for name in drop:
        if name in item:
            return f"it has {name}, which the model would not give it"
    return None
