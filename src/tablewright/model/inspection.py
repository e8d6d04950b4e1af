"""Reading a model that may be wrong: what is refused is noted, and the rest of the file is read on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field

from tablewright.errors import ModelError, PatternError, TablewrightError
from tablewright.model.symbols import SourceLine, placed, raised_at, user_line

if TYPE_CHECKING:
    from tablewright.model.table import TableModel

Kind = Literal[
    "entity", "pattern", "change", "relationship", "aggregate", "belongings", "expectation", "upcast", "downcast"
]


class Unread:
    """Stands for a pattern or change that was refused, under the name of its function."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.__name__ = self.name = getattr(function, "__name__", "?")


class Refused(Struct, frozen=True, eq=False):
    """A definition that was refused: as what, by which name, the class or function itself, why, and where."""

    table: TableModel
    kind: Kind
    name: str
    subject: Any
    error: TablewrightError
    line: SourceLine | None = None
    """The line that is wrong: of a function's body, or the call that was refused."""

    @property
    def follows(self) -> bool:
        """Whether it was refused only because an entity that it names was refused before."""
        return self.error.context.get("missing_entity") is not None


class Inspection(Struct, eq=False):
    """What came up while a model was read: every table that was made, and what was refused on any of them."""

    tables: list[TableModel] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)


_under_way: ContextVar[Inspection | None] = ContextVar("tablewright_inspection", default=None)


@contextmanager
def inspecting() -> Iterator[Inspection]:
    """While it lasts, definitions that are wrong are noted and left out of their table, instead of being raised."""
    found = Inspection()
    token = _under_way.set(found)
    try:
        yield found
    finally:
        _under_way.reset(token)


def current_inspection() -> Inspection | None:
    """The inspection under way, if any."""
    return _under_way.get()


class refusing:  # noqa: N801 - it is used like a function
    """Around a definition: an error is noted while an inspection is under way, and raised otherwise. That is any error
    there, since bodies of patterns and changes are the user's own code."""

    __slots__ = ("_kind", "_name", "_subject", "_table")

    def __init__(self, table: TableModel, kind: Kind, name: str, subject: Any) -> None:
        self._table = table
        self._kind: Kind = kind
        self._name = name
        self._subject = subject

    def __enter__(self) -> None:
        """Nothing happens yet."""

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        inspection = _under_way.get()
        if inspection is None or not isinstance(error, Exception):
            return False
        line = raised_at(error)
        if not isinstance(error, TablewrightError):
            error = _as_refusal(self._kind, self._name, error)
        if line is None and self._kind not in ("pattern", "change"):  # functions say themselves where they are written
            line = user_line()
        inspection.refused.append(Refused(self._table, self._kind, self._name, self._subject, error, line))
        return True


def _as_refusal(kind: Kind, name: str, error: Exception) -> TablewrightError:
    what = f"the {kind} {name}{'()' if kind in ('pattern', 'change') else ''}"
    said = placed(error, f"{what} cannot be read: {type(error).__name__}: {error}")
    return (PatternError if kind == "pattern" else ModelError)(said)
