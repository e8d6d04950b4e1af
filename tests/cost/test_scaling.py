"""Capacity that follows a load: by hand where it can be, and within its rules for whatever load there is."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright import GSI, Deployment, Entity, Get, Keys, Provisioned, Table, get
from tablewright.cost.entities import TABLE
from tablewright.cost.estimating import estimate
from tablewright.cost.modes import ModesCompared, compare_modes, profile_loads, shown_modes
from tablewright.cost.prices import HOURS, MONTH, load_prices
from tablewright.cost.profiles import Profile, day_profile, read_profile
from tablewright.cost.scaling import DAY, Limits, Policy, follow
from tablewright.errors import ArgumentError

RATES = load_prices().classes["standard"]
LOADS = st.lists(
    st.tuples(st.integers(1, 90), st.floats(0, 500), st.floats(0, 500)),
    min_size=1,
    max_size=20,
)


def spread(spans: list[tuple[int, float, float]]) -> tuple[list[float], list[float]]:
    reads = [r for minutes, r, _ in spans for _ in range(minutes)]
    writes = [w for minutes, _, w in spans for _ in range(minutes)]
    return reads, writes


def test_a_steady_load_keeps_its_capacity() -> None:
    run = follow([70.0] * 300, [7.0] * 300, Policy())
    assert (set(run.reads.capacity), set(run.writes.capacity)) == ({100}, {10})
    assert (run.throttled, run.decreases, run.delayed) == (0, 0, 0)


def test_a_step_up_is_followed_after_two_minutes_and_the_lag() -> None:
    """100 units are ready. From minute 10 on 90 are used, which is more than seven tenths: two minutes later it is noticed."""
    run = follow([70.0] * 10 + [90.0] * 20, [1.0] * 30, Policy(lag=3))
    rises = next(minute for minute, units in enumerate(run.reads.capacity) if units > 100)
    assert (rises, run.reads.capacity[rises]) == (10 + 2 + 3, math.ceil(90 / 0.7))
    assert run.throttled == 0  # all of it fits into what was ready


def test_what_was_not_used_bears_five_minutes_and_then_it_is_throttled() -> None:
    """10 units ready, 7 used for an hour: 300 seconds of 10 units are in hand. 60 units then take 50 of them a second: a minute."""
    run = follow([7.0] * 60 + [60.0] * 10, [1.0] * 70, Policy(lag=60))
    refused = run.reads.refused
    assert refused[:61] == (0.0,) * 61
    assert refused[61] == pytest.approx(50 * 60)
    assert run.throttled == 9


def test_a_steep_rise_is_followed_in_steps() -> None:
    """What is refused is not consumed, so that each step is 1 / 0.7 of the one before, and none of them goes too far."""
    run = follow([70.0] * 2 + [1000.0] * 60, [1.0] * 62, Policy(lag=0))
    steps = sorted(set(run.reads.capacity))
    assert steps[0] == 100
    assert steps[-1] == math.ceil(1000 / 0.7)
    assert len(steps) > 4
    assert run.throttled > 10


def test_it_falls_after_fifteen_quiet_minutes() -> None:
    run = follow([70.0] * 20 + [10.0] * 40, [1.0] * 60, Policy(lag=2))
    falls = next(minute for minute, units in enumerate(run.reads.capacity) if units < 100)
    assert (falls, run.reads.capacity[falls]) == (20 + 15 + 2, 15)
    assert run.decreases == 1
    # Between five and seven tenths, nothing happens.
    assert follow([70.0] * 20 + [52.0] * 200, [1.0] * 220, Policy()).decreases == 0


def test_decreases_of_a_day_are_few() -> None:
    """A load that halves every 20 minutes, and comes back: 72 times it would like to fall, 27 times a day it may."""
    waves = ([100.0] * 4 + [10.0] * 20) * (2 * DAY // 24)
    run = follow(waves, [1.0] * len(waves), Policy(lag=0))
    assert run.decreases == 2 * 27
    assert run.delayed > 0


def test_decreases_that_were_not_used_are_four_at_most() -> None:
    """A quiet morning saves none up: of six chances in the hour after it, four are taken, and one more when the next begins."""
    waves = ([100.0] * 4 + [10.0] * 16) * 4
    run = follow([70.0] * (600 - 1) + waves, [1.0] * (599 + len(waves)), Policy(lag=0))
    assert run.decreases == 4
    steep = ([100.0] * 2 + [10.0] * 15) * 7
    again = follow([70.0] * 599 + steep, [1.0] * (599 + len(steep)), Policy(lag=0))
    assert (again.decreases, again.delayed > 0) == (5, True)


@settings(max_examples=60)
@given(LOADS, st.floats(0.2, 0.9), st.integers(0, 10), st.integers(1, 50), st.integers(0, 300))
def test_the_rules_hold_for_any_load(
    spans: list[tuple[int, float, float]], target: float, lag: int, least: int, more: int
) -> None:
    reads, writes = spread(spans)
    limits = Limits(least, least + more)
    run = follow(reads, writes, Policy(limits, limits, target, lag))
    for load, side in ((reads, run.reads), (writes, run.writes)):
        assert len(side.capacity) == len(side.refused) == len(load)
        assert all(least <= units <= least + more for units in side.capacity)
        assert all(0 <= no <= asked * 60 + 1e-6 for no, asked in zip(side.refused, load, strict=True))
        # Never is more given than was ready: what was saved up was ready before.
        given_units = sum(load) * 60 - sum(side.refused)
        assert given_units <= sum(side.capacity) * 60 * (1 + 1e-9) + 1e-6
        if max(load) <= least:
            assert not any(side.refused)
    assert run.decreases <= 4 + (len(reads) - 1) // 60
    assert run.throttled <= len(reads)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Limits(0), "at least one unit"),
        (lambda: Limits(10, 5), "not less than its least"),
        (lambda: Policy(target=0.95), "from 0.2 to 0.9"),
        (lambda: Policy(lag=-1), "minutes from 0 on"),
        (lambda: follow([], [], Policy()), "some minutes"),
        (lambda: follow([1.0], [], Policy()), "as many for reads"),
    ],
    ids=["least", "most", "target", "lag", "empty", "uneven"],
)
def test_what_makes_no_sense_is_refused(make: object, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        make()  # type: ignore[operator]


# ------------------------------------------------------------------------------------------------------------- profiles


def test_a_day_rises_and_falls_between_its_hours() -> None:
    day = day_profile([0, 5, 10, 5])
    assert len(day.minutes) == DAY
    assert [day.minutes[hour * 60] for hour in (0, 3, 6, 12, 18)] == pytest.approx([0, 0.25, 0.5, 1, 0.5])
    assert day.minutes[-1] < 0.01  # towards midnight, where it begins again
    assert day.average == pytest.approx(0.5)
    assert set(day_profile([3]).minutes) == {1.0}


def test_profiles_are_read_from_a_text_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "day.txt").write_text("0.5\n1\n0.5, 0.25\n")
    assert read_profile(str(tmp_path / "day.txt")) == read_profile("0.5,1,0.5,0.25")
    assert read_profile("0.5,1,0.5,0.25").minutes == day_profile([2, 4, 2, 1]).minutes
    for given_text, words in (
        ("1,many", "more than numbers"),
        ("0,0", "not of zeros alone"),
        ("1,-1", "from 0 on"),
        (str(tmp_path / "none"), "no file of a profile"),
    ):
        with pytest.raises(ArgumentError, match=words) as refused:
            read_profile(given_text)
        assert "0.1,0.1,0.3" in (refused.value.hint or "")


# ---------------------------------------------------------------------------------------------------------------- modes


def notes(deployment: Deployment | None = None) -> Table:
    made = Table("Notes", indexes=[GSI("GSI1", projection="KEYS_ONLY")], deployment=deployment)

    class Note(Entity, table=made):
        keys = Keys("NOTE#{note_id}", "NOTE", GSI1=("AUTHOR#{author}", "{note_id}"))
        note_id: str
        author: str

    @made.pattern
    def note(note_id: str) -> Get[Note]:
        return get(Note, Note.note_id == note_id)

    made.expect(Note, size=900, writes=35)
    made.expect(note, rate=140)
    return made


def modes(table: Table, profile: Profile, policy: Policy | None = None) -> ModesCompared:
    return compare_modes(table, profile_loads(table, estimate(table), profile), policy=policy)


def test_a_flat_day_costs_the_same_scaled_and_fixed() -> None:
    table = notes()
    compared = modes(table, day_profile([1]))
    month = (70 * RATES.reads + 70 * RATES.writes) * MONTH / 1e6
    assert compared.months["on-demand"] == pytest.approx(month)
    # 70 reads and 35 writes a second on the table at seven tenths; 35 writes on the index, and one read unit.
    fixed = HOURS * (101 * RATES.read_hour + 100 * RATES.write_hour)
    assert compared.months["provisioned"] == compared.months["scaled"] == pytest.approx(fixed)
    assert compared.throttled == 0
    assert list(compared.months.values()) == sorted(compared.months.values())


def test_scaling_is_cheaper_where_nights_are_quiet() -> None:
    table = notes()
    day = day_profile([0.1] * 7 + [0.5] + [1] * 12 + [0.5] + [0.1] * 3)
    compared = modes(table, day)
    assert compared.months["scaled"] < 0.75 * compared.months["provisioned"]
    assert compared.throttled == 0
    text = shown_modes(compared)
    assert "at 58% of the peak on average" in text
    assert "scaled: " in text


def test_what_comes_too_late_is_told() -> None:
    table = notes()
    spike = Profile(tuple(1.0 if 600 <= minute < 620 else 0.01 for minute in range(DAY)))
    compared = modes(table, spike)
    (own, index) = compared.places
    assert (own.place, index.place) == (TABLE, "GSI1")
    assert 10 <= own.throttled <= 20
    assert f"the table: scaling comes too late for {own.throttled} minutes a day" in shown_modes(compared)
    ready = modes(table, spike, policy=Policy(Limits(100), Limits(50)))
    assert ready.throttled == 0
    assert ready.months["scaled"] > compared.months["scaled"]


def test_scaling_is_as_the_deployment_has_it() -> None:
    billing = Provisioned(read=60, write=20, max_read=80, max_write=40, target=50)
    table = notes(Deployment(billing=billing))
    compared = modes(table, day_profile([0.1, 1]))
    assert 60 < compared.places[0].scaled[0] <= 80
    assert 20 < compared.places[0].scaled[1] <= 40
    assert compared.places[0].fixed == (140, 70)
    # Writes of 35 at the peak fit into 40, reads of 70 into 80.
    assert compared.throttled == 0
