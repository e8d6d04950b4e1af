"""Type hints that can be read at run time, as frameworks do: those of a user's own entities and of public functions."""

from __future__ import annotations

import inspect
from typing import Any, get_type_hints

import pytest

import tablewright
from tablewright import Entity, Keys, Table, keybuilding

cellar = Table("Cellar")


class Wine(Entity, table=cellar):
    keys = Keys("WINE#{wine}", "WINE#{wine}")
    wine: str
    year: int | None = None


class Port(Wine, table=cellar):
    keys = Keys("PORT#{wine}", "PORT#{wine}")
    old: bool = False


FUNCTIONS: dict[str, Any] = {
    f"{module.__name__}.{name}": value
    for module in (tablewright, keybuilding)
    for name in module.__all__
    if inspect.isfunction(value := getattr(module, name))
}


def test_an_entity_has_the_hints_that_its_user_wrote() -> None:
    hints = get_type_hints(Wine)
    assert {name: hints[name] for name in Wine.model_fields} == {"wine": str, "year": int | None}
    assert get_type_hints(Port)["old"] is bool


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_every_public_function_has_hints(name: str) -> None:
    assert "return" in get_type_hints(FUNCTIONS[name])


def test_there_are_public_functions_with_hints_of_their_own() -> None:
    assert {"tablewright.sparse", "tablewright.attr", "tablewright.query"} <= FUNCTIONS.keys()
    assert "indexes" in get_type_hints(Keys.__init__)
