"""Change feeds: every change once, in order, however the clocks of writers differ, over restarts and deletions."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright import GSI, Changed, ChangePage, Entity, Keys, Session, Shard, SoftDelete, Table, key
from tablewright.client.feeds import _settled
from tablewright.errors import ArgumentError, CursorError, ModelError, PatternError
from tablewright.transport.embedded import EmbeddedTransport
from tablewright.values.wire import dumps
from tests.client.conftest import CURSOR_KEYS
from tests.client.doubles import OnTheWay

START = datetime(2026, 1, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)
feeds = Table("Feeds", indexes=[GSI("GSI1"), GSI("GSI2")])


class Task(Entity, table=feeds, soft_delete=SoftDelete(feed="GSI1")):
    """Changes by tenant; deletions stay in the feed."""

    keys = Keys("TENANT#{tenant}", "TASK#{task_id}", GSI1=("CHANGES#{tenant}", "{updated_at}#{task_id}"))
    tenant: str
    task_id: str
    text: str = ""


class Event(Entity, table=feeds):
    """Changes of all, over shards, with nothing but the time to sort by."""

    keys = Keys(
        "EVENT#{event_id}",
        "EVENT#{event_id}",
        GSI1=("EVENTS#{shard}", "{updated_at}"),
        derive={"shard": Shard("event_id", of=3)},
    )
    event_id: str
    text: str = ""


class Silent(Entity, table=feeds):
    """No index by time."""

    keys = Keys("SILENT#{silent_id}", "SILENT#{silent_id}")
    silent_id: str


class Clock:
    """What time it is for the next write."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def wire() -> OnTheWay:
    return OnTheWay(EmbeddedTransport.open("memory:"))


@pytest.fixture
def db(wire: OnTheWay, clock: Clock) -> Iterator[Session]:
    with feeds.open(wire, create=True, cursor_keys=CURSOR_KEYS, clock=clock) as opened:
        wire.restart()
        yield opened


def texts(page: ChangePage[Any]) -> list[str]:
    return [c.entity.text if c.entity is not None else "" for c in page.items]


def write(db: Session, clock: Clock, second: float, task_id: str, text: str) -> None:
    clock.now = START + second * SECOND
    db.put(Task(tenant="t", task_id=task_id, text=text))


def changes(db: Session, since: str | None = None, **more: Any) -> ChangePage[Task]:
    return db.changes(Task, Task.tenant == "t", since=since, **more)


def test_everything_first_and_then_what_is_new(db: Session, clock: Clock) -> None:
    for n in range(5):
        write(db, clock, n, f"i{n}", f"made {n}")
    first = changes(db)
    assert texts(first) == [f"made {n}" for n in range(5)]
    assert not first.has_more
    again = changes(db, first.cursor)
    assert (again.items, again.has_more) == ((), False)
    write(db, clock, 6, "i1", "changed 1")
    write(db, clock, 7, "i9", "made 9")
    later = changes(db, again.cursor)
    assert texts(later) == ["changed 1", "made 9"]
    assert [c.at for c in later.items] == [START + 6 * SECOND, START + 7 * SECOND]
    assert later.items[0].key.fields == {"tenant": "t", "task_id": "i1"}
    assert texts(changes(db, first.cursor)) == ["changed 1", "made 9"]  # an old cursor stays good
    assert changes(db, later.cursor).items == ()


def test_pages_end_between_changes_of_one_instant(db: Session, clock: Clock) -> None:
    for n in range(7):
        write(db, clock, 1, f"i{n}", f"{n}")
    found, cursor, more = [], None, True
    while more:
        page = changes(db, cursor, limit=3)
        found.append(texts(page))
        cursor, more = page.cursor, page.has_more
    assert found == [["0", "1", "2"], ["3", "4", "5"], ["6"]]


def test_late_and_backdated_changes_are_found_within_the_overlap(db: Session, clock: Clock) -> None:
    write(db, clock, 100, "fast", "by a clock that is ahead")
    clock.now = START + 100 * SECOND
    first = changes(db, overlap=10 * SECOND)
    write(db, clock, 91, "slow", "by one that is behind")
    write(db, clock, 89, "late", "later than allowed")
    clock.now = START + 100 * SECOND
    assert texts(changes(db, first.cursor, overlap=10 * SECOND)) == ["by one that is behind"]


def test_the_same_item_changed_twice_in_an_instant_is_told_again(db: Session, clock: Clock) -> None:
    write(db, clock, 1, "i", "one")
    first = changes(db)
    write(db, clock, 1, "i", "two")
    second = changes(db, first.cursor)
    assert texts(second) == ["two"]
    assert changes(db, second.cursor).items == ()


def test_a_clock_far_ahead_does_not_carry_the_feed_away(db: Session, clock: Clock) -> None:
    write(db, clock, 86_400, "tomorrow", "from the future")
    clock.now = START
    first = changes(db)
    assert texts(first) == ["from the future"]
    write(db, clock, 5, "now", "from now")
    second = changes(db, first.cursor)
    assert texts(second) == ["from now"]
    assert changes(db, second.cursor).items == ()


def test_deletions_are_changes(db: Session, clock: Clock) -> None:
    write(db, clock, 1, "i", "here")
    first = changes(db)
    clock.now = START + 2 * SECOND
    db.delete(key(Task, tenant="t", task_id="i"))
    (gone,) = changes(db, first.cursor).items
    assert isinstance(gone, Changed)
    assert (gone.deleted, gone.at, gone.key.fields) == (True, clock.now, {"tenant": "t", "task_id": "i"})
    assert gone.entity == Task(tenant="t", task_id="i", text="here")
    assert db.get(gone.key) is None


def test_shards_are_one_feed(db: Session, clock: Clock) -> None:
    for n in range(20):
        clock.now = START + n * SECOND
        db.create(Event(event_id=f"e{n}", text=str(n)))
    page = db.changes(Event, limit=12)
    rest = db.changes(Event, since=page.cursor)
    assert texts(page) + texts(rest) == [str(n) for n in range(20)]


def test_a_cursor_belongs_to_its_feed(db: Session, wire: OnTheWay, clock: Clock) -> None:
    write(db, clock, 1, "i", "one")
    cursor = changes(db).cursor
    wire.restart()
    with pytest.raises(CursorError):
        db.changes(Task, Task.tenant == "u", since=cursor)
    with pytest.raises(CursorError):
        db.changes(Event, since=cursor)
    with pytest.raises(CursorError):
        changes(db, cursor[:-1] + ("A" if cursor[-1] != "A" else "B"))
    with pytest.raises(CursorError):
        db.query(Task, Task.tenant == "t").page(cursor=cursor)
    assert wire.sent == []
    old = feeds.open(wire, cursor_keys=CURSOR_KEYS, cursor_max_age=60, clock=lambda: START + 3600 * SECOND)
    with pytest.raises(CursorError, match="expired"):
        changes(old, cursor)


def test_cursors_outlive_the_process(tmp_path: Path, clock: Clock) -> None:
    with feeds.open(tmp_path / "f.db", cursor_keys=CURSOR_KEYS, clock=clock) as db:
        write(db, clock, 1, "a", "one")
        cursor = changes(db).cursor
    with feeds.open(tmp_path / "f.db", cursor_keys=CURSOR_KEYS, clock=clock) as db:
        write(db, clock, 2, "b", "two")
        assert texts(changes(db, cursor)) == ["two"]


def test_what_cannot_be_a_feed_is_refused_with_the_reason(db: Session, wire: OnTheWay) -> None:
    with pytest.raises(PatternError, match="changes of Silent cannot be read in order"):
        db.changes(Silent)
    with pytest.raises(PatternError, match="needs 'tenant'"):
        db.changes(Task)
    with pytest.raises(ArgumentError, match="at least one"):
        changes(db, limit=0)
    with pytest.raises(ArgumentError, match="overlap"):
        changes(db, overlap=-SECOND)
    other = Table("Other")

    class Foreign(Entity, table=other):
        keys = Keys("X#{x}", "X#{x}")
        x: str

    with pytest.raises(ModelError):
        db.changes(Foreign)
    assert wire.sent == []


def test_an_empty_cursor_is_the_beginning(db: Session) -> None:
    db.create(Task(tenant="t", task_id="1"))
    assert len(db.changes(Task, Task.tenant == "t", since="").items) == 1


def test_a_field_that_hides_the_time_of_the_last_write_is_no_feed() -> None:
    hidden = Table("Hidden", indexes=[GSI("GSI1")])
    with pytest.raises(ModelError, match="would miss"):

        class Note(Entity, table=hidden, soft_delete=SoftDelete(feed="GSI1")):
            keys = Keys("USER#{user}", "NOTE#{note_id}", GSI1=("CHANGES#{user}", "{updated_at}#{note_id}"))
            user: str
            note_id: str
            updated_at: datetime

    class Own(Entity, table=hidden):
        keys = Keys("USER#{user}", "OWN#{note_id}", GSI1=("OWN#{user}", "{updated_at}#{note_id}"))
        user: str
        note_id: str
        updated_at: datetime

    with hidden.open("memory:") as db, pytest.raises(PatternError, match="'updated_at' of its own"):
        db.changes(Own, Own.user == "ada")


def test_native_sort_keys_are_feeds_too() -> None:
    native = Table("Native", indexes=[GSI("ByTime", pk=["kind", "lang"], sk=["stamp"])])

    class Row(Entity, table=native):
        keys = Keys("ROW#{row}", "ROW#{row:3}", ByTime=(("{kind}", "{lang}"), ("{updated_at}",)))
        row: int
        kind: str = "k"
        lang: str = "en"
        text: str = ""

    with native.open("memory:", cursor_keys=CURSOR_KEYS) as db:
        for n in range(3):
            db.put(Row(row=n, text=str(n)))
        first = db.changes(Row, Row.kind == "k", Row.lang == "en", limit=2)
        assert texts(first) == ["0", "1"]
        assert texts(db.changes(Row, Row.kind == "k", Row.lang == "en", since=first.cursor)) == ["2"]


def test_the_same_with_asyncio() -> None:
    async def go() -> None:
        async with feeds.open_async("memory:", cursor_keys=CURSOR_KEYS) as db:
            await db.create(Task(tenant="t", task_id="a", text="one"))
            page = await db.changes(Task, Task.tenant == "t")
            assert texts(page) == ["one"]
            assert (await db.changes(Task, Task.tenant == "t", since=page.cursor)).items == ()
            assert db.boto3_client is None

    asyncio.run(go())


def all_pages(db: Session, limit: int, cursor: str | None = None) -> tuple[list[str], list[str]]:
    """The texts that a feed tells until there is no more, and its cursors."""
    told, cursors = list[str](), list[str]()
    while True:
        page = changes(db, cursor, limit=limit)
        told += texts(page)
        cursor = page.cursor
        cursors.append(cursor)
        if not page.has_more:
            return told, cursors


def test_a_burst_is_read_once_and_its_cursor_is_short(db: Session, clock: Clock) -> None:
    for n in range(400):
        write(db, clock, n / 100, f"i{n:03}", "x" * 300 + f"{n:03}")
    with db.measure() as meter:
        told, cursors = all_pages(db, 20)
    assert [t[-3:] for t in told] == [f"{n:03}" for n in range(400)]
    once = 400 * 700 / 4096 / 2  # each item has well below 700 bytes
    assert meter.capacity.read < 2 * once
    assert len(cursors[-1]) < 400 * 11 + 400
    assert changes(db, cursors[-1]).items == ()


def test_a_long_history_leaves_no_traces_in_the_cursor(db: Session, clock: Clock) -> None:
    for n in range(200):
        write(db, clock, 60 * n, f"i{n:03}", f"{n}")
    told, cursors = all_pages(db, 10)
    assert told == [str(n) for n in range(200)]
    assert max(map(len, cursors)) < 600


def test_more_late_changes_than_a_page_holds(db: Session, clock: Clock) -> None:
    for second in (100, 101, 200, 300):
        write(db, clock, second, f"s{second}", f"at {second}")
    page = changes(db, limit=2)
    assert texts(page) == ["at 100", "at 101"]
    for n in range(5):
        write(db, clock, 95 + n, f"late{n}", f"late {n}")
    clock.now = START + 300 * SECOND
    told, _ = all_pages(db, 2, page.cursor)
    assert told == [f"late {n}" for n in range(5)] + ["at 200", "at 300"]


def test_what_appears_behind_a_page_is_told_in_the_next_round(db: Session, clock: Clock) -> None:
    for n in range(6):
        write(db, clock, 100 + n, f"i{n}", f"{n}")
    first = changes(db, limit=2)
    second = changes(db, first.cursor, limit=2)
    assert texts(first) + texts(second) == ["0", "1", "2", "3"]
    write(db, clock, 100.5, "late", "late")
    clock.now = START + 106 * SECOND
    told, cursors = all_pages(db, 2, second.cursor)
    assert (told + texts(changes(db, cursors[-1]))).count("late") == 1
    assert sorted(t for t in told if t != "late") == ["4", "5"]


OVERLAP = 20
SKEWS = st.sampled_from([-OVERLAP // 2, -OVERLAP // 2 + 1, 0, OVERLAP // 2 - 1, OVERLAP // 2])
ACTS = st.one_of(
    st.tuples(st.just("write"), st.integers(0, 5), SKEWS),
    st.tuples(st.just("delete"), st.integers(0, 5), SKEWS),
    st.tuples(st.just("read"), st.integers(1, 4), st.just(0)),
    st.tuples(st.just("wait"), st.integers(1, 30), st.just(0)),
    st.tuples(st.just("burst"), st.integers(2, 6), SKEWS),
)


@given(st.lists(ACTS, min_size=3, max_size=30))
@settings(max_examples=120, deadline=None)
def test_writers_with_differing_clocks_lose_nothing_and_repeat_nothing(acts: list[tuple[str, int, int]]) -> None:
    """True time goes on; each writer's clock is off by at most half the overlap, either way."""
    clock = Clock()
    with feeds.open("memory:", cursor_keys=CURSOR_KEYS, clock=clock) as db:
        true, cursor, told, count = 1000, None, [], 0
        last: dict[str, tuple[str, bool]] = {}

        def read(limit: int) -> bool:
            nonlocal cursor
            clock.now = START + true * SECOND
            page = db.changes(Task, Task.tenant == "t", since=cursor, limit=limit, overlap=OVERLAP * SECOND)
            told.extend(
                (str(c.key.fields["task_id"]), c.entity.text if c.entity else "", c.deleted) for c in page.items
            )
            assert len(page.items) <= limit
            cursor = page.cursor
            return page.has_more

        for act, first, skew in acts:
            clock.now = START + (true + skew) * SECOND
            name = f"i{first}"
            if act == "write":
                count += 1
                db.put(Task(tenant="t", task_id=name, text=f"{count}"))
                last[name] = (f"{count}", False)
            elif act == "delete" and name in last and not last[name][1]:
                db.delete(key(Task, tenant="t", task_id=name))
                last[name] = (last[name][0], True)
            elif act == "read":
                read(first)
            elif act == "wait":
                true += first
            elif act == "burst":
                for n in range(first):
                    count += 1
                    db.put(Task(tenant="t", task_id=f"i{n}", text=f"{count}"))
                    last[f"i{n}"] = (f"{count}", False)
        for _ in range(2):  # what appeared behind a page that went on is told in the next round
            while read(3):
                pass
        assert len(told) == len(set(told))
        assert {(name, *state) for name, state in last.items()} <= set(told)


def test_the_order_of_sets_and_maps_is_no_change() -> None:
    one = {"a": {"SS": ["x", "y"]}, "m": {"M": {"p": {"NS": ["1", "2"]}, "q": {"L": [{"BS": ["AA==", "AQ=="]}]}}}}
    other = {"m": {"M": {"q": {"L": [{"BS": ["AQ==", "AA=="]}]}, "p": {"NS": ["2", "1"]}}}, "a": {"SS": ["y", "x"]}}
    assert dumps(_settled(one)) == dumps(_settled(other))
    plain = {"b": {"S": "x"}, "a": {"N": "1"}, "l": {"L": [{"S": "2"}, {"S": "1"}]}}
    assert dumps(_settled(plain)) == dumps(sorted(plain.items()))
