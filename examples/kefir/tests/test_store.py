"""The application's own words do what they say, with as few requests as they promise; what must not be, is refused."""

import itertools
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from typing import get_args

import pytest

from examples.kefir import seed
from examples.kefir.errors import AccountClosed, NotFit, NotPossible, NotSent, NotThere, Taken
from examples.kefir.model import Batch, BatchStatus, Device, DeviceInfo, Preferences, PublicBatch, Reminder
from examples.kefir.seed import day
from examples.kefir.store import MOVES, Kefir
from tablewright import Session, key, stored
from tablewright.errors import TablewrightError
from tablewright.testing import assert_capacity, assert_requests, expect_requests

STATUSES: tuple[BatchStatus, ...] = get_args(BatchStatus)


def start(store: Kefir, user_id: str = "olga") -> str:
    """A new batch; its id."""
    return store.start_batch(
        user_id, "New", water_volume_ml=1_000, sugar_grams=60, temperature_c=Decimal(22), hours=36
    ).batch_id


# ------------------------------------------------------------------------------------------------------ users


def test_somebody_signs_up_and_says_how_they_like_it(store: Kefir, db: Session) -> None:
    with expect_requests(db, "PutItem"):
        store.sign_up("pia", "Pia@Example.com ")
    assert store.user("pia").email == "pia@example.com"
    with expect_requests(db, "UpdateItem"):
        store.set_preferences("pia", Preferences(notifications_enabled=False))
    changed = store.user("pia").preferences
    assert changed == Preferences(notifications_enabled=False, default_temperature_c=Decimal(22))
    with pytest.raises(Taken, match="such a user already"):
        store.sign_up("pia", "another@example.com")
    with pytest.raises(NotThere):
        store.set_preferences("nobody", Preferences())
    with pytest.raises(NotThere):
        store.user("nobody")


def test_an_account_is_one_request(store: Kefir, db: Session) -> None:
    with expect_requests(db, "Query") as meter:
        account = store.account("mia")
    assert_capacity(meter, read=0.5)
    assert account.user.name == "Mia Sommer"
    assert [b.batch_id for b in account.batches] == ["b01", "b02", "b03", "b04", "b05"]
    assert [d.device_id for d in account.devices] == ["laptop", "phone"]
    with pytest.raises(NotThere):
        store.account("nobody")


# ---------------------------------------------------------------------------------------------------- batches


def test_a_batch_is_started_and_listed(store: Kefir, db: Session) -> None:
    with expect_requests(db, "TransactWriteItems"):
        made = start(store)
    batch = store.batch("olga", made)
    assert (batch.stage, batch.status, batch.sugar_grams, batch.is_public) == (1, "active", 60, False)
    assert store.find_batch(made) == batch
    assert {b.batch_id for b in store.batches("olga")} == {"b08", made}
    assert [b.batch_id for b in store.batches_that_are("olga", "active")] == [made, "b08"]
    with pytest.raises(NotThere):
        start(store, "nobody")
    with pytest.raises(NotThere):
        store.find_batch("x")


def test_lists_of_batches_have_pages(store: Kefir) -> None:
    made = [start(store) for _ in range(60)]
    first = store.batches("olga")
    rest = store.batches("olga", first.cursor)
    assert (len(first), len(rest), rest.cursor) == (50, 11, None)
    assert {b.batch_id for page in (first, rest) for b in page} == {"b08", *made}
    newest = store.batches_that_are("olga", "active")
    assert [b.batch_id for b in newest] == made[:-21:-1]
    assert len(store.batches_that_are("olga", "active", newest.cursor)) == 20


def test_a_batch_goes_into_bottles_and_its_timeline_tells(store: Kefir, db: Session) -> None:
    with expect_requests(db, "GetItem", "TransactWriteItems"):
        bottled = store.bottle("mia", "b05", bottles=4, volume_ml=500, temperature_c=Decimal(20), hours=24)
    assert store.batch("mia", "b05") == bottled
    assert (bottled.stage, bottled.bottle_count, bottled.bottle_volume_ml) == (2, 4, 500)
    assert (bottled.temperature_c_stage2, bottled.target_hours_stage2) == (Decimal(20), 24)
    (event,) = store.timeline("mia", "b05")
    assert (event.event_type, event.from_stage, event.to_stage) == ("stage_transition", 1, 2)
    assert event.at == bottled.start_time_stage2
    with pytest.raises(NotPossible, match=r"^The batch is not in a state for it"):  # once
        store.bottle("mia", "b05", bottles=4, volume_ml=500, temperature_c=Decimal(20), hours=24)
    with pytest.raises(NotPossible):  # in the fridge already
        store.bottle("mia", "b03", bottles=4, volume_ml=500, temperature_c=Decimal(20), hours=24)
    assert len(store.timeline("mia", "b05")) == 1


@pytest.mark.parametrize(("was", "status"), list(itertools.product(STATUSES, STATUSES)))
def test_a_status_changes_as_allowed_with_its_event_or_not_at_all(
    store: Kefir, db: Session, was: BatchStatus, status: BatchStatus
) -> None:
    made = start(store)
    db.update(key(Batch, user_id="olga", batch_id=made), set={"status": was})
    if status in MOVES[was]:
        looked = ["Query"] if status == "archived" else []  # for reminders
        with expect_requests(db, "GetItem", "TransactWriteItems", *looked):
            changed = store.set_status("olga", made, status)
        assert changed.status == status
        assert (changed.archived_at is not None) == (status == "archived")
        assert store.batch("olga", made) == changed
        (event,) = store.timeline("olga", made)
        assert (event.event_type, event.from_status, event.to_status) == ("status_change", was, status)
        assert made in [b.batch_id for b in store.batches_that_are("olga", status)]
        assert made not in [b.batch_id for b in store.batches_that_are("olga", was)]
    else:
        with pytest.raises(NotPossible, match=f"{was} cannot become {status}"):
            store.set_status("olga", made, status)
        assert store.timeline("olga", made) == []


def test_of_two_who_change_a_status_at_once_one_is_refused(store: Kefir, db: Session) -> None:
    class Late(Kefir):
        def batch(self, user_id: str, batch_id: str) -> Batch:
            found = super().batch(user_id, batch_id)
            if found.status == "active":
                store.set_status(user_id, batch_id, "ready")
            return found

    with pytest.raises(NotPossible):
        Late(db).set_status("mia", "b05", "archived")
    assert store.batch("mia", "b05").status == "ready"
    assert [e.to_status for e in store.timeline("mia", "b05")] == ["ready"]


def test_a_batch_with_its_log_takes_two_requests(store: Kefir, db: Session) -> None:
    with expect_requests(db, "GetItem", "Query"):
        page = store.page_of("mia", "b01")
    assert (page.batch.name, len(page.events), [r.reminder_id for r in page.reminders]) == ("The first one", 4, ["r01"])


def test_strangers_see_what_is_shared_and_no_more(store: Kefir, db: Session) -> None:
    with expect_requests(db, "Query/GSI1") as meter:
        shown = store.public_view("b06")
    assert shown == PublicBatch(
        batch_id="b06",
        name="Raspberry",
        stage=2,
        status="ready",
        fruits="raspberries",
        public_note="My best so far",
    )
    assert_capacity(meter, read=0.5)
    for hidden in ("b02", "nothing"):
        with pytest.raises(NotThere):
            store.public_view(hidden)
    store.share("mia", "b02", "Try it")
    assert store.public_view("b02").public_note == "Try it"
    store.hide("mia", "b02")
    with pytest.raises(NotThere):
        store.public_view("b02")
    assert store.batch("mia", "b02").public_note is None


def test_what_strangers_see_names_nobody() -> None:
    assert set(PublicBatch.model_fields) == {"batch_id", "name", "stage", "status", "fruits", "public_note"}


# ----------------------------------------------------------------------------------------------------- events


def test_notes_and_photos_are_in_the_timeline(store: Kefir, db: Session) -> None:
    with expect_requests(db, "TransactWriteItems"):
        note = store.add_note("mia", "b05", "It bubbles.")
    photo = store.add_photo("mia", "b05", "https://photos.example.org/1.jpg", "photos/1.jpg")
    with expect_requests(db, "Query"):
        assert store.timeline("mia", "b05") == [note, photo]
    assert store.timeline("mia", "b05", since=photo.at) == [photo]
    assert list(store.news("mia", "b05")) == [photo, note]
    assert (note.note, photo.photo_url, photo.photo_key) == (
        "It bubbles.",
        "https://photos.example.org/1.jpg",
        "photos/1.jpg",
    )


def test_a_batch_that_nothing_has_happened_to_is_not_one_that_is_not_there(store: Kefir) -> None:
    made = start(store)
    assert (store.timeline("olga", made), list(store.news("olga", made)), store.reminders("olga", made)) == ([], [], [])
    for user_id, batch_id in (("olga", "nothing"), ("noah", made)):
        for read in (store.timeline, store.news, store.reminders):
            with pytest.raises(NotThere):
                read(user_id, batch_id)


def test_what_does_not_fit_is_told_in_one_way_without_values(store: Kefir) -> None:
    long = "secret" * 500
    attempts: list[Callable[[], object]] = [
        lambda: store.sign_up("pia", "pia@example.com", long),
        lambda: store.add_note("mia", "b05", long),
        lambda: store.share("mia", "b05", long),
        lambda: store.remind("mia", "b05", long, day(14)),
        lambda: store.remind("mia", "b05", "Strain it", datetime(2026, 3, 15)),  # no zone
        lambda: store.register_device("mia", "tablet", "web", long),
        lambda: store.bottle("mia", "b05", bottles=0, volume_ml=1, temperature_c=Decimal(1), hours=1),
        lambda: store.start_batch("mia", long, water_volume_ml=0, sugar_grams=1, temperature_c=Decimal(20), hours=1),
    ]
    for attempt in attempts:
        with pytest.raises(NotFit) as told:
            attempt()
        assert "secret" not in str(told.value)
    assert store.timeline("mia", "b05") == []


def test_nobody_touches_what_is_somebody_elses(store: Kefir) -> None:
    attempts: list[Callable[[], object]] = [
        lambda: store.batch("noah", "b01"),
        lambda: store.page_of("noah", "b01"),
        lambda: store.timeline("noah", "b01"),
        lambda: store.news("noah", "b01"),
        lambda: store.add_note("noah", "b01", "mine"),
        lambda: store.add_photo("noah", "b01", "u", "k"),
        lambda: store.bottle("noah", "b05", bottles=1, volume_ml=1, temperature_c=Decimal(1), hours=1),
        lambda: store.set_status("noah", "b05", "ready"),
        lambda: store.share("noah", "b01", "mine"),
        lambda: store.hide("noah", "b01"),
        lambda: store.remind("noah", "b01", "mine", day(14)),
        lambda: store.reminders("noah", "b04"),
        lambda: store.cancel_reminder("noah", "b04", "r03"),
        lambda: store.device("olga", "phone"),
        lambda: store.device_seen("olga", "phone"),
        lambda: store.forget_device("olga", "phone"),
    ]
    for attempt in attempts:
        with pytest.raises(NotThere):
            attempt()
    assert len(store.timeline("mia", "b01")) == 4
    assert store.batch("mia", "b01").public_note is None


# -------------------------------------------------------------------------------------------------- reminders


def test_a_reminder_is_upcoming_until_it_is_cancelled(store: Kefir, db: Session) -> None:
    with expect_requests(db, "TransactWriteItems"):
        made = store.remind("mia", "b05", "Shake it", day(15))
    with expect_requests(db, "Query/GSI1"):
        assert [r.message for r in store.upcoming("mia")] == ["Strain it", "Shake it"]
    assert [r.message for r in store.upcoming("mia", days=1)] == ["Strain it"]
    cancelled = store.cancel_reminder("mia", "b05", made.reminder_id)
    assert (cancelled.status, cancelled.sent_at) == ("cancelled", None)
    assert cancelled.cancelled_at is not None
    assert [r.message for r in store.upcoming("mia")] == ["Strain it"]
    assert {r.status for r in store.reminders("mia", "b05")} == {"pending", "cancelled"}
    for again in (made.reminder_id, "no such"):
        with pytest.raises((NotPossible, NotThere)):
            store.cancel_reminder("mia", "b05", again)


def test_the_next_seven_days_are_upcoming(store: Kefir) -> None:
    inside = store.remind("olga", "b08", "inside", day(19.9))
    store.remind("olga", "b08", "outside", day(20.1))
    assert store.upcoming("olga") == [inside]


def test_due_reminders_of_all_users_come_from_every_shard(store: Kefir, db: Session) -> None:
    made = [store.remind("olga", "b08", f"m{n}", day(12) + timedelta(seconds=n)) for n in range(1, 20)]
    shards = {
        item["GSI2PK"]["S"]
        for item in db.send("Scan", {"TableName": db.table_name, "IndexName": "GSI2"})["Items"]
        if item["Type"]["S"] == "Reminder"
    }
    assert shards == {"REMINDER#PENDING#0", "REMINDER#PENDING#1"}
    with db.measure() as meter:
        due = store.due().all()
    assert_requests(meter, "Query/GSI2", "Query/GSI2")
    assert [r.reminder_id for r in due] == ["r05", *(r.reminder_id for r in made), "r03"]


def test_the_alarm_clock_rings_once_and_forgets_nothing(store: Kefir) -> None:
    rung: list[tuple[str, list[str]]] = []

    def send(reminder: Reminder, devices: list[Device]) -> None:
        rung.append((reminder.reminder_id, [d.device_id for d in devices]))
        if len(rung) == 2:
            raise ConnectionError("no network")

    with pytest.raises(NotSent):
        store.ring(send)
    assert store.ring(send) == 1
    assert rung == [("r05", ["phone"]), ("r03", ["laptop", "phone"]), ("r03", ["laptop", "phone"])]
    assert store.ring(send) == 0
    assert [r.reminder_id for r in store.upcoming("mia")] == ["r04"]
    (sent,) = store.reminders("mia", "b04")
    assert (sent.status, sent.cancelled_at) == ("sent", None)
    assert sent.sent_at is not None


def test_a_reminder_that_cannot_be_sent_keeps_no_other_one_waiting(store: Kefir) -> None:
    def send(reminder: Reminder, devices: list[Device]) -> None:
        if reminder.user_id == "noah":
            raise ConnectionError("the token secret-1 is unknown")

    with pytest.raises(NotSent) as told:
        store.ring(send)
    assert str(told.value).startswith("1 reminder could not be sent (ConnectionError)")
    assert told.value.sent == 1
    assert [(r.reminder_id, type(error)) for r, error in told.value.failed] == [("r05", ConnectionError)]
    assert [r.reminder_id for r in store.due()] == ["r05"]
    assert [r.status for r in store.reminders("mia", "b04")] == ["sent"]


def test_trouble_with_the_table_is_no_trouble_with_a_reminder(store: Kefir, db: Session) -> None:
    class Broken(Kefir):
        def devices(self, user_id: str) -> list[Device]:
            raise ConnectionError("no table")

    with pytest.raises(ConnectionError):
        Broken(db, lambda: day(13)).ring(print)


def test_a_reminder_that_is_cancelled_while_it_is_sent_stays_cancelled(store: Kefir) -> None:
    def send(reminder: Reminder, devices: list[Device]) -> None:
        store.cancel_reminder(reminder.user_id, reminder.batch_id, reminder.reminder_id)

    assert store.ring(send) == 0
    assert [r.status for r in store.reminders("mia", "b04")] == ["cancelled"]


def test_an_archived_batch_has_no_reminders_left_and_gets_none(store: Kefir, db: Session) -> None:
    sent, cancelled, *pending = (store.remind("mia", "b05", text, day(12)) for text in ("s", "c", "one", "two"))
    store.mark_sent(sent)
    store.cancel_reminder("mia", "b05", cancelled.reminder_id)
    others = [r for r in store.due() if r.batch_id != "b05"]
    assert others
    with expect_requests(
        db, "GetItem", "TransactWriteItems", "Query", *["UpdateItem"] * 3
    ):  # and that of the seed data
        store.set_status("mia", "b05", "archived")
    assert {r.status for r in store.reminders("mia", "b05") if r.reminder_id != sent.reminder_id} == {"cancelled"}
    assert [r.status for r in store.reminders("mia", "b05") if r.reminder_id == sent.reminder_id] == ["sent"]
    assert store.due().all() == others
    assert "b05" not in [r.batch_id for r in store.upcoming("mia")]
    assert {r.reminder_id for r in pending} < {r.reminder_id for r in store.reminders("mia", "b05")}
    with pytest.raises(NotPossible, match="batch"):
        store.remind("mia", "b05", "too late", day(14))
    assert store.add_note("mia", "b05", "it was good").event_type == "note"


def test_the_alarm_clock_cancels_what_an_archiving_that_died_left(store: Kefir, db: Session) -> None:
    db.update(key(Batch, user_id="mia", batch_id="b04"), set={"status": "archived"})
    rung: list[str] = []
    assert store.ring(lambda reminder, devices: rung.append(reminder.reminder_id)) == 1
    assert rung == ["r05"]
    assert [r.status for r in store.reminders("mia", "b04")] == ["cancelled"]
    assert store.due().all() == []


def test_marking_takes_one_request_and_happens_once(store: Kefir, db: Session) -> None:
    due = store.due().first()
    assert due is not None
    with expect_requests(db, "UpdateItem"):
        store.mark_sent(due)
    with pytest.raises(NotPossible):
        store.mark_sent(due)


# ---------------------------------------------------------------------------------------------------- devices


def test_a_device_is_registered_seen_and_forgotten(store: Kefir, db: Session) -> None:
    info = DeviceInfo(model="X1", os_version="1", app_version="2")
    store.register_device("olga", "tablet", "android", "old token")
    made = store.register_device("olga", "tablet", "android", "new token", info)
    with expect_requests(db, "GetItem"):
        assert store.device("olga", "tablet") == made
    with expect_requests(db, "UpdateItem"):
        assert store.device_seen("olga", "tablet").last_seen_at > made.last_seen_at
    assert [d.push_token for d in store.devices("olga")] == ["new token"]
    with expect_requests(db, "DeleteItem"):
        store.forget_device("olga", "tablet")
    assert store.devices("olga") == []
    for gone in (store.forget_device, store.device, store.device_seen):
        with pytest.raises(NotThere):
            gone("olga", "tablet")
    with pytest.raises(NotThere):
        store.register_device("nobody", "tablet", "web", "t")


# -------------------------------------------------------------------------------------------------- the rest


def test_nothing_is_added_to_an_account_that_is_closed(store: Kefir) -> None:
    assert store.erase("mia", limit=1).done is False
    left = store.batch("mia", "b05")
    attempts: list[Callable[[], object]] = [
        lambda: start(store, "mia"),
        lambda: store.add_note("mia", left.batch_id, "still here"),
        lambda: store.remind("mia", left.batch_id, "still here", day(14)),
        lambda: store.set_status("mia", left.batch_id, "ready"),
        lambda: store.register_device("mia", "new", "web", "t"),
    ]
    for attempt in attempts:
        with pytest.raises(AccountClosed):
            attempt()


def test_a_user_of_old_who_does_not_say_whether_they_leave_can_write(store: Kefir, db: Session) -> None:
    where = {"PK": {"S": "USER#mia"}, "SK": {"S": "METADATA"}}
    change = {"UpdateExpression": "REMOVE leaving"}
    db.send("UpdateItem", {"TableName": db.table_name, "Key": where, **change})
    store.add_note("mia", "b05", "as ever")
    store.erase("mia", limit=1)
    with pytest.raises(AccountClosed):
        store.add_note("mia", "b05", "no more")


def test_the_seed_can_be_written_again(db: Session) -> None:
    def everything() -> list[str]:
        return sorted(map(repr, db.scan_for_maintenance(list({type(e) for e in seed.everything()}))))

    before = everything()
    store = Kefir(db)
    store.set_status("mia", "b05", "ready")
    store.cancel_reminder("mia", "b04", "r03")
    assert everything() != before
    assert seed.seed(db) == len(seed.everything()) == 35
    assert [line for line in everything() if "status_change" not in line or "b05" not in line] == before


def test_every_item_says_when_it_was_made_and_what_it_is(db: Session) -> None:
    for item in db.send("Scan", {"TableName": db.table_name})["Items"]:
        assert {"Type", "CreatedAt", "UpdatedAt"} <= item.keys()
    batch = Kefir(db).batch("mia", "b01")
    known = stored(batch)
    assert known is not None
    assert known.created is not None


def test_a_lost_table_is_told_as_it_is(store: Kefir, db: Session) -> None:
    db.delete_table()
    with pytest.raises(TablewrightError):
        store.user("mia")
