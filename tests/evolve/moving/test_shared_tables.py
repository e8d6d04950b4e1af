"""One legacy table that two moves read, each some of its items: what changes from one to the other keeps its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from tablewright import Entity, Keys, Table
from tablewright.engine import Engine, open_engine
from tablewright.evolve.moving import Move, Moving, MovingSession, open_moving
from tests.evolve.moving.conftest import AT_ONCE
from tests.evolve.moving.merchants import Clock
from tests.evolve.moving.people import old_table

clients = Table("Clients")


class Client(Entity, table=clients):
    keys = Keys("CLIENT#{client_id}", "CLIENT", unique=["name"])
    client_id: str
    name: str
    terms: str


def of_kind(kind: str, terms: str) -> Callable[[dict[str, Any]], Iterator[Client]]:
    def split(item: dict[str, Any]) -> Iterator[Client]:
        if item["kind"] == kind:
            yield Client(client_id=item["id"], name=item["name"], terms=terms)

    return split


moving = Moving(
    "clients",
    table=clients,
    moves=[
        Move(
            table="Old",
            key=("id",),
            split=of_kind(kind, terms),
            makes=(Client,),
            uses=("kind", "name"),
            name=kind,
        )
        for kind, terms in (("plain", "30 days"), ("big", "90 days"))
    ],
    safety_period=timedelta(0),
)


@pytest.fixture(params=["together", "apart"])
def session(request: pytest.FixtureRequest) -> Iterator[MovingSession]:
    with open_engine("memory:") as new, open_engine("memory:") as other:
        beside: Engine | None = None if request.param == "together" else other
        (beside or new).execute("CreateTable", old_table())
        clock = Clock()
        with open_moving(moving, new, legacy=beside, clock=clock, retry=AT_ONCE) as made:
            made.prepare()
            made.advance("dual")
            clock.pass_(seconds=11)
            yield made


def test_an_item_of_another_kind(session: MovingSession) -> None:
    session.put("Old", {"id": "1", "kind": "plain", "name": "Ada"})
    assert session.verify().well
    for kind in ("big", "plain", "big", "none of both", "plain"):
        session.update("Old", {"id": "1"}, set={"kind": kind})
        assert session.repair().exit_code == 0
        found = session.verify()
        assert found.well, found.text()
        assert sum(tally.found for tally in found.entities.values()) == 2 * (
            kind in ("plain", "big")
        )  # with the marker
