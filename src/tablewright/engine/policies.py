"""Resource policies: which texts can be one, and the rules of their revisions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.resources import Resource, existing_table, policy_resource
from tablewright.engine.storage import TableStore
from tablewright.engine.storage.attachments import Policy
from tablewright.errors import RequestRefused, ResourceNotFound

MAX_BYTES = 20_480
_NO_POLICY = "NO_POLICY"


def check_policy(text: str) -> None:
    """Refuse what is no policy document."""
    if len(text.encode()) > MAX_BYTES:
        raise RequestRefused(f"Resource-based policy size exceeds the limit of {MAX_BYTES} bytes")
    import json  # here and not above: few tables have a policy

    try:
        document = json.loads(text)
    except ValueError:
        document = None
    if not isinstance(document, dict) or not document.get("Statement"):
        raise RequestRefused("Invalid policy document: it must be a JSON object with a Statement")


def require_resource(context: Context, arn: str) -> tuple[TableStore, Resource]:
    """The table that a policy's ResourceArn is about, and the resource itself."""
    resource = policy_resource(arn)
    table = existing_table(context, resource)
    if table is None:
        raise ResourceNotFound(f"Requested resource not found: ResourceArn: {arn} not found")
    return table, resource


def check_revision(request: Mapping[str, Any], known: Policy | None, resource: Resource) -> None:
    """Refuse a change that expects another revision than there is."""
    expected = request.get("ExpectedRevisionId")
    if expected is not None and expected != (_NO_POLICY if known is None else str(known.revision)):
        raise policy_not_found(resource)


def policy_not_found(resource: Resource) -> ResourceNotFound:
    """What the service says where there is no policy, or none of the expected revision."""
    return ResourceNotFound(
        f"Resource-based policy not found for the provided ResourceArn: {resource.arn}",
        wire_name="PolicyNotFoundException",
    )
