"""What requests in PartiQL are counted as: writes as writes, and reads of an index as reads of it."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.engine import Engine
from tablewright.errors import TablewrightError
from tablewright.observe.collector import Collector
from tablewright.observe.costing import observed_use
from tablewright.observe.snapshot import TABLE
from tablewright.observe.statements import Stated, stated
from tests.observe.shop import Clock, Customer, shop

INSERT = "INSERT INTO \"Shop\" VALUE {'PK': '%s', 'SK': 'x'}"
BY_EMAIL = 'SELECT * FROM "Shop"."GSI1" WHERE GSI1PK = \'EMAIL#c1\''


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('SELECT * FROM "Shop"', Stated(False, "Shop", None)),
        ("select a,b from Shop where a = 'x'", Stated(False, "Shop", None)),
        ('\n SELECT "from" , x FROM\t"Shop" . "GSI1" ORDER BY x', Stated(False, "Shop", "GSI1")),
        ('SELECT "my from x" FROM Shop.by_mail WHERE x = 1', Stated(False, "Shop", "by_mail")),
        ('SELECT * FROM"Shop-1.old"."a.b"', Stated(False, "Shop-1.old", "a.b")),
        ("INSERT INTO Shop VALUE {'a': 'FROM x.y'}", Stated(True, "Shop", None)),
        ('UPDATE "Shop" SET a = 1 WHERE PK = ?', Stated(True, "Shop", None)),
        ('delete from "Shop" where PK = ?', Stated(True, "Shop", None)),
        ('EXISTS(SELECT * FROM "Shop" WHERE PK = ?)', Stated(True, "Shop", None)),
        ("SELECTED", Stated(False, "", None)),
        ("", Stated(False, "", None)),
    ],
)
def test_what_a_statement_says(text: str, told: Stated) -> None:
    assert stated(text) == told


def test_a_long_statement_without_an_end_is_read_in_no_time() -> None:
    assert stated("SELECT " + "FROM'' \"x\" " * 20_000) == Stated(False, "", None)
    assert stated("SELECT " + "'" * 8191) == Stated(False, "", None)


def test_reads_and_writes_are_told_apart(engine: Engine) -> None:
    collector = Collector()
    ask = {"ReturnConsumedCapacity": "TOTAL"}
    with shop.open(engine, observe=collector) as db:
        db.send("ExecuteStatement", {"Statement": INSERT % "1", **ask})
        db.send("ExecuteStatement", {"Statement": "SELECT * FROM \"Shop\" WHERE PK = '1'", **ask})
        db.send("ExecuteStatement", {"Statement": BY_EMAIL, **ask})
        reads = [{"Statement": f"SELECT * FROM \"Shop\" WHERE PK = '{n}' AND SK = 'x'"} for n in (1, 2)]
        db.send("BatchExecuteStatement", {"Statements": reads, **ask})
        db.send("ExecuteTransaction", {"TransactStatements": [{"Statement": INSERT % n} for n in (3, 4, 5)], **ask})
        with pytest.raises(TablewrightError):
            db.send("ExecuteStatement", {"Statement": INSERT % "1", **ask})

    snapshot = collector.snapshot()
    found: dict[Any, Any] = {(t.operation, t.index): t for t in snapshot.traffic}
    one = found["ExecuteStatement", None]
    assert (one.requests, one.read_units, one.write_units, one.keys) == (3, 0.5, 1.0, 2)
    assert one.failures == {"DUPLICATE_ITEM": 1}
    assert found["ExecuteStatement", "GSI1"].read_units == 0.5
    batch, transaction = found["BatchExecuteStatement", None], found["ExecuteTransaction", None]
    assert (batch.requests, batch.keys, batch.returned, batch.write_units) == (1, 2, 1, 0.0)
    assert (transaction.requests, transaction.keys, transaction.read_units, transaction.write_units) == (1, 3, 0.0, 6.0)
    assert snapshot.places["GSI1"].last_used > 0
    assert snapshot.places[TABLE].requests.total == 0  # keys that stand in texts are not looked for
    assert sum(m.write_units for m in snapshot.minutes.values()) == 7.0

    events = collector.recent_events()
    assert [e.write_units for e in events] == [1.0, 0.0, 0.0, 0.0, 6.0, 0.0]
    assert [e.batched for e in events] == [0, 0, 0, 2, 3, 0]
    use = observed_use(shop, snapshot)
    assert use.other_writes["ExecuteTransaction"].units == 6.0
    assert set(use.other_reads) == {"ExecuteStatement", "BatchExecuteStatement"}


@pytest.mark.parametrize("request_", [{}, {"Statement": None}, {"Statement": 7}, {"Statements": [None]}], ids=repr)
def test_what_is_no_statement_is_counted_as_one_that_failed(engine: Engine, request_: dict[str, Any]) -> None:
    collector = Collector()
    with shop.open(engine, observe=collector) as db, pytest.raises(TablewrightError):
        db.send("BatchExecuteStatement" if "Statements" in request_ else "ExecuteStatement", request_)
    assert (collector.snapshot().requests, collector.lost) == (1, 0)


def test_an_index_that_is_read_in_partiql_is_used(engine: Engine) -> None:
    clock = Clock()
    collector = Collector(clock=clock, timer=clock)
    with shop.open(engine, observe=collector) as db:
        for n in range(9 * 24):
            db.create(Customer(customer_id=f"c{n}", email=f"c{n}"))
            db.send("ExecuteStatement", {"Statement": BY_EMAIL, "ReturnConsumedCapacity": "TOTAL"})
            clock.now += 3600
        unused = [one.subject for one in db.recommendations() if one.rule == "unused-index"]
    assert unused == ["ByPlace"]
