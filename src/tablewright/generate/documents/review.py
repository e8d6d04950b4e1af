"""The anti-pattern review: every check with its outcome, the red flags, and who signs it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from tablewright.generate.documents.blocks import Block, Bullets, Grid, Heading, Text, code, prose
from tablewright.generate.documents.markdown import to_markdown
from tablewright.generate.material import Material
from tablewright.lint import Finding
from tablewright.lint.registry import FAMILIES, all_rules
from tablewright.lint.rule import Rule
from tablewright.wording import counted

Outcome: TypeAlias = Literal["pass", "fail", "note", "waived", "not checked"]

_NEEDS_MORE = frozenset(("source",))
"""Families that look at more than the model."""
SIGNERS = {
    "engineer": "An engineer with long experience of DynamoDB",
    "participant": "Somebody who took part when requirements and access patterns were gathered",
    "outsider": "Somebody who had no part in the design",
}
"""Who signs a review, by the role that they sign in. Their signatures are kept beside it: it is made anew each time."""


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
    counts = ", ".join(counted(listed.count(o), *words) for o, words in _COUNTED.items() if listed.count(o))
    waived = sum(finding.waived is not None for finding in findings)
    accepted = f" {counted(waived, 'finding is', 'findings are')} accepted with a reason." if waived else ""
    blocks: list[Block] = [Text(f"Of {len(outcomes)} checks, {counts}.{accepted}"), Heading(2, "Red flags")]
    blocks += _red_flags(findings)
    for family, title in FAMILIES.items():
        rules = {name: rule for name, rule in all_rules().items() if rule.family() == family}
        if rules:
            rows = [_row(rule, outcomes[name], by_code.get(name, [])) for name, rule in rules.items()]
            blocks += [Heading(2, title), Grid(("Code", "Anti-pattern", "Outcome", "What was found"), tuple(rows))]
    signing = Grid(
        ("Reviewer", "Signs with"),
        tuple((who, code(f"tablewright design sign JOB {role} --name NAME")) for role, who in SIGNERS.items()),
    )
    kept = Text(
        f"Three people sign this. Their signatures are kept in {code('signatures.json')} in the folder of the design job, and hold "
        f"until the design or these outcomes change; {code('tablewright design status JOB')} says whose are missing."
    )
    return [*blocks, Heading(2, "Sign-offs"), kept, signing]


_COUNTED: dict[Outcome, tuple[str, str]] = {
    "pass": ("passes", "pass"),
    "fail": ("fails", "fail"),
    "note": ("has notes", "have notes"),
    "waived": ("is waived", "are waived"),
    "not checked": ("needs more than the model and was not checked", "need more than the model and were not checked"),
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
    flags = [
        f"{code(f.code)} {f.subject}: {prose(f.message)}"
        for f in findings
        if f.severity == "error" and f.waived is None
    ]
    yield Bullets(tuple(flags)) if flags else Text("None.")


def _ended(finding: Finding) -> str:
    return finding.hint if finding.waived is None else f"Waived: {finding.waived}"


def _row(rule: type[Rule], ended: Outcome, findings: Sequence[Finding]) -> tuple[str, ...]:
    told = [f"{f.subject}: {prose(f.message)} {prose(_ended(f))}" for f in findings]
    return code(rule.code), prose(rule.explained().summary), ended, "; ".join(told)
