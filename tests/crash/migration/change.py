"""From the old shop to the new one."""

from tablewright.evolve.migrations import (
    AddIndex,
    FillKeys,
    Migration,
    MoveEntity,
    RenameAttribute,
    UpgradeEntity,
)

migration = Migration(
    [
        AddIndex("GSI2", pk=("GSI2PK (S)",), sk=("GSI2SK (S)",)),
        # Code of the new model writes both, so that the old one is right wherever they differ.
        RenameAttribute("Order", "day", to="date", wins="old"),
        FillKeys("Order", "GSI2"),
        FillKeys("Person", "GSI2"),
        MoveEntity("Order", was=("ORDER#{number}", "ORDER")),
        UpgradeEntity("Person", was=1),
        UpgradeEntity("Tally", was=1),
    ]
)
