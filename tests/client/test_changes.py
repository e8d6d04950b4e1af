"""Changes of fields: nested paths, numbers within their bounds, lists and sets, as one update without a read."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from tablewright import Entity, Keys, Table, key
from tablewright.client.writes.paths import parse_path
from tablewright.errors import (
    ArgumentError,
    ConditionalCheckError,
    EmptySetError,
    FieldTypeError,
    ImmutableFieldError,
    NumberError,
    TablewrightError,
    UnknownFieldError,
)
from tests.client.conftest import Laboratory
from tests.client.lab import Address, Answer, Invoice, Line, Survey, Ticket

ONE = key(Invoice, invoice_id="1")
TICKET = key(Ticket, tenant_id="t", ticket_id="1")
SURVEY = key(Survey, tenant_id="t", survey_id="1")


@pytest.fixture(autouse=True)
def stored(laboratory: Laboratory) -> None:
    """One of each."""
    lines = [Line(product="a", quantity=1), Line(product="b", quantity=99)]
    laboratory.other.create(Invoice(invoice_id="1", lines=lines, address=Address(city="Bonn"), total=Decimal("5.00")))
    laboratory.other.create(Ticket(tenant_id="t", ticket_id="1", rank=9990, notes=["n"] * 18))
    laboratory.other.create(Survey(tenant_id="t", survey_id="1"))
    laboratory.wire.restart()


def invoice(laboratory: Laboratory) -> Invoice:
    found = laboratory.other.get(ONE, consistent=True)
    assert found is not None
    return found


def fails(laboratory: Laboratory, error: type[TablewrightError], target: Any = ONE, **change: Any) -> TablewrightError:
    """The change fails, alone and in a transaction, and nothing is changed."""
    before = laboratory.items()
    with pytest.raises(error) as caught:
        laboratory.db.update(target, **change)
    assert type(caught.value) is error
    with pytest.raises(error), laboratory.db.transaction() as tx:
        tx.update(target, **change)
    assert laboratory.items() == before
    return caught.value


# ------------------------------------------------------------------------------------------------------- paths


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("status", ("status",)),
        ("address.city", ("address", "city")),
        ("lines[0].quantity", ("lines", 0, "quantity")),
        ("a[1][2].b", ("a", 1, 2, "b")),
    ],
)
def test_paths_are_read(text: str, path: tuple[Any, ...]) -> None:
    assert parse_path(text) == path


@pytest.mark.parametrize("text", ["", ".", "a.", ".a", "a[", "a[x]", "a[0", "[0]", "a]b", 5, None, "a[0]b"])
def test_what_is_no_path_is_refused(text: Any) -> None:
    with pytest.raises(ArgumentError):
        parse_path(text)


def test_one_nested_field_leaves_its_siblings(laboratory: Laboratory) -> None:
    laboratory.db.update(ONE, set={"address.street": "Main", "lines[1].product": "c", "extra.k": 5})
    assert laboratory.wire.operations == ["UpdateItem"]
    found = invoice(laboratory)
    assert found.address == Address(city="Bonn", street="Main")
    assert [line.product for line in found.lines] == ["a", "c"]
    assert found.extra == {"k": 5}
    laboratory.db.update(ONE, remove=["address.street", "lines[0]", "extra.k"], add={"lines[1].quantity": 1})
    found = invoice(laboratory)
    assert found.address == Address(city="Bonn")
    assert [(line.product, line.quantity) for line in found.lines] == [("c", 100)]
    assert found.extra == {}


def test_a_missing_parent_is_named(laboratory: Laboratory) -> None:
    laboratory.other.update(ONE, set={"address": None, "lines": []})
    error = fails(laboratory, ArgumentError, set={"address.city": "Ulm"})
    assert "Invoice.address.city" in str(error)
    assert error.field == "address.city"  # type: ignore[attr-defined]
    for change in (
        {"remove": ["address.street"]},
        {"set": {"lines[0].product": "x"}},
        {"add": {"lines[3].quantity": 1}},
        {"set": {"lines[0]": {"product": "x", "quantity": 1}}},
    ):
        fails(laboratory, ArgumentError, **change)
    laboratory.db.update(ONE, remove=["lines[4]"])


def test_a_parent_of_another_type_is_no_parent(laboratory: Laboratory) -> None:
    laboratory.overwrite("INVOICE#1", "INVOICE#1", "address", {"NULL": True})
    fails(laboratory, ArgumentError, set={"address.city": "Ulm"})


def test_a_missing_parent_in_a_nested_entity_is_named_too(laboratory: Laboratory) -> None:
    error = fails(laboratory, ArgumentError, SURVEY, set={"answer.text": "x"})
    assert "Survey.answer.text" in str(error)
    laboratory.db.update(SURVEY, set={"answer": Answer(text="a")})
    laboratory.db.update(SURVEY, set={"answer.text": "b"}, add={"answer.weight": 2}, include={"answer.hints": ["h"]})
    found = laboratory.db.get(SURVEY)
    assert found is not None
    assert found.answer == Answer(text="b", weight=3, hints={"h"})
    fails(laboratory, ConditionalCheckError, SURVEY, add={"answer.weight": -4})


@pytest.mark.parametrize(
    "change",
    [
        {"set": {"adress": None}},
        {"set": {"address.town": "x"}},
        {"set": {"body.x": "x"}},
        {"set": {"lines.x": "x"}},
        {"set": {"address[0]": "x"}},
        {"remove": ["total.x"]},
        {"add": {"lines[0].count": 1}},
        {"append": {"list": [1]}},
    ],
    ids=str,
)
def test_unknown_fields_are_refused(laboratory: Laboratory, change: dict[str, Any]) -> None:
    fails(laboratory, UnknownFieldError, **change)
    assert laboratory.wire.sent == []


def test_what_is_required_cannot_be_removed(laboratory: Laboratory) -> None:
    for path in ("address.city", "lines[0].product"):
        error = fails(laboratory, ArgumentError, remove=[path])
        assert path in str(error)
    fails(laboratory, ImmutableFieldError, remove=["invoice_id"])
    fails(laboratory, ImmutableFieldError, set={"invoice_id": "2"})
    assert laboratory.wire.sent == []


def test_changes_of_one_place_are_refused(laboratory: Laboratory) -> None:
    for change in (
        {"set": {"address": None, "address.city": "x"}},
        {"set": {"total": 1}, "add": {"total": 1}},
        {"append": {"lines": []}, "remove": ["lines"]},
    ):
        fails(laboratory, ArgumentError, **change)
    assert laboratory.wire.sent == []


@pytest.mark.parametrize(
    "change",
    [
        {"set": ["total"]},
        {"set": "total"},
        {"add": 5},
        {"remove": 5},
        {"remove": {"total": 1}},
        {"append": {"lines": 5}},
        {"append": {"lines": "ab"}},
        {"append": {"lines": {"product": "a"}}},
        {"include": {"labels": "ab"}},
        {"discard": {"labels": None}},
        {"set": {5: 1}},
    ],
    ids=str,
)
def test_changes_of_another_shape_are_refused(laboratory: Laboratory, change: dict[str, Any]) -> None:
    fails(laboratory, ArgumentError, **change)
    assert laboratory.wire.sent == []


def test_no_changes_touch_the_item(laboratory: Laboratory) -> None:
    before = laboratory.item("INVOICE#1", "INVOICE#1")
    laboratory.db.update(ONE, set={})
    after = laboratory.item("INVOICE#1", "INVOICE#1")
    assert after.pop("UpdatedAt")["S"] > before.pop("UpdatedAt")["S"]
    assert after == before


# ------------------------------------------------------------------------------------------------------ numbers


def test_numbers_stay_within_their_bounds(laboratory: Laboratory) -> None:
    laboratory.db.update(TICKET, add={"rank": 9})
    fails(laboratory, ConditionalCheckError, TICKET, add={"rank": 1})
    fails(laboratory, ConditionalCheckError, TICKET, add={"rank": -10_000})
    laboratory.db.update(ONE, add={"total": Decimal("-5.00")})
    error = fails(laboratory, ConditionalCheckError, add={"total": Decimal("-0.01")})
    assert ">= 0" in str(error)
    fails(laboratory, ConditionalCheckError, add={"total": 1_000_000})
    laboratory.db.update(ONE, add={"total": Decimal("999999.99")})


def test_nested_numbers_stay_within_their_bounds(laboratory: Laboratory) -> None:
    fails(laboratory, ConditionalCheckError, add={"lines[0].quantity": -1})
    fails(laboratory, ConditionalCheckError, add={"lines[1].quantity": 2})
    laboratory.db.update(ONE, add={"lines[0].quantity": 99, "lines[1].quantity": -98})


def test_numbers_stay_on_their_grid(laboratory: Laboratory) -> None:
    fails(laboratory, FieldTypeError, add={"total": Decimal("0.001")})
    fails(laboratory, FieldTypeError, add={"lines[0].price": Decimal("0.005")})
    laboratory.db.update(ONE, add={"total": Decimal("0.010")})
    assert laboratory.wire.operations == ["UpdateItem"]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"body": 1}, FieldTypeError),
        ({"lines": 1}, FieldTypeError),
        ({"total": "1"}, FieldTypeError),
        ({"total": 0.5}, FieldTypeError),
        ({"total": True}, FieldTypeError),
        ({"total": None}, FieldTypeError),
        ({"lines[0].quantity": Decimal("1.5")}, FieldTypeError),
        ({"share": float("nan")}, NumberError),
        ({"share": float("inf")}, NumberError),
        ({"share": Decimal("NaN")}, NumberError),
        ({"share": Decimal("1." + "1" * 40)}, NumberError),
        ({"share": 10**130}, NumberError),
    ],
    ids=str,
)
def test_only_fitting_numbers_are_added(
    laboratory: Laboratory, change: dict[str, Any], error: type[TablewrightError]
) -> None:
    fails(laboratory, error, add=change)
    assert laboratory.wire.sent == []


def test_an_absent_number_starts_at_its_default() -> None:
    table = Table("Counts")

    class Count(Entity, table=table):
        keys = Keys("COUNT#{number}", "COUNT#{number}")
        number: str
        plain: int = 0
        from_ten: int = Field(default=10, le=12)
        maybe: int | None = Field(default=None, ge=0)
        steps: Annotated[int, Field(multiple_of=5)] = 0
        big: Decimal = Decimal(0)

    with table.open("memory:") as db:
        db.create(Count(number="1"))
        one = key(Count, number="1")
        item = {n: {"S": "COUNT#1"} for n in ("PK", "SK")}
        for name in ("plain", "from_ten", "maybe", "steps", "big"):
            db.send("UpdateItem", {"TableName": "Counts", "Key": item, "UpdateExpression": f"REMOVE {name}"})
        changed = db.update(one, add={"plain": -3, "from_ten": 1, "maybe": 4, "steps": 5, "big": Decimal("1E+37")})
        assert (changed.plain, changed.from_ten, changed.maybe, changed.steps) == (-3, 11, 4, 5)
        assert db.update(one, add={"big": 1}).big == Decimal(10**37 + 1)
        for change in ({"from_ten": 2}, {"maybe": -5}):
            with pytest.raises(ConditionalCheckError):
                db.update(one, add=change)
        with pytest.raises(FieldTypeError):
            db.update(one, add={"steps": 3})
        with pytest.raises(NumberError):
            db.update(one, add={"big": Decimal("0.01")})


# -------------------------------------------------------------------------------------------------- collections


def test_lists_grow_up_to_their_maximum(laboratory: Laboratory) -> None:
    laboratory.db.update(TICKET, append={"notes": ["x"]})
    fails(laboratory, ConditionalCheckError, TICKET, append={"notes": ["x", "y"]})
    laboratory.db.update(TICKET, append={"notes": ["x"]})
    error = fails(laboratory, ConditionalCheckError, TICKET, append={"notes": ["x"]})
    assert "at most 20 long" in str(error)
    fails(laboratory, ConditionalCheckError, TICKET, append={"notes": ["x"] * 21})
    laboratory.db.update(TICKET, append={"notes": []})


def test_members_are_checked(laboratory: Laboratory) -> None:
    laboratory.db.update(ONE, append={"lines": [{"product": "d", "quantity": 2}, Line(product="e", quantity=3)]})
    assert [line.product for line in invoice(laboratory).lines] == ["a", "b", "d", "e"]
    laboratory.wire.restart()
    fails(laboratory, FieldTypeError, append={"lines": [{"product": "d", "quantity": 0}]})
    fails(laboratory, FieldTypeError, append={"labels": ["x"]})
    fails(laboratory, FieldTypeError, include={"lines": ["x"]})
    fails(laboratory, FieldTypeError, include={"labels": [5]})
    fails(laboratory, EmptySetError, include={"labels": []})
    fails(laboratory, EmptySetError, discard={"labels": []})
    assert laboratory.wire.sent == []


def test_a_set_that_may_be_empty_can_lose_its_last_member(laboratory: Laboratory) -> None:
    laboratory.db.update(TICKET, include={"tags": ["a", "b"]})
    laboratory.db.update(TICKET, discard={"tags": ["a", "b", "c"]})
    assert "tags" not in laboratory.item("TENANT#t", "TICKET#1")
    assert laboratory.db.update(TICKET, discard={"tags": ["a"]}).tags == set()


def test_a_set_that_may_not_be_empty_keeps_its_last_member(laboratory: Laboratory) -> None:
    laboratory.db.update(ONE, include={"labels": ["sent"]})
    assert laboratory.db.update(ONE, discard={"labels": ["draft"]}).labels == {"sent"}
    error = fails(laboratory, EmptySetError, discard={"labels": ["sent", "other"]})
    assert "labels" in str(error)
    laboratory.other.update(ONE, include={"labels": ["paid"]})
    laboratory.wire.restart()
    laboratory.wire.before[1] = lambda: laboratory.other.update(ONE, discard={"labels": ["paid"]})
    with pytest.raises(EmptySetError):
        laboratory.db.update(ONE, discard={"labels": ["sent"]})
    assert invoice(laboratory).labels == {"sent"}
    fails(laboratory, EmptySetError, set={"labels": set()})


def test_an_absent_list_starts_at_its_default() -> None:
    table = Table("Lists")

    class Inner(BaseModel):
        tags: set[str]

    class Thing(Entity, table=table):
        keys = Keys("THING#{number}", "THING#{number}")
        number: str
        words: list[str] = Field(default_factory=lambda: ["start"], max_length=2)
        inner: Inner | None = None

    with table.open("memory:") as db:
        db.create(Thing(number="1", inner=Inner(tags={"a", "b"})))
        item = {n: {"S": "THING#1"} for n in ("PK", "SK")}
        db.send("UpdateItem", {"TableName": "Lists", "Key": item, "UpdateExpression": "REMOVE words"})
        one = key(Thing, number="1")
        with pytest.raises(ConditionalCheckError):
            db.update(one, append={"words": ["x", "y"]})
        assert db.update(one, append={"words": ["x"]}).words == ["start", "x"]
        db.update(one, discard={"inner.tags": ["a"]})
        with pytest.raises(EmptySetError):
            db.update(one, discard={"inner.tags": ["b"]})


def test_what_is_no_number_can_be_made_of_the_old_value(laboratory: Laboratory) -> None:
    error = fails(laboratory, FieldTypeError, TICKET, add={"status": 1})
    assert "db.revise() or db.edit()" in str(error.hint)
