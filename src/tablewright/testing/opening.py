"""The fixtures that open tables: their types, for the annotations of tests, and what they take."""

from __future__ import annotations

from typing import Protocol, Unpack

from tablewright.client.session import AsyncSession, Session
from tablewright.client.settings import OpenOptions
from tablewright.errors import ConfigError
from tablewright.table import Table


def check_model(given: Table, fixture: str) -> None:
    """Refuse kindly what is not a table of a model, such as a name."""
    if not isinstance(given, Table):
        raise ConfigError(
            f"{fixture} opens a table of a model, a Table(...), not {type(given).__name__}.",
            hint='A table without a model is made by tablewright_plain_table("Orders", "customer", "number:N").',
        )


class OpenTable(Protocol):
    """The fixtures `tablewright_table` and `tablewright_file_table`."""

    def __call__(self, table: Table, /, **options: Unpack[OpenOptions]) -> Session:
        """Opens a table; it is closed when the test is over."""
        ...


class OpenAsyncTable(Protocol):
    """The fixture `tablewright_async_table`."""

    def __call__(self, table: Table, /, **options: Unpack[OpenOptions]) -> AsyncSession:
        """Opens a table: `async with tablewright_async_table(shop) as db`."""
        ...
