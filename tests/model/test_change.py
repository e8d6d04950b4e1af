"""Changes are read once with a draft; the same bodies run as plain Python on real entities."""

from decimal import Decimal
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from tablewright import Entity, Keys, Table, all_of, contains, exists, require, size
from tablewright.errors import (
    ArgumentError,
    ChangeError,
    ConditionalCheckError,
    UnknownFieldError,
)
from tablewright.model.change import Append, Assign, Discard, Include, Increment, Remove
from tablewright.model.change import Change as ChangeOf

table = Table("Changes")


class Address(BaseModel):
    city: str
    zip: str = ""
    path: list[str] = Field(default_factory=list)


class Order(Entity, table=table):
    keys = Keys("C#{customer}", "O#{order_id}")
    customer: str
    order_id: str
    status: Literal["NEW", "SENT"] = "NEW"
    count: int = 0
    total: Decimal = Decimal(0)
    tracking: str | None = None
    address: Address = Address(city="x")
    lines: list[str] = Field(default_factory=list)
    tags: set[str] = Field(default_factory=set)
    notes: list[str] | None = None
    more: dict[str, int] = Field(default_factory=dict)


def actions_of(function: Any, **arguments: Any) -> list[Any]:
    return list(ChangeOf(function).plan(**arguments).actions)


def test_everything_a_body_may_do() -> None:
    def everything(o: Order, tracking: str, line: str, lines: list[str], step: int, tag: str) -> None:
        o.status = "SENT"
        o.tracking = tracking
        o.count += step
        o.total = o.total - Decimal(3)
        o.address.city = "y"
        o.address.path.append(line)
        o.more["k"] = 1
        o.lines += lines
        o.tags.add(tag)
        o.notes = ["a", line]

    given = {"tracking": "T", "line": "l", "lines": ["m"], "step": 2, "tag": "t"}
    assert actions_of(everything, **given) == [
        Assign(("status",), "SENT"),
        Assign(("tracking",), "T"),
        Increment(("count",), 2),
        Increment(("total",), Decimal(-3)),
        Assign(("address", "city"), "y"),
        Append(("address", "path"), ["l"]),
        Assign(("more", "k"), 1),
        Append(("lines",), ["m"]),
        Include(("tags",), ["t"]),
        Assign(("notes",), ["a", "l"]),
    ]


def test_more_ways_to_change_collections() -> None:
    def collections(o: Order, line: str) -> None:
        o.lines.extend(["a", line])
        o.tags.discard(line)

    assert actions_of(collections, line="l") == [Append(("lines",), ["a", "l"]), Discard(("tags",), ["l"])]

    def update(o: Order, tags: set[str]) -> None:
        o.tags.update(tags)
        o.count = 1 + o.count

    assert actions_of(update, tags={"x"}) == [Include(("tags",), {"x"}), Increment(("count",), 1)]


def test_an_action_without_a_value_stays_as_it_is() -> None:
    plan = ChangeOf(_ship).variants[("given",)]
    assert type(plan)((Remove(("tracking",)),), ()).bound({}).actions == (Remove(("tracking",)),)


def _ship(o: Order, tracking: str) -> None:
    require(o.status == "NEW")
    require(all_of(size(o.lines) > 0, exists(o.address), contains(o.tags, tracking)))
    o.status, o.tracking = "SENT", tracking


def test_requirements_are_conditions_on_the_stored_item() -> None:
    change = ChangeOf(_ship)
    plan = change.plan("T1")
    assert [leaf.path for c in plan.conditions for leaf in c.leaves()] == [
        ("status",),
        ("lines",),
        ("address",),
        ("tags",),
    ]
    assert repr(change) == "<change _ship(Order, tracking)>"


def test_the_same_body_runs_on_a_real_entity() -> None:
    change = ChangeOf(_ship)
    order = Order(customer="c", order_id="o", lines=["l"], tags={"T1"})
    change(order, "T1")
    assert (order.status, order.tracking) == ("SENT", "T1")
    with pytest.raises(ConditionalCheckError, match=r"test_change.py:\d+: a requirement of the change does not hold"):
        change(order, "T1")


def test_optional_and_boolean_parameters_make_variants() -> None:
    def note(o: Order, tracking: str | None = None, *, reset: bool = False) -> None:
        o.tracking = tracking
        if reset:
            o.count = 0

    assert actions_of(note) == [Assign(("tracking",), None)]
    assert actions_of(note, tracking="t", reset=True) == [Assign(("tracking",), "t"), Assign(("count",), 0)]


def refused(body: Any) -> Any:
    return body


def _twice(o: Order) -> None:
    o.count = 1
    o.count = 2


def _twice_then_none(o: Order) -> None:
    o.tracking = "x"
    o.tracking = None


def _part_of_changed(o: Order) -> None:
    o.address = Address(city="z")
    o.address.zip = "1"


def _appended_twice(o: Order) -> None:
    o.lines.append("a")
    o.lines.append("b")


def _read_late(o: Order) -> None:
    o.count = 1
    require(o.count == 0)


def _compared_late(o: Order) -> None:
    o.address.city = "z"
    require(o.address == Address(city="x"))


def _other_sum(o: Order) -> None:
    o.count = o.total + 1  # type: ignore[assignment]


def _other_field(o: Order) -> None:
    o.tracking = o.status


def _no_number(o: Order) -> None:
    o.status = o.status + "x"  # type: ignore[assignment]


def _minus_parameter(o: Order, n: int) -> None:
    o.count -= n


def _wrong_type(o: Order, n: int) -> None:
    o.tracking = n  # type: ignore[assignment]


def _wrong_amount(o: Order, n: str) -> None:
    o.count += n  # type: ignore[operator]


def _returns(o: Order) -> None:
    o.count = 1
    return o  # type: ignore[return-value]


def _nothing(o: Order) -> None:
    require(o.status == "NEW")


def _unannotated(n: int) -> None: ...


def _nobody() -> None: ...


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (_twice, "'count' is changed twice"),
        (_twice_then_none, "'tracking' is changed twice"),
        (_part_of_changed, "'address' is read after it was changed"),
        (_appended_twice, "'lines' is read after it was changed"),
        (_read_late, "'count' is read after it was changed"),
        (_compared_late, "'address' is read after it was changed"),
        (_other_sum, "'count' is set to a sum with 'total'"),
        (_other_field, "'tracking' is set to another field"),
        (_no_number, "Order.status is Literal.* and cannot be added to"),
        (_minus_parameter, "subtracting a parameter is not supported"),
        (_wrong_type, r"Order.tracking is str \| None, but the parameter 'n' is int"),
        (_wrong_amount, "Order.count is int, but the parameter 'n' is str"),
        (_returns, r"The change _returns\(\) returns something"),
        (_nothing, r"The change _nothing\(\) changes nothing"),
        (_unannotated, r"The first parameter of _unannotated\(\) must be annotated with an entity"),
        (_nobody, r"The first parameter of _nobody\(\) must be annotated with an entity"),
    ],
)
def test_bodies_that_cannot_be_planned(body: Any, message: str) -> None:
    with pytest.raises(ChangeError, match=message):
        ChangeOf(body)


def test_what_cannot_be_added_to_can_be_made_of_the_old_value() -> None:
    with pytest.raises(ChangeError) as refused:
        ChangeOf(_no_number)
    assert "db.revise() or db.edit()" in str(refused.value.hint)


def test_two_parts_of_one_field_may_be_set() -> None:
    def move(o: Order) -> None:
        o.address.city = "y"
        o.address.zip = "2"

    assert actions_of(move) == [Assign(("address", "city"), "y"), Assign(("address", "zip"), "2")]


def test_unknown_fields_and_branches_are_refused() -> None:
    def unknown(o: Order) -> None:
        o.trackign = "x"  # type: ignore[attr-defined]

    def branch(o: Order) -> None:
        if o.status == "NEW":
            o.count = 1

    def text(o: Order) -> None:
        o.tracking = f"{o.status}!"

    def constant(o: Order) -> None:
        require(True)
        o.count = 1

    with pytest.raises(UnknownFieldError, match=r"Order has no field 'trackign'\. Did you mean 'tracking'"):
        ChangeOf(unknown)
    with pytest.raises(ChangeError, match=r"test_change.py:\d+: a condition on a field is used as True or False"):
        ChangeOf(branch)
    with pytest.raises(ChangeError, match=r"test_change.py:\d+: Order.status is used as text"):
        ChangeOf(text)
    with pytest.raises(ArgumentError, match=r"require\(\) was given bool, not a condition"):
        ChangeOf(constant)


def test_conditions_on_a_class_belong_into_a_change() -> None:
    with pytest.raises(ChangeError, match=r"require\(\) with a condition on a class belongs into a change"):
        require(Order.status == "NEW")
