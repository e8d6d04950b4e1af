"""ImportTable: a new table with the items in files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.storage import jobs
from tablewright.engine.transfer.jobs import run_import, start_job
from tablewright.engine.transfer.sources import Source, find_source, inside
from tablewright.engine.transfer.telling import TOKEN_SECONDS, bucket_folder, describe_import, same_request
from tablewright.engine.validation.copy_requests import SHAPES
from tablewright.engine.validation.members import known_members
from tablewright.engine.validation.tables import new_definition
from tablewright.errors import RequestRefused, ResourceInUse

_NO_TABLE = "00000000-0000-0000-0000-000000000000"


def import_table(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer an ImportTable request; the table is there at once, though told to be in the making."""
    _refuse_unsupported(request)
    request = known_members(SHAPES["ImportTable"], request)
    parameters: Mapping[str, Any] = request["TableCreationParameters"]
    name: str = parameters["TableName"]
    definition = new_definition(parameters, context.clock.now())
    given = request["S3BucketSource"]
    bucket = bucket_folder(context, given["S3Bucket"])
    token = request.get("ClientToken")
    if token is not None:
        with context.database.reading() as connection:
            known = jobs.recall_job(connection, "import", token, context.clock.now() - TOKEN_SECONDS)
        if known is not None:
            if not same_request(known.request, request):
                raise ResourceInUse(
                    "There was a conflict when importing from the specified S3 source: the token stands for another "
                    "import.",
                    wire_name="ImportConflictException",
                )
            return {"ImportTableDescription": describe_import(context, known)}
    context.database.refresh()
    if name in context.database.catalogue.tables:
        raise ResourceInUse(f"Table already exists: {name}")
    csv: Mapping[str, Any] = (request.get("InputFormatOptions") or {}).get("Csv") or {}

    def find() -> Source:
        return find_source(
            bucket,
            given.get("S3KeyPrefix") or "",
            request["InputFormat"],
            packed=request.get("InputCompressionType") == "GZIP",
            delimiter=csv.get("Delimiter") or ",",
            header=csv.get("HeaderList"),
        )

    inside(bucket, given.get("S3KeyPrefix") or "")
    job = start_job(context, "import", name, _NO_TABLE, request)
    done = run_import(context, name, definition, job, find)
    return {"ImportTableDescription": describe_import(context, job._replace(table_id=done.table_id))}


def _refuse_unsupported(request: Mapping[str, Any]) -> None:
    if request["InputFormat"] == "ION":
        raise RequestRefused("InputFormat ION is not supported; the engine imports DYNAMODB_JSON and CSV.")
    if request.get("InputCompressionType") == "ZSTD":
        raise RequestRefused("InputCompressionType ZSTD is not supported; the engine reads GZIP and NONE.")
