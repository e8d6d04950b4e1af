"""The user's file stays as it was written, but for the places where keys belong."""

from __future__ import annotations

import difflib
import subprocess
import sys
from pathlib import Path
from typing import Any

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
    indexes=[tw.GSI("GSI1", projection="ALL")],
    stream="NEW_IMAGE",  # for the feed
)


class Task(tw.Entity, table=tasks,  # ändert sich nie
           schema_version=2):
    # what is to be done
    keys = tw.Keys(
        "TASK#{code}",
        "TASK",
        GSI1=tw.sparse("TASKS#STATUS#OPEN", "TASK#{code}", when=tw.attr("status") == Status.OPEN),
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


WIDE = """\
from datetime import date

from pydantic import BaseModel, Field

from tablewright import Design, Entity, Get, Query, get, query

{design}


class Task(Entity, table=office, identity=["task_id"], unique=["code"]):
    task_id: str
    project_identifier: str = Field(frozen=True)
    department_identifier: str = Field(frozen=True)
    code: str
    due: date
    created_ms: int = Field(frozen=True)
    rank: int = Field(0, ge=-500, lt=100)
    done: bool = False
    billed: bool = False
    text: str = ""


class Title(BaseModel):
    task_id: str
    text: str


@office.pattern
def undone(department: str) -> Query[Task]:
    mine = Task.department_identifier == department
    return query(Task, Task.done == False, mine).sorted_by(Task.due)


@office.pattern
def unbilled() -> Query[Task]:
    return query(Task, Task.billed == False).sorted_by(Task.due)


@office.pattern
def since(project: str, department: str, ms: int) -> Query[Task]:
    return query(
        Task,
        Task.project_identifier == project,
        Task.department_identifier == department,
        Task.created_ms >= ms,
    ).sorted_by(Task.created_ms, Task.due)


@office.pattern
def ranked(project: str) -> Query[Title]:
    return query(Task, Task.project_identifier == project).sorted_by(Task.rank).only(Title)


@office.pattern
def by_code(code: str) -> Get[Task]:
    return get(Task, Task.code == code)
"""
CALLS = {
    "one line": 'office = Design("Office")',
    "long": 'office = Design("Office", stream="NEW_AND_OLD_IMAGES")',
    "several lines": 'office = Design(\n    "Office",  # all of it\n    stream="NEW_IMAGE",\n)',
}


@pytest.mark.parametrize("call", CALLS)
def test_what_was_emitted_is_laid_out_and_linted(call: str, tmp_path: Path) -> None:
    file, emitted = tmp_path / "wide.py", tmp_path / "model.py"
    file.write_text(WIDE.replace("{design}", CALLS[call]), encoding="utf-8")
    code = propose(file).code
    emitted.write_text(code.replace("Task.done == False", "~Task.done").replace("Task.billed == False", "~Task.billed"))
    assert max(map(len, code.splitlines())) <= 100
    ruff = Path(sys.executable).with_name("ruff")
    rules = "E,W,F,I,Q,COM812"
    told = subprocess.run(
        [ruff, "check", "--isolated", "--line-length", "100", "--select", rules, emitted],
        capture_output=True,
        text=True,
    )
    assert told.returncode == 0, told.stdout
    laid_out = subprocess.run(
        [ruff, "format", "--isolated", "--line-length", "100", "--diff", emitted], capture_output=True, text=True
    )
    assert laid_out.returncode == 0, laid_out.stdout


def test_comments_stay_with_what_they_are_about(tmp_path: Path) -> None:
    file = tmp_path / "wide.py"
    file.write_text(WIDE.replace("{design}", CALLS["several lines"]), encoding="utf-8")
    assert '    "Office",  # all of it\n    indexes=[\n        GSI("GSI1", projection=' in propose(file).code


def test_flags_are_named_in_keys_with_their_fields(tmp_path: Path) -> None:
    file = tmp_path / "wide.py"
    file.write_text(WIDE.replace("{design}", CALLS["long"]), encoding="utf-8")
    found = propose(file)
    assert "TASKS#BILLED#FALSE" in found.code
    assert 'when=is_in(attr("billed"), [False])' in found.code
    model: Any = found.model
    task = model.entities["Task"]
    fields = {"project_identifier": "p", "department_identifier": "d", "due": "2026-01-01", "created_ms": 1}
    with model.open("memory:") as db:
        db.ensure_table()
        for name, flags in (("a", {}), ("b", {"billed": True}), ("c", {"done": True})):
            db.create(task(task_id=name, code=name, **fields, **flags))
        assert [one.task_id for one in db.run(model.patterns["unbilled"])] == ["a", "c"]
        assert [one.task_id for one in db.run(model.patterns["undone"], "d")] == ["a", "b"]


def test_numbers_in_keys_are_as_wide_as_their_fields_allow(tmp_path: Path) -> None:
    file = tmp_path / "wide.py"
    file.write_text(WIDE.replace("{design}", CALLS["long"]), encoding="utf-8")
    found = propose(file)
    assert "{rank:3}" in found.code
    assert "{created_ms:19}" in found.code
    assert "# created_ms has 19 digits here, as 64 bits need." in found.code
    (told,) = [hint for hint in found.explained.hints if "digits" in hint]
    assert told.startswith("Task.created_ms does not say how large it can be")
    model: Any = found.model
    task = model.entities["Task"]
    with model.open("memory:") as db:
        db.ensure_table()
        for number in (-(2**63), -1, 0, 1_763_298_000_000, 2**63 - 1):
            db.create(
                task(
                    task_id=f"t{number}",
                    project_identifier="p",
                    department_identifier="d",
                    code=str(number),
                    due="2026-01-01",
                    created_ms=number,
                    rank=-500 if number < 0 else 99,
                )
            )
        later = db.run(model.patterns["since"], "p", "d", -1)
        assert [one.created_ms for one in later] == [-1, 0, 1_763_298_000_000, 2**63 - 1]
        assert [one.task_id for one in db.run(model.patterns["ranked"], "p")][2:] == [
            "t0",
            "t1763298000000",
            "t9223372036854775807",
        ]


def test_an_index_holds_what_its_patterns_take(tmp_path: Path) -> None:
    file = tmp_path / "wide.py"
    file.write_text(WIDE.replace("{design}", CALLS["long"]), encoding="utf-8")
    found = propose(file)
    indexes = found.model.indexes
    held = {name: (index.projection, index.include) for name, index in indexes.items()}
    (read,) = [p for p in found.proof.patterns if p.name == "ranked"]
    assert held[str(read.requests[0].index)] == ("INCLUDE", ("text",))
    assert f"{read.requests[0].index} holds text beside its keys: its patterns take no more." in found.explained.choices
    assert all(index.chosen for index in indexes.values())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("class Thing(Entity, table=d, **COMMON):\n    name: str\n", "Thing, line 4, has identity= from elsewhere"),
        ("Thing = make()\n", "Thing is not written in this file"),
    ],
    ids=["keywords of a dict", "a class that is made"],
)
def test_what_cannot_be_taken_out_of_a_class_is_told(text: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "thing.py"
    made = (
        "def make(): return type(Entity)('Thing', (Entity,), {'__annotations__': {'name': str}}, table=d, **COMMON)\n"
    )
    file.write_text(
        "from tablewright import Design, Entity\nd = Design('Things')\nCOMMON = {'identity': ['name']}\n"
        + (made if "make" in text else "")
        + text
    )
    with pytest.raises(ArgumentError, match=says):
        propose(file)
