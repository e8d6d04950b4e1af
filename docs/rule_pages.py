"""The pages of docs/reference/lint/: one for each lint rule, made from its docstring, and a list of all."""

from __future__ import annotations

from tablewright.lint.registry import FAMILIES, all_rules
from tablewright.lint.rule import Rule

_INTRO = """What `tablewright lint` looks for. [Lint a model](../../how-to/lint.md) tells how to run it and how to waive what is meant so. A code
never changes its meaning. *Errors* lose data, are refused by DynamoDB or throttled by it; *warnings* hurt as the table grows; *info* is worth
knowing. The examples are run by the tests: each rule finds its bad one, and nothing in its good one."""


def rule_pages() -> dict[str, str]:
    """The text of every page by its file name."""
    pages = {"index": _index()} | {rule.code: _page(rule) for rule in all_rules().values()}
    return {f"lint/{name}.md": "\n\n".join(blocks) for name, blocks in pages.items()}


def _index() -> list[str]:
    blocks = ["# Lint rules", _INTRO]
    for family, title in FAMILIES.items():
        rules = [rule for rule in all_rules().values() if rule.family() == family]
        rows = [
            f"| [{rule.code}]({rule.code}.md) | {rule.severity} | {rule.name} | {rule.explained().summary} |"
            for rule in rules
        ]
        blocks += [f"## {title}", "\n".join(["| Code | Severity | Name | Finds |", "|---|---|---|---|", *rows])]
    return blocks


def _page(rule: type[Rule]) -> list[str]:
    told = rule.explained()
    return [
        f"# {rule.code}: {rule.name}",
        f"*{rule.severity}, since {rule.since}. [All rules](index.md)*",
        told.summary,
        told.why,
        "## Bad",
        _example(told.bad),
        "## Good",
        _example(told.good),
    ]


def _example(text: str) -> str:
    return f"```python no-run: the tests of the rules run it\n{text.rstrip()}\n```"
