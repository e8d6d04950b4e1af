"""Amazon Resource Names: how the engine's answers name things, and what such a name in a request stands for."""

from __future__ import annotations

import re

from tablewright.errors import RequestRefused

ACCOUNT = "000000000000"
"""The account that owns everything here."""

_PARTITIONS = (("cn-", "aws-cn"), ("us-gov-", "aws-us-gov"), ("us-iso-", "aws-iso"), ("us-isob-", "aws-iso-b"))
_PART = r"arn:[^:]*:dynamodb:[^:]*:[^:]*:table/([^/]+)/([a-z]+)/([^/]+)"
_OWN_KEY = "00000000-0000-0000-0000-000000000000"
_TABLE = r"arn:[^:]*:dynamodb:[^:]*:[^:]*:table/((?s:.*))"


def _arn(region: str, resource: str, service: str = "dynamodb") -> str:
    partition = next((name for prefix, name in _PARTITIONS if region.startswith(prefix)), "aws")
    return f"arn:{partition}:{service}:{region}:{ACCOUNT}:{resource}"


def table_arn(region: str, table: str) -> str:
    """The ARN of a table."""
    return _arn(region, f"table/{table}")


def index_arn(region: str, table: str, index: str) -> str:
    """The ARN of a secondary index."""
    return _arn(region, f"table/{table}/index/{index}")


def stream_arn(region: str, table: str, label: str) -> str:
    """The ARN of a table's stream."""
    return _arn(region, f"table/{table}/stream/{label}")


def backup_arn(region: str, table: str, stamp: str) -> str:
    """The ARN of a backup."""
    return _arn(region, f"table/{table}/backup/{stamp}")


def backup_of(given: str) -> tuple[str, str] | None:
    """The table and the stamp in the ARN of a backup; None for anything else."""
    return _part_of(given, "backup")


def export_arn(region: str, table: str, stamp: str) -> str:
    """The ARN of an export."""
    return _arn(region, f"table/{table}/export/{stamp}")


def export_of(given: str) -> tuple[str, str] | None:
    """The table and the stamp in the ARN of an export; None for anything else."""
    return _part_of(given, "export")


def import_arn(region: str, table: str, stamp: str) -> str:
    """The ARN of an import."""
    return _arn(region, f"table/{table}/import/{stamp}")


def import_of(given: str) -> tuple[str, str] | None:
    """The table and the stamp in the ARN of an import; None for anything else."""
    return _part_of(given, "import")


def key_arn(region: str, key: str | None) -> str:
    """The ARN of the key that a table is said to be encrypted with."""
    if key is not None and key.startswith("arn:"):
        return key
    return _arn(region, f"key/{key or _OWN_KEY}", "kms")


def _part_of(given: str, kind: str) -> tuple[str, str] | None:
    found = re.fullmatch(_PART, given)
    return (found[1], found[3]) if found is not None and found[2] == kind else None


def table_of(given: str) -> str:
    """The name that a request means by a table's name or ARN; nothing but the form of an ARN is checked.

    All regions and accounts share the same tables, so what an ARN says of them does not matter.
    """
    if not given.startswith("arn:"):
        return given
    found = re.fullmatch(_TABLE, given)
    if found is None:
        # The service's own spelling.
        raise RequestRefused(
            "Valid ARN format is 'arn:<awsPartition>:<vendor>:<region>:<subscriber>:resourceType/resourceName', where "
            "Resource name must have length less than or equal to 255, Resource name must have length greater than or "
            "equal to 3, Resource name must satisfyregular expression pattern: [a-zA-Z0-9_.-]+"
        )
    return found[1]
