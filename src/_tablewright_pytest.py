"""The pytest plugin: options and fixtures, by name only. It stands outside the package on purpose: pytest imports it in
every run, also in those that use nothing of it, and these must not pay for the package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import pytest

if TYPE_CHECKING:
    from tablewright import AsyncSession, Session, Table
    from tablewright.client.plain.table import PlainTable
    from tablewright.client.settings import OpenOptions
    from tablewright.engine import Engine
    from tablewright.server import Server
    from tablewright.testing import Faults, MakeTable, ManualClock, OpenAsyncTable, OpenTable

_PLACES = ("memory", "file")
_RUNS_ALREADY = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The settings; the command line wins over the ini file."""
    group = parser.getgroup("tablewright")
    for name, default, what in (
        ("tables", "memory", "where the fixtures keep tables: memory or file"),
        ("region", "us-east-1", "the AWS region of tests"),
        ("port", "0", "the port of the fixture tablewright_server; 0 takes any that is free"),
    ):
        group.addoption(f"--tablewright-{name}", default=None, metavar=name.upper(), help=f"{what} (Tablewright)")
        parser.addini(f"tablewright_{name}", f"{what} (Tablewright)", default=default)


def _setting(config: pytest.Config, name: str) -> str:
    given = config.getoption(f"--tablewright-{name}")
    value = str(config.getini(f"tablewright_{name}") if given is None else given)
    if (name == "tables" and value not in _PLACES) or (name == "port" and not value.isdigit()):
        expected = "memory or file" if name == "tables" else "a number"
        raise pytest.UsageError(f"tablewright_{name} is {value!r}; it can be {expected}.")
    return value


@pytest.fixture
def tablewright_clock(request: pytest.FixtureRequest) -> ManualClock:
    """Time that the test moves. The engine of the test runs by it when the test asks for this fixture."""
    if request.node.stash.get(_RUNS_ALREADY, False):
        raise pytest.UsageError(
            "The engine of this test runs by the machine's clock already. Ask for tablewright_clock among the test's "
            "arguments, or before any other of Tablewright's fixtures."
        )
    from tablewright.testing import ManualClock

    return ManualClock()


@pytest.fixture
def tablewright_engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An empty engine of the test's own. All other fixtures of the test reach this one, except `tablewright_file_table`."""
    from tablewright.engine import open_engine

    clock = request.getfixturevalue("tablewright_clock") if "tablewright_clock" in request.fixturenames else None
    request.node.stash[_RUNS_ALREADY] = clock is None
    target: str | Path = "memory:"
    if _setting(request.config, "tables") == "file":
        target = request.getfixturevalue("tmp_path") / "tablewright.db"
    with open_engine(target, synchronous="NORMAL", clock=clock) as engine:
        yield engine


@pytest.fixture
def tablewright_table(tablewright_engine: Engine) -> Iterator[OpenTable]:
    """Opens tables of a model, fresh and empty: `db = tablewright_table(shop)`. Options are those of `Table.open`."""
    from tablewright.testing.opening import check_model
    from tablewright.transport.embedded import EmbeddedTransport

    with ExitStack() as opened:

        def open_table(table: Table, /, **options: Unpack[OpenOptions]) -> Session:
            check_model(table, "tablewright_table")
            options.setdefault("create", True)
            return opened.enter_context(table.open(EmbeddedTransport(tablewright_engine, owned=False), **options))

        yield open_table


@pytest.fixture
def tablewright_async_table(tablewright_engine: Engine) -> OpenAsyncTable:
    """The same for asyncio: `async with tablewright_async_table(shop) as db`."""
    from tablewright.testing.opening import check_model
    from tablewright.transport.embedded import AsyncEmbeddedTransport

    def open_table(table: Table, /, **options: Unpack[OpenOptions]) -> AsyncSession:
        check_model(table, "tablewright_async_table")
        transport = AsyncEmbeddedTransport(tablewright_engine, in_memory=tablewright_engine.in_memory, owned=False)
        options.setdefault("create", True)
        return table.open_async(transport, **options)

    return open_table


@pytest.fixture
def tablewright_plain_table(tablewright_engine: Engine) -> Iterator[MakeTable]:
    """Makes tables without a model: `orders = tablewright_plain_table("Orders", "customer", "number:N")`."""
    from tablewright.testing import make_table

    with ExitStack() as opened:

        def make(
            name: str,
            partition_key: str,
            sort_key: str | None = None,
            /,
            *,
            indexes: Mapping[str, tuple[str, ...] | str] | None = None,
            **more: Any,
        ) -> PlainTable:
            made = make_table(tablewright_engine, name, partition_key, sort_key, indexes=indexes, **more)
            return opened.enter_context(made)

        yield make


@pytest.fixture
def tablewright_file_table(tmp_path: Path) -> Iterator[OpenTable]:
    """Opens tables in a file in `tmp_path`, `tablewright.db`, which other processes may open too."""
    from tablewright.testing.opening import check_model

    with ExitStack() as opened:

        def open_table(table: Table, /, **options: Unpack[OpenOptions]) -> Session:
            check_model(table, "tablewright_file_table")
            return opened.enter_context(table.open(tmp_path / "tablewright.db", **options))

        yield open_table


@pytest.fixture(scope="session")
def _tablewright_running_server(pytestconfig: pytest.Config) -> Iterator[Server]:
    from tablewright.engine import open_engine
    from tablewright.server import serve_in_thread

    port = int(_setting(pytestconfig, "port"))
    with open_engine("memory:") as nothing, serve_in_thread(nothing, port=port, allow_reset=True) as server:
        yield server


@pytest.fixture
def tablewright_server(_tablewright_running_server: Server, tablewright_engine: Engine) -> Iterator[Server]:
    """The engine of the test over HTTP: `tablewright_server.url`. One server, at one URL, serves all tests, one after the
    other, each with the test's own engine, `tablewright_server.engine`."""
    from tablewright.server.reset import drop_everything

    server = _tablewright_running_server
    between = server.engine
    server.switch(tablewright_engine)
    yield server
    server.switch(between)
    drop_everything(between)


@pytest.fixture
def tablewright_aws(tablewright_server: Server, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config) -> Server:
    """The environment leads AWS SDKs to the server: boto3 code that knows nothing of tests runs as it is."""
    from tablewright.testing import point_aws_at

    point_aws_at(monkeypatch, tablewright_server.url, _setting(pytestconfig, "region"))
    return tablewright_server


@pytest.fixture
def tablewright_boto3(
    tablewright_engine: Engine, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config
) -> Iterator[Engine]:
    """Every boto3 client for DynamoDB asks the engine of the test, without HTTP: much faster, also for clients that
    were made before the test."""
    from tablewright.testing import boto3_in_process, point_aws_at

    point_aws_at(monkeypatch, None, _setting(pytestconfig, "region"))
    with boto3_in_process(tablewright_engine):
        yield tablewright_engine


@pytest.fixture
def tablewright_faults(tablewright_engine: Engine) -> Iterator[Faults]:
    """Faults on demand in the engine of the test, however it is reached; they end with the test."""
    yield tablewright_engine.faults
    tablewright_engine.faults.clear()
