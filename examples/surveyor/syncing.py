"""Devices that were away: what waits to be sent, what changed meanwhile, and what went wrong."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final, TypeVar

from tablewright import ChangePage, Page, expires_in

from . import patterns as p
from .base import PROBLEM_LENGTH, Unsynced
from .library import Component, Element, Phrase, Section
from .others import SyncItem, TempData
from .patterns import Synced
from .surveys import Survey, SurveyComponent, SurveyElement, SurveySection
from .tenancy import TenantStore, missing_item

OVERLAP: Final = timedelta(seconds=10)
"""How late a change may appear in the feed: what clocks of writers and the index may differ by."""
TEMP_FOR: Final = timedelta(days=1)
LOG_FOR: Final = timedelta(days=30)

S = TypeVar("S", bound=Synced)


class Syncing(TenantStore):
    """What devices ask and tell."""

    # ------------------------------------------------------------------------------------------- what waits

    def sync_queue(self, status: Unsynced = "pending", limit: int = 100, cursor: str | None = None) -> Page[Synced]:
        """A page of what waits to be synchronised, or failed, whatever it is; longest wait first."""
        return self._db.run(p.sync_queue, self.tenant_id, status).page(limit, cursor)

    def mark_synced(self, item: S) -> S:
        """An item of the queue has arrived, and leaves it. ConcurrentModificationError if it was changed meanwhile."""
        return self._db.update(self._own(item), set={"sync_status": "synced", "sync_error": None})

    def mark_failed(self, item: S, error: str) -> S:
        """An item could not be synchronised; the log says why. ConcurrentModificationError if it was changed meanwhile.

        Of a long error the beginning is kept.
        """
        error = error[:PROBLEM_LENGTH]
        line = SyncItem(
            tenant_id=self.tenant_id,
            at=self._clock(),
            entity_id=getattr(item, _IDS[type(item)]),
            kind=type(item).__name__,
            survey_id=getattr(item, "survey_id", None),
            message=error,
            ttl=expires_in(LOG_FOR, start=self._clock()),
        )
        with self._db.transaction() as tx:
            tx.update(self._own(item), set={"sync_status": "failed", "sync_error": error})
            tx.put(line)
        found = self._db.get(item, consistent=True)
        if found is None:
            raise missing_item(type(item))
        return found

    # ---------------------------------------------------------------------------------------- what changed

    def changes_since(self, cursor: str | None = None, limit: int = 100) -> ChangePage[Synced]:
        """What was written or deleted since a cursor, each change once; without a cursor, all that there is.

        Keep `page.cursor` for the next time; while `page.has_more`, ask again at once.
        """
        return self._db.changes(p.changes_of(self.tenant_id), since=cursor, limit=limit, overlap=OVERLAP)

    def recent_changes(self, since: datetime, limit: int = 100, cursor: str | None = None) -> Page[Synced]:
        """A page of what was written since a moment, in the order of time, without what was deleted."""
        return self._db.run(p.changed_since, self.tenant_id, since).page(limit, cursor)

    def sync_log(self, since: datetime | None = None, limit: int = 50, cursor: str | None = None) -> Page[SyncItem]:
        """A page of what went wrong, newest first."""
        return self._db.run(p.sync_log, self.tenant_id, since).page(limit, cursor)

    # ------------------------------------------------------------------------------------- what is left for a day

    def leave(self, sync_id: str, data: Mapping[str, str]) -> TempData:
        """Keeps what a device needs while it synchronises, for a day."""
        expiry = expires_in(TEMP_FOR, start=self._clock())
        return self._db.put(TempData(tenant_id=self.tenant_id, sync_id=sync_id, data=dict(data), ttl=expiry))

    def left(self, sync_id: str) -> TempData | None:
        """What a device left; None if there is nothing, or if the day is over."""
        found = self._db.run(p.temp_data, self.tenant_id, sync_id)
        return found if found is not None and found.ttl > self._clock() else None


_IDS: Final[dict[type, str]] = {
    Survey: "survey_id",
    SurveySection: "section_id",
    SurveyElement: "element_id",
    SurveyComponent: "component_id",
    Section: "section_id",
    Element: "element_id",
    Component: "component_id",
    Phrase: "phrase_id",
}
