"""What users write must type-check, and their mistakes must not: every file in `cases/`, by both checkers."""

from pathlib import Path

import pytest

from tests.support.type_checks import CHECKERS, disagreements

CASES = sorted((Path(__file__).parent / "cases").glob("*.py"))

# One worker runs them all: two mypy runs at once would fight over its cache.
pytestmark = pytest.mark.xdist_group("type checkers")


@pytest.mark.parametrize("checker", CHECKERS)
def test_cases_are_refused_exactly_where_marked(checker: str, tmp_path: Path) -> None:
    assert CASES
    assert disagreements(CASES, checker, tmp_path) == []
