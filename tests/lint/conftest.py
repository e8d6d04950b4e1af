"""Models for rules to look at, written as text and read as `tablewright lint` reads them."""

from __future__ import annotations

import itertools
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tablewright.cli.models import Loaded, load_model
from tablewright.lint import Finding, lint

PRELUDE = """
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field, field_validator

from tablewright import *
"""
_numbers = itertools.count()
Read = Callable[[str], Loaded]
Codes = Callable[[str], set[str]]


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Read]:
    """Reads a model from its text."""
    monkeypatch.setattr("sys.path", [*sys.path])
    made: list[str] = []

    def reading(text: str) -> Loaded:
        made.append(f"linted_model_{next(_numbers)}")
        path = tmp_path / f"{made[-1]}.py"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        loaded = load_model(str(path), leniently=True)
        assert loaded.failed is None, loaded.failed
        return loaded

    yield reading
    for name in made:
        sys.modules.pop(name, None)


@pytest.fixture
def found(read: Read) -> Callable[[str], list[Finding]]:
    """What is found in the tables of a model."""

    def finding(text: str) -> list[Finding]:
        loaded = read(text)
        return [one for table in loaded.tables for one in lint(table, loaded.refused, beside=loaded.tables)]

    return finding


@pytest.fixture
def told(found: Callable[[str], list[Finding]]) -> Callable[[str], list[Finding]]:
    """What is found in a model and not waived; it need not import anything."""
    return lambda text: [one for one in found(PRELUDE + textwrap.dedent(text)) if one.waived is None]


@pytest.fixture
def codes(told: Callable[[str], list[Finding]]) -> Codes:
    """The codes of what is found in a model and not waived."""
    return lambda text: {one.code for one in told(text)}
