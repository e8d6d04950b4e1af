"""Batches of which something is left over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from tablewright.engine.faults.calls import BATCHES, Call
from tablewright.engine.faults.fault import Scheduled
from tablewright.engine.faults.refusals import throttle


@dataclass(kw_only=True, eq=False)
class Unprocessed(Scheduled):
    """Members of BatchGetItem and BatchWriteItem are left over. The schedule counts members, not requests.

    Where all members of a request would be, the request is throttled, as the service does.
    """

    name: ClassVar[str] = "unprocessed"
    concerned: ClassVar[frozenset[str]] = frozenset(BATCHES)

    def notice(self, call: Call) -> Any:
        """The members whose turn it is."""
        own = [member for member in call.members if self.table is None or member.table == self.table]
        return [member for member in own if self.is_due()]

    def on_request(self, call: Call, due: Any) -> None:
        """Take them out, as far as they are still there."""
        left = [member for member in call.members if member in due]
        with self._lock:
            self.fired += len(left)
        if left:
            if len(left) == len(call.members):
                throttle(call, lambda member: "" if member in left else None)
            call.leave(left)
