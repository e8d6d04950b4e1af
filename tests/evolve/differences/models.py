"""Models as text, which tests change and compare."""

from __future__ import annotations

import sys
import types
from functools import cache
from itertools import count
from typing import Any

from tablewright import Table
from tablewright.evolve.differences.comparing import Differences, compare_models
from tablewright.evolve.differences.describing import ModelDescription, describe_model

_number = count()


@cache
def loaded(text: str) -> Any:
    """The module of a model."""
    module = types.ModuleType(f"compared_model_{next(_number)}")
    sys.modules[module.__name__] = module
    try:
        exec(compile(text, module.__name__, "exec"), vars(module))
    finally:
        del sys.modules[module.__name__]
    return module


@cache
def described(text: str) -> ModelDescription:
    """The description of the first table of a model."""
    table: Any = next(value for value in vars(loaded(text)).values() if isinstance(value, Table))
    return describe_model(table)


def changed(text: str, replacements: list[tuple[str, str]]) -> str:
    """A model with parts of its text replaced, each of which must be there."""
    for before, after in replacements:
        assert before in text, before
        text = text.replace(before, after)
    return text


def compared(text: str, replacements: list[tuple[str, str]]) -> Differences:
    """What replacing parts of a model's text changes."""
    return compare_models(described(text), described(changed(text, replacements)))
