"""Rules that see several fields, however Pydantic lets them be written: updates keep them as create does."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Annotated, Any, NotRequired, Self

import pydantic.dataclasses
import pytest
from pydantic import AfterValidator, BaseModel, Field, RootModel, ValidationInfo, field_validator, model_validator
from typing_extensions import TypedDict

from tablewright import GSI, Entity, Keys, Session, Table, key, query
from tablewright.errors import (
    ArgumentError,
    DecodeError,
    FieldTypeError,
    ImmutableFieldError,
    ModelError,
    UnknownFieldError,
)
from tablewright.transport.embedded import EmbeddedTransport

table = Table("Ruled", indexes=[GSI("GSI1")])


def _ordered(low: int, high: int) -> None:
    if high < low:
        raise ValueError("high is below low")


def _not_below(value: int, info: ValidationInfo) -> int:
    _ordered(info.data["low"], value)
    return value


class PostInit(BaseModel):
    """A rule that runs after the fields are there."""

    low: int = 0
    high: int = 5

    def model_post_init(self, context: Any) -> None:
        _ordered(self.low, self.high)


class OwnInit(BaseModel):
    """A constructor of its own."""

    low: int = 0
    high: int = 5

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        _ordered(self.low, self.high)


class Looking(BaseModel):
    """A validator of one field that looks at another."""

    low: int = 0
    high: int = 5

    @field_validator("high")
    @classmethod
    def above(cls, value: int, info: ValidationInfo) -> int:
        return _not_below(value, info)


class Marked(BaseModel):
    """The same on the type."""

    low: int = 0
    high: Annotated[int, AfterValidator(_not_below)] = 5


class MarkedDict(TypedDict):
    """The same in a dictionary."""

    low: int
    high: Annotated[int, AfterValidator(_not_below)]


@dataclasses.dataclass
class MarkedData:
    """The same in a dataclass."""

    low: int = 0
    high: Annotated[int, AfterValidator(_not_below)] = 5


@pydantic.dataclasses.dataclass
class ValidatedData:
    """A dataclass with a validator."""

    low: int = 0
    high: int = 5

    @model_validator(mode="after")
    def in_order(self) -> Self:
        _ordered(self.low, self.high)
        return self


@dataclasses.dataclass(init=False)
class BuiltData:
    """A dataclass with a constructor of its own."""

    low: int = 0
    high: int = 5

    def __init__(self, low: int = 0, high: int = 5) -> None:
        _ordered(low, high)
        self.low, self.high = low, high


class Branch(BaseModel):
    """A model that holds itself."""

    room: int = 1
    twigs: list[Branch] = []
    named: dict[int, Branch] = {}

    @field_validator("twigs")
    @classmethod
    def fitting(cls, value: list[Branch], info: ValidationInfo) -> list[Branch]:
        _ordered(len(value), info.data["room"])
        return value


class Loose(TypedDict):
    """Parts that must be there, and one that need not."""

    must: int
    may: NotRequired[int]


@dataclasses.dataclass
class Needing:
    """A part without a default, and one with."""

    must: int
    may: int = 1


class Free(BaseModel):
    """No rules; private attributes are none."""

    low: int = 0
    _seen: int = 0


class Holder(Entity, table=table):
    """A field of each kind."""

    keys = Keys("HOLDER#{id}", "HOLDER")
    id: str
    post_init: PostInit = PostInit()
    own_init: OwnInit = OwnInit()
    looking: Looking = Looking()
    marked: Marked = Marked()
    marked_dict: MarkedDict = Field(default=MarkedDict(low=0, high=5))
    marked_data: MarkedData = Field(default_factory=MarkedData)
    validated_data: ValidatedData = Field(default_factory=ValidatedData)
    built_data: BuiltData = Field(default_factory=BuiltData)
    free: Free = Free()
    branch: Branch = Branch()
    words: RootModel[dict[str, int]] = RootModel({"a": 1})
    loose: Loose = Field(default=Loose(must=1, may=2))
    needing: Needing = Needing(1)


class After(Entity, table=table):
    """model_post_init() of the entity."""

    keys = Keys("AFTER#{id}", "AFTER")
    id: str
    low: int = 0
    high: int = 5

    def model_post_init(self, context: Any) -> None:
        _ordered(self.low, self.high)


class Built(Entity, table=table):
    """A constructor of the entity's own."""

    keys = Keys("BUILT#{id}", "BUILT")
    id: str
    low: int = 0
    high: int = 5

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        _ordered(self.low, self.high)


class Range(Entity, table=table):
    """A validator that looks at another field."""

    keys = Keys("RANGE#{id}", "RANGE", GSI1=("LABEL#{label}", "{id}"))
    id: str
    low: int = 0
    high: int = 5
    label: str = "x"
    tags: list[Annotated[int, AfterValidator(_not_below)]] = Field(default_factory=list)

    @field_validator("high", mode="before")
    @classmethod
    def above(cls, value: Any, info: ValidationInfo) -> Any:
        high = info.data["low"] + 1 if value == "next" else value
        return _not_below(high, info)

    @field_validator("label")
    @classmethod
    def named(cls, value: str, info: ValidationInfo) -> str:
        return value.lower() if info.data["low"] == 0 else value.upper()


ENTITIES: list[Any] = [After, Built, Range]
PARTS = ["post_init", "own_init", "looking", "marked", "marked_dict", "marked_data", "validated_data", "built_data"]
HOLDER, RANGE = key(Holder, id="1"), key(Range, id="1")
SENT: list[str] = []


@pytest.fixture
def db() -> Iterator[Session]:
    transport = EmbeddedTransport.open("memory:")
    with table.open(transport, create=True) as session:
        for entity in (Holder, *ENTITIES):
            session.create(entity(id="1"))
        execute = transport.engine.execute
        SENT.clear()

        def send(operation: str, request: dict[str, Any]) -> dict[str, Any]:
            SENT.append(operation)
            return execute(operation, request)

        transport.send = send  # type: ignore[assignment]
        yield session
    transport.close()


@pytest.mark.parametrize("name", PARTS)
def test_a_part_may_not_break_the_rule_of_what_it_is_in(db: Session, name: str) -> None:
    before = db.get(HOLDER)
    low, high = f"{name}.low", f"{name}.high"
    changes: list[dict[str, Any]] = [{"set": {low: 9}}, {"add": {low: 9}}, {"set": {high: -1}}]
    for change in changes:
        with pytest.raises(FieldTypeError, match=name) as caught:
            db.update(HOLDER, **change)
        assert "Nothing was written" in str(caught.value)
    assert db.get(HOLDER) == before
    after = db.update(HOLDER, set={high: 9}, add={low: 7})
    assert db.get(HOLDER) == after != before
    assert db.put(after) == after


@pytest.mark.parametrize("entity", ENTITIES, ids=lambda e: e.__name__)
def test_a_field_may_not_break_the_rule_of_the_entity(db: Session, entity: Any) -> None:
    one = key(entity, id="1")
    changes: list[dict[str, Any]] = [{"set": {"low": 9}}, {"add": {"low": 9}}, {"set": {"high": -1}}]
    for change in [*changes, {"add": {"high": -6}}]:
        with pytest.raises(FieldTypeError, match="high is below low"):
            db.update(one, **change)
    with pytest.raises(FieldTypeError, match="high is below low"), db.transaction() as tx:
        tx.update(one, set={"low": 9})
    assert db.get(one) == entity(id="1")
    assert db.update(one, set={"low": 9, "high": 10}).high == 10
    assert db.update(one, add={"high": 2}).high == 12
    after = db.update(one, set={"high": 11})
    assert after == db.get(one) == db.put(after)


def test_what_needs_other_fields_is_normalised_with_them(db: Session) -> None:
    assert db.update(RANGE, set={"low": 7, "high": "next"}).high == 8
    assert db.update(RANGE, set={"label": "New"}).label == "NEW"
    assert [r.id for r in db.execute(query(Range, Range.label == "NEW").via("GSI1")).all()] == ["1"]
    assert db.upsert(Range(id="1", low=0, high=9, label="Newer")).label == "newer"
    assert [r.high for r in db.execute(query(Range, Range.label == "newer").via("GSI1").filter(Range.high >= 1))] == [9]
    assert db.revise(RANGE, lambda r: setattr(r, "high", 12)).high == 12
    assert db.upsert(Range(id="2", high=3), add={"high": 1}).high == 3
    with pytest.raises(FieldTypeError, match="tags"):
        db.update(RANGE, append={"tags": [-1]})
    assert db.update(RANGE, append={"tags": [1]}).tags == [1]


@table.change
def widen(r: Range, by: int) -> None:
    """Counts one field up, and sets another to what its validator makes of it."""
    r.low += by
    r.label = "Wide"


def test_a_change_and_a_writer_in_between_keep_the_rule(db: Session) -> None:
    after = db.apply(widen, RANGE, 2)
    assert (after.low, after.label) == (2, "WIDE")
    with pytest.raises(FieldTypeError, match="high is below low"):
        db.apply(widen, RANGE, 20)
    stale = db.get(RANGE)
    assert stale is not None
    db.update(RANGE, set={"high": 3})
    with pytest.raises(FieldTypeError, match="high is below low"):
        db.update(stale, set={"low": 4})  # the copy that is at hand would allow it
    assert db.get(RANGE) == after.model_copy(update={"high": 3})


def test_none_is_no_value_of_a_field_that_is_judged_with_others(db: Session) -> None:
    for wrong in (None, 5):
        with pytest.raises(FieldTypeError, match=r"Range\.label"):
            db.update(RANGE, set={"label": wrong})
    assert db.get(RANGE) == Range(id="1")


def test_models_that_hold_themselves_keep_their_rules(db: Session) -> None:
    after = db.update(HOLDER, set={"branch.named.01": Branch(), "branch.twigs": [Branch()]})
    assert after.branch == Branch(twigs=[Branch()], named={1: Branch()})
    for change in ({"branch.room": 0}, {"branch.named.1.room": -1}):
        with pytest.raises(FieldTypeError, match="branch"):
            db.update(HOLDER, set=change)
    assert db.update(HOLDER, set={"branch.named.1.room": 4}).branch.named[1].room == 4


def test_the_field_of_a_root_model_is_no_part_of_what_is_stored(db: Session) -> None:
    with pytest.raises(UnknownFieldError, match="has no part 'root'"):
        db.update(HOLDER, set={"words.root": {"b": 2}})
    assert SENT == []


def test_what_the_model_does_not_know_stays_where_nothing_is_normalised(db: Session) -> None:
    where = {"TableName": "Ruled", "Key": {"PK": {"S": "HOLDER#1"}, "SK": {"S": "HOLDER"}}}
    told = {"UpdateExpression": "SET post_init.newer = :v", "ExpressionAttributeValues": {":v": {"S": "kept"}}}
    db.send("UpdateItem", {**where, **told})
    db.update(HOLDER, set={"post_init.low": 3})
    held = db.send("GetItem", where)["Item"]["post_init"]["M"]
    assert held == {"low": {"N": "3"}, "high": {"N": "5"}, "newer": {"S": "kept"}}


def test_models_without_such_rules_are_not_read_first(db: Session) -> None:
    assert db.update(HOLDER, set={"free.low": 3}).free.low == 3
    assert SENT == ["UpdateItem"]


@pytest.mark.parametrize("name", ["loose", "needing"])
def test_a_required_part_cannot_be_removed(db: Session, name: str) -> None:
    with pytest.raises(ArgumentError, match="is required and cannot be removed"):
        db.update(HOLDER, remove=[f"{name}.must"])
    assert SENT == []
    db.update(HOLDER, set={f"{name}.may": 5})
    after = db.update(HOLDER, remove=[f"{name}.may"])
    assert db.get(HOLDER) == after == db.put(after)


def test_a_key_whose_validator_needs_other_fields_is_refused_at_definition() -> None:
    words = (
        r"(Paired|Joined): the primary key needs 'b', whose validator takes `info`.*write the rule as a model validator"
    )
    with pytest.raises(ModelError, match=words):

        class Paired(Entity, table=Table("Elsewhere")):
            keys = Keys("P#{low}", "P#{b:6}")
            low: int
            b: Annotated[int, AfterValidator(_not_below)]

    with pytest.raises(ModelError, match=words):

        class Joined(Entity, table=Table("Elsewhere")):
            keys = Keys("P#{low}", "P#{b:6}")
            low: int
            b: int

            @field_validator("b")
            @classmethod
            def above(cls, value: int, info: ValidationInfo) -> int:
                return _not_below(value, info)


def test_sizes_of_pydantic_need_no_other_fields() -> None:
    files = Table("Files")

    class File(Entity, table=files):
        keys = Keys("FILE#{name}", "FILE")
        name: str
        size: pydantic.ByteSize = pydantic.ByteSize(0)
        note: str = ""

    with files.open("memory:") as db:
        db.create(File(name="a"))
        assert db.update(key(File, name="a"), set={"size": "1KB"}).size == 1000


class Sealed(Entity, table=table, version=True):
    """One field that stays, and one model with such a field."""

    class Born(BaseModel):
        """Where it was born stays, too."""

        place: str = Field(default="here", frozen=True)
        note: str = ""

    keys = Keys("SEALED#{id}", "SEALED")
    id: str
    origin: str = Field(default="a", frozen=True)
    born: Born = Born()
    note: str = ""


class Coin(Entity, table=table, frozen=True):
    """Nothing in it changes."""

    keys = Keys("COIN#{id}", "COIN")
    id: str
    worth: int = 1


def test_frozen_fields_are_not_changed_by_updates(db: Session) -> None:
    db.create(Sealed(id="1"))
    db.create(Coin(id="1"))
    sealed, coin = key(Sealed, id="1"), key(Coin, id="1")
    SENT.clear()
    changes: list[dict[str, Any]] = [{"set": {"origin": "b"}}, {"remove": ["origin"]}, {"set": {"born.place": "there"}}]
    for change in changes:
        with pytest.raises(ImmutableFieldError, match="is frozen and cannot be changed"):
            db.update(sealed, **change)
    for _ in range(2):
        with pytest.raises(ImmutableFieldError, match=r"Coin\.worth is frozen"):
            db.update(coin, set={"worth": 2})
    with pytest.raises(ImmutableFieldError, match=r"Coin\.worth is frozen"):
        db.upsert(Coin(id="1"), add={"worth": 2})
    assert SENT == []
    assert db.update(sealed, set={"note": "n", "born.note": "n"}).born.note == "n"
    assert db.put(Coin(id="1", worth=3)) == db.get(coin)
    assert db.upsert(Coin(id="1", worth=4)).worth == 4


def test_a_key_that_is_no_number_is_an_error_of_decoding_without_the_text(db: Session) -> None:
    class Counted(Entity, table=table):
        keys = Keys("COUNTED#{id}", "COUNTED")
        id: str
        by_year: dict[int, str] = Field(default_factory=dict)

    stored = {"by_year": {"M": {"alice@example.org": {"S": "x"}}}, "id": {"S": "1"}, "Type": {"S": "Counted"}}
    where = {"PK": {"S": "COUNTED#1"}, "SK": {"S": "COUNTED"}}
    db.send("PutItem", {"TableName": "Ruled", "Item": {**where, **stored}})
    one = key(Counted, id="1")

    def met(error: BaseException | None) -> str:
        return "" if error is None else f"{error} {met(error.__cause__)}"

    for read in (lambda: db.get(one), lambda: db.query(Counted, Counted.id == "1").all(), lambda: db.delete(one)):
        with pytest.raises(DecodeError, match="by_year") as caught:
            read()
        assert "alice" not in met(caught.value)
    assert "The item was deleted" in str(caught.value)
    assert db.get(one) is None
