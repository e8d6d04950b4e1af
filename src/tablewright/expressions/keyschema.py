"""Which attributes are the key of a table or index, for the checks of expressions that name them."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct


class KeySchema(Struct, frozen=True):
    """The key attributes of a table or of one index, in order, with their types (S, N or B).

    `index_name` is None for the table itself.
    """

    hash: tuple[str, ...]
    range: tuple[str, ...] = ()
    types: Mapping[str, str] | None = None
    index_name: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """HASH attributes, then RANGE attributes."""
        return self.hash + self.range
