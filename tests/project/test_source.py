"""The source keeps the rules that no tool knows: where SQL may live, how long a module may grow, what it must say."""

import ast
import re
from pathlib import Path

PACKAGE = Path(__file__).parent.parent.parent / "src" / "tablewright"
SOURCES = {str(path.relative_to(PACKAGE)): path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))}

LONGEST_MODULE = 500
MAY_BE_LONGER = {
    "errors.py": "one exception tree, read as one",
}


def imported_names(source: str) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
            names.add(node.module.partition(".")[0])
    return names


def test_only_the_storage_room_speaks_sql() -> None:
    speakers = {name for name, source in SOURCES.items() if "sqlite3" in imported_names(source)}
    assert {name for name in speakers if not name.startswith("engine/storage/")} == set()


def test_modules_are_short_enough_to_have_one_subject() -> None:
    long = {name for name, source in SOURCES.items() if len(source.splitlines()) > LONGEST_MODULE}
    assert long == set(MAY_BE_LONGER)


def test_modules_open_by_saying_what_room_they_are() -> None:
    assert [name for name, source in SOURCES.items() if not ast.get_docstring(ast.parse(source))] == []


def test_nothing_is_left_for_later() -> None:
    assert [name for name, source in SOURCES.items() if re.search(r"\b(?:TODO|FIXME|XXX)\b", source)] == []


def test_no_module_is_named_after_nothing() -> None:
    empty_names = {"utils", "util", "helpers", "helper", "misc", "common"}
    assert [name for name in SOURCES if empty_names & set(Path(name).with_suffix("").parts)] == []
