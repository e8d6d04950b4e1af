"""The description as calls of AWS's API, one after the other, for tools that make calls rather than keep a state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from tablewright.generate.infrastructure.description import (
    NAMESPACE,
    PERIOD,
    SUM,
    TABLE,
    Alarm,
    Infrastructure,
    Metric,
    recovery_members,
)

Request = dict[str, Any]


class Call(Struct, frozen=True):
    """One call: the service and the operation as botocore and the command line name them, and the request."""

    service: str
    operation: str
    request: Request

    @property
    def command(self) -> str:
        """The operation's name on the command line."""
        return self.operation.replace("_", "-")


def create(infrastructure: Infrastructure) -> Call:
    """The call that makes the table."""
    return Call("dynamodb", "create_table", {"TableName": TABLE, **infrastructure.request})


def expire(infrastructure: Infrastructure) -> Call | None:
    """The call that lets items expire; it is refused where they do already."""
    if infrastructure.ttl is None:
        return None
    wanted = {"Enabled": True, "AttributeName": infrastructure.ttl}
    return Call("dynamodb", "update_time_to_live", {"TableName": TABLE, "TimeToLiveSpecification": wanted})


def recover(infrastructure: Infrastructure) -> Call:
    """The call that switches recovery to a point in time on or off; it can be made again."""
    request = {"TableName": TABLE, "PointInTimeRecoverySpecification": recovery_members(infrastructure)}
    return Call("dynamodb", "update_continuous_backups", request)


def around(infrastructure: Infrastructure) -> Iterator[Call]:
    """The calls for what stands around the table; all can be made again."""
    if infrastructure.insights:
        for index in ({}, *({"IndexName": i["IndexName"]} for i in infrastructure.global_indexes)):
            request = {"TableName": TABLE, **index, "ContributorInsightsAction": "ENABLE"}
            yield Call("dynamodb", "update_contributor_insights", request)
    for scaling in infrastructure.scaling:
        target = {
            "ServiceNamespace": "dynamodb",
            "ResourceId": scaling.resource,
            "ScalableDimension": scaling.dimension,
        }
        limits = {"MinCapacity": scaling.least, "MaxCapacity": scaling.most}
        yield Call("application-autoscaling", "register_scalable_target", {**target, **limits})
        policy = {
            "TargetValue": scaling.target,
            "PredefinedMetricSpecification": {"PredefinedMetricType": scaling.metric},
        }
        named = {"PolicyName": scaling.id, **target, "PolicyType": "TargetTrackingScaling"}
        yield Call(
            "application-autoscaling",
            "put_scaling_policy",
            {**named, "TargetTrackingScalingPolicyConfiguration": policy},
        )
    for alarm in infrastructure.alarms:
        yield Call("cloudwatch", "put_metric_alarm", alarm_request(alarm))


def alarm_request(alarm: Alarm) -> Request:
    """PutMetricAlarm, but for whom it tells; CloudFormation names its members the same."""
    request: Request = {"AlarmName": alarm.name, "AlarmDescription": alarm.text}
    if len(alarm.metrics) == 1:
        (metric,) = alarm.metrics
        statistic = "ExtendedStatistic" if metric.percentile else "Statistic"
        request |= {**_metric(metric), statistic: metric.statistic, "Period": PERIOD}
    else:
        parts = [
            {
                "Id": f"m{number}",
                "ReturnData": False,
                "MetricStat": {"Metric": _metric(metric), "Stat": metric.statistic, "Period": PERIOD},
            }
            for number, metric in enumerate(alarm.metrics, 1)
        ]
        request["Metrics"] = [{"Id": "sum", "Expression": SUM, "ReturnData": True}, *parts]
    return request | {
        "EvaluationPeriods": alarm.minutes,
        "DatapointsToAlarm": alarm.datapoints,
        "Threshold": alarm.threshold,
        "ComparisonOperator": "GreaterThanOrEqualToThreshold",
        "TreatMissingData": "notBreaching",
    }


def _metric(metric: Metric) -> Request:
    found: Request = {"Namespace": NAMESPACE, "MetricName": metric.name}
    if metric.dimensions:
        found["Dimensions"] = [{"Name": name, "Value": value} for name, value in metric.dimensions]
    return found
