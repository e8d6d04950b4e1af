"""Tables drawn at random with one fault each are refused in the service's words; DynamoDB Local sees the same fault."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablewright.engine import open_engine
from tests.engine.table_changes import CHANGES, Change
from tests.engine.table_faults import CREATION, Fault, provision
from tests.engine.test_drawn_tables_against_dynamodb_local import tables
from tests.engine.test_tables_against_dynamodb_local import attempt

Reference = Callable[[str, dict[str, Any]], tuple[str, dict[str, Any]]]
NAME = f"Faulty{uuid4().hex}"  # several processes share the reference
# One table and one request each: a few per fault are many in all.
FEW = settings(
    max_examples=settings().max_examples // 50,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.filter_too_much,
        HealthCheck.differing_executors,
    ],
)


def same_fault(local: str | None, name: str, told: dict[str, Any]) -> bool:
    """Whether Local says what it is known to say of this fault, or takes the request where it is known to."""
    if not name:
        return local is None or re.fullmatch(local, "") is not None
    message = str(told.get("message", told.get("Message", "")))
    return local is not None and re.fullmatch(local, message) is not None


@FEW
@given(table=tables(), provisioned=st.booleans())
def test_tables_without_a_fault_are_made(reference: Reference, table: dict[str, Any], provisioned: bool) -> None:
    request = {**copy.deepcopy(table), "TableName": NAME}
    if provisioned:
        provision(request)
    reference("DeleteTable", {"TableName": NAME})
    assert reference("CreateTable", request)[0] == ""
    with open_engine("memory:") as engine:
        assert attempt(engine, "CreateTable", request)[0] == ""


@pytest.mark.parametrize("fault", CREATION.values(), ids=CREATION)
@FEW
@given(data=st.data())
def test_what_is_wrong_with_a_new_table(reference: Reference, fault: Fault, data: st.DataObject) -> None:
    request = {**copy.deepcopy(data.draw(tables())), "TableName": NAME}
    words = fault.spoil(data.draw, request)
    with open_engine("memory:") as engine:
        name, told = attempt(engine, "CreateTable", request)
    assert (name, told.get("message")) == ("ValidationException", words), request
    reference("DeleteTable", {"TableName": NAME})
    assert same_fault(fault.local, *reference("CreateTable", request)), request


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@FEW
@given(data=st.data())
def test_what_is_wrong_with_a_change(reference: Reference, change: Change, data: st.DataObject) -> None:
    # A name of its own: Local deletes no table whose indexes are still on their way.
    name = f"{NAME}{uuid4().hex}"
    table = {**copy.deepcopy(data.draw(tables())), "TableName": name}
    if change.provisioned:
        provision(table)
    request: dict[str, Any] = {"TableName": name}
    error, words = change.spoil(data.draw, table, request)
    with open_engine("memory:") as engine:
        engine.execute("CreateTable", table)
        before = engine.execute("DescribeTable", {"TableName": name})
        refused, told = attempt(engine, "UpdateTable", request)
        assert (refused, told.get("message")) == (error, words), (table, request)
        assert engine.execute("DescribeTable", {"TableName": name}) == before
    assert reference("CreateTable", table)[0] == ""
    assert same_fault(change.local, *reference("UpdateTable", request)), (table, request)
    reference("DeleteTable", {"TableName": name})
