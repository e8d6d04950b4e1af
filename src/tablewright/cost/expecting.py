"""A model of which something else is expected: the same keys and patterns, with other figures."""

from __future__ import annotations

import copy

from tablewright.compiler.plan import TablePlan
from tablewright.model.expectations import Expectations
from tablewright.model.table import TableModel


class Expecting:
    """A table with its plan, as it is compiled, and other expectations. The table itself stays as it is."""

    def __init__(self, plan: TablePlan, said: Expectations) -> None:
        self.plan = copy.copy(plan)
        self.plan.table = with_expectations(plan.table, said)


def with_expectations(table: TableModel, said: Expectations) -> TableModel:
    """A copy of the table of which this is expected."""
    made = copy.copy(table)
    made.expectations = said
    return made


def expectations_of(table: TableModel) -> Expectations:
    """A copy of what is expected of a table, to be changed."""
    made, said = Expectations(), table.expectations
    made.entities, made.fields, made.patterns = dict(said.entities), dict(said.fields), dict(said.patterns)
    made.changes = dict(said.changes)
    return made
