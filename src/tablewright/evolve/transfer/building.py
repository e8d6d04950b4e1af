"""From rows to entities: values by a mapping, judged by the entity's own validation, with keys that the model computes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import date, time
from hashlib import blake2b
from typing import Any

import pydantic
from msgspec import UNSET, Struct
from msgspec.structs import replace

from tablewright.client.decoding import Decoded
from tablewright.client.writes.action import same_key
from tablewright.client.writes.items import full_item
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.fields import ENCODING_FAILURES, FieldPlan
from tablewright.compiler.wirecodec import format_datetime, parse_datetime
from tablewright.compiler.wirerecords import NO_DEFAULT
from tablewright.errors import DecodeError, FieldTypeError, TablewrightError, ValidationError
from tablewright.evolve.findings import findings
from tablewright.evolve.transfer.cells import read_cell
from tablewright.evolve.transfer.forms import Form, forms_of
from tablewright.evolve.transfer.leaves import Unreadable
from tablewright.evolve.transfer.mapping import EntityMapping, entity_plan
from tablewright.evolve.transfer.rows import Problem, Row
from tablewright.model.entity import Entity, Stored
from tablewright.model.entity import stored as stored_of
from tablewright.table import Table
from tablewright.values.types import Item

_CORRECT = "Correct it where it comes from."
_OTHER = "Leave --entity out, and each row is of the entity that it names."
_NAMES = 100
"""Names that no field comes from which are kept, to be told."""
_ZONE = (
    "Write its offset, as in 2025-06-30T12:00:00+02:00 or ...12:00:00Z, or let a function say it: --map FILE with "
    '{column = "...", function = "module:function"}.'
)
_CALLS = 100
"""How often a function is asked whether it changes its mind: for longer than clocks stand still."""
_NOWHERE = "Say in the mapping where it comes from, or leave such rows out."


class Built(Struct, frozen=True, eq=False):
    """An entity that may be written."""

    place: str
    entity: Entity
    plan: EntityPlan
    forms: Mapping[str, Form]
    was: Stored | None = None
    """What the item says of itself, where the row is a stored one."""

    @property
    def said(self) -> dict[str, Form]:
        """The forms of all fields but those of which the row says nothing and whose default is made anew each time."""
        given = self.entity.model_fields_set
        return {n: form for n, form in self.forms.items() if n in given or not _is_made(form.field)}

    def over(self, stored: Entity) -> Built:
        """The same in the place of what is there, whose values stay where the row says nothing of them and the model would make new ones."""
        kept = {name: getattr(stored, name) for name in self.forms.keys() - self.said.keys()}
        return replace(self, entity=self.entity.model_copy(update=kept)) if kept else self


class Passed(Struct, frozen=True):
    """A row that is none of the wanted ones: an item of another entity, or one that the library keeps for itself."""


class Wrong(Exception):
    """A value that cannot be had, and why. Never leaves this room."""

    def __init__(self, column: str | None, message: str, hint: str) -> None:
        self.column, self.message, self.hint = column, message, hint


class Unread(Exception):
    """Values of a row that cannot be had, by their fields; the others are as they were read. Never leaves this room."""

    def __init__(self, wrong: Mapping[str, Wrong], given: Mapping[str, Any]) -> None:
        self.wrong, self.given = wrong, given


class Builder:
    """Makes entities of rows, and notices two of one key. What it remembers of each key are 16 bytes and where it was."""

    def __init__(
        self,
        table: Table,
        entity: str | None,
        mapping: Mapping[str, EntityMapping],
        now: str,
        decode: Callable[[Item], Decoded],
    ) -> None:
        self._table = table
        self._entity = entity
        self._mapping = mapping
        self._now = now
        self._decode = decode
        self._known: dict[str, tuple[EntityPlan, dict[str, Form]]] = {}
        self._seen: dict[bytes, str] = {}
        self._used: dict[str, set[str] | None] = {}
        self._unused: dict[str, None] = {}
        keys = [
            *(k for k in (table.pk, table.sk) if k is not None),
            *(a for i in table.indexes.values() for a in i.attributes),
        ]
        self._own = {*table.names.own(), *(key.name for key in keys)}

    def plan(self, name: str) -> tuple[EntityPlan, dict[str, Form]]:
        """An entity of the model, and the forms of its fields."""
        if name not in self._known:
            found = entity_plan(self._table, name)
            self._known[name] = found, forms_of(found)
        return self._known[name]

    @property
    def unused(self) -> tuple[str, ...]:
        """Names in rows that no field comes from, as they were met; the first of them."""
        return tuple(self._unused)

    def _meet(self, names: Iterable[str]) -> None:
        for name in names:
            if len(self._unused) < _NAMES:
                self._unused[name] = None

    def build(self, row: Row) -> Built | Passed | list[Problem]:
        """The entity of a row, or all that is wrong with it."""
        try:
            stored = self._stored(row.item) if self._is_typed(row) else None
            if stored is None and self._is_typed(row):
                return Passed()
            plan, forms = self.plan(self._name(row) if stored is None else type(stored).__name__)
        except Wrong as wrong:
            return [Problem(row.place, wrong.message, wrong.hint, wrong.column)]
        try:
            made = self._made(row, plan, forms) if stored is None else stored
            _refuse_made_keys(plan, made)
            key = self._checked(plan, made)
        except Wrong as wrong:
            return [Problem(row.place, wrong.message, wrong.hint, wrong.column)]
        except Unread as unread:
            found = [Problem(row.place, one.message, one.hint, one.column) for one in unread.wrong.values()]
            return found + self._also_refused(row, plan, unread)
        except pydantic.ValidationError as error:
            return self._refused(row, plan, error)
        except ValidationError as error:
            column = None if error.field is None else self._column(plan, error.field.partition(".")[0])
            hint = _ZONE if error.constraint == "aware" else error.hint or _CORRECT
            return [Problem(row.place, _message(plan, error), hint, column)]
        digest = blake2b(same_key(key), digest_size=16).digest()
        first = self._seen.setdefault(digest, row.place)
        if first != row.place:
            return [
                Problem(row.place, f"it has the key of {first}", "Leave one of them out, or give it a key of its own.")
            ]
        return Built(row.place, made, plan, forms, None if stored is None else _was(stored))

    def _name(self, row: Row) -> str:
        name = row.entity or self._entity
        if name is None:
            known = next((kind.__name__ for kind in self._table.plan.entities), "NAME")
            raise Wrong(None, "it does not say of which entity it is", f"Name it: --entity {known}.")
        if row.entity is not None and row.entity not in {kind.__name__ for kind in self._table.plan.entities}:
            raise Wrong("$entity", "it is of an entity that the model does not have", _CORRECT)
        if self._entity not in (None, name):
            raise Wrong("$entity", f"it is of {name}, not of {self._entity}", _OTHER)
        return name

    def _is_typed(self, row: Row) -> bool:
        """Whether it is an item that says itself what it is."""
        return row.item is not None and self._table.names.type in row.item

    def _stored(self, item: Item | None) -> Entity | None:
        """The entity of a stored item; None for one that is not wanted."""
        try:
            decoded = self._decode(item or {})
        except (DecodeError, ValidationError) as error:
            raise Wrong(None, error.message, error.hint or _CORRECT) from None
        if not isinstance(decoded, Entity) or self._entity not in (None, type(decoded).__name__):
            return None
        held = {field.path[0] for field in self._table.plan.of(type(decoded)).fields.values()}
        self._meet(name for name in item or () if name not in held and name not in self._own)
        return decoded

    def _made(self, row: Row, plan: EntityPlan, forms: Mapping[str, Form]) -> Entity:
        mapping = self._mapping.get(plan.name, EntityMapping())
        if plan.name not in self._used:
            self._used[plan.name] = mapping.used(plan.fields)
        used = self._used[plan.name]
        if used is not None:
            self._meet(n for n in row.values if n not in used and not (row.item is not None and n in self._own))
        given: dict[str, Any] = {}
        wrong: dict[str, Wrong] = {}
        for name, form in forms.items():
            try:
                value = _value(row, mapping, name, form)
            except Wrong as error:
                wrong[name] = error
                continue
            if value is not UNSET and (value is not None or form.field.nullable):
                given[name] = value
        if wrong:
            raise Unread(wrong, given)
        return plan.entity(**given)

    def _checked(self, plan: EntityPlan, entity: Entity) -> Item:
        """The key, after everything that would be stored was worked out once."""
        values = plan.validated(entity)
        key = plan.key(values)
        if not plan.seals:
            full_item(plan, values, key, self._now, Stored(1 if plan.options.version else None))
        return key

    def _column(self, plan: EntityPlan, name: str) -> str | None:
        if name not in plan.fields:
            return None
        origin = self._mapping.get(plan.name, EntityMapping()).origin(name)
        return origin.column or name

    def _also_refused(self, row: Row, plan: EntityPlan, unread: Unread) -> list[Problem]:
        """What is wrong with the other values."""
        try:
            plan.entity(**unread.given)
        except pydantic.ValidationError as error:
            return self._refused(row, plan, error, unread.wrong)
        except TablewrightError:
            pass
        return []

    def _refused(
        self, row: Row, plan: EntityPlan, error: pydantic.ValidationError, unread: Collection[str] = ()
    ) -> list[Problem]:
        """All that validation says; where values are `unread`, neither of them nor of all together, which may follow from that."""
        found: list[Problem] = []
        for one in findings(plan.entity, error):
            steps = one.steps
            if unread and (not steps or steps[0] in unread):
                continue
            column = self._column(plan, steps[0]) if steps else None
            missing = one.kind == "missing" and len(steps) == 1
            where = f"{plan.name}.{'.'.join(steps)}" if steps else plan.name
            message = f"{where} has no value" if missing else f"{where}: {one.message}"
            hint = _NOWHERE if missing else _ZONE if one.kind == "timezone_aware" else _CORRECT
            found.append(Problem(row.place, message, hint, column))
        return found


def _is_made(field: FieldPlan) -> bool:
    """Whether a function makes the default."""
    return field.default is not None and field.known is NO_DEFAULT


def _refuse_made_keys(plan: EntityPlan, entity: Entity) -> None:
    """Refuses a key that would be another one with each import, so that the row would be there once more. Raises Wrong."""
    for name in sorted(plan.key_fields & plan.fields.keys() - entity.model_fields_set):
        made = plan.fields[name].default
        if made is not None and _is_made(plan.fields[name]) and _changes(made):
            raise Wrong(
                None,
                f"{plan.name}.{name} has no value, and the one that the model makes is another one each time, so that a second import "
                "would write the row again",
                "Say in the mapping where it comes from, such as a function of the row that always says the same.",
            )


def _changes(made: Callable[[], Any]) -> bool:
    """Whether a function makes another value with each import. A clock gives the same one for a moment, and a calendar for a day: a
    fixed time needs no function."""
    first = made()
    return isinstance(first, date | time) or any(made() != first for _ in range(_CALLS))


def _was(entity: Entity) -> Stored:
    """Version and times of an item; what no item of this library would have begins anew."""
    known = stored_of(entity) or Stored()
    version = known.version if known.version is not None and known.version > 0 else None
    return Stored(version, _time(known.created), _time(known.updated))


def _time(text: str | None) -> str | None:
    try:
        return None if text is None else format_datetime(parse_datetime(text))
    except (ValueError, FieldTypeError):
        return None


def _value(row: Row, mapping: EntityMapping, name: str, form: Form) -> Any:
    """The value of a field as the mapping says; UNSET where the row says nothing."""
    origin = mapping.origin(name)
    if origin.constant is not UNSET:
        return _read(name, form, origin.constant)
    if origin.column is None:
        assert origin.function is not None
        return _called(name, origin.function, row.values)
    if origin.column not in row.values:
        return UNSET
    given = row.values[origin.column]
    if origin.function is not None:
        return _called(origin.column, origin.function, given)
    if origin.column in row.texts and isinstance(given, str):
        return _read(origin.column, form, given, text=True)
    return _read(origin.column, form, given)


def _read(column: str, form: Form, given: Any, *, text: bool = False) -> Any:
    try:
        return read_cell(form, given) if text else form.read(given)
    except Unreadable as error:
        raise Wrong(column, str(error), _CORRECT) from None
    except (TablewrightError, *ENCODING_FAILURES):
        raise Wrong(column, "it is no value in DynamoDB's JSON", _CORRECT) from None


def _called(column: str, function: Callable[[Any], Any], given: Any) -> Any:
    """What a function of the user's makes of a value. What it says of an error may hold values, so it is not repeated."""
    try:
        return function(given)
    except Exception as error:
        name = getattr(function, "__name__", "the function")
        raise Wrong(column, f"{name}() raised {type(error).__name__}", "Correct the row or the function.") from None


def _message(plan: EntityPlan, error: ValidationError) -> str:
    return error.message if error.message.startswith(plan.name) else f"{plan.name}: {error.message}"
