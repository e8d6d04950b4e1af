"""The way back to keys that were made of attributes which the new model does not have."""

from __future__ import annotations

import pytest

from tablewright import key
from tablewright.evolve.migrations import (
    ChangeKey,
    DropIndex,
    FillKeys,
    MergeAttributes,
    RemoveAttributes,
    RemoveKeys,
    RenameAttribute,
    SplitAttribute,
    UpgradeEntity,
)
from tablewright.evolve.migrations.files import MigrationFile
from tablewright.evolve.migrations.works.filling import NO_SOURCE
from tablewright.values.types import Item
from tests.evolve.migrations.tables import Shop, file, shop, skipped, written
from tests.evolve.migrations.test_key_steps import column, put

KEYS = 'GSI1=("BUYER#{buyer}", "ORDER#{number}"))'
RENAMED = [
    (KEYS, 'GSI1=("CLIENT#{client}", "ORDER#{number}"))'),
    ("    buyer: str\n    state", "    client: str\n    state"),
    ("query(Order, Order.buyer == buyer)", "query(Order, Order.client == buyer)"),
]
WAS = ("BUYER#{buyer}", "ORDER#{number}")
FILL = file(RenameAttribute("Order", "buyer", to="client"), FillKeys("Order", "GSI1", was=WAS))


def orders(ground: Shop) -> list[Item]:
    """Orders with all that is not about times."""
    return [
        {n: v for n, v in item.items() if n not in ("CreatedAt", "UpdatedAt")}
        for item in ground.items()
        if item["Type"] == {"S": "Order"}
    ]


def retired(ground: Shop, migration: MigrationFile) -> None:
    """All of the way there."""
    ground.migrator(migration).run(write=True)
    ground.migrator(migration).cutover()
    assert skipped(ground.migrator(migration).retire(write=True)) == {}


@pytest.mark.parametrize("end", ["ran", "retired"])
@pytest.mark.parametrize("was", [WAS, ("BUYER#{client}", "ORDER#{number}")])
@pytest.mark.parametrize("kept", [False, True])
def test_keys_of_a_renamed_attribute_come_back(end: str, was: tuple[str, ...], kept: bool) -> None:
    migration = file(RenameAttribute("Order", "buyer", to="client"), FillKeys("Order", "GSI1", was=was))
    optional = [("    client: str\n", "    client: str\n    buyer: str | None = None\n")] if kept else []
    with shop(*RENAMED, *optional) as ground:
        ground.fill(3)
        before = ground.items()
        if end == "ran":
            ground.migrator(migration).run(write=True)
        else:
            retired(ground, migration)
        assert ground.items() != before
        assert skipped(ground.migrator(migration).rollback(write=True)) == {}
        assert ground.items() == before
        assert ground.migrator(migration).status()[0].state is None


def test_what_either_model_wrote_gets_the_old_keys_of_it() -> None:
    with shop(*RENAMED) as ground:
        ground.fill(3)
        ground.migrator(FILL).run(write=True)
        new = ground.new_module
        ground.new.update(key(new.Order, number="0"), set={"client": "by_new"})
        ground.new.create(new.Order(number="9", client="of_new"))
        put(ground, "1", buyer="by_old")
        assert skipped(ground.migrator(FILL).rollback(write=True)) == {}
        wanted = {"0": "by_new", "1": "by_old", "2": "b0", "9": "of_new"}
        assert column(ground, "buyer") == wanted
        assert column(ground, "GSI1PK") == {number: f"BUYER#{buyer}" for number, buyer in wanted.items()}


def test_an_item_that_both_models_wrote_is_told_and_keeps_its_keys() -> None:
    with shop(*RENAMED) as ground:
        ground.fill(2)
        ground.migrator(FILL).run(write=True)
        ground.new.update(key(ground.new_module.Order, number="0"), set={"client": "new"})
        put(ground, "0", buyer="old")
        told = ground.migrator(FILL).rollback(write=True)
        assert sum(skipped(told).values()) == 2  # once for its keys, once for its attributes
        assert column(ground, "GSI1PK") == {"0": "CLIENT#new", "1": "BUYER#b1"}


def joined(day: str | None, state: str | None) -> str:
    return f"{day}/{state}"


def parted(text: str) -> tuple[str, ...]:
    return tuple(text.split("/"))


def test_keys_of_merged_and_split_attributes_come_back() -> None:
    merge = file(
        MergeAttributes("Order", ("day", "state"), into="when", by=joined, back=parted),
        FillKeys("Order", "GSI1", was=("DAY#{day}", "{state}")),
    )
    new = [
        (KEYS, 'GSI1=("WHEN#{when}", "{number}"))'),
        ('    state: str = "open"\n    day: str = "2026-01-01"\n', "    when: str\n"),
        ("query(Order, Order.buyer == buyer)", "query(Order, Order.when == buyer)"),
    ]
    old = [
        (KEYS, 'GSI1=("DAY#{day}", "{state}"))'),
        ("query(Order, Order.buyer == buyer)", "query(Order, Order.day == buyer)"),
    ]
    with shop(*new, before=old) as ground:
        ground.fill(3)
        before = ground.items()
        retired(ground, merge)
        assert column(ground, "day") == {"0": None, "1": None, "2": None}
        assert skipped(ground.migrator(merge).rollback(write=True)) == {}
        assert ground.items() == before
    split = file(
        SplitAttribute("Order", "when", into=("day", "state"), by=parted, back=joined),
        FillKeys("Order", "GSI1", was=("WHEN#{when}", "{number}")),
    )
    with shop(*old, before=new) as ground:
        for number in range(3):
            ground.old.create(ground.old_module.Order(number=f"{number}", buyer="b", when=f"d{number}/s"))
        before = ground.items()
        retired(ground, split)
        assert skipped(ground.migrator(split).rollback(write=True)) == {}
        assert ground.items() == before


@pytest.mark.parametrize("copies", [True, False])
@pytest.mark.parametrize("end", ["ran", "retired"])
def test_items_go_back_to_a_key_of_a_renamed_attribute(copies: bool, end: str) -> None:
    old = [
        ('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("ORDER#{number}", "OF#{buyer}", GSI1'),
        ("Order.number == number)", 'Order.number == number, Order.buyer == "b0")'),
    ]
    new = [
        ('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("SALE#{number}", "SALE", GSI1'),
        ('("BUYER#{buyer}", "ORDER#{number}"))', '("BUYER#{client}", "ORDER#{number}"))'),
        ("    buyer: str\n    state", "    client: str\n    state"),
        ("query(Order, Order.buyer == buyer)", "query(Order, Order.client == buyer)"),
    ]
    migration = file(
        RenameAttribute("Order", "buyer", to="client"),
        ChangeKey("Order", was=("ORDER#{number}", "OF#{buyer}"), copies=copies),
    )
    with shop(*new, before=old) as ground:
        ground.fill(3)
        before = ground.items()
        if end == "ran":
            ground.migrator(migration).run(write=True)
        else:
            retired(ground, migration)
        ground.new.create(ground.new_module.Order(number="9", client="of_new"))
        assert skipped(ground.migrator(migration).rollback(write=True)) == {}
        after = {item["SK"]["S"]: item for item in ground.items() if item["number"] == {"S": "9"}}
        assert after["OF#of_new"]["buyer"] == {"S": "of_new"}
        assert [item for item in ground.items() if item["number"] != {"S": "9"}] == before


def test_keys_of_an_attribute_that_goes_come_back_while_it_is_there() -> None:
    migration = file(
        DropIndex("GSI1", pk=("GSI1PK (S)",), sk=("GSI1SK (S)",)),
        RemoveKeys("Order", pk=("GSI1PK (S)",), sk=("GSI1SK (S)",), was=WAS),
        RemoveAttributes("Order", ("buyer",)),
    )
    gone = [
        ('indexes=[GSI("GSI1")]', "indexes=[]"),
        (', GSI1=("BUYER#{buyer}", "ORDER#{number}")', ""),
        ("    buyer: str\n    state", "    state"),
        (
            "@shop.pattern\ndef orders_of(buyer: str) -> Query[Order]:\n    return query(Order, Order.buyer == buyer)\n",
            "",
        ),
    ]
    with shop(*gone) as ground:
        ground.fill(3)
        before = ground.items()
        ground.migrator(migration).run(write=True)
        put(ground, "1", GSI1PK="broken")
        ground.new.create(ground.new_module.Order(number="9"))
        told = ground.migrator(migration).rollback(write=True)
        assert skipped(told) == {NO_SOURCE: 1}  # what new code made has no buyer
        assert [item for item in ground.items() if item["number"] != {"S": "9"}] == before
        ground.new.delete(key(ground.new_module.Order, number="9"))
        assert skipped(ground.migrator(migration).rollback(write=True)) == {}
        assert ground.migrator(migration).status()[0].state is None


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("end", ["ran", "retired"])
def test_keys_that_upcasts_took_the_source_of_come_back(kept: bool, end: str) -> None:
    first = [("class Order(Entity, table=shop):", "class Order(Entity, table=shop, schema_version=1):")]
    second = [
        ("class Order(Entity, table=shop):", "class Order(Entity, table=shop, schema_version=2):"),
        *RENAMED,
        (
            "class Note",
            "@shop.upcast(Order, 1)\ndef up(item):\n    return {'client': item.pop('buyer'), **item}\n\n"
            "@shop.downcast(Order, 2)\ndef down(item):\n    return {'buyer': item.pop('client'), **item}\n\nclass Note",
        ),
    ]
    second += [("    client: str\n", "    client: str\n    buyer: str | None = None\n")] if kept else []
    migration = file(FillKeys("Order", "GSI1", was=WAS), UpgradeEntity("Order", was=1))
    with shop(*second, before=first) as ground:
        ground.fill(3)
        before = ground.items()
        if end == "ran":
            ground.migrator(migration).run(write=True)
        else:
            retired(ground, migration)
        ground.new.create(ground.new_module.Order(number="9", client="new"))
        assert skipped(ground.migrator(migration).rollback(write=True)) == {}
        assert column(ground, "GSI1PK") == {"0": "BUYER#b0", "1": "BUYER#b1", "2": "BUYER#b0", "9": "BUYER#new"}
        keys = [{n: item[n] for n in ("PK", "SK", "GSI1PK") if n in item} for item in ground.items()]
        assert [one for one in keys if one["PK"] != {"S": "ORDER#9"}] == [
            {n: item[n] for n in ("PK", "SK", "GSI1PK") if n in item} for item in before
        ]


def test_an_optional_field_that_left_items_out_of_the_index_does_so_again() -> None:
    optional = ("    buyer: str\n    state", "    buyer: str | None = None\n    state")
    migration = file(FillKeys("Order", "GSI1", was=WAS))
    by_state = [(KEYS, 'GSI1=("STATE#{state}", "{number}"))'), ("Order.buyer == buyer", "Order.state == buyer")]
    with shop(optional, *by_state, before=[optional]) as ground:
        ground.fill(1)
        ground.old.create(ground.old_module.Order(number="none"))
        before = ground.items()
        assert written(ground.migrator(migration).run(write=True)) == 2
        assert skipped(ground.migrator(migration).rollback(write=True)) == {}
        assert ground.items() == before


@pytest.mark.parametrize("copies", [True, False])
def test_an_item_ends_where_its_renamed_attribute_says_that_old_code_wrote_last(copies: bool) -> None:
    new = [
        ('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("SALE#{number}", "DAY#{date}", GSI1'),
        ('("BUYER#{buyer}", "ORDER#{number}"))', '("ON#{date}", "ORDER#{number}"))'),
        ('    day: str = "2026-01-01"\n', "    date: str\n"),
        ("get(Order, Order.number == number)", 'get(Order, Order.number == number, Order.date == "2026-01-01")'),
        ("query(Order, Order.buyer == buyer)", "query(Order, Order.date == buyer)"),
    ]
    old = [
        ('("BUYER#{buyer}", "ORDER#{number}"))', '("ON#{day}", "ORDER#{number}"))'),
        ("query(Order, Order.buyer == buyer)", "query(Order, Order.day == buyer)"),
    ]
    migration = file(
        RenameAttribute("Order", "day", to="date"), ChangeKey("Order", was=("ORDER#{number}", "ORDER"), copies=copies)
    )
    with shop(*new, before=old) as ground:
        ground.fill(1)
        ground.migrator(migration).run(write=True)
        ground.migrator(migration).cutover()
        if copies:
            ground.old.update(key(ground.old_module.Order, number="0"), set={"day": "2026-03-03"})
        else:
            ground.old.create(ground.old_module.Order(number="0", buyer="b0", day="2026-03-03"))
            ground.new.delete(key(ground.new_module.Order, number="0", date="2026-01-01"))
        assert skipped(ground.migrator(migration).retire(write=True)) == {}
        (item,) = orders(ground)
        assert {n: item[n]["S"] for n in ("PK", "SK", "GSI1PK", "date")} == {
            "PK": "SALE#0",
            "SK": "DAY#2026-03-03",
            "GSI1PK": "ON#2026-03-03",
            "date": "2026-03-03",
        }


@pytest.mark.parametrize("retired", [False, True])
def test_what_lacked_an_attribute_that_was_renamed_was_not_in_its_index(retired: bool) -> None:
    field = ('    state: str = "open"\n', '    state: str = "open"\n    due: str | None = None\n')
    stored = ("class Order(Entity, table=shop)", 'class Order(Entity, table=shop, stored={"due": "duex"})')
    two = ('[GSI("GSI1")]', '[GSI("GSI1"), GSI("GSI2")]')
    old, new = ((KEYS, f'{KEYS[:-1]}, GSI2=("ALL", "{{{name}}}"))') for name in ("due", "number"))
    with shop(stored, field, two, new, before=[field, two, old]) as ground:
        for number, due in (("1", None), ("2", "x")):
            ground.old.create(ground.old_module.Order(number=number, buyer="b", due=due))
        before = ground.items()
        migration = file(RenameAttribute("Order", "due", to="duex"), FillKeys("Order", "GSI2", was=("ALL", "{due}")))
        ground.migrator(migration).run(write=True)
        if retired:
            ground.migrator(migration).cutover()
            ground.migrator(migration).retire(write=True)
        assert skipped(ground.migrator(migration).rollback(write=True)) == {}
        assert ground.items() == before


@pytest.mark.parametrize("field", ["buyer", "client"])
def test_keys_of_what_a_later_migration_renames_again_come_back(field: str) -> None:
    stored = ("class Order(Entity, table=shop)", f"class Order(Entity, table=shop, stored={{'{field}': 'client'}})")
    keys = (KEYS, f'GSI1=("CLIENT#{{{field}}}", "ORDER#{{number}}"))')
    named = [("    buyer: str", f"    {field}: str"), ("Order.buyer", f"Order.{field}")]
    fill = FillKeys("Order", "GSI1", was=("BUYER#{buyer}", "ORDER#{number}"))
    first = file(RenameAttribute("Order", "buyer", to="customer"), fill)
    second = file(RenameAttribute("Order", "customer", to="client"), name="0002_again", digest="two")
    with shop(stored, keys, *named) as ground:
        ground.fill(2)
        before = ground.items()
        assert skipped(ground.migrator(first, second).run(write=True)) == {}
        for _ in range(2):
            assert skipped(ground.migrator(first, second).rollback(write=True)) == {}
        assert ground.items() == before
