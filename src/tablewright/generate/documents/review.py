"""The anti-pattern review: every check with its outcome, the red flags, and room for three people to sign."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from tablewright.generate.documents.blocks import Block, Bullets, Grid, Heading, Text, code
from tablewright.generate.documents.markdown import to_markdown
from tablewright.generate.material import Material
from tablewright.lint import Finding
from tablewright.lint.registry import FAMILIES, all_rules
from tablewright.lint.rule import Rule

Outcome: TypeAlias = Literal["pass", "fail", "note", "waived", "not checked"]

_NEEDS_MORE = frozenset(("source",))
"""Families that look at more than the model."""
_SIGNERS = (
    "An engineer with long experience of DynamoDB",
    "Somebody who took part when requirements and access patterns were gathered",
    "Somebody who had no part in the design",
)


def anti_pattern_review(material: Material) -> str:
    """The review as a document."""
    return to_markdown([Heading(1, f"{material.table.name}: anti-pattern review"), *review_blocks(material.findings)])


def review_blocks(findings: Sequence[Finding]) -> list[Block]:
    """The review of a table with these findings."""
    by_code: dict[str, list[Finding]] = {}
    for finding in findings:
        by_code.setdefault(finding.code, []).append(finding)
    outcomes: dict[str, Outcome] = {name: outcome(rule, by_code.get(name, [])) for name, rule in all_rules().items()}
    listed = list(outcomes.values())
    counts = ", ".join(f"{listed.count(o)} {words}" for o, words in _COUNTED.items() if listed.count(o))
    blocks: list[Block] = [Text(f"Of {len(outcomes)} checks, {counts}."), Heading(2, "Red flags")]
    blocks += _red_flags(findings)
    for family, title in FAMILIES.items():
        rules = {name: rule for name, rule in all_rules().items() if rule.family() == family}
        if rules:
            rows = [_row(rule, outcomes[name], by_code.get(name, [])) for name, rule in rules.items()]
            blocks += [Heading(2, title), Grid(("Code", "Anti-pattern", "Outcome", "What was found"), tuple(rows))]
    signatures = Grid(("Reviewer", "Name", "Date", "Signature"), tuple((who, "", "", "") for who in _SIGNERS))
    return [*blocks, Heading(2, "Sign-offs"), signatures]


_COUNTED: dict[Outcome, str] = {
    "pass": "pass",
    "fail": "fail",
    "note": "have notes",
    "waived": "are waived",
    "not checked": "need more than the model and were not checked",
}


def outcome(rule: type[Rule], findings: Sequence[Finding]) -> Outcome:
    """How a check ended."""
    open_ones = [finding for finding in findings if finding.waived is None]
    if open_ones:
        return "note" if all(finding.severity == "info" for finding in open_ones) else "fail"
    if findings:
        return "waived"
    return "not checked" if rule.family() in _NEEDS_MORE else "pass"


def _red_flags(findings: Sequence[Finding]) -> Iterator[Block]:
    """Errors that nobody accepted: with one of them a design is not ready."""
    flags = [f"{code(f.code)} {f.subject}: {f.message}" for f in findings if f.severity == "error" and f.waived is None]
    yield Bullets(tuple(flags)) if flags else Text("None.")


def _row(rule: type[Rule], ended: Outcome, findings: Sequence[Finding]) -> tuple[str, ...]:
    told = [
        f"{f.subject}: {f.message} {f.hint}" if f.waived is None else f"{f.subject}: {f.message} Waived: {f.waived}"
        for f in findings
    ]
    return code(rule.code), rule.explained().summary, ended, "; ".join(told)
