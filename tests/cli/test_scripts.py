"""seed, test-patterns, explore and validate: on the shop, and on models that are wrong."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from examples.shop.model import shop
from tablewright import cli
from tablewright.server.server import serve_in_thread

MODEL = "examples.shop.model"
BROKEN = """
from tablewright import Entity, Get, Keys, Query, Table, get, query

notes = Table("Notes")

class Note(Entity, table=notes):
    keys = Keys("NOTE#{note_id}", "NOTE")
    note_id: str
    title: str

@notes.pattern
def note(note_id: str) -> Get[Note]:
    return get(Note, Note.note_id == note_id)

@notes.pattern
def by_title(title: str) -> Query[Note]:
    return query(Note, Note.title == title)
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.app, list(arguments))


@pytest.fixture
def file(tmp_path: Path) -> str:
    target = str(tmp_path / "shop.db")
    assert run("seed", MODEL, target).exit_code == 0
    return target


def test_seeding_again_restores_and_adds_nothing(file: str) -> None:
    with shop.open(file) as db:
        before = db.send("Scan", {"TableName": db.table_name, "Select": "COUNT"})["Count"]
        db.delete(shop.find_pattern("order")(order_id="o1029"))
    done = run("seed", MODEL, file)
    assert (done.exit_code, done.output) == (0, f"289 items written to AppTable in {file}, from examples.shop.seed.\n")
    with shop.open(file) as db:
        assert db.send("Scan", {"TableName": db.table_name, "Select": "COUNT"})["Count"] == before
        assert db.run(shop.find_pattern("order"), order_id="o1029") is not None


def test_what_is_made_up_is_the_same_each_time(tmp_path: Path) -> None:
    target = str(tmp_path / "made.db")
    for _ in range(2):
        done = run("seed", MODEL, target, "--generated", "--each", "5")
        assert (done.exit_code, "60 items written" in done.output) == (0, True)
    counts = json.loads(run("explore", MODEL, target, "--json").output)
    assert {c["type"]: c["items"] for c in counts} == {
        **dict.fromkeys(shop.entities, 5),
        "Unique": 5,
    }


@pytest.mark.parametrize(
    "more", [[], ["--generated"], ["--generated", "--random-seed", "7"]], ids=["own", "made", "other"]
)
def test_every_pattern_of_the_shop_is_right(more: list[str]) -> None:
    done = run("test-patterns", MODEL, *more)
    assert done.exit_code == 0, done.output
    assert done.output.endswith(" items, none wrong.\n")
    assert done.output.count("ok   ") == len(shop.patterns)


def test_a_refused_pattern_fails(tmp_path: Path) -> None:
    (tmp_path / "model_refused.py").write_text(BROKEN, encoding="utf-8")
    done = run("test-patterns", str(tmp_path / "model_refused.py"))
    assert done.exit_code == 1
    assert "ok   note: " in done.output
    assert "FAIL by_title: it is refused: " in done.output
    assert done.output.endswith("2 patterns on 12 items, 1 wrong.\n")


def test_seed_data_that_a_pattern_finds_nothing_in_fails(tmp_path: Path) -> None:
    (tmp_path / "nothing.py").write_text("def entities():\n    return []\n", encoding="utf-8")
    done = run("test-patterns", MODEL, "--seed-data", str(tmp_path / "nothing.py"), "--json")
    assert done.exit_code == 1
    assert all("no call found anything" in one["problems"][0] for one in json.loads(done.output))


def test_a_seed_file_without_a_seed_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text("", encoding="utf-8")
    done = run("seed", MODEL, "memory:", "--seed-data", str(tmp_path / "empty.py"))
    assert "has neither seed(db) nor entities()" in str(done.exception)


def test_items_by_entity_and_by_collection(file: str) -> None:
    assert "Order: 30 items in 6 collections, most of them (9) in CUSTOMER#alice" in run("explore", MODEL, file).output
    collection = run("explore", MODEL, file, "--collection", "CUSTOMER#deniz").output.splitlines()
    assert collection[0] == "CUSTOMER#deniz"
    assert [line.split()[0] for line in collection[1:-1]] == [
        "CUSTOMER#deniz",
        "ORDER#2025-04-22T10:44:00.000000Z#o1010",
        "ORDER#2025-07-13T14:37:00.000000Z#o1017",
        "ORDER#2025-10-20T09:58:00.000000Z#o1024",
        "PAYMENT#o1010#p1010",
        "PAYMENT#o1017#p1017",
        "PAYMENT#o1024#p1024",
    ]
    pending = json.loads(
        run(
            "explore", MODEL, file, "--collection", "STATUS#PENDING", "--index", "GSI2", "--json", "--limit", "2"
        ).output
    )
    assert [one["attributes"]["order_id"] for one in pending] == ["o1027", "o1028"]
    categories = json.loads(run("explore", MODEL, file, "--entity", "Category", "--json").output)
    assert {one["attributes"]["name"] for one in categories} == {
        "Coffee beans",
        "Brewing",
        "Grinders",
        "Cups and glasses",
    }


def test_what_cannot_be_explored_is_told(file: str) -> None:
    assert "Did you mean 'Order'?" in str(run("explore", MODEL, file, "--entity", "Ordr").exception)
    assert "has no index" in str(run("explore", MODEL, file, "--collection", "X", "--index", "GSI9").exception)
    missing = run("explore", MODEL, file + "x").exception
    assert "tablewright seed" in getattr(missing, "hint", "")


def test_stored_items_are_as_the_model_says_or_not(file: str) -> None:
    done = run("validate", MODEL, file)
    assert (done.exit_code, done.output) == (0, "295 items looked at, all as the model says.\n")
    with shop.open(file) as db:
        key = {"PK": {"S": "CATEGORY#beans"}, "SK": {"S": "CATEGORY#beans"}}
        item = db.send("GetItem", {"TableName": db.table_name, "Key": key})["Item"]
        db.send("PutItem", {"TableName": db.table_name, "Item": {**item, "name": {"N": "4711"}}})
    done = run("validate", MODEL, file)
    assert done.exit_code == 1
    assert done.output.startswith("Category: A stored Category has a 'name'")
    assert "4711" not in done.output
    assert "beans" not in done.output
    assert "CATEGORY#beans" in run("validate", MODEL, file, "--keys").output
    told = json.loads(run("validate", MODEL, file, "--json").output)
    assert [(one["entity"], one["kind"], one["items"]) for one in told["deviations"]] == [("Category", "field", 1)]


STAGED = """
from typing import Literal
from tablewright import Entity, Keys, Table

flags = Table("flags-{stage}")

class Flag(Entity, table=flags):
    keys = Keys("FLAG#{flag}", "FLAG")
    flag: Literal["on", "off"]
"""


@pytest.fixture
def staged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    monkeypatch.delenv("TABLEWRIGHT_STAGE", raising=False)
    (tmp_path / "staged_model.py").write_text(STAGED, encoding="utf-8")
    return str(tmp_path / "staged_model.py"), str(tmp_path / "flags.db")


def test_a_stage_is_said_and_the_real_name_is_told(staged: tuple[str, str]) -> None:
    done = run("seed", *staged, "--stage", "qa")
    assert done.output == (
        f"2 items written to flags-qa in {staged[1]}, from made-up data (only 2 of Flag: there are no more that differ).\n"
    )
    assert "Flag: 2 items" in run("explore", *staged, "--stage", "qa").output
    assert run("validate", *staged, "--stage", "qa").exit_code == 0


@pytest.mark.parametrize("command", ["seed", "explore", "validate"])
def test_a_stage_that_is_missing_is_asked_for(staged: tuple[str, str], command: str) -> None:
    refused = run(command, *staged).exception
    assert getattr(refused, "hint", "") == "Add --stage dev, or set TABLEWRIGHT_STAGE."
    assert "--stage" in run(command, "--help").output


def test_a_table_that_is_missing_is_made_when_asked_for(staged: tuple[str, str]) -> None:
    with serve_in_thread() as server:
        arguments = (staged[0], server.url, "--stage", "qa")
        assert getattr(run("seed", *arguments).exception, "hint", "") == "Add --create to make it."
        for command in ("explore", "validate"):
            hint = getattr(run(command, *arguments).exception, "hint", "")
            assert hint == f"tablewright seed MODEL {server.url} --stage qa --create makes one."
        assert run("seed", *arguments, "--create").exit_code == 0
