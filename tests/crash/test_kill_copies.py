"""Kill a process that copies tables: every copy is there as a whole or not at all, and none that was promised is lost."""

from __future__ import annotations

import random
from pathlib import Path

from tablewright.engine import open_engine
from tests.crash import copier
from tests.crash.killing import lines_until_killed

RUNS = 3


def test_copies_are_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    with open_engine(path, synchronous="NORMAL") as engine:
        copier.prepare(engine)
        whole = sorted(map(repr, engine.execute("Scan", {"TableName": copier.TABLE})["Items"]))
    draw = random.Random(7)
    promised: list[str] = []
    for run in range(RUNS):
        promised += _copy_until_killed(path, tmp_path / "exports", str(run), draw.uniform(0.02, 0.2))
    assert promised
    with open_engine(path, synchronous="NORMAL") as engine:
        assert engine.verify() == []
        tables = engine.execute("ListTables", {})["TableNames"]
        deleted = {line[1:] for line in promised if line.startswith("-")}
        for line in promised:
            if line.startswith("arn:"):
                details = engine.execute("DescribeBackup", {"BackupArn": line})["BackupDescription"]
                assert details["SourceTableDetails"]["ItemCount"] == copier.ITEMS
            elif not line.startswith("-") and line not in deleted:
                # One that was about to be deleted may be gone without a word.
                assert line in tables or int(line.rpartition(".")[2]) > 3
        for name in tables:
            assert sorted(map(repr, engine.execute("Scan", {"TableName": name})["Items"])) == whole
            assert engine.execute("Scan", {"TableName": name, "IndexName": "ByGroup"})["Count"] == copier.ITEMS


def _copy_until_killed(path: Path, folder: Path, run: str, seconds: float) -> list[str]:
    """What the child said it had done, before it was killed some time after its first copy."""
    return lines_until_killed(copier.__file__, str(path), str(folder), run, seconds=seconds)
