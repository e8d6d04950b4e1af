"""Lists, whole surveys, and one level after another; each with the requests that it should take."""

import pytest

from examples.surveyor.library import Phrase
from examples.surveyor.operating import Operator
from examples.surveyor.reading import Ref
from examples.surveyor.store import Surveyor
from examples.surveyor.surveys import Survey, SurveyComponent, SurveyElement, SurveySection
from tablewright import Session, key
from tablewright.errors import CursorError, NotFoundError


def test_a_complete_survey_is_a_tree_in_one_query(db: Session, house: Surveyor) -> None:
    house.create_survey("A neighbour", "ann", survey_id="s10")
    house.add_section("s10", "roof", 1, section_id="roof")
    with db.measure() as meter:
        tree = house.complete_survey("s1")
    assert [(r.operation, r.index) for r in meter.requests] == [("Query", None)]
    assert (tree.entity.title, tree.entity.owner, tree.entity.section_count) == ("12 Elm Street", "ann", 3)
    assert [node.entity.section_id for node in tree.sections] == ["walls", "roof", "cellar"]
    roof = tree.sections[1]
    assert [node.entity.element_id for node in roof.elements] == ["gutter", "tiles"]
    assert [component.component_id for component in roof.elements[1].components] == ["nail", "tile"]
    assert tree.orphans == ()


def test_orphans_are_reported(db: Session, house: Surveyor) -> None:
    db.delete(key(SurveyElement, tenant_id=house.tenant_id, survey_id="s1", section_id="roof", element_id="tiles"))
    tree = house.complete_survey("s1")
    assert sorted(part.component_id for part in tree.orphans if isinstance(part, SurveyComponent)) == ["nail", "tile"]
    assert [node.entity.element_id for node in tree.sections[1].elements] == ["gutter"]


def test_there_is_no_survey_without_its_head(store: Surveyor) -> None:
    for read in (store.complete_survey, store.complete_survey_with_config, store.survey):
        with pytest.raises(NotFoundError):
            read("s1")
    assert store.parts("s1").items == ()


def test_the_current_config_comes_with_the_survey(db: Session, house: Surveyor) -> None:
    assert house.complete_survey_with_config("s1").config is None
    house.add_library_section("Roof", 1, section_id="roof")
    house.take_snapshot("s1")
    house.add_library_section("Walls", 2, section_id="walls")
    with db.measure() as meter:
        whole = house.complete_survey_with_config("s1")
    assert [(r.operation, r.index) for r in meter.requests] == [("Query", None), ("Query", None)]
    assert whole.config is not None
    assert [section.name for section in whole.config.sections] == ["Roof"]
    assert len(whole.tree.sections) == 3


def test_a_survey_is_paged_in_key_order(db: Session, house: Surveyor) -> None:
    cursor, kinds, pages = None, [], 0
    while True:
        with db.measure() as meter:
            page = house.parts("s1", 4, cursor)
        assert [(r.operation, r.index, r.pattern) for r in meter.requests] == [("Query", None, "whole_survey")]
        kinds += [type(part) for part in page]
        pages += 1
        cursor = page.cursor
        if not page.has_more:
            break
    assert pages == 3
    assert kinds[0] is Survey
    assert sorted(kind.__name__ for kind in kinds[1:]) == (
        ["SurveyComponent"] * 2 + ["SurveyElement"] * 3 + ["SurveySection"] * 3
    )


def test_levels_are_loaded_one_after_another(db: Session, house: Surveyor) -> None:
    with db.measure() as meter:
        assert house.survey("s1").title == "12 Elm Street"
        assert [s.section_id for s in house.sections("s1")] == ["walls", "roof", "cellar"]
        assert [e.element_id for e in house.elements("s1", "roof")] == ["gutter", "tiles"]
        assert [c.component_id for c in house.components("s1", "roof", "tiles")] == ["nail", "tile"]
    assert [(r.operation, r.index) for r in meter.requests] == [
        ("GetItem", None),
        ("Query", "GSI2"),
        ("Query", "GSI2"),
        ("Query", "GSI2"),
    ]
    first = house.sections("s1", 2)
    assert [s.section_id for s in house.sections("s1", 2, first.cursor)] == ["cellar"]
    assert house.section("s1", "roof").name == "roof"
    assert house.element("s1", "roof", "tiles").name == "Tiles"
    assert house.component("s1", "roof", "tiles", "nail").name == "Nail"
    for missing in (
        lambda: house.section("s1", "attic"),
        lambda: house.element("s1", "walls", "tiles"),
        lambda: house.component("s1", "roof", "gutter", "nail"),
    ):
        with pytest.raises(NotFoundError):
            missing()


def test_lists_have_surveys_alone_and_pages(db: Session, house: Surveyor) -> None:
    for number in range(2, 5):
        house.create_survey(f"Survey {number}", "ann" if number == 2 else "bob", survey_id=f"s{number}")
    with db.measure() as meter:
        first = house.surveys(3)
    assert [(r.operation, r.index, r.pattern) for r in meter.requests] == [("Query", "GSI1", "surveys_of_tenant")]
    assert [outline.survey_id for outline in first] == ["s1", "s2", "s3"]
    assert (first.items[0].title, first.items[0].section_count) == ("12 Elm Street", 3)
    assert [outline.survey_id for outline in house.surveys(3, first.cursor)] == ["s4"]
    with pytest.raises(CursorError):
        Surveyor(db, "another").surveys(3, first.cursor)
    with db.measure() as meter:
        owned = house.surveys_owned_by("ann")
    assert [(r.operation, r.index) for r in meter.requests] == [("Query", "GSI5")]
    assert [survey.survey_id for survey in owned] == ["s1", "s2"]


def test_all_surveys_are_read_as_they_are_needed(db: Session, store: Surveyor) -> None:
    for number in range(30):
        db.create(Survey(tenant_id=store.tenant_id, survey_id=f"s{number:02}", title="x", owner="ann"))
    with db.measure() as meter:
        surveys = store.every_survey()
        assert meter.requests == []
        assert next(surveys).survey_id == "s00"
        assert len(meter.requests) == 1
        assert [outline.survey_id for outline in surveys] == [f"s{number:02}" for number in range(1, 30)]
    assert [(r.operation, r.index) for r in meter.requests] == [("Query", "GSI1")] * 2


def test_items_of_many_kinds_are_got_together(db: Session, house: Surveyor) -> None:
    house.add_phrase("Defect", "Crack", "A crack.", phrase_id="crack")
    ids = {"survey_id": "s1", "section_id": "roof"}
    refs = [
        Ref(Survey, {"survey_id": "s1"}),
        Ref(SurveySection, {"survey_id": "s1", "section_id": "attic"}),
        Ref(SurveySection, ids),
        Ref(SurveyComponent, {**ids, "element_id": "tiles", "component_id": "nail"}),
        Ref(Phrase, {"kind": "Defect", "phrase_id": "crack"}),
    ]
    with db.measure() as meter:
        found = house.items(refs)
    assert [r.operation for r in meter.requests] == ["BatchGetItem"]
    assert [None if item is None else type(item) for item in found] == [
        Survey,
        None,
        SurveySection,
        SurveyComponent,
        Phrase,
    ]
    with db.measure() as meter:
        many = house.items([Ref(Survey, {"survey_id": f"x{number}"}) for number in range(150)])
    assert (many, len(meter.requests)) == ([None] * 150, 2)
    with pytest.raises(TypeError):
        house.items([Ref(Survey, {"survey_id": "s1", "tenant_id": "another"})])


def test_the_operator_sees_surveys_of_all_tenants(db: Session, house: Surveyor) -> None:
    other = Surveyor(db, f"{house.tenant_id}-b")
    other.create_survey("Theirs", "zoe", survey_id="s1")
    operator = Operator(db)
    with db.measure() as meter:
        page = operator.surveys(house.tenant_id)
    assert {(r.operation, r.index, r.pattern) for r in meter.requests} == {("Query", "GSI2", "surveys_from")}
    assert len(meter.requests) == 4
    ours = [(s.tenant_id, s.title) for s in page if s.tenant_id.startswith(house.tenant_id)]
    assert ours == [(house.tenant_id, "12 Elm Street"), (other.tenant_id, "Theirs")]
    assert operator.add_tenant(house.tenant_id, "Elm & Co").plan == "free"
    assert operator.change_plan(house.tenant_id, "team").plan == "team"
    assert house.tenant().name == "Elm & Co"
    with pytest.raises(NotFoundError):
        other.tenant()
