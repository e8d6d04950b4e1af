"""The stack for AWS's CDK calls nothing that the CDK does not have, and makes the table of the CloudFormation template."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cfnlint.decode import cfn_yaml

from tablewright.generate.infrastructure.cdk import cdk
from tablewright.generate.infrastructure.cloudformation import cloudformation
from tablewright.generate.material import Material
from tests.support.type_checks import ROOT

_PLACED = ("scope", "id")
_CAPACITY = ("min_capacity", "max_capacity")
_INDEX = ("index_name", "non_key_attributes", "projection_type")
PARAMETERS: dict[str, tuple[str, ...]] = {
    "CfnOutput": (*_PLACED, "value", "condition", "description", "export_name", "key"),
    "Duration.minutes": ("amount",),
    "Tags.of": ("scope",),
    "Tags.of(self.table).add": ("key", "value"),
    "alarm.add_alarm_action": ("actions",),
    "cloudwatch.Alarm": (
        *(*_PLACED, "metric", "evaluation_periods", "threshold", "actions_enabled", "alarm_description", "alarm_name"),
        *("comparison_operator", "datapoints_to_alarm", "evaluate_low_sample_count_percentile", "treat_missing_data"),
    ),
    "cloudwatch.MathExpression": ("expression", "using_metrics", "label", "period"),
    "cloudwatch.Metric": ("metric_name", "namespace", "dimensions_map", "label", "period", "statistic", "unit"),
    "cloudwatch_actions.SnsAction": ("topic",),
    "dynamodb.Attribute": ("name", "type"),
    "dynamodb.ContributorInsightsSpecification": ("enabled", "mode"),
    "dynamodb.PointInTimeRecoverySpecification": ("point_in_time_recovery_enabled", "recovery_period_in_days"),
    "dynamodb.Table": (
        *(*_PLACED, "table_name", "partition_key", "sort_key", "billing_mode", "read_capacity", "write_capacity"),
        *("max_read_request_units", "max_write_request_units", "warm_throughput", "table_class", "encryption"),
        *("encryption_key", "point_in_time_recovery_specification", "contributor_insights_specification"),
        *("deletion_protection", "removal_policy", "resource_policy", "stream", "time_to_live_attribute"),
    ),
    "dynamodb.WarmThroughput": ("read_units_per_second", "write_units_per_second"),
    "kms.Key.from_key_arn": (*_PLACED, "key_arn"),
    "kms.Key.from_lookup": (*_PLACED, "alias_name"),
    "scale_on_utilization": ("target_utilization_percent", "scale_in_cooldown", "scale_out_cooldown"),
    "self.table.add_global_secondary_index": (
        *(*_INDEX, "partition_key", "partition_keys", "sort_key", "sort_keys", "read_capacity", "write_capacity"),
        *("max_read_request_units", "max_write_request_units", "warm_throughput", "contributor_insights_specification"),
    ),
    "self.table.add_local_secondary_index": (*_INDEX, "sort_key"),
    "self.table.auto_scale_global_secondary_index_read_capacity": ("index_name", *_CAPACITY),
    "self.table.auto_scale_global_secondary_index_write_capacity": ("index_name", *_CAPACITY),
    "self.table.auto_scale_read_capacity": _CAPACITY,
    "self.table.auto_scale_write_capacity": _CAPACITY,
    "sns.Topic.from_topic_arn": (*_PLACED, "topic_arn"),
    "super": (),
    "super().__init__": (*_PLACED, "options"),
}
"""What aws-cdk-lib 2.275 calls the parameters of what is called here, as far as they are of use; positions count."""
MEMBERS = {
    "dynamodb.AttributeType": {"STRING", "NUMBER", "BINARY"},
    "dynamodb.BillingMode": {"PAY_PER_REQUEST", "PROVISIONED"},
    "dynamodb.ProjectionType": {"ALL", "INCLUDE", "KEYS_ONLY"},
    "dynamodb.StreamViewType": {"KEYS_ONLY", "NEW_AND_OLD_IMAGES", "NEW_IMAGE", "OLD_IMAGE"},
    "dynamodb.TableClass": {"STANDARD", "STANDARD_INFREQUENT_ACCESS"},
    "dynamodb.TableEncryption": {"AWS_MANAGED", "CUSTOMER_MANAGED", "DEFAULT"},
    "RemovalPolicy": {"DESTROY", "RETAIN"},
    "cloudwatch.ComparisonOperator": {"GREATER_THAN_OR_EQUAL_TO_THRESHOLD"},
    "cloudwatch.TreatMissingData": {"NOT_BREACHING"},
}


def unknown(source: str) -> Iterator[str]:
    """What a stack calls or names that the CDK does not have."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            parameters = PARAMETERS.get(name.rpartition(").")[2] if name.endswith(".scale_on_utilization") else name)
            if parameters is None:
                yield f"{name}()"
                continue
            given = [keyword.arg for keyword in node.keywords if keyword.arg is not None]
            yield from (f"{name}({argument}=)" for argument in given if argument not in parameters[len(node.args) :])
            if len(node.args) > len(parameters):
                yield f"{name}() with {len(node.args)} arguments"
        elif isinstance(node, ast.Attribute) and node.attr not in MEMBERS.get(ast.unparse(node.value), {node.attr}):
            yield ast.unparse(node)


def test_only_what_the_cdk_has_is_called(material: Material) -> None:
    assert list(unknown(cdk(material))) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("partition_key=", "partition_keyz="),
        ("deletion_protection=", "deletion_protected="),
        ("TableClass.STANDARD", "TableClass.NORMAL"),
        ("self.table.add_global_secondary_index(", "self.table.add_index("),
        ("datapoints_to_alarm=", "datapoints="),
        ('CfnOutput(self, "TableName", value=', 'CfnOutput(self, "TableName", None, value='),
    ],
)
def test_a_wrong_name_is_found(material: Material, right: str, wrong: str) -> None:
    source = cdk(material)
    assert right in source
    assert list(unknown(source.replace(right, wrong))) != []


SYNTHESIS = """
import importlib, inspect, json, sys
import aws_cdk
from aws_cdk.assertions import Template

sys.path.insert(0, sys.argv[1])
made = [v for k, v in vars(importlib.import_module("stack")).items() if k.endswith("Stack") and k != "Stack"]
wanted = inspect.signature(made[0].__init__).parameters
stack = made[0](aws_cdk.App(), "Test", **({"stage": "dev"} if "stage" in wanted else {}))
print(json.dumps(Template.from_stack(stack).to_json()))
"""


@pytest.mark.full
def test_the_cdk_makes_the_table_of_the_template(material: Material, tmp_path: Path) -> None:
    """With the CDK itself, where `make aws-cdk` has installed it."""
    python = max(ROOT.glob(".tools/aws-cdk-lib-*/bin/python"), default=None)
    if python is None or shutil.which("node") is None:
        pytest.skip("AWS's CDK is not available: make aws-cdk installs it, and node runs it")
    (tmp_path / "stack.py").write_text(cdk(material), encoding="utf-8")
    (tmp_path / "template.yaml").write_text(cloudformation(material), encoding="utf-8")
    command = [str(python), "-c", SYNTHESIS, str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    made, wanted = json.loads(done.stdout), json.loads(json.dumps(cfn_yaml.load(str(tmp_path / "template.yaml"))))
    for kind in ("AWS::CloudWatch::Alarm", "AWS::ApplicationAutoScaling::ScalingPolicy"):
        assert len(properties(made, kind)) == len(properties(wanted, kind))
    ((table,), (own,)) = (properties(template, "AWS::DynamoDB::Table") for template in (made, wanted))
    own["TableName"] = material.table.physical_name("dev")
    table.setdefault("BillingMode", "PROVISIONED")  # which CloudFormation takes for granted
    assert {n: ordered(v) for n, v in table.items()} == {n: ordered(v) for n, v in own.items()}


def properties(template: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [resource["Properties"] for resource in template["Resources"].values() if resource["Type"] == kind]


def ordered(value: Any) -> Any:
    return sorted(value, key=json.dumps) if isinstance(value, list) else value
