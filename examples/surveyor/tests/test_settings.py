"""Settings that change no code: where surveys lie, and how requests that are throttled are repeated."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from examples.surveyor.model import surveyor
from examples.surveyor.store import Surveyor
from tablewright import RetryPolicy
from tablewright.errors import Throttled
from tablewright.testing import Faults, OpenTable, Throttle

ROOT = Path(__file__).parents[3]


def test_throttled_requests_are_repeated_three_times(tablewright_table: OpenTable, tablewright_faults: Faults) -> None:
    slept: list[float] = []
    policy = RetryPolicy(random=lambda: 1.0, sleep=slept.append)  # everything else is what connect() has
    store = Surveyor(tablewright_table(surveyor, retry=policy), "t")
    store.create_survey("12 Elm Street", "ann", survey_id="s1")
    with tablewright_faults.inject(Throttle(operations="GetItem", times=3)):
        assert store.survey("s1").title == "12 Elm Street"
    assert slept == [0.1, 0.2, 0.4]
    with tablewright_faults.inject(Throttle(operations="GetItem")), pytest.raises(Throttled):
        store.survey("s1")


def run_with_partitions(*command: str) -> str:
    """Runs something with a partition for each survey; what it printed."""
    ran = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, *command],
        cwd=ROOT,
        env={**os.environ, "SURVEYOR_PARTITION": "survey"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


SMALL = """
from examples.surveyor.model import surveyor
from examples.surveyor.seed import entities, seed
from examples.surveyor.store import Surveyor

with surveyor.open("memory:") as db:
    seed(db)
    store = Surveyor(db, "acme")
    with db.measure() as meter:
        tree = store.complete_survey("elm-12")
    print(len(meter.requests), len(tree.sections), len(tree.orphans))
    store.remove_section("elm-12", "walls")
    print(store.survey("elm-12").section_count, len(store.sections("elm-12")))
    found = [each for each in store.everything() if getattr(each, "survey_id", None) == "mill-4"]
    print(len(found) == len([e for e in entities() if getattr(e, "survey_id", None) == "mill-4"]) - 2)
    print(surveyor.prove().holds)
"""


def test_surveys_can_have_partitions_of_their_own() -> None:
    """Two Access items of the survey lie with their people, so they are not in the tenant's part of the table."""
    assert run_with_partitions("-c", SMALL).split() == ["1", "3", "0", "2", "2", "True", "True"]


@pytest.mark.full
def test_all_tests_pass_with_partitions_of_their_own() -> None:
    tests = [
        "reading",
        "editing",
        "building",
        "progress",
        "sharing",
        "snapshots",
        "syncing",
        "library",
        "documents",
        "tenants",
        "legacy_answers",
        "legacy_rows",
    ]
    files = [f"examples/surveyor/tests/test_{name}.py" for name in tests]
    assert "passed" in run_with_partitions("-m", "pytest", "-q", "-p", "no:cacheprovider", *files)
