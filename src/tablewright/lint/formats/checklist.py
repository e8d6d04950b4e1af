"""Findings as a checklist for a design review: every rule passed, failed or waived, and who signs."""

from __future__ import annotations

from collections.abc import Sequence

from tablewright.lint.findings import Finding
from tablewright.lint.registry import FAMILIES, all_rules

_REVIEWERS = (
    "A senior engineer who knows DynamoDB",
    "Somebody who took part in gathering the access patterns",
    "Somebody who did not take part",
)


def as_checklist(findings: Sequence[Finding]) -> str:
    """A Markdown document."""
    lines = ["# Design review", ""]
    grave = [one for one in findings if one.severity == "error" and one.waived is None]
    lines += ["## Red flags", "", *(f"- {one.code} {one.subject}: {_flat(one.message)}" for one in grave)]
    lines += [] if grave else ["None."]
    for family, title in FAMILIES.items():
        rules = [rule for rule in all_rules().values() if rule.family() == family and family != "source"]
        if not rules:
            continue
        lines += ["", f"## {title}", "", "| Rule | Result | What |", "|---|---|---|"]
        for rule in rules:
            mine = [one for one in findings if one.code == rule.code]
            open_ones = [one for one in mine if one.waived is None]
            result = (
                "**fail**"
                if any(o.severity != "info" for o in open_ones)
                else "note"
                if open_ones
                else "waived"
                if mine
                else "pass"
            )
            told = "; ".join(dict.fromkeys(_told(one) for one in mine)) or rule.explained().summary
            lines.append(f"| {rule.code} {rule.name} | {result} | {told} |")
    lines += ["", "## Signed", "", "| Reviewer | Name | Date | Agrees |", "|---|---|---|---|"]
    lines += [f"| {who} | | | |" for who in _REVIEWERS]
    return "\n".join(lines) + "\n"


def _told(one: Finding) -> str:
    return f"{one.subject}: {one.waived if one.waived is not None else _flat(one.message)}".replace("|", "\\|")


def _flat(message: str) -> str:
    return " ".join(message.split())
