"""Differences in words, for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tablewright.evolve.differences.changes import Change
from tablewright.evolve.differences.comparing import Differences
from tablewright.evolve.differences.deployments import SUBJECT

_TITLES = {"breaking": "Breaking", "backfill": "Needs a backfill", "additive": "Additive"}


def shown(differences: Differences) -> str:
    """The differences as lines of text."""
    if not differences.changes:
        return f"{differences.table}: nothing differs."
    lines: list[str] = []
    deployed = [change for change in differences.changes if change.subject == SUBJECT]
    for impact, title in _TITLES.items():
        lines += _section(title, (c for c in differences.changes if c.impact == impact and c not in deployed))
    lines += _section("Deployment", deployed, classed=True)
    if differences.steps:
        lines += ["In this order:"]
        lines += [f"  {number}. {step.subject}: {step.text}" for number, step in enumerate(differences.steps, 1)]
    else:
        lines += ["Nothing has to be done for the items that are there."]
    return "\n".join(lines)


def _section(title: str, changes: Iterable[Change], *, classed: bool = False) -> Iterator[str]:
    found = list(changes)
    if not found:
        return
    yield f"{title}:"
    for change in found:
        end = "" if change.text.endswith("?") else "."
        yield f"  {change.subject} {change.text}{end} [{change.kind}{f', {change.impact}' if classed else ''}]"
        if change.remedy:
            yield f"    {change.remedy}"
        if change.patterns and change.kind != "pattern-removed" and f"{change.patterns[0]}()" != change.subject:
            yield f"    Patterns: {', '.join(change.patterns)}."
    yield ""
