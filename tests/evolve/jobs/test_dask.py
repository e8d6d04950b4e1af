"""The same job on a Dask cluster, also where a worker is lost midway."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import pytest

from tablewright.engine import Engine
from tablewright.errors import ArgumentError
from tablewright.evolve.jobs import Report
from tablewright.evolve.jobs.dask import Recipe, run_on_dask, shared
from tablewright.server import serve_in_thread
from tests.evolve.jobs.shelf import book, items, label_of, make_table

LABEL = Recipe("tests.evolve.jobs.shelf:Label", {"identity": "1"})


def test_a_recipe_makes_the_work_again() -> None:
    assert LABEL.work().identity == "1"
    for wrong in ("tests.evolve.jobs.shelf:Nobody", "no_such_module:Label", "Label"):
        with pytest.raises(ArgumentError, match="cannot be imported"):
            Recipe(wrong).work()


def test_workers_share_what_all_may_take() -> None:
    options = {"write": True, "segments": 4, "max_write_units": 100.0, "in_flight": 9, "restart": True}
    assert shared(options, 4) == {"write": True, "max_write_units": 25.0, "in_flight": 2}


def test_only_what_workers_can_open_is_a_target() -> None:
    with pytest.raises(ArgumentError, match="Workers"):
        run_on_dask(LABEL, "memory:", "tcp://127.0.0.1:1", write=True)


def test_a_dry_run_needs_no_cluster(engine: Engine) -> None:
    make_table(engine, 5)
    with serve_in_thread(engine) as server:
        report = run_on_dask(LABEL, server.url, "tcp://127.0.0.1:1")
    assert (report.dry_run, report.counts.written) == (True, 5)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
def test_a_worker_that_is_killed_midway_changes_nothing(engine: Engine) -> None:
    distributed: Any = pytest.importorskip("distributed")
    books = 400
    make_table(engine, books)
    reports: list[Report] = []
    with (
        serve_in_thread(engine) as server,
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        pids = list(client.run(os.getpid).values())

        def work() -> None:
            options: Any = {"segments": 4, "max_write_units": 100.0, "checkpoint_every": 0.1}
            reports.append(run_on_dask(LABEL, server.url, cluster.scheduler_address, write=True, **options))

        thread = threading.Thread(target=work)
        thread.start()
        until = time.monotonic() + 60
        while sum("label" in one for one in items(engine)) < books // 8:
            assert time.monotonic() < until
            time.sleep(0.05)
        os.kill(pids[0], signal.SIGKILL)
        thread.join(120)
    assert len(reports) == 1
    assert reports[0].finished
    assert reports[0].counts.looked >= books
    assert [one.get("label") for one in items(engine)] == [label_of(book(n)) for n in range(books)]
