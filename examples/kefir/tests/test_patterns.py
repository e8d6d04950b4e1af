"""Every access pattern on the seed data: what it finds, in which order, with which request, and what that costs."""

from typing import Any

import pytest

from examples.kefir.model import (
    BatchEvent,
    BatchLog,
    Reminder,
    batch,
    batches_of,
    batches_with_status,
    device,
    devices_of,
    due_reminders,
    events_of,
    export_of,
    kefir,
    latest_events,
    log_of,
    own_batch,
    reminders_of,
    shared_batch,
    upcoming_reminders,
    user,
)
from examples.kefir.seed import day
from tablewright import Results, Session
from tablewright.testing import assert_requests


def name(item: Any) -> str:
    """What an item is called in the seed data."""
    for field in ("event_id", "reminder_id", "device_id", "batch_id", "user_id"):
        if hasattr(item, field):
            return str(getattr(item, field))
    raise AssertionError(item)


def listed(answer: Any) -> list[Any]:
    """The items of an answer: one, several, or those of a log."""
    if isinstance(answer, Results):
        return answer.all()
    return [*answer.events, *answer.reminders] if isinstance(answer, BatchLog) else [answer]


CASES: dict[str, tuple[Any, tuple[Any, ...], str, float, str]] = {
    "a user": (user, ("mia",), "GetItem", 0.5, "mia"),
    "all batches": (batches_of, ("mia",), "Query", 0.5, "b01 b02 b03 b04 b05"),
    "an own batch": (own_batch, ("mia", "b02"), "GetItem", 1.0, "b02"),
    "a batch by id": (batch, ("b06",), "Query/GSI1", 0.5, "b06"),
    "a shared batch": (shared_batch, ("b06",), "Query/GSI1", 0.5, "b06"),
    "no shared batch": (shared_batch, ("b02",), "Query/GSI1", 0.5, ""),
    "active batches": (batches_with_status, ("mia", "active"), "Query/GSI2", 0.5, "b05 b04"),
    "batches that are ready": (batches_with_status, ("noah", "ready"), "Query/GSI2", 0.5, "b06"),
    "events": (events_of, ("b01",), "Query", 0.5, "b01-e1 b01-e2 b01-e3 b01-e4"),
    "events since": (events_of, ("b01", day(3)), "Query", 0.5, "b01-e3 b01-e4"),
    "latest events": (latest_events, ("b01",), "Query", 0.5, "b01-e4 b01-e3 b01-e2 b01-e1"),
    "reminders of a batch": (reminders_of, ("b03",), "Query", 1.0, "r02"),
    "upcoming reminders": (upcoming_reminders, ("mia", day(12), day(19)), "Query/GSI1", 0.5, "r03 r04"),
    "upcoming reminders of an hour": (upcoming_reminders, ("mia", day(13.5), day(19)), "Query/GSI1", 0.5, "r04"),
    "due reminders": (due_reminders, (day(31),), "Query/GSI2 Query/GSI2", 1.0, "r05 r03 r04 r06"),
    "devices": (devices_of, ("mia",), "Query", 0.5, "laptop phone"),
    "a device": (device, ("noah", "phone"), "GetItem", 0.5, "phone"),
    "a batch's log": (log_of, ("b01",), "Query", 0.5, "b01-e1 b01-e2 b01-e3 b01-e4 r01"),
    "an account": (export_of, ("mia",), "Query", 0.5, "b01 b02 b03 b04 b05 laptop phone mia"),
}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_pattern_finds_it_with_one_request(db: Session, case: str) -> None:
    pattern, arguments, requests, units, expected = CASES[case]
    with db.measure() as meter:
        found = listed(db.run(pattern, *arguments))
    assert [name(item) for item in found] == expected.split()
    assert_requests(meter, *requests.split())
    assert meter.capacity.read == units
    assert {sent.pattern for sent in meter.requests} <= {pattern.name, None}


def test_every_pattern_is_here() -> None:
    assert {pattern.name for pattern, *_ in CASES.values()} == set(kefir.patterns)


def test_reminders_are_never_read_as_events(db: Session) -> None:
    """They share a partition with events, and sort behind them."""
    found = db.run(events_of, "b01", day(0)).all()
    assert {type(item) for item in found} == {BatchEvent}
    assert [type(item) for item in db.run(reminders_of, "b01")] == [Reminder]


def test_a_long_timeline_comes_in_pages_of_twenty(db: Session) -> None:
    for number in range(45):
        db.create(
            BatchEvent(batch_id="b08", event_id=f"n{number:02}", at=day(number / 24), user_id="olga", event_type="note")
        )
    page = db.run(latest_events, "b08").page()
    assert [event.event_id for event in page] == [f"n{number:02}" for number in range(44, 24, -1)]
    second = db.run(latest_events, "b08").page(cursor=page.cursor)
    third = db.run(latest_events, "b08").page(cursor=second.cursor)
    assert [len(page), len(second), len(third), third.cursor] == [20, 20, 5, None]
