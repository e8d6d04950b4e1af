"""Made-up entities: alike each time, valid, told apart by what must tell them apart."""

import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, Field, model_validator
from typing_extensions import TypedDict

from examples.shop.model import Customer, Order, Product, shop
from tablewright import GSI, Entity, Epoch, Get, Keys, Query, Relationship, Table, Unique, attr, get, query, sparse
from tablewright.errors import ArgumentError
from tablewright.testing import sample, samples


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Inner(BaseModel):
    depth: int = Field(ge=3, le=4)
    words: dict[str, Decimal]


@dataclass
class Point:
    x: int
    y: float


class Loose(TypedDict):
    name: str
    when: date


def wide() -> tuple[Table, type[Entity]]:
    table = Table("Wide")

    class Thing(Entity, table=table, ttl="expires"):
        keys = Keys("THING#{thing_id}", "THING#{thing_id}")
        thing_id: str
        code: Annotated[str, Field(pattern=r"^[A-Z]{3}-\d{2}$")]
        short: Annotated[str, Field(max_length=3)]
        long: Annotated[str, Field(min_length=40)]
        price: Annotated[Decimal, Field(gt=0, decimal_places=2)]
        cost: Annotated[Decimal, Field(ge=0, decimal_places=2)]
        few: Annotated[int, Field(ge=2, lt=4)]
        even: Annotated[int, Field(multiple_of=2)]
        ratio: float
        colour: Colour
        kind: Literal["a", "b"]
        flag: bool
        day: date
        at: datetime
        every: timedelta
        number: UUID
        blob: bytes
        inner: Inner
        points: list[Point]
        loose: Loose
        tags: set[str]
        pair: tuple[int, str]
        anything: Any
        note: str | None = None
        expires: Annotated[datetime, Epoch("s")]

    return table, Thing


def test_the_same_each_time_and_others_for_another_seed() -> None:
    assert samples(shop) == samples(shop)
    assert samples(shop, seed=1) != samples(shop)


TWO_WAYS_TO_BELONG = """
from tablewright import GSI, Entity, Get, Keys, Table, get
from tablewright.testing import samples

table = Table("Twice", indexes=[GSI("GSI1")])

class Person(Entity, table=table):
    keys = Keys("PERSON#{person_id}", "PERSON", GSI1=("MAIL#{mail}", "PERSON"))
    person_id: str
    mail: str

class Letter(Entity, table=table):
    keys = Keys("LETTER#{letter_id}", "LETTER")
    letter_id: str
    person_id: str
    mail: str

@table.pattern
def by_mail(mail: str) -> Get[Person]:
    return get(Person, Person.mail == mail)

print(samples(table))
"""


def test_the_same_in_every_process() -> None:
    told = {
        subprocess.run(
            [sys.executable, "-c", TWO_WAYS_TO_BELONG],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in range(1, 7)
    }
    assert len(told) == 1
    assert "Letter(" in told.pop()


def test_as_many_of_each_as_asked_for() -> None:
    made = samples(shop, each=7)
    counts = {kind.__name__: sum(type(e) is kind for e in made) for kind in shop.entities.values()}
    assert counts == dict.fromkeys(shop.entities, 7)


def test_what_identifies_is_never_shared() -> None:
    made = samples(shop, each=10)
    orders = [e for e in made if isinstance(e, Order)]
    customers = [e for e in made if isinstance(e, Customer)]
    assert len({o.order_id for o in orders}) == 10  # a pattern gets an order by its number alone
    assert len({c.email for c in customers}) == 10  # unique


def test_fields_of_one_name_meet() -> None:
    made = samples(shop, each=10)
    known = {e.username for e in made if isinstance(e, Customer)}
    bought = [e.username for e in made if isinstance(e, Order)]
    assert known.issuperset(bought)
    assert len(set(bought)) < len(bought)  # some have several orders


def test_every_kind_of_field_within_its_bounds() -> None:
    table, thing = wide()
    made = samples(table, each=5)
    assert [type(e) for e in made] == [thing] * 5
    assert len({e.model_dump_json() for e in made}) == 5
    with table.open("memory:") as db:
        for entity in made:
            stored: Any = db.get(db.put(entity))
            made_up: Any = entity
            assert stored == made_up
            assert (str(stored.cost), str(stored.price)) == (str(made_up.cost), str(made_up.price))  # zeros and all


def test_an_item_that_expires_does_not_expire_now() -> None:
    table, _ = wide()
    made: list[Any] = list(samples(table, each=9))
    assert {e.expires.year for e in made} == {2100}
    now = datetime(2031, 5, 6, 7, tzinfo=UTC)
    after = [e.expires - now for e in samples(table, each=9, now=now)]  # type: ignore[attr-defined]
    assert all(timedelta(days=1) <= span < timedelta(days=90) for span in after)
    assert len(set(after)) > 1


def test_of_two_that_mirror_each_other_one_is_made() -> None:
    table = Table("People", indexes=[GSI("GSI1")])

    class Person(Entity, table=table):
        keys = Keys("PERSON#{name}", "PERSON#{name}")
        name: str

    class Follow(Entity, table=table):
        keys = Keys("PERSON#{source}", "FOLLOWS#{target}")
        source: str
        target: str

    class Follower(Entity, table=table):
        keys = Keys("PERSON#{target}", "FOLLOWER#{source}")
        source: str
        target: str

    table.relate(
        Relationship(
            Person,
            Person,
            "M:N",
            "adjacency list",
            via=Follow,
            mirror=Follower,
            source_fields={"source": "name"},
            target_fields={"target": "name"},
        )
    )
    assert {type(e) for e in samples(table)} == {Person, Follow}


def test_rules_over_several_fields_are_kept() -> None:
    table = Table("Ranges")

    class Range(Entity, table=table):
        keys = Keys("RANGE#{range_id}", "RANGE#{range_id}")
        range_id: str
        low: int
        high: int

        @model_validator(mode="after")
        def ordered(self) -> "Range":
            if self.low > self.high:
                raise ValueError("low is above high")
            return self

    made = samples(table, each=6)
    assert len(made) == 6


def test_what_cannot_be_made_up_is_told() -> None:
    table = Table("Odd")

    class Odd(Entity, table=table):
        keys = Keys("ODD#{odd_id}", "ODD#{odd_id}")
        odd_id: str
        code: Annotated[str, Field(pattern=r"^(?:a|bc){2}$")]

    with pytest.raises(ArgumentError, match=r"No samples of Odd\.code can be made up: its pattern is too intricate"):
        samples(table)


def test_unique_combinations_differ() -> None:
    table = Table("Slugs")

    class Page(Entity, table=table):
        keys = Keys("PAGE#{page_id}", "PAGE#{page_id}", unique=[Unique("site", "slug")])
        page_id: str
        site: str
        slug: str

    made: list[Any] = list(samples(table, each=8))
    assert len({(e.site, e.slug) for e in made}) == len(made) == 8


def test_one_sample() -> None:
    assert sample(Product) == sample(Product)
    assert sample(Product, 1) != sample(Product)
    with pytest.raises(ArgumentError, match="takes an entity class"):
        sample(Inner)  # type: ignore[type-var]


def test_no_more_samples_than_there_are_identities() -> None:
    table = Table("Flags")

    class Flag(Entity, table=table):
        keys = Keys("FLAG#{flag}", "FLAG")
        flag: Literal["on", "off"]

    @table.pattern
    def flag(flag: Literal["on", "off"]) -> Get[Flag]:
        return get(Flag, Flag.flag == flag)

    assert len(samples(table)) == 2
    with pytest.raises(ArgumentError, match="no more than 2"):
        sample(Flag, 2)


def clinic() -> Table:
    table = Table("Clinic", indexes=[GSI("GSI1")])

    class Visit(Entity, table=table):  # before those that it belongs to
        keys = Keys("PET#{pet_id}", "VISIT#{visit_id}")
        pet_id: str
        visit_id: str
        state: Literal["new", "queued", "running", "done", "failed", "dead"] = "new"

    class Bill(Entity, table=table):
        keys = Keys(
            "PET#{pet_id}",
            "VISIT#{visit_id}#BILL#{bill_id}",
            GSI1=sparse("BILLS", "{bill_id}", when=attr("kind") == "late"),
        )
        pet_id: str
        visit_id: str
        bill_id: str
        kind: str

    class Pet(Entity, table=table):
        keys = Keys("PET#{pet_id}", "PET")
        pet_id: str

    @table.pattern
    def late_bills() -> Query[Bill]:
        return query(Bill, Bill.kind == "late")

    return table


@pytest.mark.parametrize("each", [6, 12, 300])
def test_children_belong_to_parents_everywhere_and_some_have_many_siblings(each: int) -> None:
    table = clinic()
    made: list[Any] = list(samples(table, each=each))
    by_kind: dict[str, list[Any]] = {
        name: [e for e in made if type(e) is kind] for name, kind in table.entities.items()
    }
    assert {name: len(found) for name, found in by_kind.items()} == dict.fromkeys(table.entities, each)
    pets = [pet.pet_id for pet in by_kind["Pet"]]
    visited = [visit.pet_id for visit in by_kind["Visit"]]
    assert set(visited) <= set(pets)
    assert len(set(visited)) >= each // 2
    assert max(map(visited.count, visited)) >= 2
    visits = {(visit.pet_id, visit.visit_id) for visit in by_kind["Visit"]}
    assert {(bill.pet_id, bill.visit_id) for bill in by_kind["Bill"]} <= visits


@pytest.mark.parametrize("seed", range(5))
def test_every_choice_occurs_and_so_does_what_a_pattern_looks_for(seed: int) -> None:
    made: list[Any] = list(samples(clinic(), each=6, seed=seed))
    assert len({e.state for e in made if hasattr(e, "state")}) == 6
    assert "late" in {e.kind for e in made if hasattr(e, "kind")}


def test_ends_of_links_are_entities_that_there_are() -> None:
    table = Table("People", indexes=[GSI("Inverted", pk="SK", sk="PK")])

    class Person(Entity, table=table):
        keys = Keys("PERSON#{name}", "PERSON#{name}")
        name: str

    class Follow(Entity, table=table):
        keys = Keys("PERSON#{source}", "FOLLOWS#{target}")
        source: str
        target: str

    ends = {"source_fields": {"source": "name"}, "target_fields": {"target": "name"}}
    table.relate(Relationship(Person, Person, "M:N", "adjacency list", via=Follow, **ends))  # type: ignore[arg-type]
    made: list[Any] = list(samples(table, each=20))
    names = {e.name for e in made if isinstance(e, Person)}
    follows = [e for e in made if isinstance(e, Follow)]
    assert len(follows) == 20
    assert {f.source for f in follows} | {f.target for f in follows} <= names


def test_kinds_that_belong_to_each_other_are_made_all_the_same() -> None:
    table = Table("Teams")

    class Team(Entity, table=table):
        keys = Keys("TEAM#{team_id}", "TEAM")
        team_id: str
        user_id: str

    class User(Entity, table=table):
        keys = Keys("USER#{user_id}", "USER")
        user_id: str
        team_id: str

    made: list[Any] = list(samples(table, each=30))
    teams, users = [e for e in made if isinstance(e, Team)], [e for e in made if isinstance(e, User)]
    assert (len(teams), len(users)) == (30, 30)
    assert {t.user_id for t in teams} <= {u.user_id for u in users}


def test_optional_fields_of_index_keys_are_empty_now_and_then() -> None:
    table = Table("Garage", indexes=[GSI("GSI1")])

    class Mechanic(Entity, table=table):
        keys = Keys("MECHANIC#{mechanic_id}", "MECHANIC")
        mechanic_id: str

    class Booking(Entity, table=table):
        keys = Keys(
            "BOOKING#{booking_id}", "BOOKING", GSI1=("MECHANIC#{mechanic_id}", "{booking_id}"), unique=["plate"]
        )
        booking_id: str
        mechanic_id: str | None = None
        plate: str | None = None

    made = [one for one in samples(table, each=4) if isinstance(one, Booking)]
    for name in ("mechanic_id", "plate"):
        assert sum(getattr(one, name) is None for one in made) == 1
    assert {one.mechanic_id for one in made} - {None} <= {f"mechanic-{n}" for n in range(1, 5)}
    assert samples(table, each=4) == samples(table, each=4)


def test_decimals_have_fractions_within_their_bounds() -> None:
    table = Table("Prices")

    class Price(Entity, table=table):
        keys = Keys("PRICE#{price_id}", "PRICE")
        price_id: str
        amount: Decimal
        share: Annotated[Decimal, Field(ge=0, le=1)]
        count: Annotated[Decimal, Field(decimal_places=0)]
        rate: float

    made = [one for one in samples(table, each=12) if isinstance(one, Price)]
    for name in ("amount", "share", "rate"):
        values = [getattr(one, name) for one in made]
        assert any(value % 1 for value in values)
        assert any(value % 1 == 0 for value in values)
    assert all(one.count % 1 == 0 for one in made)
