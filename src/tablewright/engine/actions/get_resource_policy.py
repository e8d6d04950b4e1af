"""GetResourcePolicy: the policy that was put on a table or stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.policies import policy_not_found, require_resource
from tablewright.engine.storage import attachments


def get_resource_policy(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a GetResourcePolicy request."""
    table, resource = require_resource(context, request["ResourceArn"])
    with context.database.reading() as connection:
        policy = attachments.read_policy(connection, table.schema.number, resource.stream)
    if policy is None:
        raise policy_not_found(resource)
    return {"Policy": policy.text, "RevisionId": str(policy.revision)}
