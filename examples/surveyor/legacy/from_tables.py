"""The move from the eight legacy tables, as `tablewright move` takes it."""

from .moving import reads, surveyor_moving

moving = surveyor_moving("tables")
READS = reads("tables")
