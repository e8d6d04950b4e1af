"""The user's file stays as it was written, but for the places where keys belong."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest

from tablewright.errors import ArgumentError
from tablewright.synth.proposal import propose, read_design

DESIGNS = Path(__file__).parent / "designs"
STATUS = '''"""Tasks. Zeichen wie ä und 東 stehen davor."""
import enum

import tablewright as tw
from tablewright import Query  # noqa


class Status(enum.Enum):
    OPEN = "open"
    DONE = "done"


# the one table
tasks = tw.Design(
    "Tasks",
    stream="NEW_IMAGE",  # for the feed
)


class Task(tw.Entity, table=tasks,
           identity=["code"],  # ändert sich nie
           schema_version=2):
    # what is to be done
    code: str
    status: Status = Status.OPEN


class Empty(tw.Entity, table=tasks, identity=["name"], type="E"):
    """ünïcode"""
    name: str


@tasks.pattern
def todo() -> Query[Task]:
    return tw.query(Task, Task.status == Status.OPEN)
'''
EMITTED = '''"""Tasks. Zeichen wie ä und 東 stehen davor."""
import enum

import tablewright as tw
from tablewright import Query  # noqa


class Status(enum.Enum):
    OPEN = "open"
    DONE = "done"


# the one table
tasks = tw.Table(
    "Tasks",
    stream="NEW_IMAGE", indexes=[tw.GSI("GSI1")],  # for the feed
)


class Task(tw.Entity, table=tasks,  # ändert sich nie
           schema_version=2):
    # what is to be done
    keys = tw.Keys(
        "TASK#{code}",
        "TASK",
        GSI1=tw.sparse("TASKS#OPEN", "TASK#{code}", when=tw.attr("status") == Status.OPEN),
    )
    code: str
    status: Status = Status.OPEN


class Empty(tw.Entity, table=tasks, type="E"):
    """ünïcode"""

    keys = tw.Keys("EMPTY#{name}", "EMPTY")
    name: str


@tasks.pattern
def todo() -> Query[Task]:
    return tw.query(Task, Task.status == Status.OPEN)
'''


def test_comments_layout_and_names_stay(tmp_path: Path) -> None:
    file = tmp_path / "tasks.py"
    file.write_text(STATUS, encoding="utf-8")
    assert propose(file).code == EMITTED


@pytest.mark.parametrize("name", ["blog", "kefir", "surveyor"])
def test_nothing_but_keys_table_and_imports_changes(name: str) -> None:
    before = (DESIGNS / f"{name}.py").read_text(encoding="utf-8").splitlines()
    after = propose(DESIGNS / f"{name}.py").code.splitlines()
    removed = [line[2:] for line in difflib.ndiff(before, after) if line.startswith("- ")]
    assert [
        line for line in removed if not line.startswith(("from tablewright import", "class ")) and "Design(" not in line
    ] == []


@pytest.mark.parametrize("name", ["blog", "shop", "orders", "surveyor"])
def test_what_was_emitted_is_no_design_any_more(name: str, tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(propose(DESIGNS / f"{name}.py").code, encoding="utf-8")
    assert "Design" not in file.read_text(encoding="utf-8")
    with pytest.raises(ArgumentError, match="holds no designs"):
        read_design(file)


def test_an_entity_in_one_line_has_no_room_for_keys(tmp_path: Path) -> None:
    file = tmp_path / "tight.py"
    file.write_text(
        'from tablewright import Design, Entity\nd = Design("Tight")\n'
        'class Thing(Entity, table=d, identity=["name"]): name: str\n'
    )
    with pytest.raises(ArgumentError, match="written in one line"):
        propose(file)
