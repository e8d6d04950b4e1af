"""The source keeps the rules that no tool knows: where SQL may live, how long a module may grow, what it must say."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PACKAGE = ROOT / "src" / "tablewright"
MODULES = sorted(PACKAGE.rglob("*.py"))

LONGEST_MODULE = 500
MAY_BE_LONGER = frozenset(
    {
        "errors.py",  # one exception tree, read as one
    }
)

every_module = pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))


def imported_names(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
            names.add(node.module.partition(".")[0])
    return names


@every_module
def test_only_the_storage_room_speaks_sql(module: Path) -> None:
    if module.is_relative_to(PACKAGE / "engine" / "storage"):
        return
    assert "sqlite3" not in imported_names(ast.parse(module.read_text(encoding="utf-8")))


@every_module
def test_module_is_short_enough_to_have_one_subject(module: Path) -> None:
    lines = len(module.read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST_MODULE or str(module.relative_to(PACKAGE)) in MAY_BE_LONGER


def test_modules_that_may_be_longer_exist_and_are() -> None:
    for name in MAY_BE_LONGER:
        assert len((PACKAGE / name).read_text(encoding="utf-8").splitlines()) > LONGEST_MODULE


@every_module
def test_module_opens_by_saying_what_room_it_is(module: Path) -> None:
    assert ast.get_docstring(ast.parse(module.read_text(encoding="utf-8")))


@every_module
def test_nothing_is_left_for_later(module: Path) -> None:
    left = re.findall(r"\b(?:TODO|FIXME|XXX)\b", module.read_text(encoding="utf-8"))
    assert left == []


@every_module
def test_no_room_is_called_after_nothing(module: Path) -> None:
    assert not {"utils", "util", "helpers", "helper", "misc", "common"} & {*module.parts[-3:-1], module.stem}
