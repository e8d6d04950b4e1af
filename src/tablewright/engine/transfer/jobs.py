"""Doing an export or an import that was asked for by request: a job is kept, done, and its outcome recorded."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tablewright.engine.arns import export_arn, table_arn
from tablewright.engine.context import Context
from tablewright.engine.description import table_id
from tablewright.engine.schema import TableSchema
from tablewright.engine.storage import TableStore, Transaction, jobs
from tablewright.engine.storage.exports import exported_rows
from tablewright.engine.storage.jobs import Job
from tablewright.engine.transfer.exporting import ROOT, SUMMARY, Exported, export_rows, moment_text
from tablewright.engine.transfer.importing import Imported, import_items
from tablewright.engine.transfer.sources import BrokenSource, Source
from tablewright.errors import ResourceInUse, ServiceError

_KEPT = (
    "AttributeDefinitions",
    "KeySchema",
    "BillingMode",
    "OnDemandThroughput",
    "LocalSecondaryIndexes",
    "GlobalSecondaryIndexes",
    "TableClass",
)


def run_export(context: Context, table: TableStore, job: Job, bucket: Path, moment: float | None) -> Job:
    """Write an export and record how it went."""
    region, prefix = context.region, (job.request.get("S3Prefix") or "").strip("/")
    summary = {
        "exportArn": export_arn(region, table.name, job.stamp),
        "startTime": moment_text(job.started),
        "tableArn": table_arn(region, table.name),
        "tableId": job.table_id,
        "exportTime": moment_text(moment or job.started),
        "s3Bucket": job.request.get("S3Bucket"),
    }
    try:
        done = write_export(context, table, bucket, prefix, job.stamp, summary, moment)
    except (OSError, ValueError) as error:
        outcome: dict[str, Any] = {
            "ExportStatus": "FAILED",
            "FailureCode": "S3AccessDenied",
            "FailureMessage": f"The export could not be written: {getattr(error, 'strerror', None) or error}",
        }
    else:
        base = f"{prefix}/{ROOT}" if prefix else ROOT
        outcome = {
            "ExportStatus": "COMPLETED",
            "ExportManifest": f"{base}/{job.stamp}/{SUMMARY}",
            "BilledSizeBytes": done.size,
            "ItemCount": done.items,
        }
    outcome["EndTime"] = round(context.clock.now(), 3)
    return _finish(context, job, outcome, job.table_id)


def write_export(
    context: Context,
    table: TableStore,
    bucket: Path,
    prefix: str,
    stamp: str,
    summary: Mapping[str, Any],
    moment: float | None = None,
) -> Exported:
    """Write what a table holds now, or held at a moment; a failure leaves no half of it behind."""
    try:
        with context.database.snapshot() as connection:
            rows = exported_rows(connection, table, moment)
            return export_rows(rows, bucket, prefix, stamp, summary, creation_of(table.schema), context.clock.now)
    except BaseException:
        shutil.rmtree(bucket / prefix / ROOT / stamp, ignore_errors=True)
        raise


def run_import(context: Context, name: str, definition: Mapping[str, Any], job: Job, find: Callable[[], Source]) -> Job:
    """Make a table from a source and record how it went; where reading fails there is no table."""
    done: dict[str, Any] = {}
    identity = job.table_id
    try:
        source = find()
        imported, schema = read_import(context, name, definition, source)
        identity = table_id(schema)
        done = {
            "ImportStatus": "COMPLETED",
            "ProcessedSizeBytes": source.size,
            "ProcessedItemCount": imported.processed,
            "ImportedItemCount": imported.imported,
            "ErrorCount": imported.errors,
        }
    except BrokenSource as error:
        done = {"ImportStatus": "FAILED", "FailureCode": error.code, "FailureMessage": error.message}
    except (OSError, ValueError, RecursionError) as error:
        done = {
            "ImportStatus": "FAILED",
            "FailureCode": "InvalidFileFormat",
            "FailureMessage": f"The files could not be read: {type(error).__name__}",
        }
    except ServiceError as error:
        refused = {"ImportStatus": "FAILED", "FailureCode": error.wire_name, "FailureMessage": error.message}
        _finish(context, job, {**refused, "EndTime": round(context.clock.now(), 3)}, identity)
        raise
    done["EndTime"] = round(context.clock.now(), 3)
    return _finish(context, job, done, identity)


def read_import(
    context: Context, name: str, definition: Mapping[str, Any], source: Source
) -> tuple[Imported, TableSchema]:
    """Make a table with the items of a source, all in one transaction."""
    types = {one["AttributeName"]: one["AttributeType"] for one in definition["AttributeDefinitions"]}
    source.check()  # here, where no writer waits for it

    def work(transaction: Transaction) -> tuple[Imported, TableSchema]:
        if name in transaction.catalogue.tables:
            raise ResourceInUse(f"Table already exists: {name}")
        schema = transaction.add_table(name, copy.deepcopy(dict(definition)))
        items = source.items(types)
        return import_items(transaction, TableStore(schema), items, heeds_indexes=not source.ours), schema

    return context.database.alter(work)


def start_job(context: Context, kind: jobs.Kind, table: str, identity: str, request: Mapping[str, Any]) -> Job:
    """Keep a job that is about to start."""

    def work(transaction: Transaction) -> Job:
        transaction.begin_writing()
        return jobs.add_job(transaction.connection, kind, table, identity, transaction.now(), request)

    return context.database.write(work)


def creation_of(schema: TableSchema) -> dict[str, Any]:
    """The CreateTable request for a table like this one."""
    definition = schema.definition
    request: dict[str, Any] = {"TableName": schema.name}
    request.update({member: definition[member] for member in _KEPT if definition.get(member)})
    for holder, kept in ((request, definition), *_paired(request, definition)):
        units = kept.get("ProvisionedThroughput")
        if units and definition["BillingMode"] == "PROVISIONED":
            holder["ProvisionedThroughput"] = {u: units[u] for u in ("ReadCapacityUnits", "WriteCapacityUnits")}
    return request


def _paired(request: dict[str, Any], definition: Mapping[str, Any]) -> list[tuple[dict[str, Any], Mapping[str, Any]]]:
    indexes = request.get("GlobalSecondaryIndexes")
    if not indexes:
        return []
    kept = ("IndexName", "KeySchema", "Projection", "OnDemandThroughput")
    request["GlobalSecondaryIndexes"] = [
        {part: index[part] for part in kept if index.get(part) is not None} for index in indexes
    ]
    return list(zip(request["GlobalSecondaryIndexes"], definition["GlobalSecondaryIndexes"], strict=True))


def _finish(context: Context, job: Job, outcome: Mapping[str, Any], identity: str) -> Job:
    def work(transaction: Transaction) -> Job:
        transaction.begin_writing()
        return jobs.finish_job(transaction.connection, job, outcome, identity)

    return context.database.write(work)
