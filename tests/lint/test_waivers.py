"""Waivers: what they cover, and that those which cover nothing are found."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tablewright.lint import Finding, lint
from tablewright.lint.registry import selected

MODEL = """
from typing import Literal
from tablewright import *

app = Table("App", indexes=[GSI("GSI1")])


class Order(Entity, table=app):
    keys = Keys("ORDER#{order_id}", "ORDER", GSI1=("STATUS#{status}", "{order_id}"))
    order_id: str
    status: Literal["open", "done"] = "open"
    tags: list[str] = []


@app.pattern
def orders_with(status: Literal["open", "done"]) -> Query[Order]:
    return query(Order, Order.status == status)


app.relate(Relationship(Order, "Other", "1:N", "normalised"))
"""
Found = Callable[[str], list[Finding]]


@pytest.mark.parametrize("on", ["Order", "orders_with", '"GSI1"', "None"])
def test_a_finding_is_waived_on_its_subject_and_on_what_it_concerns(found: Found, on: str) -> None:
    told = found(f'{MODEL}\napp.waive("TW304", {on}, reason="a dozen at any time")')
    assert [one.waived for one in told if one.code == "TW304"] == ["a dozen at any time"]
    assert not {one.code for one in told} & {"TW004", "TW005", "TW006"}


def test_a_waiver_on_several_things_covers_what_is_about_all(found: Found) -> None:
    text = """
from tablewright import *

app = Table("App", indexes=[GSI("GSI1"), GSI("GSI2")])


class Task(Entity, table=app):
    keys = Keys("TENANT#{tenant_id}", "TASK#{task_id}", GSI1=("ALL", "{task_id}"), GSI2=("TASKS", "{task_id}"))
    tenant_id: str
    task_id: str


app.waive("TW701", (Task, "GSI2"), reason="for the operator")
"""
    told = {one.message.split(" on ")[1][:4]: one.waived for one in found(text) if one.code == "TW701"}
    assert told == {"GSI1": None, "GSI2": "for the operator"}
    gone = text.replace('"GSI2"), reason', '"GSI7"), reason')
    (strange,) = [one for one in found(gone) if one.code == "TW006"]
    assert "Task and GSI7" in strange.message


def test_a_waiver_on_a_field_covers_that_field_only(found: Found) -> None:
    told = found(
        f'{MODEL}\napp.waive("TW501", Order.tags, reason="few")\napp.waive("TW501", Order.status, reason="no")'
    )
    assert [one.waived for one in told if one.code == "TW501"] == ["few"]
    (unused,) = [one for one in told if one.code == "TW005"]
    assert "Order.status" in unused.message


def test_a_waiver_on_a_relationship(found: Found) -> None:
    text = MODEL.replace("app.relate(Relationship(", "app.relate(far := Relationship(")
    told = found(f'{text}\napp.waive("TW603", far, reason="known to all")')
    assert [one.waived for one in told if one.code == "TW603"] == ["known to all"]


@pytest.mark.parametrize(
    ("waiver", "code", "told"),
    [
        ('"TW999", Order', "TW004", "waive('TW999') names a rule that does not exist."),
        ('"TW302", Order', "TW005", "waive('TW302') on Order waives nothing."),
        ('"TW302"', "TW005", "waive('TW302') on the whole table waives nothing."),
        ('"TW201", "GSI9"', "TW006", "waive('TW201') is about GSI9, which is not in this table."),
        ('"TW201", Other', "TW006", "waive('TW201') is about Other, which is not in this table."),
    ],
)
def test_waivers_that_mean_nothing_are_found(found: Found, waiver: str, code: str, told: str) -> None:
    other = 'class Other(Entity, table=Table("Two")):\n    keys = Keys("OTHER#{a}", "OTHER")\n    a: str\n'
    assert told in [
        one.message for one in found(f'{MODEL}\n{other}\napp.waive({waiver}, reason="so")') if one.code == code
    ]


def test_a_waiver_of_a_rule_that_was_not_run_is_not_called_unused(read: Callable[[str], object]) -> None:
    loaded = read(f'{MODEL}\napp.waive("TW304", Order, reason="few")')
    codes = {one.code for one in lint(loaded.tables[0], rules=selected(("TW0", "TW5")))}  # type: ignore[attr-defined]
    assert "TW005" not in codes


def test_the_gravest_come_first_and_none_twice(found: Found) -> None:
    told = found(MODEL)
    assert len(told) == len(set(told))
    ranks = [["error", "warning", "info"].index(one.severity) for one in told]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) > 1


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ('app.waive("TW999", Order, reason="so")', "TW004"),
        ('app.waive("TW302", Order, reason="so")', "TW005"),
        ('app.waive("TW201", "GSI9", reason="so")', "TW006"),
        ('app.waive("TW201", reason=" ")', "TW001"),
        ("app.expect(Order, item=5)", "TW001"),
        ("app.expect(orders_with, rates=5)", "TW001"),
        ('app.relate(Relationship(Order, Order, "1:N", "embedded", field="nothing"))', "TW001"),
    ],
)
def test_the_call_itself_is_the_place(found: Found, call: str, code: str) -> None:
    (one,) = [one for one in found(f"{MODEL}\n\n{call}\n") if one.code == code]
    assert one.place is not None
    assert one.place.line == MODEL.count("\n") + 3


def test_a_long_list_that_is_embedded_can_be_waived(found: Found) -> None:
    text = MODEL.replace(
        "tags: list[str] = []", "tags: list[str] = []\n    lines: list[dict[str, str]] = PydanticField(max_length=50)"
    )
    text = text.replace(
        "from tablewright import *", "from tablewright import *\nfrom pydantic import Field as PydanticField"
    )
    embedded = (
        'app.relate(Relationship(Order, "Line", "1:N", "embedded", field="lines"))\n'
        'app.relate(Relationship(Order, "Tag", "1:N", "embedded", field="tags"))\n'
        'app.waive("TW502", Order.lines, reason="50 lines of 60 bytes")\n'
    )
    told = {(one.code, one.subject): one.waived for one in found(f"{text}\n{embedded}")}
    assert told["TW502", "Order.lines"] == "50 lines of 60 bytes"
    assert told["TW501", "Order.tags"] is None
    assert "TW001" not in {code for code, _ in told}
