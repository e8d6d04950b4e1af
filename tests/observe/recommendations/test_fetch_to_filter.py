"""Filters that do the selecting."""

from datetime import datetime

import pytest

from tablewright import GSI, Entity, Keys, Query, Table, attr, contains, is_in, query, sparse
from tablewright.compiler.reads import parts_of
from tablewright.observe.advising import advise
from tablewright.observe.recommendation import Observed, Recommendation
from tablewright.observe.recommendations.fetch_to_filter import FetchToFilter
from tablewright.observe.snapshot import Snapshot, Traffic

shop = Table("Shop", indexes=[GSI("GSI1"), GSI("GSI2")])


class Order(Entity, table=shop):
    keys = Keys("CUSTOMER#{username}", "ORDER#{placed_at}", GSI1=("ORDER#{order_id}", "ORDER"))
    username: str
    order_id: str
    placed_at: datetime
    paid: bool = False
    total: int = 0
    note: str = ""


@shop.pattern
def unpaid(username: str) -> Query[Order]:
    return query(Order, Order.username == username).filter(Order.paid == False)  # noqa: E712


@shop.pattern
def large(username: str) -> Query[Order]:
    return query(Order, Order.username == username).filter(Order.total > 100)


@shop.pattern
def gifts(username: str) -> Query[Order]:
    return query(Order, Order.username == username).filter(contains(Order.note, "gift"))


@shop.pattern
def noted(username: str, note: str) -> Query[Order]:
    return query(Order, Order.username == username).filter(Order.note == note)


@shop.pattern
def changed(username: str) -> Query[Order]:
    return query(Order, Order.username == username).filter(Order.note != "")


@shop.pattern
def orders(username: str) -> Query[Order]:
    return query(Order, Order.username == username)


def found(
    requests: int, scanned: int, returned: int, *, pattern: str | None = "unpaid", operation: str = "Query"
) -> list[Recommendation]:
    traffic = Traffic(
        operation=operation,
        pattern=pattern,
        entity="Order",
        requests=requests * 2,
        filtered=requests,
        filtered_scanned=scanned,
        filtered_returned=returned,
        read_units=400.0,
    )
    other = Traffic(operation="Query", requests=10, read_units=600.0)
    return list(FetchToFilter().find(Observed(Snapshot(table="Shop", traffic=[traffic, other]), shop.plan)))


def test_most_is_dropped() -> None:
    (one,) = found(100, 5000, 250)
    assert (one.severity, one.category, one.subject) == ("warning", "cost", "unpaid()")
    assert one.message == "unpaid() keeps 5% of what it reads; a filter drops the rest."
    assert one.details == (
        "100 queries with a filter looked at 5,000 items and returned 250, for 200 read units. A filter saves transfer only: "
        "what it drops is paid for."
    )
    assert one.action == (
        "Let a key select by paid: in the sort key, or in an index of its own, sparse where one value is asked for. Then ask for it by "
        "a condition in query(...), and leave .filter(...) out."
    )
    assert one.code == (
        'Order.keys = Keys(..., GSI2=sparse("USERNAME#{username}", "{placed_at}", when=is_in(attr("paid"), [False])))\n'
        "query(Order, ...)  # what .filter(...) asks of Order.paid stands here"
    )
    assert one.saves == 0.95
    assert one.impact == 0.2


def test_what_is_asked_for_by_range_belongs_into_the_sort_key() -> None:
    (one,) = found(100, 5000, 250, pattern="large")
    assert one.code == (
        'Order.keys = Keys(..., GSI2=("USERNAME#{username}", "{total:010}#{placed_at}"))\n'
        "query(Order, ...)  # what .filter(...) asks of Order.total stands here"
    )


def test_what_an_argument_chooses_is_no_matter_for_a_sparse_key() -> None:
    (one,) = found(100, 5000, 250, pattern="noted")
    assert (one.code or "").startswith(
        'Order.keys = Keys(..., GSI2=("USERNAME#{username}#NOTE#{note}", "{placed_at}"))'
    )


@pytest.mark.parametrize("pattern", ["gifts", "changed"])
def test_what_no_key_can_serve_has_no_code(pattern: str) -> None:
    (one,) = found(100, 5000, 250, pattern=pattern)
    assert one.action.startswith("Let a key select by note")
    assert one.code is None


def test_what_it_shows_is_served() -> None:
    mended = Table("Shop", indexes=[GSI("GSI2")])

    class Invoice(Entity, table=mended):
        keys = Keys(
            "CUSTOMER#{username}",
            "INVOICE#{placed_at}",
            GSI2=sparse("USERNAME#{username}", "{placed_at}", when=is_in(attr("paid"), [False])),
        )
        username: str
        placed_at: datetime
        paid: bool = False

    @mended.pattern
    def open_ones(username: str) -> Query[Invoice]:
        return query(Invoice, Invoice.username == username, Invoice.paid == False)  # noqa: E712

    (read,) = mended.plan.patterns["open_ones"].values()
    (part,) = parts_of(read)
    assert part.served.path.index_name == "GSI2"


def test_a_table_without_a_free_index_gets_one() -> None:
    full = Table("Full", indexes=[GSI("GSI1")])

    class Task(Entity, table=full):
        keys = Keys("USER#{user}", "TASK#{task_id}", GSI1=("TASK#{task_id}", "TASK"))
        user: str
        task_id: str
        state: str = "open"

    @full.pattern
    def in_state(user: str, state: str) -> Query[Task]:
        return query(Task, Task.user == user).filter(Task.state == state)

    queries = {
        "requests": 100,
        "filtered": 100,
        "filtered_scanned": 5_000,
        "filtered_returned": 250,
        "read_units": 1_000.0,
    }
    asked = Traffic(operation="Query", pattern="in_state", entity="Task", **queries)
    writes = Traffic(operation="PutItem", entity="Task", requests=50, write_units=100.0, index_units={"GSI1": 50.0})
    (one,) = FetchToFilter().find(Observed(Snapshot(table="Full", traffic=[asked, writes]), full.plan))
    assert (one.code or "").splitlines()[0] == 'Table(..., indexes=[..., GSI("GSI2")])'
    assert one.details.endswith(
        " An index of its own would have taken up to 50 write units for the writes seen, each as dear as five read units, and one more "
        "wherever state changes."
    )
    assert one.saves == pytest.approx(0.95 - 5 * 50 / 1_000)


def test_a_sparse_index_is_reckoned_by_what_it_would_hold() -> None:
    asked = Traffic(
        operation="Query",
        pattern="unpaid",
        entity="Order",
        requests=100,
        filtered=100,
        filtered_scanned=5_000,
        filtered_returned=250,
        read_units=1_000.0,
    )
    writes = Traffic(operation="PutItem", entity="Order", requests=900, write_units=900.0)
    (one,) = FetchToFilter().find(Observed(Snapshot(table="Shop", traffic=[asked, writes]), shop.plan))
    assert one.details.endswith(
        " A sparse index of its own would have taken some 45 write units for the writes seen, each as dear as five read units, if as much of "
        "what is written is selected as of what was read."
    )
    assert (one.severity, one.saves) == ("warning", pytest.approx(0.95 - 5 * 45 / 1_000))
    assert "sparse(" in (one.code or "")


def test_an_index_that_costs_more_than_it_saves_is_not_suggested() -> None:
    asked = Traffic(
        operation="Query",
        pattern="large",
        entity="Order",
        requests=40,
        filtered=40,
        filtered_scanned=9_000,
        filtered_returned=0,
        read_units=542.0,
    )
    writes = Traffic(operation="UpdateItem", entity="Order", requests=1_937, write_units=1_937.0)
    (one,) = FetchToFilter().find(Observed(Snapshot(table="Shop", traffic=[asked, writes]), shop.plan))
    assert (one.severity, one.code, one.saves) == ("info", None, 0.0)
    assert one.action == (
        "Leave the filter as long as so much is written and so little asked for: an index by total would cost more than it saves, as 9,685 "
        "read units to 542. Where total seldom changes, the sort key that is read already can hold it."
    )
    writes.write_units = 100.0
    (worth,) = FetchToFilter().find(Observed(Snapshot(table="Shop", traffic=[asked, writes]), shop.plan))
    assert (worth.severity, worth.code is None) == ("warning", False)


log = Table("Log", indexes=[GSI("GSI1"), GSI("GSI2")])


class Line(Entity, table=log):
    keys = Keys("LINE#{line_id}", "LINE", GSI1=("DEVICE#{device}", "{at}"), GSI2=("HOST#{host}", "{at}"))
    line_id: str
    device: str
    host: str
    at: datetime
    level: str = "info"
    text: str = ""


@log.pattern
def errors_of(device: str) -> Query[Line]:
    return query(Line, Line.device == device).filter(Line.level == "error")


@log.pattern
def errors_on(host: str) -> Query[Line]:
    return query(Line, Line.host == host).filter(Line.level == "error")


@log.pattern
def lines_on(host: str) -> Query[Line]:
    return query(Line, Line.host == host)


def of_lines(pattern: str, index: str, requests: int = 200) -> Traffic:
    return Traffic(
        operation="Query",
        index=index,
        pattern=pattern,
        entity="Line",
        requests=requests,
        filtered=requests,
        filtered_scanned=60 * requests,
        filtered_returned=requests,
        read_units=5.0 * requests,
    )


def both(*traffic: Traffic, table: Table = log) -> list[tuple[str, str]]:
    seen = Observed(Snapshot(table="Log", traffic=list(traffic)), table.plan)
    return [(one.rule, one.subject) for one in advise(seen) if one.rule in ("fetch-to-filter", "sparse-index")]


def test_where_the_index_itself_can_be_sparse_it_is_said_once() -> None:
    assert both(of_lines("errors_of", "GSI1")) == [("sparse-index", "Line on GSI1")]
    # Others ask the second one for everything.
    assert both(of_lines("errors_on", "GSI2")) == [("fetch-to-filter", "errors_on()")]


def test_too_few_for_the_other_rule_are_told_of_the_same_index() -> None:
    seen = Observed(Snapshot(table="Log", traffic=[of_lines("errors_of", "GSI1", 30)]), log.plan)
    (one,) = advise(seen)
    assert one.rule == "fetch-to-filter"
    assert one.action == (
        "No pattern reads Line through GSI1 but where level is 'error': give it its key there only then. Then ask for it by a condition in "
        "query(...), and leave .filter(...) out."
    )
    assert one.code == (
        'Line.keys = Keys(..., GSI1=sparse("DEVICE#{device}", "{at}", when=attr("level") == \'error\'))\n'
        "query(Line, ...)  # what .filter(...) asks of Line.level stands here"
    )
    assert one.saves == pytest.approx(1 - 1 / 60)


def test_a_filter_that_asks_for_more_may_drop_for_another_reason() -> None:
    table = Table("Log", indexes=[GSI("GSI1")])

    class Entry(Entity, table=table):
        keys = Keys("LINE#{line_id}", "LINE", GSI1=("DEVICE#{device}", "{line_id}"))
        line_id: str
        device: str
        level: str
        size: int

    @table.pattern
    def large_errors(device: str) -> Query[Entry]:
        return query(Entry, Entry.device == device).filter(Entry.level == "error", Entry.size > 9)

    assert both(of_lines("large_errors", "GSI1"), table=table) == [("fetch-to-filter", "large_errors()")]


def test_without_a_filter_of_its_own_it_is_what_is_over() -> None:
    (one,) = found(100, 5000, 250, pattern="orders")
    assert "has expired, or was deleted softly" in one.action
    assert one.code is None


def test_requests_that_the_model_does_not_know() -> None:
    (one,) = found(100, 5000, 250, pattern=None)
    assert one.subject == "Query of Order"
    assert one.code is None


def test_a_filter_that_keeps_enough() -> None:
    assert not found(100, 5000, 1000)


def test_a_handful_is_no_matter() -> None:
    assert not found(100, 900, 10)


def test_too_few_queries() -> None:
    assert not found(19, 5000, 250)


def test_scans_are_another_matter() -> None:
    assert not found(100, 5000, 250, operation="Scan")
