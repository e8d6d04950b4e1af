"""What would be otherwise: equal to the estimate of a model that is so, with the patterns that the compiler would refuse."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from pydantic import BaseModel

from tablewright import (
    GSI,
    LSI,
    Deployment,
    Entity,
    Get,
    Keys,
    Provisioned,
    Query,
    Shard,
    Table,
    attr,
    get,
    query,
    sparse,
)
from tablewright.cost.beside import Beside
from tablewright.cost.estimating import Estimate, estimate
from tablewright.cost.prices import load_prices
from tablewright.cost.what_if.asking import FORMS, asked
from tablewright.cost.what_if.comparing import WhatIf, shown_what_if, what_if
from tablewright.errors import ArgumentError, PatternError
from tablewright.lint.design import Design
from tablewright.observe.hotkeys import spread

STATUS = ("STATUS#{status}", "{order}")


class Number(BaseModel):
    order: str


class Shop:
    """Orders of customers, by status on an index and by their number on another. What is asked is built in here as well."""

    def __init__(
        self,
        *,
        status: Any = STATUS,
        projection: Any = "ALL",
        by_number: bool = True,
        shards: int | None = None,
        spread: int | None = None,
        local: bool = False,
        days: float | None = None,
        more: Any = None,
        deployment: Deployment | None = None,
    ) -> None:
        indexes: list[GSI | LSI] = [*([GSI("GSI1", projection=projection)] if status else [])]
        indexes += [*([GSI("GSI2")] if by_number else []), *([GSI("GSI3", projection=["total"])] if more else [])]
        indexes += [LSI("LSI1", projection="KEYS_ONLY")] if local else []
        self.table = table = Table("Shop", indexes=indexes, deployment=deployment)
        given = {name: keys for name, keys in (("GSI1", status), ("GSI3", more)) if keys}
        given |= {"GSI2": ("ORDER#{order}", "ORDER")} if by_number else {}
        given |= {"LSI1": "TOTAL#{total:6}"} if local else {}
        over = shards or spread
        derive = None if over is None else {"shard": Shard("order", of=over)}

        class Order(Entity, table=table):
            keys = Keys(
                "CUSTOMER#{customer}#{shard}" if spread else "CUSTOMER#{customer}",
                "ORDER#{order}",
                indexes=given,
                derive=derive,
            )
            customer: str
            order: str
            status: str = "open"
            total: int = 0
            notes: str = ""

        def orders_of(customer: str) -> Query[Order]:
            return query(Order, Order.customer == customer)

        def order(order: str) -> Get[Order]:
            return get(Order, Order.order == order)

        def by_status(status: str) -> Query[Order]:
            return query(Order, Order.status == status)

        def numbers_by_status(status: str) -> Query[Number]:
            return query(Order, Order.status == status).only(Number)

        def close(order: Order) -> None:
            order.status = "closed"

        table.change(close)
        table.expect(Order, items=1_000_000, size=2_500, writes=20, per={"customer": 40})
        self.refused: dict[str, PatternError] = {}
        functions: list[Any] = [orders_of, order, by_status, numbers_by_status]
        for function, rate, results in zip(functions, (50, 30, 2, 3), (10, 1, 50, 50), strict=True):
            try:
                declared = table.pattern(function)
            except PatternError as error:
                self.refused[function.__name__] = error
            else:
                table.expect(declared, rate=rate, results=results)
        if days is not None:
            table.expect(Order, items=round(20 * days * 86_400))
        self.Order = Order


def same(answer: WhatIf, found: Estimate, mode: str = "on-demand") -> None:
    assert answer.after.reads == pytest.approx(sum(found.reads.values()))
    assert answer.after.writes == pytest.approx(sum(found.writes.values()))
    assert answer.after.stored == found.stored
    assert answer.after.bill == found.bill(mode)


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("drop GSI1", {"status": None}),
        ("drop GSI2", {"by_number": False}),
        ("GSI1: keys-only", {"projection": "KEYS_ONLY"}),
        ("GSI1: include total status", {"projection": ["total", "status"]}),
        ("GSI1: include total,status", {"projection": ["total", "status"]}),
        ("GSI1: all", {}),
        ("GSI1: shards Order 10", {"status": ("STATUS#{status}#{shard}", "{order}"), "shards": 10}),
        ("GSI1: shards 10", {"status": ("STATUS#{status}#{shard}", "{order}"), "shards": 10}),
        ("shards Order 8", {"spread": 8}),
        ("add GSI3 Order TOTAL#{total} {order} include total", {"more": ("TOTAL#{total}", "{order}")}),
        ("ttl Order 12h", {"days": 0.25}),  # a month sees half of the peak
        ("ttl Order 100w", {}),
        ("drop GSI2; GSI1: keys-only", {"by_number": False, "projection": "KEYS_ONLY"}),
        ("GSI1: keys-only; drop GSI2; ttl Order 12h", {"by_number": False, "projection": "KEYS_ONLY", "days": 0.25}),
        (
            "GSI1: shards 10; shards Order 10; drop GSI2",
            {"status": ("STATUS#{status}#{shard}", "{order}"), "shards": 10, "spread": 10, "by_number": False},
        ),
        ("add GSI3 Order TOTAL#{total} {order}; GSI3: include total", {"more": ("TOTAL#{total}", "{order}")}),
    ],
)
def test_an_answer_is_the_estimate_of_a_model_that_is_so(question: str, other: dict[str, Any]) -> None:
    now, then = Shop(), Shop(**other)
    (answer,) = what_if(now.table, question, share=0.5, beside=Beside(backups=2))
    same(answer, estimate(then.table, share=0.5, beside=Beside(backups=2)))
    assert {unserved.pattern for unserved in answer.unserved} == set(then.refused)
    before = estimate(now.table, share=0.5, beside=Beside(backups=2))
    assert answer.before.bill == before.bill()
    assert answer.month == pytest.approx(answer.after.bill.total - before.bill().total)
    # What is asked changes nothing of the model itself.
    assert estimate(now.table, share=0.5, beside=Beside(backups=2)) == before


def test_the_reads_of_a_spread_partition_fan_out() -> None:
    (answer,) = what_if(Shop().table, "shards Order 8")
    assert answer.after.reads > 1.5 * answer.before.reads
    assert answer.after.writes == answer.before.writes
    assert not answer.unserved
    assert "The shard is chosen by order" in answer.notes[0]


def test_an_id_of_the_sort_key_chooses_the_shard() -> None:
    """As advice says it: who knows the id alone then knows the shard."""
    table = Table("Desk", indexes=[GSI("GSI1")])

    class Ticket(Entity, table=table):
        keys = Keys("TENANT#{tenant_id}", "{opened}#{ticket_id}#{part}", GSI1=("AGENT#{agent}", "{opened}#{ticket_id}"))
        tenant_id: str
        opened: str
        ticket_id: str
        part: str
        agent: str

    table.expect(Ticket, items=1_000, writes=1)
    found = what_if(table, "shards Ticket 6", "GSI1: shards Ticket 6")
    for answer in found:
        assert any(note.startswith("The shard is chosen by ticket_id;") for note in answer.notes)
    (path,) = (path for path in Design(table.plan).every_path() if path.index_name is None)
    way = spread(Design(table.plan), path, 6)
    assert way is not None
    assert way.field == "ticket_id"


def test_fewer_shards_than_there_are() -> None:
    spread = ("STATUS#{status}#{shard}", "{order}")
    (answer,) = what_if(Shop(status=spread, shards=10).table, "GSI1: shards 2")
    same(answer, estimate(Shop(status=spread, shards=2).table))


def test_a_shard_that_nothing_needs_goes_with_its_index() -> None:
    (answer,) = what_if(Shop(status=("STATUS#{status}#{shard}", "{order}"), shards=10).table, "drop GSI1")
    assert {unserved.pattern for unserved in answer.unserved} == {"by_status", "numbers_by_status"}


def test_an_index_that_holds_a_share() -> None:
    shop = Shop()
    (answer,) = what_if(shop.table, "GSI1: sparse Order 5%")
    (whole,) = what_if(shop.table, "drop GSI1")
    assert answer.before.writes - answer.after.writes == pytest.approx(0.95 * 20 * 3)
    copies = answer.before.stored - whole.after.stored
    assert answer.before.stored - answer.after.stored == pytest.approx(0.95 * copies)
    assert answer.notes == ("They must want only what GSI1 then holds: by_status(), numbers_by_status().",)
    assert what_if(shop.table, "GSI1: sparse 0.05")[0].after == answer.after
    thin = estimate(shop.table, held={"Order": {"GSI1": 0.05}})
    assert (thin.stored, sum(thin.writes.values())) == (answer.after.stored, pytest.approx(answer.after.writes))
    real = Shop(status=sparse(*STATUS, when=attr("status") == "open"))
    real.table.expect(real.Order, indexed={"GSI1": 50_000})
    assert estimate(real.table).stored == answer.after.stored


def test_another_way_to_pay() -> None:
    shop = Shop()
    provisioned, infrequent = what_if(shop.table, "mode provisioned", "class infrequent")
    found = estimate(shop.table)
    assert provisioned.after.bill == found.bill("provisioned")
    assert infrequent.after.bill == found.bill("on-demand", "infrequent")
    kept = Shop(deployment=Deployment(billing=Provisioned(read=10, write=10)))
    (both,) = what_if(shop.table, "mode provisioned; class infrequent")
    assert both.after.bill == found.bill("provisioned", "infrequent")
    (answer,) = what_if(kept.table, "mode on-demand")
    assert (answer.before.bill, answer.after.bill) == (found.bill("provisioned"), found.bill())
    with pytest.raises(ArgumentError, match="no price for on-demand infrequent"):
        what_if(shop.table, "class infrequent", prices=load_prices("eu-west-1"))


def test_why_a_pattern_is_no_longer_served() -> None:
    text = shown_what_if(what_if(Shop().table, "GSI1: keys-only", "drop GSI1"))
    assert "no longer served: by_status(), since GSI1: its projection (KEYS_ONLY) lacks" in text
    assert "no longer served: numbers_by_status(), since the table's key: its partition key needs 'customer'" in text
    # A number is in the keys, and needs no more of the index.
    assert text.count("numbers_by_status()") == 1
    assert "a month on demand, is not in what comes after" in text
    assert "instead of" in text


def test_a_local_index_that_is_narrow_fetches() -> None:
    shop = Shop(local=True)

    def dearest(customer: str, least: int) -> Query[Any]:
        return query(shop.Order, shop.Order.customer == customer, shop.Order.total >= least)

    dearest.__annotations__["return"] = Query[shop.Order]
    declared = shop.table.pattern(dearest)
    shop.table.expect(declared, rate=10, results=10)
    (answer,) = what_if(shop.table, "LSI1: all")
    assert answer.after.reads < answer.before.reads
    assert answer.after.writes > answer.before.writes
    (gone,) = what_if(shop.table, "drop LSI1")
    assert [unserved.pattern for unserved in gone.unserved] == ["dearest"]
    assert "A local index stays as long as its table" in gone.notes[0]


def test_not_every_write_makes_an_item() -> None:
    shop = Shop()
    (every,) = what_if(shop.table, "ttl Order 1d")
    (tenth,) = what_if(shop.table, "ttl Order 1d", creates={"Order": 2})
    assert every.after.stored == every.before.stored  # 1,728,000 would live at one time, and a million are expected
    assert any("no fewer than are expected" in note for note in every.notes)
    assert tenth.after.stored == pytest.approx(0.1728 * tenth.before.stored)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("", "says nothing"),
        ("dorp GSI1", "none of the forms that are known. Did you mean 'drop'?"),
        ("drop", "that are known. It can be asked so: .drop GSI2."),
        ("drop GSI9", "no index 'GSI9'"),
        ("GSI9: all", "no index 'GSI9'"),
        ("GSI1: some", "a projection is all"),
        ("GSI1: include", "a projection is all"),
        ("GSI1: include nothing", "No entity of Shop stores an attribute 'nothing'"),
        ("GSI1: sparse Order 120%", "no share"),
        ("GSI1: sparse Order much", "no share"),
        ("GSI1: sparse Ordre 5%", "no entity 'Ordre'"),
        ("GSI1: shards Order many", "no number of shards"),
        ("shards Order 1", "no number of shards"),
        ("add GSI1 Order A B", "an index GSI1 already"),
        ("add GSI7 Order A#{nothing} B", "cannot be like that: .*nothing"),
        ("ttl Order 30", "no time to live"),
        ("ttl Order 0d", "no time to live"),
        ("class cheap", "'cheap' is none of standard, infrequent"),
        ("mode free", "'free' is none of on-demand, provisioned"),
        ("drop 'GSI1", "quotes are not closed"),
        ("drop GSI1; GSI1: all", "no index 'GSI1'"),
        ("drop GSI1;", "says nothing"),
    ],
)
def test_what_is_no_question_is_refused_kindly(question: str, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        what_if(Shop().table, question)


def test_what_cannot_be_told_is_refused() -> None:
    table = Table("Quiet")

    class Event(Entity, table=table):
        keys = Keys("EVENT#{event}", "EVENT")
        event: str

    with pytest.raises(ArgumentError, match="Nobody said how often Event is written"):
        what_if(table, "ttl Event 30d")

    class Settings(Entity, table=table):
        keys = Keys("SETTINGS", "SETTINGS")
        theme: str

    with pytest.raises(ArgumentError, match="There is one Settings only"):
        what_if(table, "shards Settings 4")
    with pytest.raises(ArgumentError, match="no keys for GSI1"):
        what_if(_two(), "GSI1: shards Other 4")
    with pytest.raises(ArgumentError, match="GSI1 holds Order, Other, and it does not say which"):
        what_if(_two(bound=True), "GSI1: shards 4")
    # Whoever is named alone keeps the others as they are.
    (one,) = what_if(_two(bound=True), "GSI1: sparse Order 50%")
    (both,) = what_if(_two(bound=True), "GSI1: sparse 50%")
    assert one.after == both.after  # there are no others yet


def _two(*, bound: bool = False) -> Table:
    shop = Shop()

    class Other(Entity, table=shop.table):
        keys = Keys("OTHER#{other}", "OTHER", indexes={"GSI1": ("OTHERS", "{other}")} if bound else {})
        other: str

    return shop.table


def test_each_form_that_is_shown_can_be_asked() -> None:
    table = Table("Forms", indexes=[GSI("GSI1"), GSI("GSI2")])

    class Order(Entity, table=table):
        keys = Keys("ORDER#{order}", "ORDER", GSI1=("S#{status}", "{order}"), GSI2=("P#{placed_at}", "{order}"))
        order: str
        status: str
        placed_at: str
        total: int

    class Event(Entity, table=table):
        keys = Keys("EVENT#{event}", "EVENT")
        event: str

    for entity in (Order, Event):
        table.expect(entity, items=10, writes=1)
    assert len({type(asked(table, form)) for form in FORMS}) == 7
    assert len(what_if(table, *FORMS)) == len(FORMS)


def test_a_saving_too_small_to_tell_is_no_negative_zero() -> None:
    (answer,) = what_if(Shop().table, "GSI1: keys-only")
    bill = replace(answer.before.bill, storage=answer.before.bill.storage - 0.000001)
    text = shown_what_if((replace(answer, after=replace(answer.before, bill=bill)),))
    assert ", +0.00 (+0.0%)" in text
