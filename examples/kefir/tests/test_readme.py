"""The example's own README runs, and shows what the costs come to."""

from pathlib import Path

from examples.kefir.costs import shown
from tests.support.snippets import run_snippets

README = Path(__file__).parent.parent / "README.md"


def test_its_snippets_run_and_run_again(tmp_path: Path) -> None:
    assert run_snippets(README, tmp_path) is None
    assert run_snippets(README, tmp_path) is None


def test_it_shows_the_costs_as_they_are() -> None:
    assert shown() in README.read_text(encoding="utf-8")
