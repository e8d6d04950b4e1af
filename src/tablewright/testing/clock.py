"""Time that a test moves: items expire, indexes catch up and throttled partitions recover when it says so."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class ManualClock:
    """Stands still until it is moved. It is an engine's clock, and `clock.time` a session's."""

    def __init__(self, start: datetime | None = None) -> None:
        self._now = start if start is not None else datetime.now(UTC)

    def now(self) -> float:
        """Seconds since 1970-01-01 UTC, for an engine."""
        return self._now.timestamp()

    def time(self) -> datetime:
        """The same moment, for a session: `table.open(..., clock=clock.time)`."""
        return self._now

    def move(self, seconds: float | timedelta) -> None:
        """Let time pass."""
        self._now += seconds if isinstance(seconds, timedelta) else timedelta(seconds=seconds)
