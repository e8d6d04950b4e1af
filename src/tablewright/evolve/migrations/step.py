"""What a migration is made of: steps that know what they do, what they leave to be removed, and how they are undone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, ClassVar, Literal, TypeAlias

from msgspec import MsgspecError, Struct, convert
from msgspec.structs import FieldInfo, fields, force_setattr

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keys import KeyPlan
from tablewright.errors import ArgumentError
from tablewright.evolve.jobs.work import Work
from tablewright.evolve.migrations.ground import Ground
from tablewright.evolve.migrations.indexes import DropOne, MakeOne
from tablewright.model.keys import Bucket, Derived, Shard

Winner = Literal["old", "new"]
"""Which side is right where both are there and say different things."""
Part: TypeAlias = Work | MakeOne | DropOne
"""What a step is carried out by, one after another."""

_WRITTEN: Mapping[Any, str] = {
    str: "a text",
    bool: "True or False",
    str | None: "a text, or None",
    int | None: "a whole number, or None",
    tuple[str, ...]: "a tuple of texts",
    tuple[str, ...] | None: "a tuple of texts, or None",
    tuple[tuple[str, ...], ...]: "a tuple of tuples of texts",
    Winner | None: "'old' or 'new', or None",
    dict[str, Any] | None: 'a dict such as {"shard": Shard("number", of=4)} with Shard and Bucket only, or None',
}
"""What can be written for arguments that are neither functions nor steps, by their types."""


class Step(Struct, frozen=True):
    """One step. Each stage is a list of parts, and each part may be carried out again: it finds nothing to do then."""

    lasting: ClassVar[bool] = False
    """Whether what retire() does cannot be undone."""

    pairs: ClassVar[bool] = False
    """Whether items may have two keys until it has ended: then it ends before other steps do, since what those changed in one of
    a pair would look as if an application had."""

    positional: ClassVar[int] = 1
    """How many of its arguments are written without their names."""

    @property
    def takes(self) -> tuple[str, ...]:
        """The attributes of its entity that it takes away."""
        return ()

    @property
    def makes(self) -> tuple[str, ...]:
        """Those that it makes."""
        return ()

    def fills(self, entity: str) -> tuple[str, ...]:
        """The indexes whose keys it gives to items of an entity."""
        return ()

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type in _WRITTEN:
                force_setattr(self, field.name, _checked(self, field.name, value, field.type))
            elif not (callable(value) or isinstance(value, Step) or (value is None and not field.required)):
                raise ArgumentError(
                    f"{field.name} of {type(self).__name__} is {value!r}, and no function.",
                    hint="Write the function above the migration, and its name without parentheses here.",
                )

    def run(self, ground: Ground) -> tuple[Part, ...]:
        """What brings the new form about, while the old one stays."""
        return ()

    def retire(self, ground: Ground) -> tuple[Part, ...]:
        """What removes the old form, when nothing reads it any more."""
        return ()

    def undo(self, ground: Ground) -> tuple[Part, ...]:
        """What brings the old form back, and removes the new one."""
        return ()

    def keys_before(self, ground: Ground, plan: EntityPlan) -> tuple[KeyPlan, ...]:
        """The primary key that items of its entity had before it; nothing where it is the model's."""
        return ()

    def code(self) -> str:
        """The step as it is written in a file: without what is left at its default."""
        return f"{type(self).__name__}({', '.join(self.arguments())})"

    def arguments(self) -> Iterator[str]:
        """What stands between its parentheses."""
        for number, field in enumerate(_fields(type(self))):
            value = getattr(self, field.name)
            if field.required and number < self.positional:
                yield _literal(value)
            elif field.required or value != field.default:
                yield f"{field.name}={_literal(value)}"

    def __str__(self) -> str:
        return self.code()


class Question(Step, frozen=True):
    """What only a person can decide. A file with one is not run: put steps in its place, or take it out."""

    asks: str
    answers: str
    """What may stand in its place."""

    def arguments(self) -> Iterator[str]:
        """Both, the second by its name."""
        yield _literal(self.asks)
        yield f"answers={_literal(self.answers)}"


@cache
def _fields(kind: type[Step]) -> tuple[FieldInfo, ...]:
    """What a kind of step has. Each part of a stage tells the code of its step."""
    return fields(kind)


def _checked(step: Step, name: str, value: Any, wanted: Any) -> Any:
    try:
        made = convert(value, wanted, strict=True)
        if isinstance(made, dict) and not all(isinstance(one, Derived) for one in made.values()):
            raise MsgspecError
        return made
    except MsgspecError:
        raise ArgumentError(
            f"{name} of {type(step).__name__} is {value!r}; it can be {_WRITTEN[wanted]}.",
            hint="A tuple of one has a comma behind it." if "tuple" in _WRITTEN[wanted] else "Correct it in the file.",
        ) from None


def _literal(value: Any) -> str:
    if callable(value):
        return str(value.__name__)
    if isinstance(value, Step):
        return value.code()
    if isinstance(value, str):
        return '"' + "".join('\\"' if one == '"' else repr(one)[1:-1] for one in value) + '"'
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_literal(name)}: {_literal(one)}' for name, one in value.items())}}}"
    if isinstance(value, Shard):
        return f"Shard({', '.join(map(_literal, value.fields))}, of={value.of})"
    if isinstance(value, Bucket):
        return f"Bucket({_literal(value.field)}, by={_literal(value.by)})"
    if isinstance(value, tuple):
        return f"({', '.join(map(_literal, value))}{',' if len(value) == 1 else ''})"
    return repr(value)
