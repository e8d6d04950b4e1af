"""A removal that fails at any of its requests can be repeated, and then nothing is left."""

from collections.abc import Iterator
from typing import Any

import pytest

from examples.surveyor.model import surveyor
from examples.surveyor.store import Surveyor
from tablewright import RetryPolicy, Session
from tablewright.engine import open_engine
from tablewright.errors import AlreadyExistsError, ConcurrentModificationError, NotFoundError, TablewrightError
from tablewright.testing import Faults, LostReply, Throttle


@pytest.fixture
def failing() -> Iterator[tuple[Session, Faults]]:
    """A table that is never asked twice, and what goes wrong with it."""
    with open_engine("memory:") as engine, surveyor.open(engine, retry=RetryPolicy(max_retries=0)) as db:
        yield db, engine.faults


def build(db: Session, tenant_id: str) -> Surveyor:
    """A tenant with a survey of three people, with parts of every kind and a snapshot."""
    store = Surveyor(db, tenant_id)
    store.create_survey("12 Elm Street", "ann", survey_id="s1", editors=["bob"], viewers=["cleo"])
    store.add_section("s1", "Roof", 1, section_id="roof")
    store.add_element("s1", "roof", "Tiles", 1, element_id="tiles")
    store.add_component("s1", "roof", "tiles", "Ridge", 1, component_id="ridge")
    store.add_library_section("Roof", 1)
    store.take_snapshot("s1")
    return store


def left(store: Surveyor) -> set[str]:
    """The kinds of what is left of the survey."""
    return {type(item).__name__ for item in store.everything() if getattr(item, "survey_id", None) == "s1"}


@pytest.mark.parametrize("fault", [Throttle, LostReply], ids=["refused", "answer lost"])
def test_a_removal_can_be_repeated_wherever_it_failed(
    failing: tuple[Session, Faults], fault: type[Throttle] | type[LostReply]
) -> None:
    db, faults = failing
    store = build(db, "whole")
    with db.measure() as meter:
        store.remove_survey("s1")
    assert left(store) == set()
    requests = len(meter.requests)
    assert requests > 8
    for number in range(1, requests + 1):
        store = build(db, f"tenant-{number}")
        with faults.inject(fault(nth=number)), pytest.raises(TablewrightError):
            store.remove_survey("s1")
        remains = left(store)
        if remains:  # who may remove it does not lose it before it is gone
            assert "Survey" in remains
            with pytest.raises(AlreadyExistsError):  # nor can somebody else have its id before that
                store.create_survey("Another", "eve", survey_id="s1")
            assert store.role_of("s1", "ann") == "owner"
            assert [seen.survey.survey_id for seen in store.surveys_seen_by("ann")] == ["s1"]
            store.remove_survey("s1")
        with pytest.raises(NotFoundError):
            store.remove_survey("s1")
        assert (left(store), store.people("s1")) == (set(), [])
        assert store.create_survey("Again", "ann", survey_id="s1", editors=["bob"]).section_count == 0


def test_whoever_adds_to_a_survey_that_is_being_removed_leaves_nothing(
    failing: tuple[Session, Faults], monkeypatch: pytest.MonkeyPatch
) -> None:
    db, _ = failing
    store = build(db, "acme")
    delete = Surveyor._delete_all
    calls = 0

    def deleting(own: Surveyor, *what: Any) -> int:
        nonlocal calls
        calls += 1
        done = delete(own, *what)
        if calls in (2, 4):
            store.add_section("s1", "Walls", 2, section_id=f"walls-{calls}")
            store.share("s1", f"user-{calls}", "viewer")
        return done

    monkeypatch.setattr(Surveyor, "_delete_all", deleting)
    store.remove_survey("s1")
    assert calls > 4
    assert (left(store), store.people("s1")) == (set(), [])


def test_a_removal_of_what_somebody_changed_is_refused(failing: tuple[Session, Faults]) -> None:
    db, _ = failing
    store = build(db, "acme")
    store.update_survey("s1", {"title": "Changed"})
    store.update_section("s1", "roof", {"notes": "Changed"})
    store.update_element("s1", "roof", "tiles", {"notes": "Changed"})
    store.update_component("s1", "roof", "tiles", "ridge", {"notes": "Changed"})
    removals: list[tuple[Any, tuple[str, ...]]] = [
        (store.remove_component, ("s1", "roof", "tiles", "ridge")),
        (store.remove_element, ("s1", "roof", "tiles")),
        (store.remove_section, ("s1", "roof")),
        (store.remove_survey, ("s1",)),
    ]
    for remove, ids in removals:
        with pytest.raises(ConcurrentModificationError):
            remove(*ids, expected_version=1)
    tree = store.complete_survey("s1")
    assert tree.sections[0].elements[0].components[0].notes == "Changed"
