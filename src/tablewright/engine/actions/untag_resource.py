"""UntagResource: take tags from a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.resources import existing_table, table_resource
from tablewright.engine.storage import Transaction, attachments
from tablewright.engine.validation.tags import check_key, check_number
from tablewright.errors import RequestRefused, ResourceNotFound


def untag_resource(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer an UntagResource request; keys that the table does not have are ignored."""
    resource = table_resource(request["ResourceArn"])
    if not request["TagKeys"]:
        raise RequestRefused("Atleast one Tag Key needs to be provided as Input.")
    for key in request["TagKeys"]:
        check_key(key)
    check_number(request["TagKeys"])
    table = existing_table(context, resource)
    if table is None:
        raise ResourceNotFound("Requested resource not found")

    def work(transaction: Transaction) -> None:
        transaction.require(table)
        transaction.begin_writing()
        attachments.remove_tags(transaction.connection, table.schema.number, request["TagKeys"])

    context.database.write(work)
    return {}
