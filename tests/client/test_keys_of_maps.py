"""Steps into maps: an update by path stores the key that a whole map would be stored with, or is refused."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from tablewright import Entity, Keys, Session, Table, exists, key, query
from tablewright.errors import ArgumentError, ChangeError, FieldTypeError

table = Table("Maps")


class Colour(enum.Enum):
    """Texts of their own."""

    RED = "r"
    BLUE = "b"


class Level(enum.Enum):
    """Numbers of their own."""

    LOW = 1
    HIGH = 2


class Lowered(BaseModel):
    """A configuration that holds for the keys of its maps."""

    model_config = ConfigDict(str_to_lower=True)
    words: dict[str, int] = {}


def _name(text: str) -> str:
    if not text.isalpha():
        raise ValueError("letters only")
    return text.title()


class Atlas(Entity, table=table):
    """A map for each kind of key."""

    keys = Keys("ATLAS#{id}", "ATLAS")
    id: str
    texts: dict[str, int] = Field(default_factory=dict)
    numbers: dict[int, int] = Field(default_factory=dict)
    amounts: dict[Decimal, int] = Field(default_factory=dict)
    days: dict[date, int] = Field(default_factory=dict)
    times: dict[datetime, int] = Field(default_factory=dict)
    spans: dict[timedelta, int] = Field(default_factory=dict)
    colours: dict[Colour, int] = Field(default_factory=dict)
    levels: dict[Level, int] = Field(default_factory=dict)
    ids: dict[UUID, int] = Field(default_factory=dict)
    choices: dict[Literal["a", "b"], int] = Field(default_factory=dict)
    digits: dict[Literal[1, 2], int] = Field(default_factory=dict)
    lower: dict[Annotated[str, StringConstraints(to_lower=True)], int] = Field(default_factory=dict)
    strict: dict[Annotated[int, Field(strict=True)], int] = Field(default_factory=dict)
    names: dict[Annotated[str, AfterValidator(_name)], int] = Field(default_factory=dict)
    either: dict[Colour, int] | list[int] = Field(default_factory=dict)
    deep: dict[int, dict[Colour, int]] = Field(default={1: {}})
    held: Lowered = Lowered()
    maybe: dict[int, int] | None = Field(default_factory=dict)


class Plain(Entity, table=table):
    """Nothing but free keys."""

    keys = Keys("PLAIN#{id}", "PLAIN")
    id: str
    texts: dict[str, int] = Field(default_factory=dict)


ATLAS = key(Atlas, id="1")


@pytest.fixture
def db() -> Iterator[Session]:
    with table.open("memory:") as session:
        session.create(Atlas(id="1"))
        yield session


def _stored(db: Session) -> dict[str, Any]:
    found = db.send("GetItem", {"TableName": "Maps", "Key": {"PK": {"S": "ATLAS#1"}, "SK": {"S": "ATLAS"}}})
    item: dict[str, Any] = found["Item"]
    return item


WRONG = [
    "numbers.zz",
    "amounts.zz",
    "days.soon",
    "times.soon",
    "colours.RED",
    "levels.3",
    "ids.nobody",
    "choices.c",
    "digits.3",
    "strict.zz",
    "names.4",
    "either.zz",
    "deep.1.zz",
    "deep.zz.r",
    "maybe.zz",
]


@pytest.mark.parametrize("path", WRONG)
def test_what_is_no_key_of_the_map_is_refused_before_anything_is_sent(db: Session, path: str) -> None:
    before = _stored(db)
    changes: list[dict[str, Any]] = [{"set": {path: 1}}, {"add": {path: 1}}, {"remove": [path]}]
    for change in changes:
        with pytest.raises(FieldTypeError, match=r"Nothing was (written|sent)"):
            db.update(ATLAS, **change)
    assert _stored(db) == before
    assert db.get(ATLAS) == Atlas(id="1")


SPELLINGS = {
    "numbers.01": ("numbers", "1"),
    "ids.00000000-0000-0000-0000-000000000ABC": ("ids", "00000000-0000-0000-0000-000000000abc"),
    "times.2026-01-01T01:00:00+01:00": ("times", "2026-01-01T00:00:00.000000Z"),
    "lower.ABC": ("lower", "abc"),
    "names.ada": ("names", "Ada"),
    "held.words.ABC": ("held", "abc"),
    "levels.2": ("levels", "2"),
    "digits.2": ("digits", "2"),
    "strict.2": ("strict", "2"),
    "either.r": ("either", "r"),
    "maybe.02": ("maybe", "2"),
}


@pytest.mark.parametrize("path", SPELLINGS)
def test_keys_are_stored_as_a_whole_map_stores_them(db: Session, path: str) -> None:
    field, text = SPELLINGS[path]
    after = db.update(ATLAS, set={path: 7})
    held = _stored(db)[field]["M"]
    assert list(held.get("words", {"M": held})["M"]) == [text]
    assert db.put(after) == after
    assert list(_stored(db)[field]["M"].get("words", {"M": held})["M"]) == [text]
    # The other spelling leads to the same place.
    assert db.update(ATLAS, add={path: 1}) == db.get(ATLAS)
    assert list(_stored(db)[field]["M"].get("words", {"M": held})["M"]) == [text]


def test_two_spellings_of_one_key_are_one_place(db: Session) -> None:
    with pytest.raises(ArgumentError, match="changed in one update"):
        db.update(ATLAS, set={"numbers.1": 1, "numbers.01": 2})
    db.update(ATLAS, set={"numbers.1": 1})
    assert db.update(ATLAS, set={"numbers.01": 2}).numbers == {1: 2}
    assert db.update(ATLAS, remove=["numbers.001"]).numbers == {}


def test_conditions_and_filters_mean_the_same_place(db: Session) -> None:
    db.update(ATLAS, set={"lower.abc": 1})
    assert db.update(ATLAS, set={"texts": {}}, when=Atlas.lower["ABC"] == 1).lower == {"abc": 1}
    found = db.execute(query(Atlas, Atlas.id == "1").filter(exists(Atlas.lower["Abc"]))).all()
    assert [a.id for a in found] == ["1"]
    with pytest.raises(FieldTypeError, match=r"choices\.c"):
        db.update(ATLAS, set={"texts": {}}, when=Atlas.choices["c"] == 1)  # type: ignore[index]


def test_counting_under_a_key_returns_what_was_counted(db: Session) -> None:
    db.update(ATLAS, set={"lower.abc": 1, "numbers.4": 1})
    assert db.increment(ATLAS, Atlas.lower["ABC"], 2) == 3
    assert db.increment(ATLAS, Atlas.numbers["4"], 1) == 2  # type: ignore[index]


def test_a_change_with_a_wrong_key_is_refused_where_it_is_declared() -> None:
    with pytest.raises(ChangeError, match=r"choices\.c"):

        @table.change
        def choose(a: Atlas, v: int) -> None:
            a.choices["c"] = v  # type: ignore[index]


def test_free_keys_may_be_any_text_but_none(db: Session) -> None:
    assert db.update(ATLAS, set={"texts.ÄÖ ": 1, "texts.01": 2}).texts == {"ÄÖ ": 1, "01": 2}
    db.create(Plain(id="1"))
    plain = key(Plain, id="1")
    assert db.update(plain, set={"texts.ÄÖ ": 1}).texts == {"ÄÖ ": 1}
    for entity in (Plain, Atlas):
        with pytest.raises((ChangeError, FieldTypeError), match="key"):
            db.update(key(entity, id="1"), set={"texts": {}}, when=entity.texts[""] == 1)
    with pytest.raises(FieldTypeError, match="texts"):
        db.update(plain, set={"texts.\ud800": 1})


KEYS: dict[str, st.SearchStrategy[Any]] = {
    "texts": st.text("abcXYZ01 -äß", min_size=1, max_size=6),
    "numbers": st.integers(-(10**20), 10**20),
    "amounts": st.integers(-(10**9), 10**9).map(Decimal),
    "days": st.dates(),
    "times": st.datetimes(timezones=st.just(UTC)).map(lambda t: t.replace(microsecond=0)),
    "spans": st.integers(0, 10**6).map(lambda s: timedelta(seconds=s)),
    "colours": st.sampled_from(Colour),
    "levels": st.sampled_from(Level),
    "ids": st.uuids(),
    "choices": st.sampled_from(["a", "b"]),
    "digits": st.sampled_from([1, 2]),
    "lower": st.text("abcXYZ", min_size=1, max_size=6),
    "strict": st.integers(0, 100),
    "names": st.text("abcXYZ", min_size=1, max_size=6),
}


@pytest.fixture(scope="module")
def lasting() -> Iterator[Session]:
    with table.open("memory:") as session:
        yield session


@given(data=st.data(), field=st.sampled_from(sorted(KEYS)))
def test_an_update_by_path_equals_the_entity_built_with_that_key(
    lasting: Session, data: st.DataObject, field: str
) -> None:
    before = data.draw(st.dictionaries(KEYS[field], st.integers(0, 9), max_size=3))
    added, value = data.draw(KEYS[field]), data.draw(st.integers(10, 19))
    one = Atlas.model_validate({"id": "1", field: {added: value}})
    (text,) = table.plan.of(Atlas).fields[field].encode(getattr(one, field))["M"]
    spelled = text if "." not in text else added.isoformat()
    if isinstance(added, str):
        spelled = data.draw(st.sampled_from([added, text]))
    held = lasting.put(Atlas.model_validate({"id": "1", field: before}))
    after = lasting.update(ATLAS, set={f"{field}.{spelled}": value})
    built = Atlas.model_validate({"id": "1", field: {**getattr(held, field), **getattr(one, field)}})
    assert after == built
    by_path = _stored(lasting)[field]
    lasting.put(built)
    assert _stored(lasting)[field] == by_path
