"""The kefir helper's model: five entities, two indexes. Reminders are in the indexes only while they are pending."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from tablewright import (
    GSI,
    Collection,
    Entity,
    Get,
    Keys,
    Mixed,
    NaturalKey,
    Query,
    Relationship,
    Shard,
    Table,
    attr,
    between,
    collect,
    get,
    many,
    query,
    require,
    sparse,
)

kefir = Table("kefir-app-{stage}-table", indexes=[GSI("GSI1", projection="ALL"), GSI("GSI2", projection="ALL")])

Id = Annotated[str, Field(max_length=40)]
Stage = Literal[1, 2]
BatchStatus = Literal["active", "in_fridge", "ready", "archived"]
EventType = Literal["photo", "note", "stage_transition", "status_change"]
ReminderStatus = Literal["pending", "sent", "cancelled"]
Platform = Literal["ios", "android", "web"]


class Preferences(BaseModel):
    """How a user likes it."""

    notifications_enabled: bool = True
    default_temperature_c: Decimal = Decimal(22)


class User(Entity, table=kefir):
    """Somebody who brews."""

    keys = Keys("USER#{user_id}", "METADATA")
    user_id: Id
    email: NaturalKey = Field(max_length=200)
    name: str | None = Field(default=None, max_length=100)
    preferences: Preferences | None = None
    leaving: bool = False
    """Whether the account is being erased: nothing is added to it any more."""


class Batch(Entity, table=kefir):
    """A jar of kefir on its way: with its user, in GSI1 by its id, in GSI2 by its status."""

    keys = Keys(
        "USER#{user_id}",
        "BATCH#{batch_id}",
        GSI1=("BATCH#{batch_id}", "BATCH#{batch_id}"),
        GSI2=("USER#{user_id}#STATUS#{status}", "{started_at}#{batch_id}"),
    )
    user_id: Id
    batch_id: Id
    name: str = Field(max_length=100)
    stage: Stage = 1
    status: BatchStatus = "active"
    water_volume_ml: int = Field(gt=0)
    sugar_grams: int = Field(ge=0)
    fruits: str | None = Field(default=None, max_length=200)
    temperature_c: Decimal
    started_at: datetime
    target_hours_stage1: int = Field(gt=0)
    bottle_count: int | None = Field(default=None, gt=0)
    bottle_volume_ml: int | None = Field(default=None, gt=0)
    temperature_c_stage2: Decimal | None = None
    start_time_stage2: datetime | None = None
    target_hours_stage2: int | None = Field(default=None, gt=0)
    archived_at: datetime | None = None
    is_public: bool = False
    public_note: str | None = Field(default=None, max_length=500)


class PublicBatch(BaseModel):
    """What strangers see of a batch that is shared."""

    batch_id: str
    name: str
    stage: Stage
    status: BatchStatus
    fruits: str | None = None
    public_note: str | None = None


class BatchEvent(Entity, table=kefir):
    """Something that happened to a batch. It names the user, so that whoever reads it can be checked."""

    keys = Keys("BATCH#{batch_id}", "EVENT#{at}#{event_id}")
    batch_id: Id
    event_id: Id
    at: datetime
    user_id: Id
    event_type: EventType
    photo_url: str | None = Field(default=None, max_length=500)
    photo_key: str | None = Field(default=None, max_length=200)
    note: str | None = Field(default=None, max_length=2_000)
    from_stage: Stage | None = None
    to_stage: Stage | None = None
    from_status: BatchStatus | None = None
    to_status: BatchStatus | None = None


class Reminder(Entity, table=kefir):
    """Something to do for a batch. While it is pending, GSI1 has it for its user and GSI2 for everybody's alarm clock."""

    keys = Keys(
        "BATCH#{batch_id}",
        "REMINDER#{reminder_id}",
        GSI1=sparse("USER#{user_id}", "DUE#{due_at}#{reminder_id}", when=attr("status") == "pending"),
        GSI2=sparse("REMINDER#PENDING#{shard}", "{due_at}#{reminder_id}", when=attr("status") == "pending"),
        derive={"shard": Shard("reminder_id", of=2)},
    )
    batch_id: Id
    reminder_id: Id
    user_id: Id
    message: str = Field(max_length=500)
    due_at: datetime
    status: ReminderStatus = "pending"
    scheduler_arn: str | None = Field(default=None, max_length=300)
    sent_at: datetime | None = None
    cancelled_at: datetime | None = None


class DeviceInfo(BaseModel):
    """What a device tells of itself."""

    model: str | None = None
    os_version: str | None = None
    app_version: str | None = None


class Device(Entity, table=kefir):
    """Where a user gets messages."""

    keys = Keys("USER#{user_id}", "DEVICE#{device_id}")
    user_id: Id
    device_id: Id
    platform: Platform
    push_token: str = Field(max_length=300)
    device_info: DeviceInfo | None = None
    last_seen_at: datetime


kefir.relate(
    Relationship(User, Batch, "1:N", "item collection", reason="listed and exported with the user"),
    Relationship(User, Device, "1:N", "item collection", reason="listed and exported with the user"),
    Relationship(User, "Preferences", "1:1", "embedded", field="preferences"),
    Relationship(Device, "DeviceInfo", "1:1", "embedded", field="device_info"),
    Relationship(Batch, BatchEvent, "1:N", "normalised", reason="a batch lies with its user, its log by itself"),
    Relationship(Batch, Reminder, "1:N", "normalised", reason="a batch lies with its user, its reminders with its log"),
)


@kefir.pattern
def user(user_id: str) -> Get[User]:
    "A user by id."
    return get(User, User.user_id == user_id)


@kefir.pattern
def batches_of(user_id: str) -> Query[Batch]:
    "All batches of a user."
    return query(Batch, Batch.user_id == user_id).per_page(50)


@kefir.pattern
def own_batch(user_id: str, batch_id: str) -> Get[Batch]:
    "One batch of a user: consistent, and nobody else's."
    return get(Batch, Batch.user_id == user_id, Batch.batch_id == batch_id).consistent()


@kefir.pattern
def batch(batch_id: str) -> Get[Batch]:
    "A batch by its id alone."
    return get(Batch, Batch.batch_id == batch_id)


@kefir.pattern
def shared_batch(batch_id: str) -> Query[PublicBatch]:
    "What strangers see of a batch, if it is shared."
    return query(Batch, Batch.batch_id == batch_id).filter(Batch.is_public == True).only(PublicBatch)  # noqa: E712


@kefir.pattern
def batches_with_status(user_id: str, status: BatchStatus) -> Query[Batch]:
    "A user's batches in one status, newest first."
    return query(Batch, Batch.user_id == user_id, Batch.status == status).newest_first().per_page(20)


@kefir.pattern
def events_of(batch_id: str, since: datetime | None = None) -> Query[BatchEvent]:
    "What happened to a batch, in order."
    return query(BatchEvent, BatchEvent.batch_id == batch_id).when(since, lambda t: BatchEvent.at >= t)


@kefir.pattern
def latest_events(batch_id: str) -> Query[BatchEvent]:
    "What happened to a batch, newest first, twenty a page."
    return query(BatchEvent, BatchEvent.batch_id == batch_id).newest_first().per_page(20)


@kefir.pattern
def reminders_of(batch_id: str) -> Query[Reminder]:
    "All reminders of a batch, as they are now: when it is archived, none may be missed."
    return query(Reminder, Reminder.batch_id == batch_id).consistent()


@kefir.pattern
def upcoming_reminders(user_id: str, now: datetime, until: datetime) -> Query[Reminder]:
    "A user's pending reminders of a period, soonest first."
    return query(
        Reminder, Reminder.user_id == user_id, Reminder.status == "pending", between(Reminder.due_at, now, until)
    )


@kefir.pattern
def due_reminders(now: datetime) -> Query[Reminder]:
    "Everybody's pending reminders that are due, longest wait first."
    return query(Reminder, Reminder.status == "pending", Reminder.due_at <= now)


@kefir.pattern
def devices_of(user_id: str) -> Query[Device]:
    "The devices of a user."
    return query(Device, Device.user_id == user_id)


@kefir.pattern
def device(user_id: str, device_id: str) -> Get[Device]:
    "One device."
    return get(Device, Device.user_id == user_id, Device.device_id == device_id)


@dataclass
class BatchLog:
    """What belongs to a batch."""

    events: list[BatchEvent]
    reminders: list[Reminder]


@kefir.pattern
def log_of(batch_id: str) -> Collection[BatchLog]:
    "The events and reminders of a batch, in one request beside the batch's own."
    return collect(
        BatchLog,
        events=many(query(BatchEvent, BatchEvent.batch_id == batch_id)),
        reminders=many(query(Reminder, Reminder.batch_id == batch_id)),
    )


@kefir.pattern
def export_of(user_id: str) -> Mixed[Batch | Device | User]:
    "A user with batches and devices, for an export; the log of each batch follows by its id."
    return (
        query(Batch, Batch.user_id == user_id)
        | query(Device, Device.user_id == user_id)
        | query(User, User.user_id == user_id)
    )


@kefir.change
def prefer(u: User, preferences: Preferences) -> None:
    "A user likes it otherwise."
    u.preferences = preferences


@kefir.change
def leave(u: User) -> None:
    "A user goes, and from now on nothing is added."
    u.leaving = True


@kefir.change
def bottle(b: Batch, at: datetime, bottles: int, volume_ml: int, temperature_c: Decimal, hours: int) -> None:
    "A batch goes from the jar into bottles."
    require(b.stage == 1)
    require(b.status == "active")
    b.stage, b.start_time_stage2 = 2, at
    b.bottle_count, b.bottle_volume_ml = bottles, volume_ml
    b.temperature_c_stage2, b.target_hours_stage2 = temperature_c, hours


@kefir.change
def change_status(b: Batch, was: BatchStatus, status: BatchStatus, archived_at: datetime | None = None) -> None:
    "A batch goes to the fridge, is ready, comes back, or is over."
    require(b.status == was)
    b.status = status
    if archived_at is not None:
        b.archived_at = archived_at


@kefir.change
def share(b: Batch, note: str) -> None:
    "Strangers may see a batch."
    b.is_public, b.public_note = True, note


@kefir.change
def hide(b: Batch) -> None:
    "Strangers see a batch no longer."
    b.is_public, b.public_note = False, None


@kefir.change
def seen(d: Device, at: datetime) -> None:
    "A device was in use."
    d.last_seen_at = at


@kefir.change
def sent(r: Reminder, at: datetime) -> None:
    "A reminder was sent, and leaves both lists."
    require(r.status == "pending")
    r.status, r.sent_at = "sent", at


@kefir.change
def cancel(r: Reminder, at: datetime) -> None:
    "A reminder is no longer needed, and leaves both lists."
    require(r.status == "pending")
    r.status, r.cancelled_at = "cancelled", at


everything_of = kefir.belongings(user, devices_of, batches_of, below={Batch: log_of})
"""All that is kept of a user. Every entity is in it."""

kefir.expect(User, items=1_000, size=1_024, max_size=1_500, writes=0.1)
kefir.expect(Batch, items=10_000, size=2_048, max_size=4_000, writes=0.5, per={"user_id": 500, "batch_id": 1})
kefir.expect(BatchEvent, items=50_000, size=2_048, max_size=4_000, writes=1, per={"batch_id": 500})
kefir.expect(
    Reminder,
    items=20_000,
    size=1_024,
    max_size=1_500,
    writes=1,
    per={"batch_id": 50, "user_id": 1_000, "status": 20_000},
    indexed={"GSI1": 2_000, "GSI2": 2_000},
)
kefir.expect(Device, items=3_000, size=1_024, max_size=1_500, writes=0.5, per={"user_id": 10})
kefir.expect(User.user_id, distinct=1_000, hottest=0.02)
kefir.expect(Batch.status, distinct=4, hottest=0.6)
kefir.expect(user, rate=5, results=1, latency_ms=20, source="start of the app")
kefir.expect(batches_of, rate=5, results=20, latency_ms=50, source="list of batches")
kefir.expect(own_batch, rate=5, results=1, latency_ms=20, source="a batch's page")
kefir.expect(batch, rate=1, results=1, latency_ms=50, source="links in messages")
kefir.expect(shared_batch, rate=1, results=1, latency_ms=50, source="public page")
kefir.expect(batches_with_status, rate=5, results=5, latency_ms=50, source="what is brewing")
kefir.expect(events_of, rate=2, results=20, latency_ms=50, source="export, timeline")
kefir.expect(latest_events, rate=5, results=20, latency_ms=50, source="news of a batch")
kefir.expect(reminders_of, rate=2, results=3, latency_ms=50, source="reminders of a batch")
kefir.expect(upcoming_reminders, rate=5, results=5, latency_ms=50, source="what is to be done")
kefir.expect(due_reminders, rate=0.1, results=10, latency_ms=500, source="alarm clock, every ten seconds")
kefir.expect(devices_of, rate=1, results=2, latency_ms=50, source="alarm clock")
kefir.expect(device, rate=1, results=1, latency_ms=20, source="settings")
kefir.expect(log_of, rate=2, results=25, latency_ms=50, source="log of a batch")
kefir.expect(export_of, rate=0.01, results=30, latency_ms=1_000, source="export")
