"""The runbook and the comparison of schemas: what people hold in their hands."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from tablewright.evolve.moving import MovingSession, runbook
from tests.evolve.moving.conftest import Ground
from tests.evolve.moving.families import moving as families
from tests.evolve.moving.merchants import IN_CATEGORY, ONE, REVIEWS, merchants_moving


def test_six_phases_with_their_way_back() -> None:
    text = runbook(merchants_moving())
    headings = re.findall(r"^## (\d)\. ", text, re.MULTILINE)
    assert headings == ["1", "2", "3", "4", "5", "6"]
    assert text.count("\nBack: ") == 6
    assert "| `written_at` | the function `written_at` |" in text
    assert "Left behind: `Type`, `legacyFlag`." in text
    assert "single-table-reads" in text


def test_every_call_exists() -> None:
    for text in (runbook(merchants_moving()), runbook(families)):
        called = set(re.findall(r"session\.(\w+)\(", text))
        assert {"advance", "backfill", "tell", "shadow_report"} <= called
        assert all(callable(getattr(MovingSession, name, None)) for name in called)


def test_splits_merges_and_what_has_no_way_back() -> None:
    text = runbook(families)
    assert "Split into `Family`, `Child` by the function `split`." in text
    assert "Merged with `Settings` as `settings`." in text
    assert "the move of 'Families' makes many of one, and nothing tells how that is undone" in text


def test_schemas_side_by_side(ground: Ground) -> None:
    ground.fill(3, 2)
    ground.into("dual", "shadow")
    schemas = ground.session.compare_schemas([(ONE, ("m1",)), (IN_CATEGORY, ("c1",)), (REVIEWS, ("m1",))])
    assert schemas.text().splitlines()[2:] == [
        "| tables | 2 | 1 |",
        "| indexes | 1 | 1 |",
        "| requests of `merchant` | 1 | 1 |",
        "| requests of `merchants_in` | 1 | 1 |",
        "| requests of `reviews_of` | 1 | 1 |",
    ]


def test_all_items_are_planned_with_before_anything_is_written() -> None:
    text = runbook(merchants_moving())
    steps = ("plan FILE --on", "plan FILE --all ", "prepare FILE ", "advance FILE dual ")
    places = [text.index(f"tablewright move {step}") for step in steps]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("period", "told"),
    [
        (timedelta(days=30), "30 days"),
        (timedelta(days=1), "1 day"),
        (timedelta(hours=36), "36 hours"),
        (timedelta(minutes=90), "90 minutes"),
        (timedelta(seconds=5), "5 seconds"),
    ],
)
def test_the_safety_period_as_it_is(period: timedelta, told: str) -> None:
    text = runbook(merchants_moving(safety_period=period))
    assert f"Keep it so for {told}:" in text
    assert f"refused before {told} after" in text


def test_no_safety_period_is_no_step() -> None:
    text = runbook(merchants_moving(safety_period=timedelta(0)))
    assert "Keep it so" not in text
    assert "refused before" not in text
