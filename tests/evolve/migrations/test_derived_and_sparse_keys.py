"""Keys that the old model made of placeholders that mean something else now, or for some items only: a rollback makes them again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tablewright import Bucket, Session, Shard
from tablewright.engine import open_engine
from tablewright.errors import ArgumentError
from tablewright.evolve.migrations import ChangeKey, FillKeys, Question, RemoveKeys, RenameAttribute
from tablewright.evolve.migrations.files import read_file
from tablewright.evolve.migrations.generating import steps_between
from tablewright.evolve.migrations.migrator import Migrator
from tablewright.evolve.migrations.printing import printed
from tests.evolve.differences.models import changed, described, loaded
from tests.evolve.migrations.tables import file, skipped, written

OLD = """
from datetime import datetime
from tablewright import GSI, Bucket, Entity, Keys, Query, Shard, Table, attr, query, sparse

shop = Table("Shop", indexes=[GSI("GSI1"), GSI("GSI2")])

class Order(Entity, table=shop):
    keys = Keys(
        "ORDERS#{month}", "{placed_at}#{number}",
        GSI1=("ALL#{shard}", "{number}"),
        GSI2=sparse("OPEN", "{state}#{number}", when=attr("state") == "open"),
        derive={"shard": Shard("number", of=2), "month": Bucket("placed_at", by="month")},
    )
    number: str
    placed_at: datetime
    state: str = "open"

@shop.pattern
def all_orders() -> Query[Order]:
    return query(Order)

@shop.pattern
def open_orders() -> Query[Order]:
    return query(Order, Order.state == "open").via("GSI2")
"""
MORE_SHARDS = [('Shard("number", of=2)', 'Shard("number", of=16)')]
NO_SHARDS = [('"ALL#{shard}", "{number}"', '"ALL", "{number}"'), ('"shard": Shard("number", of=2), ', "")]
BY_DAY = [('by="month"', 'by="day"')]
WITH_DUE = ('    state: str = "open"', '    state: str = "open"\n    due: str | None = None')
NOT_CLOSED = [('when=attr("state") == "open"', 'when=attr("state") != "closed"')]
RENAMED = [("    number: str", "    code: str"), ("{number}", "{code}"), ('Shard("number"', 'Shard("code"')]


class Ground:
    """A table with items of the old model, and the new one on it."""

    def __init__(self, old: Session, new: Session, old_module: Any, new_module: Any) -> None:
        self.old, self.new = old, new
        self.old_module, self.new_module = old_module, new_module

    def migrator(self, *steps: Any) -> Migrator:
        return Migrator(self.new, self.new_module.shop, [file(*steps)])

    def items(self) -> list[Any]:
        found = self.old.send("Scan", {"TableName": "Shop"})["Items"]
        return sorted((item for item in found if "migrations" not in item), key=repr)


@contextmanager
def shop(replacements: list[tuple[str, str]], before: Sequence[tuple[str, str]] = ()) -> Iterator[Ground]:
    old, new = loaded(changed(OLD, list(before))), loaded(changed(OLD, replacements))
    with (
        open_engine("memory:") as engine,
        old.shop.open(engine, create=True) as then,
        new.shop.open(engine, create=False) as after,
    ):
        for number, state in enumerate(("open", "closed", "late", "open")):
            placed = datetime(2026, 1, 1 + number, tzinfo=UTC)
            then.create(old.Order(number=f"{number}", placed_at=placed, state=state))
        yield Ground(then, after, old, new)


def steps(replacements: list[tuple[str, str]]) -> list[Any]:
    return list(steps_between(described(OLD), described(changed(OLD, replacements)))[0])


def decided(replacements: list[tuple[str, str]]) -> list[Any]:
    return [step for step in steps(replacements) if not isinstance(step, Question)]


@pytest.mark.parametrize("replacements", [MORE_SHARDS, NO_SHARDS, BY_DAY], ids=["more", "none", "days"])
def test_a_rollback_makes_keys_of_what_placeholders_meant(replacements: list[tuple[str, str]]) -> None:
    made = decided(replacements)
    assert [step.derive for step in made] == [
        {"month": Bucket("placed_at", by="month")} if replacements is BY_DAY else {"shard": Shard("number", of=2)}
    ]
    with shop(replacements) as ground:
        before = ground.items()
        for _ in range(2):
            assert skipped(ground.migrator(*made).run(write=True)) == {}
            assert written(ground.migrator(*made).run(write=True)) == 0
            assert len(ground.new.run(ground.new_module.all_orders).all()) == 4
            assert skipped(ground.migrator(*made).rollback(write=True)) == {}
            assert ground.items() == before
        ground.migrator(*made).run(write=True)
        ground.migrator(*made).cutover()
        ground.migrator(*made).retire(write=True)
        ground.migrator(*made).rollback(write=True)
        assert ground.items() == before


def test_placeholders_of_a_renamed_field_are_worked_out_of_what_a_rollback_brings_back() -> None:
    rename = RenameAttribute("Order", "number", to="code")
    fill = FillKeys("Order", "GSI1", was=("ALL#{shard}", "{code}"), derive={"shard": Shard("code", of=2)})
    with shop([*RENAMED, ("of=2", "of=16")]) as ground:
        before = ground.items()
        assert skipped(ground.migrator(rename, fill).run(write=True)) == {}
        assert skipped(ground.migrator(rename, fill).rollback(write=True)) == {}
        assert ground.items() == before


def test_keys_that_derive_something_are_not_taken_apart_into_attributes() -> None:
    several = [
        ('GSI("GSI1")', 'GSI("ByNumber", pk=["number", "state"], sk=["placed_at"])'),
        ('GSI1=("ALL#{shard}", "{number}")', 'ByNumber=(("{number}", "{state}"), "{placed_at}")'),
        ('"shard": Shard("number", of=2), ', ""),
        ("return query(Order)", 'return query(Order, Order.number == "1", Order.state == "open")'),
    ]
    (remove,) = [step for step in steps(several) if isinstance(step, RemoveKeys)]
    assert remove.derive == {"shard": Shard("number", of=2)}


def was_open(item: dict[str, Any]) -> bool:
    return bool(item["state"] == "open")


def at_times(item: dict[str, Any]) -> bool:
    return bool(item["nothing"])


def test_a_rollback_knows_which_items_were_in_a_sparse_index() -> None:
    (asked,) = [step for step in steps(NOT_CLOSED) if isinstance(step, Question) and "those items" in step.asks]
    assert "state = 'open'" in asked.asks
    (fill,) = decided(NOT_CLOSED)
    assert fill == FillKeys("Order", "GSI2", was=("OPEN", "{state}#{number}"))
    fill = FillKeys("Order", "GSI2", was=fill.was, when=was_open)
    assert fill.code() == 'FillKeys("Order", "GSI2", was=("OPEN", "{state}#{number}"), when=was_open)'
    with shop(NOT_CLOSED) as ground:
        before = ground.items()
        assert written(ground.migrator(fill).run(write=True)) == 1
        failing = FillKeys("Order", "GSI2", was=fill.was, when=at_times)
        assert skipped(ground.migrator(failing).rollback(write=True)) == {"at_times() failed with KeyError": 4}
        assert skipped(ground.migrator(fill).rollback(write=True)) == {}
        assert ground.items() == before
        assert [order.number for order in ground.old.run(ground.old_module.open_orders)] == ["0", "3"]


def test_a_file_with_placeholders_can_be_read_again(tmp_path: Path) -> None:
    made = [*decided(MORE_SHARDS), *decided(BY_DAY)]
    path = tmp_path / "0001_shards.py"
    path.write_text(printed("shards", "old.py", made, []))
    assert list(read_file(path).migration.steps) == made
    assert "from tablewright import Bucket, Shard\n" in path.read_text()


@pytest.mark.parametrize("derive", ["shard", {"shard": 4}, {1: Shard("number", of=2)}], ids=repr)
def test_what_is_no_placeholder_is_refused(derive: Any) -> None:
    with pytest.raises(ArgumentError, match="Shard and Bucket only"):
        ChangeKey("Order", was=("ORDERS#{shard}", "{number}"), copies=True, derive=derive)


def by_state(keys: str) -> list[tuple[str, str]]:
    index = ('GSI("GSI2")]', 'GSI("GSI2"), GSI("ByState", pk="state", sk="ByStateSK")]')
    return [index, ("        derive=", f"        ByState={keys},\n        derive="), WITH_DUE]


def test_a_field_that_an_index_has_as_its_key_stays_where_an_item_was_not_in_the_index() -> None:
    with shop(by_state('("{state}", "{number}")'), by_state('("{state}", "{due}#{number}")')) as ground:
        before = ground.items()
        for when in (None, was_open):
            fill = FillKeys("Order", "ByState", was=("{state}", "{due}#{number}"), when=when)
            assert written(ground.migrator(fill).run(write=True)) == 4
            assert skipped(ground.migrator(fill).rollback(write=True)) == {}
            assert ground.items() == before


def test_what_new_code_wrote_comes_back_into_an_index_by_a_field_and_a_key_of_its_own() -> None:
    old, new = by_state('("{state}", "{number}")'), [WITH_DUE]
    drop, remove = (
        step
        for step in steps_between(described(changed(OLD, old)), described(changed(OLD, new)))[0]
        if not isinstance(step, Question)
    )
    assert remove == RemoveKeys("Order", pk=("state (S)",), sk=("ByStateSK (S)",), was=("{state}", "{number}"))
    with shop(new, old) as ground:
        before = ground.items()
        for retired in (False, True):
            ground.migrator(drop, remove).run(write=True)
            if retired:
                ground.migrator(drop, remove).cutover()
                ground.migrator(drop, remove).retire(write=True)
                assert not any("ByStateSK" in item or "state" not in item for item in ground.items())
            ground.new.put(ground.new.run(ground.new_module.open_orders).all()[0])
            ground.migrator(drop, remove).rollback(write=True)
            assert [item["ByStateSK"] for item in ground.items()] == [item["ByStateSK"] for item in before]
