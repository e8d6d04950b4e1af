"""Sections are completed and reopened, and surveys go from one status to another; counts always agree with sections."""

from datetime import UTC, datetime
from itertools import permutations
from typing import Any, get_args

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from examples.surveyor import building
from examples.surveyor.base import SurveyStatus
from examples.surveyor.model import surveyor
from examples.surveyor.store import Surveyor
from tablewright import Session, stored
from tablewright.errors import ConcurrentModificationError, ConditionalCheckError, NotFoundError

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
ALLOWED = {
    ("draft", "in_progress"),
    ("in_progress", "completed"),
    ("completed", "in_progress"),
    ("completed", "published"),
    ("published", "in_progress"),
    ("archived", "draft"),
    *((status, "archived") for status in ("draft", "in_progress", "completed", "published")),
}


def test_completing_and_reopening_count_in_the_same_transaction(db: Session, house: Surveyor) -> None:
    with db.measure() as meter:
        roof = house.complete_section("s1", "roof", "bob", at=NOON)
    assert [r.operation for r in meter.requests] == ["TransactWriteItems", "GetItem"]
    assert (roof.completed_at, roof.completed_by, roof.sync_status) == (NOON, "bob", "pending")
    assert house.survey("s1").completed_sections == 1
    with pytest.raises(ConditionalCheckError):
        house.complete_section("s1", "roof", "cleo")
    assert (house.survey("s1").completed_sections, house.section("s1", "roof").completed_by) == (1, "bob")
    roof = house.reopen_section("s1", "roof")
    assert (roof.completed_at, roof.completed_by, house.survey("s1").completed_sections) == (None, None, 0)
    with pytest.raises(ConditionalCheckError):
        house.reopen_section("s1", "roof")
    with pytest.raises(NotFoundError):
        house.complete_section("s1", "attic", "bob")
    assert house.survey("s1").completed_sections == 0


def test_completing_can_be_locked(house: Surveyor) -> None:
    known = stored(house.section("s1", "roof"))
    assert known is not None
    house.update_section("s1", "roof", {"notes": "new"})
    with pytest.raises(ConcurrentModificationError):
        house.complete_section("s1", "roof", "bob", expected_version=known.version)
    assert house.survey("s1").completed_sections == 0
    assert known.version is not None
    house.complete_section("s1", "roof", "bob", expected_version=known.version + 1)
    with pytest.raises(ConcurrentModificationError):
        house.reopen_section("s1", "roof", expected_version=known.version + 1)
    assert house.reopen_section("s1", "roof", expected_version=known.version + 2).completed_at is None


@pytest.mark.parametrize(
    ("source", "target"),
    [*permutations(get_args(SurveyStatus), 2), *((status, status) for status in get_args(SurveyStatus))],
)
def test_a_survey_goes_where_it_may(db: Session, store: Surveyor, source: SurveyStatus, target: SurveyStatus) -> None:
    store.create_survey("12 Elm Street", "ann", survey_id="s1")
    db.update(store._survey("s1"), set={"status": source, "sync_status": "synced"})
    if (source, target) in ALLOWED:
        moved = store.move_survey("s1", target)
        assert (moved.status, moved.sync_status) == (target, "pending")
    else:
        with pytest.raises(ConditionalCheckError):
            store.move_survey("s1", target)
        assert store.survey("s1").status == source


def test_a_survey_is_completed_when_its_sections_are(house: Surveyor) -> None:
    house.move_survey("s1", "in_progress")
    for section in ("roof", "walls", "cellar"):
        with pytest.raises(ConditionalCheckError):
            house.move_survey("s1", "completed")
        house.complete_section("s1", section, "bob")
    assert house.move_survey("s1", "completed").completed_sections == 3
    with pytest.raises(ConditionalCheckError):  # a survey that is done is reopened first
        house.reopen_section("s1", "roof")
    house.move_survey("s1", "in_progress")
    assert house.reopen_section("s1", "roof").completed_at is None


@pytest.mark.parametrize("status", ["completed", "published", "archived"])
@pytest.mark.parametrize("together", [1, 90])
def test_sections_come_and_go_only_while_a_survey_is_worked_on(
    house: Surveyor, monkeypatch: pytest.MonkeyPatch, status: SurveyStatus, together: int
) -> None:
    """So what is published has no section that is not completed."""
    monkeypatch.setattr(building, "TOGETHER", together)
    house.move_survey("s1", "in_progress")
    for section in ("roof", "walls", "cellar"):
        house.complete_section("s1", section, "bob")
    on_the_way: dict[str, list[SurveyStatus]] = {"published": ["completed"]}
    for each in (*on_the_way.get(status, []), status):
        house.move_survey("s1", each)
    before = house.complete_survey("s1")
    with pytest.raises(ConditionalCheckError):
        house.add_section("s1", "Attic", 5, section_id="attic")
    with pytest.raises(ConditionalCheckError):
        house.remove_section("s1", "roof")
    assert house.complete_survey("s1") == before
    house.move_survey("s1", "draft" if status == "archived" else "in_progress")
    house.add_section("s1", "Attic", 5, section_id="attic")
    house.remove_section("s1", "roof")
    assert (house.survey("s1").section_count, house.survey("s1").completed_sections) == (3, 2)


def test_moving_can_be_locked(house: Surveyor) -> None:
    known = stored(house.survey("s1"))
    assert known is not None
    assert known.version is not None
    with pytest.raises(ConcurrentModificationError):
        house.move_survey("s1", "in_progress", expected_version=known.version + 1)
    assert house.move_survey("s1", "in_progress", expected_version=known.version).status == "in_progress"
    with pytest.raises(ConcurrentModificationError):
        house.move_survey("s1", "completed", expected_version=known.version)
    with pytest.raises(NotFoundError):
        house.move_survey("s2", "archived")


class Sections(RuleBasedStateMachine):
    """Sections come, go, are completed and reopened in any order; what the survey counts is what there is."""

    def __init__(self) -> None:
        super().__init__()
        self.db = surveyor.open("memory:")
        self.store = Surveyor(self.db, "t")
        self.store.create_survey("12 Elm Street", "ann", survey_id="s1")
        self.open: dict[str, bool] = {}

    name = st.sampled_from(["roof", "walls", "cellar"])

    @rule(name=name)
    def add(self, name: str) -> None:
        self.attempt(name not in self.open, lambda: self.store.add_section("s1", name, 1, section_id=name))
        self.open.setdefault(name, True)

    @rule(name=name)
    def remove(self, name: str) -> None:
        self.attempt(name in self.open, lambda: self.store.remove_section("s1", name))
        self.open.pop(name, None)

    @rule(name=name)
    def complete(self, name: str) -> None:
        self.attempt(self.open.get(name) is True, lambda: self.store.complete_section("s1", name, "bob"))
        if name in self.open:
            self.open[name] = False

    @rule(name=name)
    def reopen(self, name: str) -> None:
        self.attempt(self.open.get(name) is False, lambda: self.store.reopen_section("s1", name))
        if name in self.open:
            self.open[name] = True

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def bring_back(self, data: Any) -> None:
        """Somebody undoes a removal by adding the section again; it starts as new."""
        name = data.draw(st.sampled_from(sorted(self.open)))
        self.store.remove_section("s1", name)
        self.store.add_section("s1", name, 2, section_id=name)
        self.open[name] = True

    def attempt(self, works: bool, call: Any) -> None:
        if works:
            call()
        else:
            with pytest.raises(ConditionalCheckError):
                call()

    @invariant()
    def the_counts_are_right(self) -> None:
        survey = self.store.survey("s1")
        assert (survey.section_count, survey.completed_sections) == (
            len(self.open),
            sum(not is_open for is_open in self.open.values()),
        )
        assert {s.section_id: s.completed_at is None for s in self.store.sections("s1")} == self.open

    def teardown(self) -> None:
        self.db.close()


def test_counts_follow_whatever_happens() -> None:
    run_state_machine_as_test(Sections, settings=settings(max_examples=6, stateful_step_count=12))
