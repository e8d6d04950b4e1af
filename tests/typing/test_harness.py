"""The harness for the typing cases notices both kinds of mistake: an error that is missing and one too many."""

from pathlib import Path

import pytest

from tests.support.type_checks import CHECKERS, disagreements, expected_refusals

pytestmark = pytest.mark.xdist_group("type checkers")


@pytest.mark.parametrize("checker", CHECKERS)
def test_missing_and_unexpected_errors_are_both_reported(
    checker: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # mypy's cache goes by module name, and would answer for the files of an earlier run.
    monkeypatch.setenv("MYPY_CACHE_DIR", str(tmp_path / "cache"))
    first = tmp_path / "first.py"
    first.write_text("a: int = 1  # E\nb: int = 2\nc: int = 'x'  # E\n")
    second = tmp_path / "second.py"
    second.write_text("a: int = 1\nb: int = 'x'\n")

    missing, unexpected = disagreements([first, second], checker, tmp_path)

    assert missing == f"first.py:1 {checker}: must be refused, but passes"
    assert unexpected.startswith(f"second.py:2 {checker}: must pass, but: ")


def test_a_mark_for_one_checker_does_not_concern_the_other(tmp_path: Path) -> None:
    case = tmp_path / "case.py"
    case.write_text("a = 1  # E: mypy\nb = 2  # E: pyright - why\nc = 3  # E\nd = '# E'  # Eh\n")
    assert expected_refusals([case], "mypy") == {(case.resolve(), 1), (case.resolve(), 3)}
    assert expected_refusals([case], "pyright") == {(case.resolve(), 2), (case.resolve(), 3)}


def test_a_mark_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    case = tmp_path / "case.py"
    case.write_text("a = 1  # E: mypi\n")
    with pytest.raises(ValueError, match=r"case.py:1: cannot read the mark '# E: mypi'"):
        expected_refusals([case], "mypy")
