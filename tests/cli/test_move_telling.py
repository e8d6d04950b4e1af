"""What the commands of a move say when they are stopped, or only counted, or when a table is not there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tablewright.errors import ResourceNotFound
from tablewright.evolve.moving import MovingSession
from tests.cli.test_move import MARKET, failed, folder, interrupted, said

__all__ = ["folder"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("command", "call", "dry"),
    [
        ("repair", "repair", "pending"),
        ("mend", "mend", "verify"),
        ("restore-legacy", "restore_legacy", "restore_legacy"),
    ],
)
def test_a_stopped_command_says_what_is_done(
    command: str, call: str, dry: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said("prepare")
    monkeypatch.setattr(MovingSession, call, interrupted_with)
    stopped = said(command, "--write", exit_code=130)
    assert "Stopped. What was written by then stays; the same command does the rest." in stopped
    monkeypatch.setattr(MovingSession, dry, interrupted_with)
    assert "Stopped. Nothing was written." in said(command, exit_code=130)


def interrupted_with(*given: Any, **options: Any) -> None:
    """Ctrl-C, just here."""
    interrupted(*given)


@pytest.mark.usefixtures("folder")
def test_mending_that_is_only_counted_says_so() -> None:
    said("prepare")
    said("advance", "dual")
    assert said("mend", exit_code=1).endswith("Not all is well.\nNothing was written. --write does it.\n")
    said("mend", "--write")
    assert "--write" not in said("mend")


def test_a_table_that_only_a_read_names_is_told(folder: Path) -> None:
    (folder / "market.py").write_text(MARKET.replace('LegacyGet("Merchants"', 'LegacyGet("Merchantz"'))
    said("prepare")
    Path("reads.jsonl").write_text('{"read": "merchant", "with": {"merchant_id": 1}}')
    error = failed("shadow", "--reads", "reads.jsonl")
    assert isinstance(error, ResourceNotFound)
    assert error.message == "There is no table Merchantz."
    assert error.hint == "A Read or the mapping names it: mend that, or say where legacy tables are by --legacy."
