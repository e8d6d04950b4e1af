"""Observations are saved while a process runs and when it ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tablewright import Collector
from tablewright.errors import ConfigError
from tablewright.observe import merged
from tablewright.observe.saving import Saver
from tests.observe.shop import Clock, customer, shop

PROGRAM = """
import sys
from tablewright import Collector
from tests.observe.shop import customer, shop
def job():
    with shop.open("memory:", observe=Collector(save_to=sys.argv[1])) as db:
        for n in range(int(sys.argv[2])):
            db.run(customer, str(n))
job()
if sys.argv[3] == "raise":
    raise SystemExit(3)
"""


def test_every_process_leaves_a_file(tmp_path: Path) -> None:
    for number, end in ((3, "end"), (4, "raise")):
        done = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path), str(number), end], check=False)
        assert done.returncode == (3 if end == "raise" else 0)

    files = list(tmp_path.glob("Shop-*.json"))
    assert len(files) == 2
    assert merged(files).requests == 7


def test_it_saves_once_a_minute(tmp_path: Path, clock: Clock) -> None:
    collector = Collector(clock=clock, timer=clock)
    saver = Saver(tmp_path, collector.snapshot, timer=clock)
    with shop.open("memory:", observe=collector) as db:
        counts = []
        for _ in range(5):
            db.run(customer, "c1")
            clock.sleep(25)
            saver.seen(collector.recent_events()[-1])
            counts.append(sum(merged([file]).requests for file in tmp_path.iterdir()))
    assert counts == [0, 0, 3, 3, 3]
    saver.flush()
    (file,) = tmp_path.iterdir()
    assert merged([file]).requests == 5


def test_a_collector_that_is_gone_saves_nothing(tmp_path: Path) -> None:
    Saver(tmp_path, lambda: None).flush()
    assert list(tmp_path.iterdir()) == []


def test_the_folder_is_made(tmp_path: Path) -> None:
    Collector(save_to=tmp_path / "a" / "b").close()
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be a folder for observations"):
        Collector(save_to=tmp_path / "file")
