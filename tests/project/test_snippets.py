"""The documents cannot rot: their snippets run, and the harness that runs them notices when one fails."""

from pathlib import Path

import pytest

from tests.support.snippets import find_commands, find_snippets, run_snippets

ROOT = Path(__file__).parent.parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_snippets_run(document: Path, tmp_path: Path) -> None:
    assert run_snippets(document, tmp_path) is None


def run_text(text: str, tmp_path: Path) -> str | None:
    document = tmp_path / "page.md"
    document.write_text(text, encoding="utf-8")
    folder = tmp_path / "cwd"
    folder.mkdir()
    return run_snippets(document, folder)


def test_snippets_share_a_namespace_and_a_fresh_folder(tmp_path: Path) -> None:
    text = """
```python
from pathlib import Path
assert list(Path().iterdir()) == []
x = 1
```

- in a list:

  ```python file=other.py
  y = 2
  ```

  ```python add=other.py
  z = y + 1
  ```

```python
import other
assert (x, y, other.y, other.z, __name__) == (1, 2, 2, 3, "__main__")
```
"""
    assert run_text(text, tmp_path) is None


def test_a_failing_snippet_is_reported_with_its_place_in_the_document(tmp_path: Path) -> None:
    problem = run_text("# Title\n\n```python\nx = 1\nassert x == 2\n```\n", tmp_path)
    assert problem is not None
    assert 'page.md", line 5' in problem
    assert "assert x == 2" in problem


def test_commands_must_succeed_and_print_what_the_document_shows(tmp_path: Path) -> None:
    tool = (
        "```python file=tablewright\nprint('#!/bin/sh\\necho one; echo two; exit $1', file=open('tablewright', 'w'))\n"
    )
    tool += (
        "import os\nos.chmod('tablewright', 0o755)\nos.environ['PATH'] = os.getcwd() + ':' + os.environ['PATH']\n```\n"
    )

    def run_console(name: str, console: str) -> str | None:
        (tmp_path / name).mkdir()
        return run_text(tool + console, tmp_path / name)

    assert run_console("good", "```console\n$ make test\nnever run\n$ tablewright 0\ntwo\n...\n```\n") is None
    assert run_console("cut", "```console\n$ tablewright 0\non…\ntwo…\n```\n") is None
    assert run_console("refused", "```console exit=3\n$ tablewright 3\none\n```\n") is None
    assert "did not print this line: three" in str(run_console("output", "```console\n$ tablewright 0\nthree\n```\n"))
    assert "did not print this line: tow…" in str(run_console("begun", "```console\n$ tablewright 0\ntow…\n```\n"))
    assert "ended with 3, not 0" in str(run_console("code", "```console\n$ tablewright 3\n```\n"))


def test_what_is_not_to_run_says_why() -> None:
    assert find_snippets("```python no-run: needs an AWS account\n1/0\n```\n```json\n{}\n```\n```\nplain\n```\n") == []
    with pytest.raises(ValueError, match="line 1: no-run needs its reason"):
        find_snippets("```python no-run\n1/0\n```\n")
    with pytest.raises(ValueError, match="line 1: 'exit=1' is not an option of a python snippet"):
        find_snippets("```python exit=1\n```\n")
    with pytest.raises(ValueError, match="line 2: this fence is never closed"):
        find_snippets("\n```python\n")


def test_commands_go_on_after_a_backslash() -> None:
    (snippet,) = find_snippets("```console\n$ tablewright a \\\n    b\nout\n\n$ make c\n```\n")
    first, second = find_commands(snippet)
    assert (first.text, first.line, first.shown) == ("tablewright a \\\n    b", 2, ["out"])
    assert (second.text, second.line, second.shown) == ("make c", 6, [])
