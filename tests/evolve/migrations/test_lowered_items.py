"""Items that are brought back to an older schema version: with the index keys and the unique values that they had."""

from __future__ import annotations

import pytest

from tablewright.errors import UniqueViolationError
from tablewright.evolve.migrations import UpgradeEntity
from tests.evolve.migrations.tables import file, shop, skipped

INDEXED = 'GSI1=("BUYER#{buyer}", "ORDER#{number}")'
UNIQUE = [(f"{INDEXED})", f'{INDEXED}, unique=["buyer"])')]
SHOUTING = [
    ("class Order(Entity, table=shop):", "class Order(Entity, table=shop, schema_version=2):"),
    (
        "\n@shop.pattern\ndef order(",
        """
@shop.upcast(Order, 1)
def shout(item):
    return {**item, "buyer": item["buyer"].upper()}

@shop.downcast(Order, 2)
def whisper(item):
    return {**item, "buyer": item["buyer"].lower()}

@shop.pattern
def order(""",
    ),
]


@pytest.mark.parametrize("unique", [[], UNIQUE], ids=["indexed", "unique"])
def test_keys_and_unique_values_go_back_with_what_they_are_made_of(unique: list[tuple[str, str]]) -> None:
    with shop(*SHOUTING, *unique, before=unique) as ground:
        for number in range(2):
            ground.old.create(ground.old_module.Order(number=f"{number}", buyer=f"b{number}"))
        before = [{n: v for n, v in item.items() if n != "SchemaVersion"} for item in ground.items()]
        migrator = ground.migrator(file(UpgradeEntity("Order", was=1)))
        migrator.run(write=True)
        migrator.cutover()
        migrator.retire(write=True)
        assert [o.number for o in ground.new.run(ground.new_module.orders_of, "B0")] == ["0"]
        assert skipped(migrator.rollback(write=True)) == {}
        assert [{n: v for n, v in item.items() if n != "SchemaVersion"} for item in ground.items()] == before
        assert [o.number for o in ground.old.run(ground.old_module.orders_of, "b0")] == ["0"]
        if unique:
            with pytest.raises(UniqueViolationError):
                ground.old.create(ground.old_module.Order(number="7", buyer="b0"))
            ground.old.create(ground.old_module.Order(number="7", buyer="B0"))
