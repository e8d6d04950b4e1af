"""Made-up rows of the legacy tables, for tests, demos and benchmarks: ordinary ones, odd ones that still can be moved, and hopeless ones."""

import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any, Final

from tablewright.values.wire import to_wire_item

from .tables import (
    COMPONENTS,
    DOCUMENTS,
    ELEMENTS,
    FLAT,
    IMAGES,
    LATEST,
    NAMES,
    PHRASES,
    SECTIONS,
    SURVEYS,
    TENANTS,
)

Rows = dict[str, list[dict[str, Any]]]
START: Final = datetime(2024, 1, 1, tzinfo=UTC)
STATUSES: Final = ("draft", "in_progress", "completed", "published", "archived")
"""Of both lists that the legacy application had, one for its types and one for what it checked."""
CONDITIONS: Final = ("Excellent", "Good", "Fair", "Poor", "N/A")
_WORDS: Final = [
    "tile",
    "slate",
    "ridge",
    "gutter",
    "brick",
    "joint",
    "render",
    "damp",
    "crack",
    "vent",
    "flue",
    "beam",
    "joist",
    "sill",
    "lintel",
]
_MATERIALS: Final = ("Clay", "Concrete", "Slate", "Lead", "Steel", "Lime")


def rows(
    seed: int = 1,
    *,
    tenants: int = 2,
    surveys: int = 3,
    sections: int = 3,
    elements: int = 3,
    components: int = 2,
    phrases: int = 6,
    images: int = 3,
    documents: int = 2,
    words: int = 12,
    statuses: tuple[str, ...] = STATUSES,
) -> Rows:
    """Ordinary rows of some tenants; `surveys` and what follows are numbers for each tenant, survey, section and so on."""
    made: Rows = {name: [] for name in NAMES}
    for number in range(tenants):
        _Tenant(Random(f"{seed} {number}"), f"tenant-{number}", words, statuses, made).fill(  # noqa: S311 - no secrets
            surveys, (sections, elements, components), phrases, images, documents
        )
    return made


class _Tenant:
    def __init__(self, random: Random, tenant: str, words: int, statuses: tuple[str, ...], made: Rows) -> None:
        self.random = random
        self.tenant = tenant
        self.words = words
        self.statuses = statuses
        self.made = made
        self.minute = 0

    def fill(self, surveys: int, shape: tuple[int, int, int], phrases: int, images: int, documents: int) -> None:
        self.made[TENANTS].append({"id": self.tenant, "name": self.tenant.title(), **self._times()})
        sections, elements, components = shape
        for s in range(sections):
            section = f"{self.tenant}-sec{s}"
            self._add(SECTIONS, id=section, name=f"Section {s}", order=s, description=self._text(4), createdBy="ann")
            for e in range(elements):
                element = f"{section}-el{e}"
                self._add(ELEMENTS, id=element, sectionId=section, name=f"Element {e}", order=e, description="")
                for c in range(components):
                    used = [{"name": name} for name in self.random.sample(_MATERIALS, 2)]
                    self._add(
                        COMPONENTS, id=f"{element}-co{c}", elementId=element, name=f"Component {c}", materials=used
                    )
        for number in range(phrases):
            self._phrase(number, sections, elements, components)
        for number in range(images):
            self._add(IMAGES, id=f"{self.tenant}-im{number}", imagePath=f"{self.tenant}/{number}.jpg", caption="Seen")
        for number in range(surveys):
            self._survey(number, shape)
        for number in range(documents):
            self._document(number)

    def _phrase(self, number: int, sections: int, elements: int, components: int) -> None:
        section = f"{self.tenant}-sec{number % max(sections, 1)}"
        element = f"{section}-el{number % max(elements, 1)}"
        self._add(
            PHRASES,
            id=f"{self.tenant}-ph{number}",
            name=f"Phrase {number}",
            type=("Defect", "Condition")[number % 2],
            text=self._text(8),
            associatedElementIds=[element],
            associatedComponentIds=[f"{element}-co{number % max(components, 1)}"],
            associatedMaterialIds=["clay"],
            **({"level2": self._text(5)} if number % 3 == 0 else {}),
        )

    def _survey(self, number: int, shape: tuple[int, int, int]) -> None:
        content = {
            "title": f"{number} {self.random.choice(_WORDS).title()} Street",
            "address": f"{number} Street",
            "clientName": "Ms Okafor",
            "surveyDate": ("2024-05-06", "2024-05-06T07:08:09Z")[number % 2],
            "status": self.statuses[number % len(self.statuses)],
            "sections": [self._section(s, shape) for s in range(shape[0])],
        }
        self._add(
            SURVEYS,
            id=f"{self.tenant}-su{number}",
            owner=("ann", "bob")[number % 2],
            editors=["cleo"] if number % 2 else [],
            viewers=["dan", "eva"][: number % 3],
            syncStatus=("synced", "pending", "failed")[number % 3],
            content=json.dumps(content),
            **({"syncError": "The device was offline."} if number % 3 == 2 else {}),
        )

    def _section(self, s: int, shape: tuple[int, int, int]) -> dict[str, Any]:
        section: dict[str, Any] = {
            "id": f"sec{s}",
            "name": f"Section {s}",
            "order": s,
            "notes": self._text(self.words),
            "condition": self.random.choice(CONDITIONS),
            "photos": [f"photo-{s}"],
            "elements": [self._element(s, e, shape[2]) for e in range(shape[1])],
        }
        if s % 2 == 0:
            section |= {"completedAt": _iso(START + timedelta(days=s)), "completedBy": "ann"}
        return section

    def _element(self, s: int, e: int, components: int) -> dict[str, Any]:
        return {
            "id": f"el{s}-{e}",
            "name": f"Element {e}",
            "order": e,
            "condition": self.random.choice(CONDITIONS),
            "defects": [f"{self.tenant}-ph0"],
            "notes": self._text(self.words),
            "photos": [],
            "measurements": {"area": "150 sqm", "pitch": "30 degrees"},
            "components": [
                {
                    "id": f"co{s}-{e}-{c}",
                    "name": f"Component {c}",
                    "material": self.random.choice(_MATERIALS),
                    "condition": self.random.choice(CONDITIONS),
                    "age": "15 years",
                    "lastMaintenance": "2020",
                    "defects": [],
                    "notes": self._text(self.words),
                    "photos": [],
                    "createdAt": _iso(START + timedelta(hours=c)),
                }
                for c in range(components)
            ],
        }

    def _document(self, number: int) -> None:
        document = f"doc{number}"
        about = {"title": f"Terms {number}"}
        key = f"{self.tenant}#{document}"
        for version in range(1, 4):
            told = about | {"version": version, "path": f"terms/{number}/{version}.pdf"} | self._times()
            self.made[DOCUMENTS].append({"pk": key, "sk": str(version), **told})
            if version == 3:
                self.made[DOCUMENTS].append({"pk": key, "sk": LATEST, **told})

    def _add(self, table: str, **row: Any) -> None:
        self.made[table].append({"tenantId": self.tenant, **row, **self._times()})

    def _times(self) -> dict[str, str]:
        self.minute += 1
        return {
            "createdAt": _iso(START + timedelta(minutes=self.minute)),
            "updatedAt": _iso(START + timedelta(days=30, minutes=self.minute)),
        }

    def _text(self, words: int) -> str:
        return " ".join(self.random.choices(_WORDS, k=words)).capitalize() + "."


def _iso(at: datetime) -> str:
    """As JavaScript writes it."""
    return at.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def odd_rows() -> Rows:
    """Rows of one tenant with everything that legacy data had: each of them can be moved, and is remarked on."""
    tenant, times = "odd#tenant%", {"createdAt": "2024-02-01T00:00:00Z", "updatedAt": "2024-02-02T00:00:00Z"}
    of: dict[str, Any] = {"tenantId": tenant, **times}
    ids = ("plain", "with#hash", "with%percent", "ünï-cödé", "x" * 300)
    people: dict[str, Any] = {"owner": "ann", "syncStatus": "synced"}
    component = {"id": "tile", "name": "Tile"}
    same = {"id": "cover", "name": "Cover", "components": [component, component, {"name": "No id"}]}
    surveys: list[dict[str, Any]] = [
        *({"id": f"odd-{each}", "content": json.dumps({"title": "T", "sections": []}), **people} for each in ids),
        {"id": "no-content", **people},
        {"id": "empty-content", "content": "", **people},
        {"id": "broken-content", "content": '{"title": "Cut o', **people},
        {"id": "not-a-survey", "content": "[1, 2]", **people},
        {
            "id": "twice-json",
            "content": json.dumps(json.dumps({"title": "Twice", "sections": [{"id": "a"}]})),
            **people,
        },
        {"id": "a-map", "content": {"title": "As a map", "sections": [{"id": "a", "order": Decimal(4)}]}, **people},
        {"id": "nobody", "content": json.dumps({"title": "Nobody's"})},
        {
            "id": "roles",
            "content": json.dumps({"title": "Roles"}),
            **people,
            "editors": ["ann", "bob", "bob", 7, "b#b"],
            "viewers": ["bob", "cleo", ""],
            "syncStatus": "lost",
            "syncError": "",
        },
        {
            "id": "twins",
            "content": json.dumps(
                {
                    "title": "Twins",
                    "sections": [
                        {"id": "roof", "name": "Roof", "elements": [same, same, {"id": "", "name": "Empty id"}]},
                        {"id": "wall", "name": "Wall", "elements": [same]},
                        {"id": "roof", "name": "Roof again", "completedAt": "2024-03-01"},
                        "no section",
                        {"name": "Without an id", "order": "2", "elements": "none"},
                        *({"id": each, "name": "Odd id", "order": 1.5} for each in ids[1:]),
                        {"id": "far", "name": "Beyond all numbers", "order": 10**400},
                    ],
                }
            ),
            **people,
        },
        {
            "id": "missing-fields",
            "content": json.dumps(
                {
                    "surveyDate": "some day",
                    "status": "unheard-of",
                    "sections": [
                        {
                            "id": "a",
                            "order": "first",
                            "condition": "Superb",
                            "photos": "none",
                            "notes": 5,
                            "completedAt": "soon",
                            "elements": [
                                {
                                    "id": "e",
                                    "order": float("nan"),
                                    "defects": ["d", None, "d"],
                                    "measurements": {"area": 150, "pitch": {"of": 1}, "": "nameless"},
                                    "materials": [{"name": "Clay"}, "Lime", {"no": "name"}],
                                    "notes": "half a \ud800 character",
                                    "components": [{"id": "c", "age": 15, "specifications": [1]}],
                                }
                            ],
                        }
                    ],
                }
            ),
            **people,
        },
    ]
    made: Rows = {name: [] for name in NAMES}
    made[TENANTS] = [{"id": tenant, "name": "Odd", **times}, {"id": "bare"}]
    made[SURVEYS] = [{**of, **row} for row in surveys]
    made[SURVEYS].append({"id": "timeless", "tenantId": tenant, "content": "{}", **people})
    made[SURVEYS].append({"id": "wrong-times", **of, "createdAt": "yesterday", "content": "{}", **people})
    made[SECTIONS] = [
        {**of, "id": "bare-section"},
        {
            **of,
            "id": "lib#1",
            "name": "Odd",
            "order": Decimal("2.5"),
            "isActive": False,
            "tags": ["a", 1],
            "category": "",
        },
        {"tenantId": tenant, "id": "timeless-section", "name": "In no index", "order": 1},
    ]
    made[ELEMENTS] = [
        {**of, "id": "lib#e", "sectionId": "lib#1", "name": "Odd", "order": 0},
        {**of, "id": "lost", "name": "No section", "order": 0},
        {"tenantId": tenant, "id": "timeless-element", "sectionId": "timeless-section", "name": "Nor this", "order": 1},
    ]
    made[COMPONENTS] = [
        {**of, "id": "lib#c", "elementId": "lib#e", "name": "Odd", "materials": ["Clay", {"name": "Lime"}]},
        {"tenantId": tenant, "id": "timeless-component", "elementId": "timeless-element", "name": "Nor this"},
    ]
    made[PHRASES] = [
        {**of, "id": "ph#1", "name": "Odd", "type": "Defect", "text": "T", "associatedElementIds": ["lib#e", "lib#e"]},
        {"tenantId": tenant, "id": "timeless-phrase", "name": "Nor this", "type": "Condition", "text": "T"},
        {**of, "id": "neither", "name": "Neither", "type": "Remark", "text": "T"},
        {**of, "id": "untyped", "name": "Untyped", "text": "T"},
    ]
    made[IMAGES] = [{**of, "id": "im#1", "imagePath": "a.jpg"}, {**of, "id": "im-2"}]
    made[DOCUMENTS] = [
        {"pk": "odd#d1", "sk": LATEST, "tenantId": tenant, "documentId": "d1", "title": "Only the latest", **times},
        {"pk": f"{tenant}#d2", "sk": "2", "tenantId": tenant, "documentId": "d2", "version": 2, **times},
        {"pk": f"{tenant}#d2", "sk": "draft", "tenantId": tenant, "documentId": "d2", **times},
    ]
    return made


def hopeless_rows() -> Rows:
    """Rows that nothing can be made of until somebody mends them: without a tenant, or too long for the model."""
    made: Rows = {name: [] for name in NAMES}
    section = {"id": "a", "name": "A", "notes": "n" * 5001}
    made[SURVEYS] = [
        {"id": "no-tenant", "content": "{}", "owner": "ann"},
        {"id": "long-notes", "tenantId": "tenant-0", "content": json.dumps({"title": "T", "sections": [section]})},
    ]
    made[SECTIONS] = [{"id": "long-name", "tenantId": "tenant-0", "updatedAt": _iso(START), "name": "n" * 101}]
    return made


def as_flat(made: Rows) -> Rows:
    """The same rows in the flat form; documents stay in their own table."""
    kinds = {SURVEYS: "SurveyMeta", SECTIONS: "Section", ELEMENTS: "Element", COMPONENTS: "Component"}
    kinds |= {PHRASES: "Phrase", IMAGES: "Image"}
    prefixes = {"SurveyMeta": "SURVEY"}
    items: list[dict[str, Any]] = []
    for row in made[TENANTS]:
        key = f"TENANT#{row['id']}"
        items.append({"pk": key, "sk": "METADATA", "type": "Tenant", **{n: v for n, v in row.items() if n != "id"}})
    for table, kind in kinds.items():
        for row in made[table]:
            name = prefixes.get(kind, kind.upper())
            item = {
                "pk": f"TENANT#{row['tenantId']}",
                "sk": f"{name}#{row['id']}",
                "type": kind,
                "entityType": kind,
                **row,
            }
            if kind == "Phrase":
                renamed = {"text": "phrase", "level2": "phraseLevel2", "type": "phraseType"}
                item = {renamed.get(n, n): v for n, v in item.items()} | {"type": kind}
                item |= {"phraseType": row["type"]} if "type" in row else {}
            if "materials" in item:
                item["materials"] = json.dumps(item["materials"])
            if "order" in item:
                item["order"] = Decimal(str(item["order"]))
            items.append(item | {"gsi4pk": f"TENANT#{row['tenantId']}", "version": 1})
    return {FLAT: items, DOCUMENTS: made[DOCUMENTS]}


def fill(send: Callable[[str, dict[str, Any]], dict[str, Any]], made: Rows, prefix: str = "") -> int:
    """Writes rows as the legacy application of yesterday did; how many."""
    count = 0
    for table, some in made.items():
        for batch in _chunks(some, 25):
            puts = [{"PutRequest": {"Item": to_wire_item(row)}} for row in batch]
            left = {f"{prefix}{table}": puts}
            while left:
                left = send("BatchWriteItem", {"RequestItems": left}).get("UnprocessedItems", {})
            count += len(batch)
    return count


def _chunks(some: list[dict[str, Any]], size: int) -> Iterable[list[dict[str, Any]]]:
    return (some[at : at + size] for at in range(0, len(some), size))
