"""Model code from sketches: it runs, it means what was sketched, and it stands as ruff would have it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.errors import ArgumentError
from tablewright.generate.model_code import (
    EntitySketch,
    FieldSketch,
    IndexKeysSketch,
    ModelSketch,
    PatternSketch,
    model_code,
    python_name,
)

ORDER = EntitySketch(
    "Order",
    (
        FieldSketch("tenant_id", "str"),
        FieldSketch("order_id", "str"),
        FieldSketch("placed_at", "datetime"),
        FieldSketch("status", 'Literal["PENDING", "SHIPPED"]', '"PENDING"', "moves it through the index"),
        FieldSketch("total", "Annotated[Decimal, Field(ge=0)]", "Decimal(0)"),
    ),
    "TENANT#{tenant_id}#{shard}",
    "ORDER#{order_id}",
    {
        "GSI1": IndexKeysSketch(("TENANT#{tenant_id}",), ("{placed_at}#{order_id}",), 'attr("status") == "PENDING"'),
        "by-time": IndexKeysSketch(("{tenant_id}", "{status}"), ("{placed_at}", "{order_id}")),
    },
    ('Unique("tenant_id", "order_id")',),
    {"shard": 'Shard("order_id", of=4)'},
    {"version": "True"},
    "What was ordered.",
    ("A tenant has many orders, so that they are spread: " + "reasons " * 20,),
)
SHOP = ModelSketch(
    "shop",
    "AppTable",
    (ORDER,),
    ('GSI("GSI1")', 'GSI("by-time", pk=("tenant_id", "status"), sk=("placed_at", "order_id"))'),
    (
        PatternSketch(
            "pending",
            {"tenant_id": "str", "since": "datetime | None = None"},
            "Query[Order]",
            'query(Order, Order.tenant_id == tenant_id).when(since, lambda t: Order.placed_at >= t).via("GSI1")',
            "What waits.",
        ),
        PatternSketch(
            "of_one_day",
            {"tenant_id": "str", "order_id": "str", "placed_at": "datetime"},
            "Get[Order]",
            "get(Order, Order.tenant_id == tenant_id, Order.placed_at == placed_at, Order.order_id == order_id, "
            'Order.status == "PENDING")',
        ),
    ),
    statements=("shop.expect(Order, items=1000)", "shop.expect(pending, rate=5)"),
    doc="A shop.",
)


def test_the_code_runs_and_means_what_was_sketched() -> None:
    space: dict[str, Any] = {}
    exec(model_code(SHOP), space)
    table = space["shop"]
    assert (table.name, list(table.entities), list(table.indexes)) == ("AppTable", ["Order"], ["GSI1", "by-time"])
    order = table.entities["Order"]
    assert (order.keys.pk, order.keys.sk) == (ORDER.pk, ORDER.sk)
    assert order.keys.indexes["GSI1"].when is not None
    assert order.__options__.version
    assert table.explain(space["pending"])[0].index == "GSI1"
    assert table.expectations.of_pattern("pending").rate == 5


def test_the_code_stands_as_ruff_would_have_it(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(model_code(SHOP))
    ruff = [sys.executable, "-m", "ruff"]
    done = subprocess.run([*ruff, "format", "--isolated", "--line-length=110", "--diff", file], capture_output=True)
    assert done.returncode == 0, done.stdout.decode()
    chosen = [*ruff, "check", "--isolated", "--line-length=110", "--select=F,E,I", file]
    done = subprocess.run(chosen, capture_output=True)
    assert done.returncode == 0, done.stdout.decode()


@given(st.text())
def test_names_are_names(text: str) -> None:
    for upper in (True, False):
        assert python_name(text, upper=upper).isidentifier()


@pytest.mark.parametrize(
    ("text", "lower", "upper"),
    [
        ("order-line", "order_line", "OrderLine"),
        ("SurveyMeta", "survey_meta", "SurveyMeta"),
        ("class", "class_", "Class"),
        ("2nd", "x_2nd", "X2nd"),
        ("#", "x_", "X"),
    ],
)
def test_names_are_what_one_would_write(text: str, lower: str, upper: str) -> None:
    assert (python_name(text), python_name(text, upper=True)) == (lower, upper)


def test_a_sketch_that_makes_no_python_is_refused() -> None:
    with pytest.raises(ArgumentError, match="makes no Python"):
        model_code(ModelSketch("shop", "AppTable", (EntitySketch("Order", (FieldSketch("a b", "str"),), "X"),)))


def test_long_reads_stand_on_several_lines() -> None:
    reads = [f"query(Order, Order.tenant_id == tenant_id, Order.status == {status!r})" for status in ("a", "b")]
    mixed = PatternSketch("both", {"tenant_id": "str"}, "Mixed[Order]", " | ".join(reads))
    code = model_code(ModelSketch("shop", "AppTable", (ORDER,), patterns=(mixed,)))
    assert f"    return (\n        {reads[0]}\n        | {reads[1]}\n    )\n" in code
