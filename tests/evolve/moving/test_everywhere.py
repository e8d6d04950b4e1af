"""The same on AWS's own DynamoDB Local: its transactions over several tables, its conditions, its indexes."""

from __future__ import annotations

import uuid

import pytest

from tablewright.evolve.moving import MovingSession, open_moving
from tests.evolve.moving.merchants import Clock, a_merchant, a_review, legacy_definitions, merchants_moving


@pytest.mark.dynamodb_local
@pytest.mark.parametrize("together", [True, False], ids=["together", "apart"])
def test_a_move_on_dynamodb_local(dynamodb_local_url: str, together: bool) -> None:
    prefix = f"t{uuid.uuid4().hex[:12]}-"
    moving, clock = merchants_moving(prefix, ledger=f"{prefix}ledger"), Clock()
    other = None if together else dynamodb_local_url
    name = f"{prefix}Market"
    with open_moving(moving, dynamodb_local_url, legacy=other, clock=clock, table_name=name, create=True) as session:
        for definition in legacy_definitions(prefix):
            session.db.send("CreateTable", definition)
        session.prepare()
        for number in range(5):
            session.create(f"{prefix}MerchantsTable", a_merchant(number))
            session.create(f"{prefix}ReviewsTable", a_review(number, 1))
        session.advance("dual")
        clock.pass_(seconds=11)
        session.update(f"{prefix}MerchantsTable", {"merchantId": "m1"}, set={"name": "Renamed", "rating": 4})
        session.delete(f"{prefix}ReviewsTable", {"merchantId": "m2", "reviewId": "r1"})
        assert backfill(session) == 8
        assert backfill(session) == 0
        assert session.repair().exit_code == 0
        found = session.verify()
        assert found.well, found.text()
        assert found.entities["Review"].found == 4
        session.advance("shadow")
        clock.pass_(seconds=11)
        assert session.progress().at(clock().timestamp()) == "shadow"
        for table in (*moving.keys, moving.ledger, name):
            session.db.send("DeleteTable", {"TableName": table})


def backfill(session: MovingSession) -> int:
    dry = [report.counts.written for report in session.backfill()]
    reports = session.backfill(write=True, segments=2, max_write_units=1000.0)
    assert [report.counts.written for report in reports] == dry
    assert all(report.finished and not report.counts.skipped for report in reports)
    return sum(dry)
