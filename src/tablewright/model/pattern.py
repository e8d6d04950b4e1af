"""Access patterns: typed functions whose bodies describe a read. Each is read once, at definition, with symbols."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, ParamSpec, TypeVar, get_args, get_origin

from msgspec.structs import replace

from tablewright.errors import ArgumentError, PatternError
from tablewright.model.operations import Collection, Gap, Get, Mixed, Op, Query
from tablewright.model.signature import Parameters, refuse_moving_values, refuse_no_function, refuse_unused, type_hints

P = ParamSpec("P")
Op_co = TypeVar("Op_co", bound=Op[Any, Any], covariant=True)


class Pattern(Generic[P, Op_co]):
    """A declared access pattern. Calling it gives the operation for these arguments; `db.run(pattern, ...)` runs it."""

    def __init__(self, function: Callable[P, Op_co]) -> None:
        self.function = refuse_no_function(function, "pattern", PatternError)
        self.name = function.__name__
        self.doc = (function.__doc__ or "").strip()
        self.parameters = Parameters(function)
        self.variants: dict[tuple[object, ...], Op_co] = {}
        runs = []
        again = [operation for _, _, operation in self._readings()]
        for key, arguments, operation in self._readings():
            if not isinstance(operation, Query | Get | Collection | Mixed):
                raise PatternError(
                    f"The pattern {self.name}() returned {type(operation).__name__}.",
                    hint="Return query(...), get(...) or collect(...).",
                )
            self._check_promise(operation)
            runs.append(arguments)
            self.variants[key] = operation
        refuse_unused(f"The pattern {self.name}()", self.parameters, runs, self.variants)
        readings = zip(self.variants.values(), again, strict=True)
        refuse_moving_values(f"The pattern {self.name}()", ((_values(a), _values(b)) for a, b in readings))
        self.__doc__ = self.doc
        self.__name__ = self.name

    def __repr__(self) -> str:
        return f"<pattern {self.name}({', '.join(self.parameters.names)})>"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Op_co:
        operation, arguments = self.select(args, kwargs)
        return replace(operation, pattern=self, arguments=arguments)

    def select(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Op_co, dict[str, Any]]:
        """The variant for these arguments, as it was compiled, and the arguments by name."""
        arguments = self.parameters.bind(args, kwargs)
        key = self.parameters.variant_of(arguments)
        try:
            return self.variants[key], arguments
        except KeyError:
            raise self._gap(arguments) from None

    def _readings(self) -> Iterator[tuple[tuple[object, ...], dict[str, Any], Op_co]]:
        """The body, read in each variant, but for those with arguments that it does not take together."""
        for key, arguments in self.parameters.variants():
            try:
                operation = self.function(**arguments)  # type: ignore[call-arg]
            except Gap:
                continue
            yield key, arguments, operation

    def _gap(self, arguments: dict[str, Any]) -> ArgumentError:
        missing = ", ".join(name for name, value in arguments.items() if value is None)
        return ArgumentError(
            f"{self.name}(): an argument is given without the one that it comes after. Missing are: {missing}.",
            hint="Give what stands above it too, or leave it out.",
        )

    def _check_promise(self, operation: Op[Any, Any]) -> None:
        """The annotated result must be what the body returns, for those who do not run a type checker."""
        promised = type_hints(self.function).get("return")
        kind = get_origin(promised) or promised
        of = next(iter(get_args(promised)), None)
        given = operation.result if isinstance(operation, Query | Get) else None
        if (isinstance(kind, type) and not isinstance(operation, kind)) or (
            given is not None and of is not Any and isinstance(of, type) and not issubclass(given, of)
        ):
            raise PatternError(
                f"The pattern {self.name}() promises another result than the {_shown(operation)} it returns.",
                hint="Correct its annotation or its body.",
            )


def _shown(operation: Op[Any, Any]) -> str:
    of = operation.result if isinstance(operation, Query | Get) else getattr(operation, "make", object)
    return f"{type(operation).__name__}[{getattr(of, '__name__', '...')}]"


def _values(operation: Any) -> list[Any]:
    """The values in a read, in order."""
    match operation:
        case Collection():
            reads = [p.query for p in operation.parts]
        case Mixed():
            reads = list(operation.queries)
        case _:
            reads = [operation]
    conditions = [c for read in reads for c in (*read.conditions, *getattr(read, "filters", ()))]
    return [value for c in conditions for leaf in c.leaves() for value in leaf.operands()]
