"""The tests that the documentation shows are tests: they pass, under pytest, as a reader would run them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.snippets import find_snippets, keep

pytest_plugins = ["pytester"]

DOCUMENTS = Path(__file__).parent.parent.parent / "docs"


@pytest.mark.parametrize(
    ("page", "passed"), [("how-to/testing.md", 7), ("how-to/faults.md", 3), ("tutorial-blog.md", 5)]
)
def test_the_tests_on_the_page_pass(pytester: pytest.Pytester, page: str, passed: int) -> None:
    for snippet in find_snippets((DOCUMENTS / page).read_text(encoding="utf-8")):
        keep(snippet, pytester.path)
    pytester.makeini("[pytest]\nfilterwarnings = error\n")
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=passed)
