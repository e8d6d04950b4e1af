"""A range of events is read from the partitions of its days, ends included; what has expired is left out."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples.small.events import Event, events_between, log, record
from tablewright import Session

START = datetime(2096, 2, 27, tzinfo=UTC)
"""A day that is far off: a place that expires items by its own clock must not do so during a test."""


@pytest.fixture
def db(opened: Callable[..., Session]) -> Session:
    return opened(log, clock=lambda: START, hide_expired=True)


def test_a_range_is_read_from_the_partition_of_each_day(db: Session, asked: Callable[..., Any]) -> None:
    events = [record(db, "door", "opened", at=START + timedelta(hours=6 * n)) for n in range(20)]
    record(db, "door#2096-02-28", "opened", at=START)
    record(db, "doo", "opened", at=START)
    with db.measure() as meter:
        found = db.run(events_between, "door", events[3].happened_at, events[9].happened_at).all()
    assert found == events[3:10]
    assert asked(meter) == [("Query", None)] * 3  # 27, 28 and 29 February
    assert meter.capacity.read == 1.5
    with db.measure() as meter:
        assert db.run(events_between, "door", START, START + timedelta(hours=23)).all() == events[:4]
    assert asked(meter) == [("Query", None)]


def test_the_last_microsecond_of_a_day_belongs_to_it(db: Session) -> None:
    last = START + timedelta(days=1, microseconds=-1)
    written = [record(db, "door", kind, at=at) for kind, at in (("late", last), ("next", START + timedelta(days=1)))]
    assert db.run(events_between, "door", START, last).all() == written[:1]
    assert db.run(events_between, "door", last, START + timedelta(days=1)).all() == written


def test_the_partition_and_the_expiry_are_stored_as_dynamodb_needs_them(db: Session) -> None:
    event = record(db, "door", "opened", at=START + timedelta(hours=1, microseconds=7), keep=timedelta(days=1))
    (item,) = db.send("Scan", {"TableName": db.table_name})["Items"]
    assert item["PK"] == {"S": "EVENTS#door#2096-02-27"}
    assert item["SK"] == {"S": f"2096-02-27T01:00:00.000007Z#{event.event_id}"}
    assert item["expires_at"] == {"N": str(int((START + timedelta(days=1, hours=1)).timestamp()))}
    assert (item["Type"], item["event_type"]) == ({"S": "Event"}, {"S": "opened"})


def test_what_has_expired_is_not_shown(db: Session) -> None:
    record(db, "door", "old", at=START - timedelta(days=90))
    record(db, "door", "short", at=START - timedelta(minutes=5), keep=timedelta(minutes=4))
    kept = record(db, "door", "kept", at=START - timedelta(days=89))
    assert db.run(events_between, "door", START - timedelta(days=91), START).all() == [kept]


def test_events_of_one_moment_are_all_kept(db: Session) -> None:
    written = [record(db, "door", "opened", at=START) for _ in range(5)]
    assert db.run(events_between, "door", START, START).all() == sorted(written, key=lambda event: event.event_id)


@settings(max_examples=12)
@given(
    st.lists(st.integers(0, 5 * 24 * 60), min_size=1, max_size=20),
    st.integers(0, 5 * 24 * 60),
    st.integers(0, 5 * 24 * 60),
)
def test_any_range_is_what_a_plain_search_finds(minutes: list[int], one: int, other: int) -> None:
    start, end = sorted(START + timedelta(minutes=m) for m in (one, other))
    with log.open("memory:") as db:
        for number, minute in enumerate(minutes):
            at = START + timedelta(minutes=minute)
            db.create(
                Event(device="d", event_id=f"{number:02}", happened_at=at, event_type="t", expires_at=at),
            )
        found = [(event.happened_at, event.event_id) for event in db.run(events_between, "d", start, end)]
    expected = [(START + timedelta(minutes=m), f"{number:02}") for number, m in enumerate(minutes)]
    assert found == sorted(each for each in expected if start <= each[0] <= end)
