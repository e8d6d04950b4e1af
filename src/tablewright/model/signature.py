"""Reading a pattern's or change's parameters: how arguments are bound, and in which variants its body is read.

A body is run once for each way its optional and boolean parameters can be given; every other parameter is a symbol.
"""

from __future__ import annotations

import inspect
import itertools
import math
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from msgspec import Struct

from tablewright.errors import ArgumentError, ChangeError, PatternError
from tablewright.model.annotations import NoneType, describe, members, optional, without_none
from tablewright.model.symbols import Symbol, user_frame

MAX_VARIANTS = 64
GIVEN = "given"


def type_hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The function's annotations, also where they are written as text and name what is local to its definition."""
    try:
        return typing.get_type_hints(function, localns=user_frame().f_locals, include_extras=True)
    except NameError as error:
        raise PatternError(
            f"{function.__name__}() has an annotation that names {error.name!r}, which is not defined here.",
            hint="Define or import it before the function.",
        ) from None


F = TypeVar("F", bound=Callable[..., Any])


def refuse_no_function(function: F, word: str, error: type[PatternError | ChangeError]) -> F:
    """What is declared as a pattern or change is a function with a name."""
    if not callable(function) or isinstance(function, type) or not hasattr(function, "__name__"):
        raise error(
            f"{word}() was given {type(function).__name__}, not a function.",
            hint=f"Write @table.{word} above a function.",
        )
    return function


class Parameters:
    """The parameters of one function, after the first `skip` ones."""

    __slots__ = ("_bind", "_choices", "annotations", "defaults", "name", "names")

    def __init__(self, function: Callable[..., Any], skip: int = 0) -> None:
        self.name = function.__name__
        hints = type_hints(function)
        listed = list(inspect.signature(function).parameters.values())[skip:]
        for parameter in listed:
            self._check(parameter, hints)
        self.names = tuple(p.name for p in listed)
        self.annotations = {name: hints[name] for name in self.names}
        self.defaults = {p.name: p.default for p in listed if p.default is not p.empty}
        self._bind = _binder(listed)
        self._choices = tuple((name, _choices(self.annotations[name])) for name in self.names)
        if math.prod(len(choices) for _, choices in self._choices) > MAX_VARIANTS:
            raise PatternError(
                f"{self.name}() has more than {MAX_VARIANTS} combinations of optional and boolean parameters.",
                hint="Split it into several patterns.",
            )

    def _check(self, parameter: inspect.Parameter, hints: dict[str, Any]) -> None:
        name = parameter.name
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise PatternError(f"{self.name}() takes {parameter}.", hint="Name each parameter.")
        if name not in hints:
            raise PatternError(
                f"The parameter {name!r} of {self.name}() has no type.", hint=f"Write {name}: str, or whatever it is."
            )
        kinds = set(members(hints[name])) - {NoneType}
        if bool in kinds and len(kinds) > 1:
            raise PatternError(
                f"The parameter {name!r} of {self.name}() is bool or something else.", hint="Make two parameters of it."
            )
        if parameter.default is None and not optional(hints[name]):
            raise PatternError(
                f"The parameter {name!r} of {self.name}() is None by default, but its type does not say so.",
                hint=f"Write {name}: {describe(hints[name])} | None = None.",
            )

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Arguments by name, defaults filled in."""
        try:
            return self._bind(*args, **kwargs)
        except TypeError as error:
            known = ", ".join(f"{n}: {describe(a)}" for n, a in self.annotations.items())
            raise ArgumentError(
                f"{self.name}() {str(error).removeprefix('bind() ')}.", hint=f"Its parameters are ({known})."
            ) from None

    def variants(self) -> Iterator[tuple[tuple[object, ...], dict[str, Any]]]:
        """Each variant's key with the arguments its body is read with."""
        names = [name for name, _ in self._choices]
        for combination in itertools.product(*(choices for _, choices in self._choices)):
            arguments = {
                name: Symbol(name, without_none(self.annotations[name])) if choice is GIVEN else choice
                for name, choice in zip(names, combination, strict=True)
            }
            yield combination, arguments

    def variant_of(self, arguments: dict[str, Any]) -> tuple[object, ...]:
        """The key of the variant that these arguments call for."""
        key: list[object] = []
        for name, choices in self._choices:
            value = arguments[name]
            if value is None:
                if None not in choices:
                    raise ArgumentError(f"{self.name}(): the parameter {name!r} may not be None.", field=name)
                key.append(None)
            elif choices[0] is True:
                if value is not True and value is not False:
                    raise ArgumentError(f"{self.name}(): the parameter {name!r} must be True or False.", field=name)
                key.append(value)
            else:
                key.append(GIVEN)
        return tuple(key)


def refuse_moving_values(what: str, readings: Iterable[tuple[list[Any], list[Any]]]) -> None:
    """A body is read once and then stands for every call: a value that differs between two readings is a mistake."""
    for one, other in readings:
        if [_comparable(v) for v in one] != [_comparable(v) for v in other]:
            raise PatternError(
                f"{what} uses a value that is different each time, such as the time or a new id; it would be frozen.",
                hint="Make it a parameter, and pass the value in each call.",
            )


def _comparable(value: Any) -> Any:
    if type(value) is Symbol:
        return ("parameter", value.name)
    if type(value) in (list, tuple):
        return [_comparable(v) for v in value]
    if isinstance(value, Struct):
        return [type(value), *(_comparable(getattr(value, name)) for name in value.__struct_fields__)]
    return value


def refuse_unused(
    what: str, parameters: Parameters, runs: list[dict[str, Any]], variants: Mapping[tuple[object, ...], Any]
) -> None:
    """A parameter that no variant used, or a flag that made no difference to any, is a mistake."""
    forms = {key: _comparable(variant) for key, variant in variants.items()}
    for position, name in enumerate(parameters.names):
        symbols = [run[name] for run in runs if type(run[name]) is Symbol]
        used = any(s.used for s in symbols)
        if not symbols:
            others = ((*key[:position], not key[position], *key[position + 1 :]) for key in forms)
            used = any(key in forms and form != forms[key] for key, form in zip(others, forms.values(), strict=True))
        if not used:
            raise PatternError(
                f"{what} never uses its parameter {name!r}.", hint="Use it in a condition, or remove it."
            )


def _choices(annotation: Any) -> tuple[object, ...]:
    value: tuple[object, ...] = (True, False) if bool in members(annotation) else (GIVEN,)
    return (*value, None) if optional(annotation) else value


def _binder(parameters: list[inspect.Parameter]) -> Callable[..., dict[str, Any]]:
    """A generated function with the same parameters that returns them as a dict: 30 times faster than Signature.bind."""
    defaults = {f"_default_{p.name}": p.default for p in parameters if p.default is not p.empty}
    declared: list[str] = []
    keyword_only = False
    for position, p in enumerate(parameters):
        if p.kind is p.KEYWORD_ONLY and not keyword_only:
            declared.append("*")
            keyword_only = True
        declared.append(p.name if p.default is p.empty else f"{p.name}=_default_{p.name}")
        following = parameters[position + 1 :]
        if p.kind is p.POSITIONAL_ONLY and not (following and following[0].kind is p.POSITIONAL_ONLY):
            declared.append("/")
    body = ", ".join(f"{p.name!r}: {p.name}" for p in parameters)
    namespace: dict[str, Any] = dict(defaults)
    exec(f"def bind({', '.join(declared)}): return {{{body}}}", namespace)  # noqa: S102 - names come from a real signature
    bind: Callable[..., dict[str, Any]] = namespace["bind"]
    return bind
