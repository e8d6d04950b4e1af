"""Rows: what every source of data gives, whatever its format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from msgspec import Struct

from tablewright.values.types import Item


class Row(Struct, frozen=True):
    """One row, by the names of its columns."""

    place: str
    """Where it stands, such as "line 17"."""
    values: dict[str, Any]
    entity: str | None = None
    """The entity that the row says itself that it is of."""
    item: Item | None = None
    """The row as a stored item, where it is one."""
    texts: frozenset[str] = frozenset()
    """The columns whose values are texts as in cells of CSV, which knows nothing else."""


class Problem(Struct, frozen=True):
    """Why a row is not taken. It holds no values."""

    place: str
    message: str
    hint: str
    column: str | None = None

    def __str__(self) -> str:
        where = self.place if self.column is None else f"{self.place}, column {self.column}"
        return f"{where}: {self.message.rstrip('.')}. {self.hint}"


class Source(Protocol):
    """Where rows come from."""

    @property
    def name(self) -> str:
        """What it is, for people; without passwords."""
        ...

    @property
    def identity(self) -> str | None:
        """A text that is another one when there is something else to read; None where the order of rows may change."""
        ...

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The names of all columns; None where each row has its own."""
        ...

    def rows(self) -> Iterator[Row | Problem]:
        """All rows, in order, and places where there should be one."""
        ...

    def fraction(self) -> float | None:
        """How much of it was read; None where that cannot be said."""
        ...
