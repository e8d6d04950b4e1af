"""Faults on demand: an engine that throttles, conflicts, forgets replies and lags as the service may. Off by default.

Every choice is repeatable: by count, or from a seed.
"""

from tablewright.engine.faults.calls import ITEM_OPERATIONS, READS, Watched, tables_named
from tablewright.engine.faults.fault import Fault, Scheduled
from tablewright.engine.faults.faults import Faults, Injected
from tablewright.engine.faults.lag import IndexLag
from tablewright.engine.faults.leftovers import Unprocessed
from tablewright.engine.faults.limits import PartitionLimits, ProvisionedThroughput
from tablewright.engine.faults.refusals import Conflict, ExpiredToken, RequestLimit, ServerError, Throttle
from tablewright.engine.faults.replies import LostReply, SlowReply
from tablewright.engine.faults.text import KINDS, describe_fault, parse_fault
from tablewright.values.operations import WRITES

__all__ = [
    "ITEM_OPERATIONS",
    "KINDS",
    "READS",
    "WRITES",
    "Conflict",
    "ExpiredToken",
    "Fault",
    "Faults",
    "IndexLag",
    "Injected",
    "LostReply",
    "PartitionLimits",
    "ProvisionedThroughput",
    "RequestLimit",
    "Scheduled",
    "ServerError",
    "SlowReply",
    "Throttle",
    "Unprocessed",
    "Watched",
    "describe_fault",
    "parse_fault",
    "tables_named",
]
