"""Whatever way an item was written, indexes that share attributes hold just what one fresh put would have stored."""

from __future__ import annotations

from typing import Any, Literal

from hypothesis import given
from hypothesis import strategies as st

from tablewright import GSI, LSI, Entity, Keys, Session, Table, attr, exists, key, sparse, sparse_local

jobs = Table(
    "Jobs",
    indexes=[
        GSI("GSI1"),
        GSI("Turned", pk="GSI1SK", sk="GSI1PK"),
        GSI("Again", pk="GSI1PK"),
        GSI("Mine", sk="SK"),
        LSI("Ranked", sk="AgainSK"),
        GSI("Inverted", pk="SK", sk="PK"),
    ],
)


class Job(Entity, table=jobs):
    keys = Keys(
        "JOB#{job_id}",
        "JOB",
        GSI1=sparse("OWNER#{owner}", "{due}", when=attr("state") == "open"),
        Again=sparse_local("RANK#{rank}", when=exists(attr("note"))),
        Mine="STATE#{state}",
    )
    job_id: str
    owner: str | None = None
    due: str = "d0"
    rank: str = "r0"
    note: str | None = None
    state: Literal["open", "done"] = "open"


FIELDS: dict[str, tuple[Any, ...]] = {
    "owner": (None, "ann", "bob"),
    "due": ("d0", "d1"),
    "rank": ("r0", "r1"),
    "note": (None, "n"),
    "state": ("open", "done"),
}
changes = st.dictionaries(st.sampled_from(sorted(FIELDS)), st.integers(0, 2), min_size=1).map(
    lambda chosen: {name: FIELDS[name][number % len(FIELDS[name])] for name, number in chosen.items()}
)
ONE = key(Job, job_id="1")


def item(db: Session, number: str) -> dict[str, Any]:
    found = db.send("GetItem", {"TableName": "Jobs", "Key": {"PK": {"S": f"JOB#{number}"}, "SK": {"S": "JOB"}}})["Item"]
    return {n: v for n, v in found.items() if n not in ("PK", "CreatedAt", "UpdatedAt", "job_id")}


def held(db: Session, index: str, number: str) -> bool:
    found = db.send("Scan", {"TableName": "Jobs", "IndexName": index})["Items"]
    return any(i["PK"]["S"] == f"JOB#{number}" for i in found)


@given(
    steps=st.lists(st.tuples(st.sampled_from(["update", "put", "edit", "transaction", "upsert"]), changes), max_size=8)
)
def test_every_way_to_write(steps: list[tuple[str, dict[str, Any]]]) -> None:
    with jobs.open("memory:") as db:
        db.create(Job(job_id="1"))
        now: dict[str, Any] = {}
        for way, change in steps:
            now |= change
            if way == "update":
                db.update(ONE, set=change)
            elif way == "put":
                db.put(Job(job_id="1", **now))
            elif way == "upsert":
                db.upsert(Job(job_id="1", **now))
            elif way == "transaction":
                with db.transaction() as tx:
                    tx.update(ONE, set=change)
            else:
                with db.edit(ONE) as job:
                    for name, value in change.items():
                        setattr(job, name, value)
        fresh = Job(job_id="2", **now)
        db.create(fresh)
        assert item(db, "1") == item(db, "2")
        in_first = fresh.owner is not None and fresh.state == "open"
        expected = {
            "GSI1": in_first,
            "Turned": in_first,
            "Again": in_first and fresh.note is not None,
            "Mine": True,
            "Ranked": in_first and fresh.note is not None,
            "Inverted": True,
        }
        for index, there in expected.items():
            assert held(db, index, "1") is there, index
