"""A part that was killed goes on where it was, where nothing speaks against it; nothing of it is left in the history."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright import key
from tablewright.evolve.migrations import MoveEntity, RenameAttribute
from tablewright.evolve.migrations.files import MigrationFile
from tablewright.evolve.migrations.migrator import Migrator
from tests.evolve.migrations.tables import Crash, Shop, Through, file, shop, written

RENAME = file(RenameAttribute("Order", "state", to="status"))
MOVED = [('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("SALE#{number}", "SALE", GSI1')]
MOVE = file(MoveEntity("Order", was=("ORDER#{number}", "ORDER")))


class Recorded(Through):
    """Notes what was asked, and ends with the write of this number on an order."""

    def __init__(self, inner: Any, last: int | None) -> None:
        super().__init__(inner, lambda n: None, lambda n: None)
        self.last, self.writes, self.scans = last, 0, list[dict[str, Any]]()

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """One request."""
        if self.last is not None and self.writes > self.last:
            raise Crash
        if operation == "Scan":
            self.scans.append(request)
        if "ORDER#" in str(request) and operation in ("UpdateItem", "TransactWriteItems"):
            self.writes += request.get("Key", {}).get("PK") != {"S": "tablewright#migrations"}
        return super().send(operation, request)


def recorded(
    ground: Shop, migration: MigrationFile, last: int | None = None, **options: Any
) -> tuple[Migrator, Recorded]:
    made: list[Recorded] = []

    def between(inner: Any) -> Recorded:
        made.append(Recorded(inner, last))
        return made[0]

    migrator = ground.migrator(migration, session=ground.opened(between), take_over=True, **options)
    return migrator, made[0]


def history(ground: Shop) -> dict[str, Any]:
    where = {"PK": {"S": "tablewright#migrations"}, "SK": {"S": "ledger"}}
    found: dict[str, Any] = ground.old.send("GetItem", {"TableName": "Shop", "Key": where})["Item"]
    return found


@pytest.mark.parametrize("segments", [1, 3])
def test_a_killed_part_goes_on_where_it_was(segments: int) -> None:
    with shop() as ground:
        ground.fill(12)
        killed, _ = recorded(ground, RENAME, 6, segments=segments)
        with pytest.raises(Crash):
            killed.run(write=True)
        assert history(ground)["jobs"]["M"]["0"]["M"]["segments"] == {"N": str(segments)}
        again, requests = recorded(ground, RENAME, segments=segments)
        assert written(again.run(write=True)) >= 12 - segments, "what was written before counts too"
        assert requests.writes <= 12 - 6 + segments, "what was done is not done again"
        assert any("ExclusiveStartKey" in scan for scan in requests.scans)
        assert history(ground)["jobs"] == {"M": {}}
        assert written(ground.migrator(RENAME).verify()) == 0


def test_other_segments_begin_anew() -> None:
    with shop() as ground:
        ground.fill(12)
        killed, _ = recorded(ground, RENAME, 6)
        with pytest.raises(Crash):
            killed.run(write=True)
        again, requests = recorded(ground, RENAME, segments=2)
        assert written(again.run(write=True)) in (5, 6)
        assert not any("ExclusiveStartKey" in scan for scan in requests.scans)


def test_what_was_kept_does_not_outlive_a_rollback() -> None:
    with shop() as ground:
        ground.fill(12)
        killed, _ = recorded(ground, RENAME, 6)
        with pytest.raises(Crash):
            killed.run(write=True)
        ground.migrator(RENAME, take_over=True).rollback(write=True)
        again, requests = recorded(ground, RENAME)
        assert written(again.run(write=True)) == 12
        assert not any("ExclusiveStartKey" in scan for scan in requests.scans)


def test_who_looks_through_again_looks_at_all() -> None:
    """A migration that ran is run again for what was written since: also when that was killed once."""
    with shop() as ground:
        ground.fill(12)
        ground.migrator(RENAME).run(write=True)
        module = ground.old_module
        for number in range(12, 24):
            ground.old.create(module.Order(number=f"{number}", buyer="b0"))
        killed, _ = recorded(ground, RENAME, 6)
        with pytest.raises(Crash):
            killed.run(write=True)
        again, requests = recorded(ground, RENAME)
        assert written(again.run(write=True)) in (5, 6)
        assert not any("ExclusiveStartKey" in scan for scan in requests.scans)


def test_a_later_part_goes_on_too() -> None:
    """The part before it is looked through again, and finds nothing."""
    with shop(*MOVED) as ground:
        ground.fill(12)
        killed, _ = recorded(ground, MOVE, 6)
        with pytest.raises(Crash):
            killed.run(write=True)
        again, requests = recorded(ground, MOVE)
        assert [one.outcome.written for one in again.run(write=True)] in ([0, 11], [0, 12])
        assert requests.writes in (5, 6)
        assert ["ExclusiveStartKey" in scan for scan in requests.scans] == [False, True]
        assert history(ground)["jobs"] == {"M": {}}


def test_a_part_begins_anew_where_one_before_it_has_written() -> None:
    """Pairs are settled first: one that was dissolved may lie where copying had already been."""
    with shop(*MOVED) as ground:
        ground.fill(12)
        killed, _ = recorded(ground, MOVE, 6)
        with pytest.raises(Crash):
            killed.run(write=True)
        copied = next(i for i in ground.items() if i["PK"]["S"].startswith("ORDER#") and "TablewrightCopiedTo" in i)
        number = copied["number"]["S"]
        ground.old.update(key(ground.old_module.Order, number=number), set={"state": "later"})
        again, requests = recorded(ground, MOVE)
        again.run(write=True)
        assert not any("ExclusiveStartKey" in scan for scan in requests.scans)
        assert all(one.outcome.left == 0 for one in ground.migrator(MOVE).verify())
        assert ground.new.run(ground.new_module.order, number).state == "later"
