"""A row of Surveys, whose content is one JSON text, becomes a survey, its parts, its people and a snapshot of the library.

Parts lie below their parents, so that one template can be used in two sections. Where an id stands twice below one parent, the later
one gets an id of its own: nothing is overwritten, and nothing is lost.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from examples.surveyor.snapshots import snapshot_of
from examples.surveyor.surveys import Access, Survey, SurveyComponent, SurveyElement, SurveySection
from tablewright.evolve.moving import FrozenItems, Made, Remark

from .library_rows import UNNAMED, Results, Row, library_of
from .values import NOBODY, Values, other_id

_TOLD_ELSEWHERE: Final = ("__typename", "updatedAt", "version", "lastMutationId", "syncStatus", "syncError")
"""What the parts of a survey may repeat of it: they have that from the survey."""
LIBRARY: Final = "library"
"""Under this name the library, as it was when it was frozen, stands in a row."""


def survey(row: Row) -> Results:
    """All that one row becomes."""
    remarks: list[Remark] = []
    values = Values("survey", row, remarks)
    created, updated = values.times()
    content = _content(values)
    of: dict[str, Any] = {"tenant_id": values.tenant(), "survey_id": values.id("id")}
    parts = [Made(each, created=at or created, updated=updated) for each, at in _parts(content, of)]
    sections = [made.entity for made in parts if isinstance(made.entity, SurveySection)]
    people = _people(values)
    frozen = row[LIBRARY]
    assert isinstance(frozen, FrozenItems)
    head = Survey(
        **of,
        title=content.text("title", "Untitled"),
        address=content.text("address"),
        client_name=content.text("clientName"),
        survey_date=content.day("surveyDate"),
        status=content.status(),
        owner=next(who for who, role in people.items() if role == "owner"),
        editors=[who for who, role in people.items() if role == "editor"],
        viewers=[who for who, role in people.items() if role == "viewer"],
        current_config=frozen.taken_at,
        section_count=len(sections),
        completed_sections=sum(section.completed_at is not None for section in sections),
        sync_status=values.sync_status(),
        sync_error=values.optional("syncError"),
    )
    content.nothing_more(*_TOLD_ELSEWHERE, "id", "tenantId", "owner", "editors", "viewers", "createdAt")
    yield Made(head, created=created, updated=updated)
    yield from parts
    for who, role in people.items():
        yield Made(Access(**of, user_id=who, role=role), created=created, updated=updated)
    known = library_of(frozen)
    if known.left:
        yield Remark("survey: rows of the library that cannot be moved are not in its snapshot")
    config, contents = snapshot_of(of["tenant_id"], of["survey_id"], frozen.taken_at, known.library, known.phrases)
    for each in (config, *contents):
        yield Made(each, created=frozen.taken_at, updated=frozen.taken_at)
    yield from remarks


def _content(values: Values) -> Values:
    """What the content says; the flat form has some of it beside the content."""
    text = values.held.get("content")
    said = values.said("content")
    if text is None or text == "":
        values.remark("no 'content', so that it has no parts")
    elif not isinstance(said, Mapping):
        values.remark("'content' is not the JSON of a survey, so that it has no parts")
    held = dict(said) if isinstance(said, Mapping) else {}
    for name in ("title", "address", "status"):
        beside = values.held.get(name)
        if not beside or held.get(name) == beside:
            continue
        if held.get(name) in (None, ""):
            held[name] = beside
        else:
            values.remark(f"{name!r} beside the content is another one and left out")
    return values.part("survey", held)


def _people(values: Values) -> dict[str, Any]:
    """Everybody once, with the most that they may do."""
    owner = values.optional_id("owner")
    if owner is None:
        values.remark(f"no 'owner', so that it is {NOBODY!r}")
    people = {owner or NOBODY: "owner"}
    for role in ("editor", "viewer"):
        for who in values.ids(f"{role}s"):
            if people.setdefault(who, role) != role:
                values.remark("somebody has two roles, and keeps the one that may do more")
    return people


def _parts(content: Values, of: dict[str, Any]) -> Iterator[tuple[Any, datetime | None]]:
    """Sections, each with what is below it."""
    ids, seen = _Ids("section"), _Seen()
    for number, held in enumerate(content.parts("sections")):
        values = content.part("section", held)
        where = {**of, "section_id": ids.of(values, f"{number}")}
        yield (
            SurveySection(
                **where,
                name=values.text("name", UNNAMED),
                position=values.place(),
                notes=values.text("notes"),
                condition=values.condition(),
                photos=values.texts("photos"),
                completed_at=values.time("completedAt"),
                completed_by=values.optional_id("completedBy"),
                sync_status="synced",
            ),
            values.time("createdAt"),
        )
        yield from _elements(values, where, f"{number}", seen)
        values.nothing_more(*_TOLD_ELSEWHERE, "tenantId", "surveyId")


def _elements(section: Values, of: dict[str, Any], path: str, seen: "_Seen") -> Iterator[tuple[Any, datetime | None]]:
    ids = _Ids("element")
    for number, held in enumerate(section.parts("elements")):
        values = section.part("element", held)
        where = {**of, "element_id": ids.of(values, f"{path}/{number}")}
        seen.note("element", values, where["element_id"])
        yield (
            SurveyElement(
                **where,
                name=values.text("name", UNNAMED),
                position=values.place(),
                condition=values.condition(),
                defects=values.ids("defects"),
                notes=values.text("notes"),
                photos=values.texts("photos"),
                measurements=values.named_texts("measurements"),
                materials=values.names("materials"),
                sync_status="synced",
            ),
            values.time("createdAt"),
        )
        yield from _components(values, where, f"{path}/{number}", seen)
        values.nothing_more(*_TOLD_ELSEWHERE, "tenantId", "surveyId", "sectionId")


def _components(element: Values, of: dict[str, Any], path: str, seen: "_Seen") -> Iterator[tuple[Any, datetime | None]]:
    ids = _Ids("component")
    for number, held in enumerate(element.parts("components")):
        values = element.part("component", held)
        where = {**of, "component_id": ids.of(values, f"{path}/{number}")}
        seen.note("component", values, where["component_id"])
        yield (
            SurveyComponent(
                **where,
                name=values.text("name", UNNAMED),
                position=number,  # they had no order but that of the list
                material=values.text("material", "Unknown"),
                condition=values.condition(),
                age=values.text("age", "Unknown"),
                last_maintenance=values.optional("lastMaintenance"),
                defects=values.ids("defects"),
                notes=values.text("notes"),
                photos=values.texts("photos"),
                specifications=values.named_texts("specifications"),
                sync_status="synced",
            ),
            values.time("createdAt"),
        )
        values.nothing_more(*_TOLD_ELSEWHERE, "tenantId", "surveyId", "sectionId", "elementId", "order")


class _Seen:
    """Ids of elements and components of one survey: the same one below two parents was overwritten where keys left parents out."""

    def __init__(self) -> None:
        self._known: set[tuple[str, str]] = set()

    def note(self, kind: str, values: Values, given: str) -> None:
        if (kind, given) in self._known:
            values.remark("its id stands below another parent too; each is kept below its own")
        self._known.add((kind, given))


class _Ids:
    """Ids of parts below one parent, none twice."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._given: dict[str, int] = {}

    def of(self, values: Values, path: str) -> str:
        found = values.id("id", other_id(f"{self._kind} {path}"))
        count = self._given[found] = self._given.get(found, 0) + 1
        if count == 1:
            return found
        values.remark("its id stands twice below one parent; the later one gets an id of its own")
        while (
            made := other_id(f"{found} {count}")
        ) in self._given:  # what stands for "Roof 2", after two called "Roof"
            count += 1
        self._given[made] = 1
        return made
