"""A Python script that makes the table and what stands around it with boto3, and can be run again."""

from __future__ import annotations

from typing import Any

from tablewright.generate.infrastructure.description import Infrastructure, describe
from tablewright.generate.infrastructure.python import literal
from tablewright.generate.infrastructure.requests import around, create, expire, recover
from tablewright.generate.material import Material

_HEAD = '''"""Makes the DynamoDB table of the model LABEL, and what stands around it. What is there already stays.

Made from the model by `tablewright generate`. With --endpoint-url it makes the table alone, for an engine of your own.
"""

import argparse

import boto3

'''

_FUNCTIONS = '''

def filled(data, table):
    """The data with the table's name put into its texts."""
    if isinstance(data, dict):
        return {name: filled(value, table) for name, value in data.items()}
    if isinstance(data, list):
        return [filled(value, table) for value in data]
    return data.replace("{table}", table) if isinstance(data, str) else data


def make_table(dynamodb, table):
    """The table, with its items expiring and its recovery as the model says."""
    try:
        dynamodb.create_table(**filled(TABLE, table))
    except dynamodb.exceptions.ResourceInUseException:
        print(f"{table} is there already.")
    dynamodb.get_waiter("table_exists").wait(TableName=table, WaiterConfig={"Delay": 2, "MaxAttempts": 150})
    if EXPIRY is not None:
        expiry = dynamodb.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
        if expiry["TimeToLiveStatus"] not in ("ENABLED", "ENABLING"):
            dynamodb.update_time_to_live(**filled(EXPIRY, table))
    dynamodb.update_continuous_backups(**filled(RECOVERY, table))


def make_around(clients, table, topic):
    """Scaling, alarms and insights."""
    for service, operation, request in AROUND:
        wanted = filled(request, table)
        if operation == "put_metric_alarm" and topic:
            wanted["AlarmActions"] = [topic]
        getattr(clients(service), operation)(**wanted)


def main():
    options = argparse.ArgumentParser(description="Makes the table and what stands around it.")
'''

_MAIN = """    options.add_argument("--region", help="the region; otherwise as the environment says")
    options.add_argument("--endpoint-url", help="an engine of your own; only the table is made there")
    options.add_argument("--alarm-topic", default=TOPIC, help="the ARN of the SNS topic that alarms tell")
    given = options.parse_args()
    table = TABLE_NAME
    make_table(boto3.client("dynamodb", region_name=given.region, endpoint_url=given.endpoint_url), table)
    if given.endpoint_url is None:
        make_around(lambda service: boto3.client(service, region_name=given.region), table, given.alarm_topic)
    print(f"{table} is ready.")


if __name__ == "__main__":
    main()
"""


def boto3_script(material: Material) -> str:
    """The script."""
    infrastructure = describe(material.plan)
    expiry = expire(infrastructure)
    around_it = [[call.service, call.operation, call.request] for call in around(infrastructure)]
    data: dict[str, Any] = {
        "TABLE": create(infrastructure).request,
        "EXPIRY": None if expiry is None else expiry.request,
        "RECOVERY": recover(infrastructure).request,
        "AROUND": around_it,
        "TOPIC": infrastructure.topic,
    }
    assigned = "\n".join(f"{name} = {literal(value)}" for name, value in data.items())
    return _HEAD.replace("LABEL", infrastructure.label) + assigned + "\n" + _FUNCTIONS + _main(infrastructure)


def _main(infrastructure: Infrastructure) -> str:
    name = literal(infrastructure.name)
    if not infrastructure.staged:
        return _MAIN.replace("TABLE_NAME", name)
    stage = '    options.add_argument("--stage", required=True, help="the stage, which is part of the table\'s name")\n'
    return stage + _MAIN.replace("TABLE_NAME", f'{name}.replace("{{stage}}", given.stage)')
