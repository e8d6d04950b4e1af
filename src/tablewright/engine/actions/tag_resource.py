"""TagResource: add tags to a table, or give them other values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.resources import existing_table, table_resource
from tablewright.engine.storage import Transaction, attachments
from tablewright.engine.validation.tags import check_number, check_tags
from tablewright.errors import RequestRefused, ResourceNotFound


def tag_resource(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a TagResource request; the tags are there at once."""
    resource = table_resource(request["ResourceArn"])
    if not request["Tags"]:
        # The service's own spelling, here and below.
        raise RequestRefused("Atleast one Tag needs to be provided as Input.")
    tags = check_tags(request["Tags"])
    table = existing_table(context, resource)
    if table is None:
        raise ResourceNotFound(f"Requested resource not found: ResourcArn: {resource.arn} not found")

    def work(transaction: Transaction) -> None:
        transaction.require(table)
        number = table.schema.number
        check_number({**attachments.read_tags(transaction.connection, number), **tags})
        transaction.begin_writing()
        attachments.write_tags(transaction.connection, number, tags)

    context.database.write(work)
    return {}
