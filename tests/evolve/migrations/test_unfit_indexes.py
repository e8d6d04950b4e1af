"""Indexes that no table could have, or not this one: refused before anything is written, by steps behind others too."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.errors import ArgumentError, TablewrightError
from tablewright.evolve.migrations import (
    AddIndex,
    ChangeKey,
    DropIndex,
    MoveEntity,
    Question,
    RenameAttribute,
    ToMultiAttributeKeys,
)
from tablewright.evolve.migrations.generating import steps_between
from tests.evolve.differences.models import changed, described
from tests.evolve.migrations.tables import OLD, file, shop

OLD_INDEX = DropIndex("GSI1", pk=("GSI1PK (S)",), sk=("GSI1SK (S)",))
WAS = ("ORDER#{number}", "ORDER")
DRIVEN = [
    ('indexes=[GSI("GSI1")]', 'indexes=[GSI("GSI1"), GSI("ByState", pk=["state"], sk=["day"])]'),
    (
        'Keys("ORDER#{number}", "ORDER", GSI1',
        'Keys("SALE#{number}", "SALE", ByState=("{state}", "{day}"), GSI1',
    ),
]


@pytest.mark.parametrize(
    ("step", "says"),
    [
        (AddIndex("GSI2", pk=("GSI2PK",)), "'GSI2PK' is no attribute with its type"),
        (AddIndex("X", pk=("GSI2PK (S)",)), "'X' cannot be the name of an index"),
        (AddIndex("GSI2", pk=()), "has 0 attributes on its pk side"),
        (AddIndex("GSI2", pk=(" (S)",)), "has an empty attribute name"),
        (AddIndex("GSI2", pk=("A (S)",), sk=("A (S)",)), "an attribute twice in its key"),
        (AddIndex("GSI2", pk=("A (S)",), projection=""), "has the projection ''"),
        (AddIndex("GSI2", pk=("A (S)",), projection="all"), "has the projection 'all'"),
        (AddIndex("GSI2", pk=("A (S)",), projection="INCLUDE"), "has the projection 'INCLUDE'"),
        (AddIndex("GSI2", pk=("A (S)",), projection="b, b"), "includes 2 attributes"),
        (AddIndex("GSI1", pk=("GSI2PK (S)",)), "has an index GSI1 with other keys"),
        (AddIndex("GSI2", pk=("GSI1PK (N)",)), "has GSI1PK (N) in its key, and a key of the table Shop has GSI1PK (S)"),
        (DropIndex("GSI1", pk=("GSI1PK",)), "could not be rolled back. 'GSI1PK' is no attribute"),
    ],
    ids=str,
)
def test_an_index_that_cannot_be(step: Any, says: str) -> None:
    with shop() as ground:
        ground.fill(2)
        before = ground.items()
        migrator = ground.migrator(file(RenameAttribute("Order", "state", to="status"), step))
        for write in (False, True):
            with pytest.raises(TablewrightError) as refused:
                migrator.run(write=write)
            assert says in str(refused.value)
        assert ground.items() == before
        assert migrator.waiting() == ("0001_change",)


def test_two_indexes_of_one_name() -> None:
    steps = AddIndex("GSI2", pk=("A (S)",)), AddIndex("GSI2", pk=("B (S)",))
    with shop() as ground, pytest.raises(TablewrightError, match="an index GSI2 with other keys"):
        ground.migrator(file(*steps)).run(write=True)


def test_one_that_is_there_already_is_made_once() -> None:
    with shop() as ground:
        ground.migrator(file(AddIndex("GSI1", pk=("GSI1PK (S)",), sk=("GSI1SK (S)",)))).run(write=True)
        assert ground.indexes() == ["GSI1"]


def test_templates_of_another_number_of_entities() -> None:
    new = AddIndex("ByBuyer", pk=("buyer (S)",))
    with pytest.raises(ArgumentError, match="the templates of 1 entity, and it is about 2"):
        ToMultiAttributeKeys(("Order", "Note"), new, instead_of=OLD_INDEX, was=(("a", "b"),))


@pytest.mark.parametrize("step", [MoveEntity("Order", was=WAS), ChangeKey("Order", was=WAS, copies=True)], ids=str)
def test_copies_that_would_stand_in_an_index_of_the_model(step: Any) -> None:
    with shop(*DRIVEN) as ground:
        ground.fill(2)
        migrator = ground.migrator(file(AddIndex("ByState", pk=("state (S)",), sk=("day (S)",)), step))
        for write in (False, True):
            with pytest.raises(ArgumentError, match="stands in the index ByState by its own fields"):
                migrator.run(write=write)
        assert ground.indexes() == ["GSI1"]


@pytest.mark.parametrize("apart", [True, False])
def test_a_new_file_asks_where_items_cannot_have_two_keys(apart: bool) -> None:
    other = DRIVEN if apart else [DRIVEN[0], (DRIVEN[1][0], DRIVEN[1][1].replace("SALE#", "ORDER#"))]
    steps, _ = steps_between(described(OLD), described(changed(OLD, other)))
    (asked,) = (step for step in steps if isinstance(step, Question))
    assert "stands in ByState by its own fields" in asked.asks
    moved = steps[steps.index(asked) + 1]
    assert isinstance(moved, MoveEntity) is apart
    assert moved == (MoveEntity if apart else ChangeKey)("Order", was=WAS, copies=False)
    with shop(*other) as ground:
        ground.fill(2)
        ground.migrator(file(*(step for step in steps if step is not asked))).run(write=True)
        assert ground.new.run(ground.new_module.order, "1").number == "1"
