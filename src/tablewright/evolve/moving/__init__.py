"""Many tables to one: a mapping from legacy tables to entities, and the phases in which data, writes and reads move."""

from tablewright.evolve.moving.asking import LegacyGet, LegacyQuery, LegacyScan
from tablewright.evolve.moving.async_session import AsyncMovingSession, open_moving_async
from tablewright.evolve.moving.bad_rows import BadRow
from tablewright.evolve.moving.deriving import Unfit
from tablewright.evolve.moving.flags import FileFlags, Flag, FlagStore, MemoryFlags
from tablewright.evolve.moving.mapping import (
    Constant,
    Default,
    Frozen,
    FrozenItems,
    Join,
    Made,
    Move,
    Moving,
    Parent,
    Remark,
)
from tablewright.evolve.moving.reading import Read
from tablewright.evolve.moving.runbook import runbook
from tablewright.evolve.moving.session import MovingSession, open_moving

__all__ = [
    "AsyncMovingSession",
    "BadRow",
    "Constant",
    "Default",
    "FileFlags",
    "Flag",
    "FlagStore",
    "Frozen",
    "FrozenItems",
    "Join",
    "LegacyGet",
    "LegacyQuery",
    "LegacyScan",
    "Made",
    "MemoryFlags",
    "Move",
    "Moving",
    "MovingSession",
    "Parent",
    "Read",
    "Remark",
    "Unfit",
    "open_moving",
    "open_moving_async",
    "runbook",
]
