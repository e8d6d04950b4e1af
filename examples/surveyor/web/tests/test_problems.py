"""What goes wrong has one form, says what to do, and tells nothing that it should not."""

import json
import logging
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from examples.surveyor.model import surveyor
from examples.surveyor.store import Surveyor
from examples.surveyor.surveys import Survey
from examples.surveyor.web.problems import MEDIA_TYPE, STATUS, Problem, problem_of
from examples.surveyor.web.settings import Settings
from examples.surveyor.web.trying import Person, Service, running
from examples.surveyor.web.words import NAMES, SAYINGS
from tablewright import RetryPolicy
from tablewright.engine import open_engine
from tablewright.errors import FieldTypeError, TablewrightError
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
        ({"title": "x", "survey_date": 1395513404}, "body.survey_date", "value_error"),
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
        assert (told.code, told.hint) == ("CURSOR", "Start again from the first page, without a cursor.")


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


def test_an_id_that_is_taken_tells_no_more_than_that(service: Service, ann: Person) -> None:
    ann.made("/surveys", {"survey_id": "s1", "title": "Secret"})
    told = [each.post("/surveys", {"survey_id": "s1", "title": "x"}) for each in (ann, service.person("dan"))]
    assert problem(told[0], 409) == problem(told[1], 409)
    assert "Secret" not in told[1].text
    assert service.person("dan", tenant_id="other").made("/surveys", {"survey_id": "s1", "title": "x"})


def test_a_stale_version_is_a_conflict(ann: Person) -> None:
    ann.made("/surveys", {"survey_id": "s1", "title": "x"})
    assert ann.patch("/surveys/s1", {"title": "y"}, expected_version=1).json()["version"] == 2
    for late in (
        ann.patch("/surveys/s1", {"title": "z"}, expected_version=1),
        ann.post("/surveys/s1/status", {"status": "completed"}, expected_version=1),
        ann.delete("/surveys/s1", expected_version=1),
    ):
        told = problem(late, 409)
        assert (told.code, told.version) == ("CONCURRENT_MODIFICATION", 2)
    assert ann.delete("/surveys/s1", expected_version=2).status_code == 204


def test_every_part_is_removed_in_the_version_that_was_seen(service: Service, ann: Person) -> None:
    ann.made("/surveys", {"survey_id": "s1", "title": "x"})
    boss = service.person("mona", manager=True)
    boss.made("/phrases/Defect", {"phrase_id": "crack", "name": "Crack", "text": "Cracked."})
    places = ["/phrases/Defect/crack"]
    parent = "/surveys/s1"
    for kind in ("section", "element", "component"):
        parent += f"/{kind}s"
        ann.made(parent, {f"{kind}_id": "it", "name": "It", "position": 1})
        parent += "/it"
        places.append(parent)
    for place in reversed(places):  # from the leaves up
        somebody = boss if place == places[0] else ann
        seen = somebody.patch(place, {"name": "Other"}).json()["version"]
        told = problem(somebody.delete(place, expected_version=seen - 1), 409)
        assert (told.code, told.version) == ("CONCURRENT_MODIFICATION", seen)
        assert somebody.delete(place, expected_version=seen).status_code == 204


def test_a_change_of_nothing_is_refused(service: Service, ann: Person) -> None:
    ann.made("/surveys", {"survey_id": "s1", "title": "x"})
    ann.made("/surveys/s1/sections", {"section_id": "roof", "name": "Roof", "position": 1})
    before = ann.get("/surveys/s1/whole").json()
    empty = {"section_id": "roof", "changes": {}}
    for response in (
        ann.patch("/surveys/s1", {}),
        ann.patch("/surveys/s1/sections/roof", {}),
        ann.post("/surveys/s1/edits", {}),
        ann.post("/surveys/s1/edits", {"survey": {"title": "y"}, "sections": [empty]}),
        service.person("mona", manager=True).patch("/phrases/Defect/crack", {}),
    ):
        assert problem(response, 422).code == "REFUSED"
        assert response.headers["Database-Write-Units"] == "0"
    asked = 'mutation { updateSection(surveyId: "s1", sectionId: "roof", changes: {}) { version } }'
    assert ann.ask(asked).json()["errors"][0]["extensions"]["code"] == "REFUSED"
    assert ann.get("/surveys/s1/whole").json() == before


def test_parameters_that_there_are_not_are_refused(ann: Person) -> None:
    ann.made("/surveys", {"survey_id": "s1", "title": "x"})
    for method, path, body in (
        ("GET", "/surveys", None),
        ("PATCH", "/surveys/s1", {"title": "y"}),
        ("DELETE", "/surveys/s1", None),
        ("PUT", "/surveys/s1/people/bob", {"role": "viewer"}),
        ("POST", "/graphql", {"query": "{ __typename }"}),
        ("GET", "/health", None),
    ):
        told = problem(ann.send(method, path, json=body, params={"expectedVersion": 1}), 422)
        assert [(each.field, each.rule) for each in told.fields] == [("query.expectedVersion", "extra_forbidden")]
    assert ann.get("/surveys/s1").json()["version"] == 1


def test_versions_in_headers_are_refused_and_not_ignored(service: Service, ann: Person) -> None:
    ann.made("/surveys", {"survey_id": "s1", "title": "x"})
    response = service.client.patch("/surveys/s1", json={"title": "y"}, headers=ann.headers | {"If-Match": '"9"'})
    (told,) = problem(response, 422).fields
    assert (told.field, told.rule) == ("header.if-match", "not_supported")
    assert "expected_version" in told.message
    assert ann.get("/surveys/s1").json()["title"] == "x"


def test_problems_are_told_in_the_words_of_the_service(ann: Person) -> None:
    ann.made("/surveys", {"survey_id": "s1", "title": "x"})
    ann.made("/surveys/s1/sections", {"section_id": "roof", "name": "Roof", "position": 1})
    roof = "/surveys/s1/sections/roof"
    twice = {"section_id": "roof", "changes": {"notes": "x"}}
    ann.post("/surveys/s1/edits", {"mutation_id": 1})
    told = [
        problem(ann.post("/surveys/s1/sections", {"section_id": "roof", "name": "Roof", "position": 1}), 409),
        problem(ann.patch(roof, {"notes": "x"}, expected_version=7), 409),
        problem(ann.post(f"{roof}/completion", expected_version=7), 409),
        problem(ann.delete(f"{roof}/completion"), 409),
        problem(ann.post("/surveys/s1/status", {"status": "published"}), 409),
        problem(ann.post("/surveys/s1/edits", {"mutation_id": 1}), 409),
        problem(ann.post("/surveys/s1/edits", {"sections": [twice, twice]}), 422),
        problem(ann.patch("/surveys/s1/sections/walls", {"notes": "x"}), 404),
        problem(ann.delete("/surveys/s1/people/bob"), 404),
        problem(ann.get("/surveys", cursor="made up"), 400),
        problem(ann.put("/documents/d1", {"title": "x", "path": "y"}, expected_number=3), 409),
        problem(ann.get("/images/i1"), 404),
    ]
    for each in told:
        for text in (each.detail, each.hint or ""):
            assert not re.search(r"\(\)|attribute_|=|…|Survey[A-Z]|Access|tenant_id|[Tt]ransaction|DynamoDB", text), (
                text
            )
            assert "thing." not in each.detail


def test_every_error_that_is_blamed_on_a_client_has_words() -> None:
    def kinds(error: type[TablewrightError]) -> Iterator[type[TablewrightError]]:
        yield error
        for kind in error.__subclasses__():
            yield from kinds(kind)

    assert {each.code for kind in STATUS for each in kinds(kind)} - SAYINGS.keys() <= {"UNIQUE_VIOLATION"}
    behind = {"PhraseUse", "ConfigSection", "ConfigPhrases", "SyncItem", "TempData"}  # no request names one of these
    assert {entity.__name__ for entity in surveyor.entities.values()} - behind == set(NAMES)


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
        assert (told.code, told.hint) == (
            "THROTTLED",
            "Try again in a moment; after a change, read first whether it was made.",
        )
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


@pytest.mark.parametrize("fault", [Throttle, LostReply], ids=["refused", "answer lost"])
def test_a_removal_that_failed_is_sent_again(
    service: Service, ann: Person, faults: Faults, fault: type[Throttle] | type[LostReply]
) -> None:
    def build(survey_id: str) -> str:
        ann.made("/surveys", {"survey_id": survey_id, "title": "x", "editors": ["bob"]})
        path = f"/surveys/{survey_id}"
        ann.made(f"{path}/sections", {"section_id": "roof", "name": "Roof", "position": 1})
        ann.made(f"{path}/sections/roof/elements", {"name": "Tiles", "position": 1})
        ann.post(f"{path}/snapshots")
        return path

    requests = int(ann.delete(build("whole")).headers["Database-Requests"])
    assert requests > 6
    for number in range(1, requests + 1):
        path = build(f"s{number}")
        with faults.inject(fault(nth=number)):
            assert ann.delete(path).status_code >= 500
        if ann.get(path).status_code == 200:
            assert [each["survey_id"] for each in ann.get("/surveys").json()["items"]] == [f"s{number}"]
            assert ann.delete(path).status_code == 204
        problem(ann.get(path), 404)
        assert ann.get("/surveys").json()["items"] == []
        assert build(f"s{number}") == path  # nothing of it is in the way of another one
        assert ann.delete(path).status_code == 204


def test_a_field_that_the_table_refuses_is_named() -> None:
    told = problem_of(FieldTypeError("No map has such a name.", field="measurements"))
    assert [(each.field, each.rule) for each in told.fields] == [("body.measurements", "field_type")]


def test_errors_of_the_program_tell_nothing(caplog: pytest.LogCaptureFixture) -> None:
    told = problem_of(RuntimeError("the password is hunter2"))
    assert (told.status, told.code) == (500, "INTERNAL_ERROR")
    assert "hunter2" not in json.dumps(told.model_dump())


def test_errors_of_the_program_are_measured_too(
    ann: Person, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(store: Surveyor, survey_id: str) -> Survey:
        raise RuntimeError("the password is hunter2")

    ann.made("/surveys", {"survey_id": "s1", "title": "x"})
    monkeypatch.setattr(Surveyor, "survey", broken)
    with caplog.at_level(logging.ERROR):
        response = ann.get("/surveys/s1")
    assert problem(response, 500).code == "INTERNAL_ERROR"
    assert response.headers["Database-Operations"] == "GetItem access"
    assert "hunter2" not in response.text


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
