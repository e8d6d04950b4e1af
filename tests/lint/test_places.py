"""Findings say where: the line of the class, field, function, index or relationship."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from tablewright import Entity, Keys, Table
from tablewright.lint import Finding, lint

MODEL = """from typing import Literal
from tablewright import GSI, Entity, Keys, Query, Relationship, Table, query

app = Table(
    "App",
    indexes=[
        GSI("GSI1"),
        GSI("GSI2"),
    ],
)


class Order(Entity, table=app):
    keys = Keys("ORDER#{order_id}", "ORDER", GSI1=("STATUS#{status}", "{order_id}"))
    order_id: str
    status: Literal["open", "done"] = "open"
    tags: list[str] = []
    name: str = ""


@app.pattern
def orders_with(
    status: Literal["open", "done"],
) -> Query[Order]:
    return query(Order, Order.status == status)


@app.pattern
def orders_named(name: str) -> Query[Order]:
    return query(Order, Order.name == name)


app.relate(
    Relationship(Order, "Other", "1:N", "normalised", reason="saves space"),
)
"""


def test_every_kind_of_subject_has_its_line(found: Callable[[str], list[Finding]]) -> None:
    told = found(MODEL)
    lines = {(one.code, one.subject): one.place.line for one in told if one.place is not None}
    source = MODEL.splitlines()

    def line(text: str) -> int:
        (number,) = [n for n, each in enumerate(source, 1) if text in each]
        return number

    assert lines["TW304", "Order"] == line("class Order")
    assert lines["TW501", "Order.tags"] == line("tags: list")
    assert lines["TW405", "orders_with()"] == line("def orders_with")
    assert lines["TW002", "orders_named()"] == line("def orders_named")
    assert lines["TW201", "index GSI2"] == line('GSI("GSI2")')
    assert lines["TW603", "Order to Other"] == line("Relationship(Order")
    assert lines["TW505", "table App"] == line("app = Table(")
    assert {Path(one.place.file).suffix for one in told if one.place is not None} == {".py"}


def test_without_source_there_is_no_place() -> None:
    names = {"__name__": "nowhere", "Entity": Entity, "Keys": Keys, "app": Table("App")}
    exec(  # as in a shell
        'class Note(Entity, table=app):\n    keys = Keys("NOTE#{note_id}", "NOTE")\n    note_id: str\n    tags: list[str]',
        names,
    )
    (told,) = [one for one in lint(names["app"]) if one.code == "TW501"]  # type: ignore[arg-type]
    assert told.place is None


def test_a_file_is_parsed_once_and_classes_within_functions_are_found(
    found: Callable[[str], list[Finding]], monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []
    parse = ast.parse

    def counting(text: str) -> ast.Module:
        parsed.append(text)
        return parse(text)

    monkeypatch.setattr("tablewright.lint.places.ast.parse", counting)
    told = found("""from tablewright import Entity, Keys, Table

app = Table("App")

def made() -> None:
    class Note(Entity, table=app):
        keys = Keys("NOTE#{note_id}", "NOTE")
        note_id: str
        tags: list[str] = []
        words: list[str] = []

made()
""")
    assert [one.place.line for one in told if one.code == "TW501" and one.place is not None] == [9, 10]
    assert len(parsed) == 1
