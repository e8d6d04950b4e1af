"""A user is erased in one call: whatever stops it, whoever writes meanwhile, and whatever the ids are, nothing is left."""

import io
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples.kefir.errors import AccountClosed, NotThere
from examples.kefir.model import (
    Batch,
    BatchEvent,
    Device,
    Reminder,
    User,
    batches_with_status,
    due_reminders,
    everything_of,
    kefir,
    upcoming_reminders,
)
from examples.kefir.seed import day, seed
from examples.kefir.store import Kefir
from tablewright import Deleted, Session
from tablewright.engine import open_engine
from tablewright.testing import assert_no_traces
from tablewright.transport.base import Transport

MIAS = 23
"""How many items Mia has in the seed data."""


def stored(db: Session) -> list[Any]:
    """Everything that the table and both indexes hold."""
    found = []
    for index in (None, "GSI1", "GSI2"):
        request = {"TableName": db.table_name} | ({} if index is None else {"IndexName": index})
        found += [(index, item) for item in db.send("Scan", request)["Items"]]
    return sorted(found, key=repr)


def of_others(items: list[Any]) -> list[Any]:
    return [one for one in items if "mia" not in repr(one) and not any(f"b0{n}" in repr(one) for n in range(1, 6))]


def test_nothing_is_left_in_the_table_or_an_index(store: Kefir, db: Session) -> None:
    others = of_others(stored(db))
    assert store.erase("mia") == Deleted(MIAS, True)
    assert_no_traces(db, "mia", "b01", "b02", "b03", "b04", "b05")
    assert stored(db) == others
    assert db.belongings(everything_of("mia")).first() is None
    assert store.upcoming("mia") == []
    assert [r.reminder_id for r in store.due()] == ["r05"]
    with pytest.raises(NotThere):
        store.export("mia", io.StringIO())
    assert store.erase("mia") == Deleted(0, True)
    store.sign_up("mia", "mia@example.com")  # a new beginning
    assert store.account("mia").batches == []


@pytest.mark.parametrize("limit", [1, 4, 22, 23, 24])
def test_steps_add_up(store: Kefir, db: Session, limit: int) -> None:
    others, sizes, done = of_others(stored(db)), [], False
    while not done:
        step = store.erase("mia", limit=limit)
        sizes.append(step.items)
        done = step.done
        assert done or store.user("mia").leaving
    assert (sum(sizes), max(sizes)) == (MIAS, min(limit, MIAS))
    assert stored(db) == others


# ------------------------------------------------------------------------------------------------------ killed


class Killed(BaseException):
    """The process ends here: nothing catches it."""


class Mortal:
    """A way to the table that ends the process at its n-th request: before it is sent, or before it is answered."""

    def __init__(self, inner: Transport) -> None:
        self.inner = inner
        self.sent = 0
        self.last: int | None = None
        self.answered = False

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.sent += 1
        if self.sent == self.last and not self.answered:
            raise Killed
        response = self.inner.send(operation, request)
        if self.sent == self.last:
            raise Killed
        return response

    def close(self) -> None:
        self.inner.close()


@contextmanager
def mortal(place: str) -> Iterator[tuple[Session, Mortal]]:
    """A session whose process can be killed, on a table of its own."""
    name = f"kefir-{uuid.uuid4().hex}"
    with kefir.open(place, create=True, table_name=name) as whole:
        way = Mortal(whole._driver.transport)
        with kefir.open(way, create=False, table_name=name) as db:
            yield db, way


@pytest.mark.parametrize("answered", [False, True], ids=["before", "after"])
def test_it_can_be_killed_at_every_request(place: str, answered: bool) -> None:
    with mortal(place) as (db, way):
        seed(db)
        others = of_others(stored(db))
        last = 0
        while True:
            last += 1
            seed(db)
            way.sent, way.last, way.answered = 0, last, answered
            try:
                Kefir(db).erase("mia")
            except Killed:
                way.last = None
            else:
                break
            assert Kefir(db).erase("mia").done
            assert_no_traces(db, "mia", "b01", "b02", "b03", "b04", "b05")
        way.last = None
        assert last > 10
        assert [repr(i) for i in _plain(stored(db))] == [repr(i) for i in _plain(others)]


def _plain(items: list[Any]) -> list[Any]:
    """Without the times of writing: the seed data were written again and again."""
    return [(index, {n: v for n, v in item.items() if n not in ("CreatedAt", "UpdatedAt")}) for index, item in items]


@pytest.mark.parametrize("answered", [False, True], ids=["before", "after"])
def test_it_can_be_killed_again_and_again(place: str, answered: bool) -> None:
    """Runs die sooner or later, one after another, and each goes on; it still comes to its end."""
    with mortal(place) as (db, way):
        seed(db)
        way.answered, done, run = answered, False, 0
        while not done and run < 100:
            way.sent, way.last, run = 0, 7 + run % 7, run + 1
            with suppress(Killed):
                done = Kefir(db).erase("mia", limit=3).done
        way.last = None
        assert done
        assert_no_traces(db, "mia", "b01", "b02", "b03", "b04", "b05")


# ------------------------------------------------------------------------------------------------ other writers


def test_whoever_writes_meanwhile_leaves_nothing_behind(place: str) -> None:
    """Before each request of the erasure somebody adds to every batch that is still there."""
    with mortal(place) as (db, way):
        seed(db)
        others = of_others(stored(db))
        store, added, refused = Kefir(db), 0, 0
        inner = way.inner

        class Meddling:
            busy = False

            def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
                nonlocal added, refused
                if not self.busy:
                    self.busy = True
                    for batch_id in ("b04", "b05"):
                        try:
                            store.add_note("mia", batch_id, "one more")
                            store.remind("mia", batch_id, "one more", day(13))
                            added += 1
                        except (AccountClosed, NotThere):
                            refused += 1
                    self.busy = False
                return inner.send(operation, request)

            def close(self) -> None:
                inner.close()

        way.inner = Meddling()
        assert store.erase("mia").done
        way.inner = inner
        assert added == 2  # only before the account was closed
        assert refused > 10
        assert_no_traces(db, "mia", "b04", "b05", "one more")
        assert stored(db) == others


def test_who_signs_up_again_loses_nothing_to_a_second_worker(place: str) -> None:
    """Before each request of one worker another one is done, and somebody signs up with the same id."""
    at = 1
    while True:
        at += 1  # the first request marks whoever is there
        with mortal(place) as (db, way):
            inner, store = way.inner, Kefir(db)
            _fill(db, "mia")
            new: list[str] = []

            class Meddling:
                sent = 0

                def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
                    self.sent += 1
                    if self.sent == at:  # noqa: B023 - used before the next turn
                        store.erase("mia")  # noqa: B023
                        _fill(db, "mia")
                        new.extend(_listed(db, "mia"))  # noqa: B023
                    return inner.send(operation, request)  # noqa: B023

                def close(self) -> None:
                    inner.close()  # noqa: B023

            way.inner = meddling = Meddling()
            assert store.erase("mia").done
            way.inner = inner
            assert _listed(db, "mia") == new
            if meddling.sent < at:
                break
    assert at > 5


def test_a_step_is_at_least_one_item(store: Kefir) -> None:
    with pytest.raises(ValueError, match="at least one"):
        store.erase("mia", limit=0)
    assert not store.user("mia").leaving


# -------------------------------------------------------------------------------------------------- hostile ids

IDS = st.text(st.sampled_from("u1#$%/ é\U0001f600") | st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)


@settings(max_examples=25)
@given(st.lists(IDS, min_size=2, max_size=3, unique=True))
def test_whatever_the_ids_are_one_goes_and_the_others_stay(ids: list[str]) -> None:
    with open_engine("memory:") as engine, kefir.open(engine, table_name="kefir") as db:
        store = Kefir(db)
        for user_id in ids:
            _fill(db, user_id)
        erased, *others = ids
        before = {user_id: _listed(db, user_id) for user_id in others}
        assert all(len(items) == 6 for items in before.values())
        assert store.erase(erased) == Deleted(6, True)
        assert _listed(db, erased) == []
        assert {user_id: _listed(db, user_id) for user_id in others} == before
        assert len(stored(db)) == len(others) * (
            6 + 2 + 2
        )  # each has two batches in both indexes but no reminder left out
        for user_id in others:
            assert [b.user_id for b in db.run(batches_with_status, user_id, "active")] == [user_id]
            assert [r.user_id for r in db.run(upcoming_reminders, user_id, day(0), day(9))] == [user_id]
        assert {r.user_id for r in db.run(due_reminders, day(9))} == set(others)


def _listed(db: Session, user_id: str) -> list[str]:
    return [repr(item) for item in db.belongings(everything_of(user_id))]


def _fill(db: Session, user_id: str) -> None:
    """A user with one of everything; the batch has the user's id, so that these are hostile too."""
    batch = Batch(
        user_id=user_id,
        batch_id=user_id,
        name="n",
        water_volume_ml=1,
        sugar_grams=1,
        temperature_c=1,  # type: ignore[arg-type]
        started_at=day(0),
        target_hours_stage1=1,
    )
    db.create(User(user_id=user_id, email="e@example.com"))
    db.create(Device(user_id=user_id, device_id=user_id, platform="web", push_token="t", last_seen_at=day(0)))
    db.create(batch)
    db.create(BatchEvent(batch_id=user_id, event_id=user_id, at=day(0), user_id=user_id, event_type="note"))
    for status, number in (("pending", "1"), ("sent", "2")):
        db.create(
            Reminder.model_validate(
                {
                    "batch_id": user_id,
                    "reminder_id": user_id + number,
                    "user_id": user_id,
                    "message": "m",
                    "due_at": day(1),
                    "status": status,
                }
            )
        )


@pytest.mark.dynamodb_local
def test_the_same_on_dynamodb_local_every_day(dynamodb_local_url: str) -> None:
    with kefir.open(dynamodb_local_url, create=True, table_name=f"kefir-{uuid.uuid4().hex}") as db:
        seed(db)
        others = of_others(stored(db))
        assert Kefir(db).erase("mia", limit=9) == Deleted(9, False)
        assert Kefir(db).erase("mia") == Deleted(MIAS - 9, True)
        assert_no_traces(db, "mia", "b01", "b02", "b03", "b04", "b05")
        assert stored(db) == others
