"""The table of a model: its name, keys and indexes, and what is registered on it."""

from typing import Any

import pytest

from tablewright import GSI, LSI, AttributeNames, Entity, Keys, Query, Relationship, Table, number, query
from tablewright.compiler.schema import create_table_request
from tablewright.errors import ModelError, UnknownIndexError


def test_names_may_depend_on_the_stage() -> None:
    table = Table("App-{stage}-Table")
    assert table.physical_name("dev") == "App-dev-Table"
    with pytest.raises(ModelError, match="needs a stage"):
        table.physical_name()
    assert Table("Plain").physical_name("dev") == "Plain"
    assert repr(Table("Plain")) == "<table 'Plain': 0 entities, 0 indexes>"


def test_keys_of_every_form() -> None:
    default = Table("Default")
    assert default.sk is not None
    assert (default.pk.name, default.sk.name) == ("PK", "SK")
    own = Table("Own", pk=number("id"), sk=None)
    assert (own.pk.name, own.pk.tag, own.sk) == ("id", "N", None)
    assert Table("Own", pk="user", sk="at").sk is not None
    assert Table("Own", pk="user", sk=False).sk is None


@pytest.mark.parametrize(
    ("asked", "view"),
    [(True, "NEW_AND_OLD_IMAGES"), (False, None), (None, None), ("KEYS_ONLY", "KEYS_ONLY")],
    ids=["on", "off", "not said", "a view"],
)
def test_a_stream_holds_both_images_unless_said_otherwise(asked: Any, view: str | None) -> None:
    table = Table("Streamed", stream=asked)
    assert table.stream == view
    specification = create_table_request(table, "Streamed").get("StreamSpecification")
    assert specification == (None if view is None else {"StreamEnabled": True, "StreamViewType": view})


@pytest.mark.parametrize("asked", ["BOTH", 1, 0, ""])
def test_a_stream_of_another_kind_is_refused(asked: Any) -> None:
    with pytest.raises(ModelError, match="stream= is True, or one of KEYS_ONLY"):
        Table("Streamed", stream=asked)


def test_an_unknown_index_is_named_with_the_nearest() -> None:
    table = Table("Indexes", indexes=[GSI("GSI1")])
    assert table.index("GSI1").name == "GSI1"
    with pytest.raises(UnknownIndexError, match=r"Indexes has no index 'GSI2'\. Did you mean 'GSI1'"):
        table.index("GSI2")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Table("no"), "'no' cannot be the name of a table"),
        (lambda: Table("with space"), "'with space' cannot be the name of a table"),
        (lambda: Table("Keys", pk="id", sk="id"), "the key attribute 'id' also belongs to the table's key"),
        (lambda: Table("Keys", pk="Type"), "the key attribute 'Type' also belongs to the library"),
        (lambda: Table("Twice", indexes=[GSI("GSI1"), LSI("GSI1")]), "has two indexes called 'GSI1'"),
        (
            lambda: Table("Shared", pk="GSI1PK", indexes=[GSI("GSI1")]),
            "Index 'GSI1' uses the attribute 'GSI1PK', which belongs to the table's key",
        ),
        (
            lambda: Table("Shared", indexes=[GSI("GSI2", pk="GSI1PK"), GSI("GSI1")]),
            "Index 'GSI1' uses the attribute 'GSI1PK', which belongs to index 'GSI2'",
        ),
        (
            lambda: Table("Shared", indexes=[GSI("GSI1", pk="SK", sk="SK")]),
            "Index 'GSI1' uses the attribute 'SK' twice",
        ),
        (lambda: Table("Shared", indexes=[LSI("LSI1", sk="PK")]), "Index 'LSI1' uses the attribute 'PK' twice"),
        (lambda: Table("Shared", indexes=[LSI("LSI1", sk="SK")]), "Index 'LSI1' has the key of the table itself"),
        (
            lambda: Table("Shared", indexes=[GSI("GSI1", pk=number("SK"), sk="PK")]),
            "Index 'GSI1' has the attribute 'SK' as N, but the table's key has it as S",
        ),
        (
            lambda: Table("Shared", indexes=[LSI("LSI1", sk="Type")]),
            "Index 'LSI1' uses the attribute 'Type', which belongs to the library",
        ),
        (lambda: Table("Simple", sk=None, indexes=[LSI("LSI1")]), "has no sort key, so it cannot have the local index"),
        (lambda: Table("Many", indexes=[GSI(f"GSI{n}") for n in range(21)]), "has 21 global indexes"),
        (lambda: Table("Many", indexes=[LSI(f"LSI{n}") for n in range(6)]), "has 6 local indexes"),
        (
            lambda: Table(
                "Wide", indexes=[GSI(f"GSI{n}", projection=[f"a{n}.{m}" for m in range(20)]) for n in range(6)]
            ),
            "its indexes include 120 attributes",
        ),
    ],
)
def test_tables_that_dynamodb_would_refuse(make: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()


def test_one_model_runs_under_any_naming() -> None:
    for names, expected in (
        (AttributeNames(), {"PK", "SK", "GSI1PK", "GSI1SK", "Type", "CreatedAt", "UpdatedAt", "id", "status"}),
        (
            AttributeNames.lower(),
            {"pk", "sk", "gsi1pk", "gsi1sk", "entity_type", "created_at", "updated_at", "id", "status"},
        ),
    ):
        table = Table("Naming", indexes=[GSI("GSI1")], names=names)

        class Thing(Entity, table=table):
            keys = Keys("T#{id}", "T#{id}", GSI1=("S#{status}", "{id}"))
            id: str
            status: str = "new"

        @table.pattern
        def with_status(status: str) -> Query[Thing]:
            return query(Thing, Thing.status == status)

        with table.open("memory:") as db:
            db.create(Thing(id="a"))
            db.update(Thing(id="a"), set={"status": "old"})
            assert [t.id for t in db.run(with_status, "old")] == ["a"]
            assert db.run(with_status, "new").all() == []
            (item,) = db.send("Scan", {"TableName": "Naming"})["Items"]
            assert set(item) == expected
            assert table.plan.decode(item) == Thing(id="a", status="old")


def test_relationships_are_recorded_together_or_not_at_all() -> None:
    table = Table("Related")

    class Thing(Entity, table=table):
        keys = Keys("T#{id}", "T#{id}")
        id: str

    good = Relationship(Thing, Thing, "1:N", "item collection")
    bad = Relationship(Thing, "Nothing", "1:N", "item collection")
    with pytest.raises(ModelError):
        table.relate(good, bad)
    assert table.relationships == []
    table.relate(good)
    assert table.relationships == [good]


def test_changes_have_names_of_their_own() -> None:
    table = Table("Changed")

    class Thing(Entity, table=table):
        keys = Keys("T#{id}", "T#{id}")
        id: str
        n: int = 0

    def count(t: Thing) -> None:
        t.n += 1

    table.change(count)
    with pytest.raises(ModelError, match=r"already has a change count\(\)"):
        table.change(count)
    assert list(table.changes) == ["count"]
