"""The surveyor's move by the commands of `tablewright move`; a process that is killed; and the runbook."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from examples.places import CURSOR_KEYS
from examples.surveyor import legacy
from examples.surveyor.legacy.__main__ import main
from examples.surveyor.legacy.moving import surveyor_moving
from examples.surveyor.legacy.runbook import surveyor_runbook
from examples.surveyor.store import Surveyor, connect
from tablewright import cli
from tablewright.engine import open_engine

ROOT = Path(__file__).parents[3]
Run = Callable[..., tuple[int, str]]


@pytest.fixture(params=["tables", pytest.param("flat", marks=pytest.mark.full)])
def form(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def place(tmp_path: Path, form: str) -> str:
    path = str(tmp_path / "rehearsal.db")
    assert main(["demo", path, "--form", form]) == 0
    return path


@pytest.fixture
def file(tmp_path: Path, form: str) -> str:
    """The mapping of from_tables.py or from_flat.py, for people who cannot wait for days."""
    path = tmp_path / "rehearsal.py"
    path.write_text(
        "from datetime import timedelta\n"
        "from examples.surveyor.legacy.moving import reads, surveyor_moving\n"
        f"moving = surveyor_moving({form!r}, refresh=0.01, safety_period=timedelta(0))\n"
        f"READS = reads({form!r})\n"
    )
    return str(path)


@pytest.fixture
def run(place: str, file: str) -> Run:
    def command(name: str, *words: str) -> tuple[int, str]:
        result = CliRunner().invoke(cli.app, ["move", name, file, *words, "--on", place])
        return result.exit_code, result.output + (str(result.exception) if result.exception else "")

    return command


def test_a_rehearsal(run: Run, place: str, tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, told = run("plan", "--all")
    assert (code, told.splitlines()[-1]) == (0, "Nothing is wrong.")
    assert run("prepare")[0] == 0
    assert run("advance", "dual")[0] == 0
    assert run("back")[0] == 0
    assert run("advance", "dual")[0] == 0
    code, told = run("backfill")
    assert (code, told.splitlines()[-1]) == (0, "Nothing was written. --write does it.")
    assert run("verify")[0] == 1  # nothing is there yet
    code, told = run("backfill", "--write", "--max-write-units", "100000")
    assert code == 0, told
    code, told = run("repair", "--write", "--max-write-units", "100000")
    assert (code, told.endswith(" items written.\n")) == (0, True), told
    code, told = run("backfill", "--write")
    assert code == 0
    assert " 0 written" in told
    assert run("repair", "--write") == (0, "Nothing to do.\n")
    code, told = run("verify")
    assert (code, told.splitlines()[-1]) == (0, "All is well.")
    assert "is not the JSON of a survey" in told
    capsys.readouterr()
    assert main(["reads", place, "--form", form]) == 0
    reads = tmp_path / "reads.jsonl"
    reads.write_text(capsys.readouterr().out)
    assert len(reads.read_text().splitlines()) > 100
    assert run("advance", "shadow")[0] == 0
    assert "cannot begin" in run("advance", "switched")[1]  # nothing was compared yet
    code, told = run("shadow", "--reads", str(reads), "--tell")
    assert (code, "0 differed" in told) == (0, True), told
    assert run("advance", "switched")[0] == 0
    for percent in ("10", "50", "100"):
        assert run("switch", percent)[0] == 0
    assert run("kill")[0] == 0
    assert "killed" in run("status")[1]
    assert run("switch", "100")[0] == 0
    assert run("verify")[0] == 0
    assert run("advance", "new")[0] == 0
    assert run("retire", str(tmp_path / "archive"))[0] == 0
    assert (tmp_path / "archive").exists() is False
    code, told = run("retire", str(tmp_path / "archive"), "--write")
    assert (code, "DocumentRecord" in told) == (0, True), told
    with connect(place, cursor_keys=CURSOR_KEYS) as db:
        assert len(Surveyor(db, "tenant-0").complete_survey("tenant-0-su0").sections) == 3


@pytest.mark.full
@pytest.mark.parametrize("form", ["tables"], indirect=True)
def test_a_process_that_is_killed(run: Run, place: str, file: str) -> None:
    """The system ends the backfill in its midst; the next one goes on, and all is there."""
    assert main(["demo", place, "--surveys", "6"]) == 0
    assert run("prepare")[0] == 0
    assert run("advance", "dual")[0] == 0
    words = ["move", "backfill", file, "--on", place, "--write"]
    command = [sys.executable, "-c", "from tablewright.cli import main; main()", *words]
    with subprocess.Popen(  # noqa: S603 - our own program
        [*command, "--max-write-units", "60", "--lease", "1"],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        while _moved(place) < 10:
            assert process.poll() is None
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    time.sleep(1)  # the lease
    assert run("verify")[0] == 1
    again = subprocess.run(  # noqa: S603 - our own program
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert again.returncode == 0, again.stdout + again.stderr
    assert run("repair", "--write")[0] == 0
    code, told = run("verify")
    assert code == 0, told


def _moved(place: str) -> int:
    with open_engine(place) as engine:
        count: int = engine.execute("Scan", {"TableName": "SurveyorData", "Select": "COUNT"})["Count"]
        return count


@pytest.mark.parametrize("form", ["tables", "flat"])
def test_what_the_readme_names_is_there(form: str, place: str) -> None:
    result = CliRunner().invoke(cli.app, ["move", "plan", f"examples.surveyor.legacy.from_{form}", "--on", place])
    assert (result.exit_code, result.output.splitlines()[-1]) == (0, "Nothing is wrong.")


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
