"""The surveyor in its own words: everything that one tenant's people and devices do. Nothing above this file knows that there is a table.

Each part of it is a module: reading.py, editing.py, progress.py, sharing.py, snapshots.py, syncing.py, and more.
"""

from .editing import Editing
from .progress import Progress
from .reading import Reading
from .sharing import Sharing
from .snapshots import Snapshots
from .syncing import Syncing


class Surveyor(Reading, Editing, Progress, Sharing, Snapshots, Syncing):
    """All that a tenant does, on an open session: `Surveyor(db, "acme")`.

    Made for each request, with the tenant of whoever asks. No method takes a tenant, so none can reach another.
    """
