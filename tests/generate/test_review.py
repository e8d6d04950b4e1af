"""The anti-pattern review tells how each check ended."""

import pytest

from tablewright import GSI, Entity, Keys, Query, Table, query
from tablewright.generate.documents.blocks import Bullets, Grid, Heading, Text
from tablewright.generate.documents.blocks import code as shown
from tablewright.generate.documents.review import SIGNERS, anti_pattern_review, outcome, review_blocks
from tablewright.generate.material import Material
from tablewright.lint import Finding, Severity, lint
from tablewright.lint.registry import all_rules

CODE = "TW101"
SOURCE = next(code for code, rule in all_rules().items() if rule.family() == "source")


def finding(severity: Severity = "warning", waived: str | None = None, code: str = CODE) -> Finding:
    return Finding(code, "rule", severity, "It is so.", "Do this.", None, "Order", waived)


@pytest.mark.parametrize(
    ("findings", "expected"),
    [
        ([], "pass"),
        ([finding()], "fail"),
        ([finding("error")], "fail"),
        ([finding("info")], "note"),
        ([finding("info"), finding("warning")], "fail"),
        ([finding(waived="few")], "waived"),
        ([finding(waived="few"), finding()], "fail"),
        ([finding("error", waived="few"), finding("info")], "note"),
    ],
    ids=["nothing", "warning", "error", "info", "info and warning", "waived", "half waived", "waived error and info"],
)
def test_how_a_check_ends(findings: list[Finding], expected: str) -> None:
    assert outcome(all_rules()[CODE], findings) == expected
    (row,) = [row for row in rows(findings) if row[0] == shown(CODE)]
    assert row[2] == expected


def rows(findings: list[Finding]) -> list[tuple[str, ...]]:
    grids = [block for block in review_blocks(findings) if isinstance(block, Grid)]
    return [row for grid in grids[:-1] for row in grid.rows]


def test_every_rule_is_in_it_once() -> None:
    assert sorted(row[0] for row in rows([])) == sorted(map(shown, all_rules()))


def test_what_was_found_is_told_with_hint_or_reason() -> None:
    (row,) = [row for row in rows([finding(), finding(waived="few of them")]) if row[0] == shown(CODE)]
    assert row[3] == "Order: It is so. Do this.; Order: It is so. Waived: few of them"


def test_red_flags_are_errors_that_nobody_accepted() -> None:
    def flags(findings: list[Finding]) -> object:
        blocks = review_blocks(findings)
        return blocks[blocks.index(Heading(2, "Red flags")) + 1]

    assert flags([finding(), finding("error", waived="few")]) == Text("None.")
    assert flags([finding("error")]) == Bullets((f"{shown(CODE)} Order: It is so.",))


def test_three_people_sign() -> None:
    last = review_blocks([])[-1]
    assert isinstance(last, Grid)
    assert last.headers == ("Reviewer", "Signs with")
    assert [row[0] for row in last.rows] == list(SIGNERS.values())
    assert [role in row[1] for role, row in zip(SIGNERS, last.rows, strict=True)] == [True] * 3


def test_what_needs_more_than_the_model_does_not_pass_by_itself() -> None:
    assert outcome(all_rules()[SOURCE], []) == "not checked"
    assert outcome(all_rules()[SOURCE], [finding(code=SOURCE)]) == "fail"


def test_it_is_made_of_what_the_linter_finds() -> None:
    table = Table("Things", indexes=[GSI("GSI1")])

    class Thing(Entity, table=table):
        """A thing."""

        keys = Keys("THING#{thing_id}", "THING#{thing_id}", GSI1=("ALL", "{thing_id}"))
        thing_id: str

    @table.pattern
    def things() -> Query[Thing]:
        "Everything there is."
        return query(Thing)

    failed = [f for f in lint(table) if f.waived is None]
    text = anti_pattern_review(Material(table.plan))
    assert failed
    for one in failed:
        (line,) = [line for line in text.splitlines() if line.startswith(f"| `{one.code}` |")]
        assert "| pass |" not in line
        assert one.subject.replace("_", "\\_") in line


def test_every_waiver_is_counted_also_of_a_rule_that_fails() -> None:
    findings = [finding(waived="few"), finding(waived="fewer"), finding()]
    (first, *_) = [block for block in review_blocks(findings) if isinstance(block, Text)]
    assert "1 fails" in first.text
    assert first.text.endswith(" 2 findings are accepted with a reason.")
    (first, *_) = [block for block in review_blocks([finding(waived="few")]) if isinstance(block, Text)]
    assert "1 is waived" in first.text
    assert first.text.endswith(" 1 finding is accepted with a reason.")
