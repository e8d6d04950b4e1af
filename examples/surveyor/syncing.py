"""Devices that were away: what waits to be sent, what changed meanwhile, and what went wrong."""

from collections.abc import Mapping
from datetime import datetime

from tablewright import ChangePage, Page

from .base import Unsynced
from .others import SyncItem, TempData
from .patterns import Synced
from .tenancy import TenantStore


class Syncing(TenantStore):
    """What devices ask and tell."""

    def sync_queue(self, status: Unsynced = "pending", limit: int = 100, cursor: str | None = None) -> Page[Synced]:
        """A page of what waits to be synchronised, or failed, whatever it is; longest wait first."""
        raise NotImplementedError

    def mark_synced(self, item: Synced) -> Synced:
        """An item of the queue has arrived, and leaves it. ConcurrentModificationError if it was changed meanwhile."""
        raise NotImplementedError

    def mark_failed(self, item: Synced, error: str) -> Synced:
        """An item could not be synchronised; the log says why."""
        raise NotImplementedError

    def changes_since(self, cursor: str | None = None, limit: int = 100) -> ChangePage[Synced]:
        """What was written or deleted since a cursor, each change once; without a cursor, all that there is.

        Keep `page.cursor` for the next time; while `page.has_more`, ask again at once.
        """
        raise NotImplementedError

    def recent_changes(self, since: datetime, limit: int = 100, cursor: str | None = None) -> Page[Synced]:
        """A page of what was written since a moment, in the order of time, without what was deleted."""
        raise NotImplementedError

    def sync_log(self, since: datetime | None = None, limit: int = 50, cursor: str | None = None) -> Page[SyncItem]:
        """A page of what went wrong, newest first."""
        raise NotImplementedError

    def leave(self, sync_id: str, data: Mapping[str, str]) -> TempData:
        """Keeps what a device needs while it synchronises, for a day."""
        raise NotImplementedError

    def left(self, sync_id: str) -> TempData | None:
        """What a device left; None if there is nothing, or if the day is over."""
        raise NotImplementedError
