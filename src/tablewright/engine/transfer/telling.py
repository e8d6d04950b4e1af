"""Exports and imports as answers tell them, and buckets as requests name them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tablewright.engine.arns import export_arn, import_arn, table_arn, table_of
from tablewright.engine.context import Context
from tablewright.engine.storage import jobs
from tablewright.engine.storage.jobs import Job
from tablewright.errors import RequestRefused

TOKEN_SECONDS = 8 * 3600.0
"""How long a client's token stands for the job that it started."""

_PAGE = 25
_ASKED = ("ClientToken", "S3Bucket", "S3BucketOwner", "S3Prefix", "S3SseKmsKeyId")


def bucket_folder(context: Context, bucket: str) -> Path:
    """The folder that stands for a bucket."""
    if context.buckets is None:
        raise RequestRefused(
            f"There is no bucket {bucket}: this engine was opened without a folder to stand for S3 (buckets= of open_engine, "
            "--buckets of tablewright serve).",
            hint="Give such a folder, or use Engine.export_table and import_table.",
        )
    return context.buckets / bucket


def describe_export(context: Context, job: Job) -> dict[str, Any]:
    """The ExportDescription of an export."""
    request, outcome = job.request, job.outcome
    return {
        "ExportArn": export_arn(context.region, job.table, job.stamp),
        "ExportStatus": "IN_PROGRESS",
        "StartTime": round(job.started, 3),
        "TableArn": table_arn(context.region, job.table),
        "TableId": job.table_id,
        "ExportTime": round(request.get("ExportTime") or job.started, 3),
        **{member: request[member] for member in _ASKED if request.get(member) is not None},
        "S3SseAlgorithm": request.get("S3SseAlgorithm") or "AES256",
        "ExportFormat": "DYNAMODB_JSON",
        "ExportType": "FULL_EXPORT",
        **outcome,
    }


def summarise_export(context: Context, job: Job) -> dict[str, Any]:
    """An export as ListExports tells it."""
    described = describe_export(context, job)
    return {member: described[member] for member in ("ExportArn", "ExportStatus", "ExportType")}


def describe_import(context: Context, job: Job) -> dict[str, Any]:
    """The ImportTableDescription of an import."""
    request = job.request
    described = {
        "ImportArn": import_arn(context.region, job.table, job.stamp),
        "ImportStatus": "IN_PROGRESS",
        "TableArn": table_arn(context.region, job.table),
        "TableId": job.table_id,
        "S3BucketSource": request["S3BucketSource"],
        "ErrorCount": 0,
        "InputFormat": request["InputFormat"],
        "InputCompressionType": request.get("InputCompressionType") or "NONE",
        "TableCreationParameters": request["TableCreationParameters"],
        "StartTime": round(job.started, 3),
        "ProcessedSizeBytes": 0,
        "ProcessedItemCount": 0,
        "ImportedItemCount": 0,
    }
    for member in ("ClientToken", "InputFormatOptions"):
        if request.get(member) is not None:
            described[member] = request[member]
    return {**described, **job.outcome}


def summarise_import(context: Context, job: Job) -> dict[str, Any]:
    """An import as ListImports tells it."""
    described = describe_import(context, job)
    members = ("ImportArn", "ImportStatus", "TableArn", "S3BucketSource", "InputFormat", "StartTime", "EndTime")
    return {member: described[member] for member in members if member in described}


def same_request(known: Mapping[str, Any], request: Mapping[str, Any]) -> bool:
    """Whether a token comes with the request that it came with before."""
    names = known.keys() | request.keys()
    return all(known.get(name) == request.get(name) for name in names)


def listed(
    context: Context, kind: jobs.Kind, arn: str | None, limit: int | None, token: str | None
) -> tuple[list[Job], dict[str, str]]:
    """A page of jobs, the latest first, and the NextToken of the answer where there are more."""
    limit = limit or _PAGE
    with context.database.reading() as connection:
        found = jobs.list_jobs(connection, kind, None if arn is None else table_of(arn), read_token(token), limit + 1)
    return found[:limit], {"NextToken": page_token(found[limit - 1].number)} if len(found) > limit else {}


def page_token(number: int) -> str:
    """A token for the page behind a job; of the form that the service's tokens have."""
    return f"{number:0112x}"


def read_token(token: str | None) -> int | None:
    """The job behind which a page starts; None for the first page."""
    if token is None:
        return None
    hexadecimal = bool(token) and len(token) <= 112 and all(digit in "0123456789abcdef" for digit in token)
    if not hexadecimal or (number := int(token, 16)) >= 2**63:
        raise RequestRefused("The provided NextToken is not valid")
    return number
