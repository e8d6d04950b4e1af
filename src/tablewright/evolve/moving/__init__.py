"""Many tables to one: a mapping from legacy tables to entities, and the phases in which data, writes and reads move."""

from tablewright.evolve.moving.async_session import AsyncMovingSession, open_moving_async
from tablewright.evolve.moving.flags import FileFlags, Flag, FlagStore, MemoryFlags
from tablewright.evolve.moving.mapping import Constant, Join, Move, Moving, Parent
from tablewright.evolve.moving.reading import LegacyGet, LegacyQuery, Read
from tablewright.evolve.moving.runbook import runbook
from tablewright.evolve.moving.session import MovingSession, open_moving

__all__ = [
    "AsyncMovingSession",
    "Constant",
    "FileFlags",
    "Flag",
    "FlagStore",
    "Join",
    "LegacyGet",
    "LegacyQuery",
    "MemoryFlags",
    "Move",
    "Moving",
    "MovingSession",
    "Parent",
    "Read",
    "open_moving",
    "open_moving_async",
    "runbook",
]
