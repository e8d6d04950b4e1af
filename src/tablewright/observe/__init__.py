"""What a table tells of its use: requests are counted in bounded memory, and advice follows from the figures.

Requests become rows (rows.py), rows are added up (tally.py) into a snapshot (snapshot.py) made of sketches, and rules look at that
(recommendations/, one file each). Beside it, listeners are told of every request (outlet.py, exporters/).
"""

from typing import TYPE_CHECKING

from tablewright.later import names_later

if TYPE_CHECKING:
    from tablewright.observe.boto import watch_client
    from tablewright.observe.collector import Collector
    from tablewright.observe.events import Event, Listener
    from tablewright.observe.recommendation import Recommendation
    from tablewright.observe.snapshot import Snapshot, Thresholds, merged
    from tablewright.observe.statistics import Statistics
    from tablewright.observe.tracking import Tracked
else:
    __getattr__ = names_later(
        globals(),
        {
            "boto": "watch_client",
            "collector": "Collector",
            "events": "Event Listener",
            "recommendation": "Recommendation",
            "snapshot": "Snapshot Thresholds merged",
            "statistics": "Statistics",
            "tracking": "Tracked",
        },
    )

__all__ = [
    "Collector",
    "Event",
    "Listener",
    "Recommendation",
    "Snapshot",
    "Statistics",
    "Thresholds",
    "Tracked",
    "merged",
    "watch_client",
]
