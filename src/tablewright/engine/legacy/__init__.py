"""Parameters from before expressions (Expected, AttributeUpdates, KeyConditions, …), read into the nodes of expressions.

Nothing is evaluated here: what a request says in the old way becomes the same conditions, updates and projections as
in the new way, and only the words of refusal differ.
"""

from tablewright.engine.legacy.conditions import read_expected, read_filter
from tablewright.engine.legacy.keyconditions import read_key_conditions
from tablewright.engine.legacy.operators import OPERATORS
from tablewright.engine.legacy.projections import read_attributes_to_get
from tablewright.engine.legacy.updates import ACTIONS, LegacyUpdate, read_attribute_updates

__all__ = [
    "ACTIONS",
    "OPERATORS",
    "LegacyUpdate",
    "read_attribute_updates",
    "read_attributes_to_get",
    "read_expected",
    "read_filter",
    "read_key_conditions",
]
