"""Reads of local indexes: what these do not hold is fetched from the table, item by item."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from tablewright import LSI, Entity, Keys, Query, Table, query
from tablewright.cost.estimating import estimate
from tablewright.values.sizes import item_size

GAME = "g" * 24
PLAYERS = 12
# The type of an item is read with what is asked for.
PROJECTIONS: dict[str, Any] = {"keys": "KEYS_ONLY", "some": ["Type", "name"], "all": "ALL"}
FETCHED = {"keys": {"whole", "names", "texts"}, "some": {"whole", "texts"}, "all": set[str]()}


class Ranks:
    """Players by rank, read whole and in part."""

    def __init__(self, projection: Any, *, consistent: bool) -> None:
        self.table = table = Table("Ranks", indexes=[LSI("LSI1", projection=projection)])

        class Player(Entity, table=table):
            keys = Keys("GAME#{game}", "PLAYER#{name}", LSI1="{rank:4}#{name}")
            game: str
            name: str
            rank: int
            text: str

        class Name(BaseModel):
            name: str

        class Text(BaseModel):
            text: str

        def ranked(game: str) -> Query[Player]:
            found = query(Player, Player.game == game).sorted_by(Player.rank)
            return found.consistent() if consistent else found

        @table.pattern
        def whole(game: str) -> Query[Player]:
            return ranked(game)

        @table.pattern
        def names(game: str) -> Query[Name]:
            return ranked(game).only(Name)

        @table.pattern
        def texts(game: str) -> Query[Text]:
            return ranked(game).only(Text)

        self.Player, self.patterns = Player, (whole, names, texts)


@pytest.mark.parametrize("consistent", [False, True], ids=["eventually", "strongly"])
@pytest.mark.parametrize("text", [100, 1_900, 9_000])
@pytest.mark.parametrize("projection", PROJECTIONS)
def test_what_a_local_index_lacks_is_fetched_item_by_item(projection: str, text: int, consistent: bool) -> None:
    ranks = Ranks(PROJECTIONS[projection], consistent=consistent)
    with ranks.table.open("memory:") as db:
        for rank in range(PLAYERS):
            db.put(ranks.Player(game=GAME, name=f"{rank:024}", rank=rank, text="t" * text))
        size = max(item_size(item) for item in db.send("Scan", {"TableName": "Ranks"})["Items"])
        ranks.table.expect(ranks.Player, size=size, max_size=size, per={"game": PLAYERS})
        for pattern in ranks.patterns:
            ranks.table.expect(pattern, results=PLAYERS)
        proofs = {proof.name: proof.requests[0].read_units_at_worst for proof in ranks.table.prove().patterns}
        costs = {cost.name: cost for cost in estimate(ranks.table).patterns}
        for pattern in ranks.patterns:
            with db.measure() as measured:
                assert len(list(db.run(pattern, GAME))) == PLAYERS
            assert measured.capacity.read == costs[pattern.name].units, pattern.name
            worst = proofs[pattern.name]
            assert worst is not None
            assert measured.capacity.read <= worst
    told = {name for name, cost in costs.items() if any("is fetched from the table" in note for note in cost.assumed)}
    assert told == FETCHED[projection]
