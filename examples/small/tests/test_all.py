"""Every small example runs, is proved, has nothing for the linter, is tested and is in the list."""

import importlib
import runpy
from pathlib import Path

import pytest

from tablewright import Table
from tablewright.lint import lint

FOLDER = Path(__file__).parent.parent
README = (FOLDER / "README.md").read_text(encoding="utf-8")
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("name", NAMES)
def test_check_and_lint_find_nothing(name: str) -> None:
    module = importlib.import_module(f"examples.small.{name}")
    (table,) = [value for value in vars(module).values() if isinstance(value, Table)]
    assert [p.name for p in table.prove().patterns if not p.served] == []
    assert [(one.code, one.message) for one in lint(table) if one.waived is None] == []
    assert len(table.waivers) <= 3


@pytest.mark.parametrize("name", NAMES)
def test_it_prints_what_the_list_shows(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    importlib.import_module(f"examples.small.{name}").main()
    shown = README.partition(f"$ python -m examples.small.{name}\n")[2].partition("```")[0]
    assert capsys.readouterr().out == shown.strip() + "\n"


def test_it_runs_as_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(FOLDER / "accounts.py"), run_name="__main__")
    assert capsys.readouterr().out.startswith("refused: bob has less than 31")


@pytest.mark.parametrize("name", NAMES)
def test_it_is_listed_and_tested(name: str) -> None:
    assert f"[{name}.py]({name}.py)" in README
    assert (FOLDER / "tests" / f"test_{name}.py").exists()
