"""Which change is told as the smallest, and in whose words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Literal

import pytest

from tablewright import GSI, Collection, Entity, Keys, Mixed, Query, Table, collect, many, one, query
from tablewright.compiler.proofs import PatternProof, prove
from tablewright.model.inspection import inspecting

Status = Literal["a", "b"]


def proof_of(table: Table, body: Any) -> PatternProof:
    """What is proved of one more pattern."""
    with inspecting() as found:
        table.pattern(body)
    return prove(table, found.refused).of(body.__name__)


def orders(*indexes: GSI, **keys: Any) -> tuple[Table, Any]:
    table = Table("Orders", indexes=[GSI("GSI1"), *indexes])

    made = Keys("T#{tenant}", "O#{number}", GSI1=("T#{tenant}#S#{status}", "{at}#{number}"), indexes=keys)

    class Purchase(Entity, table=table):
        keys = made
        tenant: str
        number: str
        status: Status = "a"
        at: datetime
        customer: str = ""
        total: Decimal = Decimal(0)
        quantity: int = 0

    return table, Purchase


def test_of_two_ranges_the_one_that_no_key_takes_is_moved() -> None:
    table, order = orders()

    def two(tenant: str, status: Status, since: datetime, least: int) -> Any:
        return query(order, order.tenant == tenant, order.status == status, order.at > since, order.quantity > least)

    two.__annotations__["return"] = Query[order]
    proof = proof_of(table, two)
    assert [r.kind for r in proof.reasons] == ["unused-condition", "two-ranges"]
    assert "beside the range on at" in proof.reasons[1].text
    (edit,) = proof.edits
    assert edit.text.startswith("move the condition on quantity into .filter(...): GSI1 then serves the rest")


@pytest.mark.parametrize(("most", "moved"), [(3, "status"), (5000, "quantity")], ids=["few", "many"])
def test_what_reads_least_is_moved(most: int, moved: str) -> None:
    """Either condition could be moved; what is expected of the items says where fewer are read."""
    table, order = orders(GSI("GSI2"), GSI2=("T#{tenant}#Q#{quantity}", "O#{number}"))
    table.expect(order, items=10_000, per={("tenant", "status"): 1000, ("tenant", "quantity"): most})

    def both(tenant: str, status: Status, quantity: int) -> Any:
        return query(order, order.tenant == tenant, order.status == status, order.quantity == quantity)

    both.__annotations__["return"] = Query[order]
    edits = {edit.kind: edit.text for edit in proof_of(table, both).edits}
    assert f"move the condition on {moved} into" in edits["filter"]


def test_proposed_keys_have_the_words_of_the_model() -> None:
    table, order = orders()

    def bought(tenant: str, customer: str) -> Any:
        return query(order, order.tenant == tenant, order.customer == customer)

    bought.__annotations__["return"] = Query[order]
    edit = proof_of(table, bought).edits[0]
    assert edit.code[-1] == 'GSI2=("T#{tenant}#CUSTOMER#{customer}", "PURCHASE#{number}"),'


def test_an_index_that_holds_the_rest_serves_whole_items() -> None:
    """What stands in the keys of an index need not be projected; a change names what is missing, and no more."""
    table = Table(
        "Narrow",
        indexes=[GSI("GSI1", projection=["quantity", "CreatedAt", "UpdatedAt"]), GSI("GSI2", projection="KEYS_ONLY")],
    )

    class Order(Entity, table=table):
        keys = Keys("T#{tenant}", "O#{number}", GSI1=("C#{customer}", "{at}#{number}"), GSI2=("Q#{quantity}", "{at}"))
        tenant: str
        number: str
        customer: str
        at: datetime
        quantity: int

    @table.pattern
    def bought(customer: str) -> Query[Order]:
        return query(Order, Order.customer == customer)

    first = Order(tenant="t#1", number="n", customer="c", at=datetime(2026, 1, 2, 3, tzinfo=UTC), quantity=2)
    with table.open("memory:") as db:
        db.create(first)
        assert list(db.run(bought, "c")) == [first]

    def large(quantity: int) -> Query[Order]:
        return query(Order, Order.quantity == quantity)

    large.__annotations__["return"] = Query[Order]
    proof = proof_of(table, large)
    assert proof.reasons[-1].fields == ("CreatedAt", "UpdatedAt", "customer")
    assert proof.edits[0].code == ('GSI("GSI2", projection=["CreatedAt", "UpdatedAt", "customer"])',)


@dataclass
class Household:
    home: Any
    guests: list[Any]


@pytest.mark.parametrize("mixed", [True, False], ids=["joined", "collected"])
@pytest.mark.parametrize(
    ("held", "wider"),
    [
        ((), '"ALL"'),
        (("CreatedAt", "UpdatedAt", "Type"), '["CreatedAt", "UpdatedAt", "Type", "floor"]'),
        (("CreatedAt", "UpdatedAt", "floor"), '["CreatedAt", "UpdatedAt", "floor", "Type"]'),
    ],
    ids=["keys only", "a field", "the type"],
)
def test_what_is_read_together_gets_a_wider_projection_before_an_index(
    held: tuple[str, ...], wider: str, mixed: bool
) -> None:
    def made(projection: Any) -> tuple[Table, Any]:
        table = Table("Homes", indexes=[GSI("GSI1", projection=projection)])

        class Home(Entity, table=table):
            keys = Keys("HOME#{home}", "HOME", GSI1=("STREET#{street}", "HOME#{home}"))
            home: str
            street: str
            floor: int = 0

        class Guest(Entity, table=table):
            keys = Keys("GUEST#{guest}", "GUEST", GSI1=("STREET#{street}", "GUEST#{guest}"))
            guest: str
            street: str
            floor: int = 0

        def in_street(street: str) -> Any:
            homes, guests = query(Home, Home.street == street), query(Guest, Guest.street == street)
            return homes | guests if mixed else collect(Household, home=one(homes), guests=many(guests))

        in_street.__annotations__["return"] = Mixed[Home | Guest] if mixed else Collection[Household]
        return table, in_street

    proof = proof_of(*made(list(held) or "KEYS_ONLY"))
    assert proof.edits[0].code == (f'GSI("GSI1", projection={wider})',)
    assert "projection" not in [edit.kind for edit in proof.edits[1:]]
    assert proof_of(*made(eval(wider))).served
    if "floor" not in held:
        example = next(r.counterexample for r in proof.reasons if r.kind == "projection")
        assert example is not None
        assert [item.entity for item in example.items] == ["Home"]
        assert "floor" in example.text
