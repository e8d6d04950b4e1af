"""Design jobs: what is started, what is judged, and that each judgement follows what is there."""

import json
import shutil
from datetime import date
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tablewright import cli
from tablewright.errors import ArgumentError
from tablewright.scaffold.job.checklists import PHASES
from tests.cli.conftest import JOB, edit


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.app, list(arguments))


def status(*more: str) -> tuple[int, dict[str, str]]:
    """The exit code, and what is missing for which item."""
    result = run("design", "status", "notebooks", "--json", *more)
    assert result.output, result.exception
    return result.exit_code, {i["text"]: i["missing"] for i in json.loads(result.output)["items"] if not i["done"]}


def test_checklists_have_the_length_that_the_method_asks_for() -> None:
    assert {(phase.file, c.name): len(c.items) for phase in PHASES for c in phase.checklists} == {
        ("phase-1.md", "Before the work begins"): 4,
        ("phase-1.md", "Overview"): 6,
        ("phase-1.md", "Entities and relationships"): 5,
        ("phase-1.md", "Access patterns"): 6,
        ("phase-1.md", "Sign-offs"): 3,
        ("phase-1.md", "What comes out of it"): 3,
        ("phase-2.md", "Keys"): 6,
        ("phase-2.md", "Relationships"): 5,
        ("phase-2.md", "Indexes"): 7,
        ("phase-2.md", "Schemas"): 6,
        ("phase-2.md", "What comes out of it"): 6,
        ("phase-3.md", "Infrastructure"): 8,
        ("phase-3.md", "Data-access layer"): 8,
        ("phase-3.md", "Scripts"): 4,
        ("phase-3.md", "What comes out of it"): 6,
    }


def test_a_new_job_has_everything_to_do(tmp_path: Path) -> None:
    started = run("design", "start", "order-history", "--to", str(tmp_path), "--from", "endpoints")
    assert started.exit_code == 0
    assert started.output.count("\n  - ") == 4  # what is needed before
    assert (tmp_path / "order-history" / "endpoints.md").is_file()
    assert not (tmp_path / "order-history" / "screens.md").exists()
    result = run("design", "status", "order-history", "--to", str(tmp_path))
    assert result.exit_code == 1
    assert "Nothing can be recommended yet" in result.output
    assert (
        "  Access patterns: 0 of 6 (there is no model yet)\n  Sign-offs: 0 of 3 (there is no model yet)\n"
        in result.output
    )
    for phase in PHASES:
        assert f"{phase.name}: 0 of {sum(len(c.items) for c in phase.checklists)} done" in result.output
        text = (tmp_path / "order-history" / phase.file).read_text(encoding="utf-8")
        assert [i.text for c in phase.checklists for i in c.items if f"- {i.text}" not in text] == []


def test_a_finished_job_ends_with_0(job: Path) -> None:
    assert status() == (0, {})
    shown = run("design", "status", "notebooks").output
    assert "One table suits." in shown
    assert "Phase 3: delivery: 26 of 26 done" in shown
    assert f"Said by G. Hopper, {date.today().isoformat()}." in shown


def test_a_reason_of_several_items_is_told_once(job: Path) -> None:
    shutil.rmtree("layer")
    for name in ("implementation-guide.md", "api.md"):
        (JOB / name).unlink()
    edit(JOB / "table.tf", ("{", "{ # edited"))
    shown = run("design", "status", "notebooks").output
    assert "  Data-access layer: 0 of 8 (places.data_access names no folder that is there;" in shown
    assert f"  Infrastructure: 0 of 8 ({JOB / 'table.tf'} is not what the model makes today;" in shown


def test_an_edited_template_undoes_only_what_it_says_otherwise(job: Path) -> None:
    edit(JOB / "table.yaml", ("DeletionProtectionEnabled: true", "DeletionProtectionEnabled: false"))
    shown = run("design", "status", "notebooks").output
    assert "  Infrastructure: 7 of 8\n    - The table is protected from deletion. (" in shown
    assert "    - Infrastructure code. (" in shown


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "budget_usd_a_month = 500",
            "budget_usd_a_month = 1",
            "The budget is 1.00 USD a month; what the model expects costs ",
        ),
        (
            "requests_per_second = 300",
            "requests_per_second = 3",
            "The overview says 3 requests a second; what the model expects ",
        ),
        ("requests_per_second = 300", "requests_per_second = 9000", "(rate= and writes=) is 261 in sum."),
        (
            "items = 5_000_000",
            "items = 1_000",
            "The overview says 1,000 items; what the model expects (items=) is 5,200,000",
        ),
        (
            "p99_ms = 20",
            "p99_ms = 9",
            "99 of 100 requests shall take 9 ms at most; notebook(), notebooks_of(), note() and 2 more",
        ),
        ('"mixed"', '"strong"', "Every read shall see the last write; pinned_notes(): read through a global index"),
    ],
    ids=["budget", "more requests", "fewer requests", "items", "latency", "consistency"],
)
def test_answers_that_the_model_does_not_keep_are_told(job: Path, old: str, new: str, told: str) -> None:
    edit(JOB / "overview.md", (old, new))
    result = run("design", "status", "notebooks")
    assert result.exit_code == 1
    (line,) = [line for line in result.output.splitlines() if told in line]
    assert line.startswith("  - ")
    assert "The answers and the model do not agree:" in result.output
    assert told in " ".join(json.loads(run("design", "status", "notebooks", "--json").output)["contradictions"])


def test_a_field_that_may_hold_anything(job: Path) -> None:
    edit(
        Path("notebooks/model.py"),
        ("    pinned: bool = False", "    pinned: bool = False\n    more: Any = None"),
        ("from pydantic", "from typing import Any\n\nfrom pydantic"),
    )
    assert status()[1]["Every field has a type."] == "Note.more: may hold anything"


def test_the_model_can_be_named(job: Path) -> None:
    Path("notebooks/model.py").rename("notebooks/other.py")
    edit(JOB / "overview.md", ('model = "notebooks/model.py"', 'model = ""'))
    assert status()[1]["The primary key is composite."] == "there is no model yet"
    assert "The primary key is composite." not in status("--model", "notebooks/other.py")[1]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("+++\n# Answers", "# Answers", "does not begin with answers"),
        ("p50_ms = 5", "p50_ms = ", "are no TOML"),
        ('"mixed"', '"sometimes"', "An answer .* cannot be: Invalid enum value 'sometimes'"),
        ("purpose =", "porpose =", "unknown field `porpose`"),
        ("p99_ms = 20", "p99_ms = -1", "cannot be: Expected `float` >= 0"),
    ],
)
def test_answers_that_cannot_be_read_are_told(job: Path, old: str, new: str, message: str) -> None:
    edit(JOB / "overview.md", (old, new))
    refused = run("design", "status", "notebooks").exception
    assert isinstance(refused, ArgumentError)
    with pytest.raises(ArgumentError, match=message):
        raise refused


def test_a_job_is_started_once_and_has_a_plain_name(tmp_path: Path) -> None:
    assert run("design", "start", "orders", "--to", str(tmp_path)).exit_code == 0
    overview = tmp_path / "orders" / "overview.md"
    overview.write_text("answered")
    assert "would be written over" in str(run("design", "start", "orders", "--to", str(tmp_path)).exception)
    assert overview.read_text() == "answered"
    assert run("design", "start", "orders", "--to", str(tmp_path), "--force").exit_code == 0
    assert overview.read_text() != "answered"
    assert "cannot be the name of a job" in str(run("design", "start", "../x", "--to", str(tmp_path)).exception)
    assert "There is no job in" in str(run("design", "status", "none", "--to", str(tmp_path)).exception)


@pytest.mark.parametrize(
    ("arguments", "begins"),
    [
        (["1:1"], "embedded"),
        (["1:1", "--alone"], "item collection"),
        (["1:N", "--count", "19"], "embedded"),
        (["1:N", "--count", "20"], "item collection"),
        (["1:N"], "item collection"),
        (["1:N", "--count", "5", "--alone"], "item collection"),
        (["M:N"], "adjacency list"),
        (["M:N", "--kinds", "2"], "materialised graph"),
        (["M:N", "--apart"], "normalised"),
        (["M:N", "--count", "3", "--stable", "--one-way"], "shallow duplication"),
        (["M:N", "--count", "3", "--stable"], "adjacency list"),
    ],
    ids=lambda value: "-".join(value).replace("--", "") if isinstance(value, list) else None,
)
def test_the_tree_of_relationships(arguments: list[str], begins: str) -> None:
    result = run("design", "relationship", *arguments)
    assert result.output.startswith(f"{begins} (")
    assert result.output.rstrip().splitlines()[-1].startswith("  Primary key: composite. One table")
    assert json.loads(run("design", "relationship", *arguments, "--json").output)["strategy"] == begins


@pytest.mark.parametrize("command", ["start", "status", "sign", "relationship"])
def test_help_shows_an_example(command: str) -> None:
    assert f"Example: tablewright design {command} " in run("design", command, "--help").output


def test_a_table_of_its_own_may_have_a_simple_key() -> None:
    told = json.loads(run("design", "relationship", "1:1", "--several-tables", "--json").output)
    assert told["key"]["kind"] == "simple"
    told = json.loads(run("design", "relationship", "1:N", "--several-tables", "--json").output)
    assert told["key"]["kind"] == "composite"
