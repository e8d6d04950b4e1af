"""What outputs are made from: a compiled table, and whatever else is known of it when they are made."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from msgspec import Struct

from tablewright.compiler.plan import TablePlan
from tablewright.compiler.proofs import TableProof, prove
from tablewright.generate.iam.places import Place
from tablewright.lint import Finding, lint
from tablewright.model.table import TableModel
from tablewright.values.types import Item


class Material(Struct, eq=False, dict=True):
    """A table to describe. `items` are samples of what it stores."""

    plan: TablePlan
    items: Sequence[Item] = ()
    tenant_field: str | None = None
    """The field that names the tenant, for a policy that confines each to what is its own."""
    stage: str | None = None
    """The stage that policies are for; without one, they are for any."""
    place: Place = Place()
    """The region and the account that policies are for; without them, they are for any."""

    @property
    def table(self) -> TableModel:
        """The table that the model describes."""
        return self.plan.table

    @cached_property
    def proof(self) -> TableProof:
        """What is proved of its access patterns."""
        return prove(self)

    @cached_property
    def findings(self) -> list[Finding]:
        """What the linter finds in it."""
        return lint(self)
