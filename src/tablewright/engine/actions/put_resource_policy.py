"""PutResourcePolicy: keep the policy of a table or stream. The engine stores policies and enforces none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.policies import check_policy, check_revision, require_resource
from tablewright.engine.storage import Transaction, attachments


def put_resource_policy(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a PutResourcePolicy request; the same policy again keeps its revision."""
    text: str = request["Policy"]
    check_policy(text)
    table, resource = require_resource(context, request["ResourceArn"])
    number, stream = table.schema.number, resource.stream

    def work(transaction: Transaction) -> int:
        transaction.require(table)
        known = attachments.read_policy(transaction.connection, number, stream)
        check_revision(request, known, resource)
        if known is not None and known.text == text:
            return known.revision
        moment = int(context.clock.now() * 1000)
        revision = moment if known is None else max(moment, known.revision + 1)
        transaction.begin_writing()
        attachments.write_policy(transaction.connection, number, stream, attachments.Policy(text, revision))
        return revision

    return {"RevisionId": str(context.database.write(work))}
