"""From figures to advice: every rule is asked, and what matters most comes first."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from tablewright.observe import recommendations
from tablewright.observe.recommendation import SEVERITIES, Observed, Recommendation, Rule


@cache
def all_rules() -> dict[str, Rule]:
    """Every rule by its name, found by walking through their folder."""
    found: dict[str, Rule] = {}
    for module in pkgutil.walk_packages(recommendations.__path__, f"{recommendations.__name__}."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, type) and issubclass(value, Rule) and value.__module__ == module.name:
                found[value.name] = value()
    return dict(sorted(found.items()))


def advise(seen: Observed) -> list[Recommendation]:
    """What should be changed: by severity, then by impact, then by how often it happens, then the easiest first."""
    found = [one for rule in all_rules().values() for one in rule.find(seen)]
    return sorted(
        found, key=lambda r: (SEVERITIES.index(r.severity), -r.impact, -r.frequency, r.effort, r.rule, r.subject)
    )


def not_judged(seen: Observed) -> dict[str, str]:
    """The rules that have not seen enough to judge, and what each waits for: their silence means nothing yet."""
    waiting = {name: rule.waits_for(seen) for name, rule in all_rules().items()}
    return {name: what for name, what in waiting.items() if what is not None}
