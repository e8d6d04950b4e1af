"""Exports and archives while a migration changes keys: an item and its copy are one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import BaseModel

from tablewright.errors import ArgumentError
from tablewright.evolve.migrations import MoveEntity
from tablewright.evolve.transfer.archiving import archive
from tablewright.evolve.transfer.exporting import export_rows
from tablewright.evolve.transfer.importing import ImportOptions, import_rows
from tablewright.evolve.transfer.mapping import EntityMapping
from tablewright.evolve.transfer.selecting import of_entity
from tablewright.evolve.transfer.sources import find_source
from tests.evolve.migrations.tables import file
from tests.evolve.migrations.tables import shop as opened_shop

MOVED = [('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("SALE#{number}", "SALE", GSI1')]
"""A model whose orders have other keys."""


class View(BaseModel):
    number: str


@pytest.mark.parametrize("module", ["old_module", "new_module"])
def test_an_item_and_its_copy_are_one(module: str, tmp_path: Path) -> None:
    """While a migration changes keys, each item has two: files told it twice."""
    with opened_shop(*MOVED) as ground:
        ground.fill(3)
        migrator = ground.migrator(file(MoveEntity("Order", was=("ORDER#{number}", "ORDER"))))
        migrator.run(write=True)
        ground.old.create(ground.old_module.Order(number="late", buyer="b0"))
        ground.new.create(ground.new_module.Order(number="new", buyer="b0"))
        db, model = (ground.old if module == "old_module" else ground.new), getattr(ground, module)
        expected = ["0", "1", "2", "late", "new"]
        export_rows(db, of_entity(model.shop, "Order"), tmp_path / "all.jsonl", "jsonl")
        told = [json.loads(line)["number"] for line in (tmp_path / "all.jsonl").read_text().splitlines()]
        assert sorted(told) == expected
        assert sorted(one.number for one in db.scan_for_maintenance(model.Order, only=View)) == expected
        swept: list[str] = []
        db.sweep_for_maintenance(model.Order, lambda found: swept.extend(one.number for one in found))
        assert sorted(swept) == expected


def test_an_archive_by_the_old_model_takes_the_copies_along(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    with opened_shop(*MOVED) as ground:
        ground.fill(3)
        migrator = ground.migrator(file(MoveEntity("Order", was=("ORDER#{number}", "ORDER"))))
        migrator.run(write=True)
        selection = of_entity(ground.old_module.shop, "Order", ["number<2"])
        assert archive(ground.old, selection, path).items == 2
        assert archive(ground.old, selection, path, write=True).deleted == 2
        migrator.run(write=True)
        orders = [item["PK"]["S"] for item in ground.items() if item["Type"] == {"S": "Order"}]
        assert orders == ["ORDER#2", "SALE#2"]
        source = find_source(str(path), "dynamodb", EntityMapping())
        assert import_rows(ground.old, ground.old_module.shop, source, options=ImportOptions(write=True)).new == 2
        assert len(ground.old.run(ground.old_module.orders_of, "b0").all()) == 2


def test_a_model_that_gives_items_other_keys_does_not_archive_them(tmp_path: Path) -> None:
    with opened_shop(*MOVED) as ground:
        ground.fill(3)
        migrator = ground.migrator(file(MoveEntity("Order", was=("ORDER#{number}", "ORDER"))))
        migrator.run(write=True)
        before, selection = ground.items(), of_entity(ground.new_module.shop, "Order")
        for write in (False, True):
            with pytest.raises(
                ArgumentError, match="another key than it lies under, as while a migration changes keys"
            ):
                archive(ground.new, selection, tmp_path / "old.json", write=write)
        assert (ground.items(), list(tmp_path.iterdir())) == (before, [])
        migrator.cutover()
        migrator.retire(write=True)
        assert archive(ground.new, selection, tmp_path / "old.json", write=True).deleted == 3
