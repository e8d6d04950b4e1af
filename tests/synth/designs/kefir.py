"""Batches of kefir: their events, reminders and the devices of those who make it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import Field

from tablewright import Collection, Design, Entity, Get, Query, between, collect, get, many, one, query

kefir = Design("kefir-app-{stage}-table")

BatchStatus = Literal["active", "in_fridge", "ready", "archived"]


class User(Entity, table=kefir, identity=["user_id"]):
    user_id: str
    email: str = ""


class Batch(Entity, table=kefir, identity=["batch_id"], handles=["batch_id"]):
    batch_id: str
    user_id: str = Field(frozen=True)
    created: datetime = Field(frozen=True)
    status: BatchStatus = "active"


class BatchEvent(Entity, table=kefir, identity=["batch_id", "event_id"]):
    batch_id: str
    event_id: str
    at: datetime = Field(frozen=True)
    note: str = ""


class Reminder(Entity, table=kefir, identity=["batch_id", "reminder_id"], handles=["batch_id", "reminder_id"]):
    batch_id: str
    reminder_id: str
    user_id: str = Field(frozen=True)
    due_at: datetime
    status: Literal["pending", "sent", "cancelled"] = "pending"


class Device(Entity, table=kefir, identity=["user_id", "device_id"]):
    user_id: str
    device_id: str
    platform: str = ""


@dataclass
class BatchPage:
    batch: Batch | None
    events: list[BatchEvent]
    reminders: list[Reminder]


@kefir.pattern
def user(user_id: str) -> Get[User]:
    return get(User, User.user_id == user_id)


@kefir.pattern
def batches_of(user_id: str) -> Query[Batch]:
    return query(Batch, Batch.user_id == user_id)


@kefir.pattern
def batch(batch_id: str) -> Get[Batch]:
    return get(Batch, Batch.batch_id == batch_id)


@kefir.pattern
def batches_with_status(user_id: str, status: BatchStatus) -> Query[Batch]:
    found = query(Batch, Batch.user_id == user_id, Batch.status == status)
    return found.sorted_by(Batch.created).newest_first()


@kefir.pattern
def events_of(batch_id: str, since: datetime | None = None) -> Query[BatchEvent]:
    found = query(BatchEvent, BatchEvent.batch_id == batch_id).when(since, lambda t: BatchEvent.at >= t)
    return found.sorted_by(BatchEvent.at).newest_first().per_page(20)


@kefir.pattern
def reminders_of(batch_id: str) -> Query[Reminder]:
    return query(Reminder, Reminder.batch_id == batch_id)


@kefir.pattern
def upcoming_reminders(user_id: str, now: datetime, until: datetime) -> Query[Reminder]:
    return query(
        Reminder, Reminder.user_id == user_id, Reminder.status == "pending", between(Reminder.due_at, now, until)
    )


@kefir.pattern
def due_reminders(until: datetime) -> Query[Reminder]:
    return query(Reminder, Reminder.status == "pending", Reminder.due_at <= until)


@kefir.pattern
def devices_of(user_id: str) -> Query[Device]:
    return query(Device, Device.user_id == user_id)


@kefir.pattern
def device(user_id: str, device_id: str) -> Get[Device]:
    return get(Device, Device.user_id == user_id, Device.device_id == device_id)


@kefir.pattern
def batch_page(batch_id: str) -> Collection[BatchPage]:
    return collect(
        BatchPage,
        batch=one(query(Batch, Batch.batch_id == batch_id)),
        events=many(query(BatchEvent, BatchEvent.batch_id == batch_id)),
        reminders=many(query(Reminder, Reminder.batch_id == batch_id)),
    )
