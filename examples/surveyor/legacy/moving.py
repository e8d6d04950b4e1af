"""The mapping: which legacy table becomes which entities, the reads of the application on both sides, and what is frozen."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from examples.surveyor import patterns as p
from examples.surveyor.library import (
    Component,
    Config,
    ConfigPhrases,
    ConfigSection,
    Element,
    Phrase,
    PhraseUse,
    Section,
)
from examples.surveyor.model import surveyor
from examples.surveyor.others import Document, DocumentVersion, Image, Tenant
from examples.surveyor.surveys import Access, Survey, SurveyComponent, SurveyElement, SurveySection
from tablewright.evolve.moving import Frozen, LegacyGet, LegacyQuery, LegacyScan, Move, Moving, Parent, Read

from . import flat, library_rows
from .survey_rows import LIBRARY, survey
from .tables import (
    BY_TENANT,
    COMPONENTS,
    DOCUMENTS,
    ELEMENTS,
    FLAT,
    IMAGES,
    LATEST,
    PHRASES,
    SECTIONS,
    SURVEYS,
    TENANTS,
)
from .values import Values

_TIMES: Final = ("createdAt", "updatedAt")
_DROPPED: Final = ("__typename", "version")
_SURVEY_PARTS: Final = (SurveySection, SurveyElement, SurveyComponent)
_SURVEY_MAKES: Final = (Survey, *_SURVEY_PARTS, Access, Config, ConfigSection, ConfigPhrases)


def _made_at(row: Mapping[str, Any]) -> datetime:
    return Values("", row, []).times()[0]


def _changed_at(row: Mapping[str, Any]) -> datetime:
    return Values("", row, []).times()[1]


def _move(table: str, split: Any, makes: tuple[Any, ...], *uses: str, **more: Any) -> Move:
    told: dict[str, Any] = {
        "table": table,
        "key": ("id",),
        "split": split,
        "makes": makes,
        "uses": (*uses, *_TIMES),
        "dropped": _DROPPED,
        "created": _made_at,
        "updated": _changed_at,
    }
    return Move(**told | more)


def _tenant(row: Mapping[str, Any]) -> str | None:
    tenant = row.get("tenantId")
    return tenant if tenant and isinstance(tenant, str) else None


def _library(prefix: str) -> Frozen:
    """The four tables of a tenant's library; each is read once for a tenant, however many surveys it has. The index by tenant lacks
    rows that have no time of change, and would leave them out of the snapshots."""
    return Frozen(
        LIBRARY,
        _tenant,
        lambda tenant: {
            name: LegacyScan(f"{prefix}{name}", {"tenantId": tenant})
            for name in (SECTIONS, ELEMENTS, COMPONENTS, PHRASES)
        },
    )


def _flat_library(prefix: str) -> Frozen:
    return Frozen(
        LIBRARY, flat.tenant_of, lambda tenant: {"items": LegacyQuery(f"{prefix}{FLAT}", {"pk": f"TENANT#{tenant}"})}
    )


def moves(prefix: str = "") -> list[Move]:
    """The seven tables and DocumentRecord."""
    of_tenant = ("tenantId", "syncStatus", "syncError")
    return [
        _move(f"{prefix}{TENANTS}", library_rows.tenant, (Tenant,), "name", "plan"),
        _move(
            f"{prefix}{SECTIONS}",
            library_rows.section,
            (Section,),
            *("name", "description", "order", "isActive", "category", "tags", "createdBy"),
            *of_tenant,
        ),
        _move(
            f"{prefix}{ELEMENTS}",
            library_rows.element,
            (Element,),
            *("sectionId", "name", "order", "description"),
            *of_tenant,
        ),
        _move(
            f"{prefix}{COMPONENTS}",
            library_rows.component,
            (Component,),
            *("elementId", "name", "order", "materials"),
            *of_tenant,
        ),
        _move(
            f"{prefix}{PHRASES}",
            library_rows.phrase,
            (Phrase, PhraseUse),
            *("name", "type", "text", "phrase", "level2"),
            *("associatedMaterialIds", "associatedElementIds", "associatedComponentIds"),
            *of_tenant,
        ),
        _move(f"{prefix}{IMAGES}", library_rows.image, (Image,), "imagePath", "caption", *of_tenant),
        _move(
            f"{prefix}{DOCUMENTS}",
            library_rows.document,
            (Document, DocumentVersion),
            *("tenantId", "documentId", "version", "title", "path"),
            key=("pk", "sk"),
            dropped=("__typename",),
        ),
        _move(
            f"{prefix}{SURVEYS}",
            survey,
            _SURVEY_MAKES,
            *("owner", "editors", "viewers", "content", "title", "address", "status"),
            *of_tenant,
            frozen=(_library(prefix),),
        ),
    ]


def flat_moves(prefix: str = "") -> list[Move]:
    """The flat table in their place; documents have their own table as ever."""
    made = (Tenant, Section, Element, Component, Phrase, PhraseUse, Image, *_SURVEY_MAKES)
    one = Move(
        table=f"{prefix}{FLAT}",
        key=("pk", "sk"),
        split=flat.flat,
        makes=made,
        uses=flat.USES,
        dropped=flat.DROPPED,
        frozen=(_flat_library(prefix),),
        created=_made_at,
        updated=_changed_at,
    )
    return [one, *(move for move in moves(prefix) if move.table == f"{prefix}{DOCUMENTS}")]


def surveyor_moving(form: str = "tables", prefix: str = "", **options: Any) -> Moving:
    """The whole mapping, of the tables or of the flat form."""
    in_survey = {"tenant_id": "tenant_id", "survey_id": "survey_id"}
    in_section = {**in_survey, "section_id": "section_id"}
    return Moving(
        f"{prefix}surveyor",
        table=surveyor,
        moves=moves(prefix) if form == "tables" else flat_moves(prefix),
        parents=[
            *(Parent(part, Survey, in_survey) for part in (SurveySection, Access, Config)),
            Parent(SurveyElement, SurveySection, in_section),
            Parent(SurveyComponent, SurveyElement, {**in_section, "element_id": "element_id"}),
        ],
        **options,
    )


# ------------------------------------------------------------------------------------------------------ reads


class _Asking:
    """How the legacy application asked, of the tables or of the flat form."""

    def __init__(self, form: str, prefix: str) -> None:
        self._flat = form == "flat"
        self._prefix = prefix

    def one(self, table: str, word: str, tenant: str, own: str) -> LegacyGet:
        if self._flat:
            return LegacyGet(
                f"{self._prefix}{FLAT}", {"pk": f"TENANT#{tenant}", "sk": f"{word}#{own}" if word else own}
            )
        return LegacyGet(f"{self._prefix}{table}", {"id": own if word else tenant})

    def tenant(self, tenant_id: str) -> LegacyGet:
        return self.one(TENANTS, "", tenant_id, "METADATA")

    def survey(self, tenant_id: str, survey_id: str, *more: str) -> LegacyGet:
        return self.one(SURVEYS, "SURVEY", tenant_id, survey_id)

    def of_tenant(self, table: str) -> Callable[..., LegacyQuery]:
        def asked(tenant_id: str, *more: str) -> LegacyQuery:
            if self._flat:
                return LegacyQuery(f"{self._prefix}{FLAT}", {"pk": f"TENANT#{tenant_id}"})
            return LegacyQuery(f"{self._prefix}{table}", {"tenantId": tenant_id}, index=BY_TENANT)

        return asked

    def latest(self, tenant_id: str, document_id: str) -> LegacyGet:
        return LegacyGet(f"{self._prefix}{DOCUMENTS}", {"pk": f"{tenant_id}#{document_id}", "sk": LATEST})

    def versions(self, tenant_id: str, document_id: str) -> LegacyQuery:
        return LegacyQuery(f"{self._prefix}{DOCUMENTS}", {"pk": f"{tenant_id}#{document_id}"})


def reads(form: str = "tables", prefix: str = "") -> dict[str, Read[Any]]:
    """What the application reads, on both sides; arguments are those of the patterns. The order in which legacy tables answered was
    none that anybody relied on: screens sorted."""
    ask = _Asking(form, prefix)
    made: list[Read[Any]] = [
        Read(Tenant, ask.tenant, p.tenant),
        Read(Survey, ask.survey, p.survey, keep=_with("tenant_id")),
        Read(Survey, ask.of_tenant(SURVEYS), p.surveys_owned_by, ordered=False, keep=_with("tenant_id", "owner")),
        Read(SurveySection, ask.survey, p.sections_of, ordered=False, keep=_within),
        Read(SurveyElement, ask.survey, p.elements_of, ordered=False, keep=_within),
        Read(SurveyComponent, ask.survey, p.components_of, ordered=False, keep=_within),
        Read(Access, ask.survey, p.people_of, ordered=False, keep=_within),
        Read(Section, ask.of_tenant(SECTIONS), p.library_sections, ordered=False),
        Read(
            Element,
            ask.of_tenant(ELEMENTS),
            p.library_elements,
            ordered=False,
            keep=_with("tenant_id", "section_id"),
        ),
        Read(
            Component,
            ask.of_tenant(COMPONENTS),
            p.library_components,
            ordered=False,
            keep=_with("tenant_id", "element_id"),
        ),
        Read(Phrase, ask.of_tenant(PHRASES), p.phrases, ordered=False, keep=_with("tenant_id", "kind")),
        Read(Image, ask.of_tenant(IMAGES), p.images_of, ordered=False),
        Read(Document, ask.latest, p.document, keep=_with("tenant_id", "document_id")),
        Read(DocumentVersion, ask.versions, p.versions_of, ordered=False, keep=_with("tenant_id", "document_id")),
    ]
    return {read.name: read for read in made}


def _with(*names: str) -> Callable[..., bool]:
    """Whether the fields are what the arguments say."""
    return lambda found, *ids: all(getattr(found, name) == each for name, each in zip(names, ids, strict=False))


def _within(found: Any, tenant_id: str, survey_id: str, *ids: str) -> bool:
    """Whether a part of a survey lies below what the arguments name."""
    named = zip(("section_id", "element_id"), ids, strict=False)
    return found.tenant_id == tenant_id and all(getattr(found, name) == each for name, each in named)
