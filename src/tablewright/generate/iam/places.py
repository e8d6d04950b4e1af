"""Where a table is: the partition of AWS, the region and the account that stand in the names of its resources."""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

from tablewright.errors import ArgumentError
from tablewright.model.deployment import KmsKey
from tablewright.model.table import TableModel

_REGIONS = re.compile(r"[a-z]{2,4}(-[a-z]+)+-[0-9]+").fullmatch
_ACCOUNTS = re.compile("[0-9]{12}").fullmatch
_PARTITIONS = re.compile("aws(-[a-z]+)*").fullmatch
_BY_REGION = {"cn-": "aws-cn", "us-gov-": "aws-us-gov"}
_DOMAINS = {"aws-cn": "amazonaws.com.cn"}
_USE = ("kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:DescribeKey")


class Place(Struct, frozen=True, kw_only=True):
    """Where a table is; without a region or an account, in any. The partition follows from the region if it is not given."""

    region: str | None = None
    account: str | None = None
    partition: str | None = None

    def __post_init__(self) -> None:
        for what, value, fits, hint in (
            ("region", self.region, _REGIONS, "It looks like eu-west-1."),
            ("account", self.account, _ACCOUNTS, "It has twelve digits."),
            ("partition", self.partition, _PARTITIONS, "It is aws, aws-cn or aws-us-gov."),
        ):
            if value is not None and not fits(value):
                raise ArgumentError(f"The {what} is none that AWS has.", field=what, hint=hint)

    def table(self, table: TableModel, stage: str | None = None) -> str:
        """The table's ARN. Without a stage, that of the table of the stage that a role has as its tag `stage`."""
        return self._arn("dynamodb", f"table/{table.physical_name(stage or '${aws:PrincipalTag/stage}')}")

    def key(self, key: KmsKey) -> dict[str, Any]:
        """The statement that lets DynamoDB use a key of one's own for whoever asks."""
        condition: dict[str, Any] = {"StringLike": {"kms:ViaService": f"dynamodb.{self.region or '*'}.{self._domain}"}}
        resource = key.key
        if ":alias/" in resource or resource.startswith("alias/"):
            # IAM knows keys by their ids; the alias is compared by a condition.
            condition["ForAnyValue:StringEquals"] = {"kms:ResourceAliases": "alias/" + resource.partition("alias/")[2]}
            start = resource.partition("alias/")[0]
            resource = f"{start}key/*" if start else self._arn("kms", "key/*")
        elif not resource.startswith("arn:"):
            resource = self._arn("kms", f"key/{resource}")
        return {
            "Sid": "Key",
            "Effect": "Allow",
            "Action": list(_USE),
            "Resource": resource,
            "Condition": condition,
        }

    def _arn(self, service: str, resource: str) -> str:
        return f"arn:{self._partition}:{service}:{self.region or '*'}:{self.account or '*'}:{resource}"

    @property
    def _partition(self) -> str:
        if self.partition is not None:
            return self.partition
        starts = (name for start, name in _BY_REGION.items() if (self.region or "").startswith(start))
        return next(starts, "aws")

    @property
    def _domain(self) -> str:
        return _DOMAINS.get(self._partition, "amazonaws.com")
