"""Surveys over HTTP: what comes back, and what each call asks of the database."""

from typing import Any

import pytest

from examples.surveyor.web.trying import Person, Service


@pytest.fixture
def ann(service: Service) -> Person:
    return service.person("ann")


def made_survey(ann: Person, survey_id: str = "s1", **more: Any) -> dict[str, Any]:
    return ann.made("/surveys", {"survey_id": survey_id, "title": "Mill Lane 4", **more})


def test_a_survey_is_made_and_read(ann: Person) -> None:
    response = ann.post("/surveys", {"survey_id": "s1", "title": "Mill\x07 Lane 4", "survey_date": "2026-03-01"})
    assert response.status_code == 201
    assert response.headers["Location"] == "/surveys/s1"
    made = response.json()
    assert {name: made[name] for name in ("survey_id", "title", "owner", "status", "version", "section_count")} == {
        "survey_id": "s1",
        "title": "Mill Lane 4",  # control characters are dropped
        "owner": "ann",
        "status": "draft",
        "version": 1,
        "section_count": 0,
    }
    assert "tenant_id" not in made
    shown = ann.get("/surveys/s1")
    assert shown.json() == made
    assert shown.headers["Database-Requests"] == "2"
    assert shown.headers["Database-Operations"] == "GetItem access, GetItem"
    assert (shown.headers["Database-Read-Units"], shown.headers["Database-Write-Units"]) == ("1", "0")


def test_the_service_chooses_ids(ann: Person) -> None:
    first, second = (ann.made("/surveys", {"title": "Same"})["survey_id"] for _ in range(2))
    assert first != second
    assert ann.get(f"/surveys/{first}").status_code == 200


def test_a_tree_is_read_with_one_query(ann: Person) -> None:
    made_survey(ann)
    for position, section in ((2, "walls"), (1, "roof")):
        ann.made("/surveys/s1/sections", {"section_id": section, "name": section, "position": position})
    ann.made("/surveys/s1/sections/roof/elements", {"element_id": "tiles", "name": "Tiles", "position": 1})
    ann.made("/surveys/s1/sections/roof/elements/tiles/components", {"component_id": "ridge", "name": "Ridge"})
    response = ann.get("/surveys/s1/whole")
    whole = response.json()
    assert [section["section_id"] for section in whole["sections"]] == ["roof", "walls"]
    (element,) = whole["sections"][0]["elements"]
    assert element["name"] == "Tiles"
    assert [component["component_id"] for component in element["components"]] == ["ridge"]
    assert whole["section_count"] == 2
    assert response.headers["Database-Operations"] == "GetItem access, Query"


def test_a_survey_is_loaded_level_by_level(ann: Person) -> None:
    made_survey(ann)
    for number in range(3):
        ann.made("/surveys/s1/sections", {"section_id": f"c{number}", "name": "Room", "position": 9 - number})
    elements = "/surveys/s1/sections/c0/elements"
    ann.made(elements, {"element_id": "e1", "name": "Floor", "position": 0, "measurements": {"area": "12 m²"}})
    components = f"{elements}/e1/components"
    ann.made(components, {"component_id": "k1", "name": "Board", "material": "oak"})
    sections = ann.get("/surveys/s1/sections")
    assert [section["section_id"] for section in sections.json()["items"]] == ["c2", "c1", "c0"]
    assert sections.headers["Database-Operations"] == "GetItem access, Query GSI2 sections_of"
    assert ann.get("/surveys/s1/sections/c0").json() == sections.json()["items"][2]
    (element,) = ann.get(elements).json()["items"]
    assert element["measurements"] == {"area": "12 m²"}
    assert ann.get(f"{elements}/e1").json() == element
    (component,) = ann.get(components).json()["items"]
    assert component["material"] == "oak"
    assert ann.get(f"{components}/k1").json() == component


def test_lists_have_pages(ann: Person) -> None:
    for number in range(5):
        made_survey(ann, f"s{number}")
    found, cursor = [], None
    for _ in range(10):
        page = ann.get("/surveys", limit=2, **({} if cursor is None else {"cursor": cursor})).json()
        assert len(page["items"]) <= 2
        found += [(item["survey_id"], item["role"]) for item in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert found == [(f"s{number}", "owner") for number in range(5)]


def test_all_parts_come_page_by_page(ann: Person) -> None:
    made_survey(ann)
    for number in range(3):
        ann.made("/surveys/s1/sections", {"section_id": f"c{number}", "name": "Room", "position": number})
    first = ann.get("/surveys/s1/parts", limit=3).json()
    second = ann.get("/surveys/s1/parts", limit=3, cursor=first["next"]).json()
    kinds = [(each["kind"], each["item"].get("section_id")) for each in first["items"] + second["items"]]
    assert kinds == [("survey", None), ("section", "c0"), ("section", "c1"), ("section", "c2")]


def test_changing_one_section_writes_one_item(ann: Person) -> None:
    made_survey(ann)
    ann.made("/surveys/s1/sections", {"section_id": "roof", "name": "Roof", "position": 1})
    response = ann.patch("/surveys/s1/sections/roof", {"notes": "Leaks.\nBadly.", "condition": "Poor"})
    assert response.status_code == 200
    assert (response.json()["notes"], response.json()["name"], response.json()["version"]) == (
        "Leaks.\nBadly.",
        "Roof",
        2,
    )
    operations = response.headers["Database-Operations"].split(", ")
    assert [each for each in operations if each.startswith("UpdateItem")] == operations[-1:]
    assert len(operations) <= 3  # the caller's role, what index keys are made of, and the write


def test_elements_and_components_are_changed_alone(ann: Person) -> None:
    made_survey(ann)
    ann.made("/surveys/s1/sections", {"section_id": "roof", "name": "Roof", "position": 1})
    element = ann.made("/surveys/s1/sections/roof/elements", {"name": "Tiles", "position": 1})["element_id"]
    at = f"/surveys/s1/sections/roof/elements/{element}"
    component = ann.made(f"{at}/components", {"name": "Ridge"})["component_id"]
    assert ann.patch(at, {"measurements": {"pitch": "30°"}}).json()["measurements"] == {"pitch": "30°"}
    assert ann.patch(f"{at}/components/{component}", {"age": "20 years"}).json()["age"] == "20 years"
    assert ann.delete(f"{at}/components/{component}").status_code == 204
    assert ann.get(f"{at}/components").json() == {"items": [], "next": None}
    assert ann.delete(at).status_code == 204
    assert ann.get(at).status_code == 404
    assert ann.get("/surveys/s1/sections/roof").json()["version"] >= 1


def test_many_changes_are_made_together_or_not_at_all(ann: Person) -> None:
    made_survey(ann)
    for section in ("roof", "walls"):
        ann.made("/surveys/s1/sections", {"section_id": section, "name": section, "position": 1})
    version = ann.get("/surveys/s1/sections/walls").json()["version"]
    edits = [
        {"section_id": "roof", "changes": {"condition": "Poor"}},
        {"section_id": "walls", "changes": {"condition": "Good"}, "expected_version": version + 1},
    ]
    assert ann.post("/surveys/s1/edits", {"sections": edits}).status_code == 409
    assert ann.get("/surveys/s1/sections/roof").json()["condition"] == "N/A"
    edits[1]["expected_version"] = version
    assert ann.post("/surveys/s1/edits", {"survey": {"title": "New"}, "sections": edits}).json()["title"] == "New"
    assert ann.get("/surveys/s1/sections/roof").json()["condition"] == "Poor"


def test_completing_sections_is_counted(ann: Person) -> None:
    made_survey(ann)
    ann.made("/surveys/s1/sections", {"section_id": "roof", "name": "Roof", "position": 1})
    assert ann.post("/surveys/s1/status", {"status": "published"}).status_code == 409  # a draft cannot be
    assert ann.post("/surveys/s1/status", {"status": "in_progress"}).json()["status"] == "in_progress"
    done = ann.post("/surveys/s1/sections/roof/completion")
    assert (done.status_code, done.json()["completed_by"]) == (200, "ann")
    assert ann.post("/surveys/s1/sections/roof/completion").status_code == 409
    assert ann.get("/surveys/s1").json()["completed_sections"] == 1
    assert ann.delete("/surveys/s1/sections/roof/completion").json()["completed_at"] is None
    assert ann.get("/surveys/s1").json()["completed_sections"] == 0
    assert ann.delete("/surveys/s1/sections/roof").status_code == 204
    assert ann.get("/surveys/s1").json()["section_count"] == 0


def test_two_people_change_different_sections_and_meet_in_one(service: Service, ann: Person) -> None:
    bob = service.person("bob")
    made_survey(ann, editors=["bob"])
    for section in ("roof", "walls"):
        ann.made("/surveys/s1/sections", {"section_id": section, "name": section, "position": 1})
    seen = ann.get("/surveys/s1/sections/roof").json()["version"]
    assert bob.patch("/surveys/s1/sections/walls", {"notes": "Damp"}, expected_version=seen).status_code == 200
    assert ann.patch("/surveys/s1/sections/roof", {"notes": "Leaks"}, expected_version=seen).status_code == 200
    late = bob.patch("/surveys/s1/sections/roof", {"notes": "Dry"}, expected_version=seen)
    assert (late.status_code, late.json()["code"]) == (409, "CONCURRENT_MODIFICATION")
    assert ann.get("/surveys/s1/sections/roof").json()["notes"] == "Leaks"


def test_a_removed_survey_is_gone_from_all_lists(service: Service, ann: Person) -> None:
    bob = service.person("bob")
    made_survey(ann, viewers=["bob"])
    assert [item["role"] for item in bob.get("/surveys").json()["items"]] == ["viewer"]
    assert ann.delete("/surveys/s1").status_code == 204
    assert bob.get("/surveys").json()["items"] == []
    assert ann.get("/surveys/s1").status_code == 404


def test_snapshots_of_the_library(service: Service, ann: Person) -> None:
    boss = service.person("boss", manager=True)
    boss.made("/library/sections", {"section_id": "roof", "name": "Roof", "position": 1})
    boss.made("/library/elements", {"element_id": "tiles", "section_id": "roof", "name": "Tiles", "position": 1})
    boss.made("/phrases/Defect", {"phrase_id": "crack", "name": "Crack", "text": "There is a crack."})
    made_survey(ann)
    taken = ann.made("/surveys/s1/snapshots", None)
    assert [each["taken_at"] for each in ann.get("/surveys/s1/snapshots").json()] == [taken["taken_at"]]
    assert ann.get("/surveys/s1").json()["current_config"] == taken["taken_at"]
    shown = ann.get(f"/surveys/s1/snapshots/{taken['taken_at']}").json()
    assert [(s["section_id"], [e["element_id"] for e in s["elements"]]) for s in shown["sections"]] == [
        ("roof", ["tiles"])
    ]
    assert [phrase["text"] for phrase in shown["phrases"]["Defect"]] == ["There is a crack."]
    assert ann.get("/surveys/s1/snapshots/2020-01-01T00:00:00Z").status_code == 404


def test_two_requests_do_not_count_each_other(service: Service, ann: Person) -> None:
    made_survey(ann)
    whole = {ann.get("/surveys/s1").headers["Database-Requests"] for _ in range(3)}
    assert whole == {"2"}
    assert service.client.get("/openapi.json").headers["Database-Requests"] == "0"
