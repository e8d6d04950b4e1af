"""Damage to stored items is seen by whoever runs the patterns: a key that is lost, one that is wrong, a field that is gone."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tablewright import Entity, Session, Table, cli
from tablewright.errors import DecodeError
from tablewright.survey.items import stored_items
from tablewright.testing import samples, try_patterns

APPLICATIONS = [
    "kefir",
    *(pytest.param(a, marks=pytest.mark.full) for a in ("blog", "orders", "saas", "shop", "social", "surveyor")),
]
Item = dict[str, Any]


def table_of(application: str) -> Table:
    module = import_module(f"examples.{application}.model")
    (table,) = {value for value in vars(module).values() if isinstance(value, Table)}
    return table


def one_of_each(table: Table, db: Session) -> Iterator[tuple[Any, Item]]:
    """The plan of each entity, with an item of it that is on as many indexes as possible."""
    items = sorted(stored_items(db), key=len, reverse=True)
    for kind, plan in table.plan.by_type.items():
        found = next((item for item in items if item.get(table.names.type) == {"S": kind}), None)
        if found is not None:
            yield plan, found


def unseen(db: Session, table: Table, item: Item, damaged: Item) -> bool:
    """Whether every pattern does well although an item is damaged; it is whole again afterwards."""
    db.send("PutItem", {"TableName": db.table_name, "Item": damaged})
    try:
        data = [e for stored in stored_items(db) if isinstance(e := db.decode(stored), Entity)]
        return all(tried.well for tried in try_patterns(db, table, data))
    finally:
        db.send("PutItem", {"TableName": db.table_name, "Item": item})


@pytest.mark.parametrize("application", APPLICATIONS)
def test_keys_of_indexes(application: str) -> None:
    table = table_of(application)
    own = {table.pk.name, table.sk.name if table.sk is not None else ""}
    with table.open("memory:", table_name=table.label) as db:
        for entity in samples(table):
            db.put(entity)
        for plan, item in one_of_each(table, db):
            for binding in plan.bindings:
                partition = {a.name for a in binding.index.pk} - own
                for name in sorted({a.name for a in binding.index.attributes} - own):
                    if name not in item:
                        continue
                    lost = {n: v for n, v in item.items() if n != name}
                    assert not unseen(db, table, item, lost), (plan.name, name)
                    if name in partition:
                        wrong = {**item, name: {"S": "SOMEWHERE#ELSE"}}
                        assert not unseen(db, table, item, wrong), (plan.name, name)


@pytest.mark.parametrize("application", APPLICATIONS)
def test_fields(application: str) -> None:
    table = table_of(application)
    with table.open("memory:", table_name=table.label) as db:
        for entity in samples(table):
            db.put(entity)
        for plan, item in one_of_each(table, db):
            needed = [n for n, info in plan.entity.model_fields.items() if info.is_required()]
            for name in needed:
                attribute = plan.fields[name].path[0]
                if name in plan.key_fields or attribute not in item:
                    continue  # the key tells it
                with pytest.raises(DecodeError):
                    unseen(db, table, item, {n: v for n, v in item.items() if n != attribute})


MODEL = """
from tablewright import GSI, Entity, Keys, Query, Table, query

notes = Table("Notes", indexes=[GSI("GSI1")])

class Note(Entity, table=notes):
    keys = Keys("NOTE#{note_id}", "NOTE", GSI1=("AUTHOR#{author}", "{note_id}"))
    note_id: str
    author: str
    text: str

@notes.pattern
def notes_of(author: str) -> Query[Note]:
    return query(Note, Note.author == author)
"""
SEED = """
from damaged_model import Note

def seed(db):
    for number in range(3):
        db.put(Note(note_id=f"n{number}", author="ada", text="x"))
    update = "SET #a = :a" if CHANGE == "set" else "REMOVE #a"
    values = {"ExpressionAttributeValues": {":a": {"S": "AUTHOR#bob"}}} if CHANGE == "set" else {}
    if CHANGE:
        db.send("UpdateItem", {"TableName": db.table_name, "Key": {"PK": {"S": "NOTE#n1"}, "SK": {"S": "NOTE"}},
            "UpdateExpression": update, "ExpressionAttributeNames": {"#a": ATTRIBUTE}, **values})
    return 3
"""


@pytest.mark.parametrize(
    ("change", "attribute", "told"),
    [
        ("", "", None),
        ("set", "GSI1PK", "left out 1 of 3 items"),
        ("remove", "GSI1SK", "left out 1 of 3 items"),
        ("remove", "text", "A stored Note lacks 'text'"),
    ],
    ids=["whole", "key elsewhere", "key gone", "field gone"],
)
def test_the_command_fails(tmp_path: Path, change: str, attribute: str, told: str | None) -> None:
    (tmp_path / "damaged_model.py").write_text(MODEL)
    (tmp_path / "seed.py").write_text(f"CHANGE, ATTRIBUTE = {change!r}, {attribute!r}\n{SEED}")
    done = CliRunner().invoke(cli.app, ["test-patterns", str(tmp_path / "damaged_model.py")])
    if told is None:
        assert done.exit_code == 0, done.output
    else:
        assert done.exit_code != 0
        assert told in f"{done.output} {done.exception}"
