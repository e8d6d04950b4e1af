"""Observations are saved while a process runs and when it ends."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tablewright import Collector
from tablewright.errors import ConfigError
from tablewright.observe import Snapshot, merged
from tablewright.observe.saving import Saver
from tests.observe.shop import customer, shop

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


def test_it_saves_again_and_again(tmp_path: Path) -> None:
    collector = Collector()
    saver = Saver(tmp_path, collector.snapshot, every=0.001)
    with shop.open("memory:", observe=collector) as db:
        saver.begin()
        db.run(customer, "c1")
        until = time.monotonic() + 30
        while not list(tmp_path.glob("*.json")):  # written by the thread
            assert time.monotonic() < until
        saver.end()
        db.run(customer, "c1")
        (file,) = tmp_path.iterdir()
        assert merged([file]).requests == 1
        saver.save()
        assert merged([file]).requests == 2


def test_what_is_saved_is_not_saved_again(tmp_path: Path) -> None:
    collector = Collector()
    saver = Saver(tmp_path, collector.snapshot)
    saver.save()
    assert list(tmp_path.iterdir()) == []
    with shop.open("memory:", observe=collector) as db:
        db.run(customer, "c1")
    saver.save()
    (file,) = tmp_path.iterdir()
    file.unlink()
    saver.save()
    assert list(tmp_path.iterdir()) == []


FORKING = """
import multiprocessing, sys
from tablewright import Collector
from tests.observe.shop import customer, shop
collector = Collector(save_to=sys.argv[1])
def job(number):
    with shop.open("memory:", observe=collector) as db:
        for n in range(number):
            db.run(customer, str(n))
job(1)
fork = multiprocessing.get_context("fork")
workers = [fork.Process(target=job, args=(n,)) for n in (10, 100)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
"""


def test_forked_processes_leave_files_of_their_own(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORKING, str(tmp_path)], check=True)

    files = list(tmp_path.glob("Shop-*.json"))
    assert sorted(merged([file]).requests for file in files) == [1, 10, 100]


def test_the_folder_is_made(tmp_path: Path) -> None:
    Collector(save_to=tmp_path / "a" / "b").close()
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be a folder for observations"):
        Collector(save_to=tmp_path / "file")


def test_a_folder_that_is_taken_away_is_made_again(tmp_path: Path) -> None:
    folder = tmp_path / "seen"
    collector = Collector(save_to=folder)
    with shop.open("memory:", observe=collector) as db:
        db.run(customer, "c1")
        folder.rmdir()
        assert collector.flush()
    assert merged(folder.glob("*.json")).requests == 1


def test_what_cannot_be_written_is_told_and_raises_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = tmp_path / "seen"
    collector = Collector(save_to=folder)
    with shop.open("memory:", observe=collector) as db:
        db.run(customer, "c1")
        folder.rmdir()
        folder.write_text("no folder")
        assert not collector.flush()
        assert not collector.close()
        assert [record.levelname for record in caplog.records] == ["WARNING"]
        assert "cannot be saved in" in caplog.text
        folder.unlink()
        assert collector.flush()
    assert merged(folder.glob("*.json")).requests == 1


def test_a_program_may_go_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    collector = Collector(save_to="seen")
    with shop.open("memory:", observe=collector) as db:
        db.run(customer, "c1")
        (tmp_path / "other").mkdir()
        monkeypatch.chdir(tmp_path / "other")
        assert collector.close()
    assert len(list((tmp_path / "seen").iterdir())) == 1


def test_what_was_taken_earlier_is_not_written_over_what_came_later(tmp_path: Path) -> None:
    collector = Collector()
    taken, go_on = threading.Event(), threading.Event()

    def take() -> Snapshot:
        snapshot = collector.snapshot()
        if not taken.is_set():
            taken.set()
            go_on.wait(30)
        return snapshot

    saver = Saver(tmp_path, take)
    with shop.open("memory:", observe=collector) as db:
        db.run(customer, "c1")
        first = threading.Thread(target=saver.save)
        first.start()
        assert taken.wait(30)
        db.run(customer, "c1")
        second = threading.Thread(target=saver.save)
        second.start()
        second.join(0.2)  # it waits for the first, or is done before it
        go_on.set()
        first.join()
        second.join()
    assert merged(tmp_path.iterdir()).requests == 2
