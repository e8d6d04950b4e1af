"""How a table that exists is run, as it tells itself: so that what is generated from its model leaves it as it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field

from tablewright.errors import ModelError
from tablewright.generate.model_code import quoted
from tablewright.model.deployment import RECOVERY_DAYS, Deployment, KmsKey

_OWN_TAGS = "aws:"
"""What the tags begin with that AWS gives by itself, and takes from nobody."""


class Settings(Struct, frozen=True):
    """What a model says beside keys: arguments of Table(...) and of its Deployment(...), as source text."""

    stream: str | None = None
    deployment: Mapping[str, str] = field(default_factory=dict)
    """Only what is not as a deployment is by itself."""
    notes: tuple[str, ...] = ()
    """What the table does not tell."""


def settings_of(
    description: Mapping[str, Any],
    *,
    backups: Mapping[str, Any] | None = None,
    tags: Mapping[str, str] | None = None,
    insights: bool = False,
) -> Settings:
    """The settings in DescribeTable, or in a request of CreateTable; the recovery in DescribeContinuousBackups; the tags,
    and whether CloudWatch counts keys. What is not given is left as a deployment is by itself."""
    found: dict[str, str] = {}
    notes: list[str] = []
    billing = _billing(description)
    if billing is not None:
        found["billing"] = billing
        if billing.startswith("Provisioned"):
            notes.append(
                "Whether its capacity scales is not told by the table: see Provisioned(max_read=, max_write=)."
            )
    recovery = _recovery(backups or {})
    if recovery is not None:
        found["recovery"] = recovery
    if description.get("DeletionProtectionEnabled") is False:
        found["deletion_protection"] = "False"
    key = _key(description)
    if key is not None and _taken(lambda: KmsKey(key)):
        found["encryption"] = f"KmsKey({quoted(key)})"
        notes.append(
            'Whose key it is encrypted with is not told: where AWS manages it, write encryption="aws-managed".'
        )
    elif key is not None:
        notes.append("It is encrypted with a key whose name cannot be written down as encryption=KmsKey(...).")
    table_class = (description.get("TableClassSummary") or {}).get("TableClass") or description.get("TableClass")
    if table_class not in (None, "STANDARD"):
        found["table_class"] = quoted(str(table_class))
    if insights:
        found["contributor_insights"] = "True"
    own = {name: value for name, value in (tags or {}).items() if not name.lower().startswith(_OWN_TAGS)}
    if own and not _taken(lambda: Deployment(tags=own)):
        notes.append("It has tags that cannot be written down as tags={...}.")
    elif own:
        found["tags"] = "{" + ", ".join(f"{quoted(n)}: {quoted(v)}" for n, v in sorted(own.items())) + "}"
    stream = description.get("StreamSpecification") or {}
    return Settings(stream.get("StreamViewType") if stream.get("StreamEnabled") else None, found, tuple(notes))


def _taken(make: Callable[[], object]) -> bool:
    try:
        make()
    except ModelError:
        return False
    return True


def _billing(description: Mapping[str, Any]) -> str | None:
    """None where each request is paid for without a limit."""
    mode = (description.get("BillingModeSummary") or {}).get("BillingMode") or description.get("BillingMode")
    indexes = description.get("GlobalSecondaryIndexes") or ()
    if mode == "PAY_PER_REQUEST" or not _units(description):
        name, own = "OnDemand", _limits(description)
        others = {index["IndexName"]: limits for index in indexes if (limits := _limits(index)) != own}
    else:
        name, own = "Provisioned", _units(description)
        others = {index["IndexName"]: units for index in indexes if (units := _units(index)) not in ("", own)}
    if not own and not others:
        return None
    shown = [own] if own else []
    if others:
        shown.append(
            "indexes={" + ", ".join(f"{quoted(n)}: {name}({units})" for n, units in sorted(others.items())) + "}"
        )
    return f"{name}({', '.join(shown)})"


def _units(described: Mapping[str, Any]) -> str:
    units = described.get("ProvisionedThroughput") or {}
    read, write = units.get("ReadCapacityUnits") or 0, units.get("WriteCapacityUnits") or 0
    return f"read={read}, write={write}" if read and write else ""


def _limits(described: Mapping[str, Any]) -> str:
    limits = described.get("OnDemandThroughput") or {}
    members = (("max_read", "MaxReadRequestUnits"), ("max_write", "MaxWriteRequestUnits"))
    return ", ".join(f"{name}={limits[member]}" for name, member in members if (limits.get(member) or 0) > 0)


def _recovery(backups: Mapping[str, Any]) -> str | None:
    recovery = backups.get("PointInTimeRecoveryDescription")
    if recovery is None:
        return None
    if recovery.get("PointInTimeRecoveryStatus") != "ENABLED":
        return "False"
    days = recovery.get("RecoveryPeriodInDays") or RECOVERY_DAYS
    return None if days == RECOVERY_DAYS else str(days)


def _key(description: Mapping[str, Any]) -> str | None:
    """The key of KMS that the table is encrypted with; None for AWS's own."""
    told = description.get("SSEDescription") or description.get("SSESpecification") or {}
    off = told.get("Status", "ENABLED") not in ("ENABLED", "ENABLING", "UPDATING") or told.get("Enabled") is False
    key = told.get("KMSMasterKeyArn") or told.get("KMSMasterKeyId")
    return None if off or key is None else str(key)
