"""Roles over HTTP: owners share, editors change, viewers read, and to strangers a survey does not exist."""

from typing import Any

import pytest

from examples.surveyor.web.trying import Person, Service

ANY: dict[str, Any] = {"name": "Wall", "position": 2}
READS = ["", "/whole", "/parts", "/sections", "/sections/roof", "/people", "/snapshots"]
EDITS: list[tuple[str, str, Any]] = [
    ("PATCH", "", {"title": "New"}),
    ("POST", "/edits", {"survey": {"title": "New"}}),
    ("POST", "/status", {"status": "in_progress"}),
    ("POST", "/sections", ANY),
    ("PATCH", "/sections/roof", {"notes": "Leaks"}),
    ("POST", "/sections/roof/elements", ANY),
    ("POST", "/sections/roof/completion", None),
    ("DELETE", "/sections/roof/completion", None),
    ("POST", "/snapshots", None),
    ("DELETE", "/sections/roof", None),
]
OWNS: list[tuple[str, str, Any]] = [
    ("PUT", "/people/eve", {"role": "viewer"}),
    ("DELETE", "/people/eve", None),
    ("PUT", "/owner", {"owner": "bob"}),
    ("DELETE", "", None),
]


@pytest.fixture
def people(service: Service) -> dict[str, Person]:
    """Ann owns a survey, bob may edit it, cleo may see it, and dan has nothing to do with it."""
    found = {name: service.person(name) for name in ("ann", "bob", "cleo", "dan")}
    found["ann"].made("/surveys", {"survey_id": "s1", "title": "x", "editors": ["bob"], "viewers": ["cleo"]})
    found["ann"].made("/surveys/s1/sections", {"section_id": "roof", "name": "Roof", "position": 1})
    return found


def statuses(person: Person, requests: list[tuple[str, str, Any]]) -> dict[str, int]:
    return {
        f"{verb} {path}": person.send(verb, "/surveys/s1" + path, json=body).status_code
        for verb, path, body in requests
    }


def test_whoever_has_a_role_reads(people: dict[str, Person]) -> None:
    for name in ("ann", "bob", "cleo"):
        assert {path: people[name].get("/surveys/s1" + path).status_code for path in READS} == dict.fromkeys(READS, 200)


def test_to_strangers_it_does_not_exist(people: dict[str, Person]) -> None:
    dan = people["dan"]
    everything = [("GET", path, None) for path in READS] + EDITS + OWNS
    assert set(statuses(dan, everything).values()) == {404}
    assert dan.get("/surveys/s1").json() == dan.get("/surveys/s2").json()  # as if it were not there
    assert dan.get("/surveys").json()["items"] == []


def test_viewers_change_nothing(people: dict[str, Person]) -> None:
    before = people["ann"].get("/surveys/s1/whole").json()
    assert set(statuses(people["cleo"], EDITS + OWNS).values()) == {403}
    assert people["ann"].get("/surveys/s1/whole").json() == before
    assert people["cleo"].patch("/surveys/s1", {"title": "New"}).json()["code"] == "NOT_ALLOWED"


def test_editors_change_and_do_not_share(people: dict[str, Person]) -> None:
    assert set(statuses(people["bob"], OWNS).values()) == {403}
    assert set(statuses(people["bob"], EDITS).values()) <= {200, 201, 204}


def test_a_refusal_costs_no_write(people: dict[str, Person]) -> None:
    response = people["cleo"].patch("/surveys/s1", {"title": "New"})
    assert response.headers["Database-Write-Units"] == "0"
    assert response.headers["Database-Operations"] == "GetItem access"


def test_roles_are_given_and_taken(people: dict[str, Person]) -> None:
    ann, dan = people["ann"], people["dan"]
    assert ann.put("/surveys/s1/people/dan", {"role": "viewer"}).json()["viewers"] == ["cleo", "dan"]
    assert dan.get("/surveys/s1").status_code == 200
    assert ann.put("/surveys/s1/people/dan", {"role": "editor"}).json()["editors"] == ["bob", "dan"]
    assert dan.patch("/surveys/s1", {"title": "Dan's"}).status_code == 200
    listed = {each["user_id"]: each["role"] for each in ann.get("/surveys/s1/people").json()}
    assert listed == {"ann": "owner", "bob": "editor", "cleo": "viewer", "dan": "editor"}
    assert ann.delete("/surveys/s1/people/dan").status_code == 200
    assert ann.delete("/surveys/s1/people/dan").status_code == 404
    assert dan.get("/surveys/s1").status_code == 404
    assert ann.put("/surveys/s1/people/dan", {"role": "owner"}).status_code == 422
    assert ann.put("/surveys/s1/people/ann", {"role": "viewer"}).status_code == 403  # owners hand over instead


def test_a_survey_is_handed_over(people: dict[str, Person]) -> None:
    assert people["ann"].put("/surveys/s1/owner", {"owner": "dan"}).json()["owner"] == "dan"
    assert [each["role"] for each in people["dan"].get("/surveys").json()["items"]] == ["owner"]
    assert people["ann"].delete("/surveys/s1").status_code == 403
    assert people["ann"].patch("/surveys/s1", {"title": "Mine no more"}).status_code == 200


@pytest.mark.parametrize("path", ["/sync/queue", "/sync/changes", "/sync/log"])
def test_the_tenant_as_a_whole_is_for_managers(service: Service, people: dict[str, Person], path: str) -> None:
    assert people["ann"].get(path).status_code == 403
    assert service.person("boss", manager=True).get(path).status_code == 200


def test_other_tenants_are_for_the_operator(service: Service, people: dict[str, Person]) -> None:
    for somebody in (people["ann"], service.person("boss", manager=True)):
        assert somebody.get("/operator/surveys").status_code == 403
        assert somebody.post("/operator/tenants", {"tenant_id": "new", "name": "New"}).status_code == 403
    assert service.person("ops", tenant_id="us", operator=True).get("/operator/surveys").status_code == 200
