"""Models that are awkward to write by hand: fields named like placeholders and reserved words, queues by status, events
beside states, items that expire."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Annotated, Any, Literal

import pytest

from tablewright import (
    GSI,
    AttributeNames,
    Entity,
    Epoch,
    Keys,
    Query,
    Session,
    Table,
    attr,
    exists,
    expires_in,
    is_in,
    key,
    missing,
    query,
    require,
    size,
    sparse,
    starts_with,
    stored,
    ulid,
)
from tablewright.errors import AlreadyExistsError, ArgumentError, ConditionalCheckError, NotFoundError

field_work = Table("FieldWork", indexes=[GSI("GSI3")], names=AttributeNames(updated="Updated", version="Lock"))

Sync = Literal["pending", "failed", "synced"]


class Reading(
    Entity, table=field_work, version=True, stored={"updatedAt": "updatedAt", "inc": "inc", "revision": "version"}
):
    """Every name that somebody's update expression would trip over."""

    keys = Keys("READING#{id}", "READING")
    id: str
    now: str = ""
    inc: int = 0
    revision: int = 0
    updatedAt: str = ""
    status: str = ""
    name: str = ""
    ttl: int = 0
    size: int = 0
    n0: str = ""
    v0: str = ""


class Survey(Entity, table=field_work):
    """Waits in a queue by status until it is synchronised."""

    keys = Keys(
        "SURVEY#{survey_id}",
        "SURVEY",
        GSI3=sparse("SYNC#{sync_status}", "{updated_at}#{survey_id}", when=attr("sync_status") != "synced"),
    )
    survey_id: str
    sync_status: Sync = "pending"
    sync_error: str | None = None


class Brew(Entity, table=field_work, version=True):
    """Goes through stages."""

    keys = Keys("BREW#{brew_id}", "BREW")
    brew_id: str
    stage: Literal["new", "fermenting", "ready"] = "new"


class BrewEvent(Entity, table=field_work):
    """One step in a brew's life."""

    keys = Keys("BREW#{brew_id}", "EVENT#{event_id}")
    brew_id: str
    event_id: str
    stage: str


class SyncState(Entity, table=field_work, ttl="expires_at"):
    """Kept for a day."""

    keys = Keys("SYNC#{device}", "SYNC")
    device: str
    expires_at: Annotated[datetime, Epoch("s")]


@field_work.pattern
def waiting(status: Literal["pending", "failed"]) -> Query[Survey]:
    return query(Survey, Survey.sync_status == status).via("GSI3")


@field_work.change
def mark_failed(s: Survey, error: str) -> None:
    s.sync_status, s.sync_error = "failed", error


@field_work.change
def mark_synced(s: Survey) -> None:
    s.sync_status, s.sync_error = "synced", None


@field_work.change
def ferment(b: Brew) -> None:
    require(b.stage == "new")
    b.stage = "fermenting"


@pytest.fixture(params=["memory", pytest.param("dynamodb-local", marks=pytest.mark.dynamodb_local)])
def db(request: pytest.FixtureRequest) -> Any:
    """An empty table."""
    where = "memory:" if request.param == "memory" else request.getfixturevalue("dynamodb_local_url")
    with field_work.open(where, create=True, table_name=f"field-work-{ulid()}") as opened:
        yield opened
        if request.param != "memory":
            opened.delete_table()


def test_names_of_fields_never_meet_those_of_expressions(db: Session) -> None:
    one = key(Reading, id="1")
    db.create(Reading(id="1"))
    names = ["now", "updatedAt", "status", "name", "n0", "v0"]
    after = db.update(
        one,
        set={n: f"new {n}" for n in names},
        add={"inc": 1, "revision": 5, "ttl": 2, "size": 3},
        when=[Reading.status == "", Reading.size == 0, Reading.name == ""],
    )
    assert {n: getattr(after, n) for n in names} == {n: f"new {n}" for n in names}
    assert (after.inc, after.revision, after.ttl, after.size) == (1, 5, 2, 3)
    known = stored(after)
    assert known is not None
    assert known.version == 2  # the lock is another attribute than the one called version


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (lambda: exists(Survey.sync_error), False),
        (lambda: missing(Survey.sync_error), True),
        (lambda: is_in(Survey.sync_status, ["pending", "failed"]), True),
        (lambda: starts_with(Survey.survey_id, "2"), False),
        (lambda: size(Survey.sync_status) == 7, True),
    ],
    ids=["exists", "missing", "in", "begins", "size"],
)
def test_conditions_have_the_words_of_filters(db: Session, condition: Any, holds: bool) -> None:
    one = db.create(Survey(survey_id="1"))
    for call in (
        lambda: db.put(one, when=condition()),
        lambda: db.update(key(Survey, survey_id="1"), set={}, when=condition()),
        lambda: db.delete(key(Survey, survey_id="1"), when=condition()),
    ):
        if holds:
            call()
        else:
            with pytest.raises(ConditionalCheckError) as caught:
                call()
            assert caught.value.item == one


def test_a_change_of_nothing_is_a_touch(db: Session) -> None:
    made = db.create(Brew(brew_id="1"))
    before = stored(made)
    after = stored(db.update(key(Brew, brew_id="1"), set={}))
    assert before is not None
    assert after is not None
    assert (after.version, after.created) == (2, before.created)
    with pytest.raises(NotFoundError):
        db.update(key(Brew, brew_id="2"), set={})


def test_items_move_between_the_queues_of_their_status(db: Session) -> None:
    for number in "123":
        db.create(Survey(survey_id=number))

    def queued() -> dict[str, list[str]]:
        found = {status: db.run(waiting, status).all() for status in ("pending", "failed")}  # type: ignore[arg-type]
        return {status: [s.survey_id for s in surveys] for status, surveys in found.items()}

    assert queued() == {"pending": ["1", "2", "3"], "failed": []}
    db.apply(mark_failed, key(Survey, survey_id="2"), "no network")
    db.apply(mark_synced, key(Survey, survey_id="1"))
    assert queued() == {"pending": ["3"], "failed": ["2"]}
    assert db.update(key(Survey, survey_id="2"), set={"sync_status": "pending"}).sync_error == "no network"
    assert queued() == {"pending": ["3", "2"], "failed": []}  # the oldest first


def test_a_step_and_its_event_are_one_write(db: Session) -> None:
    db.create(Brew(brew_id="1"))

    def step(event_id: str) -> None:
        with db.transaction() as tx:
            tx.apply(ferment, key(Brew, brew_id="1"))
            tx.create(BrewEvent(brew_id="1", event_id=event_id, stage="fermenting"))

    step("e1")
    with pytest.raises(ConditionalCheckError):  # it ferments already, so there is no second event
        step("e2")
    assert [e.event_id for e in db.query(BrewEvent, BrewEvent.brew_id == "1")] == ["e1"]
    db.update(key(Brew, brew_id="1"), set={"stage": "new"})
    with pytest.raises(AlreadyExistsError):  # an event that is there already keeps the brew where it is
        step("e1")
    brew = db.get(key(Brew, brew_id="1"))
    assert brew is not None
    assert brew.stage == "new"


def test_a_day_is_stored_in_seconds(db: Session) -> None:
    start = datetime(2026, 3, 1, 12, 0, 0, 999_999, tzinfo=timezone(timedelta(hours=2)))
    state = db.create(SyncState(device="d", expires_at=expires_in(timedelta(hours=24), start=start)))
    assert state.expires_at == datetime(2026, 3, 2, 10, tzinfo=UTC)
    (item,) = db.send("Scan", {"TableName": db.table_name})["Items"]
    assert item["expires_at"] == {"N": "1772445600"}
    assert (
        expires_in(timedelta(hours=24), start=start)
        == state.expires_at
        == start.replace(microsecond=0) + timedelta(days=1)
    )
    soon = expires_in(timedelta(hours=1))
    assert timedelta(minutes=59) < soon - datetime.now(UTC) <= timedelta(hours=1)


@pytest.mark.parametrize(
    ("keep", "start"), [(3600, None), (timedelta(hours=1), datetime(2026, 1, 1))], ids=["a number", "no zone"]
)
def test_a_moment_to_expire_at_is_worked_out_from_times(keep: Any, start: Any) -> None:
    with pytest.raises(ArgumentError):
        expires_in(keep, start=start)
