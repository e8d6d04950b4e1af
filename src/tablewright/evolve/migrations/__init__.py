"""Migrations: files beside a model that say step by step how its table gets from one model to the next, and back."""

from tablewright.evolve.migrations.migration import Migration
from tablewright.evolve.migrations.step import Question
from tablewright.evolve.migrations.steps.add_index import AddIndex
from tablewright.evolve.migrations.steps.change_key import ChangeKey
from tablewright.evolve.migrations.steps.drop_index import DropIndex
from tablewright.evolve.migrations.steps.fill_keys import FillKeys
from tablewright.evolve.migrations.steps.merge_attributes import MergeAttributes
from tablewright.evolve.migrations.steps.move_entity import MoveEntity
from tablewright.evolve.migrations.steps.remove_attributes import RemoveAttributes
from tablewright.evolve.migrations.steps.remove_keys import RemoveKeys
from tablewright.evolve.migrations.steps.rename_attribute import RenameAttribute
from tablewright.evolve.migrations.steps.split_attribute import SplitAttribute
from tablewright.evolve.migrations.steps.split_item import SplitItem
from tablewright.evolve.migrations.steps.to_multi_attribute_keys import ToMultiAttributeKeys
from tablewright.evolve.migrations.steps.upgrade_entity import UpgradeEntity

__all__ = [
    "AddIndex",
    "ChangeKey",
    "DropIndex",
    "FillKeys",
    "MergeAttributes",
    "Migration",
    "MoveEntity",
    "Question",
    "RemoveAttributes",
    "RemoveKeys",
    "RenameAttribute",
    "SplitAttribute",
    "SplitItem",
    "ToMultiAttributeKeys",
    "UpgradeEntity",
]
