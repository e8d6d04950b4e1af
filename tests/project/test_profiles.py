"""The everyday run repeats itself exactly; the full run tries fresh examples, and says how to repeat them."""

import re
from pathlib import Path

import pytest

from tests.support.small_run import run_pytest

MARKED = """
import pytest
def test_plain(): assert True
@pytest.mark.full
def test_only_in_the_full_run(): assert True
"""

DRAWN = """
from hypothesis import given, settings, strategies as st
drawn = []
@given(st.integers())
def test_draw(number): drawn.append(number)
def test_show(): print("DRAWN", settings.get_current_profile_name(), len(drawn) > 200, sum(drawn))
"""

HYPOTHESIS = ("-p", "_hypothesis_pytestplugin", "-s")


def drawn(output: str) -> str:
    line = re.search(r"DRAWN .*", output)
    assert line is not None
    return line[0]


def test_tests_marked_full_wait_for_the_full_run(tmp_path: Path) -> None:
    code, output = run_pytest(tmp_path, "profiles", *HYPOTHESIS, marked=MARKED)
    assert (code, "1 passed, 1 deselected" in output) == (pytest.ExitCode.OK, True)
    assert "2 passed" in run_pytest(tmp_path, "profiles", *HYPOTHESIS, "--full")[1]
    assert "2 passed" in run_pytest(tmp_path, "profiles", *HYPOTHESIS, environment={"TABLEWRIGHT_FULL": "1"})[1]


def test_the_everyday_run_draws_the_same_examples_each_time(tmp_path: Path) -> None:
    first = drawn(run_pytest(tmp_path, "profiles", *HYPOTHESIS, drawn=DRAWN)[1])
    assert first.startswith("DRAWN ci False ")
    assert drawn(run_pytest(tmp_path, "profiles", *HYPOTHESIS)[1]) == first


def test_the_full_run_prints_a_fresh_seed_that_repeats_it(tmp_path: Path) -> None:
    first = run_pytest(tmp_path, "profiles", *HYPOTHESIS, "--full", drawn=DRAWN)[1]
    (seed,) = re.findall(r"make test-full SEED=(\d+)", first)
    assert drawn(first).startswith("DRAWN full True ")
    assert drawn(run_pytest(tmp_path, "profiles", *HYPOTHESIS, "--full", f"--hypothesis-seed={seed}")[1]) == drawn(
        first
    )
    assert drawn(run_pytest(tmp_path, "profiles", *HYPOTHESIS, "--full")[1]) != drawn(first)


def test_workers_of_a_full_run_share_its_seed(tmp_path: Path) -> None:
    source = "import hypothesis.core\ndef test_seed(): assert hypothesis.core.global_force_seed is None\n"
    output = run_pytest(tmp_path, "profiles", *HYPOTHESIS, "-p", "xdist", "-n", "2", "--full", seed=source)[1]
    (seed,) = re.findall(r"make test-full SEED=(\d+)", output)
    assert f"assert {seed} is None" in output
