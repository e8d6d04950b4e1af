"""A stack of AWS's CDK in Python: the table, its scaling and its alarms, for applications that put their own beside it."""

from __future__ import annotations

import re
from typing import Any

from tablewright.generate.infrastructure.description import (
    NAMESPACE,
    STAGE,
    SUM,
    TABLE,
    Alarm,
    Infrastructure,
    Metric,
    Scaling,
    describe,
)
from tablewright.generate.infrastructure.python import literal
from tablewright.generate.material import Material

_TYPES = {"S": "STRING", "N": "NUMBER", "B": "BINARY"}


def cdk(material: Material) -> str:
    """The module of the stack."""
    infrastructure = describe(material.plan)
    own_key = infrastructure.request["SSESpecification"].get("KMSMasterKeyId")
    modules = {
        "aws_cloudwatch as cloudwatch": bool(infrastructure.alarms),
        "aws_cloudwatch_actions as cloudwatch_actions": bool(infrastructure.alarms),
        "aws_dynamodb as dynamodb": True,
        "aws_kms as kms": own_key is not None,
        "aws_sns as sns": bool(infrastructure.alarms),
    }
    names = ["CfnOutput", *(["Duration"] if infrastructure.alarms else []), "RemovalPolicy", "Stack"]
    if "Tags" in infrastructure.request:
        names.append("Tags")
    head = [
        f'"""The DynamoDB table of the model {infrastructure.label}, made from it by `tablewright generate`."""',
        "",
        f"from aws_cdk import {', '.join(names)}",
        *(f"from aws_cdk import {module}" for module, wanted in modules.items() if wanted),
        "from constructs import Construct",
    ]
    return "\n".join([*head, "", "", *_stack(infrastructure, own_key)]) + "\n"


def _stack(infrastructure: Infrastructure, own_key: str | None) -> list[str]:
    name = "".join(word[0].upper() + word[1:] for word in re.findall("[A-Za-z0-9]+", infrastructure.label))
    name = re.sub("^(?=[0-9])", "The", name or "Table") + "Stack"
    types = {a["AttributeName"]: a["AttributeType"] for a in infrastructure.request["AttributeDefinitions"]}
    parameters = ["stage: str"] if infrastructure.staged else []
    if infrastructure.alarms:
        parameters.append(f"alarm_topic: str | None = {literal(infrastructure.topic)}")
    signature = ["self", "scope: Construct", "id: str", *(["*", *parameters] if parameters else []), "**options"]
    lines = [
        f"class {name}(Stack):",
        '    """The table, and what stands around it."""',
        "",
        "    def __init__(",
        *(f"        {parameter}," for parameter in signature),
        "    ) -> None:",
        "        super().__init__(scope, id, **options)",
        *_indented(_table(infrastructure, own_key, types)),
    ]
    for index in infrastructure.global_indexes:
        insights = {"contributor_insights_specification": _insights(infrastructure)} if infrastructure.insights else {}
        lines += _indented(_call("self.table.add_global_secondary_index", _index(index, types) | insights))
    for index in infrastructure.local_indexes:
        lines += _indented(_call("self.table.add_local_secondary_index", _local(index, types)))
    for tag in infrastructure.request.get("Tags", []):
        lines.append(f"        Tags.of(self.table).add({literal(tag['Key'])}, {literal(tag['Value'])})")
    for scaling in infrastructure.scaling:
        lines += _indented(_scaling(scaling))
    if infrastructure.alarms:
        lines.append("        alarms = [")
        for alarm in infrastructure.alarms:
            lines += [f"    {line}" for line in _indented(_alarm(alarm))]
            lines[-1] += ","
        lines += [
            "        ]",
            "        if alarm_topic:",
            '            topic = sns.Topic.from_topic_arn(self, "AlarmTopic", alarm_topic)',
            "            for alarm in alarms:",
            "                alarm.add_alarm_action(cloudwatch_actions.SnsAction(topic))",
        ]
    outputs = {"TableName": "table_name", "TableArn": "table_arn"}
    if "StreamSpecification" in infrastructure.request:
        outputs["StreamArn"] = "table_stream_arn"
    lines += [f'        CfnOutput(self, "{name}", value=self.table.{value})' for name, value in outputs.items()]
    return lines


def _table(infrastructure: Infrastructure, own_key: str | None, types: dict[str, str]) -> list[str]:
    request = infrastructure.request
    keys = [_attribute(e["AttributeName"], types) for e in request["KeySchema"]]
    encryption = "AWS_MANAGED" if request["SSESpecification"]["Enabled"] else "DEFAULT"
    members = {
        "table_name": _text(infrastructure.name),
        "partition_key": keys[0],
        **({"sort_key": keys[1]} if len(keys) > 1 else {}),
        "billing_mode": f"dynamodb.BillingMode.{request['BillingMode']}",
        **_capacity(request),
        "table_class": f"dynamodb.TableClass.{request['TableClass']}",
        "encryption": f"dynamodb.TableEncryption.{'CUSTOMER_MANAGED' if own_key else encryption}",
        **({"encryption_key": "key"} if own_key else {}),
        "point_in_time_recovery_specification": _recovery(infrastructure),
        "contributor_insights_specification": _insights(infrastructure),
        "deletion_protection": repr(request["DeletionProtectionEnabled"]),
        "removal_policy": f"RemovalPolicy.{'RETAIN' if infrastructure.retain else 'DESTROY'}",
    }
    if "StreamSpecification" in request:
        kind = request["StreamSpecification"]["StreamViewType"]
        members["stream"] = f"dynamodb.StreamViewType.{kind}"
    if infrastructure.ttl is not None:
        members["time_to_live_attribute"] = literal(infrastructure.ttl)
    key = [f"key = {_key(own_key)}"] if own_key else []
    return [*key, *_call("self.table = dynamodb.Table", members, '"Table"')]


def _recovery(infrastructure: Infrastructure) -> str:
    members = f"point_in_time_recovery_enabled={infrastructure.recovery is not None}"
    if infrastructure.own_recovery is not None:
        members += f", recovery_period_in_days={infrastructure.own_recovery}"
    return f"dynamodb.PointInTimeRecoverySpecification({members})"


def _insights(infrastructure: Infrastructure) -> str:
    return f"dynamodb.ContributorInsightsSpecification(enabled={infrastructure.insights})"


def _key(name: str) -> str:
    if name.startswith("arn:"):
        return f'kms.Key.from_key_arn(self, "Key", {literal(name)})'
    if name.startswith("alias/"):
        return f'kms.Alias.from_alias_name(self, "Key", {literal(name)})'
    return f'kms.Key.from_key_arn(self, "Key", self.format_arn(service="kms", resource="key", resource_name={literal(name)}))'


def _attribute(name: str, types: dict[str, str]) -> str:
    return f"dynamodb.Attribute(name={literal(name)}, type=dynamodb.AttributeType.{_TYPES[types[name]]})"


def _capacity(request: dict[str, Any]) -> dict[str, str]:
    """What a table or an index is to bear, or may at most."""
    found: dict[str, str] = {}
    if "ProvisionedThroughput" in request:
        units = request["ProvisionedThroughput"]
        found |= {"read_capacity": str(units["ReadCapacityUnits"]), "write_capacity": str(units["WriteCapacityUnits"])}
    for kind in ("read", "write"):
        most = request.get("OnDemandThroughput", {}).get(f"Max{kind.capitalize()}RequestUnits")
        found |= {} if most is None else {f"max_{kind}_request_units": str(most)}
    if "WarmThroughput" in request:
        read, write = (request["WarmThroughput"][f"{kind}UnitsPerSecond"] for kind in ("Read", "Write"))
        found["warm_throughput"] = (
            f"dynamodb.WarmThroughput(read_units_per_second={read}, write_units_per_second={write})"
        )
    return found


def _index(index: dict[str, Any], types: dict[str, str]) -> dict[str, str]:
    members = {"index_name": literal(index["IndexName"])}
    for kind, one, several in (("HASH", "partition_key", "partition_keys"), ("RANGE", "sort_key", "sort_keys")):
        keys = [_attribute(e["AttributeName"], types) for e in index["KeySchema"] if e["KeyType"] == kind]
        if len(keys) == 1:
            members[one] = keys[0]
        elif keys:
            members[several] = _listed(keys)
    return members | _projection(index) | _capacity(index)


def _local(index: dict[str, Any], types: dict[str, str]) -> dict[str, str]:
    sort_key = _attribute(index["KeySchema"][1]["AttributeName"], types)
    return {"index_name": literal(index["IndexName"]), "sort_key": sort_key, **_projection(index)}


def _projection(index: dict[str, Any]) -> dict[str, str]:
    projection = index["Projection"]
    found = {"projection_type": f"dynamodb.ProjectionType.{projection['ProjectionType']}"}
    if "NonKeyAttributes" in projection:
        found["non_key_attributes"] = literal(projection["NonKeyAttributes"])
    return found


def _scaling(scaling: Scaling) -> list[str]:
    kind = "read" if scaling.reads else "write"
    limits = f"min_capacity={scaling.least}, max_capacity={scaling.most}"
    if scaling.index is None:
        start = f"self.table.auto_scale_{kind}_capacity({limits})"
    else:
        start = f"self.table.auto_scale_global_secondary_index_{kind}_capacity({literal(scaling.index)}, {limits})"
    return [f"{start}.scale_on_utilization(", f"    target_utilization_percent={scaling.target}", ")"]


def _alarm(alarm: Alarm) -> list[str]:
    if len(alarm.metrics) == 1:
        metric = _metric(alarm.metrics[0])
    else:
        parts = [f'    "m{number}": {_metric(part)},' for number, part in enumerate(alarm.metrics, 1)]
        using = "{\n" + "\n".join(f"    {line}" for line in parts) + "\n    }"
        metric = (
            f"cloudwatch.MathExpression(\n    expression={literal(SUM)},\n    period=Duration.minutes(1),\n"
            f"    using_metrics={using},\n)"
        )
    members = {
        "alarm_name": _text(alarm.name),
        "alarm_description": literal(alarm.text),
        "metric": metric,
        "evaluation_periods": str(alarm.minutes),
        "datapoints_to_alarm": str(alarm.datapoints),
        "threshold": repr(alarm.threshold),
        "comparison_operator": "cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD",
        "treat_missing_data": "cloudwatch.TreatMissingData.NOT_BREACHING",
    }
    return _call("cloudwatch.Alarm", members, literal(alarm.id))


def _metric(metric: Metric) -> str:
    dimensions = "{" + ", ".join(f"{literal(name)}: {_text(value)}" for name, value in metric.dimensions) + "}"
    where = f"\n    dimensions_map={dimensions}," if metric.dimensions else ""
    return (
        f"cloudwatch.Metric(\n    namespace={literal(NAMESPACE)},\n    metric_name={literal(metric.name)},{where}\n"
        f"    statistic={literal(metric.statistic)},\n    period=Duration.minutes(1),\n)"
    )


def _call(function: str, members: dict[str, str], named: str | None = None) -> list[str]:
    """A call with one argument a line; arguments may have several lines themselves."""
    lines = [f"{function}("]
    if named is not None:
        lines += ["    self,", f"    {named},"]
    for name, value in members.items():
        first, *rest = value.split("\n")
        lines += [f"    {name}={first}", *(f"    {line}" for line in rest)]
        lines[-1] += ","
    return [*lines, ")"]


def _listed(values: list[str]) -> str:
    return "[\n" + "".join(f"    {value},\n" for value in values) + "]"


def _indented(lines: list[str]) -> list[str]:
    return [f"        {line}" for line in lines]


def _text(text: str) -> str:
    """A text with the stage and the table's name put in."""
    if text == TABLE:
        return "self.table.table_name"
    filled = text.replace(STAGE, "{stage}").replace(TABLE, "{self.table.table_name}")
    return literal(text) if STAGE not in text and TABLE not in text else f'f"{filled}"'
