"""Legacy tables go last, late, and only once their archive can be read."""

from __future__ import annotations

import gzip
import json
import stat
from contextlib import suppress
from pathlib import Path

import pytest

from tablewright.errors import ArgumentError, ResourceNotFound, StorageError
from tablewright.evolve.moving import retiring
from tests.evolve.moving.conftest import Ground
from tests.evolve.moving.dying import Crash, Dying
from tests.evolve.moving.merchants import ONE


@pytest.fixture
def switched(ground: Ground) -> Ground:
    ground.fill(3, 1)
    ground.into("dual", "shadow")
    ground.session.read_one(ONE, "m1", subject="u")
    ground.session.tell()
    ground.into("switched")
    ground.session.switch(100)
    return ground


def test_it_is_refused_before_its_time(switched: Ground, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="in use in the phase 'switched'"):
        switched.session.retire(tmp_path)
    with pytest.raises(ArgumentError, match="not retired yet"):
        switched.session.delete_ledgers()
    assert list(tmp_path.iterdir()) == []


def test_an_archive_holds_everything(switched: Ground, tmp_path: Path) -> None:
    before = switched.legacy.execute("Scan", {"TableName": "MerchantsTable"})["Items"]
    switched.clock.pass_(days=31)
    switched.into("new")
    switched.session.retire(tmp_path)
    with gzip.open(tmp_path / "MerchantsTable.json.gz", "rt") as file:
        lines = [json.loads(line)["Item"] for line in file]
    assert lines == before
    assert stat.S_IMODE((tmp_path / "MerchantsTable.json.gz").stat().st_mode) == 0o600
    assert "MerchantsTable" not in switched.legacy.execute("ListTables", {})["TableNames"]
    with pytest.raises(ArgumentError, match="no way back"):
        switched.session.go_back("switched")


def test_an_archive_can_be_brought_back(switched: Ground, tmp_path: Path) -> None:
    tables = ("MerchantsTable", "ReviewsTable")
    before = {table: switched.legacy.execute("DescribeTable", {"TableName": table})["Table"] for table in tables}
    items = {table: switched.legacy_items(table) for table in tables}
    switched.clock.pass_(days=31)
    switched.into("new")
    archive = tmp_path / "archive"
    switched.session.retire(archive)
    for table in tables:
        (tmp_path / table).mkdir()
        (archive / f"{table}.json.gz").rename(tmp_path / table / f"{table}.json.gz")
        definition = json.loads((archive / f"{table}.definition.json").read_text())
        switched.legacy.import_table(tmp_path / table, definition=definition)
        now = switched.legacy.execute("DescribeTable", {"TableName": table})["Table"]
        for name in ("KeySchema", "AttributeDefinitions"):
            assert now[name] == before[table][name]
        indexes = [
            {i["IndexName"]: (i["KeySchema"], i["Projection"]) for i in one.get("GlobalSecondaryIndexes", [])}
            for one in (now, before[table])
        ]
        assert indexes[0] == indexes[1]
        assert switched.legacy_items(table) == items[table]


def test_what_needs_legacy_tables_says_that_they_are_gone(switched: Ground, tmp_path: Path) -> None:
    switched.clock.pass_(days=31)
    switched.into("new")
    assert switched.session.verify().well
    switched.session.retire(tmp_path)
    for call in (switched.session.verify, switched.session.restore_legacy):
        with pytest.raises(ArgumentError, match="legacy tables are archived or deleted") as told:
            call()
        assert "create=True" not in str(told.value)


def test_an_archive_that_was_changed_stops_everything(switched: Ground, tmp_path: Path) -> None:
    switched.clock.pass_(days=31)
    switched.into("new")
    switched.session.retire(tmp_path)
    with gzip.open(tmp_path / "MerchantsTable.json.gz", "wb") as file:
        file.write(b"{}\n")
    with pytest.raises(StorageError, match="not what was written"):
        switched.session.retire(tmp_path)
    (tmp_path / "MerchantsTable.json.gz").unlink()
    with pytest.raises(StorageError, match="cannot be read"):
        switched.session.retire(tmp_path)


def test_an_archive_of_something_else_is_not_written_over(switched: Ground, tmp_path: Path) -> None:
    switched.clock.pass_(days=31)
    switched.into("new")
    theirs = tmp_path / "MerchantsTable.json.gz"  # of another stage, perhaps, whose table is gone
    theirs.write_bytes(gzip.compress(b'{"Item":{}}\n'))
    before = theirs.read_bytes()
    with pytest.raises(StorageError, match="holds something else; nothing was deleted"):
        switched.session.retire(tmp_path)
    assert theirs.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["MerchantsTable.json.gz"]
    assert "MerchantsTable" in switched.legacy.execute("ListTables", {})["TableNames"]
    assert switched.session.retire(tmp_path / "ours")["MerchantsTable"].items > 0


def test_an_archive_whose_run_ended_before_it_was_noted_is_taken_up(switched: Ground, tmp_path: Path) -> None:
    switched.clock.pass_(days=31)
    switched.into("new")
    made = switched.session._run(retiring.archive("MerchantsTable", tmp_path))
    (tmp_path / "MerchantsTable.manifest.json").unlink()
    assert switched.session.retire(tmp_path)["MerchantsTable"] == made


def test_an_item_that_goes_before_its_mark_is_no_matter(switched: Ground) -> None:
    switched.clock.pass_(days=31)
    switched.into("new")
    gone = {"PK": {"S": "MERCHANT#m1"}, "SK": {"S": "MERCHANT#m1"}}
    switched.wire.restart()
    # The page is read by then, and no mark is off yet.
    switched.wire.before = {1: lambda: switched.new.execute("DeleteItem", {"TableName": "Market", "Key": gone})}
    switched.session._run(retiring._unmark(switched.session._meanwhile.place))
    assert len(switched.new_items()) == 5
    assert all("moved_from" not in item for item in switched.new_items())


@pytest.mark.parametrize("after", [False, True])
def test_the_ledgers_go_whenever_the_process_dies(apart: Ground, tmp_path: Path, after: bool) -> None:
    apart.fill(2, 0)
    apart.into("dual", "shadow")
    apart.session.read_one(ONE, "m1", subject="u")
    apart.session.tell()
    apart.into("switched")
    apart.session.switch(100)
    apart.clock.pass_(days=31)
    apart.into("new")
    apart.session.retire(tmp_path)
    for at in (1, 2, 3):
        dying = Dying(at, after=after)
        inner = apart.wire.inner, apart.legacy_wire.inner
        apart.wire.inner, apart.legacy_wire.inner = dying.on(inner[0]), dying.on(inner[1])
        with pytest.raises((Crash, ResourceNotFound)):
            apart.session.delete_ledgers()
            apart.session.progress()
        apart.wire.inner, apart.legacy_wire.inner = inner
    with suppress(ResourceNotFound):  # there is nothing left that could be asked
        apart.session.delete_ledgers()
    for engine in (apart.legacy, apart.new):
        assert "market-moving" not in engine.execute("ListTables", {})["TableNames"]


def test_a_spoiled_archive_is_told(switched: Ground, tmp_path: Path) -> None:
    switched.clock.pass_(days=31)
    switched.into("new")
    switched.session.retire(tmp_path)
    path = tmp_path / "MerchantsTable.json.gz"
    spoiled = bytearray(path.read_bytes())
    for place in range(50, 70):
        spoiled[place] ^= 0xFF
    path.write_bytes(spoiled)
    with pytest.raises(StorageError):
        switched.session.retire(tmp_path)


def test_a_folder_that_cannot_be_written(switched: Ground, tmp_path: Path) -> None:
    switched.clock.pass_(days=31)
    switched.into("new")
    taken = tmp_path / "taken"
    taken.write_text("a file")
    (tmp_path / "MerchantsTable.partial").mkdir()
    for folder, what in ((taken, "taken"), (tmp_path, "The archive of MerchantsTable")):
        with pytest.raises(StorageError, match=f"{what} cannot be written: ") as told:
            switched.session.retire(folder)
        assert "Nothing more is deleted" in str(told.value)
    assert "MerchantsTable" in switched.legacy.execute("ListTables", {})["TableNames"]
    (tmp_path / "MerchantsTable.partial").rmdir()
    assert switched.session.retire(tmp_path)["MerchantsTable"].items == 3
