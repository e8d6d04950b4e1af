"""The names that `tablewright` exports: sorted, all there, each explained where it is defined."""

import ast
import inspect
from pathlib import Path

import pytest
from msgspec import Struct

import tablewright
from tablewright.model.operations import Op


def test_the_list_is_sorted_and_without_doubles() -> None:
    names = list(tablewright.__all__)
    # As ruff sorts them: constants and other names in capitals, then classes, then the rest.
    assert names == sorted(set(names), key=lambda n: (0 if n.isupper() else 1 if n[0].isupper() else 2, n))


def test_nothing_public_is_left_out() -> None:
    for name in tablewright.__all__:
        getattr(tablewright, name)  # each is loaded when it is asked for
    visible = {
        name
        for name, value in vars(tablewright).items()
        if not name.startswith("_") and not inspect.ismodule(value) and name != "annotations"
    }
    assert visible == {name for name in tablewright.__all__ if not name.startswith("_")}


def test_names_are_loaded_from_where_type_checkers_see_them() -> None:
    source = ast.parse(Path(tablewright.__file__).read_text(encoding="utf-8"))
    told = {
        node.module.removeprefix("tablewright."): {name.name for name in node.names}
        for told_only in source.body
        if isinstance(told_only, ast.If)
        for node in told_only.body
        if isinstance(node, ast.ImportFrom) and node.module is not None
    }
    assert told == {home: set(names.split()) for home, names in tablewright._HOMES.items()}
    assert {"__version__"}.union(*told.values()) == set(tablewright.__all__)


@pytest.mark.parametrize("name", [name for name in tablewright.__all__ if not name.startswith("_")])
def test_records_tell_how_they_are_made(name: str) -> None:
    value = getattr(tablewright, name)
    if not inspect.isclass(value) or not issubclass(value, Struct) or issubclass(value, Op):
        return  # reads are made by functions
    assert list(inspect.signature(value).parameters) == list(value.__struct_fields__)


def test_names_are_shown_before_they_are_loaded() -> None:
    assert set(tablewright.__all__) <= set(dir(tablewright))


def test_a_name_that_is_none_is_refused() -> None:
    with pytest.raises(AttributeError, match="module 'tablewright' has no attribute 'Tabel'"):
        _ = tablewright.Tabel  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", getattr(tablewright, "__all__", ["__all__"]))
def test_every_name_is_explained(name: str) -> None:
    value = getattr(tablewright, name)
    if not (inspect.isclass(value) or inspect.isroutine(value)):
        return  # a constant cannot carry a docstring of its own
    explanation = vars(value).get("__doc__") if inspect.isclass(value) else inspect.getdoc(value)
    assert explanation
    # A dataclass without a docstring is given its own signature.
    assert not explanation.startswith(f"{name}(")
