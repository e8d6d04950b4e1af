"""The way from a ResourceArn in a request to the table it is about."""

from __future__ import annotations

import re

from msgspec import Struct

from tablewright.engine.context import Context
from tablewright.engine.storage import TableStore
from tablewright.errors import RequestRefused

_RESOURCE = r"arn:[^:]+:dynamodb:[^:]*:[^:]*:table/([a-zA-Z0-9_.-]{3,255})(/stream/([^/]+))?"


class Resource(Struct, frozen=True):
    """What an ARN names: a table of this name, and perhaps the stream of it with this label."""

    arn: str
    table: str
    stream: str = ""


def table_resource(arn: str) -> Resource:
    """The resource that a table's ARN names."""
    _check_start(arn)
    found = re.fullmatch(_RESOURCE, arn)
    if found is None or found[2] is not None:
        raise RequestRefused(f"Invalid TableArn: Invalid ResourceArn provided as input {arn}")
    return Resource(arn, found[1])


def policy_resource(arn: str) -> Resource:
    """The resource that the ARN of a table or a stream names."""
    _check_start(arn)
    found = re.fullmatch(_RESOURCE, arn)
    if found is None:
        raise RequestRefused(f"Invalid ResourceArn provided as input {arn}")
    return Resource(arn, found[1], found[3] or "")


def _check_start(arn: str) -> None:
    if not arn.startswith("arn:"):
        raise RequestRefused(f"One or more parameter values were invalid: ARNs must start with 'arn:': {arn}")


def existing_table(context: Context, resource: Resource) -> TableStore | None:
    """The table of a resource, or None."""
    context.database.refresh()
    table = context.database.catalogue.tables.get(resource.table)
    if table is None or (resource.stream and table.schema.definition.get("StreamLabel") != resource.stream):
        return None
    return table
