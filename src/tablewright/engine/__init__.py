"""An embedded DynamoDB on SQLite, in memory or in a file. Knows errors, values and expressions, nothing above."""

from tablewright.engine.clock import Clock, OffsetClock, SystemClock
from tablewright.engine.engine import Engine, open_engine
from tablewright.engine.operations import OPERATIONS
from tablewright.engine.storage import Problem

__all__ = ["OPERATIONS", "Clock", "Engine", "OffsetClock", "Problem", "SystemClock", "open_engine"]
