"""Opening a table by its bare name: its keys are asked of the table, or taken from a definition."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Unpack

from tablewright.client.calls import Steps
from tablewright.client.context import Place
from tablewright.client.cursors import CursorSeal
from tablewright.client.drive import AsyncDriver, SyncDriver
from tablewright.client.opening import async_transport_to, transport_to
from tablewright.client.plain.shape import TableShape, shape_of_description, shape_of_model
from tablewright.client.plain.steps import Plain
from tablewright.client.plain.table import AsyncPlainTable, PlainTable
from tablewright.client.settings import OpenOptions, SessionOptions, check_table_name
from tablewright.client.tables import create_from, describe
from tablewright.errors import ConfigError, ResourceInUse
from tablewright.model.table import TableModel


def open_table(
    name: str, target: Any = None, *, definition: TableModel | None = None, **options: Unpack[OpenOptions]
) -> PlainTable:
    """A table by its bare name, without a model: dicts in, dicts out. `target` and options are those of `Table.open`.

    Its keys and indexes are asked of the table. A `definition` (a Table, with or without entities) says them instead, and
    lets `create=True` make a table that is missing."""
    place = _place(name, definition, options)
    transport, ours = transport_to(target, place.options)
    driver = SyncDriver(transport, place.options.retry, timeout=place.options.timeout)
    try:
        return PlainTable(Plain(place, driver.run(_shape(place, definition, ours=ours))), driver)
    except BaseException:
        transport.close()
        raise


def open_table_async(
    name: str, target: Any = None, *, definition: TableModel | None = None, **options: Unpack[OpenOptions]
) -> AbstractAsyncContextManager[AsyncPlainTable]:
    """The same for asyncio: `async with open_table_async("Name", "memory:") as table`."""
    place = _place(name, definition, options)
    return _opened(place, target, definition)


@asynccontextmanager
async def _opened(place: Place, target: Any, definition: TableModel | None) -> AsyncIterator[AsyncPlainTable]:
    transport, ours = async_transport_to(target, place.options)
    driver = AsyncDriver(transport, place.options.retry, timeout=place.options.timeout)
    try:
        yield AsyncPlainTable(Plain(place, await driver.run(_shape(place, definition, ours=ours))), driver)
    finally:
        await transport.close()


def _place(name: str, definition: TableModel | None, options: OpenOptions) -> Place:
    if definition is not None and not isinstance(definition, TableModel):
        raise ConfigError(
            f"definition= takes a Table, not {type(definition).__name__}.", hint='Table("Name", indexes=[...])'
        )
    if not isinstance(name, str):
        raise ConfigError("A table is opened by its name.", hint='open_table("Name", "memory:")')
    check_table_name(name)
    for misplaced in ("stage", "table_name"):
        if misplaced in options:
            raise ConfigError(f"open_table() takes the table's whole name and no {misplaced}.")
    for modelled in ("cache", "hide_expired"):
        if modelled in options:
            raise ConfigError(f"The option {modelled} needs a model.", hint="Open a Table(...) with its entities.")
    checked = SessionOptions.of(options)
    seal = CursorSeal(checked.cursor_keys, max_age=checked.cursor_max_age, now=lambda: checked.clock().timestamp())
    return Place(name, checked, seal)


def _shape(place: Place, definition: TableModel | None, *, ours: bool) -> Steps[TableShape]:
    create = place.options.create
    if create and definition is None:
        raise ConfigError(
            f"open_table({place.table!r}) does not know the keys of a table that it is to make.",
            hint="Give definition=Table(...).",
        )
    if definition is not None and not (create or (create is None and ours)):
        return shape_of_model(definition)
    description = yield from describe(place.table)
    if description is not None:
        return shape_of_description(description)
    if definition is None:
        raise ConfigError(
            f"There is no table {place.table!r}.", hint="Create it, or give definition=Table(...) and create=True."
        )
    try:
        yield from create_from(definition, place.table)
    except ResourceInUse:  # somebody else was faster
        description = yield from describe(place.table)
        if description is None:
            raise
        return shape_of_description(description)
    return shape_of_model(definition)
