"""unused-index: seven days in which somebody looked and nobody read."""

from tablewright import GSI, LSI, Entity, Keys, Query, Table, query
from tablewright.cost.prices import load_prices
from tablewright.observe.advising import not_judged
from tablewright.observe.recommendation import Observed
from tablewright.observe.snapshot import BillingMode, Place, ReadyUnits, Snapshot, Traffic
from tests.observe.observations import DAY, START, observed, told

shop = Table("Shop", indexes=[GSI("GSI1"), GSI("GSI2"), LSI("LSI1")])


class Order(Entity, table=shop):
    keys = Keys(
        "ORDER#{order_id}", "ORDER", GSI1=("CUSTOMER#{username}", "{order_id}"), GSI2=("STATUS#{status}", "{order_id}")
    )
    order_id: str
    username: str
    status: str


@shop.pattern
def orders_of(username: str) -> Query[Order]:
    return query(Order, Order.username == username)


@shop.pattern
def orders_with(status: str) -> Query[Order]:
    return query(Order, Order.status == status)


def written(**units: float) -> Traffic:
    return Traffic(operation="PutItem", entity="Order", requests=500, write_units=1_000, index_units=dict(units))


def used(index: str, last: float) -> dict[str, Place]:
    return {index: Place(last_used=last)}


def test_an_index_that_nobody_read_for_a_week_is_told_with_what_it_takes_and_which_patterns_declare_it() -> None:
    seen = observed(written(GSI1=250, GSI2=310), table=shop, hours=9 * 24, places=used("GSI1", START + 8 * DAY))
    found = {one.subject: one for one in told("unused-index", seen)}
    assert list(found) == ["GSI2", "LSI1"]
    unused = found["GSI2"]
    assert (unused.severity, unused.category) == ("warning", "cost")
    assert unused.message == "GSI2 was not read in the 9 days observed, and took 31% of all write units."
    assert unused.details == (
        "It was not read in 9 days; writes put 310 write units into it. orders_with() reads it by the model."
    )
    assert unused.breaks == ("orders_with()",)
    assert unused.saves == unused.impact == 0.31
    assert unused.code is not None
    assert unused.code.endswith(
        'update_table(TableName="Shop", GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "GSI2"}}])'
    )


def test_a_local_index_is_a_note_since_it_cannot_be_removed() -> None:
    seen = observed(
        written(), table=shop, hours=9 * 24, places=used("GSI1", START + 9 * DAY) | used("GSI2", START + 9 * DAY)
    )
    (found,) = told("unused-index", seen)
    assert (found.subject, found.severity, found.code) == ("LSI1", "info", None)
    assert "lives as long as its table" in found.action
    sooner = observed(
        written(), table=shop, hours=6 * 24, places=used("GSI1", START + 6 * DAY) | used("GSI2", START + 6 * DAY)
    )
    assert told("unused-index", sooner) == []


def test_less_than_a_week_without_any_read_is_only_noted() -> None:
    seen = observed(written(GSI2=310), hours=3 * 24, places=used("GSI1", START + DAY))
    (found,) = told("unused-index", seen)
    assert (found.subject, found.severity) == ("GSI2", "info")
    assert found.message.startswith("GSI2 was not read in the 3 days observed")
    assert found.action.startswith("Look for longer")


def test_days_in_which_nobody_looked_do_not_count() -> None:
    def seen(days: float) -> Observed:
        spans = [(START, START + days * DAY), (START + 30 * DAY, START + 33 * DAY)]
        traffic = [written(GSI1=1)]
        return Observed(Snapshot(table="Shop", spans=spans, traffic=traffic, places=used("GSI1", START)))

    assert [found.severity for found in told("unused-index", seen(4.0))] == ["warning"]
    assert told("unused-index", seen(3.9)) == []  # it was read, and less than a week ago


def test_nothing_is_said_within_a_day_of_few_requests_or_of_what_is_read() -> None:
    assert told("unused-index", observed(written(GSI2=1), table=shop, hours=23)) == []
    assert told("unused-index", observed(Traffic(operation="PutItem", requests=99), table=shop, hours=999)) == []
    queried = Traffic(operation="Query", index="GSI2", requests=500, last=START + 8.5 * DAY)
    assert told("unused-index", observed(queried, hours=9 * 24, places={"GSI2": Place()})) == []


def test_indexes_that_are_only_paid_for_are_known_and_a_month_is_priced() -> None:
    billing = BillingMode("provisioned", {"": ReadyUnits(1, 1), "GSI9": ReadyUnits(1, 1)})
    seen = observed(written(GSI9=1_000_000), hours=10 * 24, billing=billing)
    (found,) = told("unused-index", Observed(seen.snapshot, None, load_prices()))
    # a million units in ten days, 0.625 a million, in 730 hours
    assert "writes put 1,000,000 write units into it, 1.90 USD a month on demand." in found.details


def test_what_it_waits_for_is_told() -> None:
    early = observed(written(), table=shop, hours=1, places=used("GSI1", START) | used("LSI1", START))
    assert not_judged(early)["unused-index"] == "a day without a read of GSI2, and to be sure for seven"
    assert "unused-index" not in not_judged(observed(written(), table=shop, hours=25))
    assert "unused-index" not in not_judged(observed(written(), hours=1))
