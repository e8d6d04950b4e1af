"""An embedded DynamoDB on SQLite, in memory or in a file. Knows errors, values and expressions, nothing above."""

from typing import TYPE_CHECKING

from tablewright.engine.clock import Clock, OffsetClock, SystemClock
from tablewright.engine.engine import Engine, open_engine
from tablewright.engine.operations import OPERATIONS
from tablewright.later import names_later

if TYPE_CHECKING:
    from tablewright.engine.storage.verify import Problem
else:
    __getattr__ = names_later(globals(), {"storage.verify": "Problem"})

__all__ = ["OPERATIONS", "Clock", "Engine", "OffsetClock", "Problem", "SystemClock", "open_engine"]
