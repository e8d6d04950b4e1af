"""Which items a job has left, and why: told once over all runs of a job, and to nobody but who asked."""

from __future__ import annotations

import json
import stat
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine import Engine
from tablewright.errors import ArgumentError
from tablewright.evolve.jobs import Job, Left, Report
from tablewright.evolve.jobs.dask import Recipe, run_on_dask
from tablewright.server import serve_in_thread
from tablewright.transport.embedded import EmbeddedTransport
from tests.evolve.jobs.shelf import TABLE, Between, Label, book, job, make_table, run

BOOKS = 30
WITHDRAWN = {f"BOOK#{number:03d}" for number in range(0, BOOKS, 3)}


def withdraw(engine: Engine) -> None:
    """Every third book."""
    make_table(engine, BOOKS)
    for number in range(0, BOOKS, 3):
        engine.execute("PutItem", {"TableName": TABLE, "Item": {**book(number), "withdrawn": {"BOOL": True}}})


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def keys(path: Path) -> Counter[str]:
    return Counter(line["key"]["PK"]["S"] for line in lines(path))


@pytest.mark.parametrize("segments", [1, 4])
def test_a_file_has_the_keys_and_the_reasons(engine: Engine, transport: Any, tmp_path: Path, segments: int) -> None:
    withdraw(engine)
    path = tmp_path / "left.jsonl"
    path.write_text('{"key":{"PK":{"S":"of another time"}}}\n')
    report = run(Label(), transport, left=path, segments=segments, in_flight=8)
    assert report.counts.skipped == {"withdrawn": 10}
    assert keys(path) == Counter(WITHDRAWN)
    assert lines(path)[0].keys() == {"key", "reason"}
    assert {(line["reason"], line["key"]["SK"]["S"]) for line in lines(path)} == {("withdrawn", "BOOK")}
    assert "BOOK#" not in str(report) + json.dumps(report.to_dict())


def test_a_file_of_another_kind_is_not_written_over(engine: Engine, transport: Any, tmp_path: Path) -> None:
    withdraw(engine)
    path = tmp_path / "books.db"
    path.write_text("SQLite format 3")
    with pytest.raises(ArgumentError, match=r"books\.db is there, and is no list of items that were left"):
        run(Label(), transport, left=path)
    assert path.read_text() == "SQLite format 3"
    for begins in ("", '{"ke'):  # nothing yet, or as much as was written before a kill
        path.write_text(begins)
        run(Label(), transport, left=path)


def test_a_new_file_is_its_owners_alone(engine: Engine, transport: Any, tmp_path: Path) -> None:
    withdraw(engine)
    run(Label(), transport, left=str(tmp_path / "left.jsonl"))
    assert stat.S_IMODE((tmp_path / "left.jsonl").stat().st_mode) == 0o600
    with pytest.raises(ArgumentError, match=r"none/left cannot be written: No such file"):
        run(Label(), transport, left=tmp_path / "none" / "left")
    run(Label(), transport, left=tmp_path / "left.jsonl")  # nobody holds it


def test_a_dry_run_tells_those_too_that_it_would_write(engine: Engine, transport: Any) -> None:
    withdraw(engine)
    told: list[Left] = []
    report = Job(Label(), transport, left=told.extend, segments=3).run()
    assert Counter(one.reason for one in told) == {None: report.counts.written, "withdrawn": 10}
    assert {one.key["PK"]["S"] for one in told if one.reason} == WITHDRAWN


def test_a_run_that_was_stopped_and_the_next_tell_each_item_once(engine: Engine, tmp_path: Path) -> None:
    withdraw(engine)
    path, jobs = tmp_path / "left.jsonl", list[Job]()

    def stop(number: int, operation: str, request: dict[str, Any]) -> None:
        if number >= 14:
            jobs[-1].stop()

    reports = list[Report]()
    while not (reports and reports[-1].finished):
        jobs.append(job(Label(), Between(EmbeddedTransport(engine, owned=False), stop), left=path))
        reports.append(jobs[-1].run())
    assert len(jobs) > 2
    assert reports[-1].counts.left == 10
    assert keys(path) == Counter(WITHDRAWN)


class _KilledError(Exception):
    pass


def test_after_kills_none_is_missing(engine: Engine, tmp_path: Path) -> None:
    withdraw(engine)
    path, kills, ended = tmp_path / "left.jsonl", 0, False

    def kill(number: int, operation: str, request: dict[str, Any]) -> None:
        if number >= 12:
            raise _KilledError

    while not ended:
        wire = Between(EmbeddedTransport(engine, owned=False), kill)
        try:
            ended = run(Label(), wire, left=path, clock=lambda now=kills: now * 61.0).finished
        except _KilledError:
            kills += 1
    assert kills > 1
    assert set(keys(path)) == WITHDRAWN


def test_what_could_not_be_told_is_told_by_the_next_run(engine: Engine, transport: Any, tmp_path: Path) -> None:
    withdraw(engine)

    def full(left: Sequence[Left]) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        run(Label(), transport, left=full)
    report = run(Label(), transport, left=tmp_path / "left.jsonl")  # it was let go
    assert report.finished
    assert set(keys(tmp_path / "left.jsonl")) == WITHDRAWN


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
def test_workers_send_what_they_left(engine: Engine, tmp_path: Path) -> None:
    distributed: Any = pytest.importorskip("distributed")
    withdraw(engine)
    path = tmp_path / "left.jsonl"
    with (
        serve_in_thread(engine) as server,
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
    ):
        recipe = Recipe("tests.evolve.jobs.shelf:Label")
        options: Any = {"segments": 4, "checkpoint_every": 0.0, "write": True}
        report = run_on_dask(recipe, server.url, cluster.scheduler_address, left=path, **options)
    assert report.counts.left == 10
    assert keys(path) == Counter(WITHDRAWN)
