"""costly-writes: writes beyond the threshold, with what the indexes took of them."""

from typing import Any

import pytest

from tablewright.observe.snapshot import Traffic
from tests.observe.observations import latencies, observed, told


def puts(**more: Any) -> Traffic:
    figures: dict[str, Any] = {
        "operation": "PutItem",
        "entity": "Report",
        "requests": 100,
        "costly": 30,
        "most_units": 240.0,
        "write_units": 9_000.0,
    }
    return latencies(Traffic(**(figures | more)), [0.03] * 100)


def test_thirty_percent_are_told_with_what_an_index_took() -> None:
    (found,) = told("costly-writes", observed(puts(index_units={"GSI1": 1_000.0, "GSI2": 3_000.0, "GSI3": 0.0})))
    assert (found.severity, found.category) == ("warning", "cost")
    assert found.message == "30% of PutItem of Report took more than 100 write units, and the dearest 240."
    assert found.details == (
        "30 of 100 requests were dear; all of them took 9,000 write units, of these GSI2 3,000 and GSI1 1,000. Half of them took "
        "30 ms, and 1% more than 30 ms."
    )
    assert "Let GSI2 hold fewer attributes: it took 33% of it." in found.action
    assert found.code == 'GSI("GSI2", projection=[...])'
    assert found.impact == 1


def test_a_transaction_takes_twice_as_much() -> None:
    (found,) = told("costly-writes", observed(puts(operation="TransactWriteItems", entity=None)))
    assert found.message.startswith("30% of TransactWriteItems took")
    assert "A transaction takes twice as much" in found.action
    assert found.code is None


@pytest.mark.parametrize(
    "traffic",
    [puts(costly=9), puts(requests=3_001), puts(read_units=9_001.0), puts(costly=0), Traffic(operation="PutItem")],
    ids=["few", "less than one percent", "reads", "none", "nothing"],
)
def test_nothing_is_said_of_few_or_of_reads(traffic: Traffic) -> None:
    assert told("costly-writes", observed(traffic)) == []
