"""What every operation of a session needs to know, and nothing that does I/O."""

from __future__ import annotations

from dataclasses import dataclass

from tablewright.client.cursors import CursorSeal
from tablewright.client.settings import SessionOptions
from tablewright.compiler.plan import TablePlan
from tablewright.compiler.wirecodec import format_datetime

GUARD_ATTEMPTS = 10


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """The compiled model, the table's name, and the session's options."""

    plan: TablePlan
    table: str
    options: SessionOptions
    seal: CursorSeal

    def now(self) -> str:
        """The time stamp for a write, in the one clock format."""
        return format_datetime(self.options.clock())

    def token(self) -> str:
        """A new idempotency token."""
        return self.options.token()
