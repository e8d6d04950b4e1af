"""`tablewright move` where the two sides are in two places, and one of them is not told, or not there yet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tablewright.engine import open_engine
from tablewright.errors import ResourceNotFound
from tests.cli.test_move import failed, folder, said, told

__all__ = ["folder"]

BOTH = ("--legacy", "market.db")


def records(file: str) -> list[dict[str, Any]]:
    with open_engine(file) as engine:
        found: list[dict[str, Any]] = engine.execute("Scan", {"TableName": "market-moving"})["Items"]
        return found


@pytest.mark.usefixtures("folder")
def test_a_ledger_beside_the_new_table_is_not_taken_for_that_of_the_legacy_tables() -> None:
    said("prepare", *BOTH, on="new.db")
    said("advance", "dual", *BOTH, on="new.db")
    before = records("new.db")
    for words in (
        ("plan",),
        ("prepare",),
        ("status",),
        ("advance", "dual"),
        ("back",),
        ("backfill",),
        ("repair",),
        ("verify",),
        ("mend",),
        ("shadow",),
        ("switch", "5"),
        ("kill",),
        ("kill", "--flags", "flags.json"),
        ("restore-legacy",),
        ("retire", "archive"),
    ):
        error = failed(*words, on="new.db")
        assert isinstance(error, ResourceNotFound), words
        assert error.message == "The legacy table Merchants and the legacy table Reviews are not there.", words
        assert "say where they are by --legacy" in (error.hint or "")
    assert records("new.db") == before
    assert not Path("flags.json").exists()
    assert told("status", *BOTH, on="new.db")["phase"] == "dual"


@pytest.mark.usefixtures("folder")
def test_a_plan_needs_no_new_table() -> None:
    assert told("plan", *BOTH, on="new.db")["sampled"] == {"Merchants": 5, "Reviews": 10}
    assert not Path("new.db").exists()
    typo = failed("plan", "--legacy", "typo.db", on="new.db")
    assert typo.hint == "It is the place of the legacy tables (--legacy): name the file that holds them."
    said("prepare", *BOTH, on="new.db")
    assert told("plan", *BOTH, on="new.db")["well"]
