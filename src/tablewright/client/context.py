"""What every operation of a session needs to know, and nothing that does I/O."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from tablewright.client.cursors import CursorSeal
from tablewright.client.settings import SessionOptions
from tablewright.compiler.plan import TablePlan
from tablewright.compiler.wirecodec import format_datetime
from tablewright.errors import ArgumentError
from tablewright.model.operations import Collection, Get, Mixed, Op, Query

if TYPE_CHECKING:
    from tablewright.compiler.entity_plan import EntityPlan
    from tablewright.compiler.reads import ReadPlan
    from tablewright.compiler.records import Form

GUARD_ATTEMPTS = 10
GUARD_PAUSE = 0.1
"""Writers that overtake each other wait a tenth of what throttled ones do: the item is free again at once."""


class Place(Struct, frozen=True, eq=False):
    """A table by its name, and the options of whoever opened it."""

    table: str
    options: SessionOptions
    seal: CursorSeal

    def now(self) -> str:
        """The time stamp for a write, in the one clock format."""
        return format_datetime(self.options.clock())

    def token(self) -> str:
        """A new idempotency token."""
        return self.options.token()


class Context(Place, frozen=True, eq=False):
    """The same with the compiled model."""

    plan: TablePlan

    def form(self, plan: EntityPlan) -> Form | None:
        """How items of an entity may be read straight from JSON; None where something looks at them before."""
        return None if self.options.hide_expired or plan.hides is not None else plan.forms.get()

    def compiled(self, operation: Op[Any, Any]) -> ReadPlan:
        """The plan of a read of this table; one of another table is refused."""
        match operation:
            case Get() | Query():
                self.plan.of(operation.entity)
            case Collection():
                for part in operation.parts:
                    self.plan.of(part.query.entity)
            case Mixed():
                for query in operation.queries:
                    self.plan.of(query.entity)
            case _:
                raise ArgumentError(
                    f"{type(operation).__name__} is no read.",
                    hint="Run a pattern, or execute get(...), query(...) or collect(...).",
                )
        return self.plan.read(operation)
