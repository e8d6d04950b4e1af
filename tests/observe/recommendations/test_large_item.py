"""large-item: one item beyond 100 KB is enough, and near 400 KB it is an error."""

from typing import Annotated

import pytest
from pydantic import Field

from tablewright import Entity, Keys, Table
from tablewright.observe.snapshot import Traffic
from tests.observe.observations import observed, told

KB = 1024

office = Table("Office")


class Report(Entity, table=office):
    keys = Keys("REPORT#{number}", "REPORT")
    number: str
    body: str
    remarks: list[str]
    tags: Annotated[list[str], Field(max_length=5)]


def test_an_item_of_120_kb_is_told_with_what_it_takes_and_what_makes_it_grow() -> None:
    put = Traffic(operation="PutItem", entity="Report", requests=50, sized=50, size=50 * 60 * KB, largest=120 * KB)
    get = Traffic(operation="GetItem", entity="Report", requests=50, largest=20 * KB)
    (found,) = told("large-item", observed(put, get, Traffic(operation="Query", requests=100), table=office))
    assert found.severity == "warning"
    assert found.message == "The largest Report has at least 120 KB; DynamoDB refuses items of more than 400 KB."
    assert found.details == (
        "Writing it takes 120 units, and as many in each index that holds it whole; reading it takes 15 units, or 30 if the read is "
        "consistent. On average of 50 items, they have 60 KB."
    )
    assert "nothing bounds remarks and body" in found.action
    assert found.code is not None
    assert found.code.startswith("body: Annotated[str, Compressed(above=1024)]")
    assert found.affected == ("PutItem of Report",)
    assert found.impact == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("largest", "severity"), [(100 * KB + 1, "warning"), (350 * KB, "warning"), (350 * KB + 1, "error")]
)
def test_near_the_limit_it_is_an_error(largest: int, severity: str) -> None:
    (found,) = told(
        "large-item", observed(Traffic(operation="PutItem", requests=1, sized=1, size=largest, largest=largest))
    )
    assert (found.severity, found.subject) == (severity, "items")


def test_nothing_is_said_of_smaller_items_or_of_none() -> None:
    assert told("large-item", observed(Traffic(operation="PutItem", requests=9, largest=100 * KB))) == []
    assert told("large-item", observed(Traffic(operation="DeleteItem", requests=9))) == []
    assert told("large-item", observed()) == []


def test_programs_without_a_model_are_told_in_their_own_words() -> None:
    (found,) = told("large-item", observed(Traffic(operation="PutItem", requests=1, largest=150_020)))
    assert found.message == "The largest item has at least 146 KB; DynamoDB refuses items of more than 400 KB."
    assert found.action.endswith("Or keep the large attribute compressed, or in S3 with its name in the item.")
    assert found.code is not None
    assert found.code.startswith("item[name] = gzip.compress(item[name].encode())  # name: the large attribute")


@pytest.mark.parametrize("table", [None, office])
def test_no_field_is_made_up(table: Table | None) -> None:
    put = Traffic(operation="PutItem", entity="Photo", requests=1, largest=150_020)
    (found,) = told("large-item", observed(put, table=table))
    assert found.code is None
    assert "(Compressed)" in found.action
