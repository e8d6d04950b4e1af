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
RECOVERY_DAYS = 35
"""How far back a table can be restored, at most and if nothing else is said."""
LEAST_WARM_READS, LEAST_WARM_WRITES = 12_000, 4_000
"""What a new table on demand bears in any case."""
USUAL_LATENCY_MS = 100.0
"""In how many milliseconds 99 of 100 requests are answered, where nobody expects anything of them."""


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


class OnDemand(Struct, frozen=True, kw_only=True):
    """Each request is paid for, up to a greatest number of units a second: what is beyond is throttled, and not paid.

    `OnDemand(max_read=5_000, max_write=1_000)` keeps a mistake in a loop from becoming a bill. An index has the same limits
    as the table unless `indexes` says otherwise.
    """

    max_read: int | None = None
    """Read units a second, at most."""
    max_write: int | None = None
    """Write units a second, at most."""
    indexes: Mapping[str, OnDemand] = field(default_factory=dict)
    """The limits of global indexes that differ from the table."""

    def __post_init__(self) -> None:
        for name in ("max_read", "max_write"):
            if getattr(self, name) is not None:
                _units(name, getattr(self, name), "OnDemand")
        for name, limits in _mapping("OnDemand: indexes", self.indexes, OnDemand).items():
            if limits.indexes:
                raise ModelError(f"OnDemand: the limits of index {name!r} have indexes themselves.")

    def of(self, index: str) -> OnDemand:
        """The limits of a global index."""
        return self.indexes.get(index, self)


class Warm(Struct, frozen=True, kw_only=True):
    """What a table bears at once, before it has grown by itself: units a second that AWS makes it ready for, once, which costs.

    `Warm(read=40_000, write=20_000)` is for a day that is known beforehand. A new table on demand bears 12,000 read and
    4,000 write units without it. An index is made as warm as the table unless `indexes` says otherwise.
    """

    read: int
    """Read units a second."""
    write: int
    """Write units a second."""
    indexes: Mapping[str, Warm] = field(default_factory=dict)
    """Global indexes that differ from the table."""

    def __post_init__(self) -> None:
        _units("read", self.read, "Warm")
        _units("write", self.write, "Warm")
        for name, warm in _mapping("Warm: indexes", self.indexes, Warm).items():
            if warm.indexes:
                raise ModelError(f"Warm: index {name!r} has indexes itself.")

    def of(self, index: str) -> Warm:
        """How warm a global index is."""
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

    Each looks at the sum (of latency: the slowest of a hundred) of every minute, and is raised when `breaching` of the last
    `minutes` minutes are too high.
    """

    throttles: int | None = 1
    """Reads or writes that were throttled, of the table and of each global index on its own."""
    system_errors: int | None = 1
    """Requests that failed in DynamoDB."""
    user_errors: int | None = None
    """Requests that were refused, in the whole account and region: AWS counts them for no table on its own."""
    latency_ms: float | Literal["expected"] | None = "expected"
    """Milliseconds in which DynamoDB answers 99 of 100 requests: of gets, queries, puts and updates on their own. "expected"
    takes the longest latency_ms that expect() says of a pattern that sends such requests, and 100 where it says none."""
    minutes: int = 5
    """How many minutes are looked at."""
    breaching: int | None = None
    """How many of them must be too high, not necessarily in a row; three of five, and as many of others, if not said."""
    topic: str | None = None
    """The ARN of the SNS topic that is told; where an output has a parameter for it, this is its default."""

    @property
    def datapoints(self) -> int:
        """How many of the minutes must be too high."""
        return self.breaching if self.breaching is not None else -(-3 * self.minutes // 5)

    def __post_init__(self) -> None:
        for name in ("throttles", "system_errors", "user_errors"):
            value = getattr(self, name)
            if value is not None and (not _whole(value) or value < 1):
                raise ModelError(f"Alarms: {name} is a whole number from 1 on, or None.")
        latency = self.latency_ms
        if latency not in (None, "expected") and (
            isinstance(latency, bool) or not isinstance(latency, int | float) or not latency > 0
        ):
            raise ModelError('Alarms: latency_ms is a number of milliseconds, "expected", or None.')
        if not _whole(self.minutes) or not 1 <= self.minutes <= 1440:
            raise ModelError("Alarms: minutes is a whole number from 1 to 1440.")
        if self.breaching is not None and (not _whole(self.breaching) or not 1 <= self.breaching <= self.minutes):
            raise ModelError("Alarms: breaching is a whole number of the minutes that are looked at, from 1 on.")
        if self.topic is not None and (not isinstance(self.topic, str) or not re.fullmatch(_TOPIC, self.topic)):
            raise ModelError(
                "Alarms: topic is no ARN of an SNS topic.", hint='topic="arn:aws:sns:eu-west-1:123456789012:alarms"'
            )


class Deployment(Struct, frozen=True, kw_only=True):
    """How a table is to be run on AWS: `Table("AppTable", deployment=Deployment(billing=Provisioned(read=10, write=5)))`.

    The defaults are those of a table that must not be lost: on demand, with recovery to any point of the last 35 days,
    protected against deletion, watched by alarms.
    """

    billing: Literal["on-demand"] | OnDemand | Provisioned = "on-demand"
    """Each request is paid for, perhaps up to a limit, or capacity is reserved."""
    warm: Warm | None = None
    """What the table is made ready to bear at once, beyond what a new one does."""
    recovery: bool | int = True
    """Whether the table can be restored as it was at any time of the last 35 days, or of so many days."""
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
        if self.billing != "on-demand" and not isinstance(self.billing, OnDemand | Provisioned):
            raise ModelError(
                'Deployment: billing is "on-demand", OnDemand(...) or Provisioned(...).',
                hint="Provisioned(read=10, write=5)",
            )
        if self.warm is not None and not isinstance(self.warm, Warm):
            raise ModelError("Deployment: warm is Warm(...) or None.", hint="Warm(read=40_000, write=20_000)")
        if self.warm is not None and not isinstance(self.billing, Provisioned):
            for warm in (self.warm, *self.warm.indexes.values()):
                if warm.read < LEAST_WARM_READS or warm.write < LEAST_WARM_WRITES:
                    raise ModelError(
                        "Deployment: warm is less than a table on demand bears in any case, which are "
                        f"{LEAST_WARM_READS:,} read and {LEAST_WARM_WRITES:,} write units a second."
                    )
        for name in ("deletion_protection", "retain", "contributor_insights"):
            if not isinstance(getattr(self, name), bool):
                raise ModelError(f"Deployment: {name} is True or False.")
        if not isinstance(self.recovery, bool) and (
            not _whole(self.recovery) or not 1 <= self.recovery <= RECOVERY_DAYS
        ):
            raise ModelError(f"Deployment: recovery is True, False, or a number of days from 1 to {RECOVERY_DAYS}.")
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

    @property
    def recovery_days(self) -> int | None:
        """How many days the table can be restored from; None where it cannot."""
        if isinstance(self.recovery, bool):
            return RECOVERY_DAYS if self.recovery else None
        return self.recovery

    def fit(self, table: str, indexes: Iterable[str]) -> None:
        """Refuses what names an index that is no global one of the table."""
        known = list(indexes)
        capacities = [] if isinstance(self.billing, str) else [self.billing]
        for name in (name for one in (*capacities, self.warm) if one is not None for name in one.indexes):
            if name not in known:
                raise ModelError(
                    f"{table}: the deployment gives capacity to {name!r}, which is no global index of it."
                    f"{did_you_mean(name, known)}"
                )


def _units(name: str, value: Any, of: str = "Provisioned") -> int:
    if not _whole(value) or value < 1:
        raise ModelError(f"{of}: {name} is a whole number of units from 1 on.")
    return int(value)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _mapping(what: str, value: Any, kind: type) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(k, str) and isinstance(v, kind) for k, v in value.items()):
        raise ModelError(f"{what} is a mapping from names to {'texts' if kind is str else kind.__name__ + '(...)'}.")
    return dict(value)
