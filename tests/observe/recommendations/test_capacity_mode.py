"""capacity-mode: what is kept ready against what is used, on average and at the peak, with what a month costs."""

from collections.abc import Sequence

import pytest

from tablewright.cost.prices import load_prices, provisioned
from tablewright.model import deployment as deployments
from tablewright.observe.capacity import capacity_mode
from tablewright.observe.recommendation import Observed
from tablewright.observe.snapshot import TABLE, BillingMode, Minute, ReadyUnits, Snapshot, Traffic
from tests.observe.observations import told

FIRST = 29_000_000
"""The minute with which the window begins."""
DAY = 24 * 60


def used(
    reads: Sequence[float], writes: Sequence[float], *, mode: str = "provisioned", ready: ReadyUnits | None = None
) -> Observed:
    """A window of as many minutes, with so many units a second in each."""
    billing = BillingMode(mode, {TABLE: ready or ReadyUnits(100, 100)} if mode == "provisioned" else {})
    return Observed(
        Snapshot(
            table="Shop",
            spans=[(FIRST * 60.0, (FIRST + len(reads)) * 60.0)],
            minutes={
                FIRST + at: Minute(read_units=60 * read, write_units=60 * write)
                for at, (read, write) in enumerate(zip(reads, writes, strict=True))
                if read or write
            },
            billing=billing,
        )
    )


def mostly(usual: float, peak: float, minutes: int = DAY) -> list[float]:
    """Minutes with a peak in one of them."""
    return [usual] * (minutes - 1) + [peak]


def test_15_percent_on_average_and_85_at_the_peak_would_be_cheaper_on_demand() -> None:
    # For twelve minutes in every two hours it is busy, which is over before scaling has followed.
    reads = ([(15 * 120 - 85 * 12) / 108] * 108 + [85.0] * 12) * 12
    (found,) = told("capacity-mode", used(reads, reads))
    assert (found.severity, found.category) == ("info", "capacity")
    assert found.message == "Reads use 15% of what is provisioned on average, and 85% at the peak."
    assert found.details.startswith(
        "In the 1 day observed, reads use 15% of 100 units on average, 85% at the peak and writes use 15% of 100 units on average, "
        "85% at the peak, which is the busiest minute. On-demand capacity would cost less. "
        # 100 units of 0.00013 and 0.00065 for 730 hours; 15 units a second of 0.125 and 0.625 a million
        "A month of reads and writes costs 56.94 USD now and 29.57 then, which saves 27.37."
    )
    assert found.action == "Change the table to on-demand capacity."
    assert found.code == 'Table(..., deployment=Deployment(billing="on-demand"))'
    assert found.saves == pytest.approx(1 - 29.565 / 56.94)
    assert found.evidence["recommended"] == "on-demand"


def test_a_single_busy_minute_is_borne_by_what_was_not_used_before() -> None:
    reads = mostly((15 * DAY - 85) / (DAY - 1), 85)
    (found,) = told("capacity-mode", used(reads, reads))
    assert found.message == "Reads use 15% of what is provisioned on average, and 85% at the peak."
    assert found.evidence["recommended"] == "scaled"


def test_an_even_load_would_be_cheaper_with_less_kept_ready() -> None:
    (found,) = told("capacity-mode", used([20.0] * DAY, [20.0] * DAY))
    # 20 units used to seven tenths are 29
    assert found.action == "Provision 29 read and 29 write units, for the table and its indexes together."
    assert found.code == "Table(..., deployment=Deployment(billing=Provisioned(read=29, write=29)))"


def test_more_than_80_percent_is_a_warning_with_what_would_bear_the_peak() -> None:
    (found,) = told("capacity-mode", used([50.0] * 60, mostly(85, 98, 60)))
    assert found.severity == "warning"
    assert found.message == "Writes use 85% of what is provisioned on average, and 98% at the peak."
    assert "In the 1 hour observed" in found.details
    assert "72 read and 140 write units kept ready would bear the busiest minute" in found.details
    assert found.action == "Provision 72 read and 140 write units, for the table and its indexes together."
    # 72 and 140 units instead of 100 and 100
    assert "A month of reads and writes costs 56.94 USD now and 73.26 then, which costs 16.32 more." in found.details
    assert found.saves is None


def test_minutes_in_which_nothing_happened_count_as_idle() -> None:
    report = capacity_mode(used([60.0] * 60 + [0.0] * (DAY - 60), [60.0] * 60 + [0.0] * (DAY - 60)))
    assert report.reads.average == pytest.approx(2.5)
    assert report.seconds == 86_400


@pytest.mark.parametrize(
    "seen",
    [
        used([50.0] * DAY, [50.0] * DAY),
        used([5.0] * (DAY - 1), [5.0] * (DAY - 1)),
        used([95.0] * 59, [95.0] * 59),
        used([5.0] * DAY, [5.0] * DAY, mode="unknown"),
        used([5.0] * DAY, [5.0] * DAY, mode="on-demand"),
        used([], []),
        used([0.29] * DAY, [0.29] * DAY, ready=ReadyUnits(1, 1)),
    ],
    ids=["used well", "less than a day", "less than an hour", "unknown", "on demand", "nothing", "no less to be had"],
)
def test_nothing_is_said_of_what_is_used_well_or_not_known(seen: Observed) -> None:
    assert told("capacity-mode", seen) == []


def test_the_question_is_answered_for_a_table_on_demand_too() -> None:
    report = capacity_mode(used([100.0] * 7 * DAY, [100.0] * 7 * DAY, mode="on-demand"))
    assert (report.mode, report.recommended) == ("on-demand", "provisioned")
    assert report.monthly == pytest.approx(197.1)
    assert report.monthly_recommended == pytest.approx(143 * 0.5694)
    assert report.savings == pytest.approx(197.1 - 143 * 0.5694)
    assert report.ready == (143, 143)
    assert report.reasoning == (
        "In the 7 days observed, reads take 100 units a second, 100 at the peak and writes take 100 units a second, 100 at the peak, "
        "which is the busiest minute. 143 read and 143 write units kept ready would cost less."
    )


def test_where_nothing_is_known_nothing_is_recommended() -> None:
    report = capacity_mode(used([5.0] * DAY, [5.0] * DAY, mode="unknown"))
    assert (report.mode, report.recommended, report.monthly, report.savings) == ("unknown", "unknown", None, None)
    assert report.reasoning == "It is not known how the table is paid for, so that nothing is recommended."
    assert capacity_mode(used([], [])).reasoning == "Nothing was consumed while somebody looked."
    kept = used([5.0], [5.0])
    kept.snapshot.billing = BillingMode("provisioned")
    assert capacity_mode(kept).reasoning.startswith("It is not known how much capacity is kept ready")


def test_what_suits_is_left_as_it_is() -> None:
    report = capacity_mode(used([69.0] * DAY, [69.0] * DAY))
    assert (report.recommended, report.savings, report.ready) == ("provisioned", 0.0, None)
    assert report.reasoning.endswith("No other way to pay saves as much as a twentieth.")


def test_only_the_last_week_counts_and_what_was_not_metered_is_told() -> None:
    seen = used([5.0] * 10, [5.0] * 10)
    seen.snapshot.spans.insert(0, ((FIRST - 30 * DAY) * 60.0, (FIRST - DAY) * 60.0))
    seen.snapshot.traffic.append(Traffic(operation="GetItem", unmetered=1))
    report = capacity_mode(seen)
    assert report.seconds == pytest.approx(6 * 86_400, rel=0.01)
    assert "Some answers did not tell what they consumed, and are not counted." in report.notes


def with_indexes(traffic: Sequence[Traffic], load: float = 120.0) -> Observed:
    """A table with two indexes, each with 200 units ready, that are hardly used."""
    seen = used([load] * 2 * DAY, [load] * 2 * DAY)
    ready = {name: ReadyUnits(200, 200) for name in (TABLE, "ByMail", "ByPlace")}
    seen.snapshot.billing = BillingMode("provisioned", ready)
    seen.snapshot.traffic.extend(traffic)
    return seen


TOLD = [
    Traffic(operation="GetItem", read_units=700.0),
    Traffic(operation="Query", index="ByPlace", read_units=200.0),
    Traffic(operation="Query", index="Local", read_units=100.0),
    Traffic(operation="PutItem", write_units=400.0, index_units={"ByMail": 100.0, "Local": 50.0}),
]


@pytest.mark.parametrize("traffic", [TOLD, []], ids=["told", "not told"])
@pytest.mark.parametrize("load", [3.0, 120.0, 550.0])
def test_what_is_to_be_pasted_costs_what_is_said_of_it(traffic: list[Traffic], load: float) -> None:
    seen = with_indexes(traffic, load)
    (found,) = told("capacity-mode", seen)
    assert found.code is not None
    deployment = eval(found.code.removeprefix("Table(..., deployment=")[:-1], dict(vars(deployments)))
    rates = load_prices().classes["standard"]
    kept = [deployment.billing.of(name) for name in ("", "ByMail", "ByPlace")]
    month = sum(provisioned(rates, reads=one.read, writes=one.write, stored=0.0).total for one in kept)
    assert month == pytest.approx(found.evidence["monthly_recommended"])
    report = capacity_mode(seen)
    assert report.ready == (sum(one.read for one in kept), sum(one.write for one in kept))


def test_each_place_gets_its_share_of_what_was_consumed() -> None:
    # Of 120 units a second; a local index has none of its own.
    assert capacity_mode(with_indexes(TOLD)).places == {TABLE: (138, 129), "ByMail": (1, 43), "ByPlace": (35, 1)}
    # Nobody told who took how much of the writes: they are parted as what is ready.
    untold = [*TOLD[:3], Traffic(operation="PutItem", write_units=400.0)]
    assert capacity_mode(with_indexes(untold)).places == {TABLE: (138, 58), "ByMail": (1, 58), "ByPlace": (35, 58)}
    # They were looked at, and no index took part.
    own = [*TOLD[:3], Traffic(operation="PutItem", write_units=400.0, sized=9)]
    assert capacity_mode(with_indexes(own)).places == {TABLE: (138, 172), "ByMail": (1, 1), "ByPlace": (35, 1)}


def test_the_parts_are_told() -> None:
    (found,) = told("capacity-mode", with_indexes(TOLD))
    assert found.action == (
        "Provision 174 read and 173 write units, for the table and its indexes together: 138 and 129 for the table, 1 and 43 for "
        "ByMail, 35 and 1 for ByPlace."
    )


def test_a_table_may_have_more_indexes_than_are_usual() -> None:
    seen = used([20.0] * DAY, [20.0] * DAY)
    seen.snapshot.billing = BillingMode(
        "provisioned", {name: ReadyUnits(50, 50) for name in (TABLE, *map(str, range(30)))}
    )
    assert len(capacity_mode(seen).places) == 31


def with_an_index(used_by_index: float) -> Observed:
    """A table of which a third is used, and an index with 50 write units of its own."""
    table, minutes = 300.0, 2 * DAY
    return Observed(
        Snapshot(
            table="Shop",
            spans=[(FIRST * 60.0, (FIRST + minutes) * 60.0)],
            minutes={
                FIRST + at: Minute(read_units=60 * 400, write_units=60 * (table + used_by_index))
                for at in range(minutes)
            },
            traffic=[
                Traffic(
                    operation="UpdateItem",
                    requests=1_000,
                    write_units=table + used_by_index,
                    index_units={"GSI1": used_by_index},
                    parted=10,
                ),
                Traffic(operation="Query", requests=1_000, read_units=400.0),
            ],
            billing=BillingMode("provisioned", {TABLE: ReadyUnits(1000, 1000), "GSI1": ReadyUnits(50, 50)}),
        )
    )


def test_an_index_that_uses_all_of_its_own_is_told_though_the_table_has_room() -> None:
    (found,) = told("capacity-mode", with_an_index(49.0))
    assert found.severity == "warning"
    assert found.message == "Writes of GSI1 use 98% of what is provisioned on average, and 98% at the peak."
    assert "writes of GSI1 alone use 98% of its 50. More load would be throttled" in found.details
    assert found.action.endswith("572 and 429 for the table, 1 and 70 for GSI1.")
    assert found.evidence["average_share"] == pytest.approx(0.98)


def test_an_index_with_room_of_its_own_is_none() -> None:
    assert told("capacity-mode", with_an_index(35.0)) == []
    assert capacity_mode(with_an_index(35.0)).tight == ()
