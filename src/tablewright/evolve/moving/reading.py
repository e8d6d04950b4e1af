"""Reads that both sides can answer: what the legacy application asks, and the pattern of the model that takes its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar, cast

from msgspec import Struct

from tablewright.errors import DecodeError
from tablewright.evolve.moving.asking import LegacyGet, LegacyQuery
from tablewright.evolve.moving.deriving import Unfit, entities_of, legacy_key
from tablewright.evolve.moving.gathering import state_of
from tablewright.evolve.moving.sides import Place, Walk
from tablewright.model.entity import Entity
from tablewright.model.operations import Op
from tablewright.model.pattern import Pattern

E = TypeVar("E", bound=Entity)


class Read(Struct, Generic[E], frozen=True):
    """One read of the application, on both sides. Its arguments are the pattern's."""

    entity: type[E]
    legacy: Callable[..., LegacyGet | LegacyQuery]
    new: Pattern[..., Op[Any, Any]]
    ordered: bool = True
    """Whether the order of the answer matters."""
    keep: Callable[..., bool] | None = None
    """Which of the entities that the legacy items become are meant, where not all are: it gets an entity and the arguments."""

    @property
    def name(self) -> str:
        """How reports call it."""
        return self.new.name


def read_legacy(place: Place, read: Read[E], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Walk[list[E]]:
    """What the legacy tables answer, as the entities that their items become."""
    asked = read.legacy(*args, **kwargs)
    items = yield from asked.items()
    answer: list[E] = []
    for item in items:
        for move in place.moving.moves:
            if move.table != asked.table or read.entity not in move.entities:
                continue
            try:
                state, _ = yield from state_of(place, move, item)
                made = entities_of(move, state)
            except Unfit as error:
                raise DecodeError(
                    f"An item of {move.table} cannot become what its move says: {error.reason}",
                    hint="Mend it or the move. plan() tells the keys of all such items to bad_row=; that of this one is in the context of "
                    "the error.",
                    context={"table": move.table, "key": legacy_key(move, item)},
                ) from None
            answer += cast("list[E]", [entity for entity in made if isinstance(entity, read.entity)])
    return answer if read.keep is None else [each for each in answer if read.keep(each, *args, **kwargs)]
