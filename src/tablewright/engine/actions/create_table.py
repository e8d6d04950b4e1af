"""CreateTable: a table with its keys and indexes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.description import describe_new
from tablewright.engine.policies import check_policy
from tablewright.engine.schema import TableSchema
from tablewright.engine.storage import Transaction, attachments
from tablewright.engine.validation.names import check_name, required_name
from tablewright.engine.validation.tables import new_definition
from tablewright.engine.validation.tags import check_tags
from tablewright.errors import ResourceInUse


def create_table(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a CreateTable request; the table is active at once."""
    name = check_name(required_name(request))
    definition = new_definition(request, context.clock.now())
    tags = check_tags(request.get("Tags") or ())
    policy: str | None = request.get("ResourcePolicy")
    if policy is not None:
        check_policy(policy)

    def work(transaction: Transaction) -> TableSchema:
        if name in transaction.catalogue.tables:
            raise ResourceInUse(f"Table already exists: {name}")
        schema = transaction.add_table(name, definition)
        attachments.write_tags(transaction.connection, schema.number, tags)
        if policy is not None:
            revision = int(definition["CreationDateTime"] * 1000)
            kept = attachments.Policy(policy, revision)
            attachments.write_policy(transaction.connection, schema.number, "", kept)
        return schema

    return {"TableDescription": describe_new(context, context.database.alter(work))}
