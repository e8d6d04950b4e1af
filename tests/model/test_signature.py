"""Parameters of patterns and changes: bound as Python binds them, read in every variant."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from tablewright.errors import ArgumentError, PatternError
from tablewright.model.signature import GIVEN, Parameters, refuse_unused
from tablewright.model.symbols import Symbol


def plain(a: str, b: int = 3) -> None: ...
def optional(a: str, since: datetime | None = None, flag: bool = False) -> None: ...
def special(a: str, /, b: int, *, c: str = "x") -> None: ...


def test_arguments_are_bound_with_defaults() -> None:
    assert Parameters(plain).bind(("x",), {}) == {"a": "x", "b": 3}
    assert Parameters(plain).bind((), {"b": 1, "a": "y"}) == {"a": "y", "b": 1}
    assert Parameters(special).bind(("p", 2), {"c": "z"}) == {"a": "p", "b": 2, "c": "z"}
    assert Parameters(special).bind(("p",), {"b": 2}) == {"a": "p", "b": 2, "c": "x"}


@pytest.mark.parametrize(
    ("function", "args", "kwargs", "message"),
    [
        (plain, (), {}, r"plain\(\) missing 1 required positional argument: 'a'"),
        (plain, ("x", 1, 2), {}, r"plain\(\) takes from 1 to 2 positional arguments but 3 were given"),
        (plain, ("x",), {"c": 1}, r"plain\(\) got an unexpected keyword argument 'c'"),
        (special, (), {"a": "x", "b": 1}, r"special\(\) .*positional"),
        (special, ("x", 1, "c"), {}, r"special\(\) takes 2 positional arguments"),
    ],
)
def test_wrong_calls_list_the_parameters(
    function: Callable[..., None], args: tuple[Any, ...], kwargs: dict[str, Any], message: str
) -> None:
    with pytest.raises(ArgumentError, match=message) as caught:
        Parameters(function).bind(args, kwargs)
    assert "a: str" in str(caught.value)


def test_variants_are_every_way_to_give_optional_and_boolean_parameters() -> None:
    parameters = Parameters(optional)
    keys = [key for key, _ in parameters.variants()]
    assert sorted(map(repr, keys)) == sorted(
        repr((GIVEN, since, flag)) for since in (GIVEN, None) for flag in (True, False)
    )
    for key, arguments in parameters.variants():
        assert type(arguments["a"]) is Symbol
        assert arguments["since"] is None or arguments["since"].annotation is datetime
        assert arguments["flag"] is key[2]


def test_arguments_choose_their_variant() -> None:
    parameters = Parameters(optional)
    assert parameters.variant_of({"a": "x", "since": None, "flag": True}) == (GIVEN, None, True)
    assert parameters.variant_of({"a": "x", "since": datetime(2025, 1, 1), "flag": False}) == (GIVEN, GIVEN, False)
    with pytest.raises(ArgumentError, match="the parameter 'a' may not be None"):
        parameters.variant_of({"a": None, "since": None, "flag": True})
    with pytest.raises(ArgumentError, match="the parameter 'flag' must be True or False"):
        parameters.variant_of({"a": "x", "since": None, "flag": 1})


def listed(*names: str) -> None: ...
def named(**names: str) -> None: ...
def bare(a) -> None: ...  # type: ignore[no-untyped-def]
def mixed(a: bool | int) -> None: ...
def implicit(a: str = None) -> None: ...  # type: ignore[assignment]  # noqa: RUF013
def undefined(a: "Nowhere") -> None: ...  # type: ignore[name-defined]  # noqa: F821
def many(a: bool, b: bool, c: bool, d: bool, e: bool, f: bool, g: bool) -> None: ...


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (listed, r"listed\(\) takes \*names"),
        (named, r"named\(\) takes \*\*names"),
        (bare, r"The parameter 'a' of bare\(\) has no type"),
        (mixed, r"The parameter 'a' of mixed\(\) is bool or something else"),
        (implicit, r"'a' of implicit\(\) is None by default, but its type does not say so.*str \| None = None"),
        (undefined, r"undefined\(\) has an annotation that names 'Nowhere', which is not defined here"),
        (many, r"many\(\) has more than 64 combinations"),
    ],
)
def test_signatures_that_cannot_be_read(function: Callable[..., None], message: str) -> None:
    with pytest.raises(PatternError, match=message):
        Parameters(function)


def test_annotations_may_name_what_is_local() -> None:
    class Local: ...

    def function(a: "Local") -> None: ...

    assert Parameters(function).annotations == {"a": Local}


def test_a_parameter_that_no_variant_uses_is_refused() -> None:
    parameters = Parameters(optional)
    runs = [arguments for _, arguments in parameters.variants()]
    runs[0]["a"].used = True
    with pytest.raises(PatternError, match="It never uses its parameter 'since'"):
        refuse_unused("It", parameters, runs, {})


def test_a_flag_that_makes_no_difference_is_refused() -> None:
    def flagged(a: str, newest: bool) -> None: ...

    parameters = Parameters(flagged)
    runs = [arguments for _, arguments in parameters.variants()]
    runs[0]["a"].used = True
    keys = [key for key, _ in parameters.variants()]
    with pytest.raises(PatternError, match="It never uses its parameter 'newest'"):
        refuse_unused("It", parameters, runs, dict.fromkeys(keys, "the same"))
    refuse_unused("It", parameters, runs, dict(zip(keys, ["one", "the other"], strict=True)))
