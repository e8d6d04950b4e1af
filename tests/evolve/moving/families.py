"""A split and a merge: one legacy item with many children, and two legacy tables that become one entity."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tablewright import Entity, Keys, Table
from tablewright.evolve.moving import Join, Move, Moving

house = Table("House")


class Family(Entity, table=house):
    keys = Keys("FAMILY#{family_id}", "FAMILY")
    family_id: str
    name: str
    motto: str | None = None


class Child(Entity, table=house):
    keys = Keys("FAMILY#{family_id}", "CHILD#{name}")
    family_id: str
    name: str
    age: int = 0


class Account(Entity, table=house):
    keys = Keys("ACCOUNT#{account_id}", "ACCOUNT", unique=["email"])
    account_id: str
    email: str
    theme: str = "light"


def split(item: dict[str, Any]) -> Iterator[Entity]:
    yield Family(family_id=item["id"], name=item["name"])
    for child in item.get("children", []):
        yield Child(family_id=item["id"], **child)


def theme(item: dict[str, Any]) -> str | None:
    settings = item["settings"]
    return None if settings is None else settings.get("theme")


moving = Moving(
    "house",
    table=house,
    moves=[
        Move(
            table="Families",
            key=("id",),
            split=split,
            makes=(Family, Child),
            uses=("name", "children"),
        ),
        Move(
            table="Accounts",
            key=("id",),
            entity=Account,
            fields={"account_id": "id", "email": "email", "theme": theme},
            joins={
                "settings": Join(
                    "Settings",
                    key=("accountId",),
                    find=lambda account: {"accountId": account["id"]},
                    owner=lambda settings: {"id": settings["accountId"]},
                    uses=("theme",),
                )
            },
        ),
    ],
)


def definitions() -> list[dict[str, Any]]:
    return [
        {
            "TableName": table,
            "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": key, "KeyType": "HASH"}],
            "BillingMode": "PAY_PER_REQUEST",
        }
        for table, key in (("Families", "id"), ("Accounts", "id"), ("Settings", "accountId"))
    ]
