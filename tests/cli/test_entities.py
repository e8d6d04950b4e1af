"""`tablewright entities`, `backup` and `pitr`, as a person types them."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tablewright import cli
from tablewright.engine import open_engine
from tablewright.errors import ArgumentError, ConfigError, RequestRefused, ResourceNotFound

MODEL = """
from datetime import datetime
from decimal import Decimal
from tablewright import Entity, Keys, Query, Table, query

shop = Table("Shop")

class Order(Entity, table=shop):
    keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}")
    username: str
    order_id: str
    total: Decimal
    placed_at: datetime

@shop.pattern
def orders_of(username: str) -> Query[Order]:
    "A customer's orders."
    return query(Order, Order.username == username)
"""
ORDERS = "username,order_id,total,placed_at\nann,o1,12.50,2025-06-30T12:00Z\nbob,o2,9,2025-06-30T12:00Z\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text(MODEL)
    Path("orders.csv").write_text(ORDERS)
    return tmp_path


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(cli.app, list(arguments))
    assert result.exit_code == code, (result.output, result.exception)
    return result.stdout


def test_in_and_out_again() -> None:
    order = ("import", "model.py", "shop.db", "orders.csv", "--entity", "Order", "--create")
    assert "2 would be new." in run("entities", *order)
    assert not Path("shop.db").exists()
    assert run("entities", *order, "--write") == "orders.csv: 2 rows of Order.\n  2 new.\n"
    assert "Nothing had to be changed." in run("entities", *order, "--write")
    ann = ("--pattern", "orders_of", "--with", "username=ann")
    assert "1 row of orders_of(), " in run("entities", "export", "model.py", "shop.db", "ann.jsonl", *ann)
    assert json.loads(Path("ann.jsonl").read_text())["total"] == "12.5"
    old = ("archive", "model.py", "shop.db", "old.json.gz", "--entity", "Order", "--where", "total<10")
    assert "1 item of Order would be archived" in run("entities", *old)
    assert "1 deleted, 0 gone before, 0 changed" in run("entities", *old, "--write")
    assert "by an earlier run. Nothing was done now." in run("entities", *old, "--write")
    told = json.loads(run("entities", *order[:-1], "--json"))
    assert (told[0]["same"], told[0]["new"]) == (1, 1)


def test_wrong_rows_end_with_one_and_are_listed() -> None:
    Path("orders.csv").write_text(ORDERS + "ann,o3,SECRET,2025-06-30T12:00Z\n")
    order = ("import", "model.py", "shop.db", "orders.csv", "--entity", "Order", "--create", "--write")
    told = run("entities", *order, "--bad-rows", "bad.jsonl", code=1)
    assert "line 4, column total: Order.total: " in told
    assert "SECRET" not in told + Path("bad.jsonl").read_text()
    assert json.loads(Path("bad.jsonl").read_text())["place"] == "line 4"


def test_several_entities_of_a_database_need_a_mapping(folder: Path) -> None:
    done = CliRunner().invoke(cli.app, ["entities", "import", "model.py", "shop.db", "sqlite:///old.sqlite"])
    assert "Which entities" in str(done.exception)


def test_backups_and_recovery() -> None:
    run("entities", "import", "model.py", "shop.db", "orders.csv", "--entity", "Order", "--create", "--write")
    place = ("model.py", "shop.db")
    assert run("backup", "list", *place) == "Shop has no backups.\n"
    assert "The backup first of Shop is there: arn:" in run("backup", "create", *place, "--name", "first")
    assert "AVAILABLE first" in run("backup", "list", *place)
    nameless = CliRunner().invoke(cli.app, ["backup", "create", *place, "--name", ""])
    assert isinstance(nameless.exception, RequestRefused)
    told = run("backup", "restore", *place, "latest", "Copy")
    assert told.startswith("The table Copy is ACTIVE.\n")
    assert "Left to do: the application" in told
    assert run("backup", "delete", *place, "first") == "The backup first of Shop is deleted.\n"
    assert run("pitr", "status", *place, code=1) == "Recovery of Shop is off.\n"
    assert run("pitr", "on", *place, "--days", "3").startswith("Recovery of Shop is on, for 3 days: from ")
    assert json.loads(run("pitr", "status", *place, "--json"))["on"] is True
    assert json.loads(run("pitr", "restore", *place, "Past", "--plain", "--json"))["table"] == "Past"
    done = CliRunner().invoke(cli.app, ["pitr", "restore", *place, "Past2", "--at", "yesterday"])
    assert "a date, a time and a time zone" in str(done.exception)
    assert run("pitr", "off", *place) == "Recovery of Shop is off.\n"


def test_what_ctrl_c_leaves_of_a_restore_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    run("entities", "import", "model.py", "shop.db", "orders.csv", "--entity", "Order", "--create", "--write")
    place = ("model.py", "shop.db")
    run("backup", "create", *place, "--name", "first")
    run("pitr", "on", *place)

    def stop(table: str, tell: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tablewright.evolve.backups.waiting.until_active", stop)
    for order in (("backup", "restore", *place, "first", "Copy"), ("pitr", "restore", *place, "Past")):
        done = CliRunner().invoke(cli.app, [*order])
        assert done.exit_code == 130
        assert f"Stopped waiting. If {order[-1]} was ordered already it is made" in done.stderr


def test_a_killed_export_leaves_nothing_under_its_name(folder: Path) -> None:
    run("entities", "import", "model.py", "shop.db", "orders.csv", "--entity", "Order", "--create", "--write")
    program = (
        "import os, tablewright.evolve.transfer.csv_format as f\n"
        "real = f.write_cell\n"
        "def dying(form, value):\n"
        "    if value == 'o2': os._exit(9)\n"
        "    return real(form, value)\n"
        "f.write_cell = dying\n"
        "from tablewright.cli import app\n"
        "app(['entities', 'export', 'model.py', 'shop.db', 'out.csv', '--entity', 'Order'])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, check=False, capture_output=True)
    assert done.returncode == 9
    assert not Path("out.csv").exists()
    assert "2 rows of Order" in run("entities", "export", "model.py", "shop.db", "out.csv", "--entity", "Order")
    assert [path.name for path in Path().glob("*out.csv*")] == ["out.csv"]


def test_what_is_missing_can_be_made_by_the_same_command() -> None:
    order = ("entities", "import", "model.py", "none.db", "orders.csv", "--entity", "Order")
    done = CliRunner().invoke(cli.app, [*order])
    assert isinstance(done.exception, ConfigError)
    assert done.exception.hint == "Add --create to make it."
    with open_engine("none.db"):
        pass
    done = CliRunner().invoke(cli.app, [*order, "--write"])
    assert isinstance(done.exception, ResourceNotFound)
    assert done.exception.hint == "Add --create to make it."
    run(*order, "--create", "--write")


def test_a_source_that_cannot_be_read_is_refused_before_a_table_is_made(folder: Path) -> None:
    """The table stood there, empty."""
    (folder / "orders.jsonl.gz").write_bytes(gzip.compress(b"{}" * 1000)[:-10])
    for name, complaint in (("orders.jsonl.gz", "cannot be read: EOFError"), ("gone.csv", "There is no file gone.csv")):
        order = ["entities", "import", "model.py", "made.db", name, "--entity", "Order", "--create", "--write"]
        done = CliRunner().invoke(cli.app, order)
        assert isinstance(done.exception, ArgumentError)
        assert complaint in done.exception.message
        assert not (folder / "made.db").exists()


def test_hints_name_entities_of_the_model() -> None:
    Path("model.py").write_text(MODEL.replace("Order", "Purchase"))
    Path("rows.jsonl").write_text('{"username": "ann"}\n')
    told = run("entities", "import", "model.py", "shop.db", "rows.jsonl", "--create", code=1)
    assert "it does not say of which entity it is. Name it: --entity Purchase." in told
    done = CliRunner().invoke(cli.app, ["entities", "export", "model.py", "shop.db", "all.jsonl"])
    assert isinstance(done.exception, ArgumentError)
    assert (done.exception.hint or "").endswith("--entity Purchase.")


def test_an_import_that_is_stopped_says_how_to_go_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("stopped_rows.py").write_text(
        "from decimal import Decimal\n"
        "from pathlib import Path\n"
        "def total(text):\n"
        "    if text == '9' and Path('stop').exists():\n"
        "        raise KeyboardInterrupt\n"
        "    return Decimal(text)\n"
    )
    monkeypatch.syspath_prepend(folder)
    Path("map.toml").write_text('[Order.fields]\ntotal = {column = "total", function = "stopped_rows:total"}\n')
    Path("stop").touch()
    order = ["entities", "import", "model.py", "shop.db", "orders.csv", "--entity", "Order", "--create"]
    order += ["--map", "map.toml"]
    dry = CliRunner().invoke(cli.app, order)
    assert (dry.exit_code, dry.stderr) == (130, "\nStopped. Nothing was written.\n")
    stopped = CliRunner().invoke(cli.app, [*order, "--write"])
    assert stopped.exit_code == 130
    assert "The same command goes on" in stopped.stderr
    Path("stop").unlink()
    run(*order, "--write")
    assert "Nothing had to be changed." in run(*order, "--write")
