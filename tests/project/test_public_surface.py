"""The names that `tablewright` exports: sorted, all there, each explained where it is defined."""

import inspect

import pytest

import tablewright


def test_the_list_is_sorted_and_without_doubles() -> None:
    names = list(tablewright.__all__)
    # As ruff sorts them: constants and other names in capitals, then classes, then the rest.
    assert names == sorted(set(names), key=lambda n: (0 if n.isupper() else 1 if n[0].isupper() else 2, n))


def test_nothing_public_is_left_out() -> None:
    visible = {
        name
        for name, value in vars(tablewright).items()
        if not name.startswith("_") and not inspect.ismodule(value) and name != "annotations"
    }
    assert visible == {name for name in tablewright.__all__ if not name.startswith("_")}


@pytest.mark.parametrize("name", getattr(tablewright, "__all__", ["__all__"]))
def test_every_name_is_explained(name: str) -> None:
    value = getattr(tablewright, name)
    if not (inspect.isclass(value) or inspect.isroutine(value)):
        return  # a constant cannot carry a docstring of its own
    explanation = vars(value).get("__doc__") if inspect.isclass(value) else inspect.getdoc(value)
    assert explanation
    # A dataclass without a docstring is given its own signature.
    assert not explanation.startswith(f"{name}(")
