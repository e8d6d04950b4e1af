"""Index keys that are made of defaults: they are stored with the keys, where an index needs them or they differ each time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

from pydantic import Field

from tablewright import GSI, Entity, Keys, Query, Session, Table, query
from tablewright.engine import open_engine
from tablewright.evolve.migrations import AddIndex, FillKeys, MergeAttributes, MoveEntity, RenameAttribute
from tablewright.evolve.migrations.migrator import Migrator
from tests.evolve.migrations.tables import Shop, file, skipped, written
from tests.evolve.migrations.tables import shop as shop_of

was = Table("Shop", indexes=[GSI("GSI1")])
shop = Table("Shop", indexes=[GSI("GSI1"), GSI("ByState", pk="state", sk="number")])
moved = Table("Shop", indexes=[GSI("GSI1")])


class Before(Entity, table=was, type="Order"):
    keys = Keys("ORDER#{number}", "ORDER")
    number: str


class Order(Entity, table=shop):
    keys = Keys("ORDER#{number}", "ORDER", GSI1=("ORDERS", "{token}"), ByState=("{state}", "{number}"))
    number: str
    token: str = Field(default_factory=lambda: uuid4().hex)
    state: str = "open"
    remark: str = ""


class Sale(Entity, table=moved, type="Order"):
    keys = Keys("SALE#{number}", "SALE", GSI1=("ORDERS", "{token}"))
    number: str
    token: str = Field(default_factory=lambda: uuid4().hex)


@shop.pattern
def by_token() -> Query[Order]:
    return query(Order).via("GSI1")


@shop.pattern
def in_state(state: str) -> Query[Order]:
    return query(Order, Order.state == state)


@contextmanager
def orders(model: Table) -> Iterator[Session]:
    with open_engine("memory:") as engine, was.open(engine) as db:
        for number in range(3):
            db.create(Before(number=f"{number}"))
        with model.open(engine, create=False) as session:
            yield session


def test_defaults_that_keys_are_made_of_are_stored_once() -> None:
    steps = [AddIndex("ByState", pk=("state (S)",), sk=("number (S)",)), FillKeys("Order", "GSI1")]
    made = file(*steps, FillKeys("Order", "ByState"))
    with orders(shop) as db:
        told = Migrator(db, shop, [made]).run(write=True)
        assert (skipped(told), written(told)) == ({}, 7)
        tokens = [order.token for order in db.run(by_token)]
        assert written(Migrator(db, shop, [made]).run(write=True)) == 0
        assert tokens == [order.token for order in db.run(by_token)] == sorted(tokens)
        assert [order.number for order in db.run(in_state, "open")] == ["0", "1", "2"]
        assert Migrator(db, shop, [made]).cutover() is not None
        items = db.send("Scan", {"TableName": "Shop", "FilterExpression": "attribute_exists(GSI1PK)"})["Items"]
        assert ["remark" in item for item in items] == [False] * 3


def test_an_item_that_is_moved_takes_its_default_along() -> None:
    made = file(MoveEntity("Sale", was=("ORDER#{number}", "ORDER"), copies=False), FillKeys("Sale", "GSI1"))
    with orders(moved) as db:
        assert skipped(Migrator(db, moved, [made]).run(write=True)) == {}
        assert written(Migrator(db, moved, [made]).run(write=True)) == 0


# ------------------------------------------------------------------------------- what other attributes are to become

STATUS = [
    ('indexes=[GSI("GSI1")]', 'indexes=[GSI("GSI1"), GSI("ByStatus", pk="status", sk="number")]'),
    ('"ORDER#{number}"))', '"ORDER#{number}"), ByStatus=("{status}", "{number}"))'),
    ('    state: str = "open"\n', '    status: str = "open"\n'),
]
FILL = (AddIndex("ByStatus", pk=("status (S)",), sk=("number (S)",)), FillKeys("Order", "ByStatus"))


def states(ground: Shop, attribute: str) -> dict[str, str]:
    return {i["number"]["S"]: i[attribute]["S"] for i in ground.items() if attribute in i}


def test_a_default_does_not_stand_in_for_what_a_later_migration_renames() -> None:
    rename = RenameAttribute("Order", "state", to="status")
    files = (file(*FILL, name="0001_index"), file(rename, name="0002_rename", digest="two"))
    with shop_of(*STATUS) as ground:
        ground.fill(2)
        assert skipped(ground.migrator(*files).run(write=False)) == {}
        assert skipped(ground.migrator(*files).run(write=True)) == {}
        assert states(ground, "status") == {"0": "s0", "1": "s1"}
        assert written(ground.migrator(*files).run(write=True)) == 0
        assert not any(one.outcome.left for one in ground.migrator(*files).verify())


def test_a_default_does_not_stand_in_for_what_a_function_has_failed_to_make() -> None:
    def fails(state: str) -> str:
        raise ValueError

    def mended(state: str) -> str:
        return state.upper()

    with shop_of(*STATUS) as ground:
        ground.fill(2)
        for by, left in ((fails, {"fails() failed with ValueError": 4}), (mended, {})):
            merge = MergeAttributes("Order", ("state",), into="status", by=by, back=str.lower)
            made = file(merge, *FILL, digest=by.__name__)
            assert skipped(ground.migrator(made).run(write=True)) == left
        assert states(ground, "status") == {"0": "S0", "1": "S1"}


def test_a_default_is_there_in_both_forms_after_one_run() -> None:
    made = file(RenameAttribute("Order", "state", to="status"), *FILL)
    with shop_of(*STATUS) as ground:
        ground.fill(2)
        key = {"PK": {"S": "ORDER#1"}, "SK": {"S": "ORDER"}}
        remove = {"UpdateExpression": "REMOVE #state", "ExpressionAttributeNames": {"#state": "state"}}
        ground.old.send("UpdateItem", {"TableName": "Shop", "Key": key, **remove})
        ground.migrator(made).run(write=True)
        assert states(ground, "status") == states(ground, "state") == {"0": "s0", "1": "open"}
        assert written(ground.migrator(made).run(write=True)) == 0
        ground.migrator(made).cutover()
        ground.old.send("UpdateItem", {"TableName": "Shop", "Key": key, **remove})
        assert skipped(ground.migrator(made).retire(write=True)) == {}
        assert (states(ground, "state"), states(ground, "status")) == ({}, {"0": "s0", "1": "open"})
