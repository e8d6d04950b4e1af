"""Whole collections deleted: everything that belongs to them, nothing beside them, as each entity deletes its items."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from tablewright import (
    GSI,
    Collection,
    Deleted,
    Deleting,
    Entity,
    Keys,
    KeyStyle,
    Query,
    Session,
    SoftDelete,
    Table,
    before_delete,
    collect,
    key,
    many,
    query,
)
from tablewright.engine import Engine, open_engine
from tablewright.engine.faults import Throttle, Unprocessed
from tablewright.errors import ArgumentError, NetworkError, TablewrightError, UnknownEntityTypeError
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.conftest import AT_ONCE
from tests.client.doubles import OnTheWay

school = Table("School", indexes=[GSI("GSI1")])


class Course(Entity, table=school):
    keys = Keys("SCHOOL#{school}", "COURSE#{course}")
    school: str
    course: str


class Lesson(Entity, table=school, version=True):
    keys = Keys("SCHOOL#{school}", "COURSE#{course}#LESSON#{number:3}", GSI1=("TOPIC#{topic}", "{course}#{number:3}"))
    school: str
    course: str
    number: int
    topic: str = "none"


class Ticket(Entity, table=school):
    keys = Keys("SCHOOL#{school}", "COURSE#{course}#SEAT#{seat}", unique=["holder"])
    school: str
    course: str
    seat: str
    holder: str


class Essay(Entity, table=school, soft_delete=SoftDelete()):
    keys = Keys("SCHOOL#{school}", "COURSE#{course}#ESSAY#{essay}")
    school: str
    course: str
    essay: str


class Everything:
    """What a course consists of."""

    def __init__(self, lessons: list[Lesson], essays: list[Essay]) -> None:
        self.lessons, self.essays = lessons, essays


@school.pattern
def lessons_of(school: str, course: str) -> Query[Lesson]:
    return query(Lesson, Lesson.school == school, Lesson.course == course)


@school.pattern
def on_topic(topic: str) -> Query[Lesson]:
    return query(Lesson, Lesson.topic == topic)


@school.pattern
def work_in(school: str, course: str) -> Collection[Everything]:
    return collect(
        Everything,
        lessons=many(query(Lesson, Lesson.school == school, Lesson.course == course)),
        essays=many(query(Essay, Essay.school == school, Essay.course == course)),
    )


def fill(db: Session, *courses: str, lessons: int = 3) -> None:
    for course in courses:
        db.create(Course(school="s", course=course))
        for number in range(lessons):
            db.create(Lesson(school="s", course=course, number=number, topic=course[0]))
        db.create(Ticket(school="s", course=course, seat="1", holder=f"ann in {course}"))
        db.create(Essay(school="s", course=course, essay="1"))


def keys(db: Session, *, buried: bool = False) -> list[str]:
    items = db.send("Scan", {"TableName": db.table_name, "ConsistentRead": True})["Items"]
    return sorted(i["SK"]["S"] for i in items if buried == ("DeletedAt" in i))


def of(course: str, *, marker: bool = True, lessons: int = 3) -> list[str]:
    own = [f"COURSE#{course}", f"COURSE#{course}#ESSAY#1", f"COURSE#{course}#SEAT#1"]
    own += [f"COURSE#{course}#LESSON#{n:03}" for n in range(lessons)]
    return own + ([f"UNIQUE#Ticket#holder#ann%20in%20{course}"] if marker else [])


@pytest.fixture(params=["memory", pytest.param("dynamodb-local", marks=pytest.mark.dynamodb_local)])
def db(request: pytest.FixtureRequest) -> Any:
    """An empty school."""
    where = "memory:" if request.param == "memory" else request.getfixturevalue("dynamodb_local_url")
    name = f"school-{id(request)}"
    with school.open(where, create=True, table_name=name) as opened:
        yield opened
        if request.param != "memory":
            opened.delete_table()


def test_a_parent_and_all_below_it_go_and_no_neighbour(db: Session) -> None:
    fill(db, "1", "10", "2")
    assert db.delete_collection(key(Course, school="s", course="1")) == Deleted(6, True)
    assert keys(db) == sorted(of("10") + of("2"))
    assert keys(db, buried=True) == ["COURSE#1#ESSAY#1"]
    db.create(Ticket(school="s", course="9", seat="1", holder="ann in 1"))  # the value is free again
    assert db.delete_collection(key(Course, school="s", course="1")) == Deleted(0, True)


def test_a_whole_partition(db: Session) -> None:
    fill(db, "1", "2")
    db.create(Course(school="other", course="1"))
    found = db.get(key(Course, school="s", course="1"))
    assert found is not None
    assert db.delete_collection(found, reach="partition") == Deleted(12, True)
    assert keys(db) == ["COURSE#1"]


def test_what_a_query_or_a_collection_finds(db: Session) -> None:
    fill(db, "1", "10", "2")
    assert db.delete_collection(on_topic("1")) == Deleted(6, True)
    assert db.delete_collection(lessons_of("s", "2")) == Deleted(3, True)
    assert db.delete_collection(work_in("s", "1")) == Deleted(1, True)
    assert not any("LESSON" in k for k in keys(db))
    assert keys(db, buried=True) == ["COURSE#1#ESSAY#1"]
    assert db.run(work_in, "s", "10").essays != []


def test_it_goes_on_where_it_stopped_and_tells_how_far_it_is(db: Session) -> None:
    fill(db, "1", lessons=130)
    parent = key(Course, school="s", course="1")
    seen: list[int] = []
    assert db.delete_collection(parent, limit=101, progress=seen.append) == Deleted(101, False)
    assert seen == [100, 101]
    assert "COURSE#1" in keys(db)  # the parent goes last
    assert db.delete_collection(parent, limit=32) == Deleted(32, True)
    assert keys(db) == []


# ------------------------------------------------------------------------------------------------- when it goes wrong


def opened(engine: Engine) -> tuple[Session, OnTheWay]:
    wire = OnTheWay(EmbeddedTransport(engine, owned=False))
    return school.open(wire, create=True, retry=AT_ONCE), wire


@pytest.mark.parametrize("broken", range(12))
def test_after_a_failure_the_same_call_goes_on(broken: int) -> None:
    with open_engine("memory:") as engine:
        db, wire = opened(engine)
        fill(db, "1", "10")
        wire.restart()
        wire.refuse = {broken + n: NetworkError("The connection broke.", sent=False) for n in range(4)}
        parent = key(Course, school="s", course="1")
        try:
            db.delete_collection(parent)
        except TablewrightError:
            wire.restart()
            assert {"COURSE#1"} <= set(keys(db)) or keys(db) == of("10")
            assert db.delete_collection(parent).done
        wire.restart()
        assert keys(db) == sorted(of("10"))
        db.close()


def test_under_faults() -> None:
    with open_engine("memory:") as engine:
        db, _ = opened(engine)
        fill(db, "1", "10", lessons=40)
        engine.faults.inject(Unprocessed(share=0.5, seed=1))
        engine.faults.inject(Throttle(share=0.2, seed=2))
        while True:
            try:
                if db.delete_collection(key(Course, school="s", course="1")).done:
                    break
            except TablewrightError:
                continue
        engine.faults.clear()
        assert keys(db) == sorted(of("10", lessons=40))
        db.close()


def test_an_item_that_the_model_does_not_know_stops_it(db: Session) -> None:
    fill(db, "1")
    stranger = {"PK": {"S": "SCHOOL#s"}, "SK": {"S": "COURSE#1#X"}, "Type": {"S": "Stranger"}}
    db.send("PutItem", {"TableName": db.table_name, "Item": stranger})
    with pytest.raises(UnknownEntityTypeError, match="Stranger"):
        db.delete_collection(key(Course, school="s", course="1"))
    assert len(keys(db)) == len(of("1")) + 1


def test_hooks_are_run_for_each_item() -> None:
    table, told = Table("Hooked"), list[str]()

    class Name(BaseModel):
        name: str

    class Thing(Entity, table=table):
        keys = Keys("THINGS#{place}", "THING#{name}")
        place: str
        name: str

        @staticmethod
        @before_delete
        def keep(deleting: Deleting) -> None:
            if deleting.key["name"] == "kept":
                raise ValueError("this one stays")
            told.append(f"{deleting.key['place']} {deleting.key['name']}")

    with table.open("memory:") as db:
        for name in ("a", "b#c", "kept"):
            db.create(Thing(place="p", name=name))
        with pytest.raises(ArgumentError, match="whole items"):
            db.delete_collection(query(Thing, Thing.place == "p").only(Name))
        with pytest.raises(ValueError, match="stays"):
            db.delete_collection(query(Thing, Thing.place == "p"))
        assert told == ["p a", "p b#c"]
        assert len(keys(db)) == 1


def test_wrong_arguments(db: Session) -> None:
    one = key(Course, school="s", course="1")
    calls: list[Callable[[], object]] = [
        lambda: db.delete_collection(one, reach="all"),  # type: ignore[arg-type]
        lambda: db.delete_collection(one, limit=0),
        lambda: db.delete_collection(one, limit=True),
        lambda: db.delete_collection("COURSE#1"),  # type: ignore[arg-type]
    ]
    for call in calls:
        with pytest.raises(ArgumentError):
            call()


def test_a_table_without_sort_key_has_nothing_below() -> None:
    flat = Table("Flat", sk=None)

    class Thing(Entity, table=flat):
        keys = Keys("THING#{name}")
        name: str

    with flat.open("memory:") as db:
        db.create(Thing(name="1"))
        with pytest.raises(ArgumentError, match="Nothing lies below"):
            db.delete_collection(key(Thing, name="1"))
        assert db.delete_collection(key(Thing, name="1"), reach="partition") == Deleted(1, True)


def test_an_adopted_table() -> None:
    old = Table("Old", key_style=KeyStyle.adopted(separator="/"))

    class Folder(Entity, table=old):
        keys = Keys("DISK", "F/{name}")
        name: str

    with old.open("memory:") as db:
        for name in ("1", "10", "1x"):
            db.put(Folder(name=name))
        assert db.delete_collection(key(Folder, name="1")).items == 1
        assert len(keys(db)) == 2


def test_async_collections() -> None:
    async def work() -> None:
        async with school.open_async("memory:") as db:
            for number in range(3):
                await db.create(Lesson(school="s", course="1", number=number))
            assert await db.delete_collection(lessons_of("s", "1")) == Deleted(3, True)

    asyncio.run(work())


def test_a_field_that_is_stored_as_tombstones_are_marked_does_not_hide_an_item() -> None:
    table = Table("Files")

    class Page(Entity, table=table, soft_delete=SoftDelete()):
        keys = Keys("FILE#{file}", "PAGE#{page}")
        file: str
        page: str

    class Draft(Entity, table=table):
        keys = Keys("FILE#{file}", "DRAFT#{draft}")
        file: str
        draft: str
        DeletedAt: str | None = None

    with table.open("memory:") as db:
        db.create(Draft(file="a", draft="1", DeletedAt="yesterday"))
        db.create(Page(file="a", page="1"))
        db.create(Page(file="a", page="2"))
        db.delete(key(Page, file="a", page="2"))
        deleted = db.delete_collection(key(Draft, file="a", draft="1"), reach="partition")
        assert (deleted.items, deleted.done) == (2, True)
        assert db.get(key(Draft, file="a", draft="1")) is None
        assert db.undelete(key(Page, file="a", page="2")).page == "2"
