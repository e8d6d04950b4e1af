"""What the compiler refuses at definition, in which words, and that a refusal leaves the table exactly as it was."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Flag
from typing import Annotated, Any, Literal
from uuid import NAMESPACE_DNS, UUID, uuid4, uuid5

import pytest
from pydantic import BaseModel, Field, SecretStr

from tablewright import (
    GSI,
    LSI,
    AttributeNames,
    Bucket,
    Entity,
    Epoch,
    Keys,
    KeyStyle,
    Relationship,
    Shard,
    Table,
    Unique,
    all_of,
    any_of,
    attr,
    between,
    collect,
    created,
    exists,
    get,
    is_in,
    many,
    number,
    one,
    query,
    require,
    size,
    sparse,
    sparse_local,
    starts_with,
    ulid,
    uuid7,
)
from tablewright.errors import (
    ArgumentError,
    ChangeError,
    KeyCollisionError,
    KeyTemplateError,
    ModelError,
    PatternError,
    ReservedNameError,
    TablewrightError,
    UnknownFieldError,
    UnknownIndexError,
)

Status = Literal["PENDING", "SHIPPED"]


class Line(BaseModel):
    product: str
    quantity: int = 1


class World:
    """A small right model, of which each case gets its own."""

    def __init__(self) -> None:
        table = self.table = Table(
            "Base",
            indexes=[
                GSI("GSI1"),
                GSI("GSI2"),
                GSI("Due"),
                GSI("Narrow", projection=["name"]),
                GSI("Places", pk=["tenant", "region"], sk=["country", "city", number("rank")]),
                GSI("Mixed", pk=["mixed_a", number("mixed_b")]),
                LSI("LSI1"),
                LSI("LSI2", sk=number("weight")),
            ],
        )

        class User(Entity, table=table):
            keys = Keys(
                "USER#{user_id}",
                "USER#{user_id}",
                GSI1=("EMAIL#{email}", "EMAIL#{email}"),
                Narrow=("NAME#{name}", "USER#{user_id}"),
                unique=["email"],
            )
            user_id: str
            email: str
            name: str
            age: int = 0

        class Order(Entity, table=table):
            keys = Keys(
                "USER#{user_id}",
                "ORDER#{placed_at}#{order_id}",
                GSI1=("ORDER#{order_id}", "ORDER#{order_id}"),
                GSI2=("STATUS#{status}", "{placed_at}#{order_id}"),
                Due=sparse("DUE", "{placed_at}#{order_id}", when=attr("status") == "PENDING"),
                LSI1="TOTAL#{total:8.2}",
                LSI2="{weight}",
            )
            user_id: str
            order_id: str
            placed_at: datetime
            status: Status = "PENDING"
            total: Decimal = Decimal(0)
            weight: int = 0
            note: str | None = None
            lines: list[Line] = Field(default_factory=list, max_length=19)
            tags: set[str] = Field(default_factory=set)

        class Place(Entity, table=table):
            keys = Keys(
                "PLACE#{place_id}",
                "PLACE#{place_id}",
                Places=(("{tenant}", "{region}"), ("{country}", "{city}", "{rank}")),
            )
            place_id: str
            tenant: str
            region: str
            country: str
            city: str
            rank: int

        @table.pattern
        def user(user_id: str):
            return get(User, User.user_id == user_id)

        @table.change
        def rename(u: User, name: str) -> None:
            u.name = name

        table.relate(Relationship(User, Order, "1:N", "item collection"))
        self.User, self.Order, self.Place, self.user, self.rename = User, Order, Place, user, rename

    def state(self) -> tuple[Any, ...]:
        """Everything that is registered, by identity."""
        table, plan = self.table, self.table.plan
        return (
            dict(table.entities),
            dict(table.patterns),
            dict(table.changes),
            list(table.relationships),
            list(table.indexes),
            dict(plan.entities),
            dict(plan.by_type),
            {name: dict(variants) for name, variants in plan.patterns.items()},
            dict(plan.changes),
            plan.warnings,
            [v.compiled for v in self.user.variants.values()],
        )


@dataclass
class Case:
    define: Callable[[World], object]
    error: type[TablewrightError]
    says: tuple[str, ...]

    @property
    def line(self) -> str | None:
        """ "file:line" of the line that is marked as the one to blame."""
        source, first = inspect.getsourcelines(self.define)
        blamed = [first + n for n, text in enumerate(source) if text.rstrip().endswith("# here")]
        return f"{__file__}:{blamed[0]}" if blamed else None


CASES: list[Case] = []


def refused(
    error: type[TablewrightError], *says: str
) -> Callable[[Callable[[World], object]], Callable[[World], object]]:
    """Adds a definition that must raise exactly this class, with all these phrases."""

    def add(define: Callable[[World], object]) -> Callable[[World], object]:
        CASES.append(Case(define, error, says))
        return define

    return add


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.define.__name__)
def test_refused_and_nothing_changed(case: Case) -> None:
    world = World()
    before = world.state()
    with pytest.raises(TablewrightError) as caught:
        case.define(world)
    assert type(caught.value) is case.error
    text = str(caught.value)
    for phrase in case.says:
        assert phrase in text
    if case.line is not None:
        assert text.removeprefix("The change ").startswith(f"{case.line}: ")
    assert world.state() == before
    _still_grows(world)


def _still_grows(world: World) -> None:
    """A right definition works after a wrong one, and so does what was there before."""
    table, User = world.table, world.User

    class Note(Entity, table=table):
        keys = Keys("USER#{user_id}", "NOTE#{note_id}")
        user_id: str
        note_id: str
        text: str

    @table.pattern
    def notes_of(user_id: str):
        return query(Note, Note.user_id == user_id)

    @table.change
    def correct(n: Note, text: str) -> None:
        n.text = text

    table.relate(Relationship(User, Note, "1:N", "item collection"))
    assert list(table.entities) == ["User", "Order", "Place", "Note"]
    assert list(table.patterns) == list(table.plan.patterns) == ["user", "notes_of"]
    assert list(table.changes) == list(table.plan.changes) == ["rename", "correct"]
    assert len(table.relationships) == 2
    with table.open("memory:") as db:
        ada = db.create(User(user_id="u", email="e", name="Ada"))
        note = db.create(Note(user_id="u", note_id="1", text="a"))
        assert db.run(world.user, "u") == ada
        assert db.run(notes_of, "u").all() == [note]
        assert db.apply(correct, note, "b").text == "b"
        assert db.apply(world.rename, ada, "Eva").name == "Eva"


# ------------------------------------------------------------------------------------------------- key templates


@refused(
    KeyTemplateError,
    "Wrong: the partition key names field 'usr_id', which Wrong does not have",
    "Did you mean 'user_id'?",
)
def field_of_partition_key_missing(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{usr_id}", "WRONG")
        user_id: str


@refused(KeyTemplateError, "Wrong: the sort key names field 'placed'", "There are: ")
def field_of_sort_key_missing(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{user_id}", "WRONG#{placed}")
        user_id: str
        when: datetime


@refused(KeyTemplateError, "Wrong: the sort key on GSI1 names field 'emial'", "Did you mean 'email'?")
def field_of_index_key_missing(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{email}", "WRONG", GSI1=("WRONG", "{emial}"))
        email: str


@refused(KeyTemplateError, "Wrong: the partition key", "two fields with nothing between them", "{tenant}#{user_id}")
def adjacent_placeholders(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{tenant}{user_id}", "WRONG")
        tenant: str
        user_id: str


@refused(
    KeyTemplateError,
    "Wrong: the partition key",
    "mixes text and field in one part",
    '"WRONG-{user_id}"',
    "KeyStyle.adopted",
)
def text_and_field_in_one_part(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG-{user_id}", "WRONG")
        user_id: str


@refused(KeyTemplateError, "Wrong: the sort key", '"MY NOTE"', "literals cannot hold", "letters, digits")
def space_in_literal(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{user_id}", "MY NOTE#{user_id}")
        user_id: str


@refused(KeyTemplateError, "Wrong: the sort key", "literals cannot hold")
def escape_character_in_literal(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{user_id}", "100%")
        user_id: str


@refused(KeyTemplateError, "Wrong: the partition key: A key template is empty", "USER#{user_id}")
def empty_template(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("", "WRONG")
        user_id: str


@refused(KeyTemplateError, "Wrong: the sort key", "has an empty part", "#")
def empty_part(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{user_id}", "WRONG##{user_id}")
        user_id: str


@refused(KeyTemplateError, "Wrong: the partition key", "brace that is not part of a field", "{name}")
def open_brace(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{user_id", "WRONG")
        user_id: str


@refused(KeyTemplateError, "Wrong: the partition key", '"{user id}", which cannot be read', "{name:06}")
def unreadable_placeholder(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{user id}", "WRONG")
        user_id: str


@refused(KeyTemplateError, "Wrong: the sort key", "writes one field in two forms")
def one_field_in_two_forms(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG", "{n:4}#{n:6}")
        n: int


@refused(ModelError, "A key template is a text, not int")
def template_that_is_no_text(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys(7, "WRONG")  # type: ignore[arg-type]
        user_id: str


@refused(
    KeyTemplateError,
    "Wrong: the sort key sorts by 'n', a number without a width",
    "10 would come before 9",
    "Pad it: {n:6}.",
)
def unpadded_number_in_sort_key(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{user_id}", "WRONG#{n}")
        user_id: str
        n: int


@refused(KeyTemplateError, "Wrong: the sort key on GSI2 sorts by 'n'", "Pad it: {n:3}.")
def unpadded_number_with_a_declared_maximum(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{user_id}", "WRONG", GSI2=("WRONG", "{n}"))
        user_id: str
        n: int = Field(le=999)


@refused(KeyTemplateError, "Wrong: the partition key: 'price' is a float", "Use Decimal or int in keys")
def float_in_key(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{price}", "WRONG")
        price: float


@refused(KeyTemplateError, "Wrong.tags in the partition key", "cannot stand in a key", "Use str, int")
def list_in_key(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{tags}", "WRONG")
        tags: list[str]


@refused(KeyTemplateError, "Wrong.name in the sort key: A width is for numbers; the field is str")
def width_of_a_text(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG", "WRONG#{name:6}")
        name: str


@refused(
    KeyTemplateError,
    "Wrong.price in the sort key",
    "Decimal with a width also needs its digits after the point",
    "{field:8.2}",
)
def decimal_without_fraction(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG", "WRONG#{price:6}")
        price: Decimal


@refused(
    KeyTemplateError,
    "Wrong: the partition key 'WRONG#{name}' can take",
    "DynamoDB allows 2048",
    "Shorten the max_length",
)
def partition_key_too_long(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{name}", "WRONG")
        name: str = Field(max_length=2100)


@refused(KeyTemplateError, "Wrong: the sort key '{a}#{b}' can take", "DynamoDB allows 1024")
def sort_key_too_long(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG", "{a}#{b}")
        a: str = Field(max_length=600)
        b: str = Field(max_length=600)


@refused(KeyTemplateError, "Wrong: the sort key on Places", "'{city}' can take 4000 bytes", "DynamoDB allows 1024")
def native_key_too_long(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{tenant}", "WRONG", Places=(("{tenant}", "{region}"), ("{country}", "{city}", "{rank}")))
        tenant: str
        region: str
        country: str
        city: str = Field(max_length=1000)
        rank: int


@refused(ModelError, "Wrong has no sort key, but Base has one", 'Keys("...", "...")')
def sort_key_missing(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{user_id}")
        user_id: str


@refused(ModelError, "Wrong has a sort key, but Single has none", "one template")
def sort_key_too_many(w: World) -> None:
    class Wrong(Entity, table=Table("Single", sk=None)):
        keys = Keys("WRONG#{user_id}", "WRONG")
        user_id: str


@refused(ModelError, "Wrong: the primary key needs 'user_id', which may be None", "Make the field required")
def optional_field_in_primary_key(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{user_id}", "WRONG")
        user_id: str | None = None


@refused(
    ModelError,
    "Wrong: the primary key is made of 'created_at', which the library sets on every write",
    "time field of its own",
)
def stamp_in_primary_key(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{user_id}", "{created_at}")
        user_id: str


@refused(KeyTemplateError, "Wrong: the sort key on GSI2 names field 'created_at'", "Wrong does not have")
def stamp_without_timestamps(w: World) -> None:
    class Wrong(Entity, table=w.table, timestamps=False):
        keys = Keys("WRONG#{user_id}", "WRONG", GSI2=("WRONG", "{created_at}#{user_id}"))
        user_id: str


# ---------------------------------------------------------------------------------------------------- collisions


@refused(
    KeyCollisionError,
    "Wrong and User can produce the same key",
    "PK: ",
    "SK: ",
    '"{name}" and "{user_id}"',
    "a type prefix",
)
def two_entities_with_one_key(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("USER#{name}", "USER#{name}")
        name: str


@refused(KeyCollisionError, "Wrong and User can produce the same key", '"{kind}" and "USER"')
def placeholder_that_can_be_a_literal(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("{kind}#{name}", "{kind}#{name}")
        kind: str
        name: str


@refused(KeyCollisionError, "Wrong and the marker of User's unique email can produce the same key", "PK: ", "SK: ")
def entity_with_the_key_of_a_marker(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("UNIQUE#User#email#{name}", "UNIQUE#User#email#{name}")
        name: str


@refused(KeyCollisionError, "the marker of Wrong's unique name and User can produce the same key")
def marker_with_the_key_of_an_entity(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{user_id}", "WRONG", unique=[Unique("name", key="USER#{name}")])
        user_id: str
        name: str


@refused(
    KeyCollisionError, "the marker of Wrong's unique", "and the marker of User's unique email can produce the same key"
)
def marker_with_the_key_of_a_marker(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{user_id}", "WRONG", unique=[Unique("name", key="UNIQUE#User#email#{name}")])
        user_id: str
        name: str


@refused(KeyCollisionError, "the marker of Wrong's unique name and Wrong can produce the same key")
def marker_with_the_key_of_its_own_entity(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{user_id}", "WRONG#{user_id}", unique=[Unique("name", key="WRONG#{name}")])
        user_id: str
        name: str


@refused(KeyCollisionError, "Second and First can produce the same key", "nothing tells {n} and {m} apart")
def numbers_as_keys_of_two_entities(w: World) -> None:
    adopted = Table("Numbers", pk=number("id"), sk=None)

    class First(Entity, table=adopted, stored={"m": "id"}):
        keys = Keys("{m}")
        m: int

    class Second(Entity, table=adopted, stored={"n": "id"}):
        keys = Keys("{n}")
        n: int


@refused(PatternError, "Wrong breaks the pattern everything_of()", "it would also read Wrong", "cannot be served")
def entity_that_breaks_a_pattern(w: World) -> None:
    other = Table("Other")

    class Event(Entity, table=other):
        keys = Keys("A#{a}", "{at}")
        a: str
        at: datetime

    @other.pattern
    def everything_of(a: str):
        return query(Event, Event.a == a)

    kept = everything_of.variants
    try:

        class Wrong(Entity, table=other):
            keys = Keys("A#{a}", "WRONG#{b}")
            a: str
            b: str

    finally:
        assert list(other.entities) == ["Event"]
        assert list(other.plan.entities) == [Event]
        assert everything_of.variants is kept
        assert list(other.plan.patterns) == ["everything_of"]


# ------------------------------------------------------------------------------------------------ index bindings


@refused(ModelError, "Keys() gives index 'GSI1' two values", "use another index")
def two_values_for_one_index(w: World) -> None:
    Keys("A", "B", GSI1=("A", "B"), indexes={"GSI1": ("C", "D")})


@refused(ModelError, "Wrong has keys for index 'Elsewhere', which Base does not have", 'indexes=[GSI("Elsewhere")]')
def keys_for_an_index_that_is_not_there(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{a}", "WRONG", Elsewhere=("X#{a}", "{a}"))
        a: str


@refused(ModelError, "Wrong has keys for index 'GSI_1', which Base does not have", "Did you mean 'GSI1'?")
def unknown_index(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{a}", "WRONG", GSI_1=("WRONG", "{a}"))
        a: str


@refused(ModelError, "The keys of index 'GSI1' are not a template, a pair (pk, sk) or sparse(...)", 'GSI1=("')
def index_keys_that_are_no_keys(w: World) -> None:
    Keys("A", "B", GSI1=["A", "B"])  # type: ignore[arg-type]


@refused(
    ModelError,
    "Wrong: the sort side of index 'GSI1' has 1 attribute(s), but Keys() gives 0",
    "one template per attribute",
)
def side_left_out(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{a}", "WRONG", GSI1=("WRONG#{a}",))
        a: str


@refused(ModelError, "Wrong: the partition side of index 'GSI1' has 1 attribute(s), but Keys() gives 2")
def too_many_templates(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{a}", "WRONG", GSI1=(("{a}", "{a}"), "WRONG"))
        a: str


@refused(ModelError, "Wrong: the partition side of index 'GSI1' has 1 attribute(s), but Keys() gives 0")
def one_template_for_a_global_index(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{a}", "WRONG", GSI1="{a}")
        a: str


@refused(
    ModelError,
    "Wrong: the partition side of index 'LSI1' has 0 attribute(s), but Keys() gives 1",
    "Leave that side out",
)
def partition_key_for_a_local_index(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{a}", "WRONG", LSI1=("WRONG", "{a}"))
        a: str


@refused(ModelError, "Index 'Five' has 5 attributes on its sk side", "DynamoDB allows 1 to 4")
def fifth_sort_attribute(w: World) -> None:
    GSI("Five", pk="a", sk=["b", "c", "d", "e", "f"])


@refused(ModelError, "Index 'Five' has 5 attributes on its pk side", "1 to 4")
def fifth_partition_attribute(w: World) -> None:
    GSI("Five", pk=["a", "b", "c", "d", "e"])


@refused(
    KeyTemplateError,
    "Wrong: the sort key on Places",
    "'rank' is stored as S, but the attribute 'rank' is of type N",
    "number(...)",
)
def type_mismatch_in_multi_attribute_index(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{tenant}", "WRONG", Places=(("{tenant}", "{region}"), ("{country}", "{city}", "{rank}")))
        tenant: str
        region: str
        country: str
        city: str
        rank: str


@refused(KeyTemplateError, "Wrong: the partition key on Mixed", "'b' is stored as one of several types", "of type N")
def several_types_in_multi_attribute_index(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{a}", "WRONG", Mixed=(("{a}", "{b}"), "{a}"))
        a: str
        b: int | str


@refused(
    KeyTemplateError,
    "Wrong: the sort key on Places is 'COUNTRY#{country}'",
    "'country' holds one value as it is",
    "single placeholder",
)
def template_in_multi_attribute_index(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys(
            "WRONG#{tenant}", "WRONG", Places=(("{tenant}", "{region}"), ("COUNTRY#{country}", "{city}", "{rank}"))
        )
        tenant: str
        region: str
        country: str
        city: str
        rank: int


@refused(
    KeyTemplateError,
    "Wrong: the partition key on Mixed: {month} is derived",
    "Shards and buckets belong into text templates",
)
def derived_in_multi_attribute_index(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{b}", "WRONG", derive={"month": Bucket("at", "month")}, Mixed=(("{month}", "{b}"), "{b}"))
        at: datetime
        b: int


@refused(
    ModelError,
    "Wrong: index 'Places' is sparse by a condition, but its key attribute 'tenant' is a field of Wrong",
    "attributes of its own",
)
def sparse_on_a_shared_attribute(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys(
            "WRONG#{tenant}",
            "WRONG",
            Places=sparse(("{tenant}", "{region}"), ("{country}", "{city}", "{rank}"), when=attr("rank") > 3),
        )
        tenant: str
        region: str
        country: str
        city: str
        rank: int


@refused(
    ModelError, "Wrong: a sparse condition names field 'stauts', which Wrong does not have", "Did you mean 'status'?"
)
def sparse_by_an_unknown_field(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{a}", "WRONG", GSI1=sparse("WRONG", "{a}", when=attr("stauts") == "x"))
        a: str
        status: str


@refused(ModelError, "Wrong: a sparse condition: Wrong.status: ", "'PENDING' or 'SHIPPED'")
def sparse_by_a_wrong_constant(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{a}", "WRONG", GSI1=sparse("WRONG", "{a}", when=attr("status") == "LOST"))
        a: str
        status: Status


@refused(ModelError, "Wrong: a sparse condition compares 'flag' with <, <=, > or >=, but it has no order", "is_in()")
def sparse_by_an_order_that_is_none(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{a}", "WRONG", GSI1=sparse("WRONG", "{a}", when=attr("flag") < True))
        a: str
        flag: bool


@refused(ModelError, "sparse(when=...) takes a condition on the entity's own fields", 'attr("status") == "pending"')
def sparse_without_a_condition(w: World) -> None:
    sparse_local("A", when=True)


@refused(ModelError, "Wrong: this kind of condition on 'a' cannot make an index sparse")
def sparse_by_size(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{a}", "WRONG", GSI1=sparse("WRONG", "{a}", when=size(attr("a")) > 3))
        a: str


# ------------------------------------------------------------------------------------------------- derived, unique


@refused(ModelError, "Wrong: {shard} is derived from field 'nr', which Wrong does not have")
def shard_by_an_unknown_field(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{shard}", "{a}", derive={"shard": Shard("nr", of=4)})
        a: str


@refused(ModelError, "Wrong: no key template uses {shard}", "remove it from derive")
def shard_that_no_key_uses(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG", "{a}", derive={"shard": Shard("a", of=4)})
        a: str


@refused(ModelError, "Wrong: 'a' is both a field and a derived placeholder", "Rename one")
def derived_with_the_name_of_a_field(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{a}", "{b}", derive={"a": Shard("b", of=4)})
        a: str
        b: str


@refused(KeyTemplateError, "Wrong: the partition key: {shard} has a width of its own", "Write {shard}.")
def shard_with_a_width(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{shard:4}", "{a}", derive={"shard": Shard("a", of=4)})
        a: str


@refused(ModelError, "Wrong: {shard} is derived from 'tags'", "cannot stand in a key")
def shard_by_a_list(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{shard}", "{a}", derive={"shard": Shard("tags", of=4)})
        a: str
        tags: list[str]


@refused(ModelError, "Wrong: {day} is a bucket by day of 'a', which is no datetime or date", "Use a datetime field")
def bucket_of_a_text(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{day}", "{a}", derive={"day": Bucket("a", "day")})
        a: str


@refused(ModelError, "Wrong: {hour} is a bucket by hour of 'on', which is no datetime.")
def hours_of_a_date(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{hour}", "{on}", derive={"hour": Bucket("on", "hour")})
        on: date


@refused(ModelError, "Wrong: two rules make email and name unique", "leave the other rule out")
def unique_twice(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys(
            "WRONG#{wrong_id}",
            "WRONG",
            unique=[Unique("email", "name"), Unique("email", "name", key="MAIL#{email}#{name}")],
        )
        wrong_id: str
        name: str
        email: str


@refused(ModelError, "Wrong: unique names field 'emial', which Wrong does not have", "Did you mean 'email'?")
def unique_unknown_field(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{a}", "WRONG", unique=["emial"])
        a: str
        email: str


@refused(ModelError, "Wrong: the key of Unique(a, b) must be a text made of exactly these fields")
def unique_key_without_one_of_its_fields(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{a}", "WRONG", unique=[Unique("a", "b", key="MINE#{a}")])
        a: str
        b: str


@refused(ModelError, "Wrong.tags in the marker of unique tags: ", "cannot stand in a key")
def unique_list(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{a}", "WRONG", unique=["tags"])
        a: str
        tags: list[str]


# ------------------------------------------------------------------------------------------------ fields and names


@refused(ReservedNameError, "Wrong.PK would be stored as 'PK', which the library writes itself", 'stored={"PK": "..."}')
def field_with_the_name_of_the_key(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{a}", "WRONG")
        a: str
        PK: str


@pytest.mark.parametrize(
    "taken", ["PK", "SK", "Type", "CreatedAt", "UpdatedAt", "Version", "SchemaVersion", "GSI1PK", "GSI1SK"]
)
def test_no_field_is_stored_where_the_library_writes(taken: str) -> None:
    table = Table("Names", indexes=[GSI("GSI1")])
    with pytest.raises(ReservedNameError) as caught:

        class Wrong(Entity, table=table, stored={"own": taken}, version=True, schema_version=1):
            keys = Keys("A#{a}", "A", GSI1=("A", "{a}"))
            a: str
            own: str

    assert caught.value.field == "own"
    assert f"Wrong.own would be stored as {taken!r}" in str(caught.value)
    assert 'stored={"own": "..."}' in str(caught.value)
    assert not table.entities
    assert not table.plan.entities


@refused(ReservedNameError, "Wrong.type would be stored as 'Type'")
def field_stored_under_a_reserved_name(w: World) -> None:
    class Wrong(Entity, table=w.table, stored={"type": "Type"}):
        keys = Keys("WRONG#{a}", "WRONG")
        a: str
        type: str


@pytest.mark.parametrize(
    "name",
    [
        "PK",
        "SK",
        "Type",
        "CreatedAt",
        "UpdatedAt",
        "Version",
        "SchemaVersion",
        "UniqueOwner",
        "GSI1PK",
        "LSI1SK",
        "tenant",
    ],
)
def test_the_map_of_nested_fields_is_named_like_nothing_else(name: str) -> None:
    world = World()
    before = world.state()
    with pytest.raises(ReservedNameError, match=f"Wrong: nested='{name}' is the name of an attribute that the library"):

        class Wrong(Entity, table=world.table, nested=name, timestamps=False):
            keys = Keys("WRONG#{id}", "WRONG#{id}")
            id: str
            note: str = ""

    assert world.state() == before


@refused(ReservedNameError, "Wrong.GSI1PK would be stored as 'GSI1PK', which the library writes itself")
def field_named_like_a_key_of_an_index_that_the_entity_is_not_in(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{id}", "WRONG#{id}")
        id: str
        GSI1PK: str = "x"


class Rights(Flag):
    READ = 1
    WRITE = 2


@refused(
    KeyTemplateError, "'rights' is a Rights, whose combinations have no text of their own", "Use an int or an Enum"
)
def flags_in_a_key(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{id}", "WRONG#{rights}")
        id: str
        rights: Rights


@pytest.mark.parametrize(
    ("annotation", "default", "says"),
    [
        (str, ulid(), "one ULID for all items.*default_factory=ulid"),
        (UUID, uuid4(), "one generated UUID for all items.*default_factory=uuid7"),
        (UUID, uuid7(), "one generated UUID"),
        (str, str(uuid4()), "one generated UUID"),
        (str, uuid4().hex, "one generated UUID"),
        (datetime, None, "one moment for all items.*default_factory=lambda: datetime.now"),
    ],
    ids=["ulid", "uuid4", "uuid7", "text of a uuid", "hex of a uuid", "now"],
)
def test_a_default_that_was_made_once_cannot_be_in_the_primary_key(annotation: Any, default: Any, says: str) -> None:
    with pytest.raises(ModelError, match=f"Wrong: the primary key is made of 'key'.*{says}"):

        class Wrong(Entity, table=Table("Frozen")):
            keys = Keys("WRONG#{a}", "WRONG#{key}")
            a: str
            key: annotation = datetime.now(UTC) if default is None else default  # type: ignore[valid-type]


def test_constant_defaults_in_the_primary_key_are_fine() -> None:
    class Right(Entity, table=Table("Constant")):
        keys = Keys("RIGHT#{tenant}#{name}", "RIGHT#{until}#{org}#{made}")
        tenant: UUID = UUID(int=0)
        name: str = "MAIN"
        until: datetime = datetime(2099, 12, 31, tzinfo=UTC)
        org: UUID = uuid5(NAMESPACE_DNS, "example.org")
        made: str = Field(default_factory=ulid)

    assert Right.__table__.plan.of(Right).key_fields == set(Right.model_fields)


@refused(ReservedNameError, "Wrong.data would be stored as 'data', which the library writes itself")
def field_with_the_name_of_the_map(w: World) -> None:
    class Wrong(Entity, table=w.table, nested="data", flat=["data"]):
        keys = Keys("WRONG#{a}", "WRONG")
        a: str
        data: str


@refused(ModelError, "Wrong: 'a' and 'b' are both stored as 'b'")
def two_fields_with_one_stored_name(w: World) -> None:
    class Wrong(Entity, table=w.table, stored={"a": "b"}):
        keys = Keys("WRONG#{a}", "WRONG")
        a: str
        b: str


@refused(
    ModelError,
    "Wrong.weight is stored as 'weight', a key attribute of index 'LSI2'",
    "without having keys for it",
    "Keys(LSI2=...)",
)
def field_that_enters_an_index_by_accident(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{a}", "WRONG")
        a: str
        weight: int


@refused(
    ModelError,
    "Wrong.tenant is stored as 'tenant' of type N, but index 'Places' has it as S",
    "Store it under another name",
)
def field_of_the_wrong_type_for_an_index(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{a}", "WRONG")
        a: str
        tenant: int


@refused(ModelError, "Wrong: the TTL field 'until' is not stored as a whole number of seconds", 'Epoch("s")')
def ttl_as_text(w: World) -> None:
    class Wrong(Entity, table=w.table, ttl="until"):
        keys = Keys("WRONG#{a}", "WRONG")
        a: str
        until: datetime


@refused(ModelError, "Wrong: the TTL field 'until' is not stored as a whole number of seconds")
def ttl_in_milliseconds(w: World) -> None:
    class Wrong(Entity, table=w.table, ttl="until"):
        keys = Keys("WRONG#{a}", "WRONG")
        a: str
        until: Annotated[datetime, Epoch("ms")]


@refused(ModelError, "Wrong: the TTL field 'until' must not lie in a map", "flat=['until']")
def ttl_in_a_map(w: World) -> None:
    class Wrong(Entity, table=w.table, ttl="until", nested="data"):
        keys = Keys("WRONG#{a}", "WRONG")
        a: str
        until: int


@refused(ModelError, "Wrong: ttl names field 'untill', which Wrong does not have", "Did you mean 'until'?")
def ttl_unknown(w: World) -> None:
    class Wrong(Entity, table=w.table, ttl="untill"):
        keys = Keys("WRONG#{a}", "WRONG")
        a: str
        until: int


@refused(ModelError, "Wrong expires by 'ends', First by another attribute; a table has one", "stored={...}")
def two_ttl_attributes(w: World) -> None:
    other = Table("Other")

    class First(Entity, table=other, ttl="until"):
        keys = Keys("FIRST#{a}", "FIRST")
        a: str
        until: int

    class Wrong(Entity, table=other, ttl="ends"):
        keys = Keys("WRONG#{a}", "WRONG")
        a: str
        ends: int


@refused(ModelError, "Wrong.wave: DynamoDB has no complex numbers", "tuple[float, float]")
def complex_field(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{a}", "WRONG")
        a: str
        wave: list[complex] | None = None


@refused(ModelError, "Wrong.password: A secret would be stored as asterisks", "str")
def secret_field(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{a}", "WRONG")
        a: str
        password: SecretStr


@refused(ModelError, "Wrong.flags: A set can hold texts, numbers or bytes only", "Use a list")
def set_of_booleans(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{a}", "WRONG")
        a: str
        flags: set[bool]


@refused(ModelError, "Wrong: extra='allow' cannot be stored and read back", "dict[str, Any]")
def extra_fields(w: World) -> None:
    class Wrong(Entity, table=w.table, extra="allow"):
        keys = Keys("WRONG#{a}", "WRONG")
        a: str


@refused(ModelError, "Wrong", "alias")
def aliased_field(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{a}", "WRONG")
        a: str
        b: str = Field(alias="c")


@refused(ModelError, "Wrong.b: its default is made from other fields", "default_factory without arguments")
def default_from_other_fields(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{a}", "WRONG")
        a: str
        b: str = Field(default_factory=lambda data: data["a"])


@refused(ModelError, "Wrong refers to a class that is not defined yet", "before the entity")
def class_not_defined_yet(w: World) -> None:
    class Wrong(Entity, table=w.table):
        keys = Keys("WRONG#{a}", "WRONG")
        a: str
        b: "Later"  # type: ignore[name-defined]  # noqa: F821


# ----------------------------------------------------------------------------------------------- class statements


@refused(ModelError, "Wrong has the unknown class keyword 'versoin'", "Did you mean 'version'?")
def keyword_typo(w: World) -> None:
    class Wrong(Entity, table=w.table, versoin=True):
        keys = Keys("WRONG#{a}", "WRONG")
        a: str


@refused(ModelError, "Wrong has the keywords ttl, version, but no table", "class Wrong(Entity, table=...")
def keywords_without_a_table(w: World) -> None:
    class Wrong(Entity, version=True, ttl="a"):
        a: int


@refused(ModelError, "Wrong has no keys", 'Add keys = Keys("WRONG#{id}", "WRONG#{id}")')
def keys_missing(w: World) -> None:
    class Wrong(Entity, table=w.table):
        a: str


@refused(ModelError, "Base already has an entity of type 'User'", 'type="..."')
def entity_type_twice(w: World) -> None:
    class User(Entity, table=w.table):
        keys = Keys("WRONG#{a}", "WRONG")
        a: str


@refused(
    ModelError, "Wrong would be stored with the type 'Unique', which the markers of unique fields have", 'type="..."'
)
def type_of_the_markers(w: World) -> None:
    class Wrong(Entity, table=w.table, type="Unique"):
        keys = Keys("WRONG#{a}", "WRONG")
        a: str


@pytest.mark.parametrize(
    ("keywords", "says"),
    [
        ({"type": ""}, "the class keyword type must be a non-empty text"),
        ({"type": 3}, "the class keyword type must be a non-empty text"),
        ({"version": 1}, "the class keyword version must be True or False"),
        ({"timestamps": "no"}, "the class keyword timestamps must be True or False"),
        ({"schema_version": 0}, "the class keyword schema_version must be a whole number from 1 on"),
        ({"schema_version": True}, "the class keyword schema_version must be a whole number from 1 on"),
        ({"nested": ""}, "the class keyword nested must be the name of a map attribute"),
        ({"flat": "a"}, "the class keyword flat must be a list of field names"),
        ({"flat": ["a"]}, "flat= only means something together with nested="),
        ({"nested": "data", "flat": ["c"]}, "flat names field 'c', which Wrong does not have"),
        ({"stored": ["a"]}, "the class keyword stored must be a mapping"),
        ({"stored": {"c": "x"}}, "stored names field 'c', which Wrong does not have"),
        ({"stored": {"a": ""}}, "the class keyword stored must be a mapping"),
        ({"ttl": 3}, "ttl names field 3, which Wrong does not have"),
    ],
    ids=str,
)
def test_wrong_class_keywords(keywords: dict[str, Any], says: str) -> None:
    world = World()
    before = world.state()
    with pytest.raises(ModelError) as caught:

        class Wrong(Entity, table=world.table, **keywords):
            keys = Keys("WRONG#{a}", "WRONG")
            a: str
            b: int = 0

    assert str(caught.value).startswith(f"Wrong: {says}")
    assert world.state() == before
    _still_grows(world)


# --------------------------------------------------------------------------------------------------------- tables


@pytest.mark.parametrize("name", ["", "ab", "a b c", "x" * 256, "tablé", "abc\n", "{stag}"])
def test_bad_table_names(name: str) -> None:
    with pytest.raises(ModelError, match=r"cannot be the name of a table") as caught:
        Table(name)
    assert "3 to 255 characters" in str(caught.value)
    assert Table("App-{stage}").physical_name("dev") == "App-dev"


@pytest.mark.parametrize("name", ["", "G1", "my index", "x" * 256, "abc\n"])
@pytest.mark.parametrize("kind", [GSI, LSI])
def test_bad_index_names(kind: type[GSI | LSI], name: str) -> None:
    with pytest.raises(ModelError, match=r"cannot be the name of an index") as caught:
        kind(name)
    assert "3 to 255 characters" in str(caught.value)


@refused(ModelError, "Many has 21 global indexes", "DynamoDB allows 20")
def too_many_global_indexes(w: World) -> None:
    assert len(Table("Many", indexes=[GSI(f"GSI{n}") for n in range(20)]).indexes) == 20
    Table("Many", indexes=[GSI(f"GSI{n}") for n in range(21)])


@refused(ModelError, "Many has 6 local indexes", "DynamoDB allows 5")
def too_many_local_indexes(w: World) -> None:
    assert len(Table("Many", indexes=[LSI(f"LSI{n}") for n in range(5)]).indexes) == 5
    Table("Many", indexes=[LSI(f"LSI{n}") for n in range(6)])


@refused(ModelError, "Many: its indexes include 101 attributes", "allows 100 in all")
def too_many_included_attributes(w: World) -> None:
    indexes = [GSI(f"GSI{n}", projection=[f"a{n}_{m}" for m in range(20)]) for n in range(5)]
    assert len(Table("Many", indexes=indexes).indexes) == 5
    Table("Many", indexes=[*indexes, GSI("GSI5", projection=["b"])])


@refused(ModelError, "Twice has two indexes called 'GSI1'")
def index_name_twice(w: World) -> None:
    Table("Twice", indexes=[GSI("GSI1"), GSI("GSI1")])


@refused(
    ModelError, "Index 'GSI1' uses the attribute 'GSI1PK', which belongs to index 'GSI2'", "indexes listed before it"
)
def index_attribute_twice(w: World) -> None:
    Table("Twice", indexes=[GSI("GSI2", pk="GSI1PK"), GSI("GSI1")])


@refused(ModelError, "Index 'GSI1' uses the attribute 'GSI1PK', which belongs to the table's key", "if it names them")
def index_on_the_table_key(w: World) -> None:
    Table("Twice", pk="GSI1PK", indexes=[GSI("GSI1")])


@refused(ModelError, "Index 'GSI1' uses the attribute 'Type', which belongs to the library")
def index_on_the_library_attribute(w: World) -> None:
    Table("Twice", indexes=[GSI("GSI1", pk="Type")])


@refused(ModelError, "Twice: the key attribute 'PK' also belongs to the table's key", "names=AttributeNames(...)")
def one_attribute_for_both_keys(w: World) -> None:
    Table("Twice", pk="PK", sk="PK")


@refused(ModelError, "Single has no sort key, so it cannot have the local index 'LSI1'")
def local_index_without_a_sort_key(w: World) -> None:
    Table("Single", sk=None, indexes=[LSI("LSI1")])


@refused(ModelError, "Index 'GSI1' has projection 'SOME'", '"ALL", "KEYS_ONLY" or a list')
def unknown_projection(w: World) -> None:
    GSI("GSI1", projection="SOME")


@refused(ModelError, "Index 'GSI1' includes no attribute", 'projection="KEYS_ONLY"')
def empty_projection(w: World) -> None:
    GSI("GSI1", projection=[])


@refused(ModelError, "Index 'GSI1' includes 21 attributes", "allows 20")
def too_wide_projection(w: World) -> None:
    GSI("GSI1", projection=[f"a{n}" for n in range(21)])


@refused(ModelError, "AttributeNames: index_pk and index_sk must give each index two names of its own", "{index}")
def one_name_for_all_indexes(w: World) -> None:
    AttributeNames(index_pk="GPK")


@refused(ModelError, "AttributeNames uses 'x' twice")
def attribute_name_twice(w: World) -> None:
    AttributeNames(pk="x", type="x")


@refused(KeyTemplateError, "separator of an adopted key style must hold at least one character")
def empty_separator(w: World) -> None:
    KeyStyle.adopted("")


# ------------------------------------------------------------------------------------------------- patterns: keys


@refused(
    PatternError,
    "The pattern wrong() cannot be served.",
    "\n  - the table's key: its partition key needs 'user_id'",
    "\n  - LSI1: its partition key needs 'user_id'",
    "\n  - LSI2: its partition key needs 'user_id'",
    "\n  - GSI1: its partition key needs 'order_id'",
    "\n  - GSI2: its partition key needs 'status'",
    "\n  - Due: it cannot use the condition on total",
    "\nGive Order an index key whose partition and leading sort key parts are exactly total",
    ".filter(...)",
)
def pattern_that_no_key_serves(w: World) -> None:
    @w.table.pattern
    def wrong(total: Decimal):
        return query(w.Order, w.Order.total == total)


@refused(
    PatternError,
    "The pattern wrong() cannot be served.",
    "the table's key: it cannot use the condition on status",
    "status, user_id",
)
def condition_that_the_key_cannot_use(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return query(w.Order, w.Order.user_id == user_id, w.Order.status == "PENDING")


@refused(PatternError, "the table's key: it cannot use the condition on order_id")
def hole_in_a_template(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str, order_id: str):
        return query(w.Order, w.Order.user_id == user_id, w.Order.order_id == order_id)


@refused(
    PatternError,
    "The pattern wrong() cannot be served.",
    "the table's key: the read does not fix the whole key",
    "GSI2: ",
)
def get_without_the_whole_key(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return get(w.Order, w.Order.user_id == user_id)


@refused(PatternError, "The pattern wrong() cannot be served.", "ask for the index by name")
def query_without_conditions(w: World) -> None:
    @w.table.pattern
    def wrong():
        return query(w.Order)


@refused(
    PatternError,
    "The pattern wrong() cannot be served.",
    "the table's key: it would also read Session (the read covers the whole partition)",
)
def neighbour_in_the_partition(w: World) -> None:
    other = Table("Other")

    class Session(Entity, table=other):
        keys = Keys("LOG#{user_id}", "SESSION#{n:4}")
        user_id: str
        n: int

    class Event(Entity, table=other):
        keys = Keys("LOG#{user_id}", "{at}")
        user_id: str
        at: datetime

    @other.pattern
    def wrong(user_id: str):
        return query(Event, Event.user_id == user_id)


@refused(
    PatternError,
    "The pattern wrong() cannot be served.",
    """the table's key: it would also read Session (Nothing tells "{kind}" and "{name}" apart)""",
)
def neighbour_in_the_range(w: World) -> None:
    other = Table("Other")

    class Session(Entity, table=other):
        keys = Keys("LOG#{user_id}", "X#{kind}#{n:4}")
        user_id: str
        kind: str
        n: int

    class Event(Entity, table=other):
        keys = Keys("LOG#{user_id}", "X#{name}#{at}")
        user_id: str
        name: str
        at: datetime

    @other.pattern
    def wrong(user_id: str, name: str):
        return query(Event, Event.user_id == user_id, Event.name == name)


@refused(PatternError, "the table's key: it would also read the markers of Account's unique email")
def marker_in_the_range(w: World) -> None:
    other = Table("Other")

    class Account(Entity, table=other):
        keys = Keys("ACCOUNT#{a}", "ACCOUNT", unique=[Unique("email", key="MAIL#{email}")])
        a: str
        email: str

    class Letter(Entity, table=other):
        keys = Keys("MAIL#{email}", "{n:4}")
        email: str
        n: int

    @other.pattern
    def wrong(email: str):
        return query(Letter, Letter.email == email)


@refused(PatternError, "Places: it would have a gap: 'city' comes after 'country', which is not fixed")
def gap_in_a_multi_attribute_key(w: World) -> None:
    @w.table.pattern
    def wrong(tenant: str, region: str, city: str):
        P = w.Place
        return query(P, P.tenant == tenant, P.region == region, P.city == city)


@refused(PatternError, "Places: it would have a gap: 'city' comes after 'country', which is not fixed")
def range_before_the_last_attribute(w: World) -> None:
    @w.table.pattern
    def wrong(tenant: str, region: str, country: str, city: str):
        P = w.Place
        return query(P, P.tenant == tenant, P.region == region, P.country > country, P.city == city)


@refused(PatternError, "Places: its partition key needs 'region'")
def half_a_partition(w: World) -> None:
    @w.table.pattern
    def wrong(tenant: str):
        return query(w.Place, w.Place.tenant == tenant)


@refused(PatternError, "LSI2: DynamoDB takes one condition on 'weight'; use >= and <=, or between()")
def two_open_bounds_on_a_native_key(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str, low: int, high: int):
        Order = w.Order
        return query(Order, Order.user_id == user_id, Order.weight > low, Order.weight <= high)


@refused(PatternError, "LSI2: starts_with() needs a text, and 'weight' is none")
def prefix_of_a_number(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str, text: str):
        # Any takes a str: the mistake is one of the key
        weight: Any = attr("weight")
        weight._owner = w.Order
        return query(w.Order, w.Order.user_id == user_id, starts_with(weight, text))


@refused(
    PatternError,
    "the table's key: it cannot use the condition on order_id, status",
    "exactly user_id, and a sort key that begins with order_id, placed_at, status",
)
def ranges_on_two_fields(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str, since: datetime, status: str):
        Order = w.Order
        return query(
            Order, Order.user_id == user_id, Order.placed_at >= since, Order.status > status, Order.order_id > "a"
        )


@refused(PatternError, "The pattern wrong() has two conditions on the same side of 'placed_at'", "Keep one")
def two_lower_bounds(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str, a: datetime, b: datetime):
        Order = w.Order
        return query(Order, Order.user_id == user_id, Order.placed_at >= a, Order.placed_at > b)


@refused(PatternError, "The pattern wrong() has two conditions on 'user_id'", "Keep one")
def two_equalities(w: World) -> None:
    @w.table.pattern
    def wrong(a: str, b: str):
        return query(w.Order, w.Order.user_id == a, w.Order.user_id == b)


@refused(PatternError, "The pattern wrong() fixes 'placed_at' and gives a range for it", "Keep one of the two")
def equality_and_range(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str, a: datetime):
        Order = w.Order
        return query(Order, Order.user_id == user_id, Order.placed_at == a, Order.placed_at >= a)


@refused(
    PatternError,
    "The pattern wrong(): keys can select by ==, <, <=, >, >=, between(), starts_with() and is_in() only",
    ".filter(...)",
)
def condition_that_no_key_serves(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return query(w.Order, w.Order.user_id == user_id, w.Order.status != "PENDING")


@refused(PatternError, "The pattern wrong(): keys can select by ==")
def alternatives_in_a_key_condition(w: World) -> None:
    @w.table.pattern
    def wrong(a: str, b: str):
        return query(w.Order, any_of(w.Order.user_id == a, w.Order.user_id == b))


@refused(PatternError, "The pattern wrong() reads Order, but has a condition on User.user_id", "Write Order.user_id")
def condition_on_another_entity(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return query(w.Order, w.User.user_id == user_id)


@refused(
    PatternError,
    "The pattern wrong(): lines[0].product lies inside 'lines', and no key can select by it",
    ".filter(...)",
)
def condition_inside_a_field(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str, product: str):
        return query(w.Order, w.Order.user_id == user_id, w.Order.lines[0].product == product)


@refused(
    PatternError,
    "The pattern wrong(): Plain has no field 'created_at'",
    "created() and updated() need an entity with timestamps",
)
def created_without_timestamps(w: World) -> None:
    other = Table("Other")

    class Plain(Entity, table=other, timestamps=False):
        keys = Keys("PLAIN#{a}", "PLAIN")
        a: str

    @other.pattern
    def wrong(since: datetime):
        return query(Plain, created(Plain) >= since)


@refused(PatternError, "The pattern wrong(): Order.status: ", "'PENDING' or 'SHIPPED'")
def wrong_constant_in_a_pattern(w: World) -> None:
    @w.table.pattern
    def wrong():
        return query(w.Order, w.Order.status == "LOST")


@refused(PatternError, "GSI2: global indexes have no consistent reads")
def consistent_read_on_a_global_index(w: World) -> None:
    @w.table.pattern
    def wrong(status: Status):
        return query(w.Order, w.Order.status == status).consistent()


@refused(
    PatternError,
    "Narrow: its projection (INCLUDE) lacks CreatedAt, UpdatedAt, age, email",
    ".only(...)",
    "project them",
)
def projection_that_lacks_a_field(w: World) -> None:
    @w.table.pattern
    def wrong(name: str):
        return query(w.User, w.User.name == name)


@refused(PatternError, "Narrow: its projection (INCLUDE) lacks age")
def projection_that_lacks_a_field_of_a_view(w: World) -> None:
    class Age(BaseModel):
        user_id: str
        age: int

    @w.table.pattern
    def wrong(name: str):
        return query(w.User, w.User.name == name).only(Age)


@refused(
    PatternError, "The pattern wrong(): View has the field 'nmae', which User does not have", "Did you mean 'name'?"
)
def view_with_an_unknown_field(w: World) -> None:
    class View(BaseModel):
        nmae: str

    @w.table.pattern
    def wrong(user_id: str):
        return get(w.User, w.User.user_id == user_id).only(View)


@refused(PatternError, "Due: it is sparse, and the read may ask for items that it leaves out")
def sparse_index_that_is_not_implied(w: World) -> None:
    @w.table.pattern
    def wrong(since: datetime):
        return query(w.Order, w.Order.placed_at >= since)


@refused(PatternError, "GSI2: it leaves out items without 'due'")
def index_that_leaves_out_missing_values(w: World) -> None:
    other = Table("Other", indexes=[GSI("GSI2")])

    class Task(Entity, table=other):
        keys = Keys("TASK#{a}", "TASK", GSI2=("OF#{owner}", "{due}"))
        a: str
        owner: str
        due: date | None = None

    @other.pattern
    def wrong(owner: str):
        return query(Task, Task.owner == owner)


@refused(PatternError, "the table's key: its partition is a month of 'at', which needs a lower and an upper bound")
def buckets_without_an_end(w: World) -> None:
    other = Table("Other")

    class Event(Entity, table=other):
        keys = Keys("EVENT#{month}", "{at}#{a}", derive={"month": Bucket("at", "month")})
        a: str
        at: datetime

    @other.pattern
    def wrong(since: datetime):
        return query(Event, Event.at >= since)


@refused(PatternError, "its buckets hold whole periods, and its sort key does not continue with 'at'")
def buckets_whose_sort_key_lacks_the_time(w: World) -> None:
    other = Table("Other")

    class Event(Entity, table=other):
        keys = Keys("EVENT#{month}", "{a}", derive={"month": Bucket("at", "month")})
        a: str
        at: datetime

    @other.pattern
    def wrong(low: datetime, high: datetime):
        return query(Event, between(Event.at, low, high))


@refused(UnknownIndexError, "Base has no index 'GSI9'", "Did you mean 'GSI2'?")
def via_an_unknown_index(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return query(w.Order, w.Order.user_id == user_id).via("GSI9")


@refused(PatternError, "The pattern wrong() cannot be served.", "GSI2: User has no keys on it")
def via_an_index_without_keys(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return query(w.User, w.User.user_id == user_id).via("GSI2")


@refused(PatternError, "The pattern wrong() cannot be served.\n  - GSI2: its partition key needs 'status'\n")
def via_an_index_that_cannot(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return query(w.Order, w.Order.user_id == user_id).via("GSI2")


@refused(
    PatternError, "The pattern wrong() filters by 'rank', a key attribute of Places", "make it a condition of the query"
)
def filter_on_a_key_attribute(w: World) -> None:
    @w.table.pattern
    def wrong(tenant: str, region: str):
        P = w.Place
        return query(P, P.tenant == tenant, P.region == region).filter(P.rank > 3)


@refused(PatternError, "The pattern wrong(): in its filter, Order.status: ")
def wrong_constant_in_a_filter(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return query(w.Order, w.Order.user_id == user_id).filter(w.Order.status == "LOST")


@refused(
    PatternError,
    "The pattern wrong(): in its filter, a condition is on User.name, but the item is an Order",
    "Write Order.name",
)
def filter_on_another_entity(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return query(w.Order, w.Order.user_id == user_id).filter(w.User.name == "x")


@refused(ModelError, "The pattern wrong() reads Stranger, which is no entity of this table")
def entity_of_another_table(w: World) -> None:
    class Stranger(Entity, table=Table("Elsewhere")):
        keys = Keys("A#{a}", "A")
        a: str

    @w.table.pattern
    def wrong(a: str):
        return get(Stranger, Stranger.a == a)


@refused(PatternError, "query() takes an entity class with a table first")
def query_of_no_entity(w: World) -> None:
    @w.table.pattern
    def wrong():
        return query(Line)  # here


# ------------------------------------------------------------------------------------------ patterns: collections


@dataclass
class Page:
    user: Any
    orders: Any


@refused(PatternError, "The pattern wrong(): Order lies in another partition than User", "use two patterns")
def collection_of_two_partitions(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str, other: str):
        return collect(
            Page,
            user=one(query(w.User, w.User.user_id == user_id)),
            orders=many(query(w.Order, w.Order.user_id == other)),
        )


@refused(PatternError, "The pattern wrong(): its parts are sorted in different directions")
def collection_in_two_directions(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return collect(
            Page,
            user=one(query(w.User, w.User.user_id == user_id)),
            orders=many(query(w.Order, w.Order.user_id == user_id).newest_first()),
        )


@refused(PatternError, "The pattern wrong(): the part 'orders' has a filter", "Filter the result in Python")
def collection_with_a_filter(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return collect(
            Page,
            user=one(query(w.User, w.User.user_id == user_id)),
            orders=many(query(w.Order, w.Order.user_id == user_id).filter(w.Order.status == "PENDING")),
        )


@refused(
    PatternError,
    "The pattern wrong(), part 'orders', cannot be served.",
    "the table's key: its partition key needs 'user_id'",
)
def collection_with_a_part_that_no_key_serves(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return collect(Page, user=one(query(w.User, w.User.user_id == user_id)), orders=many(query(w.Order)))


@refused(PatternError, "collect() cannot call Page with these parts: missing a required argument: 'orders'")
def collection_that_lacks_a_part(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return collect(Page, user=one(query(w.User, w.User.user_id == user_id)))  # here


@refused(PatternError, "collect(user=...) is not one(query(...)) or many(query(...))")
def collection_of_gets(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return collect(Page, user=get(w.User, w.User.user_id == user_id), orders=[])  # here


# --------------------------------------------------------------------------------------- patterns: what bodies do


@refused(PatternError, "The pattern wrong() never uses its parameter 'since'", "remove it")
def unused_parameter(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str, since: datetime):
        return query(w.Order, w.Order.user_id == user_id)


@refused(PatternError, "The parameter 'user_id' of wrong() has no type", "Write user_id: str")
def parameter_without_a_type(w: World) -> None:
    @w.table.pattern
    def wrong(user_id):
        return query(w.Order, w.Order.user_id == user_id)


@refused(PatternError, "wrong() takes *more", "Name each parameter")
def variable_parameters(w: World) -> None:
    @w.table.pattern
    def wrong(*more: str):
        return query(w.Order)


@refused(
    PatternError,
    "The parameter 'since' of wrong() is None by default, but its type does not say so",
    "datetime | None = None",
)
def default_none_without_saying_so(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str, since: datetime = None):  # type: ignore[assignment]  # noqa: RUF013
        return query(w.Order, w.Order.user_id == user_id)


@refused(PatternError, "The parameter 'which' of wrong() is bool or something else", "two parameters")
def bool_or_text(w: World) -> None:
    @w.table.pattern
    def wrong(which: bool | str):
        return query(w.Order)


@refused(PatternError, "wrong() has an annotation that names 'Nowhere', which is not defined here")
def annotation_that_is_not_defined(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: "Nowhere"):  # type: ignore[name-defined]  # noqa: F821
        return query(w.Order)


@refused(PatternError, "wrong() has more than 64 combinations of optional and boolean parameters", "Split it")
def too_many_variants(w: World) -> None:
    @w.table.pattern
    def wrong(a: bool, b: bool, c: bool, d: bool, e: bool, f: bool, g: bool):
        return query(w.Order)


@refused(PatternError, "The pattern wrong() returned list", "Return query(...), get(...) or collect(...)")
def pattern_that_returns_something_else(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return [query(w.Order, w.Order.user_id == user_id)]


@refused(PatternError, "The pattern wrong() returned NoneType")
def pattern_that_returns_nothing(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        query(w.Order, w.Order.user_id == user_id)


@refused(
    PatternError,
    "The pattern wrong() promises another result than the Query[Order] it returns",
    "annotation or its body",
)
def pattern_that_promises_another_entity(w: World) -> None:
    from tablewright import Query

    User = w.User

    @w.table.pattern
    def wrong(user_id: str) -> Query[User]:  # type: ignore[valid-type]
        return query(w.Order, w.Order.user_id == user_id)


@refused(ModelError, "Base already has a pattern user()")
def pattern_twice(w: World) -> None:
    @w.table.pattern
    def user(user_id: str):
        return get(w.User, w.User.user_id == user_id)


@refused(PatternError, "the parameter 'user_id' is used as a condition", ".when(...)")
def branching_on_a_parameter(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        if user_id:  # here
            return query(w.Order, w.Order.user_id == user_id)
        return query(w.Order, w.Order.user_id == "none")


@refused(PatternError, "a condition on a field is used as True or False here", "all_of()", "between()")
def conditions_joined_with_and(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str, since: datetime):
        return query(w.Order, w.Order.user_id == user_id and w.Order.placed_at >= since)  # here


@refused(PatternError, "a condition on a field is used as True or False here", "any_of()")
def conditions_joined_with_or(w: World) -> None:
    @w.table.pattern
    def wrong(a: str, b: str):
        return query(w.Order, w.Order.user_id == a or w.Order.note == b)  # here


@refused(PatternError, "a condition on a field is used as True or False here", "negate()")
def condition_with_not(w: World) -> None:
    @w.table.pattern
    def wrong(a: str):
        return query(w.Order, not w.Order.user_id == a)  # here  # noqa: SIM201


@refused(PatternError, "a condition on a field is used as True or False here", "chained comparisons")
def chained_comparison(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str, low: datetime, high: datetime):
        Order = w.Order
        return query(Order, Order.user_id == user_id, low <= Order.placed_at <= high)  # here


@refused(PatternError, "the parameter 'user_id' is used in isinstance()")
def isinstance_of_a_parameter(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        isinstance(user_id, str)  # here
        return query(w.Order, w.Order.user_id == user_id)


@refused(PatternError, "the parameter 'user_id' is used as text")
def parameter_as_text(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return query(w.Order, w.Order.user_id == str(user_id))  # here


@refused(PatternError, "the parameter 'user_id' is used in a formatted string")
def parameter_in_a_formatted_string(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return query(w.Order, w.Order.user_id == f"u-{user_id}")  # here


@refused(PatternError, "the parameter 'user_id' is used as a dictionary key or set member")
def parameter_as_a_key(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return query(w.Order, w.Order.user_id == {"a": "b"}.get(user_id))  # here


@refused(PatternError, "the parameter 'user_ids' is used in a loop")
def loop_over_a_parameter(w: World) -> None:
    @w.table.pattern
    def wrong(user_ids: list[str]):
        return query(w.Order, *[w.Order.user_id == u for u in user_ids])  # here


@refused(PatternError, "the parameter 'n' is used in arithmetic")
def arithmetic_on_a_parameter(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str, n: int):
        return query(w.Order, w.Order.user_id == user_id, w.Order.weight == n + 1)  # here


@refused(PatternError, "the parameter 'n' is used in arithmetic")
def arithmetic_with_a_parameter_on_the_right(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str, n: int):
        return query(w.Order, w.Order.user_id == user_id, w.Order.weight == 1 + n)  # here


@refused(PatternError, "the parameter 'user_id' is used with .lower")
def method_of_a_parameter(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return query(w.Order, w.Order.user_id == user_id.lower())  # here


@refused(PatternError, "the parameter 'user_id' is used with an index")
def part_of_a_parameter(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return query(w.Order, w.Order.user_id == user_id[0])  # here


@refused(PatternError, "the parameter 'user_id' is used with len()")
def length_of_a_parameter(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        len(user_id)  # here
        return query(w.Order, w.Order.user_id == user_id)


@refused(PatternError, "the parameter 'user_id' is used with 'in'")
def membership_in_a_parameter(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        assert "x" in user_id  # here
        return query(w.Order, w.Order.user_id == user_id)


@refused(PatternError, "the parameter 'user_id' is used in a comparison that names no field")
def comparison_of_a_parameter_with_a_constant(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return query(w.Order, user_id == "u1")  # here


@refused(
    PatternError, "Order.placed_at is datetime, but the parameter 'since' is str", "Annotate the parameter as datetime"
)
def parameter_of_another_type(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str, since: str):
        return query(w.Order, w.Order.user_id == user_id, w.Order.placed_at >= since)  # here


@refused(PatternError, "Order.placed_at is datetime, but the parameter 'since' is date")
def date_for_a_datetime(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str, since: date):
        return query(w.Order, w.Order.user_id == user_id, w.Order.placed_at >= since)  # here


@refused(PatternError, "Order.status is Literal['PENDING', 'SHIPPED'], but the parameter 'status' is Literal['LOST']")
def literal_without_common_values(w: World) -> None:
    @w.table.pattern
    def wrong(status: Literal["LOST"]):
        return query(w.Order, w.Order.status == status)  # here


@refused(PatternError, "Order.user_id is compared with another field", "a parameter or a constant")
def field_compared_with_a_field(w: World) -> None:
    @w.table.pattern
    def wrong():
        return query(w.Order, w.Order.user_id == w.Order.order_id)  # here


@refused(PatternError, "Order.user_id is used as True or False")
def field_as_a_condition(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return query(w.Order, w.Order.user_id or user_id)  # here


@refused(PatternError, "'in' asks for a value now", "contains(Order.tags, ...)")
def membership_in_a_field(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return query(w.Order, w.Order.user_id == user_id).filter("x" in w.Order.tags)  # here


@refused(ArgumentError, "is_in(Order.status, ...) has 0 values", "1 to 100")
def one_of_no_values(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return query(w.Order, w.Order.user_id == user_id).filter(is_in(w.Order.status, []))  # here


@refused(ArgumentError, "query() was given bool, not a condition", "Order.status == 'PENDING'")
def plain_truth_as_a_condition(w: World) -> None:
    @w.table.pattern
    def wrong():
        return query(w.Order, True)  # here


@refused(UnknownFieldError, "Order.lines[0] has no part called 'prodcut'")
def unknown_part_of_a_field(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return query(w.Order, w.Order.user_id == user_id).filter(w.Order.lines[0].prodcut == "x")  # here


@refused(PatternError, "per_page() takes a positive number")
def page_of_nothing(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str):
        return query(w.Order, w.Order.user_id == user_id).per_page(0)  # here


@refused(PatternError, "per_page() takes a positive number")
def page_size_as_a_parameter(w: World) -> None:
    @w.table.pattern
    def wrong(user_id: str, limit: int):
        return query(w.Order, w.Order.user_id == user_id).per_page(limit)  # here


def test_an_unknown_field_of_a_class_is_an_attribute_error_that_says_which_there_are() -> None:
    with pytest.raises(AttributeError, match=r"^Order has no field 'statsu'\. Did you mean 'status'\?$"):
        World().Order.statsu  # type: ignore[attr-defined]


# -------------------------------------------------------------------------------------------------------- changes


@refused(ChangeError, "'status' is read after it was changed", "Read first")
def reading_after_assigning(w: World) -> None:
    Order = w.Order

    @w.table.change
    def wrong(o: Order) -> None:
        o.status = "SHIPPED"
        require(o.status == "PENDING")  # here


@refused(ChangeError, "'lines' is read after it was changed")
def reading_the_whole_after_assigning_a_part(w: World) -> None:
    Order = w.Order

    @w.table.change
    def wrong(o: Order, lines: list[Line]) -> None:
        o.lines[0].quantity = 2
        require(o.lines == lines)  # here


@refused(ChangeError, "'status' is changed twice")
def assigning_twice(w: World) -> None:
    Order = w.Order

    @w.table.change
    def wrong(o: Order) -> None:
        o.status = "SHIPPED"
        o.status = "PENDING"  # here


@refused(ChangeError, "'lines' is ", "changed")
def appending_twice(w: World) -> None:
    Order = w.Order

    @w.table.change
    def wrong(o: Order, a: Line, b: Line) -> None:
        o.lines.append(a)
        o.lines.append(b)  # here


@refused(
    ChangeError,
    "The change wrong(): Order.order_id is part of the primary key and cannot be changed",
    "in one transaction",
)
def changing_a_key_field(w: World) -> None:
    Order = w.Order

    @w.table.change
    def wrong(o: Order, order_id: str) -> None:
        o.order_id = order_id


@refused(UnknownFieldError, "Order has no field 'statsu'. Did you mean 'status'?")
def assigning_an_unknown_field(w: World) -> None:
    Order = w.Order

    @w.table.change
    def wrong(o: Order) -> None:
        o.statsu = "SHIPPED"  # here


@refused(UnknownFieldError, "Order has no field 'statsu'. Did you mean 'status'?")
def requiring_an_unknown_field(w: World) -> None:
    Order = w.Order

    @w.table.change
    def wrong(o: Order) -> None:
        require(o.statsu == "PENDING")  # here
        o.status = "SHIPPED"


@refused(ChangeError, "The change wrong(): Order.status: ", "'PENDING' or 'SHIPPED'")
def assigning_a_wrong_constant(w: World) -> None:
    Order = w.Order

    @w.table.change
    def wrong(o: Order) -> None:
        o.status = "LOST"


@refused(ChangeError, "The change wrong(): Order.weight: ", "valid integer")
def assigning_none_to_a_required_field(w: World) -> None:
    Order = w.Order

    @w.table.change
    def wrong(o: Order) -> None:
        o.weight = None


@refused(ChangeError, "The change wrong(): Order.lines", "product")
def appending_a_wrong_constant(w: World) -> None:
    Order = w.Order

    @w.table.change
    def wrong(o: Order) -> None:
        o.lines.append({"quantity": 1})


@refused(ChangeError, "The change wrong(): Order.status: ")
def requiring_a_wrong_constant(w: World) -> None:
    Order = w.Order

    @w.table.change
    def wrong(o: Order) -> None:
        require(o.status == "LOST")
        o.weight = 1


@refused(ChangeError, "Order.weight is int, but the parameter 'weight' is str")
def assigning_a_parameter_of_another_type(w: World) -> None:
    Order = w.Order

    @w.table.change
    def wrong(o: Order, weight: str) -> None:
        o.weight = weight  # here


@refused(ChangeError, "Order.weight is int, but the parameter 'more' is str")
def adding_a_parameter_of_another_type(w: World) -> None:
    Order = w.Order

    @w.table.change
    def wrong(o: Order, more: str) -> None:
        o.weight = o.weight + more  # here


@refused(ChangeError, "Order.user_id is str and cannot be added to")
def adding_to_a_text(w: World) -> None:
    Order = w.Order

    @w.table.change
    def wrong(o: Order) -> None:
        o.note = o.user_id + "x"  # here


@refused(ChangeError, "'weight' is set to a sum with 'total'", "o.count = o.count + 1")
def assigning_the_sum_of_another_field(w: World) -> None:
    Order = w.Order

    @w.table.change
    def wrong(o: Order) -> None:
        o.weight = o.total + 1  # here


@refused(ChangeError, "'note' is set to another field", "Pass the value as a parameter")
def assigning_another_field(w: World) -> None:
    Order = w.Order

    @w.table.change
    def wrong(o: Order) -> None:
        o.note = o.order_id  # here


@refused(ChangeError, "subtracting a parameter is not supported", "Pass a negative number")
def subtracting_a_parameter(w: World) -> None:
    Order = w.Order

    @w.table.change
    def wrong(o: Order, less: int) -> None:
        o.weight = o.weight - less  # here


@refused(ChangeError, "the parameter 'weight' is used as a condition")
def branching_in_a_change(w: World) -> None:
    Order = w.Order

    @w.table.change
    def wrong(o: Order, weight: int) -> None:
        if weight:  # here
            o.weight = weight


@refused(ChangeError, "a condition on a field is used as True or False here")
def branching_on_a_field_in_a_change(w: World) -> None:
    Order = w.Order

    @w.table.change
    def wrong(o: Order) -> None:
        if o.status == "PENDING":  # here
            o.status = "SHIPPED"


@refused(PatternError, "The change wrong() never uses its parameter 'why'")
def unused_parameter_of_a_change(w: World) -> None:
    Order = w.Order

    @w.table.change
    def wrong(o: Order, why: str) -> None:
        o.status = "SHIPPED"


@refused(ChangeError, "The change wrong() changes nothing")
def change_that_changes_nothing(w: World) -> None:
    Order = w.Order

    @w.table.change
    def wrong(o: Order) -> None:
        require(o.status == "PENDING")


@refused(ChangeError, "The change wrong() returns something", "only requires and assigns")
def change_that_returns_something(w: World) -> None:
    Order = w.Order

    @w.table.change
    def wrong(o: Order):
        o.status = "SHIPPED"
        return o


@refused(ChangeError, "The first parameter of wrong() must be annotated with an entity")
def change_of_no_entity(w: World) -> None:
    @w.table.change
    def wrong(o: Line) -> None:
        o.quantity = 2


@refused(ModelError, "Stranger is no entity of Base")
def change_of_another_table(w: World) -> None:
    class Stranger(Entity, table=Table("Elsewhere")):
        keys = Keys("A#{a}", "A")
        a: str
        b: str = ""

    @w.table.change
    def wrong(s: Stranger) -> None:
        s.b = "x"


@refused(ModelError, "Base already has a change rename()")
def change_twice(w: World) -> None:
    User = w.User

    @w.table.change
    def rename(u: User, name: str) -> None:
        u.name = name


@refused(ChangeError, "require() with a condition on a class belongs into a change")
def require_outside_a_change(w: World) -> None:
    require(w.Order.status == "PENDING")  # here


# -------------------------------------------------------------------------------------------------- relationships


@refused(ModelError, "The relationship User to Order has the unknown cardinality '1:n'")
def unknown_cardinality(w: World) -> None:
    w.table.relate(Relationship(w.User, w.Order, "1:n", "embedded"))  # type: ignore[arg-type]


@refused(ModelError, "The relationship User to Order has the unknown strategy 'embeded'", "Did you mean 'embedded'?")
def unknown_strategy(w: World) -> None:
    w.table.relate(Relationship(w.User, w.Order, "1:N", "embeded"))  # type: ignore[arg-type]


@refused(
    ModelError, "The relationship Order to Line is embedded and needs the field that holds it", "Did you mean 'lines'?"
)
def embedded_in_an_unknown_field(w: World) -> None:
    w.table.relate(Relationship(w.Order, "Line", "1:N", "embedded", field="line"))


@refused(
    ModelError,
    "The relationship User to Place is an item collection, but Place has the partition key PLACE#{place_id}",
    "User has USER#{user_id}",
    "the parent's partition key",
)
def collection_in_another_partition(w: World) -> None:
    w.table.relate(Relationship(w.User, w.Place, "1:N", "item collection"))


@refused(ModelError, "The relationship User to Place is an item collection, but")
def second_of_two_relationships(w: World) -> None:
    right = Relationship(w.Order, "Line", "1:N", "embedded", field="lines")
    w.table.relate(right, Relationship(w.User, w.Place, "1:N", "item collection"))


@refused(ModelError, "The relationship Order to User repeats fields, but does not say which", "copies=")
def copies_of_nothing(w: World) -> None:
    w.table.relate(Relationship(w.Order, w.User, "1:N", "shallow duplication"))


@refused(ModelError, "copies names field 'nmae', which User does not have", "Did you mean 'name'?")
def copy_of_an_unknown_field(w: World) -> None:
    w.table.relate(Relationship(w.Order, w.User, "1:N", "shallow duplication", copies={"note": "nmae"}))


@refused(ModelError, "Order.weight is int, but User.name is str")
def copy_of_another_type(w: World) -> None:
    w.table.relate(Relationship(w.Order, w.User, "1:N", "shallow duplication", copies={"weight": "name"}))


@refused(ModelError, "The relationship User to Place needs via=, the entity of its links")
def links_without_via(w: World) -> None:
    w.table.relate(Relationship(w.User, w.Place, "M:N", "adjacency list"))


@refused(ModelError, "source_fields must name the fields of Order that identify the source")
def links_without_source(w: World) -> None:
    w.table.relate(Relationship(w.User, w.Place, "M:N", "adjacency list", via=w.Order, source_fields=("uid",)))


@refused(
    ModelError,
    "The relationship User to Place: reading Order by its target cannot be served",
    "its partition key needs 'user_id'",
)
def links_that_read_one_way_only(w: World) -> None:
    w.table.relate(
        Relationship(
            w.User, w.Place, "M:N", "adjacency list", via=w.Order, source_fields=("user_id",), target_fields=("note",)
        )
    )


@refused(ModelError, "The relationship User to Nobody names Nobody, which is no entity of this table")
def relationship_with_nobody(w: World) -> None:
    w.table.relate(Relationship(w.User, "Nobody", "1:N", "item collection"))


# ------------------------------------------------------------------------------------------------ the cases themselves


def test_every_case_is_a_case_of_its_own() -> None:
    names = [case.define.__name__ for case in CASES]
    assert len(names) == len(set(names))
    assert all(case.says for case in CASES)


def test_right_conditions_that_look_like_refused_ones_are_served() -> None:
    """The remedies that the messages name do work."""
    world = World()
    Order, table = world.Order, world.table

    @table.pattern
    def both(user_id: str, since: datetime):
        return query(Order, all_of(Order.user_id == user_id, Order.placed_at >= since))

    @table.pattern
    def within(user_id: str, low: datetime, high: datetime):
        return query(Order, Order.user_id == user_id, between(Order.placed_at, low, high))

    @table.pattern
    def heavy(user_id: str, low: int, high: int):
        return query(Order, Order.user_id == user_id, Order.weight >= low, Order.weight <= high)

    @table.pattern
    def due(since: datetime):
        return query(Order, Order.status == "PENDING", Order.placed_at >= since).via("Due")

    @table.pattern
    def filtered(user_id: str):
        return query(Order, Order.user_id == user_id).filter(Order.status == "PENDING", exists(Order.note))

    assert [str(s) for s in table.explain(heavy)] == [
        "Query LSI2: PK = USER#{user_id} AND weight BETWEEN {low} AND {high}"
    ]
    assert [s.index for p in (both, within, due, filtered) for s in table.explain(p)] == [None, None, "Due", None]
