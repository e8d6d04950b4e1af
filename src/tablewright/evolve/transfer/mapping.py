"""Mappings: which columns the fields of an entity come from, said in a file of TOML."""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec import UNSET, Struct, UnsetType, field

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import ArgumentError
from tablewright.evolve.differences.texts import code_text, constant_text
from tablewright.model.entity import did_you_mean
from tablewright.table import Table


class Origin(Struct, frozen=True, eq=False):
    """Where the value of a field comes from: a column, a constant, or a function of the column or of the whole row."""

    column: str | None = None
    constant: Any | UnsetType = UNSET
    function: Callable[[Any], Any] | None = None

    def text(self) -> str:
        """A text that differs where other values would come of the same rows."""
        constant = "" if self.constant is UNSET else constant_text(self.constant)
        return repr((self.column, constant, "" if self.function is None else code_text(self.function)))


class EntityMapping(Struct, frozen=True, eq=False):
    """What is said of one entity. Fields that are not named come from the column of their own name."""

    origins: Mapping[str, Origin] = field(default_factory=dict)
    table: str | None = None
    """The table of a database that it comes from."""
    query: str | None = None
    """A query of its rows."""

    def origin(self, name: str) -> Origin:
        """Where a field comes from."""
        return self.origins.get(name) or Origin(name)

    def text(self) -> str:
        """What is said of fields, in whatever order, and what their functions do."""
        return repr(sorted((name, one.text()) for name, one in self.origins.items()))

    def used(self, fields: Mapping[str, Any]) -> set[str] | None:
        """The columns that are read; None where a function looks at whole rows."""
        found = [self.origin(name) for name in fields]
        if any(one.column is None and one.function is not None for one in found):
            return None
        return {one.column for one in found if one.column is not None}


def read_mapping(path: Path, table: Table) -> dict[str, EntityMapping]:
    """The mappings of a file, by the name of the entity, in its order."""
    try:
        read = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise ArgumentError(f"There is no file {path}.", hint="Name a mapping in TOML.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ArgumentError(f"{path} is no TOML: {error}.", hint='[Order.fields] then total = "amount"') from None
    return {name: _mapping(f"{path}: {name}", said, entity_plan(table, name)) for name, said in read.items()}


def entity_plan(table: Table, name: str) -> EntityPlan:
    """The entity of this name; another one is refused."""
    found = {kind.__name__: kind for kind in table.plan.entities}
    if name not in found:
        raise ArgumentError(f"{table.name} has no entity {name!r}.{did_you_mean(name, found)}", field=name)
    return table.plan.of(found[name])


def _mapping(where: str, said: Any, plan: EntityPlan) -> EntityMapping:
    known = ("fields", "table", "query")
    if not isinstance(said, dict) or not said.keys() <= set(known):
        raise ArgumentError(f"{where} says something else than {', '.join(known)}.", hint="[Order.fields]")
    for name in ("table", "query"):
        if not isinstance(said.get(name, ""), str):
            raise ArgumentError(f"{where}: {name} is no text.", hint=f'{name} = "..."', field=name)
    fields = said.get("fields", {})
    if not isinstance(fields, dict):
        raise ArgumentError(f"{where}: fields is no table of TOML.", hint='[Order.fields] then total = "amount"')
    for name in fields:
        if name not in plan.fields:
            raise ArgumentError(f"{where} has no field {name!r}.{did_you_mean(name, plan.fields)}", field=name)
    origins = {name: _origin(f"{where}.{name}", one) for name, one in fields.items()}
    return EntityMapping(origins, said.get("table"), said.get("query"))


def _origin(where: str, said: Any) -> Origin:
    if isinstance(said, str):
        return Origin(said)
    known = {"column", "constant", "function"}
    if (
        not isinstance(said, dict)
        or not said
        or not said.keys() <= known
        or ("constant" in said and len(said) > 1)
        or not all(isinstance(said.get(name, ""), str) for name in ("column", "function"))
    ):
        raise ArgumentError(
            f"{where} is neither a column nor a constant nor a function.",
            hint='"amount", {constant = "PENDING"}, {function = "shop.moving:total"}, or a function with a column',
        )
    function = said.get("function")
    return Origin(
        said.get("column"), said.get("constant", UNSET), None if function is None else _function(where, function)
    )


def _function(where: str, path: str) -> Callable[[Any], Any]:
    module, _, name = path.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for step in name.split("."):
            found = getattr(found, step)
    except (ImportError, AttributeError, ValueError) as error:
        raise ArgumentError(f"{where}: there is no {path}: {error}.", hint="Write package.module:function.") from None
    except Exception as error:
        raise ArgumentError(
            f"{where}: {module} cannot be imported, it raises {type(error).__name__}.",
            hint="Import it in Python to see where.",
        ) from error
    if not callable(found):
        raise ArgumentError(f"{where}: {path} is no function.", hint="Write package.module:function.")
    function: Callable[[Any], Any] = found
    return function
