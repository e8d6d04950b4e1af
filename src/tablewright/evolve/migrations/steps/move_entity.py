"""An entity whose items go to other partitions."""

from __future__ import annotations

from tablewright.evolve.migrations.steps.change_key import ChangeKey


class MoveEntity(ChangeKey, frozen=True):
    """Moves the items of an entity to other partitions: ChangeKey, where the old and the new items never lie side by side, so
    that no reader of a partition meets both.

    `MoveEntity("Order", was=("ORDER#{order_id}", "ORDER"))`
    """

    copies: bool = True
