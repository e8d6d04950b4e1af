"""Load made from a model: its patterns and writes at their declared rates, on keys of which some are wanted more than others."""

from typing import TYPE_CHECKING

from tablewright.later import names_later

if TYPE_CHECKING:
    from tablewright.load.report import HotPartition, Limits, LoadReport, Result
    from tablewright.load.running import LoadSettings, clean_up, run_load
    from tablewright.load.showing import shown
    from tablewright.load.workload import Shares
else:
    __getattr__ = names_later(
        globals(),
        {
            "report": "HotPartition Limits LoadReport Result",
            "running": "LoadSettings clean_up run_load",
            "showing": "shown",
            "workload": "Shares",
        },
    )

__all__ = [
    "HotPartition",
    "Limits",
    "LoadReport",
    "LoadSettings",
    "Result",
    "Shares",
    "clean_up",
    "run_load",
    "shown",
]
