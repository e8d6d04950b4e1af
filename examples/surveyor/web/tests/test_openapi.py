"""The description of the service is whole, and the service does what it says: schemathesis draws requests from it."""

import json
import re
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import CHECKS

from examples.surveyor.store import Surveyor
from examples.surveyor.web.app import create_app
from examples.surveyor.web.settings import Settings
from examples.surveyor.web.trying import Service

DESCRIBED: dict[str, Any] = create_app(Settings()).openapi()
OPERATIONS = {
    f"{verb.upper()} {path}": told for path, verbs in DESCRIBED["paths"].items() for verb, told in verbs.items()
}
PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
KNOWN = {
    "survey_id": "s1",
    "section_id": "roof",
    "element_id": "tiles",
    "component_id": "ridge",
    "user_id": "bob",
    "kind": "Defect",
    "phrase_id": "crack",
    "document_id": "d1",
    "image_id": "i1",
    "number": 1,
}

# ---------------------------------------------------------------------------------------------------- the description


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_is_described(name: str) -> None:
    told = OPERATIONS[name]
    assert told["summary"]
    assert told["description"].endswith(".")
    assert told["tags"]
    assert [each["name"] for each in told.get("parameters", []) if not each.get("description")] == []
    statuses = {status for status in told["responses"] if int(status) >= 400}
    assert {status: told["responses"][status]["content"] for status in statuses} == dict.fromkeys(statuses, PROBLEM)
    if name != "GET /health":
        assert told["security"] == [{"token": []}]
        assert "401" in statuses
    assert {"422", "500", "503"} <= statuses


def test_operations_have_names_of_their_own() -> None:
    names = [told["operationId"] for told in OPERATIONS.values()]
    assert len(set(names)) == len(names) > 50


def test_no_url_names_a_tenant() -> None:
    named = [name for name, told in OPERATIONS.items() if "tenant" in name or "tenant" in str(told.get("parameters"))]
    assert named == ["POST /operator/tenants", "GET /operator/surveys"]
    sent = [
        name
        for name, schema in DESCRIBED["components"]["schemas"].items()
        if "tenant_id" in schema.get("properties", {})
    ]
    assert sorted(sent) == ["Caller", "NewTenant", "TenantShown", "TenantSurvey"]


def test_every_model_is_described() -> None:
    schemas = DESCRIBED["components"]["schemas"]
    assert {"Problem", "FieldProblem"} <= schemas.keys()
    assert [name for name, schema in schemas.items() if not schema.get("description")] == []


@pytest.mark.parametrize(
    "of", ["Element", "Component", "Section", "Survey", "LibrarySection", "LibraryComponent", "Phrase"]
)
def test_what_is_shown_has_the_bounds_of_what_is_sent(of: str) -> None:
    schemas = DESCRIBED["components"]["schemas"]
    sent, shown = (schemas[name]["properties"] for name in (f"New{of}", f"{of}Shown"))
    told = ("type", "anyOf", "items", "maxLength", "minLength", "maxItems", "maxProperties", "propertyNames", "enum")
    for field in (sent.keys() & shown.keys()) - {f"{of.lower().removeprefix('library')}_id"}:
        first, second = ({rule: each[field].get(rule) for rule in told} for each in (sent, shown))
        assert first == second, field


def test_maps_of_texts_have_bounds_everywhere() -> None:
    for name, field in (
        ("NewElement", "measurements"),
        ("ElementShown", "measurements"),
        ("ComponentShown", "specifications"),
    ):
        told = DESCRIBED["components"]["schemas"][name]["properties"][field]
        assert (told["maxProperties"], told["propertyNames"]) == (50, {"maxLength": 100, "minLength": 1})
        assert told["additionalProperties"]["maxLength"] == 200


# ------------------------------------------------------------------------------------------------------- schemathesis

EVERY_DAY = {
    "GET /surveys",
    "POST /surveys",
    "GET /surveys/{survey_id}/whole",
    "POST /surveys/{survey_id}/edits",
    "PATCH /surveys/{survey_id}/sections/{section_id}",
    "POST /surveys/{survey_id}/sections/{section_id}/elements",
    "PUT /surveys/{survey_id}/people/{user_id}",
    "GET /phrases/{kind}",
    "PUT /documents/{document_id}",
    "GET /sync/changes",
    "POST /operator/tenants",
}
"""The others are tried in the full run."""


def beyond_schemas(response: Any) -> bool:
    """Whether a request was refused for what no schema can say: a cursor that was made up, two roles of one person, a change of
    nothing, or a text of which nothing is left without its control characters."""
    if response.status_code not in (400, 422):
        return False
    told = response.json()
    return told["code"] in ("CURSOR", "REFUSED") or {each["rule"] for each in told["fields"]} == {"too_short"}


def shortened(case: Case[Any]) -> bool:
    """Whether something was sent that is shorter when it is stored, because control characters are dropped: it may then fit."""
    return re.search(r"\\u00[01][0-9a-f]|\\u007f|\\[btnfr]", json.dumps(case.body, default=str)) is not None


def unsent(case: Case[Any]) -> bool:
    """Whether a parameter was made up that an HTTP client does not send, since it holds nothing."""
    return any(value is None or value in ([], {}) for value in (case.query or {}).values())


@pytest.fixture(scope="module")
def schema() -> Any:
    return schemathesis.openapi.from_dict(DESCRIBED)


@pytest.mark.parametrize(
    "name", [name if name in EVERY_DAY else pytest.param(name, marks=pytest.mark.full) for name in OPERATIONS]
)
def test_the_service_does_what_it_says(name: str, service: Service, schema: Any) -> None:
    verb, path = name.split()
    operation = schema[path][verb]
    boss = service.person("boss", manager=True, operator=True)
    store = Surveyor(service.db, "acme")
    store.create_survey("x", "boss", survey_id="s1", viewers=["bob"])
    store.add_section("s1", "Roof", 1, section_id="roof")
    store.add_element("s1", "roof", "Tiles", 1, element_id="tiles")
    store.add_component("s1", "roof", "tiles", "Ridge", 1, component_id="ridge")
    store.add_phrase("Defect", "Crack", "Cracked.", phrase_id="crack")
    store.add_image("a.jpg", image_id="i1")
    store.save_document("Report", "a.pdf", document_id="d1")
    modes = [GenerationMode.POSITIVE] + [GenerationMode.NEGATIVE] * bool(
        operation.path_parameters or operation.query or operation.body
    )

    @settings(
        max_examples=settings().max_examples // 50,
        suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.data_too_large],
    )
    @given(st.one_of([operation.as_strategy(generation_mode=mode) for mode in modes]), st.booleans())
    def tried(case: Case[Any], known: bool) -> None:
        if known and case.meta is not None and case.meta.generation.mode is GenerationMode.POSITIVE:
            case.path_parameters.update({part: KNOWN[part] for part in case.path_parameters if part in KNOWN})
        response = case.call(base_url=service.url, headers=boss.headers)
        left_out = ["positive_data_acceptance"] * beyond_schemas(response) + ["negative_data_rejection"] * (
            shortened(case) or unsent(case)
        )
        without: Any = CHECKS.get_by_names(left_out) if left_out else []
        case.validate_response(response, headers=boss.headers, excluded_checks=without)

    tried()
