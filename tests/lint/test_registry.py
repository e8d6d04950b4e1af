"""Codes are permanent: each stays with its rule, and none is given away twice."""

from pathlib import Path

import pytest

from tablewright.errors import ArgumentError
from tablewright.lint.registry import all_rules, rule, selected

KNOWN = dict(line.split() for line in Path(__file__).with_name("codes.txt").read_text(encoding="utf-8").splitlines())


def test_the_codes_are_the_known_ones() -> None:
    assert {code: one.name for code, one in all_rules().items()} == KNOWN


def test_each_rule_has_a_name_of_its_own() -> None:
    assert len(set(KNOWN.values())) == len(KNOWN)


def test_rules_are_found_by_code_and_by_name() -> None:
    assert rule("tw104").code == "TW104"
    assert rule("time-in-partition-key").code == "TW104"
    with pytest.raises(ArgumentError, match="no rule 'TW1044'"):
        rule("TW1044")


def test_rules_are_selected_by_the_beginning_of_their_codes() -> None:
    assert {one.family() for one in selected(("TW1",))} == {"keys"}
    assert "TW104" not in {one.code for one in selected((), ("tw104",))}
    assert [one.code for one in selected(("TW104", "TW105"), ("TW105",))] == ["TW104"]
    assert len(selected()) == len(KNOWN)
    with pytest.raises(ArgumentError, match="begins with 'TX'"):
        selected(("TX",))


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ("TW30l", "Did you mean TW30"),
        ("hot-partitions", "Did you mean hot-partition"),
        ("nothing of the kind", "See `tablewright lint --rules` for all of them."),
    ],
)
def test_an_unknown_rule_is_told_with_those_that_are_near(asked: str, hint: str) -> None:
    with pytest.raises(ArgumentError, match="There is no rule") as caught:
        rule(asked)
    assert (caught.value.hint or "").startswith(hint)
    assert len(caught.value.hint or "") < 100
