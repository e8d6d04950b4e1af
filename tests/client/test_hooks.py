"""Hooks of entities: what runs before each kind of write and may change or refuse it, and what is told after it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import Field

from tablewright import (
    GSI,
    Aggregate,
    Changing,
    Deleting,
    Entity,
    Keys,
    Query,
    RetryPolicy,
    Session,
    SoftDelete,
    Table,
    Written,
    after_write,
    before_create,
    before_delete,
    before_put,
    before_update,
    children,
    key,
    query,
)
from tablewright.engine import Engine, open_engine
from tablewright.errors import (
    AccessRefused,
    AlreadyExistsError,
    ArgumentError,
    HookError,
    ImmutableFieldError,
    ModelError,
    OutcomeUnknownError,
    UnprocessedError,
)
from tablewright.testing import ExpiredToken, LostReply, Unprocessed

told: list[Written[Any]] = []
AT_ONCE = RetryPolicy(base_delay=0.0, max_delay=0.0)
people = Table("People", indexes=[GSI("GSI1")])


class Person(Entity, table=people, version=True):
    keys = Keys("PERSON#{person_id}", "PERSON", GSI1=("CITY#{city_key}", "{person_id}"), unique=["email"])
    person_id: str
    city: str
    city_key: str = ""
    email: str = ""
    locked: bool = False

    @before_create
    @before_put
    def normalise(self) -> None:
        self.city_key = self.city.lower()
        self.email = self.email.lower() or f"{self.person_id}@nowhere"
        if self.city == "Atlantis":
            raise ValueError("there is no such city")

    @staticmethod
    @before_update
    def follow(changes: Changing) -> None:
        if "locked" in changes.fields and "city" in changes.fields:
            raise PermissionError("one or the other")
        if "city" in changes.assigned:
            changes.set(city_key=changes.assigned["city"].lower())

    @staticmethod
    @before_delete
    def keep(deleting: Deleting) -> None:
        if deleting.key["person_id"] == "root":
            raise PermissionError("not the root")

    @staticmethod
    @after_write
    def tell(written: Written[Person]) -> None:
        told.append(written)
        if written.key["person_id"] == "unlucky":
            raise OSError("nobody listens")


class Pet(Entity, table=people):
    """No version and nothing unique: it goes through batches."""

    keys = Keys("PET#{pet_id}", "PET")
    pet_id: str
    name: str = ""

    @before_put
    def name_it(self) -> None:
        self.name = self.name.title()

    @staticmethod
    @before_delete
    def keep(deleting: Deleting) -> None:
        if deleting.key == {"pet_id": "cat"}:
            raise PermissionError("not the cat")

    @staticmethod
    @after_write
    def tell(written: Written[Pet]) -> None:
        told.append(written)


@people.pattern
def in_city(city: str) -> Query[Person]:
    return query(Person, Person.city_key == city)


@people.change
def move(p: Person, city: str) -> None:
    p.city = city


@pytest.fixture
def engine() -> Iterator[Engine]:
    with open_engine("memory:") as opened:
        yield opened


@pytest.fixture
def db(engine: Engine) -> Iterator[Session]:
    told.clear()
    with people.open(engine, retry=AT_ONCE) as session:
        yield session


def kinds() -> list[tuple[str, str]]:
    return [(w.kind, next(iter(w.key.values()))) for w in told]


def ann(**more: Any) -> Person:
    return Person(**{"person_id": "ann", "city": "Rome", **more})


def test_index_keys_and_unique_values_follow_what_hooks_change(db: Session) -> None:
    created = db.create(ann(email="A@B.c"))
    assert created.city_key == "rome"
    assert db.run(in_city, "rome").all() == [created]
    db.update(key(Person, person_id="ann"), set={"city": "Paris"})
    db.apply(move, key(Person, person_id="ann"), "Oslo")
    assert [p.city_key for p in db.run(in_city, "oslo")] == ["oslo"]
    with db.edit(key(Person, person_id="ann")) as edited:
        edited.city = "Bern"
    assert edited.city_key == "bern"
    db.put(Person(person_id="ann", city="Turin", email="a@b.C"))
    assert [p.email for p in db.run(in_city, "turin")] == ["a@b.c"]
    with db.transaction() as tx:
        tx.update(key(Person, person_id="ann"), set={"city": "Ghent"})
        tx.create(Person(person_id="bob", city="Ghent"))
    assert {p.person_id for p in db.run(in_city, "ghent")} == {"ann", "bob"}


def test_a_hook_refuses_before_anything_is_written(db: Session, engine: Engine) -> None:
    db.create(ann())
    db.create(Person(person_id="root", city="Rome"))
    told.clear()
    before = engine.execute("Scan", {"TableName": "People"})["Items"]
    for store in (db.create, db.put):
        with pytest.raises(ValueError, match="no such city"):
            store(Person(person_id="x", city="Atlantis"))
    with pytest.raises(PermissionError):
        db.update(key(Person, person_id="ann"), set={"city": "Bonn", "locked": True})
    with pytest.raises(PermissionError):
        db.delete(key(Person, person_id="root"))
    with pytest.raises(PermissionError), db.transaction() as tx:
        tx.create(Person(person_id="y", city="Rome"))
        tx.delete(key(Person, person_id="root"))
    with pytest.raises(PermissionError), db.batch() as batch:
        batch.put(Pet(pet_id="dog"))
        batch.delete(key(Pet, pet_id="cat"))
    assert engine.execute("Scan", {"TableName": "People"})["Items"] == before
    assert told == []


def test_after_each_write_its_kind_and_item_are_told(db: Session) -> None:
    db.create(ann())
    db.put(Person(person_id="ann", city="Oslo"))
    db.update(key(Person, person_id="ann"), set={"city": "Bonn"})
    with db.edit(key(Person, person_id="ann")) as edited:
        edited.locked = True
    db.upsert(Person(person_id="new", city="Rome"))
    db.upsert(Person(person_id="new", city="Oslo"))
    db.delete(key(Person, person_id="ann"))
    assert kinds() == [
        ("created", "ann"),
        ("put", "ann"),
        ("updated", "ann"),
        ("updated", "ann"),
        ("created", "new"),
        ("updated", "new"),
        ("deleted", "ann"),
    ]
    created, put, updated, changed, *_, deleted = told
    assert created.entity == ann(city_key="rome", email="ann@nowhere")
    assert put.entity is not None
    assert put.entity.city_key == "oslo"
    assert updated.entity is not None
    assert (updated.entity.city, updated.fields) == ("Bonn", frozenset({"city", "city_key"}))
    assert changed.fields == {"locked"}
    assert deleted.entity is not None
    assert deleted.entity.city == "Bonn"


def test_after_a_transaction_each_write_is_told_once(db: Session) -> None:
    db.create(ann())
    db.create(Person(person_id="carl", city="Rome"))
    told.clear()
    with db.transaction() as tx:
        tx.update(key(Person, person_id="ann"), set={"city": "Bonn"})
        tx.create(Person(person_id="bob", city="Rome"))
        tx.check(key(Person, person_id="carl"))
        assert told == []
    assert kinds() == [("updated", "ann"), ("created", "bob")]


def test_a_failed_write_is_not_told(db: Session, engine: Engine) -> None:
    db.create(ann())
    told.clear()
    with pytest.raises(AlreadyExistsError):
        db.create(ann())
    with pytest.raises(AlreadyExistsError), db.transaction() as tx:
        tx.create(ann())
        tx.create(Person(person_id="bob", city="Rome"))
    engine.faults.inject(LostReply(operations="UpdateItem"))
    with pytest.raises(OutcomeUnknownError):
        db.update(key(Person, person_id="ann"), set={"locked": True})
    assert told == []


def test_a_retried_write_is_told_once(db: Session, engine: Engine) -> None:
    engine.faults.inject(LostReply(operations="TransactWriteItems", nth=1))
    db.create(ann())
    assert kinds() == [("created", "ann")]


def test_batches_are_told_what_was_done(db: Session, engine: Engine) -> None:
    with db.batch() as batch:
        batch.put(Pet(pet_id="dog", name="rex"))
        batch.put(Pet(pet_id="cow"))
        batch.delete(key(Pet, pet_id="cow"))
        batch.delete(key(Pet, pet_id="hen"))
        assert told == []
    assert kinds() == [("put", "dog"), ("deleted", "cow"), ("deleted", "hen")]
    assert (db.get(key(Pet, pet_id="dog")) or Pet(pet_id="")).name == "Rex"
    told.clear()
    engine.faults.inject(Unprocessed(first=10_000))
    with pytest.raises(UnprocessedError), db.batch() as batch:
        batch.put(Pet(pet_id="pig"))
    assert told == []


def test_a_batch_that_is_refused_midway_is_told_what_was_done(db: Session, engine: Engine) -> None:
    told.clear()
    engine.faults.inject(ExpiredToken(operations="BatchWriteItem", nth=2))
    with pytest.raises(AccessRefused) as caught, db.batch(chunk_size=2) as batch:
        for name in ("dog", "cow", "hen"):
            batch.put(Pet(pet_id=name))
    assert kinds() == [("put", "dog"), ("put", "cow")]
    assert len(caught.value.context["undone"]) == 1


def test_a_hook_that_fails_afterwards_says_that_the_write_was_made(db: Session) -> None:
    with pytest.raises(HookError, match="was created, but a hook after it failed") as failed:
        db.create(Person(person_id="unlucky", city="Rome"))
    assert isinstance(failed.value.__cause__, OSError)
    assert db.get(key(Person, person_id="unlucky")) is not None


def test_async_sessions_run_them_too(engine: Engine) -> None:
    told.clear()

    async def work() -> None:
        async with people.open_async(engine) as db:
            await db.create(ann())
            async with db.transaction() as tx:
                tx.update(key(Person, person_id="ann"), set={"city": "Bonn"})
            found = await db.get(key(Person, person_id="ann"))
            assert found is not None
            assert found.city_key == "bonn"

    asyncio.run(work())
    assert kinds() == [("created", "ann"), ("updated", "ann")]


def test_hooks_cannot_do_what_a_caller_cannot(db: Session) -> None:
    table = Table("Rules")

    class Ruled(Entity, table=table):
        keys = Keys("A#{a}", "A")
        a: str
        n: int = 0
        tags: set[str] = Field(default_factory=set)

        @staticmethod
        @before_update
        def meddle(changes: Changing) -> None:
            if "n" in changes.fields:
                changes.set(a="other")
            if "tags" in changes.fields:
                changes.set(tags={"x"})

    with table.open("memory:") as rules:
        rules.create(Ruled(a="1"))
        with pytest.raises(ImmutableFieldError):
            rules.update(key(Ruled, a="1"), set={"n": 1})
        with pytest.raises(ArgumentError, match="changes in another way"):
            rules.update(key(Ruled, a="1"), include={"tags": ["y"]})


def test_hooks_are_inherited_and_replaced_by_name() -> None:
    table = Table("Bases")
    seen: list[str] = []

    class Base(Entity):
        @before_create
        def first(self) -> None:
            seen.append("base")

        @before_create
        def second(self) -> None:
            seen.append("second")

    class Derived(Base, table=table):
        keys = Keys("A#{a}", "A")
        a: str

        @before_create
        def first(self) -> None:
            seen.append("derived")

    with table.open("memory:") as db:
        db.create(Derived(a="1"))
    assert seen == ["derived", "second"]


def test_trees_run_them_for_every_item() -> None:
    table = Table("Trees")
    seen: list[tuple[str, str]] = []

    class Root(Entity, table=table):
        keys = Keys("ROOT#{root}", "ROOT")
        root: str

    class Leaf(Entity, table=table):
        keys = Keys("ROOT#{root}", "ROOT#LEAF#{leaf}")
        root: str
        leaf: str
        name: str = ""
        lower: str = ""

        @before_create
        def tidy(self) -> None:
            self.lower = self.name.lower()

        @staticmethod
        @before_update
        def follow(changes: Changing) -> None:
            changes.set(lower=changes.assigned["name"].lower())

        @staticmethod
        @before_delete
        def keep(deleting: Deleting) -> None:
            if deleting.key["leaf"] == "kept":
                raise PermissionError("not this one")

        @staticmethod
        @after_write
        def tell(written: Written[Leaf]) -> None:
            seen.append((written.kind, written.key["leaf"]))

    class Tree(Aggregate[Root]):
        leaves: list[Leaf] = children()

    with table.open("memory:") as db:
        tree = Tree(entity=Root(root="1"), leaves=[Leaf(root="1", leaf=n, name="A") for n in ("gone", "kept")])
        db.save_tree(tree)
        tree.leaves[1].name = "B"
        db.save_tree(tree)
        assert tree.leaves[1].lower == "b"
        assert [leaf.lower for leaf in db.load_tree(Tree, key(Root, root="1")).leaves] == ["a", "b"]
        del tree.leaves[0]
        db.save_tree(tree)
        del tree.leaves[0]
        with pytest.raises(PermissionError):
            db.save_tree(tree)
    assert seen == [("created", "gone"), ("created", "kept"), ("updated", "kept"), ("deleted", "gone")]


def test_soft_deletes_are_deletes() -> None:
    table = Table("Soft")
    seen: list[Written[Any]] = []

    class Doc(Entity, table=table, soft_delete=SoftDelete()):
        keys = Keys("A#{a}", "A")
        a: str

        @staticmethod
        @after_write
        def tell(written: Written[Any]) -> None:
            seen.append(written)

    with table.open("memory:") as db:
        db.create(Doc(a="1"))
        db.delete(key(Doc, a="1"))
        db.undelete(key(Doc, a="1"))
    assert [w.kind for w in seen] == ["created", "deleted", "updated"]


def test_wrong_hooks_are_refused_at_definition() -> None:
    table = Table("Wrong")
    with pytest.raises(ModelError, match="an async function"):

        @before_create  # type: ignore[type-var]
        async def waits(self: Any) -> None: ...

    with pytest.raises(ModelError, match=r"Static.*Write @staticmethod above @before_update"):

        class Static(Entity, table=table):
            keys = Keys("A#{a}", "A")
            a: str

            @before_update  # type: ignore[type-var]
            def no_static(self, changes: Changing) -> None: ...

    with pytest.raises(ModelError, match="a static method"):

        class Method(Entity, table=table):
            keys = Keys("A#{a}", "A")
            a: str

            @staticmethod
            @before_put
            def static(entity: Any) -> None: ...

    with pytest.raises(ModelError, match="stands on int"):
        after_write(5)  # type: ignore[type-var]


def test_entities_without_hooks_have_none() -> None:
    table = Table("None")

    class Bare(Entity, table=table):
        keys = Keys("A#{a}", "A")
        a: str

    assert table.plan.of(Bare).hooks is None


def test_the_changes_of_an_upsert_run_the_hooks_of_an_update(db: Session) -> None:
    db.upsert(Person(person_id="u", city="Rome"))
    changed = db.upsert(Person(person_id="u", city="Rome"), set={"city": "London"})
    assert (changed.city, changed.city_key) == ("London", "london")
    assert [p.person_id for p in db.execute(in_city("london")).all()] == ["u"]
    with db.transaction() as tx:
        tx.upsert(Person(person_id="u", city="Rome"), set={"city": "Oslo"})
    assert [p.person_id for p in db.execute(in_city("oslo")).all()] == ["u"]
    with pytest.raises(PermissionError, match="one or the other"):
        db.upsert(Person(person_id="u", city="Rome"), set={"city": "Bonn", "locked": True})


def test_a_purge_runs_the_hooks_of_a_delete() -> None:
    table = Table("Docs")

    class Doc(Entity, table=table, soft_delete=SoftDelete()):
        keys = Keys("DOC#{name}", "DOC")
        name: str

        @staticmethod
        @before_delete
        def keep(deleting: Deleting) -> None:
            if deleting.key == {"name": "charter"}:
                raise PermissionError("not the charter")

    with table.open("memory:") as db:
        db.create(Doc(name="charter"))
        with pytest.raises(PermissionError, match="charter"):
            db.purge(key(Doc, name="charter"))
        assert db.get(key(Doc, name="charter")) is not None
