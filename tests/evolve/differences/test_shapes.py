"""Whether old values are read by new code, and new ones by old code, is said as the engine has it, for any two types."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tablewright import key
from tablewright.errors import DecodeError
from tablewright.evolve.differences.comparing import compare_models
from tests.evolve.differences.models import described, loaded

MODEL = """
from decimal import Decimal
from typing import Any, Literal
from pydantic import BaseModel
from tablewright import Entity, Keys, Table

box = Table("Box")

class Small(BaseModel):
    size: int = 1

class Large(BaseModel):
    size: int = 1
    more: str = ""

class Thing(Entity, table=box):
    keys = Keys("THING#{name}", "THING")
    name: str
    value: TYPE
"""
PLAIN: dict[str, list[Any]] = {
    "int": [0, 1, 5],
    "Decimal": [Decimal(1), Decimal("1.5")],
    "str": ["a", "c", "1"],
    "bool": [True, False],
    'Literal["a"]': ["a"],
    'Literal["a", "b"]': ["a", "b"],
    'Literal["b", "c"]': ["b", "c"],
    "Literal[1, 2]": [1, 2],
    "Small": [{"size": 3}],
    "Large": [{"size": 3, "more": "m"}],
}
UNIONS = ["int | str", "Decimal | str", 'int | Literal["a", "b"]', "int | bool | str"]
INNER = [kind + none for kind in (*PLAIN, *UNIONS) for none in ("", " | None")]
TYPES = [*INNER, *map("list[{}]".format, INNER[::4]), *map("dict[str, {}]".format, INNER[::5])]


def values_of(kind: str) -> list[Any]:
    """Some values of a type."""
    if kind.startswith("list["):
        return [[], *([value] for value in values_of(kind[5:-1]))]
    if kind.startswith("dict["):
        return [{"x": value} for value in values_of(kind[len("dict[str, ") : -1])]
    return [value for part in kind.split(" | ") for value in ([None] if part == "None" else PLAIN[part])]


def model(kind: str) -> str:
    return MODEL.replace("TYPE", kind)


@pytest.fixture(scope="module")
def boxes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For each type a table with some values of it."""
    folder = tmp_path_factory.mktemp("boxes")
    for number, kind in enumerate(TYPES):
        module = loaded(model(kind))
        with module.box.open(str(folder / str(number))) as db, db.batch() as batch:
            for name, value in enumerate(values_of(kind)):
                batch.put(module.Thing(name=str(name), value=value))
    return folder


def reads(boxes: Path, reader: str, written: str) -> bool:
    """Whether code of one type reads all values of another one."""
    module = loaded(model(reader))
    with module.box.open(str(boxes / str(TYPES.index(written)))) as db:
        try:
            for name in range(len(values_of(written))):
                assert db.get(key(module.Thing, name=str(name))) is not None
        except DecodeError:
            return False
    return True


def said(old: str, new: str) -> tuple[bool, bool]:
    """Whether new code reads all old values, and old code all new ones, as the comparison has it."""
    changes = {change.kind: change for change in compare_models(described(model(old)), described(model(new))).changes}
    widened, narrowed = changes.get("field-widened"), "field-narrowed" in changes
    if widened is None:
        return not changes, not changes or narrowed
    return not narrowed, "readers of the old model fail" not in widened.text


def test_what_is_said_of_reads_holds(boxes: Path) -> None:
    wrong = []
    for old in TYPES:
        for new in TYPES:
            new_reads, old_reads = said(old, new)
            if new_reads and not reads(boxes, new, old):
                wrong.append(f"{new} does not read {old}")
            if old_reads and not reads(boxes, old, new):
                wrong.append(f"{old} does not read {new}")
            if not old_reads and new_reads and reads(boxes, old, new):
                wrong.append(f"{old} reads {new}")
    assert wrong == []
