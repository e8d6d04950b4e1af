"""The legacy tables: as many as there are kinds of things, and one of documents that already held two kinds.

Each has the id of its things as key, and an index by tenant and time of change. A survey is one item, whose `content` is a JSON text with
everything in it. Some installations keep the same attributes in one flat table (FLAT) instead.
"""

from typing import Any, Final

TENANTS: Final = "Tenants"
SURVEYS: Final = "Surveys"
SECTIONS: Final = "Sections"
ELEMENTS: Final = "Elements"
COMPONENTS: Final = "Components"
PHRASES: Final = "Phrases"
IMAGES: Final = "ImageMetadata"
DOCUMENTS: Final = "DocumentRecord"
FLAT: Final = "SurveyorFlat"
BY_TENANT: Final = "byTenant"
LATEST: Final = "#LATEST"
"""The sort key of a document as it is now; versions have their number."""

OF_TENANTS: Final = (SURVEYS, SECTIONS, ELEMENTS, COMPONENTS, PHRASES, IMAGES)
"""Tables whose items belong to a tenant, which an index tells."""
NAMES: Final = (TENANTS, *OF_TENANTS, DOCUMENTS)


def definitions(prefix: str = "") -> list[dict[str, Any]]:
    """The CreateTable requests of the legacy application."""
    made = [_table(f"{prefix}{TENANTS}", "id")]
    for name in OF_TENANTS:
        index = {
            "IndexName": BY_TENANT,
            "KeySchema": _keys("tenantId", "updatedAt"),
            "Projection": {"ProjectionType": "ALL"},
        }
        table = _table(f"{prefix}{name}", "id")
        table["AttributeDefinitions"] += _types("tenantId", "updatedAt")
        made.append({**table, "GlobalSecondaryIndexes": [index]})
    made.append(_table(f"{prefix}{DOCUMENTS}", "pk", "sk"))
    return made


def flat_definitions(prefix: str = "") -> list[dict[str, Any]]:
    """The same for the flat form, with the five indexes that it was given."""
    table = _table(f"{prefix}{FLAT}", "pk", "sk")
    names = [(f"gsi{number}pk", f"gsi{number}sk") for number in range(1, 6)]
    table["AttributeDefinitions"] += _types(*(name for pair in names for name in pair))
    table["GlobalSecondaryIndexes"] = [
        {"IndexName": f"GSI{number}", "KeySchema": _keys(*pair), "Projection": {"ProjectionType": "ALL"}}
        for number, pair in enumerate(names, 1)
    ]
    return [table]


def _table(name: str, *keys: str) -> dict[str, Any]:
    return {
        "TableName": name,
        "AttributeDefinitions": _types(*keys),
        "KeySchema": _keys(*keys),
        "BillingMode": "PAY_PER_REQUEST",
    }


def _types(*names: str) -> list[dict[str, str]]:
    return [{"AttributeName": name, "AttributeType": "S"} for name in names]


def _keys(*names: str) -> list[dict[str, str]]:
    return [{"AttributeName": name, "KeyType": kind} for name, kind in zip(names, ("HASH", "RANGE"), strict=False)]
