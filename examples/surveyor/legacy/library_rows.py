"""Rows of the library, of tenants, images and documents: each becomes one thing, or a phrase with what it is offered for."""

from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any, Final

import pydantic

from examples.surveyor.library import Component, Element, Material, Phrase, PhraseUse, Section, Subject
from examples.surveyor.others import Document, DocumentVersion, Image, Tenant
from examples.surveyor.patterns import Library
from tablewright import Entity
from tablewright.evolve.moving import FrozenItems, Made, Remark, Unfit

from .tables import COMPONENTS, ELEMENTS, LATEST, PHRASES, SECTIONS
from .values import Values

Row = Mapping[str, Any]
Results = Iterator[Entity | Made | Remark]
UNNAMED: Final = "Unnamed"
_MOST_VERSIONS: Final = 100_000_000


def _of_one(kind: str) -> Callable[[Callable[[Values], Entity]], Callable[[Row], Results]]:
    """For rows that become one thing each: what makes it of a row's values, as a split."""

    def split_by(make: Callable[[Values], Entity]) -> Callable[[Row], Results]:
        @wraps(make)
        def split(row: Row) -> Results:
            remarks: list[Remark] = []
            values = Values(kind, row, remarks)
            yield from _with_times(make(values), values, remarks)

        return split

    return split_by


@_of_one("tenant")
def tenant(values: Values) -> Entity:
    """A tenant."""
    return Tenant(tenant_id=values.tenant("id"), name=values.text("name", UNNAMED), plan=values.text("plan") or "free")


@_of_one("library section")
def section(values: Values) -> Entity:
    """A section of the library."""
    return Section(
        tenant_id=values.tenant(),
        section_id=values.id("id"),
        name=values.text("name", UNNAMED),
        position=values.place(),
        description=values.text("description"),
        active=values.held.get("isActive") is not False,
        category=values.text("category", "General"),
        tags=values.texts("tags"),
        created_by=values.optional_id("createdBy"),
        sync_status="synced",
    )


@_of_one("library element")
def element(values: Values) -> Entity:
    """An element of the library."""
    return Element(
        tenant_id=values.tenant(),
        element_id=values.id("id"),
        section_id=values.id("sectionId", "none"),
        name=values.text("name", UNNAMED),
        position=values.place(),
        description=values.text("description"),
        sync_status="synced",
    )


@_of_one("library component")
def component(values: Values) -> Entity:
    """A component of the library. It never had an order; by its id it has always the same."""
    return Component(
        tenant_id=values.tenant(),
        component_id=values.id("id"),
        element_id=values.id("elementId", "none"),
        name=values.text("name", UNNAMED),
        position=0 if values.held.get("order") is None else values.place(),
        materials=[Material(name=name) for name in values.names("materials")],
        sync_status="synced",
    )


def phrase(row: Row) -> Results:
    """A phrase, and items by which it is found for elements, components and materials."""
    remarks: list[Remark] = []
    values = Values("phrase", row, remarks)
    kind = values.held.get("type")
    if kind not in ("Defect", "Condition"):
        yield Remark("phrase: left behind, since it is neither defect nor condition and so in no list")
        return
    text, other = values.text("text"), values.text("phrase")
    if text and other not in ("", text):
        values.remark("'phrase' says something else than 'text' and is left out")
    made = Phrase(
        tenant_id=values.tenant(),
        kind=kind,
        phrase_id=values.id("id"),
        name=values.text("name", UNNAMED),
        text=text or other,
        level2=values.optional("level2"),
        element_ids=values.ids("associatedElementIds"),
        component_ids=values.ids("associatedComponentIds"),
        material_ids=values.ids("associatedMaterialIds"),
        sync_status="synced",
    )
    of: dict[str, Any] = {"tenant_id": made.tenant_id, "kind": kind, "phrase_id": made.phrase_id}
    yield from _with_times(made, values, remarks)
    listed: dict[Subject, list[str]] = {
        "ELEMENT": made.element_ids,
        "COMPONENT": made.component_ids,
        "MATERIAL": made.material_ids,
    }
    for subject, ids in listed.items():
        for each in ids:
            yield PhraseUse(subject=subject, subject_id=each, **of)


@_of_one("image")
def image(values: Values) -> Entity:
    """What is known of an image."""
    return Image(
        tenant_id=values.tenant(),
        image_id=values.id("id"),
        image_path=values.text("imagePath"),
        caption=values.text("caption"),
    )


def document(row: Row) -> Results:
    """A document as it is now, or one version of it, by its sort key. The key holds tenant and document; attributes know better."""
    remarks: list[Remark] = []
    before, _, after = str(row["pk"]).partition("#")
    held = {"tenantId": before, "documentId": after} | {name: value for name, value in row.items() if value is not None}
    values = Values("document", held, remarks)
    of: dict[str, Any] = {
        "tenant_id": values.tenant(),
        "document_id": values.id("documentId", "none"),
        "title": values.text("title"),
        "path": values.text("path"),
    }
    if row["sk"] == LATEST:
        yield from _with_times(Document(number=max(values.place("version", 1), 1), **of), values, remarks)
    elif (number := _version(row["sk"])) is not None:
        yield from _with_times(DocumentVersion(number=number, **of), values, remarks)
    else:
        yield Remark("document: left behind, since it is neither the latest nor a version")


def _version(text: Any) -> int | None:
    if not isinstance(text, str) or not text.isascii() or not text.isdecimal() or text != str(int(text)):
        return None
    return int(text) if 1 <= int(text) < _MOST_VERSIONS else None


def _with_times(made: Entity, values: Values, remarks: list[Remark]) -> Results:
    created, updated = values.times()
    yield Made(made, created=created, updated=updated)
    yield from remarks


# ------------------------------------------------------------------------------------------------------ as it was


class FrozenLibrary:
    """A tenant's library as it was when it was frozen."""

    def __init__(self, frozen: FrozenItems) -> None:
        self.of = frozen
        self.left = 0
        """Rows that could not be made anything of."""
        sections = self._made(frozen, SECTIONS, section, Section)
        elements = self._made(frozen, ELEMENTS, element, Element)
        components = self._made(frozen, COMPONENTS, component, Component)
        self.library = Library(
            sections=sorted(sections, key=lambda s: (s.position, s.section_id)),
            elements=sorted(elements, key=lambda e: (e.position, e.element_id)),
            components=sorted(components, key=lambda c: (c.position, c.component_id)),
        )
        self.phrases = sorted(self._made(frozen, PHRASES, phrase, Phrase), key=lambda p: (p.kind, p.phrase_id))

    def _made(self, frozen: FrozenItems, name: str, function: Any, entity: type[Any]) -> list[Any]:
        made: list[Any] = []
        for row in frozen.items.get(name, []):
            try:
                made += [m.entity for m in function(row) if isinstance(m, Made) and isinstance(m.entity, entity)]
            except (Unfit, pydantic.ValidationError):  # its own move tells why
                self.left += 1
        return made


_last: list[FrozenLibrary] = []


def library_of(frozen: FrozenItems) -> FrozenLibrary:
    """Made once for the surveys of a tenant, which come one after the other."""
    known = next((each for each in _last if each.of is frozen), None)
    if known is None:
        known = FrozenLibrary(frozen)
        _last[:] = [known, *_last[:7]]
    return known
