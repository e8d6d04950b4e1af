"""Applications that write while a migration looks at their items: nothing of theirs is lost, and what they delete stays deleted."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright import key
from tablewright.evolve.migrations import (
    ChangeKey,
    FillKeys,
    MoveEntity,
    RenameAttribute,
    SplitAttribute,
)
from tests.evolve.migrations.tables import Shop, Through, file, shop, skipped, written

BY_STATE = [
    ('indexes=[GSI("GSI1")]', 'indexes=[GSI("GSI1"), GSI("GSI2")]'),
    ('"ORDER#{number}"))', '"ORDER#{number}"), GSI2=("STATE#{state}", "ORDER#{number}"))'),
]
PARTITION = [('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("SALE#{number}", "SALE", GSI1')]
WAS = ("ORDER#{number}", "ORDER")
STEPS: dict[str, tuple[list[tuple[str, str]], Any]] = {
    "fill": (BY_STATE, FillKeys("Order", "GSI2")),
    "rename": ([], RenameAttribute("Order", "state", to="status")),
    "copy": (PARTITION, MoveEntity("Order", was=WAS)),
    "move": (PARTITION, ChangeKey("Order", was=WAS, copies=False)),
}


class Meddling(Through):
    """Somebody is faster: just before the first write of each order, one is changed and another deleted."""

    def __init__(self, inner: Any, ground: Shop) -> None:
        super().__init__(inner, lambda n: None, lambda n: None)
        self.ground = ground
        self.left = {"0", "1"}

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        text = repr(request)
        for number in sorted(self.left):
            if operation in ("UpdateItem", "TransactWriteItems") and f"'S': 'ORDER#{number}'" in text:
                self.left.remove(number)
                order = key(self.ground.old_module.Order, number=number)
                if number == "0":
                    self.ground.old.update(order, set={"state": "changed"})
                else:
                    self.ground.old.delete(order)
        return super().send(operation, request)


@pytest.mark.parametrize("step", STEPS)
def test_somebody_writes_between_the_look_and_the_write(step: str) -> None:
    replacements, made = STEPS[step]
    with shop(*replacements) as ground:
        ground.fill(3)
        meddlers: list[Meddling] = []

        def between(inner: Any) -> Meddling:
            meddlers.append(Meddling(inner, ground))
            return meddlers[0]

        told = ground.migrator(file(made), session=ground.opened(between)).run(write=True)
        assert not meddlers[0].left
        assert skipped(told) == {}
        orders = {i["number"]["S"]: i for i in ground.items() if i["Type"] == {"S": "Order"}}
        assert sorted(orders) == ["0", "2"]
        assert orders["0"]["state"] == {"S": "changed"}
        if step == "fill":
            assert orders["0"]["GSI2PK"] == {"S": "STATE#changed"}
        if step == "rename":
            assert orders["0"]["status"] == {"S": "changed"}
        assert written(ground.migrator(file(made)).run(write=True)) == 0


VALUES = st.one_of(
    st.text(max_size=3).map(lambda text: {"S": text}),
    st.integers(-9, 9).map(lambda n: {"N": str(n)}),
    st.booleans().map(lambda b: {"BOOL": b}),
    st.just({"NULL": True}),
    st.sets(st.sampled_from("abc"), min_size=1).map(lambda s: {"SS": sorted(s)}),
    st.dictionaries(st.sampled_from("xy"), st.just({"S": ""}), max_size=2).map(lambda m: {"M": m}),
)
EXTRA = st.dictionaries(st.sampled_from(["state", "day", "more", "UpdatedAt"]), VALUES, max_size=4)


@given(
    st.lists(EXTRA, min_size=1, max_size=3),
    st.sampled_from(["rename", "split", "copy", "move"]),
    st.booleans(),
    st.sampled_from([1, 8]),
)
def test_whatever_items_hold_is_there_again_afterwards(
    extras: list[dict[str, Any]], what: str, retired: bool, segments: int
) -> None:
    """Items of any content, forward and back: the table is what it was."""
    step: Any = {
        "rename": RenameAttribute("Order", "more", to="renamed"),
        "split": SplitAttribute("Order", "more", into=("a", "b"), by=lambda v: (v, None), back=lambda a, b: a),
        "copy": MoveEntity("Order", was=WAS),
        "move": MoveEntity("Order", was=WAS, copies=False),
    }[what]
    with shop(*PARTITION) as ground:
        for number, extra in enumerate(extras):
            ident = {"PK": {"S": f"ORDER#{number}"}, "SK": {"S": "ORDER"}, "Type": {"S": "Order"}}
            fields = {"number": {"S": f"{number}"}, "buyer": {"S": "b"}}
            indexed = {"GSI1PK": {"S": "BUYER#b"}, "GSI1SK": {"S": f"ORDER#{number}"}}
            item = {**ident, **fields, **indexed, **extra}
            ground.old.send("PutItem", {"TableName": "Shop", "Item": item})
        before = ground.items()
        migrator = ground.migrator(file(step), segments=segments)
        assert skipped(migrator.run(write=True)) == {}
        if retired:
            migrator.cutover()
            assert skipped(migrator.retire(write=True)) == {}
        assert skipped(migrator.rollback(write=True)) == {}
        assert ground.items() == before


@pytest.mark.dynamodb_local
def test_all_of_it_on_dynamodb_local(dynamodb_local_url: str, fresh_table_name: str) -> None:
    from tests.evolve.differences.models import changed, loaded
    from tests.evolve.migrations.tables import OLD, Migrator
    from tests.evolve.migrations.test_crashes import MIGRATION, MODEL, forward

    old, new = loaded(OLD), loaded(changed(OLD, MODEL))
    with old.shop.open(dynamodb_local_url, create=True, table_name=fresh_table_name) as before:
        try:
            for number in range(3):
                before.create(old.Order(number=f"{number}", buyer="b"))
            with new.shop.open(dynamodb_local_url, create=False, table_name=fresh_table_name) as after:
                migrator = Migrator(after, new.shop, [MIGRATION], fitting=False)
                assert written(migrator.run(write=True)) == 10
                assert written(migrator.run(write=True)) == 0
                assert before.run(old.order, "1") is not None
                assert after.run(new.order, "1") is not None
                assert [o.number for o in before.run(old.orders_of, "b")] == ["0", "1", "2"]
                forward(migrator)
                assert [o.number for o in after.run(new.orders_of, "b")] == ["0", "1", "2"]
                assert before.run(old.order, "1") is None
                assert skipped(migrator.rollback(write=True)) == {}
                assert before.run(old.order, "1") is not None
        finally:
            before.delete_table()


def test_a_copy_goes_whose_item_was_deleted_and_written_anew_meanwhile() -> None:
    with shop(*PARTITION) as ground:
        ground.old.create(ground.old_module.Order(number="1", buyer="b", state="v0"))
        migration = file(MoveEntity("Order", was=WAS))
        ground.migrator(migration).run(write=True)
        one, stage = key(ground.old_module.Order, number="1"), ["there"]

        class Between(Through):
            def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
                if stage == ["there"] and operation == "BatchGetItem":  # pairs are looked at
                    stage[0] = "gone"
                    ground.old.delete(one)
                elif stage == ["gone"] and operation == "Scan":
                    stage[0] = "anew"
                    ground.old.put(ground.old_module.Order(number="1", buyer="b", state="v1"))
                return super().send(operation, request)

        session = ground.opened(lambda inner: Between(inner, lambda _: None, lambda _: None))
        assert skipped(ground.migrator(migration, session=session).rollback(write=True)) == {}
        assert stage == ["anew"]
        assert [(item["PK"]["S"], item["state"]["S"]) for item in ground.items()] == [("ORDER#1", "v1")]
