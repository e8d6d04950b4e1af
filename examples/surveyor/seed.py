"""A firm of surveyors at work. `python -m examples.surveyor.seed surveyor.db` writes it; running it again restores it."""

from datetime import UTC, date, datetime
from typing import Any

from tablewright import Entity, Session, expires_in

from .library import (
    Component,
    Config,
    ConfigComponent,
    ConfigElement,
    ConfigPhrase,
    ConfigPhrases,
    ConfigSection,
    Element,
    Material,
    Phrase,
    PhraseUse,
    Section,
)
from .model import surveyor
from .others import Document, DocumentVersion, Image, SyncItem, TempData, Tenant
from .surveys import Access, Survey, SurveyComponent, SurveyElement, SurveySection
from .syncing import LOG_FOR, TEMP_FOR

SURVEY = "elm-12"
"""A survey of acme with people of every role, and with defects."""
PEOPLE = {"owner": "ann", "editor": "bob", "viewer": "cleo", "nobody": "dan"}
"""Who they are for that survey."""

_TAKEN_AT = datetime(2026, 3, 2, 8, tzinfo=UTC)
_DONE_AT = datetime(2026, 3, 9, 16, 30, tzinfo=UTC)

_LIBRARY: dict[str, tuple[str, dict[str, tuple[str, dict[str, tuple[str, list[str]]]]]]] = {
    "roof": (
        "Roof",
        {
            "covering": ("Covering", {"tile": ("Tile", ["clay", "concrete", "slate"]), "ridge": ("Ridge", ["clay"])}),
            "gutters": ("Gutters", {"downpipe": ("Downpipe", ["cast iron", "PVC"])}),
        },
    ),
    "walls": (
        "Walls",
        {
            "brickwork": ("Brickwork", {"pointing": ("Pointing", ["lime", "cement"])}),
            "render": ("Render", {}),
        },
    ),
    "services": ("Services", {"heating": ("Heating", {"boiler": ("Boiler", ["steel"])})}),
}

_DEFECTS = {(SURVEY, "covering"): ["slipped"], (SURVEY, "brickwork"): ["cracks"]}

_PHRASES: list[tuple[str, str, str, str, list[str], list[str]]] = [
    (
        "Defect",
        "slipped",
        "Slipped tile",
        "One or more tiles have slipped and should be refixed.",
        ["covering"],
        ["tile"],
    ),
    (
        "Defect",
        "rust",
        "Corrosion",
        "The metal is corroded and has reached the end of its life.",
        ["gutters"],
        ["downpipe"],
    ),
    (
        "Defect",
        "cracks",
        "Cracks",
        "Cracks were seen that should be watched for movement.",
        ["brickwork", "render"],
        [],
    ),
    ("Condition", "sound", "Sound", "No significant defects were seen.", ["covering", "brickwork", "render"], ["tile"]),
    ("Condition", "aged", "Aged", "In serviceable order for its age.", ["heating"], ["boiler"]),
]

_SURVEYS: list[tuple[str, str, str, str, str, list[str], list[str], list[str]]] = [
    (SURVEY, "12 Elm Street", "in_progress", "Ms Okafor", "ann", ["bob"], ["cleo"], ["roof"]),
    ("mill-4", "The Old Mill", "draft", "Mill Trust", "ann", [], ["bob"], []),
    ("quay-9", "9 Quay Side", "published", "Harbour Ltd", "bob", ["ann"], [], ["roof", "walls", "services"]),
]


def library(tenant_id: str) -> list[Entity]:
    """Sections, elements, components and phrases of a tenant."""
    made: list[Entity] = []
    for place, (section_id, (section, elements)) in enumerate(_LIBRARY.items()):
        made.append(Section(tenant_id=tenant_id, section_id=section_id, name=section, position=place, created_by="ann"))
        for position, (element_id, (element, components)) in enumerate(elements.items()):
            made.append(
                Element(
                    tenant_id=tenant_id, element_id=element_id, section_id=section_id, name=element, position=position
                )
            )
            made += [
                Component(
                    tenant_id=tenant_id,
                    component_id=component_id,
                    element_id=element_id,
                    name=name,
                    position=number,
                    materials=[Material(name=material) for material in materials],
                )
                for number, (component_id, (name, materials)) in enumerate(components.items())
            ]
    for kind, phrase_id, name, text, for_elements, for_components in _PHRASES:
        said: dict[str, Any] = {"tenant_id": tenant_id, "kind": kind, "phrase_id": phrase_id}
        made.append(Phrase(**said, name=name, text=text, element_ids=for_elements, component_ids=for_components))
        made += [PhraseUse(**said, subject="ELEMENT", subject_id=each) for each in for_elements]
        made += [PhraseUse(**said, subject="COMPONENT", subject_id=each) for each in for_components]
    return made


def survey(tenant_id: str, row: tuple[str, str, str, str, str, list[str], list[str], list[str]]) -> list[Entity]:
    """One survey with its parts, its people and a snapshot of the library."""
    survey_id, title, status, client, owner, editors, viewers, done = row
    of: dict[str, Any] = {"tenant_id": tenant_id, "survey_id": survey_id}
    about: dict[str, Any] = {"status": status, "sync_status": "pending" if status == "draft" else "synced"}
    made: list[Entity] = [
        Survey(
            **of,
            **about,
            title=title,
            client_name=client,
            survey_date=date(2026, 3, 9),
            owner=owner,
            editors=editors,
            viewers=viewers,
            current_config=_TAKEN_AT,
            section_count=len(_LIBRARY),
            completed_sections=len(done),
        ),
        Access(**of, user_id=owner, role="owner"),
        *(Access(**of, user_id=each, role="editor") for each in editors),
        *(Access(**of, user_id=each, role="viewer") for each in viewers),
        *_snapshot(of),
    ]
    for place, (section_id, (name, elements)) in enumerate(_LIBRARY.items()):
        completed: dict[str, Any] = {"completed_at": _DONE_AT, "completed_by": owner} if section_id in done else {}
        made.append(SurveySection(**of, section_id=section_id, name=name, position=place, **completed))
        for position, (element_id, (element, components)) in enumerate(elements.items()):
            where: dict[str, Any] = {**of, "section_id": section_id, "element_id": element_id}
            made.append(
                SurveyElement(
                    **where,
                    name=element,
                    position=position,
                    condition="Good" if completed else "N/A",
                    defects=_DEFECTS.get((survey_id, element_id), []),
                )
            )
            made += [
                SurveyComponent(**where, component_id=component_id, name=part, position=number)
                for number, (component_id, (part, _)) in enumerate(components.items())
            ]
    return made


def _snapshot(of: dict[str, Any]) -> list[Entity]:
    taken: dict[str, Any] = {**of, "taken_at": _TAKEN_AT}
    sections = [
        ConfigSection(
            **taken,
            position=place,
            section_id=section_id,
            name=name,
            elements=[
                ConfigElement(
                    element_id=element_id,
                    name=element,
                    position=position,
                    components=[
                        ConfigComponent(component_id=c, name=part, materials=materials)
                        for c, (part, materials) in components.items()
                    ],
                )
                for position, (element_id, (element, components)) in enumerate(elements.items())
            ],
        )
        for place, (section_id, (name, elements)) in enumerate(_LIBRARY.items())
    ]
    phrases: dict[Any, list[ConfigPhrase]] = {}
    for kind, phrase_id, name, text, _, _ in _PHRASES:
        phrases.setdefault(kind, []).append(ConfigPhrase(phrase_id=phrase_id, name=name, text=text))
    kept = [ConfigPhrases(**taken, kind=kind, phrases=some) for kind, some in phrases.items()]
    return [Config(**taken, sections=len(sections)), *sections, *kept]


def entities() -> list[Entity]:
    """A firm with three surveys, and another with one, which has the same id as one of the first's."""
    made: list[Entity] = [
        Tenant(tenant_id="acme", name="Acme Surveyors", plan="team"),
        Tenant(tenant_id="birch", name="Birch & Daughters"),
        *library("acme"),
        *library("birch"),
        *(item for row in _SURVEYS for item in survey("acme", row)),
        *survey("birch", (SURVEY, "Birch Lane", "draft", "Mr Elm", "eva", [], [], [])),
    ]
    terms: dict[str, Any] = {"tenant_id": "acme", "document_id": "terms", "title": "Terms of engagement"}
    made += [DocumentVersion(**terms, number=number, path=f"terms/{number}.pdf") for number in range(1, 4)]
    made.append(Document(**terms, number=3, path="terms/3.pdf"))
    made += [
        Image(tenant_id="acme", image_id="elm-front", image_path="elm-12/front.jpg", caption="Seen from the street"),
        Image(tenant_id="acme", image_id="elm-roof", image_path="elm-12/roof.jpg", caption="Slipped tiles"),
        SyncItem(
            tenant_id="acme",
            at=_DONE_AT,
            entity_id="mill-4",
            kind="Survey",
            survey_id="mill-4",
            message="The device was offline.",
            ttl=expires_in(LOG_FOR),
        ),
        TempData(tenant_id="acme", sync_id="tablet-1", data={"page": "2"}, ttl=expires_in(TEMP_FOR)),
    ]
    return made


def seed(db: Session) -> int:
    """Writes everything, over what was there under the same keys; returns how many entities that are."""
    made = entities()
    with db.batch(transactional=True) as batch:
        for entity in made:
            batch.put(entity)
    return len(made)


if __name__ == "__main__":
    from examples.seeding import main  # here: whoever imports this file may not have the other examples

    main("surveyor", surveyor.open, seed)
