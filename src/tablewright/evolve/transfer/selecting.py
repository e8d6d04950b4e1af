"""What is exported or archived: an entity, all of it or what meets conditions, or an access pattern with its arguments."""

from __future__ import annotations

import dataclasses
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct
from pydantic import BaseModel

from tablewright.client.session import Session
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import ArgumentError, TablewrightError, ValidationError
from tablewright.evolve.transfer.cells import read_cell
from tablewright.evolve.transfer.forms import Form, forms_of, forms_of_view, loads
from tablewright.evolve.transfer.leaves import Unreadable, leaf_of
from tablewright.evolve.transfer.mapping import entity_plan
from tablewright.model.annotations import without_none
from tablewright.model.entity import Entity, did_you_mean
from tablewright.model.operations import Collection, Mixed
from tablewright.table import Table

_CONDITION = re.compile(r"\s*(\w+)\s*(<=|>=|!=|=|<|>)(.*)", re.DOTALL)
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Selection(Struct, frozen=True, eq=False):
    """What was chosen."""

    what: str
    """In a few words."""
    identity: str
    """A text that is another one for another choice."""
    plans: tuple[EntityPlan, ...]
    """The entities that rows can be of."""
    view: type[BaseModel] | None
    """What rows are instead, where a pattern reads some fields only."""
    read: Callable[[Session], Iterator[BaseModel]]
    """Reads the rows, one page in memory at a time."""

    @property
    def several(self) -> bool:
        """Whether rows are of several entities."""
        return len(self.plans) > 1

    def forms(self) -> dict[type, dict[str, Form]]:
        """The forms of all entities."""
        if self.view is not None:
            return {}
        return {plan.entity: forms_of(plan) for plan in self.plans}

    def columns(self) -> dict[str, Form]:
        """The columns of a file that has the same ones for all rows."""
        if self.several:
            names = ", ".join(plan.name for plan in self.plans)
            raise ArgumentError(
                f"{self.what} gives rows of several entities: {names}.", hint="Export JSON lines, or one entity."
            )
        return forms_of(self.plans[0]) if self.view is None else forms_of_view(self.plans[0], self.view)


def selected(
    table: Table, entity: str | None, where: Sequence[str], pattern: str | None, arguments: Sequence[str]
) -> Selection:
    """What a caller chose by names and texts."""
    if (entity is None) == (pattern is None):
        known = next((kind.__name__ for kind in table.plan.entities), "NAME")
        raise ArgumentError("What should be read?", hint=f"Name an entity or a pattern: --entity {known}.")
    if entity is not None:
        if arguments:
            raise ArgumentError("Only patterns take arguments.", hint="Use --where, or name a pattern.")
        return of_entity(table, entity, where)
    if where:
        raise ArgumentError("A pattern selects by its arguments.", hint="Use --with, or name an entity.")
    assert pattern is not None
    return of_pattern(table, pattern, arguments)


def of_entity(table: Table, name: str, where: Sequence[str] = ()) -> Selection:
    """All of an entity that meets the conditions, such as `status=DELIVERED` or `placed_at<2024-01-01T00:00Z`. They are
    judged here: the whole table is read in any case."""
    plan = entity_plan(table, name)
    conditions = [_condition(plan, text) for text in where]

    def read(db: Session) -> Iterator[BaseModel]:
        for found in db.scan_for_maintenance(plan.entity):
            if all(holds(found) for holds in conditions):
                yield found

    return Selection(name, " ".join(("entity", name, *where)), (plan,), None, read)


def _condition(plan: EntityPlan, text: str) -> Callable[[Entity], bool]:
    parts = _CONDITION.fullmatch(text)
    if parts is None:
        raise ArgumentError("A condition is a field, a comparison and a value.", hint="--where 'status=DELIVERED'")
    name, sign, given = parts[1], parts[2], parts[3].strip()
    if name not in plan.fields:
        raise ArgumentError(f"{plan.name} has no field {name!r}.{did_you_mean(name, plan.fields)}", field=name)
    form = forms_of(plan)[name]
    if form.single is None:
        raise ArgumentError(f"{plan.name}.{name} is not one value to compare with.", field=name)
    compare = _OPERATORS[sign]
    try:
        value = read_cell(form, given)
        wanted = None if value is UNSET or value is None else form.field.accept(value)
        form.wire(wanted)
    except (Unreadable, TablewrightError) as error:
        said = error.message if isinstance(error, TablewrightError) else str(error)
        hint = error.hint if isinstance(error, TablewrightError) else None
        if isinstance(error, ValidationError) and error.constraint == "aware":
            hint = "Write its offset, as in 2024-01-01T00:00Z or 2024-01-01T00:00+02:00."
        raise ArgumentError(f"The condition on {name}: {said}", field=name, hint=hint) from None
    if wanted is None and sign not in ("=", "!="):
        raise ArgumentError(f"Nothing is before or after an empty {name}.", field=name, hint="Use = or !=.")

    def holds(entity: Entity) -> bool:
        found = getattr(entity, name)
        if found is None or wanted is None:
            return bool(compare(found, wanted)) if sign in ("=", "!=") else False
        return bool(compare(found, wanted))

    return holds


def of_pattern(table: Table, name: str, arguments: Sequence[str] = ()) -> Selection:
    """What a pattern reads with these arguments, each such as `username=alice`."""
    pattern = table.find_pattern(name)
    given = dict(_argument(name, pattern.parameters.annotations, text) for text in arguments)
    operation: Any = pattern(**given)
    queries: list[Any] = [operation]
    if isinstance(operation, Mixed):
        queries = list(operation.queries)
    elif isinstance(operation, Collection):
        queries = [part.query for part in operation.parts]
    plans = tuple({query.entity: table.plan.of(query.entity) for query in queries}.values())
    result = None if isinstance(operation, Mixed | Collection) else operation.result
    view = None if result is None or issubclass(result, Entity) else result

    def read(db: Session) -> Iterator[BaseModel]:
        yield from _models(db.execute(operation))

    return Selection(f"{name}()", " ".join(("pattern", name, *sorted(arguments))), plans, view, read)


def _argument(pattern: str, known: Mapping[str, Any], text: str) -> tuple[str, Any]:
    name, sign, given = text.partition("=")
    if not sign or name not in known:
        raise ArgumentError(
            f"{pattern}() has no parameter {name!r}.{did_you_mean(name, known)}", hint="--with username=alice"
        )
    leaf = leaf_of(without_none(known[name]))
    try:
        return name, loads(given) if leaf is None else leaf.taken(given)
    except ValueError:
        raise ArgumentError(f"{pattern}(): {name} cannot be read.", field=name, hint="Give it as JSON.") from None


def _models(found: Any) -> Iterator[BaseModel]:
    """The rows of whatever a read returns: one, many, or an object that holds some."""
    if found is None:
        return
    if isinstance(found, Entity) or (isinstance(found, BaseModel) and not _holds_entities(found)):
        yield found
    elif isinstance(found, BaseModel):
        yield from _models(list(vars(found).values()))
    elif dataclasses.is_dataclass(found) and not isinstance(found, type):
        yield from _models([getattr(found, part.name) for part in dataclasses.fields(found)])
    elif isinstance(found, Mapping):
        yield from _models(list(found.values()))
    elif isinstance(found, Iterable):
        for one in found:
            yield from _models(one)


def _holds_entities(model: BaseModel) -> bool:
    """Whether a model is what a collection was put into, rather than a view."""
    return any(
        isinstance(value, Entity) or (isinstance(value, list | tuple) and any(isinstance(v, Entity) for v in value))
        for value in vars(model).values()
    )
