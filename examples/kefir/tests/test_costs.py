"""What a thousand users cost: an eighth of a dollar as the sum was once done, less by today's prices, more as it is charged."""

import json
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from typer.testing import CliRunner

from examples.kefir import model
from examples.kefir.costs import (
    KILOBYTES,
    MEGABYTES,
    PER_USER,
    READS,
    THEN,
    TODAY,
    USERS,
    WRITES,
    charged,
    shown,
    usual_sum,
)
from examples.kefir.model import Batch, BatchEvent, Device, Reminder, User, kefir
from examples.kefir.seed import START
from tablewright import Entity, cli
from tablewright.cost.estimating import estimate
from tablewright.cost.prices import MONTH, load_prices, on_demand
from tablewright.observe.collector import Collector
from tablewright.observe.costing import estimate_observed


def test_the_old_sum_comes_to_an_eighth_of_a_dollar() -> None:
    bill = usual_sum(load_prices(THEN))
    parts = (round(bill.storage, 2), round(bill.reads, 3), round(bill.writes, 2))
    assert parts == (0.04, 0.025, 0.06)
    assert sum(parts) == pytest.approx(0.125)
    assert bill.total == pytest.approx(0.125, abs=0.001)


def test_today_it_costs_less() -> None:
    then, today = usual_sum(load_prices(THEN)), usual_sum(load_prices(TODAY))
    assert today.storage == then.storage
    assert (today.reads, today.writes) == (then.reads / 2, then.writes / 2)
    assert today.total == pytest.approx(0.0804, abs=0.0001)


def test_what_is_charged_counts_units_and_indexes() -> None:
    then, today = charged(load_prices(THEN)), charged(load_prices(TODAY))
    assert then.total == pytest.approx(0.270, abs=0.001)
    assert today.total == pytest.approx(0.160, abs=0.001)
    assert today.writes == pytest.approx(then.writes / 2)


def test_the_model_expects_the_same_users() -> None:
    """Sizes and numbers of the sum and of the model are the same: 144 KB a user, of which 150 MB were made."""
    found = estimate(kefir)
    assert {e.name: (e.items or 0) / USERS for e in found.entities} == PER_USER
    assert {e.name: e.size / 1024 for e in found.entities} == KILOBYTES
    per_user = sum(PER_USER[name] * KILOBYTES[name] for name in PER_USER)
    assert per_user == 144
    assert per_user * USERS / 1_000 <= MEGABYTES


def test_the_command_tells_what_the_old_sum_is_made_of() -> None:
    """What is stored, and what a GB and a million units cost, come from a run of the command; 144 KB are said to be 150."""
    done = CliRunner().invoke(cli.app, ["cost", str(Path(model.__file__)), "--prices", THEN, "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    kilobytes = sum(entity["items"] * entity["size"] for entity in found["entities"]) / 1024 / USERS
    assert (kilobytes, found["since"]) == (144, "2018-11")
    rates = load_prices(THEN).classes["standard"]
    exact = on_demand(rates, reads=READS, writes=WRITES, stored=kilobytes * 1024 * USERS)
    assert exact.total == pytest.approx(0.125, abs=0.005)
    assert usual_sum(load_prices(THEN)).total - exact.total == pytest.approx(
        (MEGABYTES * 1024 - 144 * USERS) / 2**20 * 0.25
    )


def one_user() -> list[Entity]:
    """What a user has: one of each, and more, 84 in all."""
    days = [START + timedelta(days=number) for number in range(10)]
    batches = [
        Batch(
            user_id="u1",
            batch_id=f"b{number}",
            name="Plain",
            water_volume_ml=900,
            sugar_grams=60,
            temperature_c=Decimal(22),
            started_at=day,
            target_hours_stage1=48,
        )
        for number, day in enumerate(days)
    ]
    events = [
        BatchEvent(
            batch_id=b.batch_id, event_id=f"e{n}", at=b.started_at, user_id="u1", event_type="note", note="n" * 1_900
        )
        for b in batches
        for n in range(5)
    ]
    reminders = [
        Reminder(batch_id=b.batch_id, reminder_id=f"r{n}", user_id="u1", message="Strain it", due_at=b.started_at)
        for b in batches
        for n in range(2)
    ]
    devices = [
        Device(user_id="u1", device_id=f"d{n}", platform="ios", push_token="t" * 200, last_seen_at=START)
        for n in range(3)
    ]
    return [User(user_id="u1", email="mia@example.com"), *batches, *events, *reminders, *devices]


def test_a_month_that_is_watched_comes_to_an_eighth_of_a_dollar() -> None:
    """A user's 84 items are written and read twice each, as fast as 1,000 users do in a month: by the requests that a
    collector saw, and a request for a unit, the sum is the old one. What the requests consumed is more."""
    now = [START.timestamp()]

    def clock() -> float:
        return now[0]

    collector, items = Collector(clock=clock, timer=clock), one_user()
    assert len(items) == 84
    with kefir.open("memory:", table_name="kefir-watched", observe=collector) as db:
        for item in items:
            db.put(item)
        for _ in range(len(items)):
            db.run(model.user, "u1")
            assert len(list(db.run(model.latest_events, "b3"))) == 5
        now[0] += MONTH * len(items) / WRITES
        seen = collector.snapshot()
    found = estimate_observed(kefir, seen, load_prices(THEN))
    reads = sum(row.observed_rate for row in found.patterns) * MONTH
    writes = sum(row.observed_rate for row in found.entities) * MONTH
    assert reads == pytest.approx(READS)
    assert writes == pytest.approx(WRITES)
    rates = load_prices(THEN).classes["standard"]
    assert on_demand(rates, reads=reads, writes=writes, stored=MEGABYTES * 2**20).total == pytest.approx(
        0.125, abs=0.001
    )
    # Events of 2 KB are two units, and batches and reminders are in both indexes.
    assert found.observed.writes > 2 * writes / 1e6 * rates.writes
    assert {row.name for row in found.patterns if row.observed_rate} == {"user()", "latest_events()"}


def test_both_are_shown_beside_each_other() -> None:
    assert shown().splitlines() == [
        "USD a month                   storage    reads   writes    total",
        "usual sum, prices of then       0.037    0.025    0.062    0.124",
        "usual sum, prices of today      0.037    0.013    0.031    0.080",
        "as charged, prices of then      0.045    0.059    0.167    0.270",
        "as charged, prices of today     0.047    0.029    0.083    0.160",
    ]
