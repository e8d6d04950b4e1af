"""How a table is to be run on AWS: capacity, safety, encryption and alarms. It describes; `tablewright generate` writes it out.

Nothing that is stored or read depends on it, and a table that a session creates for development ignores it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias, get_args

from msgspec import Struct, field

from tablewright.errors import ModelError
from tablewright.model.entity import did_you_mean

TableClass: TypeAlias = Literal["STANDARD", "STANDARD_INFREQUENT_ACCESS"]
"""What storage and requests of a table cost, against each other."""

_KMS_KEY = r"(arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:(key|alias)/[A-Za-z0-9/_-]+)|alias/[A-Za-z0-9/_-]+|[0-9a-f-]{36}|mrk-[0-9a-f]{32}"
_TOPIC = r"arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}(\.fifo)?"
_TAG = r"[\w\s.:/=+@-]"
_MAX_TAGS = 50


class Provisioned(Struct, frozen=True, kw_only=True):
    """Capacity that is paid whether it is used or not: units a second, scaled up to the greatest where one is given.

    `Provisioned(read=10, write=5, max_read=200, max_write=100)`. An index has the same capacity as the table unless
    `indexes` says otherwise: `indexes={"GSI1": Provisioned(read=5, write=5)}`.
    """

    read: int
    """Read units a second, the least there are."""
    write: int
    """Write units a second, the least there are."""
    max_read: int | None = None
    """Up to how many read units the capacity follows the load; without it, it stays as it is."""
    max_write: int | None = None
    """Up to how many write units the capacity follows the load."""
    target: int = 70
    """The share of the capacity, in percent, that scaling keeps in use."""
    indexes: Mapping[str, Provisioned] = field(default_factory=dict)
    """The capacity of global indexes that differ from the table."""

    def __post_init__(self) -> None:
        for name in ("read", "write"):
            least, most = _units(name, getattr(self, name)), getattr(self, f"max_{name}")
            if most is not None and _units(f"max_{name}", most) < least:
                raise ModelError(f"Provisioned: max_{name} is less than {name}.")
        if not _whole(self.target) or not 20 <= self.target <= 90:
            raise ModelError(
                "Provisioned: target is a whole number of percent from 20 to 90.", hint="70 is what AWS suggests."
            )
        for name, capacity in _mapping("Provisioned: indexes", self.indexes, Provisioned).items():
            if capacity.indexes:
                raise ModelError(f"Provisioned: the capacity of index {name!r} has indexes itself.")

    def of(self, index: str) -> Provisioned:
        """The capacity of a global index."""
        return self.indexes.get(index, self)


class KmsKey(Struct, frozen=True):
    """A key of one's own in AWS KMS that the table is encrypted with: its ARN, its id or `alias/NAME`."""

    key: str

    def __post_init__(self) -> None:
        if not isinstance(self.key, str) or not re.fullmatch(_KMS_KEY, self.key):
            raise ModelError(
                "KmsKey was given no name of a key.",
                hint='Give its ARN, its id, or its alias: KmsKey("alias/orders").',
            )


class Alarms(Struct, frozen=True, kw_only=True):
    """Which alarms watch a table; None leaves one out.

    Each compares the sum (of latency: the average) of one minute, and is raised when `minutes` minutes in a row are too
    high.
    """

    throttles: int | None = 1
    """Reads or writes that were throttled, of the table and of each global index on its own."""
    system_errors: int | None = 1
    """Requests that failed in DynamoDB."""
    user_errors: int | None = None
    """Requests that were refused, in the whole account and region: AWS counts them for no table on its own."""
    latency_ms: float | None = 100
    """Milliseconds that DynamoDB takes for a request on average: of gets, queries, puts and updates on their own."""
    minutes: int = 5
    """How many minutes in a row."""
    topic: str | None = None
    """The ARN of the SNS topic that is told; where an output has a parameter for it, this is its default."""

    def __post_init__(self) -> None:
        for name in ("throttles", "system_errors", "user_errors"):
            value = getattr(self, name)
            if value is not None and (not _whole(value) or value < 1):
                raise ModelError(f"Alarms: {name} is a whole number from 1 on, or None.")
        if self.latency_ms is not None and (
            isinstance(self.latency_ms, bool) or not isinstance(self.latency_ms, int | float) or not self.latency_ms > 0
        ):
            raise ModelError("Alarms: latency_ms is a number of milliseconds, or None.")
        if not _whole(self.minutes) or not 1 <= self.minutes <= 1440:
            raise ModelError("Alarms: minutes is a whole number from 1 to 1440.")
        if self.topic is not None and (not isinstance(self.topic, str) or not re.fullmatch(_TOPIC, self.topic)):
            raise ModelError(
                "Alarms: topic is no ARN of an SNS topic.", hint='topic="arn:aws:sns:eu-west-1:123456789012:alarms"'
            )


class Deployment(Struct, frozen=True, kw_only=True):
    """How a table is to be run on AWS: `Table("AppTable", deployment=Deployment(billing=Provisioned(read=10, write=5)))`.

    The defaults are those of a table that must not be lost: on demand, with recovery to any point of the last 35 days,
    protected against deletion, watched by alarms.
    """

    billing: Literal["on-demand"] | Provisioned = "on-demand"
    """Each request is paid for, or capacity is reserved."""
    recovery: bool = True
    """Whether the table can be restored as it was at any time of the last 35 days."""
    deletion_protection: bool = True
    """Whether DynamoDB refuses to delete the table until this is switched off."""
    retain: bool = True
    """Whether the table stays when the stack that made it goes, or replaces it."""
    encryption: Literal["aws-owned", "aws-managed"] | KmsKey = "aws-owned"
    """The key that the table is encrypted with: AWS's own, free of charge; AWS's for this account; or one of yours."""
    table_class: TableClass = "STANDARD"
    """Dearer storage and cheaper requests, or the other way round."""
    contributor_insights: bool = False
    """Whether CloudWatch counts the keys most in demand, which costs."""
    alarms: Alarms | None = field(default_factory=Alarms)
    """What watches the table."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Tags of the table."""

    def __post_init__(self) -> None:
        if self.billing != "on-demand" and not isinstance(self.billing, Provisioned):
            raise ModelError(
                'Deployment: billing is "on-demand" or Provisioned(...).', hint="Provisioned(read=10, write=5)"
            )
        for name in ("recovery", "deletion_protection", "retain", "contributor_insights"):
            if not isinstance(getattr(self, name), bool):
                raise ModelError(f"Deployment: {name} is True or False.")
        if self.encryption not in ("aws-owned", "aws-managed") and not isinstance(self.encryption, KmsKey):
            raise ModelError(
                'Deployment: encryption is "aws-owned", "aws-managed" or KmsKey(...).', hint='KmsKey("alias/orders")'
            )
        if self.table_class not in get_args(TableClass):
            raise ModelError(f"Deployment: table_class is one of {', '.join(get_args(TableClass))}.")
        if self.alarms is not None and not isinstance(self.alarms, Alarms):
            raise ModelError("Deployment: alarms is Alarms(...) or None.")
        tags = _mapping("Deployment: tags", self.tags, str)
        for name, value in tags.items():
            if not re.fullmatch(_TAG + "{1,128}", name) or not re.fullmatch(_TAG + "{0,256}", value):
                raise ModelError(
                    f"Deployment: the tag {name!r} is none that AWS takes.",
                    hint="Letters, digits, spaces and _ . : / = + - @; 128 in a name, 256 in a value.",
                )
            if name.lower().startswith("aws:"):
                raise ModelError(f"Deployment: the tag {name!r} begins with aws:, which is AWS's own.")
        if len(tags) > _MAX_TAGS:
            raise ModelError(f"Deployment: there are {len(tags)} tags; AWS takes {_MAX_TAGS}.")

    def fit(self, table: str, indexes: Iterable[str]) -> None:
        """Refuses what names an index that is no global one of the table."""
        known = list(indexes)
        for name in self.billing.indexes if isinstance(self.billing, Provisioned) else ():
            if name not in known:
                raise ModelError(
                    f"{table}: the deployment gives capacity to {name!r}, which is no global index of it."
                    f"{did_you_mean(name, known)}"
                )


def _units(name: str, value: Any) -> int:
    if not _whole(value) or value < 1:
        raise ModelError(f"Provisioned: {name} is a whole number of units from 1 on.")
    return int(value)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _mapping(what: str, value: Any, kind: type) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(k, str) and isinstance(v, kind) for k, v in value.items()):
        raise ModelError(f"{what} is a mapping from names to {'texts' if kind is str else kind.__name__ + '(...)'}.")
    return dict(value)
