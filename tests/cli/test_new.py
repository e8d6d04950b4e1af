"""`tablewright new`: what it makes works at once."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from examples.blog.model import blog
from examples.shop.model import shop
from tablewright import cli
from tablewright.errors import ArgumentError
from tests.support.type_checks import ROOT


def new(*arguments: str) -> Result:
    return CliRunner().invoke(cli.app, ["new", *arguments])


def run(folder: Path, *arguments: str) -> str:
    done = subprocess.run([sys.executable, "-m", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("new") / "project"
    assert new("my-notes", "--to", str(folder)).exit_code == 0
    return folder


def test_its_tests_pass(project: Path) -> None:
    assert "9 passed" in run(project, "pytest", "-q", "-p", "no:cacheprovider")


def test_formatter_linter_and_type_checker_find_nothing(project: Path) -> None:
    run(project, "ruff", "check", "--no-cache", ".")
    run(project, "ruff", "format", "--no-cache", "--check", ".")
    run(project, "mypy", "--cache-dir", str(ROOT / ".mypy_cache"))


@pytest.mark.parametrize("command", ["check", "lint", "test-patterns"])
def test_commands_of_its_ci_pass(project: Path, command: str) -> None:
    ci = (project / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert f"tablewright {command} my_notes/model.py" in ci
    result = CliRunner().invoke(cli.app, [command, str(project / "my_notes" / "model.py")])
    assert result.exit_code == 0, result.output


def test_its_tests_can_fail(project: Path, tmp_path: Path) -> None:
    for file in ("my_notes/__init__.py", "my_notes/model.py", "my_notes/seed.py", "tests/conftest.py"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text((project / file).read_text(encoding="utf-8"), encoding="utf-8")
    test = (project / "tests" / "test_patterns.py").read_text(encoding="utf-8")
    put = "            db.put(entity)\n"
    assert put in test
    changed = test.replace(put, '            if "engines-3" not in entity.model_dump().values():\n    ' + put)
    (tmp_path / "tests" / "test_patterns.py").write_text(changed, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "pythonpath=.", "tests"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    for name in ("test_notes_in", "test_pinned_notes"):
        assert f"FAILED tests/test_patterns.py::{name}" in done.stdout


@pytest.mark.full
@pytest.mark.parametrize("example", ["shop", "blog"])
def test_an_example_can_be_the_start(tmp_path: Path, example: str) -> None:
    folder = tmp_path / "made"
    assert new("my-app", "--example", example, "--to", str(folder)).exit_code == 0
    patterns = {"shop": shop, "blog": blog}[example].patterns
    assert f"{len(patterns) + 1} passed" in run(folder, "pytest", "-q", "-p", "no:cacheprovider")
    run(folder, "ruff", "check", "--no-cache", ".")
    assert "examples." not in "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))


def test_nothing_is_written_over(project: Path) -> None:
    again = new("my-notes", "--to", str(project))
    assert again.exit_code == 0, "what is there is what would be written"
    readme = project / "README.md"
    before = readme.read_text(encoding="utf-8")
    readme.write_text("mine", encoding="utf-8")
    refused = new("my-notes", "--to", str(project))
    assert isinstance(refused.exception, ArgumentError)
    assert "README.md would be written over" in str(refused.exception)
    assert readme.read_text(encoding="utf-8") == "mine"
    assert new("my-notes", "--to", str(project), "--force").exit_code == 0
    assert readme.read_text(encoding="utf-8") == before


def test_what_installs_the_library_can_be_said(tmp_path: Path) -> None:
    said = "tablewright[aws] @ git+https://example.org/tablewright.git@v1"
    assert new("my-app", "--to", str(tmp_path / "app"), "--tablewright", said).exit_code == 0
    made = tomllib.loads((tmp_path / "app" / "pyproject.toml").read_text(encoding="utf-8"))
    assert made["project"]["dependencies"] == [said]
    assert made["tool"]["hatch"]["metadata"] == {"allow-direct-references": True}


@pytest.mark.parametrize("name", ["../up", "1st", "a", "with space", "abc", "tests"])
def test_a_name_that_is_none_is_refused(tmp_path: Path, name: str) -> None:
    refused = new(name, "--to", str(tmp_path / "x"))
    assert "cannot be the name of a project" in str(refused.exception)
    assert not (tmp_path / "x").exists()


def test_an_unknown_example_is_refused(tmp_path: Path) -> None:
    refused = new("app", "--example", "bank", "--to", str(tmp_path / "x"))
    assert "There is no example 'bank'" in str(refused.exception)
