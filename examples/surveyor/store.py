"""The surveyor in its own words: everything that one tenant's people and devices do. Nothing above this file knows that there is a table.

Each part is a module of its own: reading.py, editing.py, building.py, progress.py, sharing.py, snapshots.py, syncing.py,
templates.py, phrases.py and documents.py. What the operator does over all tenants is apart, in operating.py.
"""

from collections.abc import Sequence
from pathlib import Path

from tablewright import Collector, Session

from .base import IN_FEED
from .building import Building
from .documents import Documents
from .editing import Editing
from .model import surveyor
from .phrases import Phrases
from .progress import Progress
from .reading import Reading
from .sharing import Sharing
from .snapshots import Snapshots
from .syncing import Syncing
from .templates import Templates


class Surveyor(Reading, Editing, Building, Progress, Sharing, Snapshots, Syncing, Templates, Phrases, Documents):
    """All that a tenant does, on an open session: `Surveyor(db, "acme")`.

    Made for each request, with the tenant of whoever asks. No method takes a tenant, so none can reach another.
    """


def connect(
    place: str | Path,
    *,
    cursor_keys: Sequence[bytes],
    table_name: str = "SurveyorData",
    collector: Collector | None = None,
) -> Session:
    """An open table with the settings that the surveyor needs. A collector is given to see how it is used: `measuring.py`.

    Requests that are throttled or get lost are repeated three times, after pauses that grow. A cursor ends with the
    tombstones that it might have missed: a device that comes back later starts anew.
    """
    return surveyor.open(
        place,
        cursor_keys=list(cursor_keys),
        cursor_max_age=IN_FEED.keep.total_seconds(),
        hide_expired=True,
        table_name=table_name,
        observe=collector,
    )
