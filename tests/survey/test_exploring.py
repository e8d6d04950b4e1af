"""Items for people to look at: counted, listed, and harmless to a terminal."""

from collections.abc import Iterator

import pytest

from tablewright import GSI, Entity, Keys, Session, Table
from tablewright.errors import ArgumentError
from tablewright.survey import entity_of, item_of
from tablewright.survey.exploring import Counted, collection_of, count_entities, entities_of, shown

fleet = Table("Fleet", indexes=[GSI("ByPlace", pk=["country", "city"], sk="seen_at")])


class Car(Entity, table=fleet):
    keys = Keys("CAR#{plate}", "CAR", ByPlace=(("{country}", "{city}"), "{seen_at}"))
    plate: str
    country: str
    city: str
    seen_at: str
    seats: int = 4


class Trip(Entity, table=fleet, version=True):
    keys = Keys("CAR#{plate}", "TRIP#{number:3}")
    plate: str
    number: int
    note: str = ""


@pytest.fixture
def db() -> Iterator[Session]:
    with fleet.open("memory:") as session:
        session.put(Car(plate="A1", country="CH", city="Bern", seen_at="2"))
        session.put(Car(plate="B2", country="CH", city="Bern", seen_at="1"))
        session.put(Trip(plate="B2", number=10))
        session.put(Trip(plate="B2", number=9, note="\x1b[31mred\x7f\u009b"))
        yield session


def test_entities_are_counted(db: Session) -> None:
    assert count_entities(db, fleet) == [Counted("Car", 2, 2, "CAR#B2", 1), Counted("Trip", 2, 1, "CAR#B2", 2)]


def test_a_collection_in_the_order_of_its_sort_keys(db: Session) -> None:
    found = collection_of(db, fleet, "CAR#B2", None, 50)
    assert [(one.type, one.sk) for one in found] == [("Car", "CAR"), ("Trip", "TRIP#009"), ("Trip", "TRIP#010")]
    assert found[2].attributes["number"] == 10
    assert len(collection_of(db, fleet, "CAR#B2", None, 2)) == 2


def test_a_collection_of_an_index_with_several_attributes(db: Session) -> None:
    found = collection_of(db, fleet, "CH / Bern", "ByPlace", 50)
    assert [(one.pk, one.sk, one.attributes["plate"]) for one in found] == [
        ("CH / Bern", "1", "B2"),
        ("CH / Bern", "2", "A1"),
    ]
    with pytest.raises(ArgumentError, match="have 2 parts: country / city"):
        collection_of(db, fleet, "CH", "ByPlace", 50)


def test_entities_have_the_name_of_their_class_too() -> None:
    table = Table("Names")

    class Survey(Entity, table=table, type="SurveyMeta"):
        keys = Keys("SURVEY#{survey_id}", "SURVEY")
        survey_id: str

    with table.open("memory:") as db:
        db.put(Survey(survey_id="s1"))
        assert [len(entities_of(db, table, name, 50)) for name in ("Survey", "SurveyMeta")] == [1, 1]
        with pytest.raises(ArgumentError, match="Did you mean 'Survey'"):
            entities_of(db, table, "Surveys", 50)


def test_nothing_that_is_shown_moves_the_terminal(db: Session) -> None:
    lines = "\n".join(shown(entities_of(db, fleet, "Trip", 50)))
    assert "red" in lines
    assert all(c.isprintable() or c == "\n" for c in lines)


@pytest.mark.parametrize(
    "entity", [Car(plate="C3", country="CH", city="Chur", seen_at="3"), Trip(plate="C3", number=1)], ids=["car", "trip"]
)
def test_an_item_of_an_entity_is_what_would_be_stored(db: Session, entity: Entity) -> None:
    item = item_of(entity)
    assert entity_of(fleet, item) == entity
    db.create(entity)
    key = {name: item[name] for name in ("PK", "SK")}
    stored = db.send("GetItem", {"TableName": db.table_name, "Key": key})["Item"]
    times = ("CreatedAt", "UpdatedAt")
    assert {n: v for n, v in stored.items() if n not in times} == {n: v for n, v in item.items() if n not in times}
    assert set(times) <= item.keys()
