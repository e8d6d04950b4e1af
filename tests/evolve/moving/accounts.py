"""Users with profiles of another table, and with a library that is frozen: a mapping whose functions trust their rows."""

from __future__ import annotations

from typing import Any

from tablewright import Entity, Get, Keys, Table, get
from tablewright.evolve.moving import Frozen, Join, LegacyGet, LegacyScan, Move, Moving, Read

accounts = Table("Accounts")


class User(Entity, table=accounts):
    keys = Keys("USER#{user_id}", "USER")
    user_id: str
    name: str
    bio: str | None = None


@accounts.pattern
def user(user_id: str) -> Get[User]:
    return get(User, User.user_id == user_id)


ONE = Read(User, lambda user_id: LegacyGet("Users", {"id": user_id}), user)
JOIN = Join(
    "Profiles",
    ("id",),
    find=lambda row: {"id": row["profile"]} if "profile" in row else None,
    owner=lambda row: {"id": row["user"]},
    uses=("user", "bio"),
)
LIBRARY = Frozen(
    "library", lambda row: row["tenant"], lambda tenant: {"books": LegacyScan("Books", {"tenant": tenant})}
)


def _moving(**move: Any) -> Moving:
    return Moving("accounts", table=accounts, moves=[Move(**{"table": "Users", "key": ("id",), **move})])


def joined_moving() -> Moving:
    return _moving(
        entity=User,
        fields={"user_id": "id", "name": "name", "bio": lambda row: (row["profile_row"] or {}).get("bio")},
        uses=("profile",),
        joins={"profile_row": JOIN},
    )


def frozen_moving(frozen: Frozen = LIBRARY) -> Moving:
    return _moving(
        split=lambda row: [
            User(user_id=row["id"], name=row["name"], bio=f"{len(row['library'].items['books'])} books")
        ],
        makes=(User,),
        uses=("name", "tenant"),
        frozen=(frozen,),
    )


def definitions() -> list[dict[str, Any]]:
    return [
        {
            "TableName": table,
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "BillingMode": "PAY_PER_REQUEST",
        }
        for table in ("Users", "Profiles", "Books")
    ]
