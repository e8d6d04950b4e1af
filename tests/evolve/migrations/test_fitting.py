"""Steps that name what the model does not have, or still needs: refused before anything is written."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.errors import ArgumentError
from tablewright.evolve.migrations import (
    AddIndex,
    ChangeKey,
    DropIndex,
    FillKeys,
    MergeAttributes,
    MoveEntity,
    RemoveAttributes,
    RenameAttribute,
    SplitAttribute,
    SplitItem,
    UpgradeEntity,
)
from tablewright.evolve.migrations.works.moving import OTHER_KEY
from tests.evolve.migrations.tables import Shop, file, shop, skipped, written

WAS = ("ORDER#{number}", "ORDER")
RENAMED = [('state: str = "open"', 'status: str = "open"')]
MOVED = [('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("SALE#{number}", "SALE", GSI1')]


def fitting(ground: Shop) -> Shop:
    ground.fitting = True
    return ground


def nothing(*values: Any) -> Any:
    raise AssertionError(values)


@pytest.mark.parametrize(
    ("step", "says"),
    [
        (RemoveAttributes("Order", ("number",)), "Order.number of the model is stored as"),
        (RemoveAttributes("Order", ("status",)), "Order.status of the model is stored as"),
        (RemoveAttributes("Order", ("GSI1PK",)), "the model makes for an index of Order"),
        (RemoveAttributes("Order", ("Type",)), "the library writes itself"),
        (RenameAttribute("Order", "state", to="statsu"), "Did you mean 'status'?"),
        (RenameAttribute("Order", "buyer", to="status"), "Order.buyer of the model is stored as"),
        (RenameAttribute("Order", "PK", to="status"), "a key of the table"),
        (RenameAttribute("Order", "state", to="Type"), "the library writes itself"),
        (SplitAttribute("Order", "both", into=("status", "dya"), by=nothing, back=nothing), "Did you mean 'day'?"),
        (MergeAttributes("Order", ("a", "number"), into="status", by=nothing, back=nothing), "Order.number"),
        (SplitItem("Order", by=nothing, removes=("number",)), "Order.number of the model is stored as"),
        (FillKeys("Order", "GSI2"), "an index that the model does not have. Did you mean 'GSI1'?"),
        (MoveEntity("Order", was=WAS), "away from the key that the model gives it"),
        (ChangeKey("Order", was=WAS, copies=False), "away from the key that the model gives it"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused(step: Any, says: str) -> None:
    with shop(*RENAMED) as ground:
        ground.fill(2)
        before = ground.items()
        migrator = fitting(ground).migrator(file(step))
        for write in (False, True):
            with pytest.raises(ArgumentError) as refused:
                migrator.run(write=write)
            assert says in str(refused.value)
        assert ground.items() == before
        assert migrator.waiting() == ("0001_change",)


def test_the_model_from_before_undoes_nothing_by_mistake() -> None:
    steps = (MoveEntity("Order", was=WAS), RenameAttribute("Order", "state", to="status"))
    with shop(*RENAMED, *MOVED) as right:
        right.fill(2)
        fitting(right).migrator(file(*steps)).run(write=True)
        after = right.items()
        right.new_module = right.old_module
        for command in ("run", "rollback"):
            with pytest.raises(ArgumentError, match="the model that the migration leads to"):
                getattr(right.migrator(file(*steps)), command)(write=True)
        assert right.items() == after


def test_later_migrations_may_take_away_again_what_earlier_ones_made() -> None:
    one = file(
        RenameAttribute("Order", "state", to="condition"),
        AddIndex("GSI2", pk=("GSI2PK (S)",), sk=("GSI2SK (S)",)),
        FillKeys("Order", "GSI2"),
        ChangeKey("Order", was=WAS, copies=False),
        name="0001_first",
    )
    two = file(
        RenameAttribute("Order", "condition", to="status"),
        DropIndex("GSI2", pk=("GSI2PK (S)",), sk=("GSI2SK (S)",)),
        ChangeKey("Order", was=("SALE#{number}", "SALE"), copies=False),
        name="0002_second",
    )
    with shop(*RENAMED) as ground:
        ground.fill(1)
        migrator = fitting(ground).migrator(one, two)
        assert skipped(migrator.run(write=False)) == {}


def test_a_model_between_two_may_have_both_forms() -> None:
    both = [('state: str = "open"', 'state: str | None = None\n    status: str = "open"')]
    with shop(*both) as ground:
        ground.fill(1)
        migrator = fitting(ground).migrator(file(RenameAttribute("Order", "state", to="status")))
        assert skipped(migrator.run(write=True)) == {}
        migrator.cutover()
        assert skipped(migrator.rollback(write=True)) == {}


def test_an_open_migration_without_its_file_is_no_clean_table() -> None:
    with shop(*RENAMED) as ground:
        ground.fill(1)
        ground.migrator(file(RenameAttribute("Order", "state", to="status"))).run(write=True)
        for ask in (lambda: ground.migrator().verify(), lambda: ground.migrator().run(write=True)):
            with pytest.raises(ArgumentError, match="0001_change is run and not cut over yet, and its file is gone"):
                ask()


@pytest.mark.parametrize("renamed_first", [True, False])
def test_a_second_run_finds_nothing_whatever_the_order_of_steps(renamed_first: bool) -> None:
    steps = (RenameAttribute("Order", "state", to="status"), MoveEntity("Order", was=WAS))
    with shop(*RENAMED, *MOVED) as ground:
        ground.fill(3)
        migrator = fitting(ground).migrator(file(*(steps if renamed_first else reversed(steps))))
        assert written(migrator.run(write=True)) == 6
        assert ground.new.run(ground.new_module.order, "1").status == "s1"
        assert written(migrator.run(write=True)) == 0


def test_what_lies_under_another_key_than_was_says_is_left_and_told() -> None:
    with shop(*MOVED) as ground:
        ground.fill(2)
        before = ground.items()
        migrator = fitting(ground).migrator(file(MoveEntity("Order", was=("ORDRE#{number}", "ORDER"))))
        assert skipped(migrator.run(write=False)) == {OTHER_KEY: 2}
        assert skipped(migrator.run(write=True)) == {OTHER_KEY: 2}
        assert ground.items() == before


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: RemoveAttributes("Order", "state"), "a tuple of texts"),  # type: ignore[arg-type]
        (lambda: RenameAttribute("Order", "a", to="b", wins="Old"), "'old' or 'new', or None"),  # type: ignore[arg-type]
        (lambda: SplitItem("Order", by="pieces"), "no function"),  # type: ignore[arg-type]
        (lambda: ChangeKey("Order", was=WAS, copies="yes"), "True or False"),  # type: ignore[arg-type]
    ],
)
def test_arguments_of_steps_are_what_they_should_be(make: Any, says: str) -> None:
    with pytest.raises(ArgumentError, match=says):
        make()


def test_lists_are_tuples() -> None:
    assert RemoveAttributes("Order", ["a", "b"]) == RemoveAttributes("Order", ("a", "b"))  # type: ignore[arg-type]


def test_an_index_that_the_model_has_is_not_dropped() -> None:
    drop = DropIndex("GSI1", pk=("GSI1PK (S)",), sk=("GSI1SK (S)",))
    make = AddIndex("GSI1", pk=("GSI1PK (S)",), sk=("GSI1SK (S)",))
    one, two = file(drop, name="0001_drop"), file(make, name="0002_make", digest="two")
    with shop() as ground:
        migrator = fitting(ground).migrator(one)
        migrator.run(write=True)
        migrator.cutover()
        for write in (True, False):
            with pytest.raises(ArgumentError, match="drops an index that the model has"):
                migrator.retire(write=write)
        migrator = ground.migrator(one, two)
        with pytest.raises(ArgumentError, match="makes GSI1, which DropIndex"):
            migrator.run(write=True)
        assert ground.indexes() == ["GSI1"]
        migrator.retire(write=True)
        assert ground.indexes() == []
        migrator.run(write=True)
        assert ground.indexes() == ["GSI1"]


@pytest.mark.parametrize("was", [0, 2, 3])
def test_an_upgrade_leads_from_an_older_version(was: int) -> None:
    second = ("class Order(Entity, table=shop)", "class Order(Entity, table=shop, schema_version=2)")
    upcast = (
        "@shop.pattern\ndef order(",
        "@shop.upcast(Order, 1)\ndef same(item):\n    return item\n\n@shop.pattern\ndef order(",
    )
    with shop(second, upcast) as ground:
        fitting(ground).fill(1)
        assert skipped(ground.migrator(file(UpgradeEntity("Order", was=1))).run(write=False)) == {}
        with pytest.raises(ArgumentError, match=f"leads from schema version {was}, and the model has version 2"):
            ground.migrator(file(UpgradeEntity("Order", was=was))).run(write=True)
