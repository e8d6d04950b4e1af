"""What a new project installs: the library from where the running one came."""

import json
from importlib.metadata import Distribution, PackageNotFoundError
from typing import Any

import pytest

from tablewright.scaffold.project import project_files
from tablewright.scaffold.requirement import Requirement, running_requirement


class Installed:
    """A distribution of which only its origin is known."""

    def __init__(self, origin: str | None) -> None:
        self._origin = origin

    def read_text(self, _: str) -> str | None:
        return self._origin


def installed(origin: str | None) -> Requirement:
    made: Any = Installed(origin)
    return running_requirement(lambda _: made)


def nowhere(_: str) -> Distribution:
    raise PackageNotFoundError


def test_from_a_repository() -> None:
    origin = {
        "url": "https://example.org/t.git",
        "vcs_info": {"vcs": "git", "commit_id": "abc", "requested_revision": "main"},
    }
    found = installed(json.dumps(origin))
    assert found == Requirement("tablewright[aws] @ git+https://example.org/t.git@abc")


def test_from_a_folder() -> None:
    found = installed(json.dumps({"url": "file:///src/t", "dir_info": {"editable": True}}))
    assert found.text == "tablewright[aws] @ file:///src/t"
    assert "other machines and CI do not have" in found.note


@pytest.mark.parametrize("found", [installed(None), installed("no JSON"), running_requirement(nowhere)])
def test_from_somewhere(found: Requirement) -> None:
    assert found.text == "tablewright[aws]"
    assert "not on a package index yet" in found.note


def test_the_readme_tells_what_must_be_known() -> None:
    plain, noted = Requirement("tablewright>=1"), installed(None)
    assert noted.note in project_files("notes-app", requirement=noted)["README.md"]
    files = project_files("notes-app", requirement=plain)
    assert 'dependencies = ["tablewright>=1"]' in files["pyproject.toml"]
    assert "allow-direct-references" not in files["pyproject.toml"]
    assert "index yet" not in files["README.md"]
