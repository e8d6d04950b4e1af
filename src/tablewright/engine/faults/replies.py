"""Faults of the way back: replies that come late, or never."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tablewright.engine.faults.calls import Call
from tablewright.engine.faults.fault import Scheduled
from tablewright.errors import ConfigError, NetworkError

_LONGEST = 300


@dataclass(kw_only=True, eq=False)
class SlowReply(Scheduled):
    """The request is carried out, and its reply takes `seconds` longer, 300 at most, or until the server that sends it
    stops. `sleep` is for tests that do not want to wait."""

    name: ClassVar[str] = "slow-reply"

    seconds: float
    sleep: Callable[[float], object] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.seconds <= _LONGEST:
            raise ConfigError(f"A slow reply takes from 0 to {_LONGEST} seconds.")

    def on_reply(self, call: Call, response: dict[str, Any] | None, due: Any) -> None:
        """Wait."""
        if due:
            self.count()
            wait = self._patience.wait if self.sleep is None else self.sleep
            wait(self.seconds)


@dataclass(kw_only=True, eq=False)
class LostReply(Scheduled):
    """The request is carried out and its reply is lost; without `carried_out` the request itself is. The caller
    cannot tell: either way the connection ends without an answer."""

    name: ClassVar[str] = "lost-reply"

    carried_out: bool = True

    def on_request(self, call: Call, due: Any) -> None:
        """Lose the request, or later the reply."""
        if due and not self.carried_out:
            self._lose(call)

    def on_reply(self, call: Call, response: dict[str, Any] | None, due: Any) -> None:
        """Lose the reply, whatever it says."""
        if due:
            self._lose(call)

    def _lose(self, call: Call) -> None:
        self.count()
        raise NetworkError(f"The reply to {call.operation} was lost.", sent=True, operation=call.operation)
