"""What outputs are made from: a compiled table, and whatever else is known of it when they are made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from tablewright.compiler.plan import TablePlan
from tablewright.model.table import TableModel
from tablewright.values.types import Item


class Found(Protocol):
    """What documents need of a finding of the linter."""

    @property
    def code(self) -> str:
        """The code of the rule."""
        ...

    @property
    def severity(self) -> str:
        """How bad it is."""
        ...

    @property
    def message(self) -> str:
        """What was found."""
        ...

    @property
    def hint(self) -> str:
        """What to do about it."""
        ...

    @property
    def waived(self) -> str | None:
        """Why it is accepted; None where it is not."""
        ...


class Material(Struct, frozen=True, eq=False):
    """A table to describe. `findings` is None where the linter was not asked; `items` are samples of what it stores."""

    plan: TablePlan
    findings: Sequence[Found] | None = None
    items: Sequence[Item] = ()

    @property
    def table(self) -> TableModel:
        """The table that the model describes."""
        return self.plan.table
