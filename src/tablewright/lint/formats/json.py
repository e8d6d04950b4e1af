"""Findings for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence

from msgspec.structs import asdict

from tablewright.lint.findings import Finding
from tablewright.lint.formats.places import relative_file


def as_json(findings: Sequence[Finding]) -> str:
    """A list of objects, one for each finding, waived ones included."""
    told = []
    for one in findings:
        place = None if one.place is None else {"file": relative_file(one), "line": one.place.line}
        told.append({**asdict(one), "place": place})
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"
