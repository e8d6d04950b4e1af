"""Programs that call boto3 have no session and no model: what they are told is in boto3's own words."""

from __future__ import annotations

import pytest

from tablewright.observe.advising import advise
from tablewright.observe.recommendation import Observed, Recommendation
from tablewright.observe.sketches.heavy import Heavy
from tablewright.observe.snapshot import Snapshot, Traffic


def advised(traffic: Traffic) -> list[Recommendation]:
    return advise(Observed(Snapshot(table="Old", spans=[(0.0, 100.0)], traffic=[traffic])))


def overwritten() -> Heavy:
    made = Heavy(32)
    made.add_all({"A B": 400})
    return made


def in_rows(operation: str, *, conditional: int = 0) -> Traffic:
    return Traffic(
        operation=operation, requests=500, bursts=5, in_bursts=400, longest_burst=90, conditional=conditional
    )


@pytest.mark.parametrize(
    ("rule", "traffic", "words"),
    [
        ("missed-batch", in_rows("GetItem"), "batch_get_item"),
        ("missed-batch", in_rows("PutItem"), "batch_writer"),
        ("missed-batch", in_rows("DeleteItem"), "batch_writer"),
        ("missed-batch", in_rows("UpdateItem"), "transact_write_items"),
        ("missed-batch", in_rows("PutItem", conditional=500), "transact_write_items"),
        ("read-before-write", Traffic(operation="PutItem", requests=500, after_read=400), "update_item"),
        (
            "unconditional-update",
            Traffic(operation="PutItem", requests=500, overwritten=overwritten()),
            "ConditionExpression",
        ),
        ("missing-pages", Traffic(operation="Query", requests=500, cut=400), "ExclusiveStartKey"),
        (
            "large-projection",
            Traffic(operation="GetItem", requests=500, returned=500, scanned=500, sized=20, size=600_000),
            "ProjectionExpression",
        ),
        ("slow-requests", Traffic(operation="Query", requests=500, slow=400), "region"),
        (
            "costly-reads",
            Traffic(operation="Query", requests=500, costly=400, read_units=9e5, consistent=500),
            "ConsistentRead",
        ),
        (
            "inefficient-scan",
            Traffic(
                operation="Scan",
                requests=50,
                filtered=50,
                filtered_scanned=90_000,
                filtered_returned=10,
                scanned=90_000,
            ),
            "update_table",
        ),
    ],
    ids=lambda value: value.operation if isinstance(value, Traffic) else value,
)
def test_words_of_boto3(rule: str, traffic: Traffic, words: str) -> None:
    (found,) = [one for one in advised(traffic) if one.rule == rule]
    text = f"{found.action} {found.code}"
    assert words in text
    assert not any(name in text for name in ("db.", "get_many", ".consistent()", "table.open", "Entity", ".only("))
