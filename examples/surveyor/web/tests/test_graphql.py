"""The same store by GraphQL: what comes back, what is refused, and that nothing is read more often than needed."""

from typing import Any

import pytest

from examples.surveyor.web.trying import Person, Service

WHOLE = """
query ($id: ID!) {
  survey(surveyId: $id) {
    title role
    sections { sectionId name elements { name defects { phraseId text } components { name } } }
  }
}
"""
UPDATE = """
mutation ($id: ID!, $changes: SectionInput!, $version: Int) {
  updateSection(surveyId: $id, sectionId: "roof", changes: $changes, expectedVersion: $version) { notes name version }
}
"""


@pytest.fixture
def ann(service: Service) -> Person:
    """The owner of a survey with two elements that have defects."""
    boss, ann = service.person("boss", manager=True), service.person("ann")
    for phrase in ("crack", "damp"):
        boss.made("/phrases/Defect", {"phrase_id": phrase, "name": phrase, "text": f"There is {phrase}."})
    ann.made("/surveys", {"survey_id": "s1", "title": "Mill Lane 4", "viewers": ["cleo"]})
    ann.made("/surveys/s1/sections", {"section_id": "roof", "name": "Roof", "position": 1})
    elements = "/surveys/s1/sections/roof/elements"
    ann.made(elements, {"element_id": "e1", "name": "Tiles", "position": 1, "defects": ["crack", "gone"]})
    ann.made(elements, {"element_id": "e2", "name": "Gutter", "position": 2, "defects": ["damp", "crack"]})
    ann.made(f"{elements}/e1/components", {"component_id": "k1", "name": "Ridge"})
    return ann


def refused(response: Any) -> dict[str, Any]:
    (error,) = response.json()["errors"]
    found: dict[str, Any] = error["extensions"]
    return found


def test_a_tree_with_the_words_of_its_defects_takes_four_requests(ann: Person) -> None:
    response = ann.ask(WHOLE, id="s1")
    survey = response.json()["data"]["survey"]
    assert (survey["title"], survey["role"]) == ("Mill Lane 4", "owner")
    (roof,) = survey["sections"]
    tiles, gutter = roof["elements"]
    assert tiles == {
        "name": "Tiles",
        "defects": [{"phraseId": "crack", "text": "There is crack."}],  # the one that is gone is left out
        "components": [{"name": "Ridge"}],
    }
    assert [each["phraseId"] for each in gutter["defects"]] == ["damp", "crack"]
    assert response.headers["Database-Operations"] == "GetItem access, GetItem, Query, BatchGetItem"


def test_what_is_not_asked_for_is_not_read(ann: Person) -> None:
    response = ann.ask('{ survey(surveyId: "s1") { title } }')
    assert response.json() == {"data": {"survey": {"title": "Mill Lane 4"}}}
    assert response.headers["Database-Operations"] == "GetItem access, GetItem"


def test_a_list_has_pages(ann: Person) -> None:
    for number in (2, 3):
        ann.made("/surveys", {"survey_id": f"s{number}", "title": f"Survey {number}"})
    ask = "query ($after: String) { surveys(first: 2, after: $after) { nodes { surveyId } pageInfo { hasNextPage endCursor } } }"
    first = ann.ask(ask).json()["data"]["surveys"]
    assert first["pageInfo"]["hasNextPage"] is True
    second = ann.ask(ask, after=first["pageInfo"]["endCursor"]).json()["data"]["surveys"]
    assert [each["surveyId"] for each in first["nodes"] + second["nodes"]] == ["s1", "s2", "s3"]
    assert refused(ann.ask(ask, after="made up")) == {
        "code": "CURSOR",
        "status": 400,
        "hint": "Start again from the first page, without a cursor.",
        "fields": [],
    }


def test_a_section_is_changed(ann: Person) -> None:
    response = ann.ask(
        UPDATE, id="s1", changes={"notes": "Leaks"}, version=ann.get("/surveys/s1/sections/roof").json()["version"]
    )
    changed = response.json()["data"]["updateSection"]
    assert (changed["notes"], changed["name"]) == ("Leaks", "Roof")
    shown = ann.get("/surveys/s1/sections/roof").json()
    assert (shown["notes"], shown["version"]) == ("Leaks", changed["version"])
    late = refused(ann.ask(UPDATE, id="s1", changes={"notes": "Dry"}, version=1))
    assert (late["code"], late["status"]) == ("CONCURRENT_MODIFICATION", 409)


def test_rules_and_roles_are_those_of_all_routes(service: Service, ann: Person) -> None:
    wrong = refused(ann.ask(UPDATE, id="s1", changes={"condition": "Awful", "name": None}))
    assert (wrong["code"], {each["field"] for each in wrong["fields"]}) == ("INVALID_REQUEST", {"condition", "name"})
    cleo, dan = service.person("cleo"), service.person("dan")
    assert refused(cleo.ask(UPDATE, id="s1", changes={"notes": "Hello"}))["code"] == "NOT_ALLOWED"
    assert refused(dan.ask(UPDATE, id="s1", changes={"notes": "Hello"}))["code"] == "NOT_FOUND"
    assert refused(dan.ask(WHOLE, id="s1"))["code"] == "NOT_FOUND"
    assert refused(ann.ask("{ surveys(first: 0) { nodes { title } } }"))["status"] == 422
    assert ann.get("/surveys/s1/sections/roof").json()["notes"] == ""


@pytest.mark.parametrize(
    "query",
    [
        "{ survey(surveyId: 1) { " + "sections { elements { defects { " * 3 + "text" + " } } }" * 3 + " } }",
        "{" + " ".join(f'a{number}: survey(surveyId: "s1") {{ title }}' for number in range(50)) + "}",
        "{ " + "__typename " * 1_001 + "}",
    ],
    ids=["deep", "wide", "long"],
)
def test_questions_have_bounds(ann: Person, query: str) -> None:
    response = ann.ask(query)
    assert response.json()["errors"]
    assert response.headers["Database-Requests"] == "0"
