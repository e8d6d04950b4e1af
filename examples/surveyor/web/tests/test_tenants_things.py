"""What belongs to a tenant as a whole, over HTTP: library, phrases, documents, images, the queue, the feed; and all tenants."""

import pytest

from examples.surveyor.web.trying import Person, Service


@pytest.fixture
def boss(service: Service) -> Person:
    return service.person("boss", manager=True)


@pytest.fixture
def ann(service: Service) -> Person:
    return service.person("ann")


def test_the_library_is_read_with_one_query(boss: Person, ann: Person) -> None:
    for position, section in ((2, "walls"), (1, "roof")):
        boss.made("/library/sections", {"section_id": section, "name": section, "position": position})
    boss.made("/library/elements", {"element_id": "tiles", "section_id": "roof", "name": "Tiles", "position": 1})
    boss.made(
        "/library/components", {"component_id": "ridge", "element_id": "tiles", "name": "Ridge", "materials": ["clay"]}
    )
    response = ann.get("/library")
    library = response.json()
    assert [section["section_id"] for section in library["sections"]] == ["roof", "walls"]
    assert [element["section_id"] for element in library["elements"]] == ["roof"]
    assert [component["materials"] for component in library["components"]] == [["clay"]]
    assert response.headers["Database-Operations"] == "Query GSI1 library_of"
    assert ann.post("/library/sections", {"name": "Mine", "position": 1}).status_code == 403


def test_phrases_are_found_by_kind_and_by_what_they_are_for(boss: Person, ann: Person) -> None:
    boss.made("/phrases/Defect", {"phrase_id": "crack", "name": "Crack", "text": "Cracked.", "element_ids": ["tiles"]})
    boss.made("/phrases/Condition", {"phrase_id": "good", "name": "Good", "text": "Sound.", "component_ids": ["ridge"]})
    assert [each["phrase_id"] for each in ann.get("/phrases/Defect").json()["items"]] == ["crack"]
    assert [each["phrase_id"] for each in ann.get("/library/elements/tiles/phrases").json()] == ["crack"]
    assert [each["phrase_id"] for each in ann.get("/library/components/ridge/phrases").json()] == ["good"]
    assert ann.get("/library/components/ridge/phrases", kind="Defect").json() == []
    changed = boss.patch(
        "/phrases/Defect/crack", {"text": "Badly cracked.", "element_ids": ["slates"]}, expected_version=1
    )
    assert (changed.json()["text"], changed.json()["version"]) == ("Badly cracked.", 2)
    assert boss.patch("/phrases/Defect/crack", {"text": "?"}, expected_version=1).status_code == 409
    assert ann.get("/library/elements/tiles/phrases").json() == []
    assert ann.get("/phrases/Defect/crack").json()["element_ids"] == ["slates"]
    assert boss.delete("/phrases/Defect/crack").status_code == 204
    assert ann.get("/phrases/Defect/crack").status_code == 404
    assert ann.get("/phrases/Smell").status_code == 422


def test_documents_keep_their_versions(ann: Person) -> None:
    made = ann.post("/documents", {"title": "Report", "path": "a.pdf"})
    at = made.headers["Location"]
    assert (made.status_code, made.json()["number"]) == (201, 1)
    assert ann.put(at, {"title": "Report", "path": "b.pdf"}, expected_number=1).json()["number"] == 2
    assert ann.put(at, {"title": "Report", "path": "c.pdf"}, expected_number=1).status_code == 409
    assert ann.get(at).json()["path"] == "b.pdf"
    assert [each["path"] for each in ann.get(f"{at}/versions").json()["items"]] == ["b.pdf", "a.pdf"]
    assert ann.get(f"{at}/versions/1").json()["path"] == "a.pdf"
    assert ann.get(f"{at}/versions/3").status_code == 404
    assert ann.delete(at).status_code == 204
    assert ann.get(at).status_code == 404


def test_images(ann: Person) -> None:
    for number in range(3):
        ann.made("/images", {"image_id": f"i{number}", "image_path": f"{number}.jpg"})
    first = ann.get("/images", limit=2).json()
    rest = ann.get("/images", limit=2, cursor=first["next"]).json()
    assert [each["image_id"] for each in first["items"] + rest["items"]] == ["i0", "i1", "i2"]
    assert ann.patch("/images/i0", {"caption": "The roof"}).json()["caption"] == "The roof"
    assert ann.delete("/images/i0").status_code == 204
    assert ann.get("/images/i0").status_code == 404
    assert ann.post("/images", {"image_id": "i1", "image_path": "again.jpg"}).status_code == 409


def test_the_feed_tells_of_children_and_deletions(boss: Person, ann: Person) -> None:
    ann.made("/surveys", {"survey_id": "s1", "title": "x"})
    ann.made("/surveys/s1/sections", {"section_id": "roof", "name": "Roof", "position": 1})
    start = boss.get("/sync/changes").json()
    assert sorted(each["kind"] for each in start["items"]) == ["section", "survey"]
    assert boss.get("/sync/changes", cursor=start["next"]).json()["items"] == []
    ann.patch("/surveys/s1/sections/roof", {"notes": "Leaks"})
    (change,) = boss.get("/sync/changes", cursor=start["next"]).json()["items"]
    assert (change["kind"], change["ids"], change["item"]["notes"]) == (
        "section",
        {"survey_id": "s1", "section_id": "roof"},
        "Leaks",
    )
    later = boss.get("/sync/changes", cursor=start["next"]).json()["next"]
    ann.delete("/surveys/s1/sections/roof")
    told = {each["kind"]: each for each in boss.get("/sync/changes", cursor=later).json()["items"]}
    assert (told["section"]["deleted"], told["section"]["item"]) == (True, None)
    assert boss.get("/sync/changes", cursor="made up").status_code == 400


def test_the_queue_has_what_waits(boss: Person, ann: Person) -> None:
    ann.made("/surveys", {"survey_id": "s1", "title": "x"})
    ann.made("/surveys/s1/sections", {"section_id": "roof", "name": "Roof", "position": 1})
    response = boss.get("/sync/queue")
    assert sorted(each["kind"] for each in response.json()["items"]) == ["section", "survey"]
    assert response.headers["Database-Operations"] == "Query GSI3 sync_queue"
    assert boss.get("/sync/queue", status="failed").json() == {"items": [], "next": None}
    assert boss.get("/sync/log").json() == {"items": [], "next": None}


def test_the_operator_sees_all_tenants(service: Service) -> None:
    operator = service.person("ops", tenant_id="us", operator=True)
    assert operator.post("/operator/tenants", {"tenant_id": "acme", "name": "Acme"}).status_code == 201
    assert operator.post("/operator/tenants", {"tenant_id": "acme", "name": "Acme"}).status_code == 409
    tenants = ["\x01first", "#hash", "acme", "zebra"]
    for tenant in tenants:
        service.person("ann", tenant_id=tenant).made("/surveys", {"survey_id": "s1", "title": tenant})
    found, cursor = [], None
    while True:
        page = operator.get("/operator/surveys", limit=2, **({} if cursor is None else {"cursor": cursor})).json()
        found += [each["tenant_id"] for each in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert found == tenants
    later = operator.get("/operator/surveys", first_tenant="b").json()["items"]
    assert [each["tenant_id"] for each in later] == ["zebra"]
