"""Backups and recovery: made and restored on the engine, waited for where a service takes its time, and set again."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import pytest

from tablewright import Deployment, Entity, Keys, RetryPolicy, Session, Table
from tablewright.engine import Engine, open_engine
from tablewright.errors import (
    ArgumentError,
    LimitExceeded,
    RequestRefused,
    ResourceInUse,
    ResourceNotFound,
    StorageError,
)
from tablewright.evolve.backups import backups, recovery, restoring, waiting
from tablewright.model.fields import Epoch

notes = Table(
    "Notes", stream=True, deployment=Deployment(recovery=7, tags={"team": "notes"}, contributor_insights=True)
)


class Note(Entity, table=notes, ttl="expires"):
    keys = Keys("NOTE#{note_id}", "NOTE")
    note_id: str
    expires: Annotated[datetime, Epoch("s")] | None = None


@pytest.fixture
def engine() -> Iterator[Engine]:
    with open_engine("memory:") as opened:
        yield opened


@pytest.fixture
def db(engine: Engine) -> Iterator[Session]:
    with notes.open(engine) as opened:
        opened.create(Note(note_id="n1"))
        yield opened


def quiet(text: str) -> None:
    """Nobody listens."""


def test_a_backup_outlives_its_table(engine: Engine, db: Session) -> None:
    made = db._run(backups.create_backup("Notes", "first", quiet))
    assert (made.name, made.status) == ("first", "AVAILABLE")
    db.delete_table()
    assert db._run(backups.list_backups("Notes")) == [made]
    found = db._run(backups.find_backup("Notes", "latest"))
    description = db._run(backups.restore_backup(found, "Notes2", quiet))
    assert description["TableStatus"] == "ACTIVE"
    with notes.open(engine, table_name="Notes2", create=False) as copy:
        assert [note.note_id for note in copy.scan_for_maintenance(Note)] == ["n1"]
    db._run(backups.delete_backup(made))
    with pytest.raises(ArgumentError, match=r"no backup 'first'\. Make one"):
        db._run(backups.find_backup("Notes", "first"))


def test_backups_are_found_by_name_or_arn(db: Session) -> None:
    one, two = (db._run(backups.create_backup("Notes", "same", quiet)) for _ in range(2))
    assert db._run(backups.find_backup("Notes", two.arn)) == two
    with pytest.raises(ArgumentError, match="2 backups called same"):
        db._run(backups.find_backup("Notes", "same"))
    with pytest.raises(ArgumentError, match="Its latest are: same, same"):
        db._run(backups.find_backup("Notes", "other"))
    assert one.created <= two.created


def test_latest_is_no_name_of_a_backup(engine: Engine, db: Session) -> None:
    """Whoever deleted the backup of this name deleted the newest one."""
    with pytest.raises(ArgumentError, match=r"latest stands for the newest backup.* Choose another name"):
        db._run(backups.create_backup("Notes", "latest", quiet))
    engine.execute("CreateBackup", {"TableName": "Notes", "BackupName": "latest"})  # by another tool
    found = db._run(backups.find_backup("Notes", "latest"))
    assert found.name == "latest"
    newer = db._run(backups.create_backup("Notes", "newer", quiet))
    with pytest.raises(ArgumentError, match=r"called latest that is not the newest one\. Name it by its ARN"):
        db._run(backups.find_backup("Notes", "latest"))
    assert db._run(backups.find_backup("Notes", found.arn)) == found
    db._run(backups.delete_backup(found))
    assert db._run(backups.find_backup("Notes", "latest")) == newer


def test_a_restore_never_writes_over_a_table(engine: Engine, db: Session) -> None:
    made = db._run(backups.create_backup("Notes", "first", quiet))
    db._run(recovery.switch_recovery("Notes", on=True))
    for target in ("Notes", "Copy"):
        if target == "Copy":
            db._run(backups.restore_backup(made, target, quiet))
        db.create(Note(note_id=f"since {target}"))
        for restore in (
            backups.restore_backup(made, target, quiet),
            recovery.restore_to("Notes", target, None, quiet),
        ):
            with pytest.raises(ResourceInUse, match=f"already exists: {target}") as caught:
                db._run(restore)
            assert caught.value.hint == "A restore never writes over a table: give the new one another name."
    assert len(list(db.scan_for_maintenance(Note))) == 3


def test_a_table_that_comes_back_under_its_name_is_used_already(db: Session) -> None:
    made = db._run(backups.create_backup("Notes", "first", quiet))
    other = db._run(backups.restore_backup(made, "Notes2", quiet))
    left = db._run(restoring.settle(notes, other, quiet, deployed=False, old="Notes")).left
    assert "policies of IAM and of the table itself, which name the old table" in left
    assert any("table_name=" in one for one in left)
    db.delete_table()
    same = db._run(backups.restore_backup(made, "Notes", quiet))
    left = db._run(restoring.settle(notes, same, quiet, deployed=False, old="Notes")).left
    assert left == (
        "the policy of the table itself",
        "consumers of the stream, triggers, Kinesis destinations and replicas in other regions",
    )


def test_what_the_model_says_is_set_again(engine: Engine, db: Session) -> None:
    made = db._run(backups.create_backup("Notes", "first", quiet))
    description = db._run(backups.restore_backup(made, "Notes2", quiet))
    settled = db._run(restoring.settle(notes, description, quiet, deployed=True))
    assert settled.again == (
        "expiry by expires",
        "the stream, NEW_AND_OLD_IMAGES; it has a new ARN",
        "recovery to a point in time",
        "protection against deletion",
        "1 tags",
    )
    assert [one.partition(":")[0] for one in settled.failed] == ["contributor insights"]  # the engine has none
    assert any("alarms" in one for one in settled.left)
    told = engine.execute("DescribeTable", {"TableName": "Notes2"})["Table"]
    assert told["StreamSpecification"]["StreamViewType"] == "NEW_AND_OLD_IMAGES"
    assert told["DeletionProtectionEnabled"] is True
    expiry = engine.execute("DescribeTimeToLive", {"TableName": "Notes2"})["TimeToLiveDescription"]
    assert expiry["AttributeName"] == "expires"
    assert engine.execute("ListTagsOfResource", {"ResourceArn": told["TableArn"]})["Tags"] == [
        {"Key": "team", "Value": "notes"}
    ]
    assert db._run(recovery.recovery_of("Notes2")).days == 7


def test_a_table_in_a_file_gets_no_settings_of_a_deployment(db: Session) -> None:
    made = db._run(backups.create_backup("Notes", "first", quiet))
    description = db._run(backups.restore_backup(made, "Notes2", quiet))
    settled = db._run(restoring.settle(notes, description, quiet, deployed=False))
    assert settled.again == ("expiry by expires", "the stream, NEW_AND_OLD_IMAGES; it has a new ARN")
    assert not db._run(recovery.recovery_of("Notes2")).on


def test_a_table_is_restored_as_it_was(engine: Engine, db: Session) -> None:
    with pytest.raises(ArgumentError, match="Recovery of Notes is off"):
        db._run(recovery.restore_to("Notes", "Past", None, quiet))
    assert db._run(recovery.switch_recovery("Notes", on=True)).on
    known = db._run(recovery.recovery_of("Notes"))
    assert known.on
    assert known.earliest is not None
    with pytest.raises(ArgumentError, match="can be restored as it was from"):
        db._run(recovery.restore_to("Notes", "Past", datetime(2000, 1, 1, tzinfo=UTC), quiet))
    assert db._run(recovery.restore_to("Notes", "Past", None, quiet))["TableStatus"] == "ACTIVE"
    with notes.open(engine, table_name="Past", create=False) as past:
        assert len(list(past.scan_for_maintenance(Note))) == 1
    assert not db._run(recovery.switch_recovery("Notes", on=False)).on


class Scripted:
    """A service whose answers are written down."""

    def __init__(self, **answers: list[Any]) -> None:
        self.answers = answers
        self.sent: list[tuple[str, dict[str, Any]]] = []

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.sent.append((operation, request))
        answer = self.answers[operation].pop(0)
        if isinstance(answer, Exception):
            raise answer
        found: dict[str, Any] = answer
        return found

    def close(self) -> None:
        """Nothing is kept open."""


def scripted(**answers: list[Any]) -> tuple[Session, list[float]]:
    pauses: list[float] = []
    retry = RetryPolicy(sleep=pauses.append, random=lambda: 1.0)
    return notes.open(Scripted(**answers), create=False, retry=retry), pauses


def table(status: str, *indexes: str, restoring: bool = False) -> dict[str, Any]:
    listed = [{"IndexStatus": one} for one in indexes]
    return {
        "Table": {
            "TableName": "New",
            "TableStatus": status,
            "GlobalSecondaryIndexes": listed,
            "RestoreSummary": {"RestoreInProgress": restoring},
        }
    }


def test_waiting_ends_when_everything_is_there() -> None:
    db, pauses = scripted(
        DescribeTable=[
            ResourceNotFound("not yet"),
            table("CREATING", "CREATING"),
            table("ACTIVE", "CREATING"),
            table("ACTIVE", "ACTIVE", restoring=True),
            table("ACTIVE", "ACTIVE"),
        ]
    )
    told: list[str] = []
    assert db._run(waiting.until_active("New", told.append))["TableStatus"] == "ACTIVE"
    assert told[:2] == ["New is CREATING: 0 of 2 parts are ready.", "New is ACTIVE: 1 of 2 parts are ready."]
    assert len(pauses) == 4


def test_waiting_ends_when_there_is_nothing_to_wait_for() -> None:
    db, _ = scripted(DescribeTable=[ResourceNotFound("no")] * 9)
    with pytest.raises(ResourceNotFound, match="There is no table New"):
        db._run(waiting.until_active("New", quiet))


FROM_BACKUP = {"BackupArn": "arn:1"}
AS_IT_WAS = {"SourceTableName": "Notes", "RestoreDateTime": 1750000000.0}
LATEST = {"SourceTableName": "Notes", "UseLatestRestorableTime": True}
NOTES = "arn:aws:dynamodb:eu-west-1:1:table/Notes"
THEN = datetime.fromtimestamp(1750000000, UTC)


@pytest.mark.parametrize(
    ("request_", "summary", "waits"),
    [
        (FROM_BACKUP, {"SourceBackupArn": "arn:1", "SourceTableArn": NOTES}, True),
        (FROM_BACKUP, {"SourceBackupArn": "arn:2", "SourceTableArn": NOTES}, False),
        (FROM_BACKUP, {"SourceTableArn": NOTES, "RestoreDateTime": THEN}, False),
        (FROM_BACKUP, {"SourceBackupArn": "arn:1", "RestoreInProgress": False}, False),
        (AS_IT_WAS, {"SourceTableArn": NOTES, "RestoreDateTime": THEN}, True),
        (AS_IT_WAS, {"SourceTableArn": NOTES, "RestoreDateTime": 1750000001.0}, False),
        (AS_IT_WAS, {"SourceTableArn": f"{NOTES}2", "RestoreDateTime": THEN}, False),
        (LATEST, {"SourceTableArn": NOTES, "RestoreDateTime": THEN}, True),
        (LATEST, {"SourceBackupArn": "arn:1", "SourceTableArn": NOTES}, False),
        (LATEST, {}, False),
    ],
)
def test_a_restore_that_nobody_waits_for_any_more_is_waited_for_again(
    request_: dict[str, Any], summary: dict[str, Any], waits: bool
) -> None:
    """The same command was refused, so that expiry and stream were never set again."""
    there = ResourceInUse("Table already exists: New", wire_name="TableAlreadyExistsException")
    being_made = table("CREATING")
    being_made["Table"]["RestoreSummary"] = {"RestoreInProgress": True, **summary}
    operation = "RestoreTableFromBackup" if request_ is FROM_BACKUP else "RestoreTableToPointInTime"
    described: list[Any] = [being_made, being_made, table("ACTIVE")]
    db, _ = scripted(**{operation: [there], "DescribeTable": described})
    told: list[str] = []
    work = waiting.restored(operation, {**request_, "TargetTableName": "New"}, told.append)
    if waits:
        assert db._run(work)["TableStatus"] == "ACTIVE"
        assert told[0] == "New is in the making already."
        return
    with pytest.raises(ResourceInUse) as caught:
        db._run(work)
    assert caught.value.hint == "A restore never writes over a table: give the new one another name."


def details(status: str) -> dict[str, Any]:
    when = datetime(2025, 1, 1, tzinfo=UTC) - timedelta(0)
    return {"BackupArn": "arn", "BackupName": "b", "BackupStatus": status, "BackupCreationDateTime": when}


def test_a_backup_that_takes_its_time_or_fails() -> None:
    described = [{"BackupDescription": {"BackupDetails": details(one)}} for one in ("CREATING", "AVAILABLE")]
    db, pauses = scripted(CreateBackup=[{"BackupDetails": details("CREATING")}], DescribeBackup=described)
    assert db._run(backups.create_backup("Notes", "b", quiet)).status == "AVAILABLE"
    assert len(pauses) == 1
    db, _ = scripted(CreateBackup=[{"BackupDetails": details("DELETED")}])
    with pytest.raises(StorageError, match="The backup b is DELETED"):
        db._run(backups.create_backup("Notes", "b", quiet))


def test_recovery_of_a_new_table_is_tried_until_it_is_ready() -> None:
    unready = RequestRefused("Backups are being enabled", wire_name="ContinuousBackupsUnavailableException")
    on = {"ContinuousBackupsDescription": {"PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "ENABLED"}}}
    db, pauses = scripted(UpdateContinuousBackups=[unready, unready, on])
    assert db._run(recovery.switch_recovery("New", on=True, days=3)).on
    assert len(pauses) == 2
    db, _ = scripted(UpdateContinuousBackups=[LimitExceeded("too many")])
    with pytest.raises(LimitExceeded):
        db._run(recovery.switch_recovery("New", on=True))
