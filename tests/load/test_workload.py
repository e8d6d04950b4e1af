"""From expectations to a mix: rates, shares of writes, and what is refused."""

import pytest

from tablewright import Entity, Keys, Table
from tablewright.errors import ArgumentError
from tablewright.load.workload import Shares, workload


def test_patterns_and_writes_come_as_often_as_the_model_says(library: Table) -> None:
    mix = workload(library)
    rates = {line.name: line.rate for line in mix.lines}
    assert rates["member"] == 20
    assert rates["Loan: create"] + rates["Loan: update"] + rates["Loan: delete"] == pytest.approx(10)
    assert mix.rate == pytest.approx(20 + 20 + 10 + 2 + 1 + 10 + 1)
    assert mix.silent == ("loans_with()",)


def test_rates_are_scaled_and_what_was_declared_is_kept(library: Table) -> None:
    (line,) = workload(library, only=["member"], scale=0.5).lines
    assert (line.rate, line.declared, line.latency_ms) == (10, 20, 1000)


def test_writes_are_shared_out_as_told(library: Table) -> None:
    lines = workload(library, only=["Loan"], shares=Shares(create=1, update=0, delete=1)).lines
    assert {line.name: line.rate for line in lines} == {"Loan: create": 5, "Loan: delete": 5}


def test_without_writes_there_are_reads_only(library: Table) -> None:
    assert {line.kind for line in workload(library, writes=False).lines} == {"read"}


def test_what_is_unknown_is_refused_with_the_nearest_name(library: Table) -> None:
    with pytest.raises(ArgumentError, match=r"no pattern or entity 'membr'.*member"):
        workload(library, only=["membr"])


def test_a_model_that_says_nothing_makes_no_load(library: Table) -> None:
    with pytest.raises(ArgumentError, match="Nothing is said") as caught:
        workload(library, only=["loans_with"])
    assert "rate=" in str(caught.value.hint)


def test_writes_that_are_left_out_are_not_said_to_be_missing() -> None:
    table = Table("Shelf")

    class Book(Entity, table=table):
        keys = Keys("BOOK#{book}", "BOOK")
        book: str

    table.expect(Book, writes=1)
    with pytest.raises(ArgumentError, match=r"Only reads are sent, .* the writes of Book are left out") as caught:
        workload(table, writes=False)
    assert "rate=10" in str(caught.value.hint)
    assert workload(table).lines


@pytest.mark.parametrize("shares", [Shares(0, 0, 0), Shares(1, -1, 1)])
def test_shares_that_are_none_are_refused(library: Table, shares: Shares) -> None:
    with pytest.raises(ArgumentError, match="shares"):
        workload(library, shares=shares)


def test_a_scale_of_nothing_is_refused(library: Table) -> None:
    with pytest.raises(ArgumentError, match="above 0"):
        workload(library, scale=0)
