"""Events as a time series: a partition for each device and day, read as one range, and gone after their time.

`python -m examples.small.events` shows it.
"""

from datetime import UTC, datetime, timedelta
from typing import Annotated

from pydantic import Field

from tablewright import Bucket, Entity, Epoch, Keys, Query, Session, Table, between, query, ulid

log = Table("EventLog")

Id = Annotated[str, Field(min_length=1, max_length=40)]


class Event(Entity, table=log, ttl="expires_at"):
    """Something that happened. `{day}` is worked out from `happened_at`: what a device tells in a day is a partition."""

    keys = Keys("EVENTS#{device}#{day}", "{happened_at}#{event_id}", derive={"day": Bucket("happened_at", "day")})
    device: Id
    event_id: Id
    happened_at: datetime
    event_type: str = Field(max_length=40)
    details: dict[str, str] = Field(default={}, max_length=10)
    expires_at: Annotated[datetime, Epoch("s")]


@log.pattern
def events_between(device: str, start: datetime, end: datetime) -> Query[Event]:
    "What a device told from one moment to another, both included, in order."
    return query(Event, Event.device == device, between(Event.happened_at, start, end))


log.waive("TW806", events_between, reason="the table is opened with hide_expired: DynamoDB takes days to delete")


def record(
    db: Session, device: str, event_type: str, *, at: datetime | None = None, keep: timedelta = timedelta(days=90)
) -> Event:
    """Writes down that something happened; it is kept for ninety days, or as long as is said."""
    at = at or datetime.now(UTC)
    return db.create(Event(device=device, event_id=ulid(), happened_at=at, event_type=event_type, expires_at=at + keep))


def main() -> None:
    """Events of three days, a range over two of them, and how many there were on each."""
    noon = datetime(2026, 3, 3, 12, tzinfo=UTC)
    with log.open("memory:", clock=lambda: noon, hide_expired=True) as db:
        for days in range(3):
            for hours in range(2):
                record(db, "door", "opened", at=noon - timedelta(days=days, hours=hours))
        record(db, "door", "tested", at=noon - timedelta(hours=1), keep=timedelta(minutes=5))
        record(db, "window", "opened", at=noon)
        asked = events_between("door", noon - timedelta(days=1), noon)
        print([event.event_type for event in db.execute(asked)])
        print([part.count for part in db.tally(asked).parts])


if __name__ == "__main__":
    main()
