"""Indexes that share key attributes with the table or with each other: what follows, what must be given, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from tablewright import (
    GSI,
    LSI,
    Entity,
    Get,
    Keys,
    Query,
    Relationship,
    SoftDelete,
    Table,
    attr,
    get,
    number,
    query,
    sparse,
    starts_with,
)
from tablewright.compiler.schema import create_table_request
from tablewright.errors import ModelError, PatternError
from tablewright.keybuilding import index_key


def club() -> Table:
    return Table("Club", indexes=[GSI("Inverted", pk="SK", sk="PK")])


def shown(table: Table, read: Query[Any] | Get[Any]) -> str:
    return str(table.plan.read(read).shown())


def test_an_inverted_index_serves_the_other_direction_of_a_link() -> None:
    table = club()

    class Person(Entity, table=table):
        keys = Keys("PERSON#{name}", "PERSON#{name}", unique=["email"])
        name: str
        email: str = "x"

    class Group(Entity, table=table):
        keys = Keys("GROUP#{group}", "GROUP#{group}")
        group: str

    class Membership(Entity, table=table):
        keys = Keys("PERSON#{name}", "GROUP#{group}")
        name: str
        group: str

    @table.pattern
    def members(group: str) -> Query[Membership]:
        "Who belongs to a group."
        return query(Membership, Membership.group == group)

    @table.pattern
    def groups(name: str) -> Query[Membership]:
        "What somebody belongs to."
        return query(Membership, Membership.name == name)

    assert [str(s) for s in table.explain(members)] == [
        "Query Inverted: SK = GROUP#{group} AND PK BETWEEN PERSON AND PERSON$"
    ]
    assert [str(s) for s in table.explain(groups)] == [
        "Query table: PK = PERSON#{name} AND SK BETWEEN GROUP AND GROUP$"
    ]
    assert "Inverted" in str(table.catalogue()[0])
    assert index_key(Membership, "Inverted", name="ada", group="g") == {
        "SK": {"S": "GROUP#g"},
        "PK": {"S": "PERSON#ada"},
    }
    table.relate(
        Relationship(
            Group,
            Person,
            "M:N",
            "materialised graph",
            via=Membership,
            source_fields=("group",),
            target_fields=("name",),
        )
    )
    # Nothing is written for the index, so no write has anything to keep right.
    assert table.plan.of(Membership).kept == ()
    assert table.plan.warnings == ()


def test_what_create_table_asks_for() -> None:
    table = Table(
        "Club",
        indexes=[GSI("Inverted", pk="SK", sk="PK"), GSI("GSI1"), LSI("ByTime", sk="GSI1SK"), GSI("Mine", sk="SK")],
    )
    request = create_table_request(table, "Club")
    assert {d["AttributeName"] for d in request["AttributeDefinitions"]} == {"PK", "SK", "GSI1PK", "GSI1SK", "MinePK"}
    assert len(request["AttributeDefinitions"]) == 5
    schemas = {
        i["IndexName"]: [(k["AttributeName"], k["KeyType"]) for k in i["KeySchema"]]
        for i in (*request["GlobalSecondaryIndexes"], *request["LocalSecondaryIndexes"])
    }
    assert schemas == {
        "Inverted": [("SK", "HASH"), ("PK", "RANGE")],
        "GSI1": [("GSI1PK", "HASH"), ("GSI1SK", "RANGE")],
        "ByTime": [("PK", "HASH"), ("GSI1SK", "RANGE")],
        "Mine": [("MinePK", "HASH"), ("SK", "RANGE")],
    }


def test_a_bare_name_takes_over_the_type() -> None:
    table = Table("Club", sk=number("at"), indexes=[GSI("Inverted", pk="at", sk="PK")])
    assert [(a.name, a.tag) for a in table.index("Inverted").attributes] == [("at", "N"), ("PK", "S")]

    class Reading(Entity, table=table):
        keys = Keys("SENSOR#{sensor}", "{at}")
        sensor: str
        at: int

    assert shown(table, query(Reading, Reading.at == 5)) == "Query Inverted: at = 5 AND PK BETWEEN SENSOR AND SENSOR$"


def test_an_index_that_shares_one_attribute_is_given_the_other() -> None:
    table = Table("Shop", indexes=[GSI("ByStatus", sk="SK"), GSI("Apart", pk="PK", sk="due"), LSI("LSI1")])

    class Order(Entity, table=table):
        keys = Keys(
            "CUSTOMER#{customer}",
            "ORDER#{order_id}",
            ByStatus="STATUS#{status}",
            Apart=sparse((), "DUE#{rank:3}", when=attr("status") == "open"),
            LSI1="RANK#{rank:3}",
        )
        customer: str
        order_id: str
        status: Literal["open", "done"] = "open"
        rank: Annotated[int, Field(ge=0, le=999)] = 0

    assert shown(table, query(Order, Order.status == "open", Order.order_id == "o1")) == (
        "Query ByStatus: ByStatusPK = STATUS#open AND SK = ORDER#o1"
    )
    assert shown(table, query(Order, Order.customer == "c", Order.rank >= 5).via("Apart")) == (
        "Query Apart: PK = CUSTOMER#c AND due BETWEEN DUE#005 AND DUE$"
    )
    plan = table.plan.of(Order)
    assert {b.index.name: b.written for b in plan.kept} == {
        "ByStatus": ("ByStatusPK",),
        "Apart": ("due",),
        "LSI1": ("LSI1SK",),
    }


def test_an_index_follows_another_that_it_shares_its_attributes_with() -> None:
    table = Table("Shop", indexes=[GSI("GSI1"), GSI("Turned", pk="GSI1SK", sk="GSI1PK")])

    class Task(Entity, table=table):
        keys = Keys("T#{task_id}", "T#{task_id}", GSI1=sparse("OWNER#{owner}", "{due}", when=attr("state") == "open"))
        task_id: str
        owner: str
        due: str
        state: Literal["open", "done"] = "open"

    class Note(Entity, table=table):
        keys = Keys("N#{note_id}", "N#{note_id}")
        note_id: str
        due: str

    with pytest.raises(PatternError, match="Turned: it is sparse, and the read may ask for items that it leaves out"):
        shown(table, query(Task, Task.due == "d"))
    assert shown(table, query(Task, Task.due == "d", Task.state == "open")) == (
        "Query Turned: GSI1SK = d AND GSI1PK BETWEEN OWNER AND OWNER$"
    )
    with pytest.raises(PatternError, match="Turned: Note has no keys on it"):
        shown(table, query(Note, Note.due == "d").via("Turned"))


def test_whoever_has_the_attributes_is_in_the_index_and_in_the_way() -> None:
    table = Table("Shop", indexes=[GSI("GSI1", pk="a", sk="b"), GSI("GSI2", pk="b", sk="a")])

    class One(Entity, table=table):
        keys = Keys("ONE#{x}", "ONE#{x}", GSI2=("B#{y}", "{x}"))
        x: str
        y: str

    class Two(Entity, table=table):
        keys = Keys("TWO#{x}", "TWO#{x}", GSI1=("{x}", "B#{y}"))
        x: str
        y: str

    # Both are in both indexes, though each gives keys for one of them only.
    with pytest.raises(PatternError, match="GSI1: it would also read Two"):
        shown(table, query(One, One.x == "x").via("GSI1"))
    with pytest.raises(PatternError, match="GSI2: it would also read One"):
        shown(table, query(Two, Two.y == "y").via("GSI2"))


def test_markers_of_unique_values_are_in_an_inverted_index() -> None:
    table = Table("Club", sk="SK", indexes=[GSI("Inverted", pk="SK", sk="PK")])

    class Person(Entity, table=table):
        keys = Keys("PERSON#{name}", "PERSON#{name}", unique=["email"])
        name: str
        email: str

    class Letter(Entity, table=table):
        keys = Keys("UNIQUE#{place}", "{word}#{kind}#{box}#{email}")
        place: str
        word: str
        kind: str
        box: str
        email: str

    asked = [
        getattr(Letter, n) == v for n, v in (("word", "UNIQUE"), ("kind", "Person"), ("box", "email"), ("email", "e"))
    ]
    with pytest.raises(PatternError, match="Inverted: it would also read the markers of Person's unique email"):
        shown(table, query(Letter, *asked))


def test_keys_that_sort_in_an_index_are_as_short_as_sort_keys_must_be() -> None:
    class Free(Entity, table=Table("Free")):
        keys = Keys("F#{x}", "F")
        x: Annotated[str, Field(max_length=400)]

    with pytest.raises(ModelError, match=r"can take 1602 bytes by the declared lengths; DynamoDB allows 1024"):

        class Bound(Entity, table=club()):
            keys = Keys("F#{x}", "F")
            x: Annotated[str, Field(max_length=400)]


def test_a_number_without_a_width_does_not_sort() -> None:
    table = club()

    class Seat(Entity, table=table):
        keys = Keys("ROW#{row}", "SEAT#{seat}")
        row: int
        seat: str

    assert shown(table, query(Seat, Seat.seat == "a")) == "Query Inverted: SK = SEAT#a AND PK BETWEEN ROW AND ROW$"
    with pytest.raises(PatternError, match="Inverted: its keys do not always sort by 'row'"):
        shown(table, query(Seat, Seat.seat == "a", Seat.row >= 5))
    (warning,) = table.plan.warnings
    assert warning.startswith("Seat, the sort key on Inverted: Keys do not sort by row")


def test_a_copy_of_the_table_is_read_only_where_it_is_asked_for() -> None:
    table = Table("Club", indexes=[GSI("Replica", pk="PK", sk="SK")])

    class Person(Entity, table=table):
        keys = Keys("PERSON#{name}", "PERSON#{name}")
        name: str

    assert shown(table, get(Person, Person.name == "a")).startswith("GetItem table")
    assert shown(table, query(Person, Person.name == "a").via("Replica")).startswith("Query Replica: PK = PERSON#a")


def test_fields_that_several_indexes_have_as_their_own_attribute() -> None:
    table = Table("Shop", indexes=[GSI("Place", pk=["tenant", "city"]), GSI("Kind", pk=["tenant", "kind"], sk="city")])

    class Shop(Entity, table=table):
        keys = Keys(
            "S#{shop_id}",
            "S#{shop_id}",
            Place=(("{tenant}", "{city}"), "{kind}"),
            Kind=(("{tenant}", "{kind}"), "{city}"),
        )
        shop_id: str
        tenant: str
        city: str
        kind: str

    assert shown(table, query(Shop, Shop.tenant == "t", Shop.kind == "k", starts_with(Shop.city, "B"))) == (
        "Query Kind: tenant = t AND kind = k AND begins_with(city, B)"
    )

    with pytest.raises(
        ModelError, match=r"Other.kind is stored as 'kind', a key attribute of index 'Kind', so Other would"
    ):

        class Other(Entity, table=table):
            keys = Keys("O#{other_id}", "O#{other_id}", Place=(("{tenant}", "{city}"), "{other_id}"))
            other_id: str
            tenant: str
            city: str
            kind: str


def _inverted(**more: Any) -> type[Entity]:
    class Link(Entity, table=club()):
        keys = Keys("A#{a}", "B#{b}", **more)
        a: str
        b: str

    return Link


def _again(spec: Any) -> type[Entity]:
    class Link(Entity, table=Table("T-T", indexes=[GSI("GSI1"), GSI("GSI2", pk="GSI1PK")])):
        keys = Keys("A#{a}", "B#{b}", GSI1=("A#{a}", "B"), GSI2=spec)
        a: str
        b: str

    return Link


def _many() -> type[Entity]:
    class Link(Entity, table=Table("T-T", indexes=[GSI("GSI1", pk="b", sk=["PK", "a"])])):
        keys = Keys("A#{a}", "B#{b}", GSI1=("{b}", "{a}"))
        a: str
        b: str

    return Link


def _soft(index: GSI, **options: Any) -> type[Entity]:
    class Link(
        Entity,
        table=Table("T-T", indexes=[GSI("GSI1"), index]),
        soft_delete=SoftDelete(keep=timedelta(days=1), **options),
    ):
        keys = Keys(
            "A#{a}", "B#{b}", GSI1=("A#{a}", "{updated_at}"), indexes={"Own": "X"} if index.name == "Own" else {}
        )
        a: str
        b: str

    return Link


@pytest.mark.parametrize(
    ("make", "message"),
    [
        pytest.param(
            lambda: _inverted(Inverted=("B#{b}", "A#{a}")),
            "Link gives keys for index 'Inverted', whose attributes 'SK' and 'PK' it has already",
            id="again",
        ),
        pytest.param(
            lambda: _inverted(Inverted=sparse("B#{b}", "A#{a}", when=attr("a") == "x")),
            "Link gives keys for index 'Inverted', whose attributes 'SK' and 'PK' it has already",
            id="sparse",
        ),
        pytest.param(
            lambda: _again(("OTHER#{a}", "{b}")),
            r"index 'GSI2' shares the attribute 'GSI1PK' with GSI1, where it is 'A#\{a\}'; Keys\(\) gives it another template",
            id="contradictory",
        ),
        pytest.param(
            lambda: _again(("A#{a}", "{b}")),
            r"index 'GSI2' shares the attribute 'GSI1PK' with GSI1, where it is 'A#\{a\}'; Keys\(\) gives it that template",
            id="the same again",
        ),
        pytest.param(
            lambda: _again(((), ("{a}", "{b}"))),
            r"the sort side of index 'GSI2' has 1 attribute\(s\), but Keys\(\) gives 2",
            id="too many",
        ),
        pytest.param(_many, "the sort side of index 'GSI1' has several attributes, and shares one", id="several"),
        pytest.param(
            lambda: _soft(GSI("Inverted", pk="SK", sk="PK", projection="KEYS_ONLY")),
            "Link: reads of 'Inverted' could not tell tombstones",
            id="tombstones",
        ),
        pytest.param(
            lambda: _soft(GSI("Own", pk="GSI1SK"), feed="Own"),
            "tombstones cannot stay in 'Own', which shares 'GSI1SK' with an index that they leave",
            id="feed",
        ),
    ],
)
def test_declarations_that_contradict_are_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()
