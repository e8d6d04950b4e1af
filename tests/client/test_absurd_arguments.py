"""Arguments that no type checker would let through still get an answer in our own words."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import Field

from tablewright import Entity, Get, Keys, Session, Table, get, is_in, key, require
from tablewright.errors import (
    ArgumentError,
    ChangeError,
    ConditionalCheckError,
    ConfigError,
    ModelError,
    PatternError,
    TablewrightError,
)
from tests.client.conftest import Laboratory
from tests.client.lab import Ticket, lab, tickets_of

NOTHING: Any = None
ONE: Any = key(Ticket, tenant_id="t", ticket_id="1")

CALLS: dict[str, tuple[Callable[[Any], object], str]] = {
    "get_many(None)": (lambda db: db.get_many(NOTHING), "given NoneType, not a list"),
    "get_many(key)": (lambda db: db.get_many(ONE), "given Key, not a list.*use get"),
    "revise(None)": (lambda db: db.revise(ONE, NOTHING), "NoneType, which is no function"),
    "is_in(5)": (lambda db: is_in(Ticket.rank, 5), "int, not a list of values"),  # type: ignore[arg-type]
    "is_in(text)": (lambda db: is_in(Ticket.city, "ab"), "str, not a list of values"),
    "send([])": (lambda db: db.send([], {}), "list as its operation"),
}


@pytest.mark.parametrize("name", CALLS)
def test_it_is_refused_in_words(db: Session, name: str) -> None:
    call, words = CALLS[name]
    with pytest.raises(ArgumentError, match=words):
        call(db)


SECRET = "s3cr3t"
JUNK: Any = {SECRET: SECRET}
THINGS: Any = [Ticket(tenant_id="t", ticket_id="1")]
UNTOUCHED: dict[str, tuple[Callable[[Any], Any], type[TablewrightError], str]] = {
    "delete_collection(progress)": (
        lambda db: db.delete_collection(ONE, reach="partition", progress=JUNK),
        ArgumentError,
        r"delete_collection\(progress=...\) was given dict, which is no function",
    ),
    "sweep(work)": (
        lambda db: db.sweep_for_maintenance(Ticket, JUNK),
        ArgumentError,
        r"sweep_for_maintenance\(\) was given dict, which is no function",
    ),
    "sweep(progress)": (
        lambda db: db.sweep_for_maintenance(Ticket, print, progress=JUNK),
        ArgumentError,
        r"sweep_for_maintenance\(progress=...\) was given dict, which is no function",
    ),
    "sweep(only)": (
        lambda db: db.sweep_for_maintenance(Ticket, print, only=JUNK),
        PatternError,
        r"sweep_for_maintenance\(\): only= takes a Pydantic model class, not dict",
    ),
    "sweep(only=int)": (
        lambda db: db.sweep_for_maintenance(Ticket, print, only=int),
        PatternError,
        "only= takes a Pydantic model class, not type",
    ),
    "sweep(entities)": (
        lambda db: db.sweep_for_maintenance(THINGS, print),
        ArgumentError,
        r"sweep_for_maintenance\(\) takes an entity, or a list of entities",
    ),
    "sweep(dicts)": (
        lambda db: db.sweep_for_maintenance([JUNK], print),
        ArgumentError,
        r"sweep_for_maintenance\(\) takes an entity, or a list of entities",
    ),
    "sweep(an entity)": (
        lambda db: db.sweep_for_maintenance(THINGS[0], print),
        ArgumentError,
        r"sweep_for_maintenance\(\) takes an entity, or a list of entities",
    ),
    "get_many(only)": (
        lambda db: db.get_many([ONE], only=JUNK),
        PatternError,
        r"get_many\(\): only= takes a Pydantic model class, not dict",
    ),
    "tally(of)": (
        lambda db: db.tally(tickets_of("t"), of=JUNK),
        ArgumentError,
        r"tally\(of=...\) was given dict, which is no function",
    ),
}


@pytest.mark.parametrize("name", UNTOUCHED)
def test_it_is_refused_before_anything_is_sent(laboratory: Laboratory, name: str) -> None:
    call, kind, words = UNTOUCHED[name]
    laboratory.other.create(Ticket(tenant_id="t", ticket_id="1"))
    laboratory.wire.sent.clear()
    with pytest.raises(kind, match=words) as refused:
        call(laboratory.db)
    assert SECRET not in str(refused.value)

    async def awaited() -> None:
        async with lab.open_async("memory:") as db:
            await call(db)

    with pytest.raises(kind, match=words):
        asyncio.run(awaited())
    assert laboratory.wire.sent == []


def test_what_is_no_entity_is_told_which_there_are(db: Session) -> None:
    with pytest.raises(ModelError, match=r"NoneType is no entity of Lab\. Its entities are: Account, Draft, "):
        db.put(NOTHING)


def test_a_url_of_another_kind_makes_no_file() -> None:
    with pytest.raises(ConfigError, match="does not know 'ftp' URLs"):
        lab.open("ftp://somewhere/table")


@pytest.mark.parametrize(
    ("target", "words"),
    {
        "memory": "Did you mean 'memory:'",
        "memry:": "Did you mean 'memory:'",
        "Memory": "Did you mean 'memory:'",
        ":memory:": "Did you mean 'memory:'",
        "aws": "Did you mean 'aws:'",
        "AWS:eu-west-1": "Did you mean 'aws:eu-west-1'",
        "eu-west-1": "Did you mean 'aws:eu-west-1'",
        "localhost:8000": "Did you mean 'http://localhost:8000'",
        "sqlite:shop.db": "does not know the target 'sqlite:'",
    }.items(),
)
def test_a_mistaken_target_makes_no_file(
    target: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for opening in (lab.open, lab.open_async):
        with pytest.raises(ConfigError, match=words):
            opening(target)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("target", ["memory.db", "aws.db", "memories", "./memory", "./a:b", "shop"])
def test_names_of_files_are_not_mistaken(target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lab.open(target).close()
    assert (tmp_path / target).exists()


def test_a_failed_condition_says_which_part_failed_and_no_values(db: Session) -> None:
    db.create(Ticket(tenant_id="t", ticket_id="1", city="Bonn"))
    with pytest.raises(ConditionalCheckError, match=r"does not hold: city = …\.") as caught:
        db.update(ONE, set={"rank": 2}, when=[Ticket.status == "NEW", Ticket.city == "Secret"])
    assert "Secret" not in str(caught.value)


def test_a_meter_shows_its_sums(db: Session) -> None:
    with db.measure() as meter:
        db.get(ONE)
    assert repr(meter) == "<meter: 1 requests, 0.5 read units, 0 write units>"


# ------------------------------------------------------------------------------------------- at definition

model = Table("Absurd")


class Thing(Entity, table=model):
    """Something to count."""

    keys = Keys("THING#{id}", "THING")
    id: str
    count: int = 0
    tags: list[str] = Field(default_factory=list)


def test_what_cannot_be_added_is_refused_at_definition() -> None:
    with pytest.raises(ChangeError, match=r"Thing.count is int; str cannot be added to it"):

        @model.change
        def add_text(t: Thing) -> None:
            t.count = t.count + "a"  # type: ignore[operator]

    with pytest.raises(ChangeError, match=r"Thing.count is int; str cannot be added to it"):

        @model.change
        def take_text(t: Thing) -> None:
            t.count = t.count - "a"  # type: ignore[operator]


def test_a_list_that_grows_twice_is_told_how_to_grow_once() -> None:
    with pytest.raises(ChangeError, match=r"several members go into one extend\(\)"):

        @model.change
        def twice(t: Thing) -> None:
            t.tags.append("a")
            t.tags.append("b")


def test_a_flag_without_effect_is_refused() -> None:
    with pytest.raises(PatternError, match="never uses its parameter 'loud'"):

        @model.pattern
        def thing(thing_id: str, loud: bool) -> Get[Thing]:
            return get(Thing, Thing.id == thing_id)

    with pytest.raises(PatternError, match="never uses its parameter 'loud'"):

        @model.change
        def count(t: Thing, loud: bool) -> None:
            require(t.count == 0)
            t.count = 1


def test_a_second_definition_is_told_about_shells() -> None:
    def declare() -> None:
        @model.pattern
        def one(thing_id: str) -> Get[Thing]:
            return get(Thing, Thing.id == thing_id)

    declare()
    with pytest.raises(ModelError, match=r"already has a pattern one\(\).*run the whole model again"):
        declare()


def test_a_read_that_was_not_run_is_told_how() -> None:
    with pytest.raises(ArgumentError, match=r"a read does nothing by itself\. Run it: db\.run"):
        list(tickets_of("t"))  # type: ignore[call-overload]


def test_what_a_body_cannot_say_is_a_mistake_of_the_change() -> None:
    with pytest.raises(ChangeError, match="used as True or False here"):

        @model.change
        def maybe(t: Thing) -> None:
            if t.count > 1:
                t.count = 0
