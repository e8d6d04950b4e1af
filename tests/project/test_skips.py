"""A skip that nobody allowed fails the run, whether the tests run here or in xdist's workers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.skips import AllowedSkip, read_allowed_skips

ROOT = Path(__file__).parent.parent.parent

SKIP = "import pytest\ndef test_it():\n    pytest.skip('no luck')\n"
MODULE_SKIP = "import pytest\npytest.skip('no luck', allow_module_level=True)\n"
XFAIL = "import pytest\n@pytest.mark.xfail(reason='later')\ndef test_it():\n    assert False\n"
LISTED = "import pytest\ndef test_it():\n    pytest.skip('DynamoDB Local is not available: no java')\n"


def run(folder: Path, *options: str, required: str = "", **sources: str) -> tuple[int, str]:
    """A small test run of its own: exit code and output."""
    (folder / "conftest.py").write_text("pytest_plugins = ('tests.support.skips',)\n")
    (folder / "pytest.ini").write_text("[pytest]\n")
    for name, source in sources.items():
        (folder / f"test_{name}.py").write_text(source)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment |= {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment["TABLEWRIGHT_REQUIRE_DYNAMODB_LOCAL"] = required
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


modes = pytest.mark.parametrize(
    "mode", [(), ("-p", "xdist", "-n", "2", "--dist", "loadgroup")], ids=["here", "workers"]
)


@modes
def test_what_is_not_listed_fails_the_run(mode: tuple[str, ...], tmp_path: Path) -> None:
    code, output = run(tmp_path, *mode, skip=SKIP, module=MODULE_SKIP, xfail=XFAIL)
    assert code == pytest.ExitCode.TESTS_FAILED
    assert "test_skip.py::test_it: skip: no luck" in output
    assert "test_module.py: skip: no luck" in output
    assert "test_xfail.py::test_it: expected failure: later" in output


@modes
def test_what_is_listed_passes(mode: tuple[str, ...], tmp_path: Path) -> None:
    assert run(tmp_path, *mode, listed=LISTED)[0] == pytest.ExitCode.OK


def test_what_is_listed_fails_when_the_environment_forbids_it(tmp_path: Path) -> None:
    code, output = run(tmp_path, listed=LISTED, required="1")
    assert code == pytest.ExitCode.TESTS_FAILED
    assert "test_listed.py::test_it: skip: DynamoDB Local is not available" in output


def test_the_list_is_read_by_line_and_environment() -> None:
    text = "# a comment\n\ntests/a.py::* | no java*\ntests/b.py::test | why | unless CI\n"
    assert read_allowed_skips(text, {}) == [
        AllowedSkip("tests/a.py::*", "no java*"),
        AllowedSkip("tests/b.py::test", "why"),
    ]
    assert read_allowed_skips(text, {"CI": "1"}) == [AllowedSkip("tests/a.py::*", "no java*")]


@pytest.mark.parametrize(
    "line", ["tests/a.py", "a | b | when CI", "a | | unless CI", "a | b | unless", "a | b | c | d"]
)
def test_a_line_that_cannot_be_read_stops_the_run(line: str) -> None:
    with pytest.raises(pytest.UsageError, match=r"allowed_skips.txt:1"):
        read_allowed_skips(line, {})


def test_a_line_covers_by_node_and_reason() -> None:
    line = AllowedSkip("tests/a.py::test_x[1-*]", "no java*")
    assert line.covers("tests/a.py::test_x[1-b]", "no java here")
    assert line.covers("tests/a.py::test_x[1-b]@group", "no java here")
    assert not line.covers("tests/a.py::test_x[2-b]", "no java here")
    assert not line.covers("tests/a.py::test_x[1-b]", "other")
