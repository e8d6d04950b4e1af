"""A design job with everything done, and copies of it to spoil."""

import shutil
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tablewright import cli

JOB = Path("docs/specs/jobs/notebooks")
ANSWERS = {
    'answered_by = ""': 'answered_by = "A. Lovelace, 2026-02-01"',
    'purpose = ""': 'purpose = "Notes of people."',
    "user = []": 'user = ["write a note"]',
    "admin = []": 'admin = ["close an account"]',
    "system = []": 'system = ["remind of notes"]',
    "requests_per_second = 0": "requests_per_second = 300",
    "items = 0": "items = 5_000_000",
    "p50_ms = 0": "p50_ms = 5",
    "p99_ms = 0": "p99_ms = 20",
    'consistency = ""': 'consistency = "mixed"',
    "budget_usd_a_month = 0": "budget_usd_a_month = 500",
    'relationships = ""': 'relationships = "simple"',
    'requirements = ""': 'requirements = "settled"',
    'experience = ""': 'experience = "some"',
    'model = ""': 'model = "notebooks/model.py"',
    'data_access = ""': 'data_access = "layer"',
}
SIGNERS = {
    "technical-lead": "A. Lovelace",
    "product-manager": "G. Hopper",
    "stakeholder": "L. Lin",
    "engineer": "A. Lovelace",
    "participant": "G. Hopper",
    "outsider": "E. Noether",
}
WRITTEN = {
    "implementation-guide.md": {"(fill in)": "The platform team looks after it."},
    "api.md": {
        "| (fill in) | | |": "\n".join(
            f"| GET /{name} | shows it | {name} |"
            for name in ("notebook", "notebooks_of", "note", "notes_in", "pinned_notes")
        ),
        "(fill in: what a caller gets when something is refused, missing or too busy)": "404 if it is not there.",
        "(fill in)": "Whoever has signed in.",
    },
    "troubleshooting.md": {
        "(fill in: each alarm of the table, and what to do)": "Throttled: look at the hottest key.",
        "(fill in)": "The platform team, by day and night.",
    },
}


def edit(path: Path, *replacements: tuple[str, str]) -> None:
    """Replaces texts that must be there."""
    text = path.read_text(encoding="utf-8")
    for old, new in replacements:
        assert old in text, (path, old)
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A job with everything done, made by the commands themselves."""
    folder = tmp_path_factory.mktemp("job")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.syspath_prepend(str(folder))

        def run(*command: str) -> None:
            result = CliRunner().invoke(cli.app, list(command))
            assert result.exit_code == 0, (command, result.output, result.exception)

        run("new", "notebooks", "--to", ".")
        run("design", "start", "notebooks")
        run("generate", "notebooks/model.py", "--to", str(JOB))
        run("dal", "notebooks/model.py", "--to", "layer")
        edit(JOB / "overview.md", *ANSWERS.items())
        with (JOB / "entities.md").open("a", encoding="utf-8") as entities:
            entities.write("| Notebook | notebook_id | title | users |\n| Note | note_id | body, pinned | users |\n")
        for guide, texts in WRITTEN.items():
            edit(JOB / guide, *texts.items())
        for role, name in SIGNERS.items():
            run("design", "sign", "notebooks", role, "--name", name)
        _forget(patch)
    return folder


@pytest.fixture
def job(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it to spoil."""
    shutil.copytree(finished, tmp_path / "copy")
    _forget(monkeypatch)
    monkeypatch.chdir(tmp_path / "copy")
    monkeypatch.syspath_prepend(str(tmp_path / "copy"))
    return tmp_path / "copy"


def _forget(patch: pytest.MonkeyPatch) -> None:
    """The package of another test's folder."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "notebooks"]:
        patch.delitem(sys.modules, name)
