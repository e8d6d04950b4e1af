"""Two tenants see nothing of each other, whatever they are called, on any route and by GraphQL."""

import json
import re
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from examples.surveyor.store import connect
from examples.surveyor.web.trying import Person, Service

MARK = "only-for-its-tenant"
_signs = st.sampled_from(
    [*"ab#%$~.-_/\\ \0\n\x1f\x7f", "%23", "%2523", "#SURVEY", "#USER#ann", "TENANT", "é", "\U0001f600", "\uffff"]
)
hostile = st.lists(_signs, min_size=1, max_size=4).map("".join).map(lambda text: text[:36])

ASKED = '{ survey(surveyId: "s1") { title sections { name elements { defects { text } } } } }'
LISTED = "query ($after: String) { surveys(first: 1, after: $after) { nodes { title } pageInfo { endCursor } } }"
CHANGED = 'mutation { updateSection(surveyId: "s1", sectionId: "roof", changes: {notes: "Taken"}) { name notes } }'

BODIES: dict[tuple[str, str], Any] = {
    ("post", "/surveys/{survey_id}/edits"): {"survey": {"title": "Taken"}},
    ("post", "/surveys/{survey_id}/status"): {"status": "in_progress"},
    ("patch", "/surveys/{survey_id}"): {"title": "Taken"},
    ("put", "/surveys/{survey_id}/people/{user_id}"): {"role": "editor"},
    ("put", "/surveys/{survey_id}/owner"): {"owner": "eve"},
    ("put", "/documents/{document_id}"): {"title": "Taken", "path": "taken.pdf"},
    ("patch", "/images/{image_id}"): {"caption": "Taken"},
    ("post", "/surveys"): {"survey_id": "s1", "title": "Mine"},
    ("post", "/images"): {"image_id": "i1", "image_path": "mine.jpg"},
    ("post", "/documents"): {"title": "Mine", "path": "mine.pdf"},
    ("post", "/library/sections"): {"section_id": "roof", "name": "Mine", "position": 1},
    ("post", "/library/elements"): {"element_id": "tiles", "section_id": "roof", "name": "Mine", "position": 1},
    ("post", "/library/components"): {"component_id": "ridge", "element_id": "tiles", "name": "Mine"},
    ("post", "/phrases/{kind}"): {"phrase_id": "crack", "name": "Mine", "text": "Mine"},
    ("patch", "/phrases/{kind}/{phrase_id}"): {"text": "Taken"},
}
"""What is sent to routes that take a body; to those of parts, a name and a position."""
IDS = {
    "survey_id": "s1",
    "section_id": "roof",
    "element_id": "tiles",
    "component_id": "ridge",
    "user_id": "ann",
    "kind": "Defect",
    "phrase_id": "crack",
    "document_id": "d1",
    "image_id": "i1",
    "number": "1",
}


def fill(boss: Person) -> dict[str, str]:
    """Makes some of everything; returns a path of each list with a cursor into it."""
    note = {"position": 1, "name": MARK}
    boss.made("/surveys", {"survey_id": "s1", "title": MARK, "viewers": ["zoe"]})
    boss.made("/surveys", {"survey_id": "s2", "title": MARK})
    boss.made("/surveys/s1/sections", {"section_id": "roof", **note})
    boss.made("/surveys/s1/sections", {"section_id": "walls", **note})
    boss.made("/surveys/s1/sections/roof/elements", {"element_id": "tiles", **note, "defects": ["crack"]})
    boss.made("/surveys/s1/sections/roof/elements/tiles/components", {"component_id": "ridge", **note})
    boss.made("/library/sections", {"section_id": "roof", **note})
    boss.made("/library/elements", {"element_id": "tiles", "section_id": "roof", **note})
    boss.made("/library/components", {"component_id": "ridge", "element_id": "tiles", **note})
    phrase = {"name": MARK, "text": MARK, "element_ids": ["tiles"], "component_ids": ["ridge"]}
    boss.made("/phrases/Defect", {"phrase_id": "crack", **phrase})
    boss.made("/phrases/Defect", {"phrase_id": "damp", **phrase})
    boss.made("/surveys/s1/snapshots", None)
    for number in (1, 2):
        boss.made("/images", {"image_id": f"i{number}", "image_path": MARK})
        assert boss.put("/documents/d1", {"title": MARK, "path": f"{number}"}).status_code == 200
    lists = [
        "/surveys",
        "/surveys/s1/sections",
        "/phrases/Defect",
        "/images",
        "/documents/d1/versions",
        "/sync/queue",
        "/sync/changes",
    ]
    return {path: boss.get(path, limit=1).json()["next"] for path in lists}


def everything(boss: Person) -> str:
    """All that a tenant has, as it is shown to its manager."""
    paths = [
        "/surveys",
        "/surveys/s1/whole",
        "/surveys/s1/people",
        "/library",
        "/phrases/Defect",
        "/images",
        "/documents/d1/versions",
    ]
    return json.dumps([boss.get(path).json() for path in [*paths, "/sync/queue", "/sync/log"]])


@settings(
    max_examples=settings().max_examples // 50,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(hostile, hostile)
@example("a", "a#SURVEY#s1")
@example("a", "a%23")
@example("a#USER#ann", "a")
def test_tenants_get_nothing_of_each_other(service: Service, one: str, other: str) -> None:
    if one == other:
        other = f"{one[:30]}-2"
    before = service.app.state.db
    with connect("memory:", cursor_keys=[b"sixteen bytes or more"]) as db:
        service.app.state.db = db
        try:
            owner = service.person("ann", tenant_id=one, manager=True)
            cursors = fill(owner)
            held = everything(owner)
            assert MARK in held
            stranger = service.person("ann", tenant_id=other, manager=True)
            for path, cursor in cursors.items():
                assert stranger.get(path, cursor=cursor).status_code in (400, 404), path
            cursor = owner.ask(LISTED).json()["data"]["surveys"]["pageInfo"]["endCursor"]
            assert cursor is not None
            assert stranger.ask(LISTED).json()["data"]["surveys"]["nodes"] == []
            answer = stranger.ask(LISTED, after=cursor)
            assert [each["extensions"]["status"] for each in answer.json()["errors"]] == [400]
            for words in (ASKED, CHANGED):  # before the routes, by which the stranger gets a survey with this id
                answer = stranger.ask(words)
                assert MARK not in answer.text, words
                assert [each["extensions"]["status"] for each in answer.json()["errors"]] == [404], words
            for verb, path in routes(service):
                answer = stranger.send(verb, address(path), json=body(verb, path))
                assert MARK not in answer.text, (verb, path)
                assert answer.status_code < 500, (verb, path, answer.text)
                assert (answer.status_code < 300) is may_do(verb, path), (verb, path, answer.text)
            answer = stranger.ask(ASKED)
            assert MARK not in answer.text
            assert "Mine" in answer.text
            assert everything(owner) == held
        finally:
            service.app.state.db = before


def routes(service: Service) -> list[tuple[str, str]]:
    """All routes that know tenants. What makes something comes last, so that all others look for what is not theirs."""
    order = {"get": 0, "patch": 1, "put": 2, "delete": 3, "post": 4}
    found = [(verb, path) for path, verbs in service.app.openapi()["paths"].items() for verb in verbs]
    found = [(verb, path) for verb, path in found if not path.startswith(("/operator", "/health", "/me"))]
    assert len(found) > 50
    return sorted(found, key=lambda each: (order[each[0]], "{survey_id}" not in each[1], each[1]))


def address(path: str) -> str:
    """A path with the other tenant's ids in it."""
    ids = {**IDS, "taken_at": "2026-01-01T00:00:00Z"}
    return re.sub(r"\{(\w+)\}", lambda part: ids[part[1]], path)


def body(verb: str, path: str) -> Any:
    """What a route is sent."""
    if verb in ("get", "delete"):
        return None
    return BODIES.get((verb, path), {"name": "Taken", **({"position": 1} if verb == "post" else {})})


def may_do(verb: str, path: str) -> bool:
    """Whether a route is about what anybody has, if only an empty list, or makes something new."""
    lists = {"/surveys", "/library", "/phrases/{kind}", "/images", "/documents/{document_id}/versions"}
    lists |= {"/library/elements/{element_id}/phrases", "/library/components/{component_id}/phrases"}
    lists |= {"/sync/queue", "/sync/changes", "/sync/log"}
    makes = {path for verb, path in BODIES if verb == "post" and not path.startswith("/surveys/")}
    saves = {("put", "/documents/{document_id}"), ("delete", "/documents/{document_id}")}
    return (verb == "get" and path in lists) or (verb == "post" and path in makes) or (verb, path) in saves
