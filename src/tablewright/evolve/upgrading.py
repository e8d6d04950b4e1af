"""Upgrading all items of an entity: the work of a job that goes through the table and leaves no older version behind."""

from __future__ import annotations

from typing import Any

from tablewright.client.writes.action import Action
from tablewright.client.writes.upgrade import Upgraded, upgraded
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import ArgumentError, DecodeError, ModelError, ValidationError
from tablewright.evolve.jobs.work import Again, Decision, Met, Skipped, Writes
from tablewright.expressions import ExpressionBuilder, ast
from tablewright.expressions.builder import all_of, any_of
from tablewright.values.types import Item

HELD = "a unique value that it would have is held by another item"
UNFIT = (DecodeError, ModelError, ValidationError)
"""What an item meets of which no current one can be made, or none that could be stored."""


class Upgrade:
    """Makes current items of the older ones of an entity, with their index keys and unique values. `table` is the name that
    the table has where it is."""

    def __init__(self, plan: EntityPlan, table: str) -> None:
        versions = plan.versions
        if versions is None or not versions.upcasts:
            raise ArgumentError(
                f"There is nothing to upgrade {plan.name} by.",
                hint=f"Declare @table.upcast({plan.name}, 1), and schema_version=2 on the class. Where the version is a label only, "
                "no item has to be upgraded: take the step out.",
            )
        versions.check()
        self.plan = plan
        self._versions = versions
        self.table = table

    @property
    def name(self) -> str:
        """What is done."""
        return f"upgrade {self.plan.name} to version {self._versions.number}"

    @property
    def identity(self) -> str:
        """The same items, made the same version."""
        return f"upgrade {self.table} {self.plan.type_name} {self._versions.number}"

    @property
    def reads(self) -> dict[str, Any]:
        """A filter for older items; those without a type are told by their keys."""
        kind, schema = (self.plan.type_attribute,), (self._versions.attribute,)
        number = ast.Value({"N": str(self._versions.number)})
        ours = ast.Compare("=", ast.Attribute(kind), ast.Value({"S": self.plan.type_name}))
        older = any_of(ast.AttributeNotExists(schema), ast.Compare("<>", ast.Attribute(schema), number))
        return ExpressionBuilder().filter(all_of(any_of(ours, ast.AttributeNotExists(kind)), older)).build()

    def look(self, item: Item) -> Decision:
        """What has to be written to make a current item of this one; of a tombstone nothing, since it is made current where
        it is brought back."""
        plan = self.plan
        ours = plan.owns(item) or (plan.type_attribute not in item and plan.has_key(item))
        if not ours or plan.alive(item) is None:
            return None
        try:
            if not self._versions.is_old(item):
                return None
            made = self.made(item)
        except UNFIT as error:
            return Skipped(error.message)
        return Writes(tuple({action.kind: action.body(self.table)} for action in made.actions), _met(made))

    def made(self, item: Item) -> Upgraded:
        """The current item of an older one, and what is written for it."""
        return upgraded(self.plan, item)


def _met(made: Upgraded) -> Met:
    """A unique value that another item holds stays so, however often this one is looked at."""

    def meaning(action: dict[str, Any], found: Item) -> Decision | Again:
        claimed = "Put" in action and any(action["Put"]["Item"] == one.item for one in claims(made))
        return Skipped(HELD) if claimed else Again()

    return meaning


def claims(made: Upgraded) -> list[Action]:
    """What it takes of unique values that the older item did not hold."""
    return [action for action in made.actions if action.kind == "Put" and action.marker is not None]
