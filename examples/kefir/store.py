"""The kefir helper in its own words: what its screens and its alarm clock call. Nothing above this file knows that there is
a table."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, TypeVar

from tablewright import Deleted, Page, Results, Session, Transaction, exists, key, negate, ulid
from tablewright.errors import ConditionalCheckError, NotFoundError

from .csv_export import CsvStep, Writable, csv_step, write_csv
from .errors import NotPossible, NotSent, NotThere, told
from .model import (
    Batch,
    BatchEvent,
    BatchStatus,
    Device,
    DeviceInfo,
    EventType,
    Platform,
    Preferences,
    PublicBatch,
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
    everything_of,
    export_of,
    hide,
    latest_events,
    leave,
    log_of,
    own_batch,
    prefer,
    reminders_of,
    seen,
    sent,
    share,
    shared_batch,
    upcoming_reminders,
    user,
)

MOVES: Mapping[BatchStatus, tuple[BatchStatus, ...]] = {
    "active": ("in_fridge", "ready", "archived"),
    "in_fridge": ("active", "ready", "archived"),
    "ready": ("in_fridge", "archived"),
    "archived": (),
}
"""What a batch can become."""

T = TypeVar("T")
L = TypeVar("L", BatchEvent, Reminder)


@dataclass
class Account:
    """What the app shows when it starts."""

    user: User
    batches: list[Batch]
    devices: list[Device]


@dataclass
class BatchPage:
    """A batch with all that happened to it, and all that is to be done."""

    batch: Batch
    events: list[BatchEvent]
    reminders: list[Reminder]


class Kefir:
    """Everything the application does, on an open session."""

    def __init__(self, db: Session, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._db = db
        self._now = clock

    # ------------------------------------------------------------------------------------------------- users

    def sign_up(self, user_id: str, email: str, name: str | None = None) -> User:
        """Somebody begins to brew. Fails if the id is taken."""
        with told():
            return self._db.create(User(user_id=user_id, email=email, name=name))

    def user(self, user_id: str) -> User:
        """Who somebody is."""
        return _there(self._db.run(user, user_id))

    def account(self, user_id: str) -> Account:
        """A user with all batches and devices, in one request."""
        found = self._db.run(export_of, user_id).all()
        owner = _there(next((item for item in found if isinstance(item, User)), None))
        batches = [item for item in found if isinstance(item, Batch)]
        return Account(owner, batches, [item for item in found if isinstance(item, Device)])

    def set_preferences(self, user_id: str, preferences: Preferences) -> User:
        """How a user likes it."""
        with told():
            return self._db.apply(prefer, user(user_id), preferences)

    # ----------------------------------------------------------------------------------------------- batches

    def start_batch(
        self,
        user_id: str,
        name: str,
        *,
        water_volume_ml: int,
        sugar_grams: int,
        temperature_c: Decimal,
        hours: int,
        fruits: str | None = None,
    ) -> Batch:
        """A new jar is filled. Its id is made here: a chosen one could be that of somebody else's batch, and of its log."""
        with self._adding(user_id) as tx:
            made = Batch(
                user_id=user_id,
                batch_id=ulid(),
                name=name,
                water_volume_ml=water_volume_ml,
                sugar_grams=sugar_grams,
                temperature_c=temperature_c,
                target_hours_stage1=hours,
                fruits=fruits,
                started_at=self._now(),
            )
            tx.create(made)
        return made

    def batches(self, user_id: str, cursor: str | None = None) -> Page[Batch]:
        """All batches of a user, fifty a page."""
        return self._db.run(batches_of, user_id).page(cursor=cursor)

    def batches_that_are(self, user_id: str, status: BatchStatus, cursor: str | None = None) -> Page[Batch]:
        """A user's batches in one status, newest first, twenty a page."""
        return self._db.run(batches_with_status, user_id, status).page(cursor=cursor)

    def batch(self, user_id: str, batch_id: str) -> Batch:
        """One batch of a user's own."""
        return _there(self._db.run(own_batch, user_id, batch_id))

    def find_batch(self, batch_id: str) -> Batch:
        """A batch by its id, for support and the alarm clock: it does not ask whose it is, so show it to nobody else."""
        return _there(self._db.run(batch, batch_id))

    def page_of(self, user_id: str, batch_id: str) -> BatchPage:
        """A batch with its events and reminders, in two requests."""
        found = self.batch(user_id, batch_id)
        log = self._db.run(log_of, batch_id)
        return BatchPage(found, _own(user_id, log.events), _own(user_id, log.reminders))

    def bottle(
        self, user_id: str, batch_id: str, *, bottles: int, volume_ml: int, temperature_c: Decimal, hours: int
    ) -> Batch:
        """From the jar into bottles: stage 2, and an event that says so, or neither."""
        found, now = self.batch(user_id, batch_id), self._now()
        with self._adding(user_id) as tx:
            tx.apply(bottle, found, now, bottles, volume_ml, temperature_c, hours)
            tx.create(_event(user_id, batch_id, now, "stage_transition", from_stage=1, to_stage=2))
        bottle(found, now, bottles, volume_ml, temperature_c, hours)  # a transaction answers with no items
        return found

    def set_status(self, user_id: str, batch_id: str, status: BatchStatus) -> Batch:
        """A batch goes where MOVES allows it to, and an event says so, or neither. What is archived needs no reminding."""
        found, now = self.batch(user_id, batch_id), self._now()
        was = found.status
        if status not in MOVES[was]:
            raise NotPossible(f"A batch that is {was} cannot become {status}.")
        archived_at = now if status == "archived" else None
        with self._adding(user_id) as tx:
            tx.apply(change_status, found, was, status, archived_at)
            tx.create(_event(user_id, batch_id, now, "status_change", from_status=was, to_status=status))
        change_status(found, was, status, archived_at)  # a transaction answers with no items
        if status == "archived":
            for reminder in self._db.run(reminders_of, batch_id):  # none is added any more
                self._call_off(reminder)
        return found

    def share(self, user_id: str, batch_id: str, note: str) -> Batch:
        """Strangers may see a batch, with a note for them."""
        with told():
            return self._db.apply(share, own_batch(user_id, batch_id), note)

    def hide(self, user_id: str, batch_id: str) -> Batch:
        """Strangers may see it no longer."""
        with told():
            return self._db.apply(hide, own_batch(user_id, batch_id))

    def public_view(self, batch_id: str) -> PublicBatch:
        """What strangers see of a batch that is shared; the rest does not leave the table."""
        return _there(self._db.run(shared_batch, batch_id).first())

    # ------------------------------------------------------------------------------------------------ events

    def timeline(self, user_id: str, batch_id: str, since: datetime | None = None) -> list[BatchEvent]:
        """What happened to a batch, in order, perhaps since a moment."""
        return self._log(user_id, batch_id, self._db.run(events_of, batch_id, since).all())

    def news(self, user_id: str, batch_id: str, cursor: str | None = None) -> Page[BatchEvent]:
        """What happened to a batch, newest first, twenty a page."""
        page = self._db.run(latest_events, batch_id).page(cursor=cursor)
        self._log(user_id, batch_id, page.items)
        return page

    def add_note(self, user_id: str, batch_id: str, note: str) -> BatchEvent:
        """Something worth remembering."""
        return self._add_event(user_id, batch_id, "note", note=note)

    def add_photo(self, user_id: str, batch_id: str, photo_url: str, photo_key: str) -> BatchEvent:
        """How it looks today; the picture itself lies elsewhere."""
        return self._add_event(user_id, batch_id, "photo", photo_url=photo_url, photo_key=photo_key)

    def _add_event(self, user_id: str, batch_id: str, kind: EventType, **said: Any) -> BatchEvent:
        with self._adding(user_id, batch_id) as tx:
            made = _event(user_id, batch_id, self._now(), kind, **said)
            tx.create(made)
        return made

    # --------------------------------------------------------------------------------------------- reminders

    def remind(self, user_id: str, batch_id: str, message: str, due_at: datetime) -> Reminder:
        """Something to do for a batch that is not over, at some time."""
        with self._adding(user_id, batch_id, Batch.status != "archived") as tx:
            made = Reminder(batch_id=batch_id, reminder_id=ulid(), user_id=user_id, message=message, due_at=due_at)
            tx.create(made)
        return made

    def reminders(self, user_id: str, batch_id: str) -> list[Reminder]:
        """All reminders of a batch, whatever became of them."""
        return self._log(user_id, batch_id, self._db.run(reminders_of, batch_id).all())

    def upcoming(self, user_id: str, days: int = 7) -> list[Reminder]:
        """What is to be done in the next days, soonest first."""
        now = self._now()
        return self._db.run(upcoming_reminders, user_id, now, now + timedelta(days=days)).all()

    def cancel_reminder(self, user_id: str, batch_id: str, reminder_id: str) -> Reminder:
        """It is no longer needed, and leaves the lists. Fails if it was sent or cancelled."""
        (found,) = _own(user_id, [_there(self._db.get(key(Reminder, batch_id=batch_id, reminder_id=reminder_id)))])
        with told():
            return self._db.apply(cancel, found, self._now())

    def due(self) -> Results[Reminder]:
        """Everybody's reminders that are due, longest wait first, as they are read."""
        return self._db.run(due_reminders, self._now())

    def mark_sent(self, reminder: Reminder) -> Reminder:
        """It was sent, and leaves the lists. Fails if it was sent or cancelled meanwhile."""
        with told():
            return self._db.apply(sent, reminder, self._now())

    def ring(self, send: Callable[[Reminder, list[Device]], object]) -> int:
        """The alarm clock: hands each due reminder to `send`, with the devices of its user, and marks it as sent.

        One of an archived batch, which whoever archived it was stopped from cancelling, is cancelled instead.
        What fails stays due, so that a reminder may be sent twice, and is never forgotten. It keeps no other one waiting: all
        are tried, and then NotSent tells which failed. Trouble with the table itself ends it at once."""
        count = 0
        failed: list[tuple[Reminder, Exception]] = []
        for reminder in self.due():
            about = self._db.run(own_batch, reminder.user_id, reminder.batch_id)
            if about is not None and about.status == "archived":
                self._call_off(reminder)
                continue
            theirs = self.devices(reminder.user_id)
            try:
                send(reminder, theirs)
            except Exception as error:  # whatever a push service may raise
                failed.append((reminder, error))
                continue
            try:
                self.mark_sent(reminder)
            except (NotPossible, NotThere):
                continue  # another clock was faster, or the user has just cancelled it
            count += 1
        if failed:
            raise NotSent(count, failed)
        return count

    def _call_off(self, reminder: Reminder) -> None:
        """Cancels a reminder, unless it was sent, cancelled or erased."""
        if reminder.status == "pending":
            with suppress(ConditionalCheckError):
                self._db.apply(cancel, reminder, self._now())

    # ----------------------------------------------------------------------------------------------- devices

    def register_device(
        self, user_id: str, device_id: str, platform: Platform, push_token: str, info: DeviceInfo | None = None
    ) -> Device:
        """A device that gets messages; one that is known already gets its new token."""
        with self._adding(user_id) as tx:
            made = Device(
                user_id=user_id,
                device_id=device_id,
                platform=platform,
                push_token=push_token,
                device_info=info,
                last_seen_at=self._now(),
            )
            tx.put(made)
        return made

    def devices(self, user_id: str) -> list[Device]:
        """Where a user gets messages."""
        return self._db.run(devices_of, user_id).all()

    def device(self, user_id: str, device_id: str) -> Device:
        """One device."""
        return _there(self._db.run(device, user_id, device_id))

    def device_seen(self, user_id: str, device_id: str) -> Device:
        """A device is in use."""
        with told():
            return self._db.apply(seen, device(user_id, device_id), self._now())

    def forget_device(self, user_id: str, device_id: str) -> None:
        """A device gets messages no longer."""
        with told():
            self._db.delete(key(Device, user_id=user_id, device_id=device_id), when=exists(Device.device_id))

    # -------------------------------------------------------------------------------------- a user's own data

    def export(self, user_id: str, out: Writable) -> int:
        """Everything that is kept of a user, as CSV, written as it is read; how many rows there are."""
        self.user(user_id)
        return write_csv(self._db.belongings(everything_of(user_id)), out)

    def export_step(self, user_id: str, cursor: str | None = None, rows: int = 500) -> CsvStep:
        """A part of the same, for whoever cannot do it at a stretch: the text that follows, and the cursor of the next."""
        if cursor is None:
            self.user(user_id)
        return csv_step(self._db.belongings(everything_of(user_id)).page(rows, cursor), first=cursor is None)

    def erase(self, user_id: str, limit: int | None = None) -> Deleted:
        """Deletes everything that is kept of a user. Nothing is added from its first moment on; whatever stops it, or its
        `limit` of items, the same call goes on with what is left. Who signs up with the same id as soon as another worker
        is done with it is somebody new, and loses nothing."""
        if limit is not None and limit < 1:
            raise ValueError("An erasure takes steps of at least one item.")
        with suppress(NotFoundError):  # the user goes last, so there should be nothing then; it looks all the same
            self._db.apply_only(leave, user(user_id))
        erased = [0]
        try:
            return self._db.erase(
                everything_of(user_id),
                when=User.leaving == True,  # noqa: E712 - a condition, not a comparison
                limit=limit,
                progress=erased.append,
            )
        except ConditionalCheckError as error:
            if error.entity != "User":
                raise
            # Another worker was done first, and somebody new is here.
            return Deleted(erased[-1], True)

    # ---------------------------------------------------------------------------------------------- together

    def _log(self, user_id: str, batch_id: str, found: Sequence[L]) -> list[L]:
        """What was found in the log of a batch of one's own. Where that is nothing, nothing names a user, so the batch is asked."""
        if not found:
            self.batch(user_id, batch_id)
        return _own(user_id, found)

    @contextmanager
    def _adding(self, user_id: str, batch_id: str | None = None, *when: bool) -> Iterator[Transaction]:
        """A transaction that adds to an account, which is there and stays; and to a batch of its own that meets conditions."""
        with told(), self._db.transaction() as tx:
            tx.check(user(user_id), negate(User.leaving == True))  # noqa: E712 - older users do not say
            if batch_id is not None:
                tx.check(own_batch(user_id, batch_id), *when)
            yield tx


def _event(user_id: str, batch_id: str, at: datetime, kind: EventType, **said: Any) -> BatchEvent:
    return BatchEvent(batch_id=batch_id, event_id=ulid(), at=at, user_id=user_id, event_type=kind, **said)


def _there(found: T | None) -> T:
    if found is None:
        raise NotThere("There is nothing, or it is somebody else's.")
    return found


def _own(user_id: str, found: Sequence[L]) -> list[L]:
    """What lies in a batch names its user, so that nobody reads another one's by guessing an id."""
    if any(one.user_id != user_id for one in found):
        raise NotThere("There is nothing, or it is somebody else's.")
    return list(found)
