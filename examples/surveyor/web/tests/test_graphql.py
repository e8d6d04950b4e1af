"""The same store by GraphQL: what comes back, what is refused, and that nothing is read more often than needed."""

from typing import Any

import pytest

from examples.surveyor.web import graphql
from examples.surveyor.web.problems import MEDIA_TYPE, Problem
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
    few = refused(ann.ask("{ surveys(first: 0) { nodes { title } } }"))
    assert (few["status"], [each["field"] for each in few["fields"]]) == (422, ["first"])
    for version in (0, -5):
        never = refused(ann.ask(UPDATE, id="s1", changes={"notes": "Hello"}, version=version))
        assert (never["status"], [each["field"] for each in never["fields"]]) == (422, ["expected_version"])
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


@pytest.mark.parametrize(
    "query",
    [
        "{" + " ".join(f"a{number}: surveys(first: 100) {{ nodes {{ title }} }}" for number in range(10)) + "}",
        "{" + " ".join(f'a{number}: survey(surveyId: "s{number}") {{ ...F }}' for number in range(1, 11)) + "}"
        " fragment F on Survey { sections { elements { defects { text } } } }",
        '{ survey(surveyId: "s1") {' + " ".join(f"a{number}: sections {{ sectionId }}" for number in range(10)) + "} }",
    ],
    ids=["lists", "trees", "one tree"],
)
def test_the_largest_questions_take_few_requests(ann: Person, query: str) -> None:
    for number in range(2, 60):
        ann.made("/surveys", {"survey_id": f"s{number}", "title": "x"})
    response = ann.ask(query)
    assert response.json()["data"]
    assert int(response.headers["Database-Requests"]) <= 31


def test_the_sections_of_a_list_are_not_asked_for(ann: Person) -> None:
    response = ann.ask("{ surveys(first: 100) { nodes { sections { sectionId } } } }")
    assert "sections" in response.json()["errors"][0]["message"]
    assert response.headers["Database-Requests"] == "0"


def test_a_tree_is_read_once_however_often_it_is_asked_for(ann: Person) -> None:
    response = ann.ask('{ survey(surveyId: "s1") { sections { name } again: sections { sectionId } } }')
    assert response.json()["data"]["survey"] == {"sections": [{"name": "Roof"}], "again": [{"sectionId": "roof"}]}
    assert response.headers["Database-Operations"] == "GetItem access, GetItem, Query"


def test_more_phrases_than_one_call_looks_up_are_refused(ann: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphql, "MOST_DEFECTS", 3)  # crack, damp, and the one that is gone
    assert "errors" not in ann.ask(WHOLE, id="s1").json()
    monkeypatch.setattr(graphql, "MOST_DEFECTS", 2)
    response = ann.ask(WHOLE, id="s1")
    assert {each["extensions"]["code"] for each in response.json()["errors"]} == {"REFUSED"}
    assert "BatchGetItem" not in response.headers["Database-Operations"]


@pytest.mark.parametrize(
    "body",
    [
        b"5",
        b"null",
        b'"x"',
        b"[]",
        b'[{"query": "{__typename}"}]',
        b"[" * 100_000,
        b"\xff",
        b'{"query":',
        b"{}",
        b'{"query": 5}',
        b'{"query": "{__typename}", "variables": [1]}',
        b'{"query": "{__typename}", "operationName": 5}',
        b'{"query": "{__typename}", "extensions": 3}',
        b'{"query": "\\ud800"}',
    ],
    ids=lambda body: body.decode("latin-1")[:40],
)
def test_a_body_that_asks_nothing_is_a_problem(ann: Person, service: Service, body: bytes) -> None:
    response = service.client.post("/graphql", headers=ann.headers | {"Content-Type": "application/json"}, content=body)
    assert (response.status_code, response.headers["Content-Type"]) == (422, MEDIA_TYPE)
    told = Problem.model_validate_json(response.content)
    assert told.code == "INVALID_REQUEST"
    assert all(each.field.split(".")[0] == "body" for each in told.fields)


def test_what_is_no_question_at_all_is_a_problem(ann: Person, service: Service) -> None:
    other = service.client.post("/graphql", headers=ann.headers | {"Content-Type": "text/plain"}, content=b"{}")
    unknown = ann.post("/graphql", {"query": "query A { __typename }", "operationName": "B"})
    for response in (other, unknown):
        assert (response.status_code, response.headers["Content-Type"]) == (400, MEDIA_TYPE)
        assert Problem.model_validate_json(response.content).code == "BAD_REQUEST"
