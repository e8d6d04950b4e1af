"""A model that has everything a model can have, for tests of what is made from models."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from tablewright import (
    GSI,
    LSI,
    Aggregate,
    Bucket,
    Collection,
    Compressed,
    Entity,
    Epoch,
    Get,
    Keys,
    Mixed,
    NaturalKey,
    Node,
    Query,
    Relationship,
    Shard,
    SoftDelete,
    Table,
    Unique,
    attr,
    children,
    collect,
    get,
    many,
    number,
    one,
    query,
    require,
    sparse,
)

school = Table(
    "school-{stage}",
    indexes=[
        GSI("GSI1"),
        GSI("GSI2", projection="KEYS_ONLY"),
        GSI("ByPlace", pk=["place_school", "place_city"], sk=["place_street"]),
        GSI("ByRank", pk="rank_group", sk=number("rank"), projection=["t", "grade"]),
        GSI("Inverted", pk="SK", sk="PK"),
        LSI("LSI1"),
    ],
    stream="NEW_AND_OLD_IMAGES",
)


class Kind(StrEnum):
    """What a lesson is."""

    LECTURE = "lecture"
    EXERCISE = "exercise"


class Room(BaseModel):
    """Where a lesson is given."""

    building: str
    seats: int | None = None


@dataclass
class Mark:
    """A mark with a remark."""

    points: int
    remark: str = ""


class School(Entity, table=school, version=True):
    """A school. Everything else hangs on it.

    What stands here is more than one line.
    """

    keys = Keys("SCHOOL#{school_id}", "SCHOOL", unique=["name", Unique("domain", key="DOMAIN#{domain}")])
    school_id: str
    name: NaturalKey
    domain: str | None = Field(default=None, description='The part after the "@" | of addresses')
    lessons: int = 0


class Class(Entity, table=school, type="class", stored={"title": "t"}, version=True):
    """A class of a school; its name is a reserved word in many places."""

    keys = Keys(
        "SCHOOL#{school_id}",
        "CLASS#{class_id}",
        GSI1=("CLASS#{class_id}", "CLASS"),
        ByPlace=(("{school_id}", "{city}"), ("{street}",)),
        ByRank=("GRADE#{grade:2}", "{rank}"),
        LSI1="{starts}#{class_id}",
    )
    school_id: str
    class_id: str
    title: str
    grade: int = Field(ge=1, le=13)
    rank: int
    city: str
    street: str
    starts: date
    room: Room | None = None
    pk: str = ""


class Lesson(Entity, table=school, ttl="drops_out_at", schema_version=2):
    """One hour of a class."""

    keys = Keys(
        "SCHOOL#{school_id}",
        "CLASS#{class_id}#LESSON#{starts_at}",
        GSI1=("DAY#{day}#{shard}", "{starts_at}#{class_id}"),
        GSI2=sparse("OPEN#{school_id}", "{starts_at}#{class_id}", when=attr("status") == "open"),
        derive={"shard": Shard("class_id", of=4), "day": Bucket("starts_at", by="day")},
    )
    school_id: str
    class_id: str
    starts_at: datetime
    status: Literal["open", "done"] = "open"
    kind: Kind = Kind.LECTURE
    drops_out_at: Annotated[datetime | None, Epoch("s")] = None
    tags: set[str] = Field(default_factory=set)
    notes: Annotated[str, Compressed()] = ""
    extra: dict[str, int | str] = Field(default_factory=dict)
    span: tuple[int, str] = (0, "")
    marks: list[Mark] = Field(default_factory=list, max_length=10)
    photo: bytes | None = None
    anything: Any = None


class Pupil(Entity, table=school, nested="data", soft_delete=SoftDelete(keep=timedelta(days=30))):
    """Somebody who learns."""

    keys = Keys("PUPIL#{pupil_id}", "PUPIL#{pupil_id}")
    pupil_id: str
    name: str
    class_title: str = ""
    class_id: str = ""
    school_id: str = ""
    born: date | None = None
    fee: Decimal = Decimal(0)


class Attends(Entity, table=school):
    """A pupil in a class."""

    keys = Keys("PUPIL#{pupil_id}", "IN#{school_id}#{class_id}")
    pupil_id: str
    school_id: str
    class_id: str


class AttendedBy(Attends, table=school):
    """The same, seen from the class."""

    keys = Keys("CLASS#{school_id}#{class_id}", "BY#{pupil_id}")


class ClassNode(Node[Class]):
    lessons: list[Lesson] = children(order_by="starts_at")


class SchoolTree(Aggregate[School]):
    """A school with all that hangs on it."""

    classes: list[ClassNode] = children()


class ClassTitle(BaseModel):
    """What a list of classes shows."""

    class_id: str
    title: str


@dataclass
class ClassPage:
    """A class with its lessons."""

    group: Class | None
    lessons: list[Lesson]


@school.pattern
def class_by_id(class_id: str) -> Get[Class]:
    "A class | by its number."
    return get(Class, Class.class_id == class_id)


@school.pattern
def classes_at(school_id: str, city: str, street: str | None = None) -> Query[Class]:
    "The classes at a place."
    found = query(Class, Class.school_id == school_id, Class.city == city)
    return found.when(street, lambda s: Class.street == s)


@school.pattern
def titles_of_grade(grade: int) -> Query[ClassTitle]:
    "The titles of a grade, best first."
    return query(Class, Class.grade == grade).only(ClassTitle).newest_first()


@school.pattern
def classes_by_start(school_id: str, after: date) -> Query[Class]:
    "What begins after a day."
    return query(Class, Class.school_id == school_id, Class.starts >= after)


@school.pattern
def lessons_between(begin: datetime, end: datetime) -> Query[Lesson]:
    "All lessons of some days."
    return query(Lesson, Lesson.starts_at >= begin, Lesson.starts_at <= end)


@school.pattern
def exercises_of(school_id: str, class_id: str) -> Query[Lesson]:
    "The exercises among the lessons."
    found = query(Lesson, Lesson.school_id == school_id, Lesson.class_id == class_id)
    return found.filter(Lesson.kind == Kind.EXERCISE)


@school.pattern
def class_page(school_id: str, class_id: str) -> Collection[ClassPage]:
    "A class with its lessons."
    return collect(
        ClassPage,
        group=one(query(Class, Class.school_id == school_id, Class.class_id == class_id)),
        lessons=many(query(Lesson, Lesson.school_id == school_id, Lesson.class_id == class_id)),
    )


@school.pattern
def all_of_pupil(pupil_id: str) -> Mixed[Pupil | Attends]:
    "A pupil and where it goes."
    return query(Pupil, Pupil.pupil_id == pupil_id) | query(Attends, Attends.pupil_id == pupil_id)


@school.pattern
def pupils_of(school_id: str, class_id: str) -> Query[AttendedBy]:
    "The pupils of a class."
    return query(AttendedBy, AttendedBy.school_id == school_id, AttendedBy.class_id == class_id)


@school.change
def close(lesson: Lesson) -> None:
    "A lesson is over."
    require(lesson.status == "open")
    lesson.status = "done"


school.relate(
    Relationship(School, Class, "1:N", "item collection", reason="read as a tree"),
    Relationship(Class, "Room", "1:1", "embedded", field="room"),
    Relationship(Lesson, "Mark", "1:N", "embedded", field="marks"),
    Relationship(
        Pupil,
        Class,
        "M:N",
        "adjacency list",
        via=Attends,
        mirror=AttendedBy,
        source_fields=("pupil_id",),
        target_fields=("school_id", "class_id"),
    ),
    Relationship(Pupil, Class, "M:N", "shallow duplication", copies={"class_title": "title"}),
    Relationship(School, School, "1:1", "normalised", reason="a partner school, seldom asked for"),
)
school.expect(Class, items=10_000, size=400, max_size=2_000, writes=2.5, per={"school_id": 60})
school.expect(class_by_id, rate=1200, results=1, latency_ms=20, source="the page of a class", note="by far the busiest")
school.expect(Class.grade, distinct=13)
