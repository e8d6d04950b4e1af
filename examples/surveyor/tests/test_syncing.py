"""The queue and the feed see every kind, children and deletions; what went wrong is logged, and what is left expires."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from examples.surveyor.base import IN_FEED
from examples.surveyor.library import Component, Element, Phrase, Section
from examples.surveyor.model import surveyor
from examples.surveyor.others import SyncItem
from examples.surveyor.patterns import Synced
from examples.surveyor.store import Surveyor, connect
from examples.surveyor.surveys import Survey, SurveyComponent, SurveyElement, SurveySection
from tablewright import Session
from tablewright.errors import ConcurrentModificationError, CursorError, NotFoundError

KINDS = {Survey, SurveySection, SurveyElement, SurveyComponent, Section, Element, Component, Phrase}
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def stocked(house: Surveyor) -> Surveyor:
    """The house with one library item of each kind: seventeen things that can be synchronised, less four."""
    house.add_library_section("Roof", 1, section_id="roof")
    house.add_library_element("roof", "Tiles", 1, element_id="tiles")
    house.add_library_component("tiles", "Nail", component_id="nail")
    house.add_phrase("Defect", "Crack", "A crack.", phrase_id="crack")
    return house


def queued(store: Surveyor, status: Any = "pending") -> list[Synced]:
    """The whole queue, in pages of five."""
    page = store.sync_queue(status, 5)
    found = [*page]
    while page.has_more:
        page = store.sync_queue(status, 5, page.cursor)
        found += page
    return found


def test_everything_waits_longest_wait_first(db: Session, stocked: Surveyor) -> None:
    assert len(queued(stocked)) == 9 + 4
    assert {type(item) for item in queued(stocked)} == KINDS
    stocked.update_component("s1", "roof", "tiles", "nail", {"notes": "x"})
    assert isinstance(queued(stocked)[-1], SurveyComponent)
    with db.measure() as meter:
        stocked.sync_queue()
    assert [(r.operation, r.index, r.pattern) for r in meter.requests] == [("Query", "GSI3", "sync_queue")]


def test_what_has_arrived_leaves_the_queue(db: Session, stocked: Surveyor) -> None:
    for item in queued(stocked):
        with db.measure() as meter:
            synced = stocked.mark_synced(item)
        assert [r.operation for r in meter.requests] == ["UpdateItem"]
        assert (synced.sync_status, synced.sync_error) == ("synced", None)
    assert queued(stocked) == []
    stocked.update_section("s1", "roof", {"notes": "x"})
    stocked.remove_component("s1", "roof", "tiles", "nail")
    assert [type(item) for item in queued(stocked)] == [SurveySection]


def test_what_was_changed_meanwhile_stays(stocked: Surveyor) -> None:
    for item in queued(stocked):
        if isinstance(item, SurveySection) and item.section_id == "roof":
            stocked.update_section("s1", "roof", {"notes": "newer"})
            with pytest.raises(ConcurrentModificationError):
                stocked.mark_synced(item)
            with pytest.raises(ConcurrentModificationError):
                stocked.mark_failed(item, "no network")
    assert stocked.section("s1", "roof").sync_status == "pending"
    assert stocked.sync_log().items == ()


def test_what_failed_is_queued_apart_and_logged(db: Session, stocked: Surveyor) -> None:
    for item in queued(stocked):
        failed = stocked.mark_failed(item, "no network")
        assert (failed.sync_status, failed.sync_error) == ("failed", "no network")
    assert queued(stocked) == []
    assert {type(item) for item in queued(stocked, "failed")} == KINDS
    log = [*stocked.sync_log()]
    assert len(log) == 13
    assert {line.kind for line in log} == {kind.__name__ for kind in KINDS}
    assert [line.at for line in log] == sorted((line.at for line in log), reverse=True)
    assert {line.survey_id for line in log} == {"s1", None}
    assert log[-1].message == "no network"
    with db.measure() as meter:
        page = stocked.sync_log(log[4].at, 3)
    assert [(r.operation, r.index) for r in meter.requests] == [("Query", None)]
    assert [*page, *stocked.sync_log(log[4].at, 3, page.cursor)] == log[:5]
    assert stocked.mark_synced(queued(stocked, "failed")[0]).sync_error is None
    assert len(queued(stocked, "failed")) == 12


def test_of_a_long_error_the_beginning_is_kept(stocked: Surveyor) -> None:
    failed = stocked.mark_failed(stocked.survey("s1"), "é" * 499 + "ab" * 2_000)
    assert failed.sync_error == stocked.sync_log().items[0].message == "é" * 499 + "a"


def test_items_of_another_tenant_are_not_marked(db: Session, stocked: Surveyor) -> None:
    item = queued(stocked)[0]
    other = Surveyor(db, f"{stocked.tenant_id}-b")
    with pytest.raises(NotFoundError):
        other.mark_synced(item)
    with pytest.raises(NotFoundError):
        other.mark_failed(item, "mine")
    assert queued(stocked)[0].sync_status == "pending"


def followed(store: Surveyor, cursor: str | None) -> tuple[list[tuple[str, bool]], str]:
    """What the feed tells from a cursor on, in pages of four, and where it then is."""
    told: list[tuple[str, bool]] = []
    while True:
        page = store.changes_since(cursor, 4)
        told += [(change.key.entity.__name__, change.deleted) for change in page.items]
        cursor = page.cursor
        if not page.has_more:
            return told, cursor


def test_the_feed_tells_every_kind_once(stocked: Surveyor) -> None:
    told, cursor = followed(stocked, None)
    assert len(told) == 13
    assert {name for name, _ in told} == {kind.__name__ for kind in KINDS}
    stocked.update_element("s1", "roof", "tiles", {"notes": "x"})
    stocked.update_element("s1", "roof", "tiles", {"notes": "y"})
    stocked.remove_component("s1", "roof", "tiles", "nail")
    stocked.remove_phrase("Defect", "crack")
    told, cursor = followed(stocked, cursor)
    assert told == [("SurveyElement", False), ("SurveyComponent", True), ("Phrase", True)]
    stocked.remove_section("s1", "roof")
    told, cursor = followed(stocked, cursor)
    assert sorted(told) == [
        ("Survey", False),
        ("SurveyComponent", True),
        ("SurveyElement", True),
        ("SurveyElement", True),
        ("SurveySection", True),
    ]
    assert followed(stocked, cursor)[0] == []


def test_a_feed_is_read_with_one_request_from_its_index(db: Session, stocked: Surveyor) -> None:
    with db.measure() as meter:
        page = stocked.changes_since()
    assert [(r.operation, r.index) for r in meter.requests] == [("Query", "GSI4")]
    with pytest.raises(CursorError):
        Surveyor(db, f"{stocked.tenant_id}-b").changes_since(page.cursor)


def test_recent_changes_are_told_in_the_order_of_time(db: Session) -> None:
    moments = (NOON + timedelta(seconds=number) for number in range(1_000))
    with surveyor.open("memory:", table_name="clocked", clock=lambda: next(moments)) as clocked:
        store = Surveyor(clocked, "t")
        for number in range(5):
            store.add_library_section("x", number, section_id=f"l{number}")
        store.remove_template(store.library_sections()[3])
        (first,) = [s for s in store.library_sections() if s.section_id == "l0"]
        store.save_template(first)
        with clocked.measure() as meter:
            page = store.recent_changes(NOON + timedelta(seconds=3), 2)
        assert [(r.operation, r.index, r.pattern) for r in meter.requests] == [("Query", "GSI4", "changed_since")]
        rest = store.recent_changes(NOON + timedelta(seconds=3), 5, page.cursor)
        assert [item.section_id for item in (*page, *rest) if isinstance(item, Section)][-2:] == ["l4", "l0"]


@pytest.fixture
def away() -> Iterator[tuple[Session, list[datetime]]]:
    """A table whose clock the test turns."""
    now = [NOON]
    with surveyor.open(
        "memory:",
        table_name="away",
        clock=lambda: now[0],
        cursor_keys=[b"a secret of the tests"],
        cursor_max_age=IN_FEED.keep.total_seconds(),
    ) as opened:
        yield opened, now


def test_a_device_that_was_away_too_long_starts_anew(away: tuple[Session, list[datetime]]) -> None:
    db, now = away
    store = Surveyor(db, "t", clock=lambda: now[0])
    store.add_library_section("Roof", 1, section_id="roof")
    cursor = store.changes_since().cursor
    now[0] += timedelta(days=29)
    store.remove_template(store.library_sections()[0])
    assert [change.deleted for change in store.changes_since(cursor).items] == [True]
    now[0] += timedelta(days=2)
    with pytest.raises(CursorError):
        store.changes_since(cursor)


def test_what_a_device_leaves_is_gone_after_a_day(away: tuple[Session, list[datetime]]) -> None:
    db, now = away
    store = Surveyor(db, "t", clock=lambda: now[0])
    left = store.leave("x1", {"step": "1"})
    assert left.ttl == NOON + timedelta(hours=24)
    assert store.left("x1") == left
    assert store.leave("x1", {"step": "2"}).data == {"step": "2"}
    now[0] += timedelta(hours=24)
    assert (store.left("x1"), store.left("x2")) == (None, None)
    line = SyncItem(tenant_id="t", at=NOON, entity_id="x", ttl=NOON)
    assert db.create(line).ttl == NOON


def test_a_connection_has_what_devices_need() -> None:
    with connect("memory:", cursor_keys=[b"a secret of the tests"], table_name="connected") as db:
        store = Surveyor(db, "t")
        store.leave("x1", {"step": "1"})
        assert store.left("x1") is not None
