"""The example's own README runs, as often as somebody likes."""

from pathlib import Path

from tests.support.snippets import run_snippets

README = Path(__file__).parent.parent / "README.md"


def test_its_snippets_run_and_run_again(tmp_path: Path) -> None:
    assert run_snippets(README, tmp_path) is None
    assert run_snippets(README, tmp_path) is None
