"""The commands of the move, one after the other; a process that is killed; and the runbook."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from examples.places import CURSOR_KEYS
from examples.surveyor import legacy
from examples.surveyor.legacy.__main__ import main
from examples.surveyor.legacy.moving import surveyor_moving
from examples.surveyor.legacy.runbook import surveyor_runbook
from examples.surveyor.store import Surveyor, connect

ROOT = Path(__file__).parents[3]
Run = Callable[..., tuple[int, str]]


class Rehearsal:
    """A clock that passes when somebody sleeps."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC) - timedelta(days=60)

    def sleep(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def time() -> Rehearsal:
    return Rehearsal()


@pytest.fixture(params=["tables", pytest.param("flat", marks=pytest.mark.full)])
def form(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def run(tmp_path: Path, time: Rehearsal, capsys: pytest.CaptureFixture[str], form: str) -> Run:
    def command(*words: str) -> tuple[int, str]:
        place = ["--at", str(tmp_path / "rehearsal.db"), "--form", form]
        if words[0] == "backfill":
            place += ["--checkpoints", str(tmp_path / "checkpoints")]
        code = main([*words, *place], clock=lambda: time.now, sleep=time.sleep)
        told = capsys.readouterr()
        return code, told.out + told.err

    return command


def test_a_rehearsal(run: Run, time: Rehearsal, tmp_path: Path, form: str) -> None:
    assert run("demo", "--write")[0] == 0
    assert run("status")[1] == "The move has not begun.\n"
    code, told = run("plan", "--all")
    assert (code, told.splitlines()[-1]) == (0, "Nothing is wrong.")
    assert "Would" in run("dual")[1]
    assert run("status")[1] == "The move has not begun.\n"
    assert run("dual", "--write") == (0, "The phase dual holds.\n")
    code, told = run("backfill")
    assert (code, told.splitlines()[-1]) == (0, "Nothing was written; give --write to do it.")
    assert run("verify")[0] == 1  # nothing is there yet
    code, told = run("backfill", "--write", "--max-write-units", "100000")
    assert code == 0
    assert "items were written in parts" in told
    code, told = run("backfill", "--write")
    assert (code, told.splitlines()[-1]) == (0, "0 items were written in parts.")
    assert run("verify", "--writing")[0] == 0
    code, told = run("verify")
    assert (code, told.splitlines()[-1]) == (0, "All is well.")
    assert "is not the JSON of a survey" in told
    assert run("shadow", "--write")[0] == 0
    assert "cannot begin" in run("switch", "10", "--write")[1]  # nothing was compared yet
    code, told = run("compare")
    assert code == 0, told
    assert "0 differed" in told
    for percent in ("10", "50", "100"):
        assert run("switch", percent, "--write")[0] == 0
        time.sleep(86_400)
    assert run("status")[1] == "phase switched, 100 % of readers switched\n"
    assert run("kill", "--write")[0] == 0
    assert run("status")[1].endswith("killed\n")
    assert run("switch", "100", "--write")[0] == 0
    assert "safety period" in run("finish", "--write")[1]
    time.sleep(31 * 86_400)
    assert run("verify")[0] == 0
    assert run("finish", "--write")[0] == 0
    assert "Would" in run("retire", str(tmp_path / "archive"))[1]
    code, told = run("retire", str(tmp_path / "archive"), "--write")
    assert code == 0
    assert "DocumentRecord: 19 items archived, table deleted" in told
    with connect(tmp_path / "rehearsal.db", cursor_keys=CURSOR_KEYS) as db:
        assert len(Surveyor(db, "tenant-0").complete_survey("tenant-0-su0").sections) == 3


@pytest.mark.parametrize("form", ["tables"], indirect=True)
def test_back_and_refusals(run: Run) -> None:
    assert run("demo", "--write")[0] == 0
    assert run("dual", "--write")[0] == 0
    assert "Would go back from dual to legacy" in run("back")[1]
    assert run("back", "--write") == (0, "Back in the phase legacy.\n")
    code, told = run("back", "--write")
    assert code == 1
    assert "nothing to go back to" in told
    code, told = run("backfill", "--write")
    assert (code, "does not belong to the phase" in told) == (1, True)


@pytest.mark.full
@pytest.mark.parametrize("form", ["tables"], indirect=True)
def test_a_process_that_is_killed(run: Run, tmp_path: Path) -> None:
    """The system ends the backfill in its midst; the next one goes on, and all is there."""
    assert run("demo", "--write", "--surveys", "6")[0] == 0
    assert run("dual", "--write")[0] == 0
    place = ["--at", str(tmp_path / "rehearsal.db"), "--checkpoints", str(tmp_path / "checkpoints"), "--write"]
    command = [sys.executable, "-m", "examples.surveyor.legacy", "backfill", *place, "--every", "0"]
    process = subprocess.Popen(  # noqa: S603 - our own program
        [*command, "--max-write-units", "150", "--lease", "0.5"],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    for _ in range(3):
        assert process.stderr.readline().strip().startswith("Tenants: ") or process.poll() is None
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    process.stderr.close()
    assert run("verify")[0] == 1
    again = subprocess.run(  # noqa: S603 - our own program
        [*command, "--lease", "0.5"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert again.returncode == 0, again.stdout + again.stderr
    code, told = run("verify")
    assert code == 0, told


def test_the_runbook_is_the_one_of_this_mapping() -> None:
    text = surveyor_runbook(surveyor_moving())
    kept = Path(legacy.__file__).parent / "RUNBOOK.md"
    assert kept.read_text("utf-8") == text, (
        "python -m examples.surveyor.legacy runbook > examples/surveyor/legacy/RUNBOOK.md"
    )
    for words in (
        *("11 to 13", "13 to 15", "Week 1", "Week 2", "Week 3", "Week 4", "10 %, 50 %, 100 %", "30 days"),
        *("point-in-time recovery", "CloudWatch alarms", "single-table-reads", "Set up auto-scaling"),
    ):
        assert words in text
    assert text.count("- [ ]") > 20
