"""Changes: typed functions whose bodies require and assign. Read once with a draft, they tell which keys will move;
called with a real entity, the same body runs as plain Python, which is how a unit test tries it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, get_origin, get_type_hints

from tablewright.errors import ChangeError, ConditionalCheckError, UnknownFieldError
from tablewright.model.annotations import describe, field_annotation, fits, members
from tablewright.model.comparing import Field
from tablewright.model.conditions import Condition, FieldPath, path_text, substitute
from tablewright.model.entity import Entity, did_you_mean
from tablewright.model.signature import Parameters, refuse_unused
from tablewright.model.symbols import Symbol, caller, use

P = ParamSpec("P")
E = TypeVar("E", bound=Entity)


@dataclass(frozen=True, slots=True)
class Assign:
    """SET path = value (None removes an optional field)."""

    path: FieldPath
    value: Any


@dataclass(frozen=True, slots=True)
class Increment:
    """Add a number, starting from 0 when the field is absent."""

    path: FieldPath
    amount: Any


@dataclass(frozen=True, slots=True)
class Append:
    """Add members at the end of a list."""

    path: FieldPath
    members: Any


@dataclass(frozen=True, slots=True)
class Include:
    """Add members to a set."""

    path: FieldPath
    members: Any


@dataclass(frozen=True, slots=True)
class Discard:
    """Take members out of a set."""

    path: FieldPath
    members: Any


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove the attribute."""

    path: FieldPath


Action = Assign | Increment | Append | Include | Discard | Remove


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """What one variant of a change does."""

    actions: tuple[Action, ...]
    conditions: tuple[Condition, ...]

    def bound(self, arguments: Mapping[str, Any]) -> ChangePlan:
        """The same with the parameters replaced by arguments."""
        return ChangePlan(
            tuple(_bound_action(a, arguments) for a in self.actions),
            tuple(substitute(c, arguments) for c in self.conditions),
        )


@dataclass(slots=True)
class _Recording:
    actions: list[Action]
    conditions: list[Condition]

    def assigned(self, path: FieldPath) -> bool:
        return any(a.path[: len(path)] == path[: len(a.path)] for a in self.actions)


_recording: ContextVar[_Recording | None] = ContextVar("tablewright_change_recording", default=None)


def require(condition: bool) -> None:
    """In a change: it happens only if this holds, or fails with ConditionalCheckError and changes nothing."""
    if isinstance(condition, Condition):
        recording = _recording.get()
        if recording is None:
            raise ChangeError(f"{caller()}: require() with a condition on a class belongs into a change.")
        recording.conditions.append(condition)
    elif not condition:
        raise ConditionalCheckError(f"{caller()}: a requirement of the change does not hold.")


class Current(Field):
    """A field of the draft: can be compared, assigned to, added to."""

    __slots__ = ("_recording",)
    _recording: _Recording

    def __init__(self, owner: type, path: FieldPath, annotation: Any, recording: _Recording) -> None:
        Field.__init__(self, owner, path, annotation)
        object.__setattr__(self, "_recording", recording)

    def __getattr__(self, name: str) -> Any:
        if name in _MUTATORS and get_origin(members(self.annotation)[0]) in _MUTATORS[name]:
            return lambda value: _mutate(self, name, value)
        found = Field.__getattr__(self, name)
        return Current(found.owner, found.path, found.annotation, self._recording)

    def __getitem__(self, index: int | str) -> Current:
        found = Field.__getitem__(self, index)
        return Current(found.owner, found.path, found.annotation, self._recording)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in Field.__slots__:
            object.__setattr__(self, name, value)
        else:
            _record_assignment(Field.__getattr__(self, name), value, self._recording)

    def __setitem__(self, index: int | str, value: Any) -> None:
        _record_assignment(Field.__getitem__(self, index), value, self._recording)

    def __add__(self, amount: Any) -> _Delta:
        return _Delta(self.path, use(amount))

    def __sub__(self, amount: Any) -> _Delta:
        if type(amount) is Symbol:
            raise ChangeError(
                f"{caller()}: subtracting a parameter is not supported.", hint="Pass a negative number and add it."
            )
        return _Delta(self.path, -amount)


_MUTATORS: dict[str, tuple[type, ...]] = {
    "append": (list,),
    "extend": (list,),
    "add": (set,),
    "discard": (set,),
    "update": (set,),
}


def _mutate(field: Current, name: str, value: Any) -> None:
    use(value)
    kinds: dict[str, Callable[[FieldPath, Any], Action]] = {
        "append": lambda p, v: Append(p, [v]),
        "extend": Append,
        "add": lambda p, v: Include(p, [v]),
        "update": Include,
        "discard": lambda p, v: Discard(p, [v]),
    }
    field._recording.actions.append(kinds[name](field.path, value))


@dataclass(frozen=True, slots=True)
class _Delta:
    path: FieldPath
    amount: Any


class Draft:
    """Stands for the entity while a change's body is read."""

    __slots__ = ("_entity", "_recording")
    _entity: type[Entity]
    _recording: _Recording

    def __init__(self, entity: type[Entity], recording: _Recording) -> None:
        object.__setattr__(self, "_entity", entity)
        object.__setattr__(self, "_recording", recording)

    def _field(self, name: str) -> Current:
        entity = self._entity
        info = entity.model_fields.get(name)
        if info is None:
            raise UnknownFieldError(
                f"{caller()}: {entity.__name__} has no field {name!r}.{did_you_mean(name, entity.model_fields)}",
                field=name,
            )
        return Current(entity, (name,), field_annotation(info), self._recording)

    def __getattr__(self, name: str) -> Current:
        if self._recording.assigned((name,)):
            raise ChangeError(
                f"{caller()}: {name!r} is read after it was changed.",
                hint="Read first: conditions and sums are about the stored item.",
            )
        return self._field(name)

    def __setattr__(self, name: str, value: Any) -> None:
        _record_assignment(self._field(name), value, self._recording)


def _record_assignment(field: Field, value: Any, recording: _Recording) -> None:
    path = field.path
    if recording.assigned(path) and not (recording.actions and recording.actions[-1].path == path and value is None):
        raise ChangeError(f"{caller()}: {path_text(path)!r} is changed twice.")
    if type(value) is _Delta:
        if value.path != path:
            raise ChangeError(
                f"{caller()}: {path_text(path)!r} is set to a sum with {path_text(value.path)!r}.",
                hint="A field can only be increased by a value: o.count = o.count + 1.",
            )
        recording.actions.append(Increment(path, value.amount))
    elif getattr(type(value), "__is_field__", False):
        raise ChangeError(
            f"{caller()}: {path_text(path)!r} is set to another field.", hint="Pass the value as a parameter."
        )
    else:
        if type(value) is Symbol and not fits(value.annotation, field.annotation):
            raise ChangeError(
                f"{caller()}: {field!r} is {describe(field.annotation)}, but the parameter {value.name!r} is "
                f"{describe(value.annotation)}."
            )
        recording.actions.append(Assign(path, use(value)))


class Change(Generic[E, P]):
    """A declared change. `db.apply(change, target, ...)` makes it; calling it with a real entity changes that object."""

    def __init__(self, function: Callable[Concatenate[E, P], None]) -> None:
        self.function = function
        self.name = function.__name__
        self.doc = (function.__doc__ or "").strip()
        self.entity = _entity_of(function)
        self.parameters = Parameters(function, skip=1)
        self.variants: dict[tuple[object, ...], ChangePlan] = {}
        runs = []
        for key, arguments in self.parameters.variants():
            recording = _Recording([], [])
            token = _recording.set(recording)
            try:
                function(Draft(self.entity, recording), **arguments)  # type: ignore[arg-type, call-arg]
            finally:
                _recording.reset(token)
            runs.append(arguments)
            self.variants[key] = ChangePlan(tuple(recording.actions), tuple(recording.conditions))
        refuse_unused(f"The change {self.name}()", self.parameters, runs)
        self.__doc__ = self.doc
        self.__name__ = self.name

    def __repr__(self) -> str:
        return f"<change {self.name}({self.entity.__name__}, {', '.join(self.parameters.names)})>"

    def __call__(self, entity: E, *args: P.args, **kwargs: P.kwargs) -> None:
        self.function(entity, *args, **kwargs)

    def plan(self, *args: P.args, **kwargs: P.kwargs) -> ChangePlan:
        """What the change does with these arguments."""
        arguments = self.parameters.bind(args, kwargs)
        return self.variants[self.parameters.variant_of(arguments)].bound(arguments)


def _entity_of(function: Callable[..., Any]) -> type[Entity]:
    hints = get_type_hints(function)
    first = next(iter(Parameters(function).names), None)
    entity = hints.get(first) if first else None
    if not (isinstance(entity, type) and issubclass(entity, Entity)):
        raise ChangeError(f"The first parameter of {function.__name__}() must be annotated with an entity.")
    return entity


def _bound_action(action: Action, arguments: Mapping[str, Any]) -> Action:
    def value(v: Any) -> Any:
        if type(v) is Symbol:
            return arguments[v.name]
        return [value(m) for m in v] if type(v) is list else v

    match action:
        case Assign(path, v):
            return Assign(path, value(v))
        case Increment(path, v):
            return Increment(path, value(v))
        case Append(path, v):
            return Append(path, value(v))
        case Include(path, v):
            return Include(path, value(v))
        case Discard(path, v):
            return Discard(path, value(v))
        case Remove():
            return action
