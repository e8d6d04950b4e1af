"""A spring of brewing. `python -m examples.kefir.seed kefir.db` writes it; running it again restores it."""

import itertools
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from tablewright import Entity, Session

from .model import (
    Batch,
    BatchEvent,
    BatchStatus,
    Device,
    DeviceInfo,
    EventType,
    Platform,
    Preferences,
    Reminder,
    ReminderStatus,
    User,
    kefir,
)

START = datetime(2026, 3, 1, 8, tzinfo=UTC)

_USERS = [
    ("mia", "mia@example.com", "Mia Sommer", "21.5"),
    ("noah", "noah@example.org", "Noah Lind", None),
    ("olga", "olga@example.net", None, "23"),
]

_BATCHES: list[tuple[str, str, str, int, BatchStatus, int, str | None]] = [
    ("mia", "b01", "The first one", 0, "archived", 2, "raisins, ginger"),
    ("mia", "b02", "Lemon", 4, "ready", 2, "lemon"),
    ("mia", "b03", "Elderflower", 8, "in_fridge", 2, "elderflower, lime"),
    ("mia", "b04", "Plain", 11, "active", 2, None),
    ("mia", "b05", "Fig", 12, "active", 1, "dried figs"),
    ("noah", "b06", "Raspberry", 6, "ready", 2, "raspberries"),
    ("noah", "b07", "Raspberry again", 10, "active", 1, "raspberries"),
    ("olga", "b08", "Apple", 9, "active", 1, "apple, cinnamon"),
]

_DEVICES: list[tuple[str, str, Platform, str | None]] = [
    ("mia", "phone", "ios", "17.4"),
    ("mia", "laptop", "web", None),
    ("noah", "phone", "android", "14"),
]

_NOTES = {
    "b01": ["Smells of yeast, as it should.", "Too sour: 36 hours next time."],
    "b02": ["Fizzy after a day."],
    "b04": ["Slow start, it was cold in the kitchen."],
    "b06": ["Pink!"],
}

_REMINDERS: list[tuple[str, str, str, str, int, ReminderStatus]] = [
    ("b01", "r01", "mia", "Strain it", 2, "sent"),
    ("b03", "r02", "mia", "Taste it", 13, "cancelled"),
    ("b04", "r03", "mia", "Release the pressure", 13, "pending"),
    ("b05", "r04", "mia", "Strain it", 14, "pending"),
    ("b07", "r05", "noah", "Strain it", 12, "pending"),
    ("b08", "r06", "olga", "Bottle it", 30, "pending"),
]


def day(number: float) -> datetime:
    """So many days after the first batch was begun."""
    return START + timedelta(days=number)


def users() -> list[User]:
    """Three users."""
    return [
        User(
            user_id=u,
            email=e,
            name=n,
            preferences=None if t is None else Preferences(default_temperature_c=Decimal(t)),
        )
        for u, e, n, t in _USERS
    ]


def batches() -> list[Batch]:
    """Eight batches, some of each status."""
    return [_batch(*row) for row in _BATCHES]


def _batch(
    user_id: str, batch_id: str, name: str, begun: int, status: BatchStatus, stage: int, fruits: str | None
) -> Batch:
    made = Batch(
        user_id=user_id,
        batch_id=batch_id,
        name=name,
        status=status,
        water_volume_ml=2_000,
        sugar_grams=100,
        fruits=fruits,
        temperature_c=Decimal("21.5"),
        started_at=day(begun),
        target_hours_stage1=48,
        archived_at=day(begun + 6) if status == "archived" else None,
        is_public=batch_id == "b06",
        public_note="My best so far" if batch_id == "b06" else None,
    )
    if stage == 1:
        return made
    second = {"stage": 2, "bottle_count": 4, "bottle_volume_ml": 500, "target_hours_stage2": 24}
    return made.model_copy(
        update={**second, "temperature_c_stage2": Decimal("19"), "start_time_stage2": day(begun + 2)}
    )


def events() -> list[BatchEvent]:
    """What happened: notes, a photo, and the way of each batch from the jar to the glass."""
    return [event for of in batches() for event in _events(of)]


def _events(of: Batch) -> Iterator[BatchEvent]:
    numbers = itertools.count(1)

    def event(kind: EventType, **said: Any) -> BatchEvent:
        number = next(numbers)
        at = of.started_at + timedelta(days=number)
        event_id = f"{of.batch_id}-e{number}"
        return BatchEvent(batch_id=of.batch_id, event_id=event_id, at=at, user_id=of.user_id, event_type=kind, **said)

    for text in _NOTES.get(of.batch_id, []):
        yield event("note", note=text)
    if of.is_public:
        yield event("photo", photo_url="https://photos.example.org/b06.jpg", photo_key="photos/b06.jpg")
    if of.stage == 2:
        yield event("stage_transition", from_stage=1, to_stage=2)
    if of.status != "active":
        yield event("status_change", from_status="active", to_status=of.status)


def reminders() -> list[Reminder]:
    """Six reminders, of which four are pending."""
    return [
        Reminder(
            batch_id=batch_id,
            reminder_id=reminder_id,
            user_id=user_id,
            message=message,
            due_at=day(due),
            status=status,
            sent_at=day(due) if status == "sent" else None,
            cancelled_at=day(due - 1) if status == "cancelled" else None,
        )
        for batch_id, reminder_id, user_id, message, due, status in _REMINDERS
    ]


def devices() -> list[Device]:
    """Three devices of two users."""
    return [
        Device(
            user_id=user_id,
            device_id=device_id,
            platform=platform,
            push_token=f"ExponentPushToken[{user_id}-{device_id}]",
            device_info=None if version is None else DeviceInfo(os_version=version),
            last_seen_at=day(12),
        )
        for user_id, device_id, platform, version in _DEVICES
    ]


def everything() -> Sequence[Entity]:
    """All of it."""
    return [*users(), *devices(), *batches(), *events(), *reminders()]


def seed(db: Session) -> int:
    """Writes the data, each item as if there had been nothing; the number of entities."""
    made = everything()
    with db.batch() as batch:
        for item in made:
            batch.put(item)
    return len(made)


if __name__ == "__main__":
    from examples.seeding import main  # here: whoever imports this file may not have the other examples

    main("kefir", lambda file: kefir.open(file, stage="dev"), seed)
