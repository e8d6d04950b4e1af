"""A writer is killed at random moments, again and again: what it acknowledged is there, and all indexes are right."""

from __future__ import annotations

import random
import signal
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine import open_engine
from tests.crash import writer
from tests.crash.killing import lines_until_killed

LOOPS = 20


Items = dict[tuple[str, int], dict[str, Any]]


class Model:
    """What must be there: per key the last acknowledged round, or None after a delete."""

    def __init__(self) -> None:
        self.rounds: dict[tuple[str, int], int | None] = {}

    def read(self, line: str) -> None:
        worker, number, round_, kind = line.split()
        self.rounds[worker, int(number)] = None if kind == "delete" else int(round_)
        if kind == "pair":
            self.rounds[worker, int(number) + 1000] = int(round_)

    def check(self, items: Items) -> None:
        """Everything acknowledged is there; each worker may also have done the one write that was under way."""
        under_way: dict[str, set[int]] = {}
        for key in self.rounds.keys() | items.keys():
            worker, number = key
            found, round_ = items.get(key), self.rounds.get(key)
            stored = None if found is None else int(found["round"]["N"])
            if found is not None:
                assert found == writer.item(worker, number, int(found["round"]["N"]))
            if stored != round_:
                assert stored is None or round_ is None or stored > round_, f"{key} went back to an older round"
                under_way.setdefault(worker, set()).add(number % 1000)
            if number >= 1000:
                # Both halves of a transaction are there, and of the same round.
                assert stored == int(items[worker, number - 1000]["round"]["N"])
        assert all(len(numbers) == 1 for numbers in under_way.values()), under_way

    def settle(self, items: Items) -> None:
        """Take what is stored as the new starting point."""
        self.rounds = {key: int(item["round"]["N"]) for key, item in items.items()}


def run_and_kill(path: Path, start: int, seconds: float, model: Model) -> int:
    """Start the writer, kill it after a while without warning, and note what it acknowledged; the last round."""
    lines = lines_until_killed(writer.__file__, str(path), str(start), seconds=seconds)
    for line in lines:
        model.read(line)
    return max(int(line.split()[2]) for line in lines)


def stored_items(path: Path) -> Items:
    items: Items = {}
    with open_engine(path) as engine:
        assert engine.verify() == []
        request: dict[str, Any] = {"TableName": "App"}
        while True:
            page = engine.execute("Scan", request)
            for item in page["Items"]:
                worker = item["PK"]["S"].removeprefix("WORKER#")
                items[worker, int(item["SK"]["S"].removeprefix("ITEM#"))] = item
            if "LastEvaluatedKey" not in page:
                return items
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_writer_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "killed.db"
    moments = random.Random(20)
    model = Model()
    last = 0
    for _ in range(LOOPS):
        # The writers of one run may be a round apart; the next run starts behind all of them.
        last = run_and_kill(path, last + 1, moments.uniform(0.0, 0.25), model)
        plain = sqlite3.connect(path)
        assert plain.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        plain.close()
        items = stored_items(path)
        model.check(items)
        model.settle(items)
    assert len(model.rounds) > 50
