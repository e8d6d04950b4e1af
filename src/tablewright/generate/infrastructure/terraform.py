"""A Terraform configuration: the table, its scaling and its alarms, with variables for what differs between stages."""

from __future__ import annotations

import re
from typing import Any

from tablewright.generate.infrastructure.description import (
    NAMESPACE,
    PERIOD,
    STAGE,
    SUM,
    TABLE,
    Alarm,
    Infrastructure,
    Metric,
    Scaling,
    describe,
)
from tablewright.generate.infrastructure.hcl import Block, Reference, text, written
from tablewright.generate.material import Material

_NAME = "${aws_dynamodb_table.table.name}"
_PROVIDER = ">= 6.37"
"""Keys of indexes as `key_schema`, which those of several attributes need, are there since 6.29; until 6.37 whoever removed one
index lost all others for as long as it took to make them again."""


def terraform(material: Material) -> str:
    """The configuration."""
    infrastructure = describe(material.plan)
    head = f"# The DynamoDB table of the model {infrastructure.label}, made from it by tablewright generate.\n\n"
    return head + written(blocks(infrastructure))


def blocks(infrastructure: Infrastructure) -> list[Block]:
    """The configuration as blocks."""
    provider = Reference('{ source = "hashicorp/aws", version = "' + _PROVIDER + '" }')
    found = [Block("terraform", blocks=[Block("required_providers", (), {"aws": provider})])]
    if infrastructure.staged:
        found.append(_variable("stage", "The stage, which is part of the table's name."))
    if infrastructure.alarms:
        about = "The ARN of the SNS topic that alarms tell; nobody is told without one."
        found.append(_variable("alarm_topic", about, default=infrastructure.topic or ""))
    key = infrastructure.request["SSESpecification"].get("KMSMasterKeyId")
    if key is not None:
        found.append(Block("data", ("aws_kms_key", "table"), {"key_id": key}))
    found.append(_table(infrastructure, own_key=key is not None))
    if infrastructure.insights:
        found += _insights(infrastructure)
    for scaling in infrastructure.scaling:
        found += _scaling(scaling)
    found += [_alarm(alarm) for alarm in infrastructure.alarms]
    return [*found, *_outputs(infrastructure)]


def _insights(infrastructure: Infrastructure) -> list[Block]:
    table = {"table_name": Reference("aws_dynamodb_table.table.name")}
    found = [Block("resource", ("aws_dynamodb_contributor_insights", "table"), table)]
    for number, index in enumerate(infrastructure.global_indexes, 1):
        own = {**table, "index_name": index["IndexName"]}
        found.append(Block("resource", ("aws_dynamodb_contributor_insights", f"index_{number}"), own))
    return found


def _variable(name: str, about: str, **more: Any) -> Block:
    return Block("variable", (name,), {"type": Reference("string"), "description": about, **more})


def _table(infrastructure: Infrastructure, *, own_key: bool) -> Block:
    request = infrastructure.request
    hash_key, *range_key = [e["AttributeName"] for e in request["KeySchema"]]
    arguments: dict[str, Any] = {
        "name": _text(infrastructure.name),
        "billing_mode": request["BillingMode"],
        **_capacity(request),
        "table_class": request["TableClass"],
        "hash_key": hash_key,
    }
    if range_key:
        arguments["range_key"] = range_key[0]
    if "StreamSpecification" in request:
        arguments["stream_enabled"] = True
        arguments["stream_view_type"] = request["StreamSpecification"]["StreamViewType"]
    arguments["deletion_protection_enabled"] = request["DeletionProtectionEnabled"]
    if "Tags" in request:
        arguments["tags"] = {tag["Key"]: tag["Value"] for tag in request["Tags"]}
    inner = [
        Block("attribute", (), {"name": a["AttributeName"], "type": a["AttributeType"]})
        for a in request["AttributeDefinitions"]
    ]
    inner += [_global_index(index) for index in infrastructure.global_indexes]
    inner += [_local_index(index) for index in infrastructure.local_indexes]
    if infrastructure.ttl is not None:
        inner.append(Block("ttl", (), {"attribute_name": infrastructure.ttl, "enabled": True}))
    inner += _throughputs(request)
    recovery: dict[str, Any] = {"enabled": infrastructure.recovery is not None}
    if infrastructure.own_recovery is not None:
        recovery["recovery_period_in_days"] = infrastructure.own_recovery
    inner.append(Block("point_in_time_recovery", (), recovery))
    encryption: dict[str, Any] = {"enabled": request["SSESpecification"]["Enabled"]}
    if own_key:
        encryption["kms_key_arn"] = Reference("data.aws_kms_key.table.arn")
    inner.append(Block("server_side_encryption", (), encryption))
    kept = _lifecycle(infrastructure)
    if kept:
        inner.append(Block("lifecycle", (), kept))
    return Block("resource", ("aws_dynamodb_table", "table"), arguments, inner)


def _lifecycle(infrastructure: Infrastructure) -> dict[str, Any]:
    found: dict[str, Any] = {"prevent_destroy": True} if infrastructure.retain else {}
    # Terraform must not take back what scaling did; of indexes it can leave out the whole or nothing.
    scaled = [
        name
        for name, wanted in (
            ("read_capacity", any(s.index is None and s.reads for s in infrastructure.scaling)),
            ("write_capacity", any(s.index is None and not s.reads for s in infrastructure.scaling)),
            ("global_secondary_index", any(s.index is not None for s in infrastructure.scaling)),
        )
        if wanted
    ]
    if scaled:
        found["ignore_changes"] = [Reference(name) for name in scaled]
    return found


def _capacity(request: dict[str, Any]) -> dict[str, int]:
    units = request.get("ProvisionedThroughput")
    if units is None:
        return {}
    return {"read_capacity": units["ReadCapacityUnits"], "write_capacity": units["WriteCapacityUnits"]}


def _throughputs(holder: dict[str, Any]) -> list[Block]:
    """The limits and the warmth of a table or an index."""
    return [
        Block(_snake(name), (), {_snake(member): units for member, units in holder[name].items()})
        for name in ("OnDemandThroughput", "WarmThroughput")
        if name in holder
    ]


def _global_index(index: dict[str, Any]) -> Block:
    keys = [
        Block("key_schema", (), {"attribute_name": e["AttributeName"], "key_type": e["KeyType"]})
        for e in index["KeySchema"]
    ]
    arguments = {"name": index["IndexName"], **_projection(index), **_capacity(index)}
    return Block("global_secondary_index", (), arguments, [*keys, *_throughputs(index)])


def _local_index(index: dict[str, Any]) -> Block:
    range_key = index["KeySchema"][1]["AttributeName"]
    return Block(
        "local_secondary_index", (), {"name": index["IndexName"], "range_key": range_key, **_projection(index)}
    )


def _projection(index: dict[str, Any]) -> dict[str, Any]:
    found = {"projection_type": index["Projection"]["ProjectionType"]}
    if "NonKeyAttributes" in index["Projection"]:
        found["non_key_attributes"] = index["Projection"]["NonKeyAttributes"]
    return found


def _scaling(scaling: Scaling) -> list[Block]:
    name = _snake(scaling.id)
    target = f"aws_appautoscaling_target.{name}"
    what = {
        "service_namespace": "dynamodb",
        "resource_id": _text(scaling.resource),
        "scalable_dimension": scaling.dimension,
    }
    limits = {"min_capacity": scaling.least, "max_capacity": scaling.most}
    same = {member: Reference(f"{target}.{member}") for member in what}
    tracked = Block("predefined_metric_specification", (), {"predefined_metric_type": scaling.metric})
    tracking = Block("target_tracking_scaling_policy_configuration", (), {"target_value": scaling.target}, [tracked])
    policy = {"name": scaling.id, "policy_type": "TargetTrackingScaling", **same}
    return [
        Block("resource", ("aws_appautoscaling_target", name), {**what, **limits}),
        Block("resource", ("aws_appautoscaling_policy", name), policy, [tracking]),
    ]


def _alarm(alarm: Alarm) -> Block:
    arguments: dict[str, Any] = {"alarm_name": _text(alarm.name), "alarm_description": alarm.text}
    inner: list[Block] = []
    if len(alarm.metrics) == 1:
        (metric,) = alarm.metrics
        arguments |= _metric(metric, "extended_statistic" if metric.percentile else "statistic")
    else:
        inner.append(Block("metric_query", (), {"id": "sum", "expression": SUM, "return_data": True}))
        for number, metric in enumerate(alarm.metrics, 1):
            measured = Block("metric", (), _metric(metric, "stat"))
            inner.append(Block("metric_query", (), {"id": f"m{number}", "return_data": False}, [measured]))
    arguments |= {
        "evaluation_periods": alarm.minutes,
        "datapoints_to_alarm": alarm.datapoints,
        "threshold": alarm.threshold,
        "comparison_operator": "GreaterThanOrEqualToThreshold",
        "treat_missing_data": "notBreaching",
        "alarm_actions": Reference('var.alarm_topic == "" ? [] : [var.alarm_topic]'),
    }
    return Block("resource", ("aws_cloudwatch_metric_alarm", _snake(alarm.id)), arguments, inner)


def _metric(metric: Metric, statistic: str) -> dict[str, Any]:
    found: dict[str, Any] = {"namespace": NAMESPACE, "metric_name": metric.name}
    if metric.dimensions:
        found["dimensions"] = {name: _text(value) for name, value in metric.dimensions}
    return found | {statistic: metric.statistic, "period": PERIOD}


def _outputs(infrastructure: Infrastructure) -> list[Block]:
    wanted = {"table_name": "name", "table_arn": "arn"}
    if "StreamSpecification" in infrastructure.request:
        wanted["stream_arn"] = "stream_arn"
    return [
        Block("output", (name,), {"value": Reference(f"aws_dynamodb_table.table.{member}")})
        for name, member in wanted.items()
    ]


def _text(value: str) -> Reference:
    """A text with the stage and the table's name put in."""
    if value == TABLE:
        return Reference(_NAME[2:-1])
    return Reference(text(value).replace(STAGE, "${var.stage}").replace(TABLE, _NAME))


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
