"""Seven applications, from their patterns alone: as few indexes as are needed, one request each, and the right answers."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablewright import Table
from tablewright.synth.proposal import Proposal, propose, read_design
from tests.synth.answers import check, items

DESIGNS = Path(__file__).parent / "designs"
INDEXES = {"blog": 1, "shop": 2, "saas": 1, "social": 1, "kefir": 2, "orders": 2, "surveyor": 4}


@cache
def proposed(name: str) -> Proposal:
    return propose(DESIGNS / f"{name}.py")


@pytest.mark.parametrize("name", INDEXES)
def test_the_fewest_indexes(name: str) -> None:
    found = proposed(name)
    assert (len(found.indexes), found.minimal) == (INDEXES[name], True)


@pytest.mark.parametrize("name", INDEXES)
def test_every_pattern_is_one_request_that_reads_nobody_else(name: str) -> None:
    found = proposed(name)
    assert [p.name for p in found.proof.patterns] == list(read_design(DESIGNS / f"{name}.py")[0].patterns)
    assert [p.name for p in found.proof.patterns if not all(r.single and not r.over_reads for r in p.requests)] == []
    assert found.proof.unused_indexes == ()


@pytest.mark.parametrize("name", INDEXES)
def test_no_read_that_knows_a_spread_field_lies_in_a_constant_partition(name: str) -> None:
    design, _ = read_design(DESIGNS / f"{name}.py")
    few = {"status", "sync_status", "kind"}
    for entity in proposed(name).entities:
        for key in entity.keys:
            for need in key.shape.needs:
                if (need.known - few) and not set(key.shape.partition) - few:
                    pytest.fail(f"{need.patterns[0]}() of {design.name} lies in {key.pk}")


@pytest.mark.parametrize("name", INDEXES)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_the_answers_are_those_of_a_filter(name: str, data: st.DataObject) -> None:
    found = proposed(name)
    assert isinstance(found.model, Table)
    design, _ = read_design(DESIGNS / f"{name}.py")
    identities = {e.__name__: e.__asked__["identity"] for e in design.entities.values()}
    check(data, found.model, data.draw(items(found.model, identities)), identities)


@pytest.mark.parametrize("seed", ["1", "2"])
def test_the_same_design_gives_the_same_keys_in_every_process(seed: str) -> None:
    script = "import sys; from pathlib import Path; from tablewright.synth.proposal import propose; "
    script += "sys.stdout.write(propose(Path(sys.argv[1])).code)"
    command = [sys.executable, "-c", script, str(DESIGNS / "surveyor.py")]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    again = subprocess.run(command, env=environment, capture_output=True, text=True, encoding="utf-8", check=True)
    assert again.stdout == proposed("surveyor").code
