"""The repository as a whole: nothing in it depends on one machine or one host, and the changelog keeps up."""

import re
import subprocess
from pathlib import Path

from tablewright._version import __version__

ROOT = Path(__file__).parent.parent.parent

HOSTS = re.compile(r"pypi\.org|pythonhosted|npmjs|yarnpkg|debian\.org|maven\.")
MACHINE_PATHS = re.compile(r"(?<![\w.])/(?:work|root)/|/tmp/(?:venv|ddb)")


def text_files() -> list[tuple[str, str]]:
    """Path and text of every file that is tracked or about to be, except this one, which must name what it seeks."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found = []
    for name in filter(None, listed.split("\0")):
        path = ROOT / name
        if path.is_file() and path != Path(__file__):
            data = path.read_bytes()
            if b"\0" not in data[:8192]:
                found.append((name, data.decode("utf-8")))
    return found


def places(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{name}:{number}"
        for name, text in text_files()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_registry_is_named() -> None:
    assert places(HOSTS) == []


def test_no_path_of_one_machine_is_named() -> None:
    assert places(MACHINE_PATHS) == []


def test_changelog_has_a_section_for_what_comes_next_or_for_this_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[?(?:Unreleased|{re.escape(__version__)})\b", changelog, re.MULTILINE)


def test_ci_runs_the_command_that_the_readme_gives() -> None:
    assert re.search(r"^make test$", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE)
    assert "make test" in (ROOT / "README.md").read_text(encoding="utf-8")
