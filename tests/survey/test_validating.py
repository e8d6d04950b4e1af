"""Stored items against the model: each way of differing is found, counted, and told without values."""

from collections.abc import Iterator
from typing import Any

import pytest

from examples.shop.model import shop
from examples.shop.seed import seed
from tablewright import Entity, Keys, Session, SoftDelete, Table
from tablewright.compiler.entity_planner import LEDGER_TYPE
from tablewright.survey.validating import Deviation, validate_items

SECRET = "carla.rossi@example.net"
ORDER = {"PK": {"S": "CUSTOMER#carla"}, "SK": {"S": "ORDER#2025-12-18T13:48:00.000000Z#o1030"}}
CARLA = {"PK": {"S": "CUSTOMER#carla"}, "SK": {"S": "CUSTOMER#carla"}}


@pytest.fixture
def db() -> Iterator[Session]:
    with shop.open("memory:") as opened:
        seed(opened)
        yield opened


def spoil(db: Session, key: dict[str, Any], **attributes: Any) -> None:
    """Writes attributes past the model; None removes one."""
    item = db.send("GetItem", {"TableName": db.table_name, "Key": key})["Item"]
    item.update(attributes)
    db.send("PutItem", {"TableName": db.table_name, "Item": {n: v for n, v in item.items() if v is not None}})


def test_what_the_library_wrote_is_as_the_model_says(db: Session) -> None:
    found = validate_items(db, shop)
    assert found.well
    assert found.items == 295  # 289 entities and 6 markers


@pytest.mark.parametrize(
    ("key", "attributes", "deviation"),
    [
        (ORDER, {"Type": None}, Deviation("?", "type", "the attribute Type, which names the entity, is missing")),
        (ORDER, {"Type": {"S": "Invoice"}}, Deviation("Invoice", "type", "no entity of the model has this type")),
        (
            ORDER,
            {"total": {"S": SECRET}},
            Deviation("Order", "field", "A stored Order has a 'total' (attribute 'total', type S) that"),
        ),
        (ORDER, {"total": None}, Deviation("Order", "field", "A stored Order lacks 'total'")),
        (
            ORDER,
            {"total": {"N": "-1"}},
            Deviation("Order", "field", "Order.total: Input should be greater than or equal to 0"),
        ),
        (ORDER, {"order_id": {"S": "o9"}}, Deviation("Order", "key", "SK is not what the fields make")),
        (
            ORDER,
            {"GSI2PK": {"S": "STATUS#DELIVERED"}},
            Deviation("Order", "index", "GSI2PK is not what the fields make"),
        ),
        (
            ORDER,
            {"GSI2SK": None},
            Deviation("Order", "index", "GSI2SK is missing, so that GSI2 does not have the item"),
        ),
        (
            ORDER,
            {"discount": {"N": "1"}},
            Deviation("Order", "attribute", "the attribute discount is no field of the model"),
        ),
        (
            CARLA,
            {"email": {"S": "other@example.com"}},
            Deviation("Customer", "unique", "the marker that keeps email unique is missing"),
        ),
        (
            CARLA,
            {"email": {"S": "other@example.com"}},
            Deviation("Unique", "unique", "a marker keeps a value for an item that does not have it"),
        ),
    ],
)
def test_every_difference_is_found(
    db: Session, key: dict[str, Any], attributes: dict[str, Any], deviation: Deviation
) -> None:
    spoil(db, key, **attributes)
    found = validate_items(db, shop)
    assert not found.well
    told = {(d.entity, d.kind): d.message for d in found.deviations}
    assert told[deviation.entity, deviation.kind].startswith(deviation.message)
    assert sum(found.deviations[d] for d in found.deviations if d.kind == deviation.kind) >= 1
    assert SECRET not in str(list(found.deviations))


def test_an_index_key_that_should_not_be_there(db: Session) -> None:
    key = {"PK": {"S": "CATEGORY#beans"}, "SK": {"S": "CATEGORY#beans"}}
    table, note, stale = sparse_table()
    with table.open("memory:") as own:
        own.put(note(note_id="n1", pinned=False))
        spoil(own, stale, GSI1PK={"S": "PINNED"}, GSI1SK={"S": "n1"})
        found = validate_items(own, table)
    assert [d.message for d in found.deviations] == [
        "GSI1PK is there, though the item does not belong into GSI1",
        "GSI1SK is there, though the item does not belong into GSI1",
    ]
    assert found.keys[next(iter(found.deviations))] == [stale]
    assert key not in found.keys.values()


def sparse_table() -> tuple[Table, Any, dict[str, Any]]:
    from tablewright import GSI, attr, sparse

    table = Table("Notes", indexes=[GSI("GSI1")])

    class Note(Entity, table=table, schema_version=2, soft_delete=SoftDelete()):
        keys = Keys("NOTE#{note_id}", "NOTE", GSI1=sparse("PINNED", "{note_id}", when=attr("pinned") == True))  # noqa: E712
        note_id: str
        pinned: bool

    return table, Note, {"PK": {"S": "NOTE#n1"}, "SK": {"S": "NOTE"}}


def test_old_schema_versions_are_told_and_tombstones_are_not() -> None:
    table, note, key = sparse_table()
    with table.open("memory:") as db:
        db.put(note(note_id="n1", pinned=True))
        db.put(note(note_id="n2", pinned=True))
        db.delete(note(note_id="n2", pinned=True))
        assert validate_items(db, table).well
        spoil(db, key, SchemaVersion={"N": "1"})
        found = validate_items(db, table)
    assert found.deviations == {Deviation("Note", "schema", "it has schema version 1; the model writes 2"): 1}


def test_items_are_counted_and_the_first_keys_kept(db: Session) -> None:
    reply = db.send("Scan", {"TableName": db.table_name})
    for item in reply["Items"]:
        if item["Type"] == {"S": "Review"}:
            db.send("PutItem", {"TableName": db.table_name, "Item": {**item, "extra": {"BOOL": True}}})
    found = validate_items(db, shop)
    ((deviation, count),) = found.deviations.items()
    assert (deviation.kind, count, len(found.keys[deviation])) == ("attribute", 24, 10)


def test_marks_of_migrations_and_items_of_jobs_are_the_librarys(db: Session) -> None:
    marks = ("TablewrightCopyOf", "TablewrightCopiedTo", "TablewrightSplit", "TablewrightRecast:name")
    spoil(db, ORDER, **{name: {"S": SECRET} for name in marks})
    job = {"S": "TABLEWRIGHT#JOB#fill GSI1"}
    kept = {"run": {"S": "r"}, "done": {"BOOL": False}, "counts": {"S": "{}"}}
    db.send("PutItem", {"TableName": db.table_name, "Item": {"PK": job, "SK": job, **kept}})
    history = {"S": "tablewright#migrations"}
    ledger = {"PK": history, "SK": history, "Type": {"S": LEDGER_TYPE}}
    db.send("PutItem", {"TableName": db.table_name, "Item": ledger})
    found = validate_items(db, shop)
    assert (found.well, found.items) == (True, 295)
    spoil(db, ORDER, TablewrightOther={"S": SECRET})
    assert [one.kind for one in validate_items(db, shop).deviations] == ["attribute"]
