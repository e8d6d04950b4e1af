"""Every rule finds what its own documentation calls bad, and nothing in what it calls good."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tablewright.cli.models import Loaded
from tablewright.lint import lint
from tablewright.lint.registry import FAMILIES, all_rules
from tablewright.lint.rule import Rule

RULES = [pytest.param(rule, id=code) for code, rule in all_rules().items() if rule.family() != "source"]
SOURCE = [pytest.param(rule, id=code) for code, rule in all_rules().items() if rule.family() == "source"]


@pytest.mark.parametrize("rule", RULES)
def test_the_bad_example_is_found_and_the_good_one_is_not(rule: type[Rule], read: Callable[[str], Loaded]) -> None:
    told = rule.explained()

    def codes(text: str) -> list[str]:
        loaded = read(text)
        assert loaded.tables
        return [one.code for table in loaded.tables for one in lint(table, loaded.refused, beside=loaded.tables)]

    assert rule.code in codes(told.bad)
    assert rule.code not in codes(told.good)


@pytest.mark.parametrize("rule", SOURCE)
def test_the_bad_source_is_found_and_the_good_one_is_not(
    rule: type[Rule], read: Callable[[str], Loaded], tmp_path: Path
) -> None:
    loaded = read('from tablewright import Table\n\ntable = Table("Notes")\n')
    folder = tmp_path / "application"
    for name, text in (("bad.py", rule.explained().bad), ("good.py", rule.explained().good)):
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    found = lint(loaded.table, sources=[folder], access=["store"])
    mine = [one for one in found if one.code == rule.code]
    assert {Path(one.place.file).name for one in mine if one.place} == {"bad.py"}


@pytest.mark.parametrize("rule", [*RULES, *SOURCE])
def test_a_rule_says_what_and_why(rule: type[Rule]) -> None:
    told = rule.explained()
    assert told.summary.endswith(".")
    assert len(told.why) > 60
    assert rule.family() in FAMILIES
    number = list(FAMILIES).index(rule.family())
    assert rule.code.startswith(f"TW{number}")
    file = f"{rule.code.lower()}_{rule.name.replace('-', '_')}"
    assert rule.__module__.endswith(f".{file}")
