"""Proposals for random designs are sound, and no smaller one is to be found by trying everything."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from tablewright import Table
from tablewright.errors import PatternError
from tablewright.synth.proposal import Proposal, propose_for
from tablewright.synth.running import run
from tests.synth.answers import check, items
from tests.synth.brute_force import fewest
from tests.synth.random_designs import Sketch, sketches

HERE = Path(__file__)
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def proposed(sketch: Sketch) -> Proposal | None:
    text = sketch.text()
    try:
        return propose_for(vars(run(text, HERE))["design"], text, HERE)
    except PatternError as error:
        event(f"refused: {error.message[:25]}")
        return None


def sound(sketch: Sketch, data: st.DataObject) -> None:
    found = proposed(sketch)
    if found is None:
        return
    event(f"{len(found.indexes)} indexes")
    assert isinstance(found.model, Table)
    assert not found.minimal or found.proof.unused_indexes == ()
    identities = {kind.name: kind.identity for kind in sketch.kinds}
    check(data, found.model, data.draw(items(found.model, identities, most=4)))


def minimal(sketch: Sketch) -> None:
    needed = [fewest(kind) for kind in sketch.kinds]
    found = proposed(sketch)
    assert (found is None) == (None in needed)
    if found is not None:
        assert len(found.indexes) == max(n for n in needed if n is not None)
        assert found.minimal


@settings(max_examples=100, suppress_health_check=SLOW)
@given(sketches(), st.data())
def test_proposals_answer_as_a_filter_does(sketch: Sketch, data: st.DataObject) -> None:
    sound(sketch, data)


@settings(max_examples=12, suppress_health_check=SLOW)
@given(sketches(most_kinds=1, most_reads=6, pages=False))
def test_no_fewer_indexes_would_do(sketch: Sketch) -> None:
    minimal(sketch)


@pytest.mark.full
@settings(max_examples=100, suppress_health_check=SLOW)
@given(sketches(most_kinds=2, most_reads=3, pages=False))
def test_no_fewer_indexes_would_do_for_many_designs(sketch: Sketch) -> None:
    minimal(sketch)


@pytest.mark.full
@settings(max_examples=500, suppress_health_check=SLOW)
@given(sketches(), st.data())
def test_many_proposals_answer_as_a_filter_does(sketch: Sketch, data: st.DataObject) -> None:
    sound(sketch, data)
