"""The flat form: one table with the attributes of all kinds side by side, told apart by `type`. Its items are read as rows of the tables."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from tablewright import Entity
from tablewright.evolve.moving import FrozenItems, Made, Remark

from . import library_rows, survey_rows
from .survey_rows import LIBRARY
from .tables import COMPONENTS, ELEMENTS, PHRASES, SECTIONS

Row = Mapping[str, Any]

_RENAMED: Final = {"phrase": "text", "phraseLevel2": "level2", "phraseType": "type"}
USES: Final = (
    "type",
    "entityType",
    "id",
    "tenantId",
    "owner",
    "editors",
    "viewers",
    "createdAt",
    "updatedAt",
    "syncStatus",
    "syncError",
    "title",
    "address",
    "status",
    "content",
    "name",
    "order",
    "description",
    "isActive",
    "category",
    "tags",
    "createdBy",
    "sectionId",
    "elementId",
    "materials",
    "phrase",
    "phraseLevel2",
    "phraseType",
    "associatedMaterialIds",
    "associatedElementIds",
    "associatedComponentIds",
    "imagePath",
    "caption",
    "plan",
)
"""What the flat form may have beside its keys."""
DROPPED: Final = ("version", "__typename", *(f"gsi{number}{part}" for number in range(1, 6) for part in ("pk", "sk")))
"""Keys of its indexes, and a version that counted nothing: the model has its own."""

_KINDS: Final[dict[str, Callable[[Row], Iterator[Entity | Made | Remark]]]] = {
    "Tenant": library_rows.tenant,
    "Survey": survey_rows.survey,
    "SurveyMeta": survey_rows.survey,
    "Section": library_rows.section,
    "Element": library_rows.element,
    "Component": library_rows.component,
    "Phrase": library_rows.phrase,
    "Image": library_rows.image,
}


def flat(item: Row) -> Iterator[Entity | Made | Remark]:
    """Whatever an item of the flat form becomes."""
    kind = _kind(item)
    if kind is None:
        yield Remark("an item of a type that nobody knows is left behind")
        return
    yield from _KINDS[kind](_row(item, kind))


def tenant_of(item: Row) -> str | None:
    """Whose library an item needs; only surveys need one."""
    kind = _kind(item)
    tenant = _row(item, kind).get("tenantId") if kind in ("Survey", "SurveyMeta") else None
    return tenant if tenant and isinstance(tenant, str) else None


def _kind(item: Row) -> str | None:
    named = (item.get("type"), item.get("entityType"))
    return next((kind for kind in named if isinstance(kind, str) and kind in _KINDS), None)


def _row(item: Row, kind: str) -> dict[str, Any]:
    """An item of the flat form as a row of the table that it would be in. What attributes do not tell, the keys do."""
    row = {name: value for name, value in item.items() if name not in _RENAMED and name not in ("type", "pk", "sk")}
    if kind == "Phrase":
        row |= {name: item[flat] for flat, name in _RENAMED.items() if flat in item}
    tenant = str(item["pk"]).removeprefix("TENANT#")
    if kind == "Tenant":
        return {"id": tenant, **row}
    own = {"id": str(item["sk"]).rpartition("#")[2], "tenantId": tenant}
    library = row.get(LIBRARY)
    return own | row | ({LIBRARY: _rows(library)} if isinstance(library, FrozenItems) else {})


_rows_of: list[tuple[FrozenItems, FrozenItems]] = []


def _rows(library: FrozenItems) -> FrozenItems:
    """A tenant's part of the flat table as the rows of the four tables of a library; made once for all surveys of a tenant."""
    known = next((rows for flat, rows in _rows_of if flat is library), None)
    if known is None:
        kinds = {"Section": SECTIONS, "Element": ELEMENTS, "Component": COMPONENTS, "Phrase": PHRASES}
        rows: dict[str, list[dict[str, Any]]] = {name: [] for name in kinds.values()}
        for item in library.items.get("items", []):
            kind = _kind(item)
            if kind in kinds:
                rows[kinds[kind]].append(_row(item, kind))
        known = FrozenItems(library.taken_at, rows)
        _rows_of[:] = [(library, known), *_rows_of[:7]]
    return known
