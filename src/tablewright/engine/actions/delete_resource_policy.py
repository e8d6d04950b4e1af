"""DeleteResourcePolicy: take the policy of a table or stream away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.policies import check_revision, require_resource
from tablewright.engine.storage import Transaction, attachments


def delete_resource_policy(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a DeleteResourcePolicy request; where there is no policy nothing happens."""
    table, resource = require_resource(context, request["ResourceArn"])
    number, stream = table.schema.number, resource.stream

    def work(transaction: Transaction) -> dict[str, Any]:
        transaction.require(table)
        known = attachments.read_policy(transaction.connection, number, stream)
        check_revision(request, known, resource)
        if known is None:
            return {}
        transaction.begin_writing()
        attachments.remove_policy(transaction.connection, number, stream)
        return {"RevisionId": str(known.revision)}

    return context.database.write(work)
