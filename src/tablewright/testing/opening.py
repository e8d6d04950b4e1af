"""The types of the fixtures that open tables, for the annotations of tests."""

from __future__ import annotations

from typing import Protocol, Unpack

from tablewright.client.session import AsyncSession, Session
from tablewright.client.settings import OpenOptions
from tablewright.table import Table


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
