"""A CloudFormation template: the table, its scaling and its alarms, with parameters for what differs between stages."""

from __future__ import annotations

from typing import Any

from tablewright.generate.infrastructure.description import (
    STAGE,
    TABLE,
    Alarm,
    Infrastructure,
    Scaling,
    describe,
    recovery_members,
)
from tablewright.generate.infrastructure.requests import alarm_request
from tablewright.generate.infrastructure.yaml import Function, written
from tablewright.generate.material import Material

_TOPIC_IS_GIVEN = "AlarmTopicIsGiven"


def cloudformation(material: Material) -> str:
    """The template, as YAML."""
    return written(template(describe(material.plan)))


def template(infrastructure: Infrastructure) -> dict[str, Any]:
    """The template; functions are `Function` objects."""
    parameters: dict[str, Any] = {}
    found: dict[str, Any] = {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": f"The DynamoDB table of the model {infrastructure.label}, made from it by tablewright generate.",
    }
    if infrastructure.staged:
        parameters["Stage"] = {
            "Type": "String",
            "Description": "The stage, which is part of the table's name.",
            "AllowedPattern": "[A-Za-z0-9_.-]+",
        }
    if infrastructure.alarms:
        parameters["AlarmTopic"] = {
            "Type": "String",
            "Description": "The ARN of the SNS topic that alarms tell; nobody is told without one.",
            "Default": infrastructure.topic or "",
        }
    if parameters:
        found["Parameters"] = parameters
    if infrastructure.alarms:
        equal = Function("Equals", [Function("Ref", "AlarmTopic"), ""])
        found["Conditions"] = {_TOPIC_IS_GIVEN: Function("Not", [equal])}
    resources: dict[str, Any] = {"Table": _table(infrastructure)}
    for scaling in infrastructure.scaling:
        resources |= _scaling(scaling)
    resources |= {alarm.id: _alarm(alarm) for alarm in infrastructure.alarms}
    found["Resources"] = resources
    found["Outputs"] = _outputs(infrastructure)
    return found


def _table(infrastructure: Infrastructure) -> dict[str, Any]:
    request = dict(infrastructure.request)
    stream, encryption = request.pop("StreamSpecification", None), request.pop("SSESpecification")
    properties: dict[str, Any] = {"TableName": _text(infrastructure.name), **request}
    properties["SSESpecification"] = {("SSEEnabled" if n == "Enabled" else n): v for n, v in encryption.items()}
    properties["PointInTimeRecoverySpecification"] = recovery_members(infrastructure)
    insights = {"ContributorInsightsSpecification": {"Enabled": infrastructure.insights}}
    properties |= insights
    if infrastructure.insights and infrastructure.global_indexes:
        properties["GlobalSecondaryIndexes"] = [{**index, **insights} for index in infrastructure.global_indexes]
    if stream is not None:
        properties["StreamSpecification"] = {"StreamViewType": stream["StreamViewType"]}
    if infrastructure.ttl is not None:
        properties["TimeToLiveSpecification"] = {"AttributeName": infrastructure.ttl, "Enabled": True}
    kept = "Retain" if infrastructure.retain else "Delete"
    return {
        "Type": "AWS::DynamoDB::Table",
        "DeletionPolicy": kept,
        "UpdateReplacePolicy": kept,
        "Properties": properties,
    }


def _scaling(scaling: Scaling) -> dict[str, Any]:
    target = {
        "ServiceNamespace": "dynamodb",
        "ResourceId": _text(scaling.resource),
        "ScalableDimension": scaling.dimension,
        "MinCapacity": scaling.least,
        "MaxCapacity": scaling.most,
    }
    policy = {
        "PolicyName": scaling.id,
        "PolicyType": "TargetTrackingScaling",
        "ScalingTargetId": Function("Ref", f"{scaling.id}Target"),
        "TargetTrackingScalingPolicyConfiguration": {
            "TargetValue": scaling.target,
            "PredefinedMetricSpecification": {"PredefinedMetricType": scaling.metric},
        },
    }
    return {
        f"{scaling.id}Target": {"Type": "AWS::ApplicationAutoScaling::ScalableTarget", "Properties": target},
        f"{scaling.id}Policy": {"Type": "AWS::ApplicationAutoScaling::ScalingPolicy", "Properties": policy},
    }


def _alarm(alarm: Alarm) -> dict[str, Any]:
    told = Function("If", [_TOPIC_IS_GIVEN, [Function("Ref", "AlarmTopic")], Function("Ref", "AWS::NoValue")])
    properties = {**_filled(alarm_request(alarm)), "AlarmActions": told}
    return {"Type": "AWS::CloudWatch::Alarm", "Properties": properties}


def _outputs(infrastructure: Infrastructure) -> dict[str, Any]:
    outputs: dict[str, Any] = {
        "TableName": {"Value": Function("Ref", "Table")},
        "TableArn": {"Value": Function("GetAtt", "Table.Arn")},
    }
    if "StreamSpecification" in infrastructure.request:
        outputs["StreamArn"] = {"Value": Function("GetAtt", "Table.StreamArn")}
    return outputs


def _filled(data: Any) -> Any:
    """Data with the stage and the table's name put into its texts."""
    if isinstance(data, dict):
        return {name: _filled(value) for name, value in data.items()}
    if isinstance(data, list):
        return [_filled(value) for value in data]
    return _text(data) if isinstance(data, str) else data


def _text(text: str) -> Any:
    """A text with the stage and the table's name put in."""
    if text == TABLE:
        return Function("Ref", "Table")
    filled = text.replace(STAGE, "${Stage}").replace(TABLE, "${Table}")
    return text if filled == text else Function("Sub", filled)
