"""The backfill of a move is killed again and again, while the application writes both sides: the new table is what the legacy tables say."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine import Engine, open_engine
from tablewright.evolve.moving import open_moving
from tablewright.server import serve_in_thread
from tablewright.values.wire import from_wire_item, to_wire_item
from tests.crash.mover import REFRESH, moving
from tests.evolve.moving.merchants import a_merchant, a_review, legacy_definitions

ROOT = Path(__file__).parent.parent.parent
pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")

Key = tuple[str, ...]


def started(what: str, url: str, journal: Path) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT), *sys.path])}
    words = [sys.executable, "-m", "tests.crash.mover", what, url, str(journal)]
    return subprocess.Popen(words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def scanned(engine: Engine, table: str) -> list[dict[str, Any]]:
    items, request = [], {"TableName": table}
    while True:
        page = engine.execute("Scan", request)
        items += [from_wire_item(item) for item in page["Items"]]
        if "LastEvaluatedKey" not in page:
            return items
        request = {**request, "ExclusiveStartKey": page["LastEvaluatedKey"]}


def legacy_of(merchants: int, journal: Path) -> dict[str, dict[Key, dict[str, Any]]]:
    """What the legacy tables must hold, from what was there and what was acknowledged."""
    held: dict[str, dict[Key, dict[str, Any]]] = {"MerchantsTable": {}, "ReviewsTable": {}}
    for number in range(merchants):
        held["MerchantsTable"][(f"m{number}",)] = a_merchant(number)
        held["ReviewsTable"][f"m{number}", "r0"] = a_review(number, 0)
    for line in journal.read_text().splitlines():
        table, key, item = json.loads(line)
        held[table].pop(tuple(key.values()), None)
        if item is not None:
            held[table][tuple(key.values())] = item
    return held


def wanted(held: dict[str, dict[Key, dict[str, Any]]]) -> set[tuple[Any, ...]]:
    """The new table, worked out by hand."""
    merchants = {
        (f"MERCHANT#{i['merchantId']}", f"MERCHANT#{i['merchantId']}", i["name"], i["category"], None)
        for i in held["MerchantsTable"].values()
    }
    reviews = {
        (f"MERCHANT#{i['merchantId']}", f"REVIEW#{i['ts'][:19]}.000000Z#{i['reviewId']}", None, None, i["stars"])
        for i in held["ReviewsTable"].values()
    }
    return merchants | reviews


@pytest.mark.parametrize(
    ("merchants", "kills", "mean"),
    [(400, 3, 0.05), pytest.param(5000, 25, 0.3, marks=pytest.mark.full)],
    ids=["400", "5000"],
)
def test_a_backfill_that_is_killed_again_and_again(tmp_path: Path, merchants: int, kills: int, mean: float) -> None:
    chance, killed, journal = random.Random(merchants), 0, tmp_path / "journal.jsonl"
    with open_engine(tmp_path / "market.db") as engine, serve_in_thread(engine) as server:
        for definition in legacy_definitions():
            engine.execute("CreateTable", definition)
        for table, items in legacy_of(merchants, Path(os.devnull)).items():
            puts = [{"PutRequest": {"Item": to_wire_item(item)}} for item in items.values()]
            for start in range(0, len(puts), 25):
                engine.execute("BatchWriteItem", {"RequestItems": {table: puts[start : start + 25]}})
        with open_moving(moving, server.url) as session:
            session.prepare()
            session.advance("dual")
            time.sleep(2 * REFRESH)
            with started("write", server.url, journal) as application:
                assert application.stdout is not None
                assert application.stdout.readline() == "ready\n"
                while killed < kills:
                    process = started("backfill", server.url, journal)
                    with process:
                        try:
                            assert process.stdout is not None
                            assert process.stdout.readline() == "ready\n"
                            process.communicate(timeout=chance.expovariate(1 / mean))
                            assert process.returncode == 0
                            break
                        except subprocess.TimeoutExpired:
                            process.kill()
                            killed += 1
                    time.sleep(0.2)  # the lease of the dead one
                with started("backfill", server.url, journal) as process:
                    process.communicate()
                    assert process.returncode == 0
                writes, _ = application.communicate("")
                assert application.returncode == 0
            assert session.repair().exit_code == 0
            found = session.verify()
            assert found.well, found.text()
            held = legacy_of(merchants, journal)
            for table, items in held.items():
                assert len(scanned(engine, table)) == len(items)
            market = {
                (i["PK"], i["SK"], i.get("name"), i.get("category_id"), i.get("stars"))
                for i in scanned(engine, "Market")
            }
            assert market == wanted(held)
        print(f"{merchants} merchants, {int(writes)} writes of the application, killed {killed} times")
    assert killed
    assert int(writes) > 20
