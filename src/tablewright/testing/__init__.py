"""What tests of applications need: assertions, faults, a clock to move, boto3 in process. The fixtures are a pytest plugin."""

from tablewright.engine.faults import (
    Conflict,
    ExpiredToken,
    Fault,
    Faults,
    IndexLag,
    LostReply,
    PartitionLimits,
    ProvisionedThroughput,
    RequestLimit,
    ServerError,
    SlowReply,
    Throttle,
    Unprocessed,
)
from tablewright.testing.assertions import (
    assert_capacity,
    assert_one_request,
    assert_one_request_async,
    assert_requests,
    expect_requests,
)
from tablewright.testing.boto import boto3_in_process
from tablewright.testing.clock import ManualClock
from tablewright.testing.environment import point_aws_at
from tablewright.testing.opening import OpenAsyncTable, OpenTable
from tablewright.testing.plain import MakeTable, make_table
from tablewright.testing.recording import record_requests
from tablewright.testing.samples import sample, samples
from tablewright.testing.snapshots import Difference, Snapshot, assert_unchanged, snapshot, snapshot_async
from tablewright.testing.traces import assert_no_traces
from tablewright.testing.trying import TriedPattern, assert_patterns, try_patterns

__all__ = [
    "Conflict",
    "Difference",
    "ExpiredToken",
    "Fault",
    "Faults",
    "IndexLag",
    "LostReply",
    "MakeTable",
    "ManualClock",
    "OpenAsyncTable",
    "OpenTable",
    "PartitionLimits",
    "ProvisionedThroughput",
    "RequestLimit",
    "ServerError",
    "SlowReply",
    "Snapshot",
    "Throttle",
    "TriedPattern",
    "Unprocessed",
    "assert_capacity",
    "assert_no_traces",
    "assert_one_request",
    "assert_one_request_async",
    "assert_patterns",
    "assert_requests",
    "assert_unchanged",
    "boto3_in_process",
    "expect_requests",
    "make_table",
    "point_aws_at",
    "record_requests",
    "sample",
    "samples",
    "snapshot",
    "snapshot_async",
    "try_patterns",
]
