"""What the legacy rows say, worked out once more in plain Python, from the rows alone: it knows neither mapping nor model.

Every answer is made of dicts as `model_dump()` gives them. Nothing here may be imported from the legacy package but its rows.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import defaultdict
from datetime import UTC, date, datetime
from typing import Any

Facts = dict[str, Any]
CONDITIONS = {"Excellent", "Good", "Fair", "Poor", "N/A"}
STATUSES = {"draft", "in_progress", "completed", "published", "archived"}


def an_id(raw: Any) -> str:
    text = str(raw)
    if re.fullmatch("[-A-Za-z0-9_.~]+", text) and len(text) <= 36:
        return text
    return hashed(text)


def hashed(text: str) -> str:
    return "id-" + hashlib.sha256(text.encode()).hexdigest()[:32]


def words(raw: Any) -> str:
    """Text, also of a number; half characters are two or three marks of their own."""
    if isinstance(raw, str):
        return re.sub("[\ud800-\udfff]", "\ufffd" * 3, raw)
    return str(raw) if isinstance(raw, int | float) and not isinstance(raw, bool) else ""


def place(raw: Any) -> int:
    try:
        number = float(raw)
    except (TypeError, ValueError, OverflowError):
        return 0
    return 0 if math.isnan(number) else int(number)


def moment(raw: Any) -> datetime | None:
    try:
        found = datetime.fromisoformat(raw)
    except (TypeError, ValueError):
        return None
    return found.replace(tzinfo=found.tzinfo or UTC)


def day(raw: Any) -> date | datetime | None:
    if isinstance(raw, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", raw):
        return date.fromisoformat(raw)
    return moment(raw)


def listed(raw: Any) -> list[Any]:
    return raw if isinstance(raw, list) else []


def some_ids(raw: Any) -> list[str]:
    found: list[str] = []
    for each in listed(raw):
        if (isinstance(each, str) and each) or isinstance(each, int):
            named = an_id(each)
            if named not in found:
                found.append(named)
    return found


def texts_by_name(raw: Any) -> dict[str, str]:
    if not isinstance(raw, dict):
        return {}
    return {name: words(each) for name, each in raw.items() if name and not isinstance(each, dict | list)}


def names_of(raw: Any) -> list[str]:
    found = [each.get("name") if isinstance(each, dict) else each for each in listed(raw)]
    return [each for each in found if each]


class Truth:
    """All rows of all tables, and when the library was frozen for each tenant."""

    def __init__(self, rows: dict[str, list[Facts]], taken_at: dict[str, datetime]) -> None:
        self.rows = rows
        self.taken_at = taken_at

    def of(self, table: str, tenant: str) -> list[Facts]:
        return [row for row in self.rows[table] if row["tenantId"] == tenant]

    @staticmethod
    def changed(row: Facts) -> datetime:
        return moment(row.get("updatedAt")) or moment(row.get("createdAt")) or datetime(1970, 1, 1, tzinfo=UTC)

    @staticmethod
    def made(row: Facts) -> datetime:
        return moment(row.get("createdAt")) or moment(row.get("updatedAt")) or datetime(1970, 1, 1, tzinfo=UTC)

    # ------------------------------------------------------------------------------------------------------ tenants

    def tenants(self) -> list[Facts]:
        return [
            {"tenant_id": row["id"], "name": row.get("name") or "Unnamed", "plan": row.get("plan") or "free"}
            for row in self.rows["Tenants"]
        ]

    # ------------------------------------------------------------------------------------------------------ surveys

    def surveys(self, tenant: str) -> list[Facts]:
        return sorted((self.survey(row) for row in self.of("Surveys", tenant)), key=lambda facts: facts["survey_id"])

    def content(self, row: Facts) -> Facts:
        said = row.get("content")
        for _ in range(2):
            if isinstance(said, str):
                try:
                    said = json.loads(said)
                except ValueError:
                    return {}
        return said if isinstance(said, dict) else {}

    def survey(self, row: Facts) -> Facts:
        said, people, tree = self.content(row), self.people(row), self.tree(row)
        role = defaultdict(list)
        for who, what in people.items():
            role[what].append(who)
        return {
            "tenant_id": row["tenantId"],
            "survey_id": an_id(row["id"]),
            "title": said.get("title") or "Untitled",
            "address": said.get("address") or "",
            "client_name": said.get("clientName") or "",
            "survey_date": day(said.get("surveyDate")),
            "status": said.get("status") if said.get("status") in STATUSES else "draft",
            "owner": role["owner"][0],
            "editors": role["editor"],
            "viewers": role["viewer"],
            "current_config": self.taken_at[row["tenantId"]],
            "section_count": len(tree),
            "completed_sections": len([section for section, _ in tree if section["completed_at"]]),
            "last_mutation_id": 0,
            "sync_status": row["syncStatus"] if row.get("syncStatus") in ("synced", "failed") else "pending",
            "sync_error": row.get("syncError") or None,
        }

    def people(self, row: Facts) -> dict[str, str]:
        people = {an_id(row["owner"]) if row.get("owner") else "unknown": "owner"}
        for each in some_ids(row.get("editors")):
            people.setdefault(each, "editor")
        for each in some_ids(row.get("viewers")):
            people.setdefault(each, "viewer")
        return people

    def tree(self, row: Facts) -> list[tuple[Facts, list[tuple[Facts, list[Facts]]]]]:
        """Sections, elements and components, each level in its order."""
        of = {"tenant_id": row["tenantId"], "survey_id": an_id(row["id"])}
        synced = {"sync_status": "synced", "sync_error": None}
        tree = []
        for section_id, path, s in self.told_apart(self.content(row).get("sections"), "section", ""):
            section = {
                **of,
                "section_id": section_id,
                "name": words(s.get("name")) or "Unnamed",
                "position": place(s.get("order")),
                "notes": words(s.get("notes")),
                "condition": s.get("condition") if s.get("condition") in CONDITIONS else "N/A",
                "photos": listed(s.get("photos")),
                "completed_at": moment(s.get("completedAt")),
                "completed_by": an_id(s["completedBy"]) if s.get("completedBy") else None,
                **synced,
            }
            below = []
            for element_id, deeper, e in self.told_apart(s.get("elements"), "element", path):
                element = {
                    **of,
                    "section_id": section_id,
                    "element_id": element_id,
                    "name": words(e.get("name")) or "Unnamed",
                    "position": place(e.get("order")),
                    "condition": e.get("condition") if e.get("condition") in CONDITIONS else "N/A",
                    "defects": some_ids(e.get("defects")),
                    "notes": words(e.get("notes")),
                    "photos": listed(e.get("photos")),
                    "measurements": texts_by_name(e.get("measurements")),
                    "materials": names_of(e.get("materials")),
                    **synced,
                }
                parts = [
                    {
                        **of,
                        "section_id": section_id,
                        "element_id": element_id,
                        "component_id": component_id,
                        "name": words(c.get("name")) or "Unnamed",
                        "position": number,
                        "material": words(c.get("material")) or "Unknown",
                        "condition": c.get("condition") if c.get("condition") in CONDITIONS else "N/A",
                        "age": words(c.get("age")) or "Unknown",
                        "last_maintenance": words(c.get("lastMaintenance")) or None,
                        "defects": some_ids(c.get("defects")),
                        "notes": words(c.get("notes")),
                        "photos": listed(c.get("photos")),
                        "specifications": texts_by_name(c.get("specifications")),
                        **synced,
                    }
                    for number, (component_id, _, c) in enumerate(
                        self.told_apart(e.get("components"), "component", deeper)
                    )
                ]
                below.append((element, parts))
            below.sort(key=lambda pair: (pair[0]["position"], pair[0]["element_id"]))
            tree.append((section, below))
        return sorted(tree, key=lambda pair: (pair[0]["position"], pair[0]["section_id"]))

    @staticmethod
    def told_apart(raw: Any, kind: str, path: str) -> list[tuple[str, str, Facts]]:
        """Each thing of a list with an id that no other below the same parent has."""
        found: list[tuple[str, str, Facts]] = []
        seen: dict[str, int] = defaultdict(int)
        things = [each for each in listed(raw) if isinstance(each, dict)]
        for number, each in enumerate(things):
            here = f"{path}/{number}" if path else str(number)
            own = an_id(each["id"]) if each.get("id") else hashed(f"{kind} {here}")
            seen[own] += 1
            found.append((own if seen[own] == 1 else hashed(f"{own} {seen[own]}"), here, each))
        return found

    def created(self, row: Facts) -> dict[tuple[str, ...], datetime]:
        """When each part of a survey was made: as it says, or with the survey."""
        found: dict[tuple[str, ...], datetime] = {}
        for section_id, path, s in self.told_apart(self.content(row).get("sections"), "section", ""):
            found[section_id,] = moment(s.get("createdAt")) or self.made(row)
            for element_id, deeper, e in self.told_apart(s.get("elements"), "element", path):
                found[section_id, element_id] = moment(e.get("createdAt")) or self.made(row)
                for component_id, _, c in self.told_apart(e.get("components"), "component", deeper):
                    found[section_id, element_id, component_id] = moment(c.get("createdAt")) or self.made(row)
        return found

    # ------------------------------------------------------------------------------------------------------ library

    def sections(self, tenant: str) -> list[Facts]:
        made = [
            {
                "tenant_id": tenant,
                "section_id": an_id(row["id"]),
                "name": row.get("name") or "Unnamed",
                "position": place(row.get("order")),
                "description": row.get("description") or "",
                "active": row.get("isActive") is not False,
                "category": row.get("category") or "General",
                "tags": [words(tag) for tag in row.get("tags", [])],
                "created_by": row.get("createdBy"),
                "sync_status": "synced",
                "sync_error": None,
            }
            for row in self.of("Sections", tenant)
        ]
        return sorted(made, key=lambda facts: (facts["position"], facts["section_id"]))

    def elements(self, tenant: str) -> list[Facts]:
        made = [
            {
                "tenant_id": tenant,
                "element_id": an_id(row["id"]),
                "section_id": an_id(row["sectionId"]) if row.get("sectionId") else "none",
                "name": row["name"],
                "position": place(row.get("order")),
                "description": row.get("description") or "",
                "sync_status": "synced",
                "sync_error": None,
            }
            for row in self.of("Elements", tenant)
        ]
        return sorted(made, key=lambda facts: (facts["position"], facts["element_id"]))

    def components(self, tenant: str) -> list[Facts]:
        made = [
            {
                "tenant_id": tenant,
                "component_id": an_id(row["id"]),
                "element_id": an_id(row["elementId"]),
                "name": row["name"],
                "position": 0,
                "materials": [{"name": name} for name in names_of(row.get("materials"))],
                "sync_status": "synced",
                "sync_error": None,
            }
            for row in self.of("Components", tenant)
        ]
        return sorted(made, key=lambda facts: facts["component_id"])

    def phrases(self, tenant: str, kind: str) -> list[Facts]:
        made = [
            {
                "tenant_id": tenant,
                "kind": kind,
                "phrase_id": an_id(row["id"]),
                "name": row["name"],
                "text": row["text"],
                "level2": row.get("level2"),
                "element_ids": some_ids(row.get("associatedElementIds")),
                "component_ids": some_ids(row.get("associatedComponentIds")),
                "material_ids": some_ids(row.get("associatedMaterialIds")),
                "sync_status": "synced",
                "sync_error": None,
            }
            for row in self.of("Phrases", tenant)
            if row.get("type") == kind
        ]
        return sorted(made, key=lambda facts: facts["phrase_id"])

    def snapshot(self, tenant: str) -> tuple[list[Any], dict[str, list[str]]]:
        """The library as a tree of names, and the phrases of each kind."""
        elements, components = self.elements(tenant), self.components(tenant)
        tree = [
            (
                section["section_id"],
                section["name"],
                [
                    (
                        element["element_id"],
                        element["position"],
                        [
                            (each["component_id"], [m["name"] for m in each["materials"]])
                            for each in components
                            if each["element_id"] == element["element_id"]
                        ],
                    )
                    for element in elements
                    if element["section_id"] == section["section_id"]
                ],
            )
            for section in self.sections(tenant)
        ]
        kinds = {kind: [p["phrase_id"] for p in self.phrases(tenant, kind)] for kind in ("Condition", "Defect")}
        return tree, {kind: ids for kind, ids in kinds.items() if ids}

    # ------------------------------------------------------------------------------------------------- images, documents

    def images(self, tenant: str) -> list[Facts]:
        made = [
            {
                "tenant_id": tenant,
                "image_id": an_id(row["id"]),
                "image_path": row.get("imagePath") or "",
                "caption": row.get("caption") or "",
            }
            for row in self.of("ImageMetadata", tenant)
        ]
        return sorted(made, key=lambda facts: facts["image_id"])

    def documents(self, tenant: str) -> tuple[dict[str, Facts], dict[str, list[Facts]]]:
        """Documents as they are now, and their versions, newest first, by document."""
        latest: dict[str, Facts] = {}
        versions: dict[str, list[Facts]] = defaultdict(list)
        for row in self.rows["DocumentRecord"]:
            owner, _, document = row["pk"].partition("#")
            owner, document = row.get("tenantId", owner), an_id(row.get("documentId", document))
            of = {"tenant_id": owner, "document_id": document}
            facts = {**of, "title": row.get("title", ""), "path": row.get("path", "")}
            if owner != tenant:
                continue
            if row["sk"] == "#LATEST":
                latest[document] = {**facts, "number": row.get("version", 1)}
            elif row["sk"].isdigit():
                versions[document].append({**facts, "number": int(row["sk"])})
        for each in versions.values():
            each.sort(key=lambda facts: -facts["number"])
        return latest, versions
