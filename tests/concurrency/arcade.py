"""A model for races: a score that feeds an index, a unique email, balances, and a document under a version."""

from __future__ import annotations

from pydantic import Field

from tablewright import GSI, Entity, Keys, Query, SoftDelete, Table, attr, query, sparse

arcade = Table("Arcade", indexes=[GSI("GSI1"), GSI("GSI2")])


class Player(Entity, table=arcade):
    """Stands on a board by score, and among the rich by balance."""

    keys = Keys(
        "PLAYER#{player_id}",
        "PLAYER#{player_id}",
        GSI1=("BOARD#{board}", "{score:6}#{player_id}"),
        GSI2=sparse("RICH", "{balance:6}#{player_id}", when=attr("balance") >= 50),
    )
    player_id: str
    board: str | None = "main"
    score: int = Field(default=0, ge=0, le=999_999)
    balance: int = Field(default=0, ge=0, le=999_999)


class Member(Entity, table=arcade):
    """Has an email that nobody else has."""

    keys = Keys("MEMBER#{member_id}", "MEMBER#{member_id}", unique=["email"])
    member_id: str
    email: str | None = None


class Document(Entity, table=arcade, version=True):
    """Many write into it."""

    keys = Keys("DOCUMENT#{document_id}", "DOCUMENT#{document_id}", GSI1=("DOCUMENTS", "{size:6}#{document_id}"))
    document_id: str
    entries: list[str] = Field(default_factory=list)
    size: int = 0


class Gauge(Entity, table=arcade, lock="updated_at"):
    """Locked by the time of its last write."""

    keys = Keys("GAUGE#{gauge_id}", "GAUGE#{gauge_id}")
    gauge_id: str
    count: int = 0
    entries: list[str] = Field(default_factory=list)


class Slip(Entity, table=arcade, soft_delete=SoftDelete()):
    """Deleted and brought back, with a code that nobody else has."""

    keys = Keys("SLIP#{slip_id}", "SLIP#{slip_id}", GSI1=("SLIPS", "{slip_id}"), unique=["code"])
    slip_id: str
    code: str | None = None
    uses: int = 0


@arcade.pattern
def board(name: str) -> Query[Player]:
    "A board by score."
    return query(Player, Player.board == name)


@arcade.pattern
def rich() -> Query[Player]:
    "Players who have much."
    return query(Player, Player.balance >= 50).via("GSI2")
