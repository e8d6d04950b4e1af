"""What a program loads: what it uses. A fresh interpreter shows it, without measuring time."""

import ast
import importlib
import inspect
import subprocess
import sys
import types
from importlib.util import find_spec

import pytest

from tablewright.later import later, names_later
from tests.project.test_source import SOURCES

OPENS = """
import sys
import tablewright
table = tablewright.Table("Shop")
session = table.open("memory:")
"""
ENTITY = """
class Thing(tablewright.Entity, table=table):
    keys = tablewright.Keys("THING#{thing_id}", "THING#{thing_id}")
    thing_id: str
    name: str = ""
"""
NOT_FOR_OPENING = [
    "tablewright.cli",
    "tablewright.client.aggregates",
    "tablewright.client.batches",
    "tablewright.client.caching",
    "tablewright.client.ciphers",
    "tablewright.client.collections",
    "tablewright.client.copying",
    "tablewright.client.decoding",
    "tablewright.client.editing",
    "tablewright.client.feeds",
    "tablewright.client.linking",
    "tablewright.client.operations",
    "tablewright.client.orphans",
    "tablewright.client.plain",
    "tablewright.client.reading",
    "tablewright.client.statements",
    "tablewright.client.sweeping",
    "tablewright.client.tallies",
    "tablewright.client.transactions",
    "tablewright.client.upserting",
    "tablewright.client.writes",
    "tablewright.compiler.aggregates",
    "tablewright.compiler.codegen",
    "tablewright.compiler.entity_planner",
    "tablewright.compiler.queries",
    "tablewright.engine.backups",
    "tablewright.engine.faults",
    "tablewright.engine.legacy",
    "tablewright.engine.partiql",
    "tablewright.engine.recovery",
    "tablewright.engine.storage.backups",
    "tablewright.engine.storage.jobs",
    "tablewright.engine.storage.verify",
    "tablewright.engine.streams",
    "tablewright.engine.transfer",
    "tablewright.expressions.lexer",
    "tablewright.server",
    "tablewright.testing",
    "tablewright.transport.botocore",
    "tablewright.transport.http",
    "tablewright.transport.valuestores",
    "tablewright.values.keycodec.ranges",
    "asyncio",
    "concurrent.futures",
    "difflib",
    "http.client",
    "json",
    "logging",
    "pydantic.root_model",
    "ssl",
    "urllib.request",
]
NOT_FOR_SINGLE_ITEMS = [
    "tablewright.client.aggregates",
    "tablewright.client.batches",
    "tablewright.client.caching",
    "tablewright.client.collections",
    "tablewright.client.copying",
    "tablewright.client.decoding",
    "tablewright.client.feeds",
    "tablewright.client.linking",
    "tablewright.client.plain",
    "tablewright.client.statements",
    "tablewright.client.sweeping",
    "tablewright.client.tallies",
    "tablewright.client.transactions",
    "tablewright.compiler.aggregates",
    "tablewright.compiler.wireunions",
    "tablewright.engine.partiql",
    "tablewright.engine.streams",
    "tablewright.values.keybuilding.shards",
    "tablewright.values.keycodec.parts.numbers",
    "tablewright.values.keycodec.parts.times",
    "asyncio",
    "difflib",
    "logging",
    "pydantic.root_model",
    "ssl",
]


def run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": ":".join(path for path in sys.path if path)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout + done.stderr


def loaded_by(program: str) -> set[str]:
    return set(run(program + "\nprint(*sys.modules)").split())


@pytest.mark.parametrize("name", sorted({*NOT_FOR_OPENING, *NOT_FOR_SINGLE_ITEMS}))
def test_there_is_such_a_module(name: str) -> None:
    assert find_spec(name) is not None


def test_opening_a_table_loads_nothing_that_it_does_not_need() -> None:
    assert loaded_by(OPENS).isdisjoint(NOT_FOR_OPENING)


def test_one_item_loads_nothing_for_many() -> None:
    reads_and_writes = "thing = session.put(Thing(thing_id='1'))\nsession.get(thing)\nsession.delete(thing)"
    assert loaded_by(OPENS + ENTITY + reads_and_writes).isdisjoint(NOT_FOR_SINGLE_ITEMS)


def test_a_service_far_away_needs_no_engine() -> None:
    loaded = loaded_by(OPENS.replace("memory:", "http://127.0.0.1:1"))
    assert "tablewright.transport.http.sync" in loaded
    assert loaded.isdisjoint({"tablewright.engine", "sqlite3"})


def test_the_debug_log_can_be_turned_on_at_any_time() -> None:
    turned_on = """
assert "logging" not in sys.modules
session.get(Thing(thing_id="1"))
import logging
logging.basicConfig()
logging.getLogger("tablewright").setLevel(logging.DEBUG)
session.get(Thing(thing_id="1"))
"""
    told = run(OPENS + ENTITY + turned_on)
    assert told.count("GetItem Shop") == 1


# ------------------------------------------------------------------------------------------------- the mechanism


def test_a_module_takes_its_place_at_its_first_use() -> None:
    namespace: dict[str, types.ModuleType] = {}
    later(namespace, "tablewright.client", "cursors")
    assert not isinstance(namespace["cursors"], types.ModuleType)
    begins = namespace["cursors"].begins
    assert namespace["cursors"] is importlib.import_module("tablewright.client.cursors")
    assert begins is namespace["cursors"].begins


def test_what_a_module_does_not_have_is_an_error() -> None:
    namespace: dict[str, types.ModuleType] = {}
    later(namespace, "tablewright.client", "cursors")
    with pytest.raises(AttributeError, match=r"'tablewright.client.cursors' has no attribute 'nothing'"):
        _ = namespace["cursors"].nothing


def test_what_a_package_does_not_have_is_an_error() -> None:
    load = names_later({"__name__": "tablewright.client"}, {"cursors": "begins CursorSeal"})
    assert load("begins")(None)
    with pytest.raises(AttributeError, match=r"module 'tablewright.client' has no attribute 'nothing'"):
        load("nothing")


@pytest.mark.parametrize("package", ["tablewright.expressions", "tablewright.values.keycodec", "tablewright.engine"])
def test_every_name_of_a_package_is_there_and_no_module(package: str) -> None:
    module = importlib.import_module(package)
    assert [name for name in module.__all__ if inspect.ismodule(getattr(module, name))] == []


def said_to_checkers(branch: list[ast.stmt]) -> set[tuple[str, str]]:
    found = [node for node in branch if isinstance(node, ast.ImportFrom) and node.module is not None]
    return {(str(node.module), name.name) for node in found for name in node.names}


def loaded_later(branch: list[ast.stmt]) -> set[tuple[str, str]]:
    calls = [node.value for node in branch if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)]
    named = [
        [argument.value for argument in call.args[1:] if isinstance(argument, ast.Constant)]
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id == "later"
    ]
    return {(str(package), str(name)) for package, *names in named for name in names}


@pytest.mark.parametrize("file", sorted(name for name, source in SOURCES.items() if "later(globals()" in source))
def test_type_checkers_are_told_what_is_loaded_later(file: str) -> None:
    branches = [node for node in ast.parse(SOURCES[file]).body if isinstance(node, ast.If)]
    late = set().union(*(loaded_later(branch.orelse) for branch in branches))
    assert late <= set().union(*(said_to_checkers(branch.body) for branch in branches))
    assert [package for package, name in late if find_spec(f"{package}.{name}") is None] == []
