"""Prices are data; and a calculation that many go by, done right beside done as it usually is."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from tablewright import GSI, Entity, Get, Keys, Table, get
from tablewright.cost.estimating import estimate
from tablewright.cost.prices import MONTH, load_prices, on_demand, usual_rates
from tablewright.errors import ArgumentError

KB = 1000
PRICES = """
[here]
region = "eu-somewhere-1"
since = "2026-01"
currency = "EUR"
[here.classes.standard]
reads = 1
writes = 2.5
read_hour = 0.01
write_hour = 0.02
storage = 3
"""


def test_the_prices_that_come_along() -> None:
    rates = load_prices().classes["standard"]
    assert (rates.reads, rates.writes, rates.storage) == (0.125, 0.625, 0.25)
    assert load_prices("us-east-1") == load_prices()
    assert load_prices("before-2024-11").classes["standard"].writes == 2 * rates.writes


def test_prices_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(PRICES)
    prices = load_prices(file)
    assert (prices.region, prices.currency, prices.item_overhead) == ("eu-somewhere-1", "EUR", 100)
    bill = on_demand(prices.classes["standard"], reads=2e6, writes=1e6, stored=2**31)
    assert (bill.reads, bill.writes, bill.storage, bill.total) == (2.0, 2.5, 6.0, 10.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("here = ", "cannot be read as prices"),
        (PRICES.replace("storage = 3", ""), "missing required field `storage`"),
        (PRICES.replace("storage = 3", "storage = -3"), "prices from 0 on"),
        (PRICES.replace("storage = 3", "storage = nan"), "prices from 0 on"),
        (PRICES.replace('currency = "EUR"', "streams = -1"), "prices from 0 on"),
        (PRICES.replace('currency = "EUR"', "stream = 1"), "unknown field `stream`"),
        (PRICES + PRICES.replace("here", "there"), "holds 2 tables of prices"),
    ],
    ids=["no-toml", "missing", "negative", "nan", "negative-stream", "unknown", "two"],
)
def test_prices_that_are_none(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(text)
    with pytest.raises(ArgumentError, match=message):
        load_prices(file)


def test_the_usual_rates_are_those_of_the_standard_class(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    other = PRICES.replace("standard", "other").replace("reads = 1", "reads = 9")
    file.write_text(other + PRICES.partition('"EUR"')[2])
    prices = load_prices(file)
    assert list(prices.classes) == ["other", "standard"]
    assert usual_rates(prices).reads == 1
    file.write_text(other)
    assert usual_rates(load_prices(file)).reads == 9


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="no file of prices") as refused:
        load_prices(tmp_path / "prices.toml")
    assert "before-2024-11, eu-central-1, eu-west-1, us-east-1, us-east-2." in (refused.value.hint or "")


def test_a_calculation_as_it_is_usually_done() -> None:
    """A thousand users of 150 KB, 100,000 reads and 50,000 writes a month: an eighth of a dollar by the old prices."""
    old = load_prices("before-2024-11").classes["standard"]
    bill = on_demand(old, reads=100_000, writes=50_000, stored=150e6)
    assert bill.storage == pytest.approx(0.04, abs=0.006)
    assert (bill.reads, bill.writes) == (0.025, 0.0625)
    assert bill.total == pytest.approx(0.125, abs=0.003)


def test_the_same_calculation_done_right() -> None:
    """Prices have halved since; but a write of 2 KB is two units, and each index copy is written and stored as well."""
    table = Table("Brews", indexes=[GSI("GSI1"), GSI("GSI2")])

    class User(Entity, table=table):
        keys = Keys("USER#{user}", "USER", GSI1=("EMAIL#{email}", "USER"), unique=["email"])
        user: str
        email: str

    class Batch(Entity, table=table):
        keys = Keys("USER#{user}", "BATCH#{batch}", GSI1=("BATCH#{batch}", "BATCH"), GSI2=("ALL", "{started}#{batch}"))
        user: str
        batch: str
        started: datetime

    class Event(Entity, table=table):
        keys = Keys("BATCH#{batch}", "EVENT#{at}")
        batch: str
        at: datetime

    class Reminder(Entity, table=table):
        keys = Keys("USER#{user}", "REMINDER#{due}", GSI1=("DUE", "{due}#{user}"))
        user: str
        due: datetime

    class Device(Entity, table=table):
        keys = Keys("USER#{user}", "DEVICE#{device}")
        user: str
        device: str

    @table.pattern
    def user(user: str) -> Get[User]:
        return get(User, User.user == user)

    of_a_user = {User: (1, 1), Batch: (10, 2), Event: (50, 2), Reminder: (20, 1), Device: (3, 1)}
    for entity, (count, size) in of_a_user.items():
        table.expect(entity, items=1000 * count, size=size * KB, writes=50_000 * count / 84 / MONTH)
    table.expect(user, rate=100_000 / MONTH)
    assert sum(count * size for count, size in of_a_user.values()) == 144  # which is often rounded to 150

    found = estimate(table, load_prices("before-2024-11"))
    bare = sum(entity.items * entity.size for entity in found.entities if entity.items)
    assert bare == 144e6
    usual = on_demand(load_prices("before-2024-11").classes["standard"], reads=100_000, writes=50_000, stored=bare)
    right = found.bill()
    assert right.writes > 2 * usual.writes  # sizes are rounded up, indexes and markers are written
    assert right.storage > 1.4 * usual.storage  # indexes are copies
    assert right.reads == pytest.approx(usual.reads / 2)  # an eventually consistent read is half a unit
    today = estimate(table).bill()
    assert today.writes == pytest.approx(right.writes / 2)
    assert today.storage > right.storage  # a hundred bytes for every item
