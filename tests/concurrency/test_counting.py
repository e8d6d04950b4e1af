"""Many who count, upsert, lock by time, delete and bring back the same item: all that was acknowledged is there, once."""

from __future__ import annotations

import multiprocessing
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from tablewright import key, stored
from tablewright.errors import (
    AlreadyExistsError,
    ConcurrentModificationError,
    ContentionError,
    NotFoundError,
    UniqueViolationError,
)
from tests.concurrency.arcade import Document, Gauge, Slip, arcade
from tests.concurrency.conftest import Hall
from tests.concurrency.crews import IN_A_HURRY, Edit, Worker

ONE = key(Gauge, gauge_id="g")
COUNTS = pytest.mark.parametrize("counts", [200, pytest.param(10_000, marks=pytest.mark.full)])


@COUNTS
def test_contended_increments_add_up(hall: Hall, counts: int) -> None:
    """On a plain number each is one request that cannot fail; every number is handed out once."""
    hall.db.create(Slip(slip_id="s"))
    one, seen = key(Slip, slip_id="s"), list[int]()
    each = counts // hall.crew.size

    def work(number: int) -> Worker:
        for _ in range(each):
            seen.append((yield lambda db: db.increment(one, Slip.uses)))

    hall.crew.race(work)
    assert len(seen) == each * hall.crew.size
    (item,) = hall.items("Slip")
    assert sorted(seen) == list(range(1, len(seen) + 1))
    assert item["uses"] == {"N": str(len(seen))}


def test_one_makes_it_and_all_count(hall: Hall) -> None:
    done: list[int] = []

    def work(number: int) -> Worker:
        for _ in range(200 // hall.crew.size):
            try:
                yield lambda db: db.upsert(Document(document_id="d", size=1), add={"size": 1})
            except ContentionError:
                continue
            done.append(number)

    hall.crew.race(work)
    found = hall.db.get(key(Document, document_id="d"), consistent=True)
    assert found is not None
    assert done
    assert found.size == len(done)
    known = stored(found)
    assert known is not None
    assert known.version == len(done)
    (item,) = hall.items("Document")
    assert item["GSI1SK"] == {"S": f"{len(done):06}#d"}


def test_no_edit_under_a_lock_by_time_is_lost(hall: Hall) -> None:
    hall.db.create(Gauge(gauge_id="g"))
    written: list[str] = []

    def work(number: int) -> Worker:
        for turn in range(100 // hall.crew.size):
            entry = f"{number}-{turn}"

            def change(gauge: Gauge, entry: str = entry) -> None:
                gauge.entries = [*gauge.entries, entry]
                gauge.count = len(gauge.entries)

            try:
                if turn % 2:
                    found = yield lambda db: db.get(ONE, consistent=True)
                    change(found)
                    yield lambda db, f=found: db.put(f)
                else:
                    yield Edit(ONE, change)
            except (ConcurrentModificationError, ContentionError):
                continue
            written.append(entry)

    hall.crew.race(work)
    found = hall.db.get(ONE, consistent=True)
    assert found is not None
    assert written
    assert sorted(found.entries) == sorted(written)
    assert found.count == len(written)


def test_what_is_buried_and_brought_back_keeps_its_books(hall: Hall) -> None:
    """Two slips and one code: whoever is there holds it, and nobody else."""
    slips = [key(Slip, slip_id=n) for n in "ab"]

    def work(number: int) -> Worker:
        for turn in range(160 // hall.crew.size):
            which = (number + turn) % 2
            slip = Slip(slip_id="ab"[which], code="only" if (number + turn) % 3 else None)
            try:
                match (number * 7 + turn) % 5:
                    case 0:
                        yield lambda db, s=slip: db.create(s)
                    case 1:
                        yield lambda db, w=which: db.undelete(slips[w])
                    case 2:
                        yield lambda db, s=slip: db.upsert(s)
                    case 3:
                        yield lambda db, w=which: db.purge(slips[w])
                    case _:
                        yield lambda db, w=which: db.delete(slips[w])
            except (AlreadyExistsError, NotFoundError, UniqueViolationError, ContentionError):
                continue

    hall.crew.race(work)
    items = hall.items("Slip")
    there = [i for i in items if "DeletedAt" not in i]
    assert all(("GSI1PK" in i) == (i in there) for i in items)
    holders = [i["PK"]["S"] for i in there if "code" in i]
    assert [m["UniqueOwner"]["M"]["PK"]["S"] for m in hall.items("Unique")] == holders
    assert sorted(s.slip_id for s in hall.db.query(Slip)) == sorted(i["slip_id"]["S"] for i in there)


# --------------------------------------------------------------------------------------------------- two processes


@COUNTS
def test_two_processes_lose_no_count_and_no_locked_write(tmp_path: Path, counts: int) -> None:
    path = tmp_path / "arcade.db"
    with arcade.open(path) as db:
        db.create(Slip(slip_id="s"))
        db.create(Document(document_id="d"))
    spawn = multiprocessing.get_context("spawn")
    here, there = zip(*(spawn.Pipe() for _ in range(2)), strict=True)
    processes = [spawn.Process(target=count, args=(path, counts // 2, end)) for end in there]
    for process in processes:
        process.start()
    for end in there:
        end.close()
    for end in here:
        assert end.recv() == "ready"
    for end in here:
        end.send("go")
    locked = sum(end.recv() for end in here)
    for process in processes:
        process.join()
        assert process.exitcode == 0
        process.close()
    for end in here:
        end.close()
    with arcade.open(path) as db:
        slip = db.get(key(Slip, slip_id="s"))
        document = db.get(key(Document, document_id="d"))
    assert slip is not None
    assert slip.uses == counts // 2 * 2
    assert document is not None
    assert document.size == locked > 0
    known = stored(document)
    assert known is not None
    assert known.version == 1 + locked


def count(path: Path, counts: int, end: Connection) -> None:
    """Counts, and now and then writes under the version that it read; tells how often that went well."""
    locked = 0
    with arcade.open(path, retry=IN_A_HURRY) as db:
        end.send("ready")
        end.recv()
        for turn in range(counts):
            db.increment(key(Slip, slip_id="s"), Slip.uses)
            if turn % 4 == 0:
                document = db.get(key(Document, document_id="d"), consistent=True)
                assert document is not None
                document.size += 1
                try:
                    db.save(document)
                except ConcurrentModificationError:
                    continue
                locked += 1
    end.send(locked)
    end.close()
