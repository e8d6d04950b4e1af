"""A skip that nobody allowed fails the run, whether the tests run here or in xdist's workers."""

from pathlib import Path

import pytest

from tests.support.skips import AllowedSkip, read_allowed_skips
from tests.support.small_run import run_pytest

SKIP = "import pytest\ndef test_it():\n    pytest.skip('no luck')\n"
MODULE_SKIP = "import pytest\npytest.skip('no luck', allow_module_level=True)\n"
XFAIL = "import pytest\n@pytest.mark.xfail(reason='later')\ndef test_it():\n    assert False\n"
LISTED = "import pytest\ndef test_it():\n    pytest.skip('DynamoDB Local is not available: no java')\n"


modes = pytest.mark.parametrize(
    "mode", [(), ("-p", "xdist", "-n", "2", "--dist", "loadgroup")], ids=["here", "workers"]
)


@modes
def test_what_is_not_listed_fails_the_run(mode: tuple[str, ...], tmp_path: Path) -> None:
    code, output = run_pytest(tmp_path, "skips", *mode, skip=SKIP, module=MODULE_SKIP, xfail=XFAIL)
    assert code == pytest.ExitCode.TESTS_FAILED
    assert "test_skip.py::test_it: skip: no luck" in output
    assert "test_module.py: skip: no luck" in output
    assert "test_xfail.py::test_it: expected failure: later" in output


@modes
def test_what_is_listed_passes(mode: tuple[str, ...], tmp_path: Path) -> None:
    assert run_pytest(tmp_path, "skips", *mode, listed=LISTED)[0] == pytest.ExitCode.OK


def test_what_is_listed_fails_when_the_environment_forbids_it(tmp_path: Path) -> None:
    code, output = run_pytest(tmp_path, "skips", environment={"TABLEWRIGHT_REQUIRE_DYNAMODB_LOCAL": "1"}, listed=LISTED)
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
