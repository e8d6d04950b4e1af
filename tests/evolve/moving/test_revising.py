"""Writes lose and mix nothing that others write meanwhile, whether the new table is made of it or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.errors import ArgumentError
from tablewright.evolve.moving.guarding import names_seen, unchanged
from tablewright.expressions.builder import ExpressionBuilder
from tablewright.expressions.limits import MAX_EXPRESSION_SIZE, MAX_OPERATORS
from tests.evolve.moving.conftest import Ground
from tests.evolve.moving.merchants import a_merchant

KEY = {"merchantId": "m1"}
Item = dict[str, Any]


def after_the_read(ground: Ground, others: Callable[[], object]) -> None:
    """Somebody else writes once this session has read the item for its next write."""
    wire = ground.legacy_wire

    def overtake() -> None:
        wire.before.clear()
        others()

    wire.before = {len(wire.sent) + 1: overtake}


def overtaken(ground: Ground, mine: Callable[[Item], Item], others: Callable[[], object]) -> tuple[int, Item]:
    """How often a function was called, and the item after it, where somebody else is faster once."""
    calls: list[int] = []

    def function(item: Item) -> Item:
        calls.append(1)
        if len(calls) == 1:
            others()
        return mine(item)

    ground.session.revise("MerchantsTable", KEY, function)
    (item,) = ground.legacy_items("MerchantsTable")
    return len(calls), item


@pytest.mark.parametrize("phase", ["legacy", "dual"])
def test_two_that_count_in_an_attribute_that_is_dropped(anyhow: Ground, phase: str) -> None:
    if phase == "dual":
        anyhow.into("dual")
    anyhow.session.put("MerchantsTable", a_merchant(1, legacyFlag=0))
    other = anyhow.open()

    def count(item: Item) -> Item:
        return item | {"legacyFlag": item["legacyFlag"] + 1}

    calls, item = overtaken(anyhow, count, lambda: other.revise("MerchantsTable", KEY, count))
    assert (calls, item["legacyFlag"]) == (2, 2)


@pytest.mark.parametrize("phase", ["legacy", "dual"])
def test_what_others_add_or_remove_meanwhile(ground: Ground, phase: str) -> None:
    if phase == "dual":
        ground.into("dual")
    ground.put_legacy("MerchantsTable", a_merchant(1, legacyFlag="was"))

    def first_wins(item: Item) -> Item:
        return {"note": "mine"} | item

    calls, item = overtaken(
        ground, first_wins, lambda: ground.put_legacy("MerchantsTable", a_merchant(1, legacyFlag="was", note="theirs"))
    )
    assert (calls, item["note"]) == (2, "theirs")

    def moves_it(item: Item) -> Item:
        return {n: v for n, v in item.items() if n != "legacyFlag"} | {"flag": item.get("legacyFlag")}

    calls, item = overtaken(
        ground, moves_it, lambda: ground.put_legacy("MerchantsTable", a_merchant(1, legacyFlag="is"))
    )
    assert (calls, item["flag"], "legacyFlag" in item) == (2, "is", False)


def test_what_a_function_saw_and_left_alone_is_compared_too(ground: Ground) -> None:
    ground.put_legacy("MerchantsTable", a_merchant(1, legacyFlag=1))

    def by_flag(item: Item) -> Item:
        return item | {"copy": item["legacyFlag"]}

    calls, item = overtaken(ground, by_flag, lambda: ground.put_legacy("MerchantsTable", a_merchant(1, legacyFlag=2)))
    assert (calls, item["copy"]) == (2, 2)


def test_what_others_add_beside_it_stays(ground: Ground) -> None:
    """No condition tells of an attribute that nobody knew; but it is not written over."""
    ground.put_legacy("MerchantsTable", a_merchant(1))
    _, item = overtaken(
        ground,
        lambda item: item | {"name": "Mine"},
        lambda: ground.put_legacy("MerchantsTable", a_merchant(1, beside="theirs")),
    )
    assert (item["name"], item["beside"]) == ("Mine", "theirs")


def test_an_item_with_more_attributes_than_a_condition_compares(ground: Ground) -> None:
    many = {f"attribute{n}": n for n in range(400)}
    ground.put_legacy("MerchantsTable", a_merchant(1, **many))
    other = ground.open()

    def count(item: Item) -> Item:
        return item | {"attribute399": item["attribute399"] + 1}

    calls, item = overtaken(ground, count, lambda: other.revise("MerchantsTable", KEY, count))
    assert (calls, item["attribute399"]) == (2, 401)
    with pytest.raises(ArgumentError, match="changes 400 attributes"):
        ground.session.revise("MerchantsTable", KEY, lambda old: old | dict.fromkeys(many, "x"))
    assert ground.legacy_items("MerchantsTable") == [item]


@given(st.integers(0, 200), st.integers(0, 200), st.integers(0, 100), st.integers(0, 100), st.integers(0, 120))
def test_conditions_keep_within_the_limits(kept: int, changed: int, added: int, removed: int, read: int) -> None:
    one, two = {"S": "x"}, {"S": "y"}
    same: Item = {"id": one} | {f"kept{n}": one for n in range(kept)}
    old = same | {f"changed{n}": one for n in range(changed)} | {f"removed{n}": one for n in range(removed)}
    new = same | {f"changed{n}": two for n in range(changed)} | {f"added{n}": one for n in range(added)}
    named = {"id"} | {f"absent{n}" for n in range(read)}
    needed = (named | (old.keys() ^ new.keys()) | {n for n in old if n.startswith("changed")}) - {"id"}
    names = names_seen(named, ("id",), old, new)
    if names is None:
        assert len(needed) > 120
        return
    assert needed <= names <= needed | old.keys()
    assert names == needed | old.keys() - {"id"} or len(names) > 120
    builder = ExpressionBuilder()
    builder.condition(unchanged(names, ("id",), old))
    printed = builder.build()["ConditionExpression"]
    assert len(printed) <= MAX_EXPRESSION_SIZE
    assert sum(map(printed.count, ("=", " AND ", "attribute_"))) <= MAX_OPERATORS


@pytest.mark.parametrize("phase", ["legacy", "dual"])
def test_two_that_write_the_whole_item_leave_one_of_both(anyhow: Ground, phase: str) -> None:
    if phase == "dual":
        anyhow.into("dual")
    anyhow.session.put("MerchantsTable", a_merchant(1, legacyFlag=0, Type="a"))
    other = anyhow.open()
    theirs, mine = a_merchant(1, legacyFlag=1, Type="a", beside=1), a_merchant(1, legacyFlag=0, Type="b")
    after_the_read(anyhow, lambda: other.put("MerchantsTable", theirs))
    anyhow.session.put("MerchantsTable", mine)
    assert anyhow.legacy_items("MerchantsTable") == [mine]


@pytest.mark.parametrize("phase", ["legacy", "dual"])
def test_an_update_writes_all_that_it_names(anyhow: Ground, phase: str) -> None:
    if phase == "dual":
        anyhow.into("dual")
    anyhow.session.put("MerchantsTable", a_merchant(1, legacyFlag=0, Type="a"))
    other = anyhow.open()
    after_the_read(
        anyhow, lambda: other.update("MerchantsTable", KEY, set={"legacyFlag": 1, "Type": "c", "beside": 1, "more": 1})
    )
    anyhow.session.update("MerchantsTable", KEY, set={"legacyFlag": 0, "Type": "b"}, remove=["beside"])
    (item,) = anyhow.legacy_items("MerchantsTable")
    assert item == a_merchant(1, legacyFlag=0, Type="b", more=1)
