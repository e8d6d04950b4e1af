"""Every access pattern of the kefir helper finds what a plain search finds; sent reminders leave the lists."""

from collections.abc import Iterator
from decimal import Decimal

import pytest

from examples.kefir.model import (
    Batch,
    BatchEvent,
    BatchStatus,
    Device,
    Reminder,
    User,
    batch,
    batches_of,
    batches_with_status,
    bottle,
    cancel,
    change_status,
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
    sent,
    share,
    shared_batch,
    upcoming_reminders,
    user,
)
from examples.trial import Case, check, filled, hours
from tablewright import Entity, Session, key
from tablewright.errors import ConditionalCheckError

USERS = ("u1", "u10", "u1#STATUS")
STATUSES: tuple[BatchStatus, ...] = ("active", "in_fridge", "ready", "archived")


def made(user_id: str, number: int) -> Batch:
    return Batch(
        user_id=user_id,
        batch_id=f"{user_id}-{number}",
        name="Lemon",
        status=STATUSES[number % 4],
        water_volume_ml=2_000,
        sugar_grams=100,
        temperature_c=Decimal("22.5"),
        started_at=hours(number // 2),
        target_hours_stage1=48,
        is_public=number == 1,
    )


ITEMS: list[Entity] = [
    *(User(user_id=u, email=f"{u}@example.com") for u in USERS),
    *(made(u, n) for u in USERS for n in range(6)),
    *(
        Device(user_id=u, device_id=d, platform="web", push_token="t", last_seen_at=hours(0))
        for u in USERS
        for d in "ab"
    ),
    *(
        BatchEvent(batch_id=b, event_id=f"e{n}", at=hours(n // 2), user_id="u1", event_type="note", note="n")
        for b in ("u1-1", "u1-10")
        for n in range(5)
    ),
    *(
        Reminder(
            batch_id=b,
            reminder_id=f"{b}r{n}",
            user_id="u1",
            message="m",
            due_at=hours(n),
            status="sent" if n == 2 else "pending",
        )
        for b in ("u1-1", "u1-10")
        for n in range(5)
    ),
]


def due(r: Reminder) -> tuple[object, ...]:
    return (r.due_at, r.reminder_id)


CASES = [
    Case(user, ("u1",), User, lambda u: u.user_id == "u1"),
    Case(batches_of, ("u1",), Batch, lambda b: b.user_id == "u1", lambda b: b.batch_id),
    Case(own_batch, ("u1", "u1-1"), Batch, lambda b: (b.user_id, b.batch_id) == ("u1", "u1-1")),
    Case(batch, ("u1-1",), Batch, lambda b: b.batch_id == "u1-1"),
    Case(shared_batch, ("u1-1",), Batch, lambda b: b.batch_id == "u1-1"),
    Case(
        batches_with_status,
        ("u1", "active"),
        Batch,
        lambda b: (b.user_id, b.status) == ("u1", "active"),
        lambda b: (b.started_at, b.batch_id),
        True,
    ),
    Case(events_of, ("u1-1",), BatchEvent, lambda e: e.batch_id == "u1-1", lambda e: (e.at, e.event_id)),
    Case(
        events_of,
        ("u1-1", hours(1)),
        BatchEvent,
        lambda e: e.batch_id == "u1-1" and e.at >= hours(1),
        lambda e: (e.at, e.event_id),
    ),
    Case(latest_events, ("u1-1",), BatchEvent, lambda e: e.batch_id == "u1-1", lambda e: (e.at, e.event_id), True),
    Case(reminders_of, ("u1-1",), Reminder, lambda r: r.batch_id == "u1-1", lambda r: r.reminder_id),
    Case(
        upcoming_reminders,
        ("u1", hours(1), hours(3)),
        Reminder,
        lambda r: r.user_id == "u1" and r.status == "pending" and hours(1) <= r.due_at <= hours(3),
        due,
    ),
    Case(
        due_reminders,
        (hours(3),),
        Reminder,
        lambda r: r.status == "pending" and r.due_at <= hours(3),
        due,
        requests=2,
    ),
    Case(devices_of, ("u1",), Device, lambda d: d.user_id == "u1", lambda d: d.device_id),
    Case(device, ("u1", "a"), Device, lambda d: (d.user_id, d.device_id) == ("u1", "a")),
    Case(log_of, ("u1-1",), (BatchEvent, Reminder), lambda e: e.batch_id == "u1-1"),
    Case(export_of, ("u1",), (Batch, Device, User), lambda e: e.user_id == "u1"),
]


@pytest.fixture
def db() -> Iterator[Session]:
    with filled(kefir, ITEMS) as opened:
        yield opened


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_pattern_finds_what_a_plain_search_finds(db: Session, case: Case) -> None:
    check(db, case, ITEMS)


def test_every_pattern_is_tried() -> None:
    assert {case.pattern.name for case in CASES} == set(kefir.patterns)


def test_a_reminder_that_was_sent_or_cancelled_leaves_both_lists(db: Session) -> None:
    db.apply(sent, key(Reminder, batch_id="u1-1", reminder_id="u1-1r0"), at=hours(0))
    db.apply(cancel, key(Reminder, batch_id="u1-10", reminder_id="u1-10r1"), at=hours(0))
    left = ["u1-10r0", "u1-1r1", "u1-10r3", "u1-1r3"]
    assert [r.reminder_id for r in db.run(upcoming_reminders, "u1", hours(0), hours(3))] == left
    assert [r.reminder_id for r in db.run(due_reminders, hours(3))] == left
    assert len(db.run(reminders_of, "u1-1").all()) == 5
    with pytest.raises(ConditionalCheckError):
        db.apply(sent, key(Reminder, batch_id="u1-1", reminder_id="u1-1r0"), at=hours(0))


def test_a_batch_moves_between_the_lists_of_its_statuses(db: Session) -> None:
    bottled = db.apply(
        bottle, own_batch("u1", "u1-0"), at=hours(5), bottles=4, volume_ml=500, temperature_c=Decimal(20), hours=24
    )
    assert (bottled.stage, bottled.bottle_count) == (2, 4)
    db.apply(change_status, own_batch("u1", "u1-0"), was="active", status="ready")
    assert [b.batch_id for b in db.run(batches_with_status, "u1", "active")] == ["u1-4"]
    assert [b.batch_id for b in db.run(batches_with_status, "u1", "ready")] == ["u1-2", "u1-0"]


def test_only_a_shared_batch_is_shown_to_strangers(db: Session) -> None:
    assert db.run(shared_batch, "u1-2").all() == []
    db.apply(share, own_batch("u1", "u1-2"), note="Try it")
    (shown,) = db.run(shared_batch, "u1-2")
    assert shown.public_note == "Try it"
