"""Definitions as they meet a table: attribute names, stored layouts, what an entity remembers, mixins and generated ids."""

import copy
import json
import pickle
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID

import pytest
from pydantic import BaseModel, Field, ValidationError

from tablewright import (
    GSI,
    LSI,
    AttributeNames,
    Bucket,
    Entity,
    Epoch,
    Keys,
    Query,
    Session,
    Shard,
    Stored,
    Table,
    attr,
    key,
    number,
    query,
    sparse,
    stored,
    ulid,
    updated,
    uuid7,
)
from tablewright.errors import ModelError

T0 = datetime(2025, 1, 31, 23, 30, tzinfo=UTC)


def items_of(db: Session) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = db.send("Scan", {"TableName": db.table_name})["Items"]
    return sorted(found, key=json.dumps)


# ------------------------------------------------------------------------------------------------ attribute names


class Model:
    """One model under a naming of its own."""

    def __init__(self, names: AttributeNames | None) -> None:
        table = self.table = Table("Naming", indexes=[GSI("GSI1"), LSI("LSI1"), GSI("By.Size")], names=names)

        class Thing(Entity, table=table, version=True, schema_version=2):
            keys = Keys(
                "THING#{thing_id}",
                "THING#{n:3}",
                GSI1=("OWNER#{owner}", "{updated_at}#{thing_id}"),
                LSI1="COLOR#{color}",
                indexes={"By.Size": sparse("BIG", "{n:3}", when=attr("n") > 99)},
                unique=["owner"],
            )
            thing_id: str
            owner: str
            n: int
            color: str = "red"

        @table.pattern
        def things_of(owner: str, since: datetime) -> Query[Thing]:
            return query(Thing, Thing.owner == owner, updated(Thing) >= since)

        self.Thing, self.things_of = Thing, things_of


DEFAULT = {
    "pk": "PK",
    "sk": "SK",
    "gsi1pk": "GSI1PK",
    "gsi1sk": "GSI1SK",
    "lsi1sk": "LSI1SK",
    "by.sizepk": "By.SizePK",
    "by.sizesk": "By.SizeSK",
    "entity_type": "Type",
    "created_at": "CreatedAt",
    "updated_at": "UpdatedAt",
    "version": "Version",
    "schema_version": "SchemaVersion",
    "unique_owner": "UniqueOwner",
}
OWN = AttributeNames(
    "Hash",
    "Range",
    "{lower}_h",
    "{index}-r",
    type="_t",
    created="_c",
    updated="_u",
    version="_v",
    schema="_s",
    owner="_o",
)
OWN_NAMES = {
    "pk": "Hash",
    "sk": "Range",
    "gsi1pk": "gsi1_h",
    "gsi1sk": "GSI1-r",
    "lsi1sk": "LSI1-r",
    "by.sizepk": "by.size_h",
    "by.sizesk": "By.Size-r",
    "entity_type": "_t",
    "created_at": "_c",
    "updated_at": "_u",
    "version": "_v",
    "schema_version": "_s",
    "unique_owner": "_o",
}


def stored_under(names: AttributeNames | None) -> list[dict[str, Any]]:
    """What the model stores, after the same deeds."""
    model = Model(names)
    clock = iter(T0 + timedelta(seconds=n) for n in range(1000))
    with model.table.open("memory:", clock=lambda: next(clock)) as db:
        big = db.create(model.Thing(thing_id="a", owner="o", n=100))
        small = db.create(model.Thing(thing_id="b", owner="p", n=5))
        db.update(small, set={"owner": "q", "color": "blue"})
        assert db.run(model.things_of, "o", T0).all() == [big]
        assert db.run(model.things_of, "p", T0).all() == []
        assert [t.thing_id for t in db.run(model.things_of, "q", T0)] == ["b"]
        assert db.query(model.Thing, model.Thing.thing_id == "a").count() == 1
        return items_of(db)


@pytest.mark.parametrize(("names", "words"), [(None, DEFAULT), (AttributeNames(), DEFAULT), (OWN, OWN_NAMES)])
def test_one_model_stores_the_same_under_every_naming(names: AttributeNames | None, words: dict[str, str]) -> None:
    lower = stored_under(AttributeNames.lower())
    entities = [i for i in lower if i["entity_type"] == {"S": "Thing"}]
    assert {a for item in entities for a in item} == {"thing_id", "owner", "n", "color", *DEFAULT} - {"unique_owner"}
    assert [i["entity_type"] for i in lower if i not in entities] == [{"S": "Unique"}] * 2

    def rename(value: Any) -> Any:
        if isinstance(value, dict) and "M" in value:  # a marker holds its owner's key
            return {"M": {words.get(name, name): inner for name, inner in value["M"].items()}}
        return value

    renamed = [{words.get(name, name): rename(value) for name, value in item.items()} for item in lower]
    found = stored_under(names)
    assert len(found) == len(renamed)
    assert all(item in renamed for item in found)


def test_the_item_under_lower_names() -> None:
    big = next(i for i in stored_under(AttributeNames.lower()) if i["pk"] == {"S": "THING#a"})
    now = big["created_at"]["S"]
    assert big == {
        "pk": {"S": "THING#a"},
        "sk": {"S": "THING#100"},
        "gsi1pk": {"S": "OWNER#o"},
        "gsi1sk": {"S": f"{now}#a"},
        "lsi1sk": {"S": "COLOR#red"},
        "by.sizepk": {"S": "BIG"},
        "by.sizesk": {"S": "100"},
        "entity_type": {"S": "Thing"},
        "created_at": {"S": now},
        "updated_at": {"S": now},
        "version": {"N": "1"},
        "schema_version": {"N": "2"},
        "thing_id": {"S": "a"},
        "owner": {"S": "o"},
        "n": {"N": "100"},
        "color": {"S": "red"},
    }


@pytest.mark.parametrize("names", [AttributeNames(), AttributeNames.lower(), OWN])
def test_the_table_is_made_with_these_names(names: AttributeNames) -> None:
    with Model(names).table.open("memory:") as db:
        made = db.send("DescribeTable", {"TableName": "Naming"})["Table"]
    assert [k["AttributeName"] for k in made["KeySchema"]] == [names.pk, names.sk]
    indexes = {
        i["IndexName"]: [k["AttributeName"] for k in i["KeySchema"]]
        for i in made["GlobalSecondaryIndexes"] + made["LocalSecondaryIndexes"]
    }
    assert indexes == {
        "GSI1": list(names.of_index("GSI1")),
        "By.Size": list(names.of_index("By.Size")),
        "LSI1": [names.pk, names.of_index("LSI1")[1]],
    }


@pytest.mark.parametrize(
    "make",
    [
        lambda: AttributeNames(pk=""),
        lambda: AttributeNames(type=""),
        lambda: AttributeNames(index_sk=""),
        lambda: AttributeNames(index_pk="{name}PK"),
        lambda: AttributeNames(index_pk="{0}"),
        lambda: AttributeNames(index_pk="{index"),
        lambda: AttributeNames(index_pk="{index}", index_sk="{index}"),
        lambda: AttributeNames(created="UpdatedAt"),
    ],
)
def test_names_that_cannot_be(make: Callable[[], AttributeNames]) -> None:
    with pytest.raises(ModelError, match=r"^AttributeNames"):
        make()


# -------------------------------------------------------------------------------------------------- stored layouts


class Address(BaseModel):
    city: str


def test_nested_flat_and_renamed_fields_lie_where_they_should() -> None:
    table = Table("Layout", indexes=[GSI("ByTeam", pk="team", sk=number("score"))])

    class Player(
        Entity,
        table=table,
        type="P",
        nested="data",
        flat=["until"],
        stored={"name": "n"},
        ttl="until",
        timestamps=False,
    ):
        keys = Keys("PLAYER#{player_id}", "PLAYER", ByTeam=("{team}", "{score}"))
        player_id: str
        name: str
        team: str
        score: int
        home: Address
        until: Annotated[datetime, Epoch("s")] = T0

    assert table.ttl_attribute == "until"
    player = Player(player_id="p", name="Ada", team="t", score=3, home=Address(city="Wien"))
    with table.open("memory:") as db:
        db.create(player)
        assert items_of(db) == [
            {
                "PK": {"S": "PLAYER#p"},
                "SK": {"S": "PLAYER"},
                "Type": {"S": "P"},
                "player_id": {"S": "p"},
                "team": {"S": "t"},
                "score": {"N": "3"},
                "until": {"N": str(int(T0.timestamp()))},
                "data": {"M": {"n": {"S": "Ada"}, "home": {"M": {"city": {"S": "Wien"}}}}},
            }
        ]
        assert db.get(key(Player, player_id="p")) == player
        assert db.query(Player, Player.team == "t", Player.score >= 3).all() == [player]


@pytest.mark.parametrize(
    ("by", "bucket"), [("hour", "2025-01-31T23"), ("day", "2025-01-31"), ("month", "2025-01"), ("year", "2025")]
)
def test_buckets_are_the_leading_part_of_the_time_in_utc(by: Any, bucket: str) -> None:
    table = Table("Buckets")

    class Event(Entity, table=table):
        keys = Keys("EVENT#{bucket}", "{at}", derive={"bucket": Bucket("at", by)})
        at: datetime

    plan = table.plan.of(Event)
    assert plan.key({"at": T0})["PK"] == {"S": f"EVENT#{bucket}"}
    elsewhere = T0.astimezone(datetime.strptime("+0900", "%z").tzinfo)
    assert elsewhere.day == 1
    assert plan.key({"at": elsewhere}) == plan.key({"at": T0})


def test_shards_are_stable_padded_and_all_used() -> None:
    table = Table("Shards")

    class Hit(Entity, table=table):
        keys = Keys("HIT#{shard}", "{hit_id}#{n:4}", derive={"shard": Shard("hit_id", "n", of=12)})
        hit_id: str
        n: int

    plan = table.plan.of(Hit)
    partitions = [plan.key({"hit_id": "h", "n": n})["PK"]["S"] for n in range(300)]
    assert set(partitions) == {f"HIT#{shard:02d}" for shard in range(12)}
    assert partitions == [plan.key({"hit_id": "h", "n": n})["PK"]["S"] for n in range(300)]
    assert partitions[:5] == ["HIT#00", "HIT#05", "HIT#01", "HIT#03", "HIT#02"]  # never to change: items lie there


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Shard(of=3), "at least one field"),
        (lambda: Shard("a", of=1), "Shard of 1 partitions"),
        (lambda: Shard("a", of=1001), "Shard of 1001 partitions"),
        (lambda: Bucket("a", "week"), "Bucket by 'week' is unknown"),  # type: ignore[arg-type]
        (lambda: Keys("A", "B", derive={"x": "y"}), "'x' is neither a Shard nor a Bucket"),  # type: ignore[dict-item]
    ],
)
def test_derived_placeholders_that_cannot_be(make: Callable[[], object], says: str) -> None:
    with pytest.raises(ModelError, match=says):
        make()


# -------------------------------------------------------------------------------------- what an entity remembers

memories = Table("Memories")


class Note(Entity, table=memories, version=True, schema_version=4):
    keys = Keys("NOTE#{note_id}", "NOTE")
    note_id: str
    text: str = ""
    price: Decimal = Decimal(0)
    tags: set[str] = Field(default_factory=set)


class Bare(Entity, table=memories, timestamps=False):
    keys = Keys("BARE#{note_id}", "BARE")
    note_id: str


def test_stored_follows_the_item() -> None:
    clock = iter(T0 + timedelta(minutes=n) for n in range(1000))
    with memories.open("memory:", clock=lambda: next(clock)) as db:
        built = Note(note_id="1")
        assert stored(built) is None
        made = stored(db.create(built))
        assert made == stored(built)
        assert made is not None
        assert (made.version, made.schema_version) == (1, 4)
        assert made.created_at == made.updated_at
        assert made.created_at is not None
        assert made.created_at.utcoffset() == timedelta(0)
        assert stored(db.get(built)) == made  # type: ignore[arg-type]

        changed = stored(db.update(built, set={"text": "b"}))
        assert changed is not None
        assert (changed.version, changed.schema_version, changed.created_at) == (2, 4, made.created_at)
        assert changed.updated_at is not None
        assert changed.updated_at > made.updated_at  # type: ignore[operator]
        read = db.get(key(Note, note_id="1"))
        assert read is not None
        assert stored(read) == changed

        bare = db.create(Bare(note_id="1"))
        assert stored(bare) == Stored()
        assert stored(bare).created_at is None  # type: ignore[union-attr]


def test_what_is_remembered_is_no_part_of_the_value() -> None:
    fields = {"note_id": "1", "text": "a", "price": Decimal("1.5"), "tags": {"x"}}
    built = Note(**fields)
    with memories.open("memory:") as db:
        db.create(Note(**fields))
        read = db.get(key(Note, note_id="1"))
    assert read is not None
    assert stored(read) is not None
    assert read == built
    assert built == read
    assert repr(read) == repr(built)
    assert str(read) == str(built)
    assert read.model_dump() == fields
    assert list(read.model_dump()) == list(built.model_dump())
    assert read.model_dump_json() == built.model_dump_json()
    assert {name: value for name, value in read} == fields  # noqa: C416 - dict() takes `keys` for the method
    assert read.model_fields_set == {"note_id", "text", "price", "tags"}
    assert Note.model_validate(read.model_dump()) == read
    assert "__stored__" not in Note.model_json_schema()["properties"]
    assert read != built.model_copy(update={"text": "b"})


@pytest.mark.parametrize(
    "duplicate",
    [
        lambda e: e.model_copy(),
        lambda e: e.model_copy(deep=True),
        copy.copy,
        copy.deepcopy,
        lambda e: pickle.loads(pickle.dumps(e)),
    ],
    ids=["model_copy", "deep model_copy", "copy", "deepcopy", "pickle"],
)
def test_copies_remember_too_and_can_be_written(duplicate: Callable[[Note], Note]) -> None:
    with memories.open("memory:") as db:
        original = db.create(Note(note_id="1", tags={"x"}))
        twin = duplicate(original)
        assert type(twin) is Note
        assert twin == original
        assert stored(twin) == stored(original)
        twin.text = "b"
        assert original.text == ""
        assert db.put(twin).text == "b"
        assert stored(twin).version == 2  # type: ignore[union-attr]
        assert stored(original).version == 1  # type: ignore[union-attr]


def test_assignments_are_validated_and_unknown_fields_refused() -> None:
    note = Note(note_id="1")
    with pytest.raises(ValidationError):
        note.text = 3  # type: ignore[assignment]
    with pytest.raises(ValidationError):
        Note(note_id="1", txt="b")  # type: ignore[call-arg]
    with pytest.raises(ValidationError) as caught:
        Note(note_id=["secret"])  # type: ignore[arg-type]
    assert "secret" not in str(caught.value)


# --------------------------------------------------------------------------------------------- classes and mixins


def test_mixins_and_bases_without_a_table() -> None:
    table = Table("Mixins")

    class Priced(BaseModel):
        price: Decimal = Decimal(0)

        def doubled(self) -> Decimal:
            return self.price * 2

    class Base(Entity):
        owner: str

    class Item(Base, Priced, table=table):
        keys = Keys("OWNER#{owner}", "ITEM#{item_id}")
        item_id: str

    class Special(Item, table=table, type="special"):
        keys = Keys("OWNER#{owner}", "SPECIAL#{item_id}")
        extra: str = "e"

    assert table.entities == {"Item": Item, "special": Special}
    assert not hasattr(Base, "__options__")
    item = Item(owner="o", item_id="1", price=Decimal("1.5"))
    special = Special(owner="o", item_id="1")
    assert item.doubled() == Decimal("3.0")
    with table.open("memory:") as db:
        db.create(item)
        db.create(special)
        assert db.query(Item, Item.owner == "o").all() == [item]
        assert db.query(Special, Special.owner == "o").all() == [special]
        # A condition on a base's field is one on the entity's.
        assert db.query(Special, Base.owner == "o").all() == [special]
        assert type(db.get(key(Special, owner="o", item_id="1"))) is Special


def test_a_subclass_without_a_table_is_no_entity_of_it() -> None:
    class Loud(Note):
        def shout(self) -> str:
            return self.text.upper()

    assert "Loud" not in memories.entities
    assert Loud(note_id="1", text="a").shout() == "A"
    with memories.open("memory:") as db, pytest.raises(ModelError, match="Loud is no entity of Memories"):
        db.create(Loud(note_id="1"))


def test_one_class_can_be_stored_in_two_tables() -> None:
    class Shared(Entity):
        a: str

    first, second = Table("First"), Table("Second")

    class One(Shared, table=first):
        keys = Keys("ONE#{a}", "ONE")

    class Two(Shared, table=second):
        keys = Keys("TWO#{a}", "TWO")

    assert (One.__table__, Two.__table__) == (first, second)
    assert (list(first.entities), list(second.entities)) == (["One"], ["Two"])


# ------------------------------------------------------------------------------------------------------------ ids


def test_generated_ids_are_unique_and_list_items_in_order_of_creation() -> None:
    table = Table("Ids")

    class Line(Entity, table=table):
        keys = Keys("LINES", "{line_id}")
        line_id: str = Field(default_factory=ulid)
        n: int

    class Row(Entity, table=table):
        keys = Keys("ROWS", "{row_id}")
        row_id: UUID = Field(default_factory=uuid7)

    with table.open("memory:") as db:
        with db.batch() as batch:
            for n in range(60):
                batch.put(Line(n=n))
        assert [line.n for line in db.query(Line)] == list(range(60))
        rows = [db.create(Row()) for _ in range(20)]
        assert len({r.row_id for r in rows}) == 20
        assert [r.row_id for r in db.query(Row)] == sorted(r.row_id for r in rows)


def test_the_form_of_generated_ids() -> None:
    made = [ulid() for _ in range(100)]
    assert made == sorted(set(made))
    assert all(len(u) == 26 and set(u) <= set("0123456789ABCDEFGHJKMNPQRSTVWXYZ") and u[0] <= "7" for u in made)
    identifiers = [uuid7() for _ in range(100)]
    assert len(set(identifiers)) == 100
    assert {(u.version, u.variant) for u in identifiers} == {(7, "specified in RFC 4122")}
    moments = [u.int >> 80 for u in identifiers]
    assert moments == sorted(moments)
