"""What a restored table lacks: AWS brings back items, indexes, capacity and encryption, and leaves the rest to people.

What the model says is set again here. The rest can only be told.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from msgspec import Struct

from tablewright.client.calls import Call, Steps
from tablewright.errors import RequestRefused, TablewrightError
from tablewright.evolve.backups.recovery import switch_recovery
from tablewright.evolve.backups.waiting import Tell, changed
from tablewright.model.deployment import Deployment, Provisioned
from tablewright.model.table import TableModel


class Settled(Struct, frozen=True):
    """What was done about the settings of a restored table."""

    again: tuple[str, ...]
    """What was set again."""
    failed: tuple[str, ...]
    """What could not be set again, and the reason."""
    left: tuple[str, ...]
    """What is left to do by other means."""


_BARE = Deployment(recovery=False, deletion_protection=False, alarms=None)


def settle(
    model: TableModel, description: dict[str, Any], tell: Tell, *, deployed: bool, old: str | None = None
) -> Steps[Settled]:
    """Sets again what the model says. What is refused is told, and does not keep the rest from being set.

    What it says of a deployment is for tables on AWS, which are `deployed`. `old` is the name of the table that was restored."""
    name, arn = description["TableName"], description.get("TableArn")
    deployment = model.deployment if deployed else _BARE
    steps: list[tuple[str, Generator[Any, Any, Any]]] = []
    if model.ttl_attribute is not None:
        steps.append((f"expiry by {model.ttl_attribute}", _expiry(name, model.ttl_attribute)))
    if model.stream is not None:
        stream = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": model.stream}}
        steps.append((f"the stream, {model.stream}; it has a new ARN", changed(name, stream, tell)))
    if deployment.recovery_days is not None:
        days = None if deployment.recovery is True else deployment.recovery_days
        steps.append(("recovery to a point in time", switch_recovery(name, on=True, days=days)))
    if deployment.deletion_protection:
        steps.append(("protection against deletion", changed(name, {"DeletionProtectionEnabled": True}, tell)))
    if deployment.tags and arn is not None:
        steps.append((f"{len(deployment.tags)} tags", _tags(arn, deployment)))
    if deployment.contributor_insights:
        steps.append(("contributor insights", _insights(name)))
    again: list[str] = []
    failed: list[str] = []
    for what, work in steps:
        try:
            yield from work
        except TablewrightError as error:
            failed.append(f"{what}: {error.message}")
        else:
            again.append(what)
    return Settled(tuple(again), tuple(failed), tuple(_left(deployment, renamed=name != old)))


def _expiry(table: str, attribute: str) -> Steps[None]:
    wanted = {"Enabled": True, "AttributeName": attribute}
    try:
        yield Call("UpdateTimeToLive", {"TableName": table, "TimeToLiveSpecification": wanted}, repeatable=True)
    except RequestRefused as error:
        if error.message != "TimeToLive is already enabled":
            raise


def _tags(arn: str, deployment: Deployment) -> Steps[None]:
    tags = [{"Key": key, "Value": value} for key, value in deployment.tags.items()]
    yield Call("TagResource", {"ResourceArn": arn, "Tags": tags}, repeatable=True)


def _insights(table: str) -> Steps[None]:
    yield Call(
        "UpdateContributorInsights", {"TableName": table, "ContributorInsightsAction": "ENABLE"}, repeatable=True
    )


def _left(deployment: Deployment, *, renamed: bool) -> list[str]:
    left = ["consumers of the stream, triggers, Kinesis destinations and replicas in other regions"]
    if renamed:
        left.insert(0, "policies of IAM and of the table itself, which name the old table")
        left.append("the application, which still uses the old table: open it with table_name=...")
    else:
        left.insert(0, "the policy of the table itself")
    if deployment.alarms is not None:
        left.insert(0, "alarms of CloudWatch: tablewright generate MODEL cloudformation has them")
    if isinstance(deployment.billing, Provisioned):
        left.insert(0, "auto scaling: tablewright generate MODEL cloudformation has its policies")
    return left
