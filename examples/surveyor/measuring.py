"""Metrics of the surveyor: how long its operations take, and how many succeed. They go to CloudWatch, or wherever the listeners of
the collector send them, and no operation waits for that."""

from time import time
from typing import Any

from tablewright import Collector
from tablewright.observe.exporters.cloudwatch import CloudWatch
from tablewright.observe.tracking import Tracked

NAMESPACE = "SurveyorApp/DynamoDB"


def collector_to_cloudwatch(client: Any) -> Collector:
    """A collector for `connect()` whose metrics are published by a CloudWatch client: `<Operation>Duration` in milliseconds,
    `<Operation>Success` and `<Operation>Failure`, of every request and of what the store tracks as a whole."""
    return Collector(listeners=[CloudWatch(client, namespace=NAMESPACE)])


def track_operation(collector: Collector, name: str, seconds: float, *, success: bool, error: str = "Failed") -> None:
    """Tells of an operation that ended just now and that somebody else timed, such as an upload by a device."""
    collector.tell(Tracked(name=name, at=time() - seconds, seconds=seconds, error=None if success else error))
