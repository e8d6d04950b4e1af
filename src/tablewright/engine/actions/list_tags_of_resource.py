"""ListTagsOfResource: the tags of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.arns import ACCOUNT
from tablewright.engine.context import Context
from tablewright.engine.resources import existing_table, table_resource
from tablewright.engine.storage import attachments
from tablewright.engine.validation.tags import MAX_TAGS
from tablewright.errors import AccessRefused


def list_tags_of_resource(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a ListTagsOfResource request. A token is the last key of the page before."""
    resource = table_resource(request["ResourceArn"])
    table = existing_table(context, resource)
    if table is None:
        # The service does not tell callers of this operation which tables there are.
        raise AccessRefused(
            f"User: arn:aws:iam::{ACCOUNT}:root is not authorized to perform: dynamodb:ListTagsOfResource on resource: "
            f"{resource.arn} because no resource-based policy allows the dynamodb:ListTagsOfResource action",
            wire_name="AccessDeniedException",
        )
    start: str = request.get("NextToken") or ""
    with context.database.reading() as connection:
        tags = attachments.read_tags(connection, table.schema.number)
    later = [{"Key": key, "Value": value} for key, value in tags.items() if key > start]
    response: dict[str, Any] = {"Tags": later[:MAX_TAGS]}
    if len(later) > MAX_TAGS:
        response["NextToken"] = response["Tags"][-1]["Key"]
    return response
