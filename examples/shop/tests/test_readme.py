"""The example's own README runs."""

from pathlib import Path

from tests.support.snippets import run_snippets

README = Path(__file__).parent.parent / "README.md"


def test_its_snippets_run(tmp_path: Path) -> None:
    assert run_snippets(README, tmp_path) is None
