"""What outputs are made from: a compiled table, and whatever else is known of it when they are made."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from tablewright.compiler.plan import TablePlan
from tablewright.model.table import TableModel
from tablewright.values.types import Item


class Material(Struct, eq=False):
    """A table to describe. `items` are samples of what it stores."""

    plan: TablePlan
    items: Sequence[Item] = ()

    @property
    def table(self) -> TableModel:
        """The table that the model describes."""
        return self.plan.table
