"""What AWS is to hold for a table: the table itself, how its capacity follows the load, and what watches it.

All tools write out this one description, so that they cannot differ. In its texts `{stage}` stands for the stage and
`{table}` for the table's name; each tool has its own way of putting them in.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

from tablewright.compiler.plan import TablePlan
from tablewright.compiler.schema import create_table_request
from tablewright.generate.iam.needs import of_pattern
from tablewright.model.deployment import (
    RECOVERY_DAYS,
    USUAL_LATENCY_MS,
    Alarms,
    Deployment,
    KmsKey,
    OnDemand,
    Provisioned,
    Warm,
)
from tablewright.model.table import TableModel

STAGE = "{stage}"
TABLE = "{table}"
NAMESPACE = "AWS/DynamoDB"
PERIOD = 60
"""Seconds that alarms count over."""
SUM = "SUM(FILL(METRICS(), 0))"
"""The sum of all metrics of an alarm; a call that nobody made counts as none that failed."""

_CALLS = (
    *("GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan"),
    *("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"),
)
"""What an alarm of several metrics can add up: ten of them."""
_TIMED = ("GetItem", "Query", "PutItem", "UpdateItem")


class Metric(Struct, frozen=True):
    """One metric of CloudWatch."""

    name: str
    dimensions: tuple[tuple[str, str], ...]
    statistic: str
    """`Sum`, or a percentile such as `p99`."""

    @property
    def percentile(self) -> bool:
        """Whether the statistic is a percentile, which tools name apart."""
        return self.statistic.startswith("p")


class Alarm(Struct, frozen=True):
    """What is watched: one metric, or the sum of several; it is raised above or at the threshold."""

    id: str
    """A name of letters and digits, of its own among all parts of the description."""
    text: str
    metrics: tuple[Metric, ...]
    threshold: float
    minutes: int
    datapoints: int
    """How many of the minutes must be at or above the threshold."""

    @property
    def name(self) -> str:
        """What the alarm is called, by the table that it watches."""
        return f"{TABLE}-{self.id}"


class Scaling(Struct, frozen=True):
    """Capacity that follows the load, of the table or of one index, for reads or for writes."""

    id: str
    index: str | None
    reads: bool
    least: int
    most: int
    target: int

    @property
    def resource(self) -> str:
        """What is scaled, as AWS names it."""
        return f"table/{TABLE}" + (f"/index/{self.index}" if self.index else "")

    @property
    def dimension(self) -> str:
        """Which of its capacities."""
        return f"dynamodb:{'index' if self.index else 'table'}:{self._kind}CapacityUnits"

    @property
    def metric(self) -> str:
        """The metric that is kept at the target."""
        return f"DynamoDB{self._kind}CapacityUtilization"

    @property
    def _kind(self) -> str:
        return "Read" if self.reads else "Write"


class Infrastructure(Struct, frozen=True):
    """Everything that AWS is to hold for one table."""

    label: str
    """The table's name without its stage."""
    name: str
    """The table's name; the stage may stand in it."""
    request: dict[str, Any]
    """CreateTable without the name."""
    ttl: str | None
    """The attribute that items expire by."""
    recovery: int | None
    """How many days back the table can be restored; None where it cannot."""
    insights: bool
    """Whether the keys most in demand are counted, of the table and of each global index."""
    retain: bool
    scaling: tuple[Scaling, ...]
    alarms: tuple[Alarm, ...]
    topic: str | None
    """The topic that alarms tell, unless another is given where they are made."""

    @property
    def staged(self) -> bool:
        """Whether the name needs a stage."""
        return STAGE in self.name

    @property
    def global_indexes(self) -> list[dict[str, Any]]:
        """The global indexes, as in CreateTable."""
        return list(self.request.get("GlobalSecondaryIndexes", []))

    @property
    def own_recovery(self) -> int | None:
        """The days of its recovery where they are not the usual ones, which no tool is told."""
        return None if self.recovery == RECOVERY_DAYS else self.recovery

    @property
    def local_indexes(self) -> list[dict[str, Any]]:
        """The local indexes, as in CreateTable."""
        return list(self.request.get("LocalSecondaryIndexes", []))


def describe(plan: TablePlan) -> Infrastructure:
    """What AWS is to hold for a table."""
    table = plan.table
    deployment = table.deployment
    indexes = [i.name for i in table.indexes.values() if not i.local]
    ids = _Ids()
    return Infrastructure(
        table.label,
        table.name,
        _request(table, deployment),
        table.ttl_attribute,
        deployment.recovery_days,
        deployment.contributor_insights,
        deployment.retain,
        tuple(_scaling(deployment, indexes, ids)),
        tuple(_alarms(deployment.alarms, indexes, _latencies(plan, deployment.alarms), ids))
        if deployment.alarms is not None
        else (),
        deployment.alarms.topic if deployment.alarms is not None else None,
    )


class _Ids:
    """Names of letters and digits; those of indexes may differ in other characters only."""

    def __init__(self) -> None:
        self._taken: set[str] = {"Table", "Stage", "AlarmTopic"}

    def make(self, *words: str) -> str:
        name = "".join(re.sub("[^A-Za-z0-9]", "", word) for word in words)
        found, number = name, 2
        while found in self._taken:
            found, number = f"{name}{number}", number + 1
        self._taken.add(found)
        return found


def _request(table: TableModel, deployment: Deployment) -> dict[str, Any]:
    request = create_table_request(table, table.name)
    del request["TableName"]
    billing = deployment.billing
    if isinstance(billing, Provisioned):
        request["BillingMode"] = "PROVISIONED"
        request["ProvisionedThroughput"] = _throughput(billing)
        for index in request.get("GlobalSecondaryIndexes", []):
            index["ProvisionedThroughput"] = _throughput(billing.of(index["IndexName"]))
    for index in (None, *request.get("GlobalSecondaryIndexes", [])):
        holder = request if index is None else index
        if isinstance(billing, OnDemand):
            limits = _limits(billing if index is None else billing.of(index["IndexName"]))
            holder |= {"OnDemandThroughput": limits} if limits else {}
        if deployment.warm is not None:
            warm = deployment.warm if index is None else deployment.warm.of(index["IndexName"])
            holder["WarmThroughput"] = _warmth(warm)
    request["TableClass"] = deployment.table_class
    request["DeletionProtectionEnabled"] = deployment.deletion_protection
    # AWS's own key is what is there without a word; it is stated, so that a reader sees that it was chosen.
    encryption: dict[str, Any] = {"Enabled": deployment.encryption != "aws-owned"}
    if deployment.encryption != "aws-owned":
        encryption["SSEType"] = "KMS"
    if isinstance(deployment.encryption, KmsKey):
        encryption["KMSMasterKeyId"] = deployment.encryption.key
    request["SSESpecification"] = encryption
    if deployment.tags:
        request["Tags"] = [{"Key": name, "Value": value} for name, value in deployment.tags.items()]
    return request


def _throughput(capacity: Provisioned) -> dict[str, int]:
    return {"ReadCapacityUnits": capacity.read, "WriteCapacityUnits": capacity.write}


def _limits(limits: OnDemand) -> dict[str, int]:
    wanted = {"MaxReadRequestUnits": limits.max_read, "MaxWriteRequestUnits": limits.max_write}
    return {name: units for name, units in wanted.items() if units is not None}


def _warmth(warm: Warm) -> dict[str, int]:
    return {"ReadUnitsPerSecond": warm.read, "WriteUnitsPerSecond": warm.write}


def recovery_members(infrastructure: Infrastructure) -> dict[str, Any]:
    """Recovery as AWS's API and CloudFormation say it; the days only where they are not the usual ones."""
    found: dict[str, Any] = {"PointInTimeRecoveryEnabled": infrastructure.recovery is not None}
    if infrastructure.own_recovery is not None:
        found["RecoveryPeriodInDays"] = infrastructure.own_recovery
    return found


def _latencies(plan: TablePlan, wanted: Alarms) -> dict[str, float]:
    """In how many milliseconds 99 of 100 requests of each kind are to be answered; nothing for those that are not watched.

    CloudWatch does not tell patterns apart. If each keeps to what is expected of it, 99 of 100 requests of all together are
    answered in the longest time that is expected of one; a shorter threshold would tell of patterns that may take longer.
    """
    if wanted.latency_ms is None:
        return {}
    if not isinstance(wanted.latency_ms, str):
        return dict.fromkeys(_TIMED, wanted.latency_ms)
    expected: dict[str, float] = {}
    for name in plan.patterns:
        latency = plan.table.expectations.of_pattern(name).latency_ms
        for action in {need.action for need in of_pattern(plan, name)} if latency else ():
            expected[action] = max(latency or 0.0, expected.get(action, 0.0))
    return {call: expected.get(call, USUAL_LATENCY_MS) for call in _TIMED}


def _scaling(deployment: Deployment, indexes: list[str], ids: _Ids) -> list[Scaling]:
    billing = deployment.billing
    if not isinstance(billing, Provisioned):
        return []
    found = []
    for index in (None, *indexes):
        capacity = billing if index is None else billing.of(index)
        for reads, least, most in (
            (True, capacity.read, capacity.max_read),
            (False, capacity.write, capacity.max_write),
        ):
            if most is not None:
                name = ids.make("Reads" if reads else "Writes", "Of", index or "Table", "Scaling")
                found.append(Scaling(name, index, reads, least, most, capacity.target))
    return found


def _alarms(wanted: Alarms, indexes: list[str], latencies: dict[str, float], ids: _Ids) -> list[Alarm]:
    found: list[Alarm] = []
    own = ("TableName", TABLE)

    def add(text: str, threshold: float, *metrics: Metric, words: tuple[str, ...]) -> None:
        found.append(Alarm(ids.make(*words), text, metrics, threshold, wanted.minutes, wanted.datapoints))

    if wanted.throttles is not None:
        for index in (None, *indexes):
            where = (own,) if index is None else (own, ("GlobalSecondaryIndexName", index))
            for kind in ("Read", "Write"):
                add(
                    f"{kind}s of {f'the index {index}' if index else 'the table'} are throttled.",
                    wanted.throttles,
                    Metric(f"{kind}ThrottleEvents", where, "Sum"),
                    words=(f"{kind}sOf", index or "Table", "Throttled"),
                )
    if wanted.system_errors is not None:
        errors = [Metric("SystemErrors", (own, ("Operation", call)), "Sum") for call in _CALLS]
        add("Requests fail in DynamoDB.", wanted.system_errors, *errors, words=("SystemErrors",))
    if wanted.user_errors is not None:
        add(
            "Requests to DynamoDB are refused, of whatever table of this account and region.",
            wanted.user_errors,
            Metric("UserErrors", (), "Sum"),
            words=("UserErrors",),
        )
    for call, latency in latencies.items():
        add(
            f"One of 100 {call} requests takes {latency:g} milliseconds or longer in DynamoDB.",
            latency,
            Metric("SuccessfulRequestLatency", (own, ("Operation", call)), "p99"),
            words=(call, "Slow"),
        )
    return found
