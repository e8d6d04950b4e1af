"""The move from the flat form, as `tablewright move` takes it."""

from .moving import reads, surveyor_moving

moving = surveyor_moving("flat")
READS = reads("flat")
