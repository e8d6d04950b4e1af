"""Whatever others do between the requests of a removal, and wherever a removal comes between theirs, nothing is left of the survey."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples.surveyor import snapshots
from examples.surveyor.model import surveyor
from examples.surveyor.store import Surveyor
from tablewright.engine import Engine, open_engine
from tablewright.errors import TablewrightError

CALLS: dict[str, Callable[[Surveyor], object]] = {
    "section": lambda store: store.add_section("s1", "Walls", 2),
    "element": lambda store: store.add_element("s1", "roof", "Gutter", 2),
    "component": lambda store: store.add_component("s1", "roof", "tiles", "Nail", 2),
    "snapshot": lambda store: store.take_snapshot("s1"),
    "share": lambda store: store.share("s1", "dan", "editor"),
    "unshare": lambda store: store.unshare("s1", "bob"),
    "hand over": lambda store: store.hand_over("s1", "eve"),
    "complete": lambda store: store.complete_section("s1", "roof", "ann"),
    "remove section": lambda store: store.remove_section("s1", "roof"),
    "remove survey": lambda store: store.remove_survey("s1"),
}


class Between:
    """A transport that lets others do something before requests, by their number. What they do is not counted."""

    def __init__(self, engine: Engine, schedule: Mapping[int, Callable[[], object]]) -> None:
        self.sent = 0
        self._engine = engine
        self._schedule = schedule

    def send(self, operation: str, request: Any) -> Any:
        self.sent += 1
        attempted(self._schedule.get(self.sent, lambda: None))
        return self._engine.execute(operation, request)

    def close(self) -> None:
        """The engine is closed by whoever opened it."""


def attempted(call: Callable[[], object]) -> None:
    """Does something that may come too late."""
    with suppress(TablewrightError):
        call()


def play(main: str, others: Mapping[int, str]) -> int:
    """One call on a survey with all that it can have, others before these of its requests; how many it sent.

    In the end there is no survey, and nothing that belonged to it.
    """
    with open_engine("memory:") as engine, surveyor.open(engine) as db:
        store = Surveyor(db, "acme")
        store.create_survey("12 Elm Street", "ann", survey_id="s1", editors=["bob"])
        store.add_section("s1", "Roof", 1, section_id="roof")
        store.add_element("s1", "roof", "Tiles", 1, element_id="tiles")
        store.add_component("s1", "roof", "tiles", "Ridge", 1, component_id="ridge")
        for name in ("Roof", "Walls"):
            store.add_library_section(name, 1)
        store.take_snapshot("s1")
        between = Between(engine, {number: partial(CALLS[call], store) for number, call in others.items()})
        with surveyor.open(between, create=False) as interrupted:
            between.sent = 0
            attempted(lambda: CALLS[main](Surveyor(interrupted, "acme")))
        if between.sent < max(others, default=0) and main != "remove survey":  # nobody has removed it yet
            store.remove_survey("s1")
        left = [type(item).__name__ for item in store.everything() if getattr(item, "survey_id", None) == "s1"]
        assert (left, store.people("s1")) == ([], [])
        assert store.create_survey("Again", "ann", survey_id="s1").section_count == 0
        return between.sent


@pytest.fixture(autouse=True)
def _snapshots_of_several_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "PARTS_TOGETHER", 1)


@pytest.mark.parametrize("other", CALLS)
def test_somebody_else_comes_between(other: str) -> None:
    number = 1
    while play("remove survey", {number: other}) >= number:
        number += 1
    assert number > 10


@pytest.mark.parametrize("main", [call for call in CALLS if call != "remove survey"])
def test_the_removal_comes_between(main: str) -> None:
    number = 1
    while play(main, {number: "remove survey"}) >= number:
        number += 1
    assert number > 2


@settings(max_examples=settings().max_examples // 5)
@given(st.dictionaries(st.integers(1, 30), st.sampled_from([*CALLS]), max_size=8))
def test_many_come_between(others: dict[int, str]) -> None:
    play("remove survey", others)


def test_who_is_overtaken_by_another_removal_is_told_nothing_but_that_it_is_done() -> None:
    number = sent = 1
    while sent >= number:
        number += 1
        with open_engine("memory:") as engine, surveyor.open(engine) as db:
            store = Surveyor(db, "acme")
            store.create_survey("12 Elm Street", "ann", survey_id="s1", editors=["bob"])
            store.add_section("s1", "Roof", 1, section_id="roof")
            between = Between(engine, {number: partial(store.remove_survey, "s1")})
            with surveyor.open(between, create=False) as interrupted:
                between.sent = 0
                Surveyor(interrupted, "acme").remove_survey("s1")
            assert [*store.everything()] == []
        sent = between.sent
    assert number > 8


def test_a_survey_that_is_made_anew_outlives_a_removal_of_the_one_before() -> None:
    """Somebody else ends the removal, and another survey gets the id, before any request that follows the first look."""
    number = 2
    while removed_beside_a_new_one(number) >= number:
        number += 1
    assert number > 10


def removed_beside_a_new_one(number: int) -> int:
    """A removal that is interrupted before this request; how many it sent. The new survey stays as it was made."""
    with open_engine("memory:") as engine, surveyor.open(engine) as db:
        store = Surveyor(db, "acme")
        store.add_library_section("Roof", 1)

        def make(title: str, owner: str, editor: str) -> None:
            store.create_survey(title, owner, survey_id="s1", editors=[editor])
            store.add_section("s1", "Roof", 1, section_id="roof")
            store.add_element("s1", "roof", "Tiles", 1, element_id="tiles")
            store.add_component("s1", "roof", "tiles", "Ridge", 1, component_id="ridge")
            store.take_snapshot("s1")

        def remake() -> None:
            store.remove_survey("s1")
            make("Again", "ann", "bob")  # by the same people, whose Access items have the same keys

        make("12 Elm Street", "ann", "bob")
        between = Between(engine, {number: remake})
        with surveyor.open(between, create=False) as interrupted:
            between.sent = 0
            Surveyor(interrupted, "acme").remove_survey("s1")
        if between.sent < number:  # the removal was over before
            assert [*store.every_survey()] == []
            return between.sent
        tree = store.complete_survey("s1")
        assert (tree.entity.title, tree.entity.section_count) == ("Again", 1)
        assert [part.component_id for part in tree.sections[0].elements[0].components] == ["ridge"]
        assert [person.user_id for person in store.people("s1")] == ["ann", "bob"]
        snapshot = store.current_snapshot("s1")
        assert snapshot is not None
        assert [section.name for section in snapshot.sections] == ["Roof"]
        return between.sent
