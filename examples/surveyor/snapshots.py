"""Snapshots of the library: what sections and phrases there were when a survey was made. None is ever changed."""

from datetime import datetime

from .library import Config
from .patterns import Snapshot
from .tenancy import TenantStore


class Snapshots(TenantStore):
    """The library as it was."""

    def take_snapshot(self, survey_id: str) -> Config:
        """Copies the library as it is now; the survey names the snapshot from the moment on in which it is whole."""
        raise NotImplementedError

    def snapshots(self, survey_id: str) -> list[Config]:
        """When snapshots were taken for a survey, newest first."""
        raise NotImplementedError

    def snapshot(self, survey_id: str, taken_at: datetime) -> Snapshot:
        """One snapshot with its sections and phrases. NotFoundError if none was taken then."""
        raise NotImplementedError

    def current_snapshot(self, survey_id: str) -> Snapshot | None:
        """The snapshot that a survey goes by; None if none was taken."""
        raise NotImplementedError
