"""What goes wrong has one form, says what to do, and tells nothing that it should not."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from examples.surveyor.model import surveyor
from examples.surveyor.web.problems import MEDIA_TYPE, STATUS, Problem, problem_of
from examples.surveyor.web.settings import Settings
from examples.surveyor.web.trying import Person, Service, running
from tablewright import RetryPolicy
from tablewright.engine import open_engine
from tablewright.errors import TablewrightError
from tablewright.testing import Faults, LostReply, Throttle

SECRET = 40 * b"s"


@pytest.fixture
def ann(service: Service) -> Person:
    return service.person("ann")


def problem(response: httpx.Response, status: int) -> Problem:
    """The problem that a response tells, which must have this status."""
    assert response.status_code == status, response.text
    assert response.headers["Content-Type"] == MEDIA_TYPE
    found = Problem.model_validate_json(response.content)
    assert found.status == status
    return found


# ------------------------------------------------------------------------------------------------------ who is calling


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer nonsense"},
        {"Authorization": "Basic YW5uOmFubg=="},
        {"Authorization": "Bearer"},
        {"X-Tenant": "acme", "X-User": "ann"},
    ],
    ids=["none", "nonsense", "basic", "empty", "other headers"],
)
def test_without_a_valid_token_there_is_nothing(service: Service, headers: dict[str, str]) -> None:
    for path in ("/surveys", "/surveys/s1", "/me", "/sync/changes", "/operator/surveys"):
        response = service.client.get(path, headers=headers)
        assert problem(response, 401).detail == "A valid bearer token is needed."
        assert response.headers["WWW-Authenticate"] == "Bearer"
        assert response.headers["Database-Requests"] == "0"
    assert service.client.post("/graphql", headers=headers, json={"query": "{__typename}"}).status_code == 401


def test_a_token_of_another_service_is_refused(service: Service, ann: Person) -> None:
    token = ann.headers["Authorization"]
    head, payload, signature = token.split(".")
    for forged in (f"{head}.{payload}.{signature[:-2]}AA", f"{head}.{payload}.", f"{head}..{signature}"):
        problem(service.client.get("/surveys", headers={"Authorization": forged}), 401)


def test_the_caller_is_whom_the_token_names(ann: Person) -> None:
    assert ann.get("/me").json() == {"tenant_id": "acme", "user_id": "ann", "manager": False, "operator": False}


# ------------------------------------------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("body", "field", "rule"),
    [
        ({}, "body.title", "missing"),
        ({"title": ""}, "body.title", "too_short"),
        ({"title": 201 * "x"}, "body.title", "too_long"),
        ({"title": 5}, "body.title", "string_type"),
        ({"title": "x", "tenant_id": "other"}, "body.tenant_id", "extra_forbidden"),
        ({"title": "x", "owner": "bob"}, "body.owner", "extra_forbidden"),
        ({"title": "x", "survey_id": "a#b"}, "body.survey_id", "string_pattern_mismatch"),
        ({"title": "x", "survey_id": ".."}, "body.survey_id", "string_pattern_mismatch"),
        ({"title": "x", "editors": 20 * ["bob"]}, "body.editors", "too_long"),
        ({"title": "\x00\x07"}, "body.title", "too_short"),
    ],
    ids=lambda given: given if isinstance(given, str) else None,
)
def test_input_is_refused_by_field(ann: Person, body: dict[str, Any], field: str, rule: str) -> None:
    told = problem(ann.post("/surveys", body), 422)
    assert (told.code, [(each.field, each.rule) for each in told.fields]) == ("INVALID_REQUEST", [(field, rule)])


@pytest.mark.parametrize("people", [{"editors": ["bob"], "viewers": ["bob"]}, {"viewers": ["ann"]}], ids=["bob", "ann"])
def test_somebody_with_two_roles_is_refused(ann: Person, people: dict[str, list[str]]) -> None:
    told = problem(ann.post("/surveys", {"title": "x", **people}), 422)
    assert (told.code, told.detail) == ("REFUSED", "Everybody has one role in a survey, and somebody was given two.")
    assert ann.get("/surveys").json()["items"] == []


def test_what_was_sent_is_not_sent_back(ann: Person) -> None:
    response = ann.post("/surveys", {"title": "x", "survey_id": "s1", "password": "hunter2"})
    assert problem(response, 422).fields[0].field == "body.password"
    assert "hunter2" not in response.text


def test_text_that_is_no_json_is_refused(service: Service, ann: Person) -> None:
    for content in (b"{", b"\xff\xfe", b'{"title": "\\ud800"}', b"[]", b""):
        response = service.client.post(
            "/surveys", headers=ann.headers | {"Content-Type": "application/json"}, content=content
        )
        assert response.status_code in (400, 422), content
        assert response.headers["Content-Type"] == MEDIA_TYPE


@pytest.mark.parametrize(
    ("path", "parameters", "status", "code"),
    [
        ("/surveys", {"limit": 0}, 422, "INVALID_REQUEST"),
        ("/surveys", {"limit": 101}, 422, "INVALID_REQUEST"),
        ("/surveys", {"cursor": "made up"}, 400, "CURSOR"),
        ("/surveys/s1", {}, 404, "NOT_FOUND"),
        ("/surveys/a%23b", {}, 422, "INVALID_REQUEST"),
        ("/surveys/" + 37 * "x", {}, 422, "INVALID_REQUEST"),
        ("/nowhere", {}, 404, "NOT_FOUND"),
    ],
)
def test_reads_are_refused(ann: Person, path: str, parameters: dict[str, Any], status: int, code: str) -> None:
    assert problem(ann.get(path, **parameters), status).code == code


def test_a_cursor_is_good_for_its_own_list_only(service: Service, ann: Person) -> None:
    for number in range(3):
        ann.made("/surveys", {"survey_id": f"s{number}", "title": "x"})
    cursor = ann.get("/surveys", limit=1).json()["next"]
    other = service.person("ann", tenant_id="other")
    assert ann.get("/surveys", limit=1, cursor=cursor).status_code == 200
    for somebody, path in ((service.person("bob"), "/surveys"), (other, "/surveys"), (ann, "/surveys/s1/sections")):
        told = problem(somebody.get(path, cursor=cursor), 400)
        assert (told.code, told.hint) == ("CURSOR", "Start again from the first page.")


def test_a_method_that_there_is_not(ann: Person) -> None:
    response = ann.put("/surveys", {})
    assert problem(response, 405).code == "METHOD_NOT_ALLOWED"
    assert "GET" in response.headers["Allow"] or "POST" in response.headers["Allow"]


# ---------------------------------------------------------------------------------------------------------- conflicts


def test_what_is_there_is_not_made_again(ann: Person) -> None:
    ann.made("/surveys", {"survey_id": "s1", "title": "x"})
    told = problem(ann.post("/surveys", {"survey_id": "s1", "title": "y"}), 409)
    assert told.code == "ALREADY_EXISTS"
    assert ann.get("/surveys/s1").json()["title"] == "x"


def test_a_stale_version_is_a_conflict(ann: Person) -> None:
    ann.made("/surveys", {"survey_id": "s1", "title": "x"})
    assert ann.patch("/surveys/s1", {"title": "y"}, expected_version=1).json()["version"] == 2
    told = problem(ann.patch("/surveys/s1", {"title": "z"}, expected_version=1), 409)
    assert told.code == "CONCURRENT_MODIFICATION"


def test_parts_of_nothing(ann: Person) -> None:
    ann.made("/surveys", {"survey_id": "s1", "title": "x"})
    new = {"name": "Tiles", "position": 1}
    problem(ann.post("/surveys/s1/sections/roof/elements", new), 404)
    problem(ann.patch("/surveys/s1/sections/roof", {"name": "Roof"}), 404)
    problem(ann.delete("/surveys/s1/sections/roof"), 404)
    problem(ann.post("/surveys/s1/sections/roof/completion"), 404)
    assert ann.get("/surveys/s1").json()["section_count"] == 0


# ------------------------------------------------------------------------------------------- when the database fails


@pytest.fixture
def faults(service: Service) -> Iterator[Faults]:
    """Faults of the engine behind the service, which is never asked twice."""
    with open_engine("memory:") as engine, surveyor.open(engine, retry=RetryPolicy(max_retries=0)) as db:
        before, service.app.state.db = service.app.state.db, db
        yield engine.faults
        service.app.state.db = before


def test_a_database_that_is_busy(service: Service, ann: Person, faults: Faults) -> None:
    assert service.client.get("/health").json() == {"status": "ok"}
    with faults.inject(Throttle(every=1)):
        told = problem(service.client.get("/health"), 503)
        assert (told.code, told.hint) == ("THROTTLED", "Try again in a moment.")
        problem(ann.get("/surveys"), 503)
        response = ann.get("/surveys/s1")
        assert response.headers["Database-Operations"] == "GetItem access THROTTLED"


def test_a_reply_that_is_lost(ann: Person, faults: Faults, caplog: pytest.LogCaptureFixture) -> None:
    ann.made("/images", {"image_id": "i1", "image_path": "a.jpg"})
    with faults.inject(LostReply(operations="UpdateItem")), caplog.at_level(logging.ERROR):
        told = problem(ann.patch("/images/i1", {"caption": "The roof"}), 500)
    assert told.code == "OUTCOME_UNKNOWN"
    assert told.hint == "Read it again, and see whether it was written."
    assert "PATCH /images/i1: OUTCOME_UNKNOWN" in caplog.text
    assert ann.get("/images/i1").json()["caption"] == "The roof"


def test_errors_of_the_program_tell_nothing(caplog: pytest.LogCaptureFixture) -> None:
    told = problem_of(RuntimeError("the password is hunter2"))
    assert (told.status, told.code) == (500, "INTERNAL_ERROR")
    assert "hunter2" not in json.dumps(told.model_dump())


def test_errors_that_no_request_can_cause_are_not_blamed_on_the_client() -> None:
    def kinds(error: type[TablewrightError]) -> Iterator[type[TablewrightError]]:
        for kind in error.__subclasses__():
            yield kind
            yield from kinds(kind)

    blamed = {kind.code for kind in kinds(TablewrightError) if issubclass(kind, tuple(STATUS))}
    assert not blamed & {
        "ARGUMENT",
        "UNKNOWN_FIELD",
        "MODEL_ERROR",
        "PATTERN_ERROR",
        "DECODE",
        "STORAGE",
        "SERVICE_ERROR",
    }


# ------------------------------------------------------------------------------------------------- outside debug mode


def test_only_in_debug_mode_is_the_database_told_of(service: Service) -> None:
    with running(Settings(secret=SECRET)) as plain:
        for each, told in ((plain, False), (service, True)):
            ann = each.person("ann")
            for response in (ann.get("/surveys"), ann.get("/surveys/s1"), ann.ask("{ surveys { nodes { title } } }")):
                assert any(name.lower().startswith("database") for name in response.headers) is told
        page = {"Accept": "text/html"}
        assert plain.client.get("/graphql", headers=plain.person("ann").headers | page).status_code != 200
