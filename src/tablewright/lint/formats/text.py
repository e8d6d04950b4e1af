"""Findings for people: a line for what was found, a line for what to do, and a sum."""

from __future__ import annotations

from collections.abc import Sequence

from tablewright.lint.findings import SEVERITIES, Finding
from tablewright.lint.formats.places import shown_place

_PLURALS = {"error": "errors", "warning": "warnings", "info": "notes"}
_SINGULARS = {"error": "error", "warning": "warning", "info": "note"}


def as_text(findings: Sequence[Finding]) -> str:
    """Each finding with its hint; those that are waived in one line at the end."""
    blocks = []
    for one in findings:
        if one.waived is None:
            where = f"{shown_place(one)}: " if one.place is not None else ""
            message, *more = one.message.splitlines()
            lines = [
                f"{where}{one.severity} {one.code} {one.subject}: {message}",
                *(f"    {line.strip()}" for line in more),
            ]
            blocks.append("\n".join([*lines, f"    {one.hint}"] if one.hint else lines))
    waived = [f"waived {one.code} {one.subject}: {one.waived}" for one in findings if one.waived is not None]
    return "\n".join([*blocks, *waived, _sum(findings)]) + "\n"


def _sum(findings: Sequence[Finding]) -> str:
    parts = []
    for severity in SEVERITIES:
        count = sum(one.severity == severity and one.waived is None for one in findings)
        if count:
            parts.append(f"{count} {(_SINGULARS if count == 1 else _PLURALS)[severity]}")
    waived = sum(one.waived is not None for one in findings)
    if waived:
        parts.append(f"{waived} waived")
    return f"{', '.join(parts)}." if parts else "Nothing found."
