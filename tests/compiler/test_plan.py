"""The plan of a table grows with the model: what is added is proved against all that was there."""

from datetime import datetime
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, field_validator

from tablewright import (
    GSI,
    LSI,
    AttributeNames,
    Entity,
    Epoch,
    Get,
    Keys,
    NaturalKey,
    Query,
    Table,
    all_of,
    any_of,
    attr,
    between,
    exists,
    get,
    is_in,
    key,
    missing,
    negate,
    number,
    query,
    require,
    sparse,
    starts_with,
)
from tablewright.errors import (
    ArgumentError,
    ChangeError,
    FieldTypeError,
    ModelError,
    PatternError,
    UnknownEntityTypeError,
)


def test_a_new_entity_may_move_a_pattern_to_another_key() -> None:
    table = Table("Moving", indexes=[GSI("GSI1")])

    class Order(Entity, table=table):
        keys = Keys("C#{customer}", "{order_id}", GSI1=("ORDERS#{customer}", "{order_id}"))
        customer: str
        order_id: str

    @table.pattern
    def orders(customer: str) -> Query[Order]:
        return query(Order, Order.customer == customer)

    assert table.explain(orders)[0].index is None

    class Note(Entity, table=table):
        keys = Keys("C#{customer}", "NOTE#{n:3}")
        customer: str
        n: int

    assert table.explain(orders)[0].index == "GSI1"
    assert orders("c").compiled.served.path.index_name == "GSI1"
    with table.open("memory:") as db:
        db.create(Order(customer="c", order_id="o"))
        db.create(Note(customer="c", n=1))
        assert db.run(orders, "c").all() == [Order(customer="c", order_id="o")]


def test_items_are_decoded_by_their_type() -> None:
    table = Table("Types", names=AttributeNames(type="t"))

    class User(Entity, table=table, type="u", stored={"email": "e", "name": "n", "status": "s"}, timestamps=False):
        keys = Keys("u#{id}", "p")
        id: str
        email: str
        name: str
        status: str = "new"

    item = {
        "PK": {"S": "u#1"},
        "SK": {"S": "p"},
        "t": {"S": "u"},
        "id": {"S": "1"},
        "e": {"S": "a@b"},
        "n": {"S": "Ada"},
        "s": {"S": "new"},
    }
    user = User(id="1", email="a@b", name="Ada")
    with table.open("memory:") as db:
        db.create(user)
        assert db.send("Scan", {"TableName": "Types"})["Items"] == [item]
    assert table.plan.decode(item) == user
    assert table.plan.of(User).owns(item)
    assert not table.plan.of(User).owns({**item, "t": {"S": "x"}})
    for unknown in ({**item, "t": {"S": "x"}}, {k: v for k, v in item.items() if k != "t"}):
        with pytest.raises(UnknownEntityTypeError, match="Types holds an item of a type that the model does not know"):
            table.plan.decode(unknown)


def test_reserved_words_are_listed() -> None:
    table = Table("Words", indexes=[GSI("GSI1", pk="date", sk=None)])

    class Thing(Entity, table=table):
        keys = Keys("T#{id}", "T", GSI1=("{day}",))
        id: str
        name: str
        day: str
        amount: int = 0

    assert table.plan.reserved_attributes == ("Type", "date", "day", "name")


def test_entities_of_another_table_are_strangers() -> None:
    one, other = Table("One"), Table("Other")

    class Thing(Entity, table=other):
        keys = Keys("T#{id}", "T")
        id: str
        n: int = 0

    class Own(Entity, table=one):
        keys = Keys("T#{id}", "T")
        id: str

    with pytest.raises(ModelError, match=r"The pattern thing\(\) reads Thing, which is no entity of this table"):

        @one.pattern
        def thing(id_: str) -> Get[Thing]:
            return get(Thing, Thing.id == id_)

    with pytest.raises(ModelError, match="Thing is no entity of One"):

        @one.change
        def count(t: Thing) -> None:
            t.n += 1

    with one.open("memory:") as db, pytest.raises(ModelError, match="Thing is no entity of One"):
        db.create(Thing(id="x"))


def test_changes_say_which_indexes_move() -> None:
    table = Table("Moves", indexes=[GSI("GSI1"), GSI("GSI2")])

    class Order(Entity, table=table):
        keys = Keys(
            "O#{id}",
            "O",
            GSI1=("S#{status}", "{id}"),
            GSI2=sparse("DUE", "{id}", when=attr("open") == True),  # noqa: E712
        )
        id: str
        status: str = "new"
        open: bool = True
        lines: list[int] = Field(default_factory=list)

    @table.change
    def ship(o: Order, status: str) -> None:
        require(o.open == True)  # noqa: E712
        o.status = status

    @table.change
    def close(o: Order) -> None:
        o.open = False
        o.status = "closed"

    assert table.plan.changes["ship"].indexes == ("GSI1",)
    assert table.plan.changes["close"].indexes == ("GSI1", "GSI2")
    assert table.plan.changes["close"].fields == {"open", "status"}

    def append(o: Order) -> None:
        o.lines.append("no number")  # type: ignore[arg-type]

    def compare(o: Order) -> None:
        require(o.status == 5)  # type: ignore[comparison-overlap]
        o.status = "x"

    def rekey(o: Order, id_: str) -> None:
        o.id = id_

    for function, message in (
        (append, r"The change append\(\): Order.lines: Input should be a valid integer"),
        (compare, r"The change compare\(\): Order.status: Input should be a valid string"),
        (rekey, r"The change rekey\(\): Order.id is part of the primary key and cannot be changed"),
    ):
        with pytest.raises(ChangeError, match=message):
            table.change(function)  # type: ignore[arg-type]
    assert list(table.plan.changes) == ["ship", "close"]


# -------------------------------------------------------------------------------------- what a read may leave out

Status = Literal["pending", "failed", "done"]


def sparse_table(when: Any) -> tuple[Table, Any]:
    table = Table("Sparse", indexes=[GSI("GSI1")])

    class Job(Entity, table=table):
        keys = Keys("J#{id}", "J", GSI1=sparse("QUEUE#{status}", "{id}", when=when))
        id: str
        status: Status = "pending"
        due: str | None = None

    return table, Job


@pytest.mark.parametrize(
    ("when", "served"),
    [
        (lambda: attr("status") == "pending", False),
        (lambda: is_in(attr("status"), ["pending", "failed"]), True),
        (lambda: any_of(attr("status") == "pending", attr("status") == "failed"), True),
        (lambda: negate(attr("status") == "done"), True),
        (lambda: attr("status") != "done", True),
        (lambda: all_of(exists(attr("id")), attr("status") != "done"), True),
        (lambda: all_of(exists(attr("due")), attr("status") != "done"), False),
        (lambda: any_of(exists(attr("id")), missing(attr("due"))), True),
        (lambda: starts_with(attr("id"), "x"), False),
    ],
)
def test_the_values_a_parameter_allows_may_imply_the_condition_of_a_sparse_index(when: Any, served: bool) -> None:
    table, job = sparse_table(when())

    def queue(status: Literal["pending", "failed"]) -> Query[Any]:
        return query(job, job.status == status)

    if not served:
        with pytest.raises(PatternError, match="it is sparse, and the read may ask for items that it leaves out"):
            table.pattern(queue)
        return
    pattern = table.pattern(queue)
    with table.open("memory:") as db:
        db.create(job(id="1", status="failed"))
        db.create(job(id="2", status="done"))
        assert [j.id for j in db.run(pattern, "failed")] == ["1"]
        with pytest.raises(ArgumentError, match="The argument 'status' is not one that its annotation allows"):
            db.run(pattern, "done").all()  # type: ignore[arg-type]


def test_constants_that_could_not_be_stored_are_refused() -> None:
    table = Table("Naive", indexes=[GSI("GSI1")])
    naive = datetime(2025, 1, 1)

    with pytest.raises(ModelError, match=r"Job: a sparse condition: Job\.due: a datetime without a time zone"):

        class Job(Entity, table=table):
            keys = Keys("J#{id}", "J", GSI1=sparse("DUE", "{due}", when=attr("due") > naive))
            id: str
            due: datetime

    class Task(Entity, table=table):
        keys = Keys("T#{id}", "{due}")
        id: str
        due: datetime

    with pytest.raises(PatternError, match=r"The read: Task\.due: a datetime without a time zone"):
        table.plan.read(query(Task, Task.id == "x", Task.due > naive))


def test_allowed_values_count_as_the_field_holds_them() -> None:
    table = Table("Held", indexes=[GSI("GSI1")])

    class Person(Entity, table=table):
        keys = Keys("P#{id}", "P", GSI1=sparse("{role}", "{id}", when=attr("role") != "GUEST"))
        id: str
        role: NaturalKey

    def some(role: Literal["GUEST", "admin"]) -> Query[Person]:
        return query(Person, Person.role == role)

    def admins(role: Literal["ADMIN"]) -> Query[Person]:
        return query(Person, Person.role == role)

    with pytest.raises(PatternError, match="it is sparse, and the read may ask for items that it leaves out"):
        table.pattern(some)
    assert table.explain(table.pattern(admins))[0].index == "GSI1"


# ------------------------------------------------------------------------------------------------- natural keys


def test_arguments_are_normalised_as_the_field_says() -> None:
    table = Table("Natural", indexes=[GSI("GSI1")])

    class Person(Entity, table=table):
        keys = Keys("P#{id}", "P", GSI1=("PEOPLE", "{email}"), unique=["email"])
        id: str
        email: NaturalKey
        code: str = ""

        @field_validator("code")
        @classmethod
        def without_dashes(cls, code: str) -> str:
            if " " in code:
                raise ValueError("no spaces")
            return code.replace("-", "")

    @table.pattern
    def people(prefix: str) -> Query[Person]:
        return query(Person, starts_with(Person.email, prefix))

    @table.pattern
    def person(email: str) -> Get[Person]:
        return get(Person, Person.email == email)

    with table.open("memory:") as db:
        ada = db.create(Person(id="1", email="  Ada@Example.org", code="1-2"))
        assert (ada.email, ada.code) == ("ada@example.org", "12")
        assert db.run(person, "ADA@example.ORG ") == ada
        assert db.run(people, " AD").all() == [ada]
        assert db.update(key(Person, id="1"), set={"code": "3-4"}).code == "34"
        assert db.execute(query(Person, starts_with(Person.email, "a")).filter(Person.code == "3-4")).count() == 1
        with pytest.raises(FieldTypeError, match=r"Person\.code: Value error, no spaces"):
            db.update(key(Person, id="1"), set={"code": "a b"})


def test_times_to_live_are_whole_seconds_under_one_name() -> None:
    table = Table("Ttl")

    class Session(Entity, table=table, ttl="expires", stored={"expires": "ttl"}):
        keys = Keys("S#{id}", "S")
        id: str
        expires: Annotated[datetime, Epoch()] | None = None

    class Token(Entity, table=table, ttl="ttl"):
        keys = Keys("T#{id}", "T")
        id: str
        ttl: int

    assert table.ttl_attribute == "ttl"
    assert Table("None").ttl_attribute is None
    for annotation, message in (
        (datetime, "the TTL field 'end' is not stored as a whole number of seconds"),
        (Annotated[datetime, Epoch("ms")], "the TTL field 'end' is not stored as a whole number of seconds"),
        (float, "the TTL field 'end' is not stored as a whole number of seconds"),
        (int, "Wrong expires by 'end', Session by another attribute; a table has one"),
    ):
        with pytest.raises(ModelError, match=message):

            class Wrong(Entity, table=table, ttl="end"):
                keys = Keys("W#{id}", "W")
                id: str
                end: annotation  # type: ignore[valid-type]


def test_views_of_a_model_for_input_are_pydantic_s_own_business() -> None:
    """Partial forms, picking and omitting fields: build a model from the entity's fields."""
    from pydantic import create_model

    table = Table("Forms")

    class User(Entity, table=table):
        keys = Keys("U#{id}", "U")
        id: str
        name: str = Field(max_length=5)

    partial: Any = create_model(
        "UserPatch",
        **{n: (f.annotation | None, None) for n, f in User.model_fields.items() if n != "id"},  # type: ignore[operator]
    )
    assert issubclass(partial, BaseModel)
    assert partial(name="Ada").model_dump(exclude_unset=True) == {"name": "Ada"}
    assert partial().model_dump(exclude_unset=True) == {}


# ------------------------------------------------------------------------------------------------------- filters


def test_filters_that_dynamodb_would_refuse() -> None:
    table = Table(
        "Filters", indexes=[GSI("GSI1", projection=["name"]), LSI("LSI1", sk=number("weight"), projection=["name"])]
    )

    class Thing(Entity, table=table, timestamps=False):
        keys = Keys("T#{id}", "T#{n:2}", GSI1=("N#{name}", "{n:2}"), LSI1="{weight}")
        id: str
        n: int
        name: str = "x"
        weight: int = 0
        open: bool = False
        tags: set[str] = Field(default_factory=set)

    class Named(BaseModel):
        id: str
        name: str

    by_name = query(Thing, Thing.name == "x").only(Named)
    by_weight = query(Thing, Thing.id == "a", Thing.weight > 0)
    for read, message in (
        (by_name.filter(Thing.weight > 1), "filters by 'weight', which GSI1 does not project"),
        (by_weight.filter(Thing.open), "filters by 'open', which LSI1 does not project"),
        (by_weight.filter(Thing.weight < 3), "filters by 'weight', a key attribute of LSI1"),
        (query(Thing, Thing.id == "a").filter(Thing.open > True), "in its filter, open has no order"),
        (query(Thing, Thing.id == "a").filter(between(Thing.tags, {"a"}, {"b"})), "in its filter, tags has no order"),
    ):
        with pytest.raises(PatternError, match=message):
            table.plan.read(read)

    with table.open("memory:") as db:
        db.create(Thing(id="a", n=1, weight=5))
        assert db.execute(by_weight.filter(Thing.name == "x")).count() == 1
        nothing = query(Thing, Thing.id == "a").filter(between(Thing.n, 3, 1))
        assert db.execute(nothing).all() == [], "DynamoDB refuses BETWEEN 3 AND 1"
        assert db.execute(query(Thing, Thing.id == "a").filter(between(Thing.n, 1, 1))).count() == 1
