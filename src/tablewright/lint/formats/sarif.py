"""Findings as SARIF 2.1.0, the form that code scanning takes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from tablewright._version import __version__
from tablewright.lint.findings import Finding
from tablewright.lint.formats.places import relative_file
from tablewright.lint.registry import all_rules

_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def as_sarif(findings: Sequence[Finding]) -> str:
    """One run of one tool; what is waived is a suppressed result."""
    rules = all_rules()
    used = sorted({one.code for one in findings})
    driver = {
        "name": "tablewright lint",
        "version": __version__,
        "rules": [_rule(code) for code in used],
    }
    results = [_result(one, used.index(one.code)) for one in findings if one.code in rules]
    return (
        json.dumps(
            {
                "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
                "version": "2.1.0",
                "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
            },
            indent=2,
            ensure_ascii=False,
        )
        + "\n"
    )


def _rule(code: str) -> dict[str, Any]:
    rule = all_rules()[code]
    told = rule.explained()
    return {
        "id": code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": told.summary},
        "fullDescription": {"text": told.why},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": [rule.family()]},
    }


def _result(one: Finding, index: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": one.code,
        "ruleIndex": index,
        "level": _LEVELS[one.severity],
        "message": {"text": f"{one.subject}: {one.message}\n{one.hint}".rstrip()},
        "partialFingerprints": {"subject/v1": f"{one.code}:{one.subject}"},
    }
    if one.place is not None:
        file = quote(relative_file(one) or "")
        uri = f"file://{file}" if file.startswith("/") else file
        result["locations"] = [
            {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": one.place.line}}}
        ]
    if one.waived is not None:
        result["suppressions"] = [{"kind": "inSource", "justification": one.waived}]
    return result
