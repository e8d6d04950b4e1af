"""What AWS is to hold for a table: the table itself, how its capacity follows the load, and what watches it.

All tools write out this one description, so that they cannot differ. In its texts `{stage}` stands for the stage and
`{table}` for the table's name; each tool has its own way of putting them in.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

from tablewright.compiler.schema import create_table_request
from tablewright.model.deployment import Alarms, Deployment, KmsKey, Provisioned
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


class Alarm(Struct, frozen=True):
    """What is watched: one metric, or the sum of several; it is raised above or at the threshold."""

    id: str
    """A name of letters and digits, of its own among all parts of the description."""
    text: str
    metrics: tuple[Metric, ...]
    threshold: float
    minutes: int

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
    recovery: bool
    insights: bool
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
    def local_indexes(self) -> list[dict[str, Any]]:
        """The local indexes, as in CreateTable."""
        return list(self.request.get("LocalSecondaryIndexes", []))


def describe(table: TableModel) -> Infrastructure:
    """What AWS is to hold for a table."""
    deployment = table.deployment
    indexes = [i.name for i in table.indexes.values() if not i.local]
    ids = _Ids()
    return Infrastructure(
        table.label,
        table.name,
        _request(table, deployment),
        table.ttl_attribute,
        deployment.recovery,
        deployment.contributor_insights,
        deployment.retain,
        tuple(_scaling(deployment, indexes, ids)),
        tuple(_alarms(deployment.alarms, indexes, ids)) if deployment.alarms is not None else (),
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


def _alarms(wanted: Alarms, indexes: list[str], ids: _Ids) -> list[Alarm]:
    found: list[Alarm] = []
    own = ("TableName", TABLE)

    def add(text: str, threshold: float, *metrics: Metric, words: tuple[str, ...]) -> None:
        found.append(Alarm(ids.make(*words), text, metrics, threshold, wanted.minutes))

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
    if wanted.latency_ms is not None:
        for call in _TIMED:
            add(
                f"{call} is slow.",
                wanted.latency_ms,
                Metric("SuccessfulRequestLatency", (own, ("Operation", call)), "Average"),
                words=(call, "Slow"),
            )
    return found
