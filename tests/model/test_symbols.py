"""Symbols stand for unknown values: everything that would need the value is refused with the user's own line."""

from collections.abc import Callable
from typing import Any

import pytest

from tablewright.errors import PatternError
from tablewright.model.symbols import Symbol, caller, fill, has_symbols, use


@pytest.mark.parametrize(
    ("what", "attempt"),
    [
        ("as a condition", lambda s: bool(s)),
        ("as a condition", lambda s: 1 if s else 2),
        ("as text", lambda s: str(s)),
        ("in a formatted string", lambda s: f"{s}"),
        ("as a dictionary key", lambda s: {s: 1}),
        ("as a dictionary key", lambda s: {s}),
        ("in a loop", lambda s: list(s)),
        ("with len", lambda s: len(s)),
        ("with 'in'", lambda s: "a" in s),
        ("with an index", lambda s: s[0]),
        ("with .upper", lambda s: s.upper()),
        ("in isinstance", lambda s: isinstance(s, str)),
        ("in arithmetic", lambda s: s + 1),
        ("in arithmetic", lambda s: 1 - s),
        ("in arithmetic", lambda s: -s),
        ("in arithmetic", lambda s: int(s)),
        ("in arithmetic", lambda s: range(s)),
        ("in a comparison that names no field", lambda s: s == "a"),
        ("in a comparison that names no field", lambda s: s < 3),
        ("in a comparison that names no field", lambda s: s <= 3),
    ],
)
def test_whatever_needs_the_value_is_refused(what: str, attempt: Callable[[Any], object]) -> None:
    with pytest.raises(PatternError, match=f"test_symbols.py:[0-9]+: the parameter 'name' is used {what}"):
        attempt(Symbol("name", str))


def test_repr_is_for_debugging() -> None:
    assert repr(Symbol("name", str)) == "<parameter name>"
    assert not hasattr(Symbol("name", str), "__array__"), "foreign protocols are simply not there"


def test_caller_is_outside_of_this_package() -> None:
    assert caller().startswith(__file__)


def test_use_marks_symbols_wherever_they_stand() -> None:
    symbols = [Symbol(str(i), int) for i in range(3)]
    value = [symbols[0], {"a": (symbols[1],)}]
    assert use(value) is value
    assert [s.used for s in symbols] == [True, True, False]
    assert has_symbols(value)
    assert not has_symbols([1, {"a": "b"}, {3}])


def test_fill_replaces_symbols_and_nothing_else() -> None:
    one, two = Symbol("one", int), Symbol("two", int)
    assert fill([one, {"k": (two, "x")}, {7}], {"one": 1, "two": 2}) == [1, {"k": (2, "x")}, {7}]
