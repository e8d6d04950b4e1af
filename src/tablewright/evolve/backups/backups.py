"""On-demand backups: made, listed, deleted, and restored into a new table."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import Struct

from tablewright.client.calls import Call, Pause, Steps
from tablewright.errors import ArgumentError, StorageError
from tablewright.evolve.backups.waiting import SLOWEST, Tell, moment, restored

LATEST = "latest"
"""What stands for the newest backup, and is no name of one."""
_BY_ARN = "Name it by its ARN: tablewright backup list tells it."


class Backup(Struct, frozen=True):
    """One backup."""

    arn: str
    name: str
    table: str
    status: str
    created: datetime
    size: int | None


def create_backup(table: str, name: str, tell: Tell) -> Steps[Backup]:
    """Makes a backup, and waits until it can be restored."""
    if name == LATEST:
        raise ArgumentError(
            f"{LATEST} stands for the newest backup, whatever it is called.", hint="Choose another name."
        )
    made = yield Call("CreateBackup", {"TableName": table, "BackupName": name})
    details, attempt = made["BackupDetails"], 0
    while details["BackupStatus"] == "CREATING":
        described = yield Call("DescribeBackup", {"BackupArn": details["BackupArn"]}, repeatable=True)
        details = described["BackupDescription"]["BackupDetails"]
        if details["BackupStatus"] != "CREATING":
            break
        tell(f"The backup {name} is being made.")
        yield Pause(min(attempt, SLOWEST), what="Waiting for a backup")
        attempt += 1
    if details["BackupStatus"] != "AVAILABLE":
        raise StorageError(f"The backup {name} is {details['BackupStatus']}.", hint="Make another one.")
    return _backup(table, details)


def list_backups(table: str) -> Steps[list[Backup]]:
    """All backups of a table, also of one that is gone, the oldest first."""
    found: list[Backup] = []
    request: dict[str, Any] = {"TableName": table}
    while True:
        page = yield Call("ListBackups", request, repeatable=True)
        found += [_backup(one.get("TableName", table), one) for one in page["BackupSummaries"]]
        if not page.get("LastEvaluatedBackupArn"):
            return sorted(found, key=lambda one: one.created)
        request = {**request, "ExclusiveStartBackupArn": page["LastEvaluatedBackupArn"]}


def find_backup(table: str, given: str) -> Steps[Backup]:
    """The backup of this ARN or name; `latest` is the newest one that can be restored."""
    found = yield from list_backups(table)
    matching = [one for one in found if given in (one.arn, one.name)]
    if given == LATEST:
        newest = [one for one in found if one.status == "AVAILABLE"][-1:]
        if any(one not in newest for one in matching):  # of other tools
            raise ArgumentError(f"{table} has a backup called {LATEST} that is not the newest one.", hint=_BY_ARN)
        matching = newest
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise ArgumentError(f"{table} has {len(matching)} backups called {given}.", hint=_BY_ARN)
    names = ", ".join(one.name for one in found[-5:])
    hint = f"Its latest are: {names}." if names else "Make one: tablewright backup create."
    raise ArgumentError(f"{table} has no backup {given!r}.", hint=hint)


def delete_backup(backup: Backup) -> Steps[None]:
    """Deletes a backup."""
    yield Call("DeleteBackup", {"BackupArn": backup.arn})


def restore_backup(backup: Backup, target: str, tell: Tell) -> Steps[dict[str, Any]]:
    """Makes a new table of a backup, and waits until it can be used; its description."""
    wanted = {"BackupArn": backup.arn, "TargetTableName": target}
    return (yield from restored("RestoreTableFromBackup", wanted, tell))


def _backup(table: str, told: dict[str, Any]) -> Backup:
    return Backup(
        told["BackupArn"],
        told["BackupName"],
        table,
        told["BackupStatus"],
        moment(told["BackupCreationDateTime"]),
        told.get("BackupSizeBytes"),
    )
