"""What the placeholders of a request may take together: 2 MB of names, of values, and of both."""

from __future__ import annotations

from typing import Any

import pytest

MOST = 2 * 1024 * 1024
KEY = {"pk": {"S": "a"}, "sk": {"N": "1"}}


def names(size: int) -> dict[str, str]:
    """Placeholders #a00, #a01 and so on whose sizes with their names add up to a size."""
    found: dict[str, str] = {}
    while size:
        part = min(size, 60_000)
        placeholder = f"#a{len(found):02}"
        found[placeholder] = f"{len(found):02}".ljust(part - len(placeholder), "x")
        size -= part
    return found


def having(placeholders: dict[str, str], *more: str) -> dict[str, Any]:
    terms = [*(f"attribute_exists({name})" for name in placeholders), *more]
    return {"FilterExpression": " OR ".join(terms), "ExpressionAttributeNames": placeholders}


def test_values_may_take_two_megabytes(table: Any) -> None:
    one = {"FilterExpression": "v = :v", "ExpressionAttributeValues": {":v": {"S": "x" * (MOST - 2)}}}
    assert table("Scan", **one)["Count"] == 0
    one["ExpressionAttributeValues"] = {":v": {"S": "é" * (MOST // 2)}}
    refused = ("ValidationException", "ExpressionAttributeValues exceeds max size")
    assert table.refused("Scan", **one) == refused
    many = {f":v{n:02}": {"L": [{"S": "x" * 30_000}]} for n in range(70)}
    several = {"FilterExpression": f"v IN ({', '.join(many)})", "ExpressionAttributeValues": many}
    assert table.refused("Scan", **several) == refused


def test_names_may_take_two_megabytes(table: Any) -> None:
    assert table("Scan", **having(names(MOST)))["Count"] == 0
    assert table.refused("Scan", **having(names(MOST + 10))) == (
        "ValidationException",
        "ExpressionAttributeNames exceeds max size",
    )


@pytest.mark.parametrize("few", [14, 20])
def test_both_together_may_take_two_megabytes(table: Any, few: int) -> None:
    some = names(60_000 * few)
    left = MOST - 60_000 * few - 2
    fits = {**having(some, "v = :v"), "ExpressionAttributeValues": {":v": {"S": "x" * left}}}
    assert table("Scan", **fits)["Count"] == 0
    fits["ExpressionAttributeValues"] = {":v": {"S": "x" * (left + 1)}}
    assert table.refused("Scan", **fits) == (
        "ValidationException",
        "Combined size of ExpressionAttributeNames and ExpressionAttributeValues exceeds max size",
    )


def test_a_single_write_counts_its_faults(table: Any) -> None:
    values = {":v": {"S": "x" * MOST}}
    update = {"Key": KEY, "UpdateExpression": "SET v = :v", "ExpressionAttributeValues": values}
    assert table.refused("UpdateItem", **update) == (
        "ValidationException",
        "1 validation error detected: ExpressionAttributeValues exceeds max size",
    )
