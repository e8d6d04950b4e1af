"""The digest of a table, against one that is worked out by hand."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any

from tablewright.evolve.migrations import MoveEntity, SplitItem
from tests.evolve.migrations.tables import Shop, file, shop
from tests.evolve.migrations.test_steps import PART, PARTITION, WAS, tags_of


def by_hand(items: list[dict[str, Any]]) -> str:
    """As the documents say it, by the means of Python."""
    texts = [json.dumps({"M": item}, sort_keys=True, separators=(",", ":"), ensure_ascii=False) for item in items]
    numbers = [int.from_bytes(blake2b(text.encode(), digest_size=16).digest(), "big") for text in texts]
    return f"{sum(numbers) % 2**128:032x}"


def orders(ground: Shop) -> list[dict[str, Any]]:
    return [item for item in ground.items() if item["Type"] == {"S": "Order"}]


def test_it_is_what_anybody_can_work_out() -> None:
    with shop() as ground:
        ground.fill(3)
        odd = {"PK": {"S": "ORDER#ü"}, "SK": {"S": "ORDER"}, "Type": {"S": "Order"}, "set": {"SS": ["b", "a"]}}
        odd |= {"text": {"S": 'é "quoted" \\ \n'}, "list": {"L": [{"N": "1.50"}, {"M": {"x": {"BOOL": True}}}]}}
        ground.old.send("PutItem", {"TableName": "Shop", "Item": odd})
        found = ground.migrator().digests()
        items = orders(ground)
        for item in items:
            if "set" in item:
                item["set"]["SS"].sort()
        assert (found["Order"].items, found["Order"].digest) == (4, by_hand(items))
        assert found["Note"].items == 3
        ground.old.send("DeleteItem", {"TableName": "Shop", "Key": {"PK": odd["PK"], "SK": odd["SK"]}})
        assert ground.migrator().digests()["Order"].digest == by_hand(orders(ground)) != found["Order"].digest


def test_copies_and_notes_of_migrations_are_not_part_of_it() -> None:
    with shop(*PARTITION, *PART) as ground:
        ground.fill(3)
        before = ground.migrator().digests()
        steps = [MoveEntity("Order", was=WAS), SplitItem("Order", by=tags_of)]
        migrator = ground.migrator(file(*steps))
        migrator.run(write=True)
        after = migrator.digests()
        assert len(orders(ground)) == 6
        assert after["Order"] == before["Order"]
        assert after["Tag"].items == 6
        assert before["Tag"].digest == "0" * 32
