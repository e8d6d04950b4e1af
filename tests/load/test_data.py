"""What loads are made on: marked ids, expected sizes, parents and values by demand."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

import pytest
from pydantic import Field

from tablewright import Entity, Keys, SoftDelete, Table
from tablewright.engine import open_engine
from tablewright.load.data import World, clean, write_all
from tablewright.load.making import PREFIX, is_marked, partitions_of
from tablewright.survey.items import item_of, stored_items
from tablewright.values.sizes import item_size

START = datetime(2025, 6, 1, tzinfo=UTC)


def world_of(table: Table, number: int = 60, seed: int = 0) -> World:
    world = World(table, seed=seed, zipf=0.99, tag="t", start=START)
    world.fill(number)
    assert not world.refused
    return world


def there(world: World, name: str) -> list[Any]:
    return list(world.there[kind(world.table, name)])


def kind(table: Table, name: str) -> type[Entity]:
    return next(entity for entity in table.entities.values() if entity.__name__ == name)


def test_everything_is_marked_but_what_has_no_place_for_a_mark(library: Table) -> None:
    world = world_of(library)
    assert {e.__name__ for e in world.there if world.unmarked(e)} == {"Opening"}
    member: Any = world.there[kind(library, "Member")][0]
    book: Any = world.there[kind(library, "Book")][0]
    assert member.member_id.startswith(f"{PREFIX}t-")
    assert is_marked({"book_id": book.book_id})


@pytest.mark.parametrize("own", ["load-balancer", "ada", UUID(int=5), 7, None, "xtw-load-1"], ids=str)
def test_nothing_else_is_taken_for_marked(own: Any) -> None:
    assert not is_marked({"id": own})


def test_loans_belong_to_members_and_books_that_are_there(library: Table) -> None:
    world = world_of(library)
    members = {one.member_id for one in there(world, "Member")}
    books = {one.book_id for one in there(world, "Book")}
    loans = there(world, "Loan")
    assert loans
    assert all(loan.member_id in members and loan.book_id in books for loan in loans)


def test_the_hottest_parent_has_the_share_that_was_said(library: Table) -> None:
    world = world_of(library)
    maker = world.maker(kind(library, "Loan"))
    loans: list[Any] = [maker.make(START) for _ in range(600)]
    (_, most), *_ = Counter(loan.member_id for loan in loans).most_common(1)
    assert most / 600 == pytest.approx(0.4, abs=0.08)


def test_the_hottest_value_of_a_field_has_the_share_that_was_said(library: Table) -> None:
    world = world_of(library)
    maker = world.maker(kind(library, "Book"))
    books: list[Any] = [maker.make(START) for _ in range(600)]
    (_, most), *_ = Counter(book.shelf for book in books).most_common(1)
    assert most / 600 == pytest.approx(0.7, abs=0.08)


def test_a_value_is_as_hot_wherever_it_stands(library: Table) -> None:
    world = world_of(library)
    chance = world.chance
    hottest = []
    for name in ("Member", "Loan"):
        choice = world.choice(kind(library, name), ("member_id",))
        assert choice is not None
        drawn: list[Any] = [choice.draw(chance) for _ in range(300)]
        hottest.append(Counter(one.member_id for one in drawn).most_common(1)[0][0])
    first, second = hottest
    assert first == second


def test_items_have_the_size_that_is_expected(library: Table) -> None:
    world = world_of(library)
    for name, size in (("Member", 500), ("Book", 300)):
        found = [item_size(item_of(one)) for one in world.there[kind(library, name)]]
        assert size - 30 <= sum(found) / len(found) <= size + 30
        assert world.maker(kind(library, name)).short == 0


def test_what_is_written_now_has_the_time_of_now(library: Table) -> None:
    world = world_of(library)
    loan: Any = world.maker(kind(library, "Loan")).make(START + timedelta(seconds=9))
    assert loan.lent_at == START + timedelta(seconds=9)
    assert all(one.lent_at < START for one in there(world, "Loan"))


def test_a_change_keeps_what_identifies_it(library: Table) -> None:
    world = world_of(library)
    maker = world.maker(kind(library, "Loan"))
    before: Any = world.there[kind(library, "Loan")][0]
    changed: list[Any] = [maker.changed(before) for _ in range(10)]
    assert {(one.member_id, one.lent_at, one.book_id) for one in changed} == {
        (before.member_id, before.lent_at, before.book_id)
    }
    assert len({one.pages for one in changed}) > 1


def test_partitions_of_the_table_and_of_each_index_are_known(library: Table) -> None:
    world = world_of(library)
    loan: Any = world.there[kind(library, "Loan")][0]
    assert partitions_of(library.plan.of(type(loan)), loan, START) == {
        "": f"MEMBER#{loan.member_id}",
        "GSI1": f"BOOK#{loan.book_id}",
    }


def test_the_same_seed_makes_the_same_and_another_another(library: Table) -> None:
    first, second, other = (world_of(library, 20, seed).there for seed in (1, 1, 2))
    assert first == second != other


def test_what_loads_have_written_goes_and_everything_else_stays(library: Table) -> None:
    world = world_of(library, 10)
    member_type: Any = kind(library, "Member")
    with library.open("memory:") as db:
        own: Any = member_type(member_id="load-ada", email="ada@example.com", name="Ada")
        db.create(own)
        db.send("PutItem", {"TableName": db.table_name, "Item": {"PK": {"S": "tw-load-x"}, "SK": {"S": "of another"}}})
        before = list(stored_items(db))
        world.withhold(kind(library, "Opening"), "it bears no mark")
        count = write_all(db, world)
        assert count == sum(map(len, world.there.values()))
        assert len(list(stored_items(db))) > len(before) + 20
        assert clean(db, library) == count
        assert list(stored_items(db)) == before


def test_what_soft_delete_leaves_behind_goes_too() -> None:
    files = Table("Files")

    class File(Entity, table=files, soft_delete=SoftDelete()):
        keys = Keys("FILE#{file_id}", "FILE")
        file_id: Annotated[str, Field(pattern=r"^[A-Z0-9-]+$", max_length=20)]

    files.expect(File, writes=100)
    with open_engine("memory:") as engine, files.open(engine) as db:
        world = world_of(files, 10)
        write_all(db, world)
        for one in world.there[File][:5]:
            db.delete(one)
        assert len(list(stored_items(db))) == 10
        assert clean(db, files) == 10
        assert list(stored_items(db)) == []


def test_ids_keep_to_their_patterns() -> None:
    parcels = Table("Parcels")

    class Parcel(Entity, table=parcels):
        keys = Keys("PARCEL#{code}", "PARCEL")
        code: Annotated[str, Field(pattern=r"^[A-Z]{3}$")]

    world = world_of(parcels, 10)
    assert not world.maker(Parcel).told_apart
    assert world.unmarked(Parcel)


def test_stored_items_can_be_looked_at_instead(library: Table) -> None:
    made = world_of(library, 10)
    with library.open("memory:") as db:
        write_all(db, made)
        seen = World(library, seed=0, zipf=0.99, tag="", start=START)
        seen.look(db, 15)
    assert 0 < sum(map(len, seen.there.values())) <= 15
