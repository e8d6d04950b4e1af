"""The table that each tool makes is the model's own, and what stands around it is as the model says."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import botocore.session
import botocore.validate
import hcl2
import pytest
from cfnlint.api import lint
from cfnlint.config import ManualArgs
from cfnlint.decode import cfn_yaml

from tablewright import Alarms, Deployment, Provisioned, Table
from tablewright.compiler.schema import create_table_request
from tablewright.engine import Engine, open_engine
from tablewright.generate.infrastructure.boto3_script import boto3_script
from tablewright.generate.infrastructure.cdk import cdk
from tablewright.generate.infrastructure.cloudformation import cloudformation
from tablewright.generate.infrastructure.description import Infrastructure, describe
from tablewright.generate.infrastructure.shell_script import shell_script
from tablewright.generate.infrastructure.terraform import terraform
from tablewright.generate.material import Material
from tablewright.server import Server
from tests.generate.infrastructure.models import full, limited

REGION = "eu-west-1"
CHOSEN = {
    *("BillingModeSummary", "ProvisionedThroughput", "DeletionProtectionEnabled", "TableClassSummary"),
    *(
        "WarmThroughput",
        "OnDemandThroughput",
        "SSEDescription",
        "TableArn",
        "TableId",
        "CreationDateTime",
        "LatestStreamArn",
        "LatestStreamLabel",
    ),
}
"""What a deployment decides, or is of each table alone."""


@pytest.fixture
def engine() -> Iterator[Engine]:
    with open_engine("memory:") as engine:
        yield engine


def name_of(material: Material) -> str:
    return material.table.physical_name("dev")


def shape(engine: Engine, name: str) -> dict[str, Any]:
    """What a table is, without what a deployment decides."""
    table = engine.execute("DescribeTable", {"TableName": name})["Table"]
    for index in table.get("GlobalSecondaryIndexes", []):
        index.pop("ProvisionedThroughput", None)
        index.pop("WarmThroughput", None)
        index.pop("OnDemandThroughput", None)
    for index in (*table.get("GlobalSecondaryIndexes", []), *table.get("LocalSecondaryIndexes", [])):
        del index["IndexArn"]
    table["AttributeDefinitions"].sort(key=str)
    for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        if member in table:
            table[member].sort(key=lambda index: str(index["IndexName"]))
    return {member: value for member, value in table.items() if member not in CHOSEN}


def own_shape(material: Material) -> dict[str, Any]:
    """What the model's table is when a session makes it."""
    with open_engine("memory:") as engine:
        engine.execute("CreateTable", create_table_request(material.table, name_of(material)))
        return shape(engine, name_of(material))


def assert_deployed(engine: Engine, material: Material) -> None:
    """The engine holds the model's table, run as it says."""
    name, deployment = name_of(material), material.table.deployment
    assert shape(engine, name) == own_shape(material)
    table = engine.execute("DescribeTable", {"TableName": name})["Table"]
    assert table["DeletionProtectionEnabled"] is True
    if not isinstance(deployment.billing, Provisioned):
        assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
        limits = [holder.get("OnDemandThroughput") for holder in (table, *table["GlobalSecondaryIndexes"])]
        warm = [holder["WarmThroughput"]["WriteUnitsPerSecond"] for holder in (table, *table["GlobalSecondaryIndexes"])]
        if deployment.billing == "on-demand":
            assert limits == [None, None]
            assert warm == [4_000, 4_000]
        else:
            both = {"MaxReadRequestUnits": 500, "MaxWriteRequestUnits": 200}
            assert limits == [both, both, {"MaxReadRequestUnits": -1, "MaxWriteRequestUnits": 50}]
            assert warm == [5_000, 5_000, 6_000]
        return
    assert table["ProvisionedThroughput"]["ReadCapacityUnits"] == 10
    reads = {i["IndexName"]: i["ProvisionedThroughput"]["ReadCapacityUnits"] for i in table["GlobalSecondaryIndexes"]}
    assert reads == {"GSI1": 10, "by.place": 2, "by-place": 10}
    assert table["TableClassSummary"]["TableClass"] == "STANDARD_INFREQUENT_ACCESS"


# ----------------------------------------------------------------------------------------------------- CloudFormation


def template_of(material: Material) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(cfn_yaml.loads(cloudformation(material))))
    return found


def test_the_linter_of_cloudformation_finds_nothing(material: Material) -> None:
    assert lint(cloudformation(material), config=ManualArgs(regions=[REGION])) == []


def test_the_template_makes_the_models_table(material: Material, engine: Engine) -> None:
    properties = dict(template_of(material)["Resources"]["Table"]["Properties"])
    days = {"RecoveryPeriodInDays": 7} if material.table.deployment.recovery == 7 else {}
    assert properties.pop("PointInTimeRecoverySpecification") == {"PointInTimeRecoveryEnabled": True, **days}
    insights = properties.pop("ContributorInsightsSpecification")
    assert insights == {"Enabled": material.table.deployment.contributor_insights}
    for index in properties["GlobalSecondaryIndexes"]:
        assert index.pop("ContributorInsightsSpecification", {"Enabled": False}) == insights
    expiry = properties.pop("TimeToLiveSpecification", None)
    attribute = material.table.ttl_attribute
    assert expiry == (None if attribute is None else {"AttributeName": attribute, "Enabled": True})
    encryption = properties["SSESpecification"]
    encryption["Enabled"] = encryption.pop("SSEEnabled")
    if "StreamSpecification" in properties:
        properties["StreamSpecification"]["StreamEnabled"] = True
    if isinstance(properties["TableName"], dict):
        properties["TableName"] = properties["TableName"]["Fn::Sub"].replace("${Stage}", "dev")
    engine.execute("CreateTable", properties)
    assert_deployed(engine, material)


def test_a_table_stays_when_its_stack_goes(material: Material) -> None:
    table = template_of(material)["Resources"]["Table"]
    assert (table["DeletionPolicy"], table["UpdateReplacePolicy"]) == ("Retain", "Retain")


def test_a_template_without_stage_or_alarms_has_no_parameters() -> None:
    table = Table("AppTable", deployment=Deployment(alarms=None, retain=False, encryption="aws-managed"))
    template = template_of(Material(table.plan))
    assert "Parameters" not in template
    assert template["Resources"]["Table"]["DeletionPolicy"] == "Delete"
    assert template["Resources"]["Table"]["Properties"]["SSESpecification"] == {"SSEEnabled": True, "SSEType": "KMS"}


def resources(template: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [r["Properties"] for r in template["Resources"].values() if r["Type"] == kind]


def test_alarms_watch_the_table_and_every_global_index(material: Material) -> None:
    alarms = resources(template_of(material), "AWS::CloudWatch::Alarm")
    watched = {
        (a["MetricName"], tuple(d["Value"] for d in a.get("Dimensions", []) if isinstance(d["Value"], str)))
        for a in alarms
        if "MetricName" in a
    }
    for index in [(), *((i.name,) for i in material.table.indexes.values() if not i.local)]:
        assert ("ReadThrottleEvents", index) in watched
        assert ("WriteThrottleEvents", index) in watched
    assert ("SuccessfulRequestLatency", ("Query",)) in watched
    assert (("UserErrors", ()) in watched) is (material.table.label == "app-table")
    (summed,) = [a for a in alarms if "Metrics" in a]
    assert len(summed["Metrics"]) == 11
    assert len({json.dumps(a["AlarmName"]) for a in alarms}) == len(alarms)


def latencies(material: Material) -> dict[str, float]:
    alarms = resources(template_of(material), "AWS::CloudWatch::Alarm")
    slow = [a for a in alarms if a.get("MetricName") == "SuccessfulRequestLatency"]
    assert all(a["ExtendedStatistic"] == "p99" and "Statistic" not in a for a in slow)
    return {d["Value"]: a["Threshold"] for a in slow for d in a["Dimensions"] if d["Name"] == "Operation"}


def test_latency_is_that_of_99_of_100_requests_and_what_the_model_expects() -> None:
    expected = latencies(Material(limited().plan))
    assert expected == {"GetItem": 15, "Query": 50.5, "PutItem": 100, "UpdateItem": 100}
    assert set(latencies(Material(full().plan)).values()) == {25}
    quiet = Table("Quiet", deployment=Deployment(alarms=Alarms(latency_ms=None)))
    assert latencies(Material(quiet.plan)) == {}


@pytest.mark.parametrize(
    ("alarms", "minutes"),
    [(Alarms(), (5, 3)), (Alarms(minutes=1), (1, 1)), (Alarms(minutes=10, breaching=2), (10, 2))],
    ids=["usual", "one", "said"],
)
def test_minutes_need_not_follow_each_other(alarms: Alarms, minutes: tuple[int, int]) -> None:
    table = Table("Watched", deployment=Deployment(alarms=alarms))
    material = Material(table.plan)
    found = resources(template_of(material), "AWS::CloudWatch::Alarm")
    assert {(a["EvaluationPeriods"], a["DatapointsToAlarm"]) for a in found} == {minutes}
    blocks = [
        r["aws_cloudwatch_metric_alarm"]
        for r in terraform_of(material)["resource"]
        if len(r) == 1 and "aws_cloudwatch_metric_alarm" in r
    ]
    assert {(a["evaluation_periods"], a["datapoints_to_alarm"]) for b in blocks for a in b.values()} == {minutes}
    assert f"evaluation_periods={minutes[0]},\n                datapoints_to_alarm={minutes[1]}," in cdk(material)


def test_a_stage_must_be_named() -> None:
    assert "Default" not in template_of(Material(full().plan))["Parameters"]["Stage"]


def test_insights_cover_the_table_and_every_global_index(material: Material, tmp_path: Path) -> None:
    wanted = material.table.deployment.contributor_insights
    indexes = [i.name for i in material.table.indexes.values() if not i.local] if wanted else []
    places = [None, *indexes] if wanted else []
    calls = requests_in(called(material, tmp_path, MISSING="1", EXPIRY="DISABLED"))
    assert [r.get("IndexName") for _, command, r in calls if command == "update-contributor-insights"] == places
    blocks = [
        r["aws_dynamodb_contributor_insights"]
        for r in terraform_of(material)["resource"]
        if "aws_dynamodb_contributor_insights" in r
    ]
    assert [b.get("index_name") for block in blocks for b in block.values()] == places
    assert cdk(material).count("ContributorInsightsSpecification(enabled=True)") == len(places)


# ------------------------------------------------------------------------------------------------ boto3, command line


def environment(**more: str) -> dict[str, str]:
    keys = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": REGION}
    return {**os.environ, **keys, **more}


def test_the_script_of_boto3_makes_the_table_and_can_be_run_again(
    material: Material, tmp_path: Path, tablewright_server: Server, tablewright_engine: Engine
) -> None:
    script = tmp_path / "create_table.py"
    script.write_text(boto3_script(material), encoding="utf-8")
    stage = ["--stage", "dev"] if "{stage}" in material.table.name else []
    command = [sys.executable, str(script), "--endpoint-url", tablewright_server.url, *stage]
    for again in (False, True):
        done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert ("is there already" in done.stdout) is again
    assert_deployed(tablewright_engine, material)
    name = {"TableName": name_of(material)}
    backups = tablewright_engine.execute("DescribeContinuousBackups", name)["ContinuousBackupsDescription"]
    assert backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "ENABLED"
    days = backups["PointInTimeRecoveryDescription"]["RecoveryPeriodInDays"]
    assert days == material.table.deployment.recovery_days
    expiry = tablewright_engine.execute("DescribeTimeToLive", name)["TimeToLiveDescription"]
    assert expiry.get("AttributeName") == material.table.ttl_attribute


AWS = """#!/bin/sh
for word; do printf '%s\\0' "$word" >> "$CALLS"; done
printf '\\1\\0' >> "$CALLS"
case "$2" in
  describe-table) exit "$MISSING" ;;
  describe-time-to-live) echo "$EXPIRY" ;;
esac
"""
"""Stands for AWS's command line: it notes what it was called with."""


def called(material: Material, folder: Path, **more: str) -> list[list[str]]:
    """What the shell script calls AWS's command line with, in the words that the shell makes of it."""
    (folder / "aws").write_text(AWS)
    (folder / "aws").chmod(0o755)
    (folder / "create.sh").write_text(shell_script(material), encoding="utf-8")
    calls = folder / "calls"
    calls.unlink(missing_ok=True)
    path = f"{folder}:{os.environ['PATH']}"
    env = environment(PATH=path, CALLS=str(calls), STAGE="dev", **more)
    done = subprocess.run(["bash", str(folder / "create.sh")], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    parts = calls.read_text(encoding="utf-8").split("\1\0")
    return [part.rstrip("\0").split("\0") for part in parts if part]


def requests_in(calls: list[list[str]]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (call[0], call[1], json.loads(call[call.index("--cli-input-json") + 1]))
        for call in calls
        if "--cli-input-json" in call
    ]


def assert_valid(service: str, operation: str, request: dict[str, Any]) -> None:
    """botocore, which knows AWS's own description of its services, takes the request."""
    model = botocore.session.get_session().get_service_model(service)
    shape = model.operation_model(operation).input_shape
    report = botocore.validate.ParamValidator().validate(request, shape)
    assert not report.has_errors(), report.generate_report()


def test_the_shell_script_makes_calls_that_aws_takes(material: Material, tmp_path: Path, engine: Engine) -> None:
    requests = requests_in(called(material, tmp_path, MISSING="1", EXPIRY="DISABLED", ALARM_TOPIC="arn:topic"))
    for service, command, request in requests:
        operation = "".join(word.capitalize() for word in command.split("-"))
        assert_valid(service, operation, request)
        if service == "dynamodb" and operation != "UpdateContributorInsights":
            engine.execute(operation, request)
    assert_deployed(engine, material)
    kinds = {(service, command) for service, command, _ in requests}
    assert ("cloudwatch", "put-metric-alarm") in kinds
    scaled = isinstance(material.table.deployment.billing, Provisioned)
    assert (("application-autoscaling", "put-scaling-policy") in kinds) is scaled
    assert (("dynamodb", "update-time-to-live") in kinds) is (material.table.ttl_attribute is not None)


def test_the_shell_script_leaves_alone_what_is_there(material: Material, tmp_path: Path) -> None:
    calls = called(material, tmp_path, MISSING="0", EXPIRY="ENABLED", ALARM_TOPIC="")
    commands = [call[1] for call in calls]
    assert "create-table" not in commands
    assert "update-time-to-live" not in commands
    assert not any("--alarm-actions" in call for call in calls)


def test_both_scripts_make_the_same_calls(material: Material, tmp_path: Path) -> None:
    data: dict[str, Any] = {}
    for statement in ast.parse(boto3_script(material)).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            data[statement.targets[0].id] = ast.literal_eval(statement.value)
    shell = requests_in(called(material, tmp_path, MISSING="1", EXPIRY="DISABLED"))
    python = [data["TABLE"], *([data["EXPIRY"]] if data["EXPIRY"] else []), data["RECOVERY"]]
    python += [request for _, _, request in data["AROUND"]]
    assert json.loads(json.dumps(python).replace("{table}", name_of(material))) == [r for _, _, r in shell]


# ------------------------------------------------------------------------------------------------------------ Terraform


def unquoted(data: Any) -> Any:
    """What hcl2 reads, without quotes and the marks of blocks."""
    if isinstance(data, dict):
        return {unquoted(n): unquoted(v) for n, v in data.items() if n != "__is_block__"}
    if isinstance(data, list):
        return [unquoted(v) for v in data]
    return data[1:-1] if isinstance(data, str) and data[:1] == '"' == data[-1:] else data


def terraform_of(material: Material) -> dict[str, Any]:
    found: dict[str, Any] = unquoted(hcl2.loads(terraform(material)))
    return found


def test_terraform_makes_the_models_table(material: Material, engine: Engine) -> None:
    read = terraform_of(material)
    (table,) = [r["aws_dynamodb_table"]["table"] for r in read["resource"] if "aws_dynamodb_table" in r]
    keys = [(table["hash_key"], "HASH"), *([(table["range_key"], "RANGE")] if "range_key" in table else [])]
    request = {
        "TableName": table["name"].replace("${var.stage}", "dev"),
        "BillingMode": table["billing_mode"],
        "TableClass": table["table_class"],
        "DeletionProtectionEnabled": table["deletion_protection_enabled"],
        "KeySchema": [{"AttributeName": name, "KeyType": kind} for name, kind in keys],
        "AttributeDefinitions": [{"AttributeName": a["name"], "AttributeType": a["type"]} for a in table["attribute"]],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": index["name"],
                "KeySchema": [
                    {"AttributeName": e["attribute_name"], "KeyType": e["key_type"]} for e in index["key_schema"]
                ],
                **with_projection(index),
                **with_capacity(index),
            }
            for index in table["global_secondary_index"]
        ],
        **with_capacity(table),
    }
    if "local_secondary_index" in table:
        request["LocalSecondaryIndexes"] = [
            {
                "IndexName": index["name"],
                "KeySchema": [
                    request["KeySchema"][0],
                    {"AttributeName": index["range_key"], "KeyType": "RANGE"},
                ],
                **with_projection(index),
            }
            for index in table["local_secondary_index"]
        ]
    if table.get("stream_enabled"):
        request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": table["stream_view_type"]}
    engine.execute("CreateTable", request)
    assert_deployed(engine, material)
    days = {"recovery_period_in_days": 7} if material.table.deployment.recovery == 7 else {}
    assert table["point_in_time_recovery"] == [{"enabled": True, **days}]
    assert table["lifecycle"][0]["prevent_destroy"] is True
    expiry = [{"attribute_name": material.table.ttl_attribute, "enabled": True}]
    assert table.get("ttl", [{"attribute_name": None, "enabled": True}]) == expiry


def with_projection(index: dict[str, Any]) -> dict[str, Any]:
    projection = {"ProjectionType": index["projection_type"]}
    if "non_key_attributes" in index:
        projection["NonKeyAttributes"] = index["non_key_attributes"]
    return {"Projection": projection}


MEMBERS = {
    "max_read_request_units": ("OnDemandThroughput", "MaxReadRequestUnits"),
    "max_write_request_units": ("OnDemandThroughput", "MaxWriteRequestUnits"),
    "read_units_per_second": ("WarmThroughput", "ReadUnitsPerSecond"),
    "write_units_per_second": ("WarmThroughput", "WriteUnitsPerSecond"),
    "read_capacity": ("ProvisionedThroughput", "ReadCapacityUnits"),
    "write_capacity": ("ProvisionedThroughput", "WriteCapacityUnits"),
}


def with_capacity(block: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, dict[str, Any]] = {}
    inner = [b for name in ("on_demand_throughput", "warm_throughput") for b in block.get(name, [])]
    for name, value in (item for part in (block, *inner) for item in part.items() if item[0] in MEMBERS):
        holder, member = MEMBERS[name]
        found.setdefault(holder, {})[member] = value
    return found


def test_terraform_has_the_same_alarms_and_scaling(material: Material) -> None:
    template, read = template_of(material), terraform_of(material)
    kinds = [kind for resource in read["resource"] for kind in resource]
    for own, theirs in (
        ("AWS::CloudWatch::Alarm", "aws_cloudwatch_metric_alarm"),
        ("AWS::ApplicationAutoScaling::ScalableTarget", "aws_appautoscaling_target"),
        ("AWS::ApplicationAutoScaling::ScalingPolicy", "aws_appautoscaling_policy"),
    ):
        assert kinds.count(theirs) == len(resources(template, own))
    names = [name for resource in read["resource"] for blocks in resource.values() for name in blocks]
    assert len(set(zip(kinds, names, strict=True))) == len(names)


# ----------------------------------------------------------------------------------------------------------------- CDK


def test_the_stack_of_the_cdk_says_everything_that_the_description_says(material: Material) -> None:
    infrastructure: Infrastructure = describe(material.plan)
    source = cdk(material)
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    by_name: dict[str, list[ast.Call]] = {}
    for call in calls:
        by_name.setdefault(ast.unparse(call.func), []).append(call)
    (table,) = by_name["dynamodb.Table"]
    given = {k.arg: ast.unparse(k.value) for k in table.keywords}
    assert given["deletion_protection"] == "True"
    assert given["removal_policy"] == "RemovalPolicy.RETAIN"
    assert given["billing_mode"].endswith(infrastructure.request["BillingMode"])
    assert given.get("time_to_live_attribute", "None") == repr(infrastructure.ttl)
    added = by_name["self.table.add_global_secondary_index"]
    assert len(added) == len(infrastructure.global_indexes)
    assert len(by_name.get("self.table.add_local_secondary_index", [])) == len(infrastructure.local_indexes)
    for holder, call in ((infrastructure.request, table), *zip(infrastructure.global_indexes, added, strict=True)):
        said = {k.arg: ast.unparse(k.value) for k in call.keywords}
        limits, warm = holder.get("OnDemandThroughput", {}), holder.get("WarmThroughput")
        assert said.get("max_read_request_units") == (str(r) if (r := limits.get("MaxReadRequestUnits")) else None)
        assert said.get("max_write_request_units") == (str(w) if (w := limits.get("MaxWriteRequestUnits")) else None)
        assert ("warm_throughput" in said) is (warm is not None)
        if warm is not None:
            assert f"read_units_per_second={warm['ReadUnitsPerSecond']}" in said["warm_throughput"]
            assert f"write_units_per_second={warm['WriteUnitsPerSecond']}" in said["warm_throughput"]
    days = "recovery_period_in_days=7" in given["point_in_time_recovery_specification"]
    assert days is (material.table.deployment.recovery == 7)
    assert len(by_name["cloudwatch.Alarm"]) == len(infrastructure.alarms)
    scaled = [name for name in by_name if name.endswith(".scale_on_utilization")]
    assert sum(len(by_name[name]) for name in scaled) == len(infrastructure.scaling)
