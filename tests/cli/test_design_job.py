"""Design jobs: what is started, what is judged, and that each judgement follows what is there."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tablewright import cli
from tablewright.errors import ArgumentError
from tablewright.scaffold.job.checklists import PHASES

JOB = Path("docs/specs/jobs/notebooks")
ANSWERS = {
    'purpose = ""': 'purpose = "Notes of people."',
    "user = []": 'user = ["write a note"]',
    "admin = []": 'admin = ["close an account"]',
    "system = []": 'system = ["remind of notes"]',
    "requests_per_second = 0": "requests_per_second = 2000",
    "items = 0": "items = 5_000_000",
    "p50_ms = 0": "p50_ms = 5",
    "p99_ms = 0": "p99_ms = 20",
    'consistency = ""': 'consistency = "mixed"',
    "budget_usd_a_month = 0": "budget_usd_a_month = 300",
    'relationships = ""': 'relationships = "simple"',
    'requirements = ""': 'requirements = "settled"',
    'experience = ""': 'experience = "some"',
    'technical_lead = ""': 'technical_lead = "A. Lovelace, 2026-02-01"',
    'product_manager = ""': 'product_manager = "G. Hopper, 2026-02-01"',
    'stakeholder = ""': 'stakeholder = "L. Lin, 2026-02-02"',
    'model = ""': 'model = "notebooks/model.py"',
    'data_access = ""': 'data_access = "layer"',
}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.app, list(arguments))


def edit(path: Path, *replacements: tuple[str, str]) -> None:
    text = path.read_text(encoding="utf-8")
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A job with everything done, made by the commands themselves."""
    folder = tmp_path_factory.mktemp("job")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for command in (
            ["new", "notebooks", "--to", "."],
            ["design", "start", "notebooks"],
            ["generate", "notebooks/model.py", "--to", str(JOB)],
            ["dal", "notebooks/model.py", "--to", "layer"],
        ):
            result = run(*command)
            assert result.exit_code == 0, (command, result.output, result.exception)
        edit(JOB / "overview.md", *ANSWERS.items())
        with (JOB / "entities.md").open("a", encoding="utf-8") as entities:
            entities.write("| Notebook | notebook_id | title | users |\n| Note | note_id | body, pinned | users |\n")
        for guide in ("implementation-guide.md", "api.md", "troubleshooting.md"):
            edit(JOB / guide, ("(fill in", "(see the wiki"))
    return folder


@pytest.fixture
def job(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it to spoil."""
    shutil.copytree(finished, tmp_path / "copy")
    for name in [name for name in sys.modules if name.partition(".")[0] == "notebooks"]:
        monkeypatch.delitem(sys.modules, name)  # the package of another test's folder
    monkeypatch.chdir(tmp_path / "copy")
    monkeypatch.syspath_prepend(str(tmp_path / "copy"))
    return tmp_path / "copy"


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
    assert "  Access patterns: 0 of 6 (there is no model yet)\n  Sign-offs: 0 of 3\n" in result.output
    for phase in PHASES:
        assert f"{phase.name}: 0 of {sum(len(c.items) for c in phase.checklists)} done" in result.output
        text = (tmp_path / "order-history" / phase.file).read_text(encoding="utf-8")
        assert [i.text for c in phase.checklists for i in c.items if f"- {i.text}" not in text] == []


def test_a_finished_job_ends_with_0(job: Path) -> None:
    assert status() == (0, {})
    shown = run("design", "status", "notebooks").output
    assert "One table suits." in shown
    assert "Phase 3: delivery: 26 of 26 done" in shown


def answers(old: str, new: str) -> Callable[[], None]:
    return lambda: edit(JOB / "overview.md", (old, new))


def model(old: str, new: str, *more: tuple[str, str]) -> Callable[[], None]:
    return lambda: edit(Path("notebooks/model.py"), (old, new), *more)


def only_template(*replacements: tuple[str, str]) -> None:
    edit(JOB / "table.yaml", *replacements)
    for other in ("table.tf", "table_stack.py", "create_table.py"):
        (JOB / other).unlink(missing_ok=True)


SPOILED: dict[str, tuple[Callable[[], None], str]] = {
    "The product manager agrees with the access patterns.": (
        answers("G. Hopper, 2026-02-01", ""),
        "signoffs.product_manager is empty",
    ),
    "Latency is known: of half of the requests, of 99 in 100.": (answers("p50_ms = 5", "p50_ms = 50"), "needs.p50_ms"),
    "Somebody of the team knows DynamoDB, or has done the tutorial.": (answers('"some"', '"none"'), "tutorial_done"),
    "Every entity of the list is in the model, and every entity of the model is in the list.": (
        lambda: edit(JOB / "entities.md", ("| Note |", "| Reminder |")),
        "Reminder: listed, but not in the model",
    ),
    "The diagram is there and up to date.": (lambda: (JOB / "erd.puml").unlink(), "erd.puml is missing"),
    "The table of access patterns.": (
        lambda: edit(JOB / "data-access-patterns.md", ("notes_in", "notes_of")),
        "data-access-patterns.md is not up to date",
    ),
    "Every entity says what it is.": (
        model('    """A notebook of somebody."""\n\n', ""),
        "Notebook: without a docstring",
    ),
    "Every pattern has a frequency.": (model("pinned_notes, rate=50, ", "pinned_notes, "), "pinned_notes(): expect"),
    "Every pattern has a target for its latency.": (
        model("expect(note, rate=20, results=1, latency_ms=20", "expect(note, rate=20, results=1"),
        "note(): expect(..., latency_ms=) is not said",
    ),
    "Every entity is read by a pattern.": (
        model(
            "query(Notebook, Notebook.username == username)",
            "query(Note, Note.notebook_id == username)",
            (
                "get(Notebook, Notebook.username == username, Notebook.notebook_id",
                "get(Note, Note.note_id == username, Note.notebook_id",
            ),
            ("Get[Notebook]", "Get[Note]"),
            ("Query[Notebook]", "Query[Note]"),
        ),
        "Notebook: no pattern reads it",
    ),
    "Every access pattern is a GetItem or a Query.": (
        model("Note.username == username, Note.pinned == True", "Note.body == username"),
        "pinned_notes(): no key serves it",
    ),
    "Every relationship has a strategy and a reason.": (
        model("""reason="a notebook is read with its user's others, its notes page by page",""", ""),
        "Notebook to Note: no reason",
    ),
    "Every index serves a pattern.": (model('[GSI("GSI1")]', '[GSI("GSI1"), GSI("GSI2")]'), "TW201"),
    "Every text that stands in a key has a greatest length.": (
        model("    note_id: str = Field(max_length=40)", "    note_id: str"),
        "Note.note_id: stands in a key and has no max_length",
    ),
    "Money is no float.": (
        model("    pinned: bool = False", "    pinned: bool = False\n    price: float = 0.0"),
        "TW507",
    ),
    "The table is protected from deletion.": (
        lambda: only_template(("DeletionProtectionEnabled: true", "Tags: []"), ("Retain", "Delete")),
        "the infrastructure code does not say it",
    ),
    "Every index is there.": (
        lambda: only_template(("GSI1", "GSI7")),
        "GSI1: not in the infrastructure code",
    ),
    "Every access pattern has a function.": (
        lambda: edit(Path("layer/data_access/note.py"), ("def pinned_notes(", "def pinned(")),
        "pinned_notes(): no function for the pattern",
    ),
    "Every entity has tests.": (lambda: Path("layer/tests/test_note.py").unlink(), "tests/test_note.py: missing"),
    "Every entity has handlers.": (lambda: Path("layer/api/note.py").unlink(), "api/note.py: missing"),
    "One place makes keys.": (lambda: Path("layer/data_access/keys.py").unlink(), "data_access/keys.py is missing"),
    "The README tells how to check stored items.": (
        lambda: edit(Path("README.md"), ("tablewright validate", "validate")),
        "does not tell of tablewright validate",
    ),
    "A description of the API.": (lambda: edit(JOB / "api.md", ("(see the wiki", "(fill in")), "lines to fill in"),
}


@pytest.mark.parametrize("of_model", [True, False], ids=["model", "files"])
def test_what_is_not_done_is_told(job: Path, of_model: bool) -> None:
    """Everything is spoiled at once, since each item looks at something else."""
    chosen = {
        text: one for text, one in SPOILED.items() if (one[0].__qualname__.partition(".")[0] == "model") is of_model
    }
    assert len(chosen) > 8
    for spoil, _ in chosen.values():
        spoil()
    code, missing = status()
    assert code == 1
    assert {text: missing.get(text) for text, (_, why) in chosen.items() if why not in missing.get(text, "")} == {}


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


@pytest.mark.parametrize("command", ["start", "status", "relationship"])
def test_help_shows_an_example(command: str) -> None:
    assert f"Example: tablewright design {command} " in run("design", command, "--help").output


def test_a_table_of_its_own_may_have_a_simple_key() -> None:
    told = json.loads(run("design", "relationship", "1:1", "--several-tables", "--json").output)
    assert told["key"]["kind"] == "simple"
    told = json.loads(run("design", "relationship", "1:N", "--several-tables", "--json").output)
    assert told["key"]["kind"] == "composite"
