"""sparse-index: what every pattern leaves out of an index need not be in it."""

from typing import Any, Literal

import pytest

from tablewright import GSI, LSI, Entity, Keys, Query, Table, attr, query, sparse
from tablewright.observe.snapshot import Traffic
from tests.observe.observations import observed, told

Status = Literal["open", "closed", "lost"]
desk = Table("Desk", indexes=[GSI("GSI1"), GSI("GSI2"), GSI("GSI3"), GSI("GSI4"), LSI("LSI1")])


class Ticket(Entity, table=desk):
    keys = Keys(
        "TICKET#{number}",
        "TICKET",
        GSI1=("TEAM#{team}", "{number}"),
        GSI2=("TEAM#{team}#{status}", "{number}"),
        GSI3=sparse("OPEN#{team}", "{number}", when=attr("status") == "open"),
        GSI4=("OWNER#{owner}", "{number}"),
    )
    number: str
    team: str
    owner: str
    status: Status = "open"


@desk.pattern
def open_tickets(team: str) -> Query[Ticket]:
    return query(Ticket, Ticket.team == team).filter(Ticket.status == "open").via("GSI1")


@desk.pattern
def open_by_key(team: str) -> Query[Ticket]:
    return query(Ticket, Ticket.team == team, Ticket.status == "open").via("GSI2")


@desk.pattern
def open_sparsely(team: str) -> Query[Ticket]:
    return query(Ticket, Ticket.team == team, Ticket.status == "open").via("GSI3")


@desk.pattern
def owned(owner: str, status: Status) -> Query[Ticket]:
    return query(Ticket, Ticket.owner == owner).filter(Ticket.status == status).via("GSI4")


def queries(index: str = "GSI1", pattern: str | None = "open_tickets", **more: Any) -> Traffic:
    figures: dict[str, Any] = {
        "operation": "Query",
        "index": index,
        "pattern": pattern,
        "requests": 100,
        "read_units": 500.0,
        "filtered": 100,
        "filtered_scanned": 5_000,
        "filtered_returned": 200,
    }
    return Traffic(**(figures | more))


WRITES = Traffic(operation="PutItem", entity="Ticket", requests=50, write_units=100, index_units={"GSI1": 50.0})


def test_a_filter_that_every_pattern_repeats_can_be_the_condition_of_the_key() -> None:
    (found,) = told("sparse-index", observed(queries(), WRITES, table=desk))
    assert (found.severity, found.category) == ("warning", "cost")
    assert found.message == (
        "Patterns read Ticket through GSI1 only where status is 'open', which 4% of what is looked at there are."
    )
    assert found.details == (
        "100 requests asked for it by open_tickets(). 200 of 5,000 items passed the filter; all of them took 500 read units. "
        "Writes put 50 write units into the index."
    )
    assert "open_tickets() must then ask for it in query(...), not in a filter." in found.action
    assert found.code == """GSI1=sparse("TEAM#{team}", "{number}", when=attr("status") == 'open')"""
    assert found.saves == pytest.approx(0.96)
    assert found.impact == pytest.approx(0.75)
    assert found.breaks == ()


def test_the_pattern_is_served_by_what_is_suggested() -> None:
    (found,) = told("sparse-index", observed(queries(), table=desk))
    assert found.code is not None
    made: dict[str, Any] = {"sparse": sparse, "attr": attr}
    exec(found.code, made)
    table = Table("Desk", indexes=[GSI("GSI1")])

    class Ticket(Entity, table=table):
        keys = Keys("TICKET#{number}", "TICKET", GSI1=made["GSI1"])
        number: str
        team: str
        status: Status = "open"

    @table.pattern
    def open_tickets(team: str) -> Query[Ticket]:
        return query(Ticket, Ticket.team == team, Ticket.status == "open")

    assert table.explain(open_tickets)[0].index == "GSI1"


def test_a_constant_in_the_key_leaves_the_other_values_in_the_index_for_nothing() -> None:
    (found,) = told("sparse-index", observed(queries("GSI2", "open_by_key", filtered=0), table=desk))
    assert found.severity == "info"
    assert found.message.endswith("only where status is 'open', and items with other values are in it for nothing.")
    assert found.saves is None


@pytest.mark.parametrize(
    "traffic",
    [
        [queries(filtered_returned=3_000)],
        [queries(filtered_returned=2_480)],  # 49.6%, which may be half
        [queries("GSI3", "open_sparsely")],
        [queries("GSI4", "owned")],
        [queries(), queries(pattern=None)],
        [queries(requests=99)],
        [queries(filtered_scanned=999, filtered_returned=1)],
        [],
    ],
    ids=[
        "most",
        "perhaps half",
        "sparse already",
        "asked for any",
        "others ask too",
        "few requests",
        "few items",
        "none",
    ],
)
def test_nothing_is_said_where_others_may_want_the_rest_or_little_is_known(traffic: list[Traffic]) -> None:
    assert told("sparse-index", observed(*traffic, table=desk)) == []


def test_nothing_is_said_without_a_model() -> None:
    assert told("sparse-index", observed(queries())) == []
