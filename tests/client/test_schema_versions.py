"""Items of older schema versions: every read hands them out as current ones, and no write mixes two versions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tablewright import Entity, Keys, Session, Table, key, stored
from tablewright.engine import open_engine
from tablewright.errors import (
    ConcurrentModificationError,
    ConditionalCheckError,
    ModelError,
    NotFoundError,
    SchemaVersionError,
    UniqueViolationError,
)
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.doubles import OnTheWay
from tests.client.people import (
    OldPerson,
    OldPet,
    Person,
    Pet,
    born_in,
    busy_in,
    household,
    in_city,
    names_in,
    new,
    old,
)

ANN = Person(id="1", email="ann@x", first="Ann", last="Lee", city="Rom", n=1)


class Place:
    """One table, reached by older and newer code."""

    def __init__(self, target: Any, **options: Any) -> None:
        self.engine = target
        self.wire = OnTheWay(EmbeddedTransport(target, owned=False))
        self.before = old.open(EmbeddedTransport(target, owned=False), create=True)
        self.db = new.open(self.wire, **options)

    def item(self, person: str = "1", sk: str = "PERSON") -> dict[str, Any]:
        wanted = {"PK": {"S": f"PERSON#{person}"}, "SK": {"S": sk}}
        found: dict[str, Any] = self.engine.execute("GetItem", {"TableName": "People", "Key": wanted}).get("Item", {})
        return found

    def spoil(self, **attributes: Any) -> None:
        item = {n: v for n, v in {**self.item(), **attributes}.items() if v is not None}
        self.engine.execute("PutItem", {"TableName": "People", "Item": item})


@pytest.fixture
def place() -> Iterator[Place]:
    with open_engine("memory:") as engine:
        made = Place(engine)
        made.before.create(OldPerson(id="1", email="ann@x", name="Ann Lee", town="Rom", n=1))
        made.wire.restart()
        yield made
        assert engine.verify() == []


# --------------------------------------------------------------------------------------------------- reading


def test_an_older_item_is_read_as_a_current_one_and_left_as_it_is(place: Place) -> None:
    before = place.item()
    assert place.db.get(key(Person, id="1")) == ANN
    assert place.db.get_many([key(Person, id="1"), key(Person, id="2")]) == [ANN, None]
    assert place.db.get_many([key(Person, id="1")], together=True) == [ANN]
    assert list(place.db.scan_for_maintenance(Person)) == [ANN]
    assert place.db.decode(before) == ANN
    assert place.item() == before
    assert "UpdateItem" not in place.wire.operations


def test_an_item_without_a_version_is_of_the_first(place: Place) -> None:
    place.spoil(SchemaVersion=None)
    assert place.db.get(key(Person, id="1")) == ANN


def test_an_item_without_a_type_is_told_by_its_key(place: Place) -> None:
    place.spoil(SchemaVersion=None, Type=None)
    assert place.db.get(key(Person, id="1")) == ANN
    assert place.db.update(key(Person, id="1"), add={"n": 1}).n == 2
    assert place.item()["Type"] == {"S": "Person"}


@pytest.mark.parametrize("version", [{"N": "4"}, {"N": "0"}, {"N": "1.5"}, {"N": "-1"}, {"S": "1"}, {"BOOL": True}])
def test_a_version_that_nobody_knows_is_an_error_for_reads_and_writes(place: Place, version: Any) -> None:
    place.spoil(SchemaVersion=version)
    before, target = place.item(), key(Person, id="1")
    for attempt in (
        lambda: place.db.get(target),
        lambda: place.db.get_many([target]),
        lambda: place.db.update(target, add={"n": 1}),
        lambda: place.db.put(ANN),
        lambda: place.db.upsert(ANN),
        lambda: place.db.delete(target),
        lambda: list(place.db.scan_for_maintenance(Person)),
    ):
        with pytest.raises(SchemaVersionError) as caught:
            attempt()
        assert caught.value.code == "SCHEMA_VERSION"
        assert caught.value.hint
    assert place.item() == before


def test_older_code_refuses_what_newer_code_wrote(place: Place) -> None:
    place.db.create(Person(id="2", email="bob@x", first="Bob", last="Day", city="Rom"))
    before = place.item("2")
    attempts: list[Callable[[], object]] = [
        lambda: place.before.get(key(OldPerson, id="2")),
        lambda: place.before.update(key(OldPerson, id="2"), set={"n": 5}),
        lambda: place.before.put(OldPerson(id="2", email="bob@x", name="B D")),
    ]
    for attempt in attempts:
        with pytest.raises(SchemaVersionError, match="is of version 3, and this program knows versions up to 1"):
            attempt()
    assert place.item("2") == before


def test_a_collection_has_current_items(place: Place) -> None:
    place.before.create(OldPet(owner="1", name="Rex", species="dog"))
    found = place.db.run(household, "1")
    assert (found.person, found.pets) == (ANN, [Pet(owner="1", name="Rex", kind="dog")])


def test_a_part_of_an_older_item_is_made_of_the_whole(place: Place) -> None:
    """Through an index with an older item in it, which is there as a current one would be."""
    place.spoil(GSI1PK={"S": "CITY#Rom"}, GSI1SK={"S": "Lee#1"}, GSI2PK={"S": "BORN#0"}, GSI2SK={"S": "1"})
    assert [one.last for one in place.db.run(names_in, "Rom")] == ["Lee"]
    assert [one.first for one in place.db.run(born_in, 0)] == ["Ann"]
    assert place.wire.operations == ["Query", "GetItem"] * 2


def test_a_filter_is_about_current_items(place: Place) -> None:
    place.spoil(GSI1PK={"S": "CITY#Rom"}, GSI1SK={"S": "Lee#1"})
    place.db.create(Person(id="2", email="bob@x", first="Bob", last="Day", city="Rom"))
    assert [one.id for one in place.db.run(busy_in, "Rom", "Ann")] == ["2"]
    assert [one.id for one in place.db.run(busy_in, "Rom", "Bob")] == ["1"]
    assert place.db.tally(busy_in("Rom", "Bob")).count == 1
    assert place.db.tally(busy_in("Rom", "Zoe"), of=lambda one: one.n).total == 1


def test_records_of_a_stream_have_current_items(place: Place) -> None:
    record = {
        "eventName": "MODIFY",
        "dynamodb": {"Keys": {}, "SequenceNumber": "1", "OldImage": place.item(), "NewImage": place.item()},
    }
    told = place.db.decode_record(record)
    assert (told.old, told.new) == (ANN, ANN)


def test_current_items_are_read_without_a_look_at_each(place: Place) -> None:
    made = place.db.create(Person(id="2", email="bob@x", first="Bob", last="Day", city="Rom"))
    plan = new.plan.of(Person)
    form = plan.forms.get()
    assert form is not None
    assert form.reader("GetItem")(b'{"Item": %s}' % _json(place.item("2")))["Item"].__class__ is form.record
    with pytest.raises(ValueError, match="Invalid enum value"):
        form.reader("GetItem")(b'{"Item": %s}' % _json(place.item("1")))
    told = stored(made)
    assert told is not None
    assert told.schema_version == 3
    found = place.db.get(key(Person, id="2"))
    assert found is not None
    assert stored(found) == told


def _json(item: dict[str, Any]) -> bytes:
    import msgspec

    return msgspec.json.encode(item)


# --------------------------------------------------------------------------------------------------- writing


def current(place: Place, **more: Any) -> None:
    """The item is wholly of version 3: nothing of version 1 is left in it or in its indexes."""
    item = place.item()
    assert item["SchemaVersion"] == {"N": "3"}
    assert item.keys().isdisjoint({"name", "town", "GSI3PK", "GSI3SK"})
    found = place.db.get(key(Person, id="1"))
    assert found is not None
    assert found == ANN.model_copy(update=more)
    assert item["GSI1PK"] == {"S": f"CITY#{found.city}"}
    assert item["GSI1SK"] == {"S": f"{found.last}#1"}
    assert (item["first"], item["last"]) == ({"S": found.first}, {"S": found.last})


def test_an_update_upgrades_first(place: Place) -> None:
    assert place.db.update(key(Person, id="1"), add={"n": 1}) == ANN.model_copy(update={"n": 2})
    assert place.wire.operations == ["UpdateItem", "UpdateItem", "UpdateItem"]
    current(place, n=2)
    place.wire.restart()
    place.db.update(key(Person, id="1"), add={"n": 1})
    assert place.wire.operations == ["UpdateItem"]
    assert [one.id for one in place.db.run(in_city, "Rom")] == ["1"]


def test_an_update_of_what_keys_are_made_of_upgrades_first(place: Place) -> None:
    place.db.update(key(Person, id="1"), set={"last": "Ray", "email": "ray@x"})
    current(place, last="Ray", email="ray@x")
    place.before.create(OldPerson(id="3", email="ann@x", name="Zoe Day"))  # the value is free again
    with pytest.raises(UniqueViolationError):
        place.before.create(OldPerson(id="4", email="ray@x", name="Zoe Day"))


def test_prepared_updates_upgrade_too(place: Place) -> None:
    for number in (5, 6, 7):
        place.before.put(OldPerson(id="1", email="ann@x", name="Ann Lee", town="Rom")) if number == 5 else None
        place.db.update(key(Person, id="1"), set={"n": number})
        current(place, n=number)


def test_a_put_leaves_nothing_of_the_older_item(place: Place) -> None:
    place.db.put(Person(id="1", email="ann@x", first="Ann", last="Lee", city="Ulm"))
    current(place, city="Ulm", n=0)


def test_an_entity_that_was_read_keeps_its_lock(place: Place) -> None:
    ann, again = place.db.get(key(Person, id="1")), place.db.get(key(Person, id="1"))
    assert ann is not None
    assert again is not None
    ann.n = 9
    place.db.put(ann)
    current(place, n=9)
    again.n = 10
    with pytest.raises(ConcurrentModificationError):
        place.db.put(again)
    current(place, n=9)


def test_edits_and_revisions_upgrade(place: Place) -> None:
    with place.db.edit(key(Person, id="1")) as ann:
        ann.first = "Anna"
    current(place, first="Anna")


def test_a_condition_is_about_the_current_item(place: Place) -> None:
    with pytest.raises(ConditionalCheckError):
        place.db.update(key(Person, id="1"), set={"n": 5}, when=Person.first == "Bob")
    place.db.update(key(Person, id="1"), set={"n": 5}, when=Person.first == "Ann")
    current(place, n=5)


def test_a_delete_with_a_condition_is_about_the_current_item(place: Place) -> None:
    with pytest.raises(ConditionalCheckError):
        place.db.delete(key(Person, id="1"), when=Person.first == "Bob")
    place.db.delete(key(Person, id="1"), when=Person.first == "Ann")
    assert place.item() == {}
    place.db.create(Person(id="2", email="ann@x", first="Ann", last="Lee", city="Rom"))  # the value is free again


def test_a_transaction_upgrades_what_it_meets(place: Place) -> None:
    place.before.create(OldPerson(id="2", email="bob@x", name="Bob Day"))
    for token in (None, "mine"):
        with place.db.transaction(token=token) as tx:
            tx.update(key(Person, id="1"), add={"n": 1})
            tx.check(key(Person, id="2"), Person.first == "Bob")
    current(place, n=3)
    assert place.item("2")["SchemaVersion"] == {"N": "3"}


def test_an_update_of_nothing_is_refused_as_ever(place: Place) -> None:
    with pytest.raises(NotFoundError):
        place.db.update(key(Person, id="9"), set={"n": 1})
    assert place.item("9") == {}


def test_tombstones_keep_what_there_was_and_bring_it_back_as_a_current_item(place: Place) -> None:
    place.before.create(OldPet(owner="1", name="Rex", species="dog"))
    place.before.delete(key(OldPet, owner="1", name="Rex"))
    rex = Pet(owner="1", name="Rex", kind="dog")
    told = place.db.decode(place.item(sk="PET#Rex"))
    assert told.entity == rex  # type: ignore[union-attr]
    assert place.db.undelete(key(Pet, owner="1", name="Rex")) == rex
    assert place.item(sk="PET#Rex")["SchemaVersion"] == {"N": "2"}
    assert "species" not in place.item(sk="PET#Rex")


def test_a_soft_delete_keeps_a_current_item(place: Place) -> None:
    place.before.create(OldPet(owner="1", name="Rex", species="dog"))
    place.db.delete(key(Pet, owner="1", name="Rex"))
    assert place.item(sk="PET#Rex")["DeletedItem"]["M"]["kind"] == {"S": "dog"}
    assert place.db.get(key(Pet, owner="1", name="Rex")) is None


def test_an_upcast_that_fails_is_told_without_values(place: Place) -> None:
    place.spoil(name={"N": "5"})
    with pytest.raises(SchemaVersionError, match="from version 1 failed with AttributeError") as caught:
        place.db.get(key(Person, id="1"))
    assert "5" not in str(caught.value)


# ------------------------------------------------------------------------------------------------- everywhere


@pytest.mark.dynamodb_local
def test_the_service_agrees(dynamodb_local_url: str, fresh_table_name: str) -> None:
    with old.open(dynamodb_local_url, create=True, table_name=fresh_table_name) as before:
        before.create(OldPerson(id="1", email="ann@x", name="Ann Lee", town="Rom", n=1))
        before.create(OldPerson(id="2", email="bob@x", name="Bob Day", town="Rom", n=1))
    with new.open(dynamodb_local_url, table_name=fresh_table_name) as db:
        _everywhere(db)
        db.delete_table()


def _everywhere(db: Session) -> None:
    assert db.get(key(Person, id="1")) == ANN
    with db.transaction() as tx:
        tx.update(key(Person, id="1"), add={"n": 1})
        tx.update(key(Person, id="2"), set={"last": "Ray"})
    assert sorted(one.last for one in db.run(in_city, "Rom")) == ["Lee", "Ray"]
    assert [one.id for one in db.run(busy_in, "Rom", "Ann")] == ["2"]


def test_the_same_in_async_sessions(place: Place) -> None:
    async def use() -> None:
        async with new.open_async(place.engine) as db:
            assert await db.get(key(Person, id="1")) == ANN
            assert (await db.update(key(Person, id="1"), add={"n": 1})).n == 2

    asyncio.run(use())
    current(place, n=2)


def test_a_model_with_a_gap_is_refused_where_it_is_opened() -> None:
    from tablewright import Entity, Keys, Table

    table = Table("Gaps")

    class Gap(Entity, table=table, schema_version=3):
        keys = Keys("GAP#{id}", "GAP")
        id: str

    table.upcast(Gap, 2)(lambda item: item)
    with pytest.raises(ModelError, match="but no upcast from version 1"):
        table.open("memory:")


def test_sealed_values_stay_sealed_and_are_read() -> None:
    from typing import Annotated

    from tablewright import AesGcm, Encrypted, Entity, Keys, Table

    cipher = AesGcm({"k": b"0" * 32})
    before, after = Table("Sealed"), Table("Sealed")

    class OldNote(Entity, table=before, type="Note", schema_version=1):
        keys = Keys("NOTE#{id}", "NOTE")
        id: str
        title: str
        text: Annotated[str, Encrypted(cipher)]

    class Note(Entity, table=after, schema_version=2):
        keys = Keys("NOTE#{id}", "NOTE")
        id: str
        heading: str
        text: Annotated[str, Encrypted(cipher)]

    after.upcast(Note, 1)(lambda item: {"heading": item.pop("title"), **item})
    with open_engine("memory:") as engine:
        with before.open(engine) as db:
            db.create(OldNote(id="1", title="t", text="secret"))
        raw = engine.execute("Scan", {"TableName": "Sealed"})["Items"][0]["text"]
        with after.open(engine, upgrade_on_read=True) as db:
            for _ in range(2):
                assert db.get(key(Note, id="1")) == Note(id="1", heading="t", text="secret")
                item = engine.execute("Scan", {"TableName": "Sealed"})["Items"][0]
                assert (item["text"], item["SchemaVersion"]) == (raw, {"N": "2"})
            assert db.update(key(Note, id="1"), set={"heading": "u"}).text == "secret"


# ------------------------------------------------------------------------------------ deletes that need not look


def patients(number: int) -> tuple[Any, Any]:
    """One table of plain entities, as code of a version knows it. The upcast of version 1 fails where a name is missing."""
    hospital = Table("Hospital")

    class Patient(Entity, table=hospital, schema_version=number):
        keys = Keys("PATIENT#{number}", "PATIENT")
        number: str
        called: str = ""

    if number == 2:

        @hospital.upcast(Patient, 1)
        def with_name(item: dict[str, Any]) -> dict[str, Any]:
            return {"called": item.pop("name"), **item}

    return hospital, Patient


@pytest.mark.parametrize(
    "delete",
    [
        lambda db, target: db.delete(target),
        lambda db, target: db.delete(target, returns="none"),
        lambda db, target: in_transaction(db, target),
        lambda db, target: in_batch(db, target),
    ],
    ids=["alone", "alone-without-answer", "in-transaction", "in-transactional-batch"],
)
def test_a_newer_item_is_not_deleted(delete: Callable[[Any, Any], None]) -> None:
    (older, known), (newer, patient) = patients(1), patients(2)
    with open_engine("memory:") as engine, older.open(engine) as before, newer.open(engine) as after:
        after.create(patient(number="1", called="Ann"))
        with pytest.raises(SchemaVersionError, match="is of version 2, and this program knows versions up to 1"):
            delete(before, key(known, number="1"))
        assert after.get(key(patient, number="1")).called == "Ann"
        delete(after, key(patient, number="1"))
        assert after.get(key(patient, number="1")) is None
        delete(after, key(patient, number="1"))


def in_transaction(db: Any, target: Any) -> None:
    with db.transaction() as tx:
        tx.delete(target)


def in_batch(db: Any, target: Any) -> None:
    with db.batch(transactional=True) as batch:
        batch.delete(target)


def test_an_item_that_no_upcast_fits_can_be_deleted_and_the_error_says_that_it_was() -> None:
    hospital, patient = patients(2)
    with open_engine("memory:") as engine, hospital.open(engine) as db:
        stored = {"PK": {"S": "PATIENT#1"}, "SK": {"S": "PATIENT"}, "Type": {"S": "Patient"}, "number": {"S": "1"}}
        for returns in ("old", "none"):
            db.send("PutItem", {"TableName": "Hospital", "Item": stored})
            if returns == "none":
                db.delete(key(patient, number="1"), returns="none")
            else:
                with pytest.raises(
                    SchemaVersionError, match="The item was deleted, but what came back of it"
                ) as caught:
                    db.delete(key(patient, number="1"))
                assert "carried out" in (caught.value.hint or "")
                assert "as it was" not in str(caught.value)
            assert engine.execute("Scan", {"TableName": "Hospital"})["Items"] == []


def test_a_transactional_batch_writes_over_no_newer_item() -> None:
    (older, known), (newer, patient) = patients(1), patients(2)
    with open_engine("memory:") as engine, older.open(engine) as before, newer.open(engine) as after:
        after.create(patient(number="1", called="Ann"))
        with pytest.raises(SchemaVersionError), before.batch(transactional=True) as batch:
            batch.put(known(number="1"))
            batch.put(known(number="2"))
        assert after.get(key(patient, number="1")).called == "Ann"
