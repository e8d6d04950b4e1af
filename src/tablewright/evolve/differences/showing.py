"""Differences in words, for people."""

from __future__ import annotations

from tablewright.evolve.differences.comparing import Differences

_TITLES = {"breaking": "Breaking", "backfill": "Needs a backfill", "additive": "Additive"}


def shown(differences: Differences) -> str:
    """The differences as lines of text."""
    if not differences.changes:
        return f"{differences.table}: nothing differs."
    lines: list[str] = []
    for impact, title in _TITLES.items():
        found = [change for change in differences.changes if change.impact == impact]
        if not found:
            continue
        lines += [f"{title}:"]
        for change in found:
            lines.append(f"  {change.subject} {change.text}. [{change.kind}]")
            if change.remedy:
                lines.append(f"    {change.remedy}")
            if change.patterns and change.kind != "pattern-removed" and f"{change.patterns[0]}()" != change.subject:
                lines.append(f"    Patterns: {', '.join(change.patterns)}.")
        lines.append("")
    if differences.steps:
        lines += ["In this order:"]
        lines += [f"  {number}. {step.subject}: {step.text}" for number, step in enumerate(differences.steps, 1)]
    else:
        lines += ["Nothing has to be done for the items that are there."]
    return "\n".join(lines)
