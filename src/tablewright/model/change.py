"""Changes: typed functions whose bodies require and assign. Read once with a draft, they tell which keys will move;
called with a real entity, the same body runs as plain Python, which is how a unit test tries it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from decimal import Decimal
from typing import Any, Concatenate, Generic, NoReturn, ParamSpec, TypeVar, get_origin

import pydantic
from msgspec import Struct

from tablewright.errors import ChangeError, ConditionalCheckError, PatternError, UnknownFieldError
from tablewright.model.annotations import describe, field_annotation, fits, members, optional
from tablewright.model.comparing import Field
from tablewright.model.conditions import Condition, FieldPath, as_condition, path_text, substitute
from tablewright.model.entity import Entity, did_you_mean
from tablewright.model.signature import Parameters, refuse_moving_values, refuse_no_function, refuse_unused
from tablewright.model.symbols import Symbol, caller, fill, use

P = ParamSpec("P")
E = TypeVar("E", bound=Entity)


class Assign(Struct, frozen=True):
    """SET path = value (None removes an optional field)."""

    path: FieldPath
    value: Any


class Increment(Struct, frozen=True):
    """Add a number, starting from 0 when the field is absent."""

    path: FieldPath
    amount: Any


class Append(Struct, frozen=True):
    """Add members at the end of a list."""

    path: FieldPath
    members: Any


class Include(Struct, frozen=True):
    """Add members to a set."""

    path: FieldPath
    members: Any


class Discard(Struct, frozen=True):
    """Take members out of a set."""

    path: FieldPath
    members: Any


class Remove(Struct, frozen=True):
    """Remove the attribute."""

    path: FieldPath


Action = Assign | Increment | Append | Include | Discard | Remove


class ChangePlan(Struct, frozen=True):
    """What one variant of a change does."""

    actions: tuple[Action, ...]
    conditions: tuple[Condition, ...]

    def values(self) -> list[Any]:
        """The values in it, in order."""
        given = [getattr(a, name) for a in self.actions for name in a.__struct_fields__ if name != "path"]
        return given + [v for c in self.conditions for leaf in c.leaves() for v in leaf.operands()]

    def bound(self, arguments: Mapping[str, Any]) -> ChangePlan:
        """The same with the parameters replaced by arguments."""
        return ChangePlan(
            tuple(_bound_action(a, arguments) for a in self.actions),
            tuple(substitute(c, arguments) for c in self.conditions),
        )


class _Recording(Struct):
    actions: list[Action]
    conditions: list[Condition]

    def assigned(self, path: FieldPath) -> bool:
        """Whether the value at this path was replaced."""
        return any(a.path == path[: len(a.path)] for a in self.actions)

    def touched(self, path: FieldPath) -> bool:
        """Whether the value at this path, or a part of it, was changed."""
        return any(a.path[: len(path)] == path[: len(a.path)] for a in self.actions)

    def refuse_reading(self, path: FieldPath) -> None:
        raise ChangeError(
            f"{caller()}: {path_text(path)!r} is read after it was changed.",
            hint="Read first: conditions and sums are about the stored item; several members go into one extend().",
        )


_recording: ContextVar[_Recording | None] = ContextVar("tablewright_change_recording", default=None)


def require(condition: bool) -> None:
    """In a change: it happens only if this holds, or fails with ConditionalCheckError and changes nothing."""
    recording = _recording.get()
    if recording is not None:
        recording.conditions.append(as_condition(condition, "require"))
    elif isinstance(condition, Condition):
        raise ChangeError(f"{caller()}: require() with a condition on a class belongs into a change.")
    elif not condition:
        raise ConditionalCheckError(f"{caller()}: a requirement of the change does not hold.")


class Current(Field):
    """A field of the draft: can be compared, assigned to, added to."""

    __slots__ = ("_recording",)
    _error = ChangeError
    _recording: _Recording

    def __init__(self, owner: type, path: FieldPath, annotation: Any, recording: _Recording) -> None:
        Field.__init__(self, owner, path, annotation)
        self._recording = recording
        if recording.assigned(path):
            recording.refuse_reading(path)

    def __getattr__(self, name: str) -> Any:
        if name in _MUTATORS and self._holds(_MUTATORS[name]):
            return lambda value: _mutate(self, name, value)
        found = Field.__getattr__(self, name)
        return Current(found._owner, found._path, found._annotation, self._recording)

    def __getitem__(self, index: int | str) -> Current:
        found = Field.__getitem__(self, index)
        return Current(found._owner, found._path, found._annotation, self._recording)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        else:
            _record_assignment(Field.__getattr__(self, name), value, self._recording)

    def __setitem__(self, index: int | str, value: Any) -> None:
        _record_assignment(Field.__getitem__(self, index), value, self._recording)

    def __delattr__(self, name: str) -> None:
        _refuse_deleting(Field.__getattr__(self, name))

    def __delitem__(self, index: int | str) -> None:
        field = Field.__getitem__(self, index)
        if not (self._holds(list) or self._holds(dict)):
            _refuse_deleting(field)
        if self._recording.touched(field._path):
            raise ChangeError(f"{caller()}: {path_text(field._path)!r} is changed twice.")
        self._recording.actions.append(Remove(field._path))

    def _accept(self, value: Any, annotation: Any = None) -> Any:
        if self._recording.touched(self._path):
            self._recording.refuse_reading(self._path)
        return Field._accept(self, value, annotation)

    def _holds(self, kind: type) -> bool:
        return any((get_origin(m) or m) is kind for m in members(self._annotation))

    def __add__(self, amount: Any) -> _Sum:  # type: ignore[override]
        if not (self._holds(list) or any(self._holds(n) for n in (int, float, Decimal))):
            raise ChangeError(
                f"{caller()}: {self!r} is {describe(self._annotation)} and cannot be added to.",
                hint="Numbers and lists can. A value that is made of the old one is written by db.revise() or db.edit(), which "
                "read first.",
            )
        addable = list | tuple if self._holds(list) else int | float | Decimal
        if type(amount) is not Symbol and (not isinstance(amount, addable) or isinstance(amount, bool)):
            raise ChangeError(
                f"{caller()}: {self!r} is {describe(self._annotation)}; {type(amount).__name__} cannot be added to it."
            )
        kind = type(amount)  # a parameter may not be asked by isinstance()
        if (kind is float and not self._holds(float)) or (
            kind is Decimal and not (self._holds(Decimal) or self._holds(float))
        ):
            raise ChangeError(
                f"{caller()}: {self!r} is {describe(self._annotation)}; a {kind.__name__} cannot be added to it.",
                hint="Add a number of the field's own type.",
            )
        return _Sum(self._path, _fitting(self, amount), Append if self._holds(list) else Increment)

    def __radd__(self, amount: Any) -> _Sum:  # type: ignore[override]
        if self._holds(list):
            raise ChangeError(f"{caller()}: {self!r} is put after other members.", hint="A list only grows at its end.")
        return self.__add__(amount)

    def __or__(self, members: Any) -> _Sum:  # type: ignore[override]
        return self._merge(members, Include)

    def _merge(self, members: Any, action: type[Include | Discard]) -> _Sum:
        if not (self._holds(set) or self._holds(frozenset)):
            return Field._calculate(self, members)  # type: ignore[no-any-return]
        if type(members) is not Symbol and not isinstance(members, set | frozenset):
            raise ChangeError(
                f"{caller()}: {self!r} is {describe(self._annotation)}; it can only be joined with another set."
            )
        return _Sum(self._path, _fitting(self, members if type(members) is Symbol else list(members)), action)

    def __sub__(self, amount: Any) -> _Sum:  # type: ignore[override]
        if self._holds(set) or self._holds(frozenset):
            return self._merge(amount, Discard)
        if type(amount) is Symbol:
            raise ChangeError(
                f"{caller()}: subtracting a parameter is not supported.", hint="Pass a negative number and add it."
            )
        return self.__add__(-amount if isinstance(amount, int | float | Decimal) else amount)


_MUTATORS: dict[str, type] = {"append": list, "extend": list, "add": set, "discard": set, "update": set}
_ACTIONS: dict[str, Callable[[FieldPath, Any], Action]] = {
    "append": lambda path, value: Append(path, [value]),
    "extend": Append,
    "add": lambda path, value: Include(path, [value]),
    "update": Include,
    "discard": lambda path, value: Discard(path, [value]),
}


def _mutate(field: Current, name: str, value: Any) -> None:
    if field._recording.touched(field._path):
        raise ChangeError(f"{caller()}: {path_text(field._path)!r} is changed twice.")
    field._recording.actions.append(_ACTIONS[name](field._path, use(value)))


class _Sum(Struct, frozen=True):
    """field + amount, waiting to be assigned to the field."""

    path: FieldPath
    amount: Any
    action: type[Append | Increment | Include | Discard]


class Draft:
    """Stands for the entity while a change's body is read."""

    __slots__ = ("_entity", "_recording")
    _entity: type[Entity]
    _recording: _Recording

    def __init__(self, entity: type[Entity], recording: _Recording) -> None:
        object.__setattr__(self, "_entity", entity)
        object.__setattr__(self, "_recording", recording)

    def _annotation(self, name: str) -> Any:
        entity = self._entity
        info = entity.model_fields.get(name)
        if info is None:
            raise UnknownFieldError(
                f"{caller()}: {entity.__name__} has no field {name!r}.{did_you_mean(name, entity.model_fields)}",
                field=name,
            )
        return field_annotation(info)

    def __getattr__(self, name: str) -> Current:
        return Current(self._entity, (name,), self._annotation(name), self._recording)

    def __setattr__(self, name: str, value: Any) -> None:
        _record_assignment(Field(self._entity, (name,), self._annotation(name)), value, self._recording)

    def __delattr__(self, name: str) -> None:
        _refuse_deleting(Field(self._entity, (name,), self._annotation(name)))


def _refuse_deleting(field: Field) -> NoReturn:
    raise ChangeError(
        f"{caller()}: {field!r} is deleted, but the fields of a model are always there.",
        hint=f"Assign None: x.{path_text(field._path)} = None."
        if optional(field._annotation)
        else "Assign another value; only an optional field can be None.",
    )


def _record_assignment(field: Field, value: Any, recording: _Recording) -> None:
    path = field._path
    if recording.touched(path):
        raise ChangeError(f"{caller()}: {path_text(path)!r} is changed twice.")
    if type(value) is _Sum:
        if value.path != path:
            raise ChangeError(
                f"{caller()}: {path_text(path)!r} is set to a sum with {path_text(value.path)!r}.",
                hint="A field can only be increased by a value: o.count = o.count + 1.",
            )
        recording.actions.append(value.action(path, value.amount))
    elif getattr(type(value), "__is_field__", False):
        raise ChangeError(
            f"{caller()}: {path_text(path)!r} is set to another field.", hint="Pass the value as a parameter."
        )
    else:
        recording.actions.append(Assign(path, _fitting(field, value)))


def _fitting(field: Field, value: Any) -> Any:
    if type(value) is Symbol and not fits(value.annotation, field._annotation):
        raise ChangeError(
            f"{caller()}: {field!r} is {describe(field._annotation)}, but the parameter {value.name!r} is "
            f"{describe(value.annotation)}."
        )
    return use(value)


class Change(Generic[E, P]):
    """A declared change. `db.apply(change, target, ...)` makes it; calling it with a real entity changes that object."""

    def __init__(self, function: Callable[Concatenate[E, P], None]) -> None:
        self.function = refuse_no_function(function, "change", ChangeError)
        self.name = function.__name__
        self.doc = (function.__doc__ or "").strip()
        self.entity = _entity_of(function)
        self.parameters = Parameters(function, skip=1)
        self.variants: dict[tuple[object, ...], ChangePlan] = {}
        runs = []
        readings = []
        for (key, arguments), (_, others) in zip(self.parameters.variants(), self.parameters.variants(), strict=True):
            self.variants[key] = self._read(arguments)
            runs.append(arguments)
            readings.append((self.variants[key].values(), self._read(others).values()))
        refuse_moving_values(f"The change {self.name}()", readings)
        if not any(plan.actions for plan in self.variants.values()):
            raise ChangeError(f"The change {self.name}() changes nothing.")
        refuse_unused(f"The change {self.name}()", self.parameters, runs, self.variants)
        self.__doc__ = self.doc
        self.__name__ = self.name

    def _read(self, arguments: dict[str, Any]) -> ChangePlan:
        """What the body does with these symbols."""
        recording = _Recording([], [])
        token = _recording.set(recording)
        try:
            returned: object = self.function(Draft(self.entity, recording), **arguments)  # type: ignore[arg-type, call-arg]
        except pydantic.ValidationError as error:
            raise ChangeError(
                f"The change {self.name}() builds a {error.title} of values that do not fit it.",
                hint="A parameter has no value yet when the body is read: assign the parts (x.part.field = parameter), or "
                "take the whole as a parameter.",
            ) from None
        except PatternError as error:
            raise ChangeError(error.message, hint=error.hint) from error
        finally:
            _recording.reset(token)
        if returned is not None:
            raise ChangeError(
                f"The change {self.name}() returns something.", hint="A change only requires and assigns."
            )
        return ChangePlan(tuple(recording.actions), tuple(recording.conditions))

    def __repr__(self) -> str:
        return f"<change {self.name}({self.entity.__name__}, {', '.join(self.parameters.names)})>"

    def __call__(self, entity: E, *args: P.args, **kwargs: P.kwargs) -> None:
        self.function(entity, *args, **kwargs)

    def plan(self, *args: P.args, **kwargs: P.kwargs) -> ChangePlan:
        """What the change does with these arguments."""
        arguments = self.parameters.bind(args, kwargs)
        return self.variants[self.parameters.variant_of(arguments)].bound(arguments)


def _entity_of(function: Callable[..., Any]) -> type[Entity]:
    first = next(iter(Parameters(function).annotations.values()), None)
    if not (isinstance(first, type) and issubclass(first, Entity)):
        raise ChangeError(f"The first parameter of {function.__name__}() must be annotated with an entity.")
    return first


def _bound_action(action: Action, arguments: Mapping[str, Any]) -> Action:
    match action:
        case Assign(path, value):
            return Assign(path, fill(value, arguments))
        case Increment(path, amount):
            return Increment(path, fill(amount, arguments))
        case Append(path, members):
            return Append(path, fill(members, arguments))
        case Include(path, members):
            return Include(path, fill(members, arguments))
        case Discard(path, members):
            return Discard(path, fill(members, arguments))
        case Remove():
            return action
