"""Exports and imports, under way or done, kept for those who ask for them later."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from tablewright.values import dumps, loads

Kind = Literal["export", "import"]

_SELECT = "SELECT number, table_name, table_id, started, request, outcome FROM jobs WHERE "


class Job(NamedTuple):
    """One export or import: of which table, what was asked for, and how it went so far."""

    number: int
    table: str
    table_id: str
    started: float
    request: Mapping[str, Any]
    outcome: Mapping[str, Any]

    @property
    def stamp(self) -> str:
        """What tells it from all others, in its ARN and its folder."""
        return f"{int(self.started * 1000):014d}-{self.number:08x}"


def add_job(
    connection: sqlite3.Connection, kind: Kind, table: str, table_id: str, now: float, request: Mapping[str, Any]
) -> Job:
    """Keep a job that is about to start."""
    number = connection.execute(
        "INSERT INTO jobs (kind, table_name, table_id, started, token, request, outcome) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (kind, table, table_id, now, request.get("ClientToken"), dumps(request), dumps({})),
    ).lastrowid
    assert number is not None
    return Job(number, table, table_id, now, request, {})


def finish_job(connection: sqlite3.Connection, job: Job, outcome: Mapping[str, Any], table_id: str) -> Job:
    """Record how a job went."""
    connection.execute(
        "UPDATE jobs SET outcome = ?, table_id = ? WHERE number = ?", (dumps(outcome), table_id, job.number)
    )
    return job._replace(outcome=outcome, table_id=table_id)


def find_job(connection: sqlite3.Connection, kind: Kind, table: str, stamp: str) -> Job | None:
    """The job of a table with this stamp, or None."""
    digits = stamp.rpartition("-")[2]
    if not digits or any(digit not in "0123456789abcdef" for digit in digits):
        return None
    row = connection.execute(
        _SELECT + "number = ? AND kind = ? AND table_name = ?", (int(digits, 16), kind, table)
    ).fetchone()
    job = None if row is None else _job(row)
    return job if job is not None and job.stamp == stamp else None


def recall_job(connection: sqlite3.Connection, kind: Kind, token: str, since: float) -> Job | None:
    """The job that a client's token started, or None."""
    row = connection.execute(
        _SELECT + "kind = ? AND token = ? AND started > ? ORDER BY number DESC", (kind, token, since)
    ).fetchone()
    return None if row is None else _job(row)


def list_jobs(
    connection: sqlite3.Connection, kind: Kind, table: str | None, before: int | None, limit: int
) -> list[Job]:
    """Jobs of one table or all, the latest first, from before a number on."""
    rows = connection.execute(
        _SELECT + "kind = ? AND (? IS NULL OR table_name = ?) AND (? IS NULL OR number < ?)"
        " ORDER BY number DESC LIMIT ?",
        (kind, table, table, before, before, limit),
    )
    return [_job(row) for row in rows]


def _job(row: tuple[Any, ...]) -> Job:
    *values, request, outcome = row
    return Job._make([*values, loads(request), loads(outcome)])
