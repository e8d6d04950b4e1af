"""Reading a model that may be wrong: what is refused is noted, and the rest of the file is read on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field

from tablewright.errors import TablewrightError

if TYPE_CHECKING:
    from tablewright.model.table import TableModel

Kind = Literal["entity", "pattern", "change", "relationship", "aggregate", "expectation"]


class Unread:
    """Stands for a pattern or change that was refused, under the name of its function."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.__name__ = self.name = getattr(function, "__name__", "?")


class Refused(Struct, frozen=True, eq=False):
    """A definition that was refused: as what, by which name, the class or function itself, and why."""

    table: TableModel
    kind: Kind
    name: str
    subject: Any
    error: TablewrightError

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


@contextmanager
def refusing(table: TableModel, kind: Kind, name: str, subject: Any) -> Iterator[None]:
    """Around a definition: an error is noted while an inspection is under way, and raised otherwise."""
    try:
        yield
    except TablewrightError as error:
        inspection = _under_way.get()
        if inspection is None:
            raise
        inspection.refused.append(Refused(table, kind, name, subject, error))
