"""The models of the examples are free of what the catalogue warns of: proved, and nothing but a few waivers with reasons."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tablewright.cli.models import load_model
from tablewright.compiler.proofs import prove
from tablewright.lint import lint
from tablewright.lint.findings import at_least
from tablewright.testing import assert_patterns, samples

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
MODELS = sorted(path.parent.name for path in EXAMPLES.glob("*/model.py"))


def test_there_are_seven() -> None:
    assert MODELS == ["blog", "kefir", "orders", "saas", "shop", "social", "surveyor"]


@pytest.mark.parametrize("name", MODELS)
def test_an_example_is_proved_and_clean(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", [*sys.path])
    loaded = load_model(str(EXAMPLES / name / "model.py"), leniently=True)
    table = loaded.table
    assert (loaded.refused, loaded.failed) == ([], None)
    proof = prove(table)
    assert proof.holds
    assert (proof.unused_indexes, proof.unproved) == ((), ())
    assert [(found.code, found.subject) for found in at_least(lint(table), "warning")] == []
    assert len(table.waivers) <= 3


@pytest.mark.parametrize("name", MODELS)
def test_an_example_says_what_to_expect(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", [*sys.path])
    table = load_model(str(EXAMPLES / name / "model.py")).table
    expected = table.expectations
    assert [kind for kind, entity in table.entities.items() if expected.of(entity).size is None] == []
    assert [kind for kind, entity in table.entities.items() if expected.of(entity).writes is None] == []
    assert [pattern for pattern in table.patterns if expected.of_pattern(pattern).rate is None] == []
    worst = [r.items_at_worst for p in prove(table).patterns for r in p.requests if r.partitions is not None]
    assert None not in worst


@pytest.mark.parametrize("name", MODELS)
def test_the_patterns_of_an_example_find_what_they_should_in_made_up_data(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.path", [*sys.path])
    table = load_model(str(EXAMPLES / name / "model.py")).table
    data = samples(table, each=12)
    with table.open("memory:", table_name="trial") as db:
        for entity in data:
            db.put(entity)
        assert_patterns(db, table, data)
