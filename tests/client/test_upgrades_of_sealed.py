"""Upgrades of entities with encrypted fields: nothing is stored in plain where it would be encrypted, nor what does not fit."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any

import pytest

from tablewright import Entity, Keys, Session, Table, key
from tablewright.engine import Engine, open_engine
from tablewright.errors import TablewrightError
from tablewright.evolve.migrations import UpgradeEntity
from tablewright.evolve.migrations.migrator import Migrator
from tablewright.model.sealing import Encrypted
from tests.evolve.migrations.tables import file, skipped

Cast = Callable[[dict[str, Any]], dict[str, Any]]
MADE = "The upcasts of Patient make 'illness', which is encrypted, so that nobody could read it."


class Backwards:
    """A cipher that hides little."""

    def encrypt(self, plaintext: bytes, context: Any) -> tuple[str, bytes]:
        return "1", plaintext[::-1]

    def decrypt(self, key_id: str, ciphertext: bytes, context: Any) -> bytes:
        return ciphertext[::-1]


def ward(upcast: Cast, *, plain: bool = False) -> tuple[Table, type[Any]]:
    table = Table("Ward")

    class Patient(Entity, table=table, schema_version=2):
        keys = Keys("PATIENT#{number}", "PATIENT")
        number: str
        room: int
        illness: Annotated[str | None, Encrypted(Backwards(), plain=plain)] = None
        secret: Annotated[str | None, Encrypted(Backwards())] = None

    table.upcast(Patient, 1)(upcast)
    return table, Patient


def from_plain(item: dict[str, Any]) -> dict[str, Any]:
    item["illness"] = item.pop("remark")
    return item


def from_elsewhere(item: dict[str, Any]) -> dict[str, Any]:
    item["illness"] = item["secret"]
    return item


def roomless(item: dict[str, Any]) -> dict[str, Any]:
    del item["room"]
    return item


def roomy(item: dict[str, Any]) -> dict[str, Any]:
    return {**item, "room": "three"}


def stored(engine: Engine) -> Any:
    place = {"PK": {"S": "PATIENT#1"}, "SK": {"S": "PATIENT"}}
    return engine.execute("GetItem", {"TableName": "Ward", "Key": place})["Item"]


def older(engine: Engine) -> Any:
    """An item of the first version, with an encrypted value and one that is not."""
    table, patient = ward(from_plain)
    with table.open(engine) as db:
        db.create(patient(number="1", room=3, secret="none"))
        place = {"PK": {"S": "PATIENT#1"}, "SK": {"S": "PATIENT"}}
        change = {
            "UpdateExpression": "SET SchemaVersion = :one, remark = :remark",
            "ExpressionAttributeValues": {":one": {"N": "1"}, ":remark": {"S": "measles"}},
        }
        db.send("UpdateItem", {"TableName": "Ward", "Key": place, **change})
    return stored(engine)


def updated(db: Session, patient: type[Any]) -> None:
    db.update(key(patient, number="1"), set={"secret": "some"})


@pytest.mark.parametrize("upcast", [from_plain, from_elsewhere, roomless, roomy])
def test_what_nobody_could_read_is_not_written(upcast: Cast) -> None:
    table, patient = ward(upcast)
    with open_engine("memory:") as engine:
        before = older(engine)
        with table.open(engine) as db, pytest.raises(TablewrightError) as refused:
            updated(db, patient)
        assert "measles" not in str(refused.value)
        with table.open(engine, upgrade_on_read=True) as db, suppress(TablewrightError):
            db.get(key(patient, number="1"))
        with table.open(engine) as db:
            told = Migrator(db, table, [file(UpgradeEntity("Patient"))]).run(write=True)
            (reason,) = skipped(told)
        assert reason.startswith("The upcasts of") == (upcast in (from_plain, from_elsewhere))
        assert stored(engine) == before


def test_what_is_kept_or_allowed_in_plain_is_written() -> None:
    with open_engine("memory:") as engine:
        before = older(engine)
        table, patient = ward(lambda item: item)
        with table.open(engine, upgrade_on_read=True) as db:
            assert db.get(key(patient, number="1")).secret == "none"
        assert stored(engine) == {**before, "SchemaVersion": {"N": "2"}}
    with open_engine("memory:") as engine:
        older(engine)
        table, patient = ward(from_plain, plain=True)
        with table.open(engine) as db:
            updated(db, patient)
            assert db.get(key(patient, number="1")).illness == "measles"


def test_the_reason_is_told() -> None:
    table, _ = ward(from_plain)
    with open_engine("memory:") as engine:
        older(engine)
        with table.open(engine) as db:
            told = Migrator(db, table, [file(UpgradeEntity("Patient"))]).plan()
        assert skipped(told) == {MADE: 1}
