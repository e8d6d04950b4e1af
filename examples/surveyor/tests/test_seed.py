"""The seed data can be written again with the same result, and agrees with itself."""

import subprocess
import sys
from pathlib import Path

from examples.surveyor.model import surveyor
from examples.surveyor.others import SyncItem, TempData
from examples.surveyor.reading import Reading
from examples.surveyor.seed import PEOPLE, SURVEY, entities, seed
from examples.surveyor.store import Surveyor
from tablewright import Entity, Session


def kept(db: Session) -> list[Entity]:
    """What lies in the partition of acme, but for what expires at a time that depends on when it was written."""
    return [each for each in Reading(db, "acme").everything() if not isinstance(each, SyncItem | TempData)]


def test_it_can_be_run_again(db: Session) -> None:
    assert seed(db) == len(entities())
    first = kept(db)
    store = Surveyor(db, "acme")
    store.update_section("elm-12", "roof", {"notes": "changed"})
    store.remove_section("elm-12", "walls")
    assert seed(db) == len(entities())
    assert sorted(map(repr, kept(db))) == sorted(map(repr, first))


def test_what_it_counts_is_there(db: Session) -> None:
    seed(db)
    store = Surveyor(db, "acme")
    for outline in store.every_survey():
        tree = store.complete_survey(outline.survey_id)
        done = [node for node in tree.sections if node.entity.completed_at is not None]
        assert (len(tree.sections), len(done)) == (outline.section_count, outline.completed_sections)
        people = {access.user_id: access.role for access in store.people(outline.survey_id)}
        survey = tree.entity
        assert people == (
            {survey.owner: "owner"} | dict.fromkeys(survey.editors, "editor") | dict.fromkeys(survey.viewers, "viewer")
        )
        snapshot = store.current_snapshot(outline.survey_id)
        assert snapshot is not None
        assert [section.section_id for section in snapshot.sections] == ["roof", "walls", "services"]
        assert sum(len(part.phrases) for part in snapshot.phrases) == 5
    assert [phrase.phrase_id for phrase in store.phrases_for_element("covering", "Defect")] == ["slipped"]
    assert store.document("terms").number == len(store.document_versions("terms")) == 3
    assert {role: store.role_of(SURVEY, user) for role, user in PEOPLE.items()} == {
        "owner": "owner",
        "editor": "editor",
        "viewer": "viewer",
        "nobody": None,
    }
    covering = store.element(SURVEY, "roof", "covering")
    assert [store.phrase("Defect", each).name for each in covering.defects] == ["Slipped tile"]
    birch = Surveyor(db, "birch")
    assert [outline.title for outline in birch.every_survey()] == ["Birch Lane"]
    assert (birch.role_of(SURVEY, "ann"), birch.role_of(SURVEY, "eva")) == (None, "owner")


def test_it_is_a_program(tmp_path: Path) -> None:
    file = tmp_path / "surveyor.db"
    root = Path(__file__).parents[3]
    ran = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "examples.surveyor.seed", str(file)],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == f"{len(entities())} entities written.\n"
    with surveyor.open(file) as db:
        assert Surveyor(db, "acme").tenant().name == "Acme Surveyors"
