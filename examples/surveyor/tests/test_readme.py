"""What the README shows runs as it says."""

from pathlib import Path

from tests.support.snippets import run_snippets


def test_its_snippets_run(tmp_path: Path) -> None:
    assert run_snippets(Path(__file__).parent.parent / "README.md", tmp_path) is None
