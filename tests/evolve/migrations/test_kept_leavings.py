"""What a step has left is told by whoever goes on after a kill in a later step, and keeps the migration open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tablewright.evolve.migrations import RenameAttribute
from tablewright.evolve.migrations.history import Ledger
from tablewright.evolve.migrations.migrator import Migrator
from tests.evolve.migrations.tables import Crash, Shop, Through, file, shop, skipped, written

TWO = file(RenameAttribute("Order", "state", to="status"), RenameAttribute("Order", "day", to="date"))
STAGES = ("run", "retire", "rollback")


def torn(ground: Shop, stage: str) -> None:
    """One order with both forms of an attribute, of which nobody knows which is right: the step that is first in the stage leaves it."""
    ground.fill(3)
    if stage != "run":
        ground.migrator(TWO).run(write=True)
        ground.migrator(TWO).cutover()
    names = {"#old": "day", "#new": "date"} if stage == "rollback" else {"#old": "state", "#new": "status"}
    request = {
        "TableName": "Shop",
        "Key": {"PK": {"S": "ORDER#1"}, "SK": {"S": "ORDER"}},
        "UpdateExpression": "SET #old = :old, #new = :new",
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": {":old": {"S": "one"}, ":new": {"S": "other"}},
    }
    ground.old.send("UpdateItem", request)


def killed(ground: Shop, at: int, left_in: Path | None = None) -> Migrator:
    def crash(count: int) -> None:
        if count >= at:
            raise Crash

    session: Any = ground.opened(lambda inner: Through(inner, crash, lambda n: None))
    return ground.migrator(TWO, session=session, take_over=True, left_in=left_in)


def history(ground: Shop) -> Ledger:
    migrator = ground.migrator(TWO)
    return migrator._stages.read()


@pytest.mark.parametrize("stage", STAGES)
def test_killed_at_any_request_it_tells_what_was_left_before(stage: str) -> None:
    at, late = 0, 0
    while True:
        at += 1
        with shop() as ground:
            torn(ground, stage)
            try:
                getattr(killed(ground, at), stage)(write=True)
            except Crash:
                pass
            else:
                break
            state = ground.migrator(TWO).status()[0].state
            late += bool(history(ground).begun)
            told = getattr(ground.migrator(TWO, take_over=True), stage)(write=True)
            assert sum(skipped(told).values()) == 1, (at, state)
            after = ground.migrator(TWO).status()[0].state
            assert after == {"run": "ran", "retire": "retiring", "rollback": "rolling back"}[stage], at
    assert late > 3


def test_what_is_settled_since_ends_it_with_the_command_after() -> None:
    with shop() as ground:
        torn(ground, "retire")
        at = 0
        while history(ground).entries["0001_change"].done == 0:
            at += 1
            with pytest.raises(Crash):
                killed(ground, at).retire(write=True)
        request = {
            "TableName": "Shop",
            "Key": {"PK": {"S": "ORDER#1"}, "SK": {"S": "ORDER"}},
            "UpdateExpression": "SET #old = :both",
            "ExpressionAttributeNames": {"#old": "state"},
            "ExpressionAttributeValues": {":both": {"S": "other"}},
        }
        ground.old.send("UpdateItem", request)
        told = ground.migrator(TWO, take_over=True).retire(write=True)
        assert sum(skipped(told).values()) == 1, "nobody has looked there again"
        told = ground.migrator(TWO).retire(write=True)
        assert (skipped(told), ground.migrator(TWO).status()[0].state) == ({}, "retired")
        assert written(told) <= 1


def test_the_file_has_those_of_the_part_before_the_kill(tmp_path: Path) -> None:
    path, at = tmp_path / "left.jsonl", 0
    with shop() as ground:
        torn(ground, "retire")
        while history(ground).entries["0001_change"].done == 0:
            at += 1
            with pytest.raises(Crash):
                killed(ground, at, path).retire(write=True)
        told = ground.migrator(TWO, take_over=True, left_in=path).retire(write=True)
        assert sum(skipped(told).values()) == 1
        keys = {json.loads(line)["key"]["PK"]["S"] for line in path.read_text().splitlines()}
        assert keys == {"ORDER#1"}
