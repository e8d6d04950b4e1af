"""Patterns on trial: what is right passes, and every way of being wrong is told."""

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, Literal

import pytest

from examples.shop.model import Order, Product, shop
from tablewright import (
    GSI,
    Entity,
    Get,
    Keys,
    Query,
    Relationship,
    Session,
    Table,
    attr,
    get,
    is_in,
    key,
    query,
    sparse,
)
from tablewright.survey.validating import validate_items
from tablewright.testing import TriedPattern, assert_patterns, samples, try_patterns


@pytest.fixture
def data() -> list[Entity]:
    return samples(shop)


@pytest.fixture
def db(data: list[Entity]) -> Iterator[Session]:
    with shop.open("memory:") as opened:
        for entity in data:
            opened.put(entity)
        yield opened


def of(tried: Sequence[TriedPattern], name: str) -> TriedPattern:
    return next(t for t in tried if t.name == name)


def test_all_is_well(db: Session, data: list[Entity]) -> None:
    tried = try_patterns(db, shop, data)
    assert [t.name for t in tried] == list(shop.patterns)
    assert [t for t in tried if not t.well] == []
    assert all(t.calls and t.items for t in tried)
    assert_patterns(db, shop, data)


def an_order(data: list[Entity]) -> Order:
    """One of the customer who has most."""
    orders = [e for e in data if isinstance(e, Order)]
    return max(orders, key=lambda order: sum(other.username == order.username for other in orders))


def delete(db: Session, data: list[Entity]) -> None:
    for entity in data:
        if isinstance(entity, Order):
            db.delete(entity)


def alter(db: Session, data: list[Entity]) -> None:
    for entity in data:
        if isinstance(entity, Order):
            db.update(entity, set={"total": entity.total + 1})


def leave_index(db: Session, data: list[Entity]) -> None:
    for entity in data:
        if isinstance(entity, Order):
            raw_key = {"PK": {"S": f"CUSTOMER#{entity.username}"}, "SK": {"S": sort_key(db, entity)}}
            request = {"TableName": db.table_name, "Key": raw_key, "UpdateExpression": "REMOVE GSI2PK"}
            db.send("UpdateItem", request)


def sort_key(db: Session, order: Order) -> str:
    return f"ORDER#{order.placed_at:%Y-%m-%dT%H:%M:%S.%f}Z#{order.order_id}"


def add(db: Session, data: list[Entity]) -> None:
    for entity in data:
        if isinstance(entity, Order):
            db.put(Order(**{**entity.model_dump(), "order_id": f"{entity.order_id}-again"}))


@pytest.mark.parametrize(
    ("spoil", "pattern", "problem"),
    [
        (delete, "order", "found nothing where an item meets"),
        (delete, "orders_of", "left out"),
        (alter, "order", "found another item"),
        (alter, "orders_of", "does not meet its conditions"),
        (leave_index, "orders_with_status", "left out"),
        (add, "orders_of", "does not meet its conditions"),
    ],
)
def test_what_is_wrong_is_told(
    db: Session, data: list[Entity], spoil: Callable[[Session, list[Entity]], None], pattern: str, problem: str
) -> None:
    spoil(db, data)
    found = of(try_patterns(db, shop, data), pattern)
    assert not found.well
    assert problem in found.problems[0]
    with pytest.raises(AssertionError, match=rf"{pattern}\(\): .*{problem}"):
        assert_patterns(db, shop, data)


def test_a_collection_that_lacks_an_item_is_wrong(db: Session, data: list[Entity]) -> None:
    for entity in data:
        if isinstance(entity, Product):
            db.delete(key(Product, product_id=entity.product_id))
    assert "its part 'product' found another item" in of(try_patterns(db, shop, data), "product_page").problems[0]


def test_an_item_that_nobody_knows_of_is_told(db: Session, data: list[Entity]) -> None:
    unknown = an_order(data)
    left = [e for e in data if e is not unknown]
    assert "found an item" in str(of(try_patterns(db, shop, left), "orders_of").problems)


def test_a_pattern_that_finds_nothing_proves_nothing() -> None:
    with shop.open("memory:") as db:
        tried = try_patterns(db, shop, [])
    assert {t.name for t in tried if not t.well} == set(shop.patterns)
    assert "no call found anything" in tried[0].problems[0]


def test_two_items_for_one_are_told() -> None:
    table = Table("Doubles", indexes=[GSI("GSI1")])

    class Note(Entity, table=table):
        keys = Keys("NOTE#{note_id}", "NOTE", GSI1=("TITLE#{title}", "TITLE"))
        note_id: str
        title: str

    @table.pattern
    def by_title(title: str) -> Get[Note]:
        return get(Note, Note.title == title)

    data = [Note(note_id="n1", title="same"), Note(note_id="n2", title="same")]
    with table.open("memory:") as db:
        for note in data:
            db.put(note)
        (tried,) = try_patterns(db, table, data)
    assert tried.problems == ("it gets one item, and 2 meet its conditions.",)


def test_the_order_of_the_sort_key_counts() -> None:
    table = Table("Ordered")

    class Step(Entity, table=table):
        keys = Keys("JOB#{job}", "STEP#{number:3}")
        job: str
        number: int
        label: str

    @table.pattern
    def steps(job: str) -> Query[Step]:
        return query(Step, Step.job == job).newest_first()

    # The fields of what is expected say another order than the keys that are stored.
    data: list[Any] = [Step(job="j", number=n, label=f"l{n}") for n in (1, 2, 3)]
    with table.open("memory:") as db:
        for step in data:
            db.put(step)
        assert_patterns(db, table, data)
        swapped = {1: 3, 3: 1}
        for step in data:
            raw = {"PK": {"S": "JOB#j"}, "SK": {"S": f"STEP#{step.number:03}"}}
            stored = db.send("GetItem", {"TableName": "Ordered", "Key": raw})["Item"]
            number = str(swapped.get(step.number, step.number))
            db.send(
                "PutItem",
                {"TableName": "Ordered", "Item": {**stored, "number": {"N": number}, "label": {"S": f"l{number}"}}},
            )
        (tried,) = try_patterns(db, table, data)
    assert tried.problems == ("it found items in another order than that of its sort key.",)


def test_what_is_more_less_or_other_than_an_argument_is_missed() -> None:
    table = Table("Votes", indexes=[GSI("GSI1")])

    class Vote(Entity, table=table):
        keys = Keys("POLL#{poll}", "VOTE#{vote_id}", GSI1=("VOTER#{voter}", "{vote_id}"))
        poll: str
        vote_id: str
        voter: str
        weight: int

    @table.pattern
    def heavier(voter: str, than: int) -> Query[Vote]:
        return query(Vote, Vote.voter == voter).filter(Vote.weight > than)

    @table.pattern
    def lighter(voter: str, than: int) -> Query[Vote]:
        return query(Vote, Vote.voter == voter).filter(Vote.weight < than)

    @table.pattern
    def others(voter: str, weight: int) -> Query[Vote]:
        return query(Vote, Vote.voter == voter).filter(Vote.weight != weight)

    # Each voter votes once, so that no other vote of theirs is in the place of the one that is lost.
    data = [Vote(poll="p", vote_id=f"v{n}", voter=f"u{n}", weight=n) for n in range(1, 13)]
    with table.open("memory:") as db:
        for vote in data:
            db.put(vote)
        assert_patterns(db, table, data)
        lost = {"PK": {"S": "POLL#p"}, "SK": {"S": "VOTE#v6"}}
        db.send("UpdateItem", {"TableName": "Votes", "Key": lost, "UpdateExpression": "REMOVE GSI1PK"})
        tried = try_patterns(db, table, data)
    assert {t.name: t.problems for t in tried} == dict.fromkeys(
        ("heavier", "lighter", "others"), ("it left out 1 of 1 items that meet its conditions.",)
    )


def test_sparse_indexes_lists_prefixes_filters_and_mirrors() -> None:
    table = Table("Tasks", indexes=[GSI("GSI1")])

    class Task(Entity, table=table):
        keys = Keys(
            "TEAM#{team}",
            "TASK#{task_id}",
            GSI1=sparse("OPEN#{team}", "{title}#{task_id}", when=attr("status") == "open"),
        )
        team: str
        task_id: str
        title: str
        status: Literal["open", "done"]
        points: int

    class Member(Entity, table=table):
        keys = Keys("TEAM#{team}", "MEMBER#{user}")
        team: str
        user: str

    class Membership(Entity, table=table):
        keys = Keys("USER#{user}", "MEMBER#{team}")
        team: str
        user: str

    class Team(Entity, table=table):
        keys = Keys("TEAM#{team}", "TEAM")
        team: str

    class User(Entity, table=table):
        keys = Keys("USER#{user}", "USER")
        user: str

    table.relate(
        Relationship(
            Team,
            User,
            "M:N",
            "adjacency list",
            via=Member,
            mirror=Membership,
            source_fields=("team",),
            target_fields=("user",),
        )
    )

    @table.pattern
    def open_tasks(team: str) -> Query[Task]:
        return query(Task, Task.team == team, Task.status == "open")

    @table.pattern
    def large_tasks(team: str, least: int) -> Query[Task]:
        return query(Task, Task.team == team).filter(Task.points >= least)

    @table.pattern
    def tasks_of(teams: list[str]) -> Query[Task]:
        return query(Task, is_in(Task.team, teams))

    @table.pattern
    def teams_of(user: str) -> Query[Membership]:
        return query(Membership, Membership.user == user)

    data = samples(table)
    with table.open("memory:") as db:
        for entity in data:
            db.put(entity)
        tried = try_patterns(db, table, data)
    assert [t for t in tried if not t.well] == []
    assert all(t.items for t in tried)


@pytest.mark.parametrize(
    "application",
    [
        "kefir",
        *(pytest.param(a, marks=pytest.mark.full) for a in ("blog", "orders", "saas", "shop", "social", "surveyor")),
    ],
)
@pytest.mark.parametrize("seed", [1, 2])
def test_every_example_is_right_on_made_up_data(application: str, seed: int) -> None:
    module = import_module(f"examples.{application}.model")
    (table,) = {value for value in vars(module).values() if isinstance(value, Table)}
    made = samples(table, seed=seed)
    with table.open("memory:", table_name=table.label) as db:
        for entity in made:
            db.put(entity)
        assert_patterns(db, table, made)
        assert validate_items(db, table).well
