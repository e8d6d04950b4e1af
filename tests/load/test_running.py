"""Whole loads: a hot design fails and is named, a spread one passes, and nothing is written where nobody agreed."""

from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tablewright import Bucket, Entity, Keys, Table
from tablewright.engine import open_engine
from tablewright.errors import ArgumentError, ConfigError
from tablewright.load.opening import may_write, place_of
from tablewright.load.report import Limits, LoadReport
from tablewright.load.running import LoadSettings, clean_up, run_load
from tablewright.load.showing import shown
from tablewright.observe.snapshot import Snapshot
from tablewright.server import serve_in_thread
from tablewright.survey.items import stored_items

TIGHT = Limits(reads=300, writes=100)
SHORT = LoadSettings(seconds=3, items=20, limits=TIGHT)


def figures(report: LoadReport) -> Any:
    """All that does not depend on the machine."""
    told = msgspec.to_builtins(report)
    for one in (told, *told["results"]):
        for name in ("p50_ms", "p95_ms", "p99_ms", "max_ms"):
            one.pop(name, None)
    return told


def test_a_design_with_one_partition_for_all_fails_and_it_is_named(make_events: Any) -> None:
    report = run_load(make_events(writes=300), "memory:", SHORT)
    assert report.simulated
    assert report.seconds == pytest.approx(3, abs=0.1)
    hottest = report.partitions[0]
    assert (hottest.place, hottest.key) == ("", "EVENTS")
    assert hottest.write_share == 1.0
    # A bucket holds the units of one second at the start, and fills with as many in each.
    assert report.throttled == pytest.approx(3 * 300 - 4 * 100, rel=0.1)
    assert not report.well
    assert any("'EVENTS' of the table is hot" in problem for problem in report.problems)
    assert "PROBLEM" in shown(report)


def test_a_design_that_spreads_it_passes(make_events: Any) -> None:
    report = run_load(make_events(8, writes=300), "memory:", SHORT)
    assert report.well, report.problems
    assert report.throttled == report.errors == 0
    assert max(one.write_share for one in report.partitions) < 0.25
    assert shown(report).endswith("No problems.")


def test_a_hot_index_is_named_with_its_key(library: Table) -> None:
    settings = LoadSettings(seconds=2, items=20, only=("Book",), scale=200, limits=Limits(3000, 60))
    report = run_load(library, "memory:", settings)
    hottest = report.partitions[0]
    assert hottest.place == "GSI1"
    assert hottest.key.startswith("SHELF#")
    assert hottest.throttled > 0
    assert any(hottest.name in problem for problem in report.problems)


def test_hot_reads_are_throttled_too(make_events: Any) -> None:
    settings = LoadSettings(seconds=2, items=50, only=("since",), scale=50, limits=Limits(reads=50, writes=1000))
    report = run_load(make_events(rate=10), "memory:", settings)
    assert report.results[0].throttled > 100
    assert any("of the read units of the table" in problem for problem in report.problems)


@pytest.mark.parametrize(("hottest", "well"), [(0.5, False), (0.01, True)])
def test_one_hot_tenant_fails_and_many_alike_pass(hottest: float, well: bool) -> None:
    orders = Table("Orders")

    class Order(Entity, table=orders):
        keys = Keys("TENANT#{tenant_id}", "ORDER#{order_id}")
        tenant_id: str
        order_id: str

    orders.expect(Order, writes=300)
    orders.expect(Order.tenant_id, distinct=1_000, hottest=hottest)
    report = run_load(orders, "memory:", SHORT)
    assert report.well is well, report.problems
    assert report.errors == 0
    if not well:
        (hot,) = [one for one in report.partitions if one.throttled]
        assert hot.key.startswith("TENANT#tw-load-")
        assert any(repr(hot.key) in problem for problem in report.problems)


def test_what_is_written_now_goes_to_the_bucket_of_now() -> None:
    readings = Table("Readings")

    class Reading(Entity, table=readings):
        keys = Keys("DAY#{day}", "{at}#{device_id}", derive={"day": Bucket("at", "day")})
        device_id: str
        at: datetime

    readings.expect(Reading, writes=300)
    report = run_load(readings, "memory:", SHORT)
    assert [one.key for one in report.partitions if one.throttled] == ["DAY#2025-01-01"]


def test_transactions_that_are_cancelled_for_it_count_as_throttled(library: Table) -> None:
    settings = LoadSettings(seconds=2, items=20, only=("Member",), scale=100, limits=Limits(reads=1000, writes=3))
    report = run_load(library, "memory:", settings)
    assert report.throttled > 20
    assert report.errors == 0, report.problems
    assert report.partitions[0].key.startswith("MEMBER#")
    assert report.partitions[0].fields[0].endswith(".member_id")


def test_the_same_seed_makes_the_same_load(library: Table) -> None:
    settings = LoadSettings(seconds=2, items=20, limits=TIGHT)
    first, second = (figures(run_load(library, "memory:", settings)) for _ in range(2))
    other = figures(run_load(library, "memory:", msgspec.structs.replace(settings, seed=1)))
    assert first == second != other


def test_patterns_are_driven_at_their_rates_and_find_what_they_ask_for(library: Table) -> None:
    report = run_load(library, "memory:", LoadSettings(seconds=20, items=40, simulated=True))
    results = {one.name: one for one in report.results}
    assert report.well, report.problems
    assert results["member"].rate == pytest.approx(20, rel=0.2)
    assert results["member"].items == 1.0
    assert results["loans_of"].items > 0.5
    assert results["on_shelf"].items > 1
    assert results["member"].read_units == results["member"].requests * 0.5
    assert results["Loan: create"].write_units == 2 * results["Loan: create"].requests
    assert results["Member: create"].write_units > 2 * results["Member: create"].requests  # with a unique rule
    assert any("loans_with()" in note for note in report.notes)


def test_it_is_bounded_by_requests_too(make_events: Any) -> None:
    report = run_load(
        make_events(), "memory:", msgspec.structs.replace(SHORT, requests=50, limits=None, simulated=True)
    )
    assert report.requests == 50


def test_what_was_observed_is_kept_for_advice(make_events: Any, tmp_path: Path) -> None:
    report = run_load(make_events(writes=300), "memory:", SHORT, save=tmp_path / "seen.json")
    seen = Snapshot.load(tmp_path / "seen.json")
    assert seen.requests == report.requests
    assert seen.seconds == pytest.approx(3, abs=0.1)
    assert seen.places[""].writes.top(1)[0].key == "EVENTS"
    # Time is simulated, and what a request takes is measured.
    assert all(0 < t.latency.quantile(0.5) < 1 for t in seen.traffic)
    assert sum(t.failures.get("THROTTLED", 0) for t in seen.traffic) == report.throttled


def test_requests_are_observed_as_of_callers_who_know_nothing_of_each_other(library: Table, tmp_path: Path) -> None:
    settings = LoadSettings(seconds=3, items=20, scale=4, simulated=True)
    run_load(library, "memory:", settings, save=tmp_path / "seen.json")
    seen = Snapshot.load(tmp_path / "seen.json")
    assert {t.pattern for t in seen.traffic} >= {"member", "loans_of", "on_shelf"}
    assert sum(t.bursts + t.after_read for t in seen.traffic) == 0


# ------------------------------------------------------------------------------------------------- other targets


def test_a_file_is_loaded_in_real_time_and_cleaned(library: Table, tmp_path: Path) -> None:
    file = str(tmp_path / "library.db")
    member: Any = next(iter(library.entities.values()))
    with library.open(file) as db:
        db.create(member(member_id="ada", email="ada@example.com", name="Ada"))
        before = list(stored_items(db))
    report = run_load(library, file, LoadSettings(seconds=0.4, items=10, concurrency=4))
    assert not report.simulated
    assert report.requests > 5
    assert report.errors == report.unsent == 0
    (left,) = [note for note in report.notes if note.startswith("Left out: Opening")]
    assert left.endswith("nothing in its key could tell what is written from what others have stored.")
    with library.open(file) as db:
        assert len(list(stored_items(db))) > len(before) + 20
    assert clean_up(library, file) > 20
    with library.open(file) as db:
        assert list(stored_items(db)) == before


def test_a_server_on_this_machine_is_loaded(library: Table) -> None:
    with open_engine("memory:") as engine, serve_in_thread(engine) as server:
        options = LoadSettings(seconds=0.3, items=5, concurrency=2)
        report = run_load(library, server.url, options, create=True)
        assert report.requests > 3
        assert report.errors == 0


def test_reads_alone_are_about_what_is_stored(library: Table, tmp_path: Path) -> None:
    file = str(tmp_path / "library.db")
    run_load(library, file, LoadSettings(seconds=0.05, items=10))
    with library.open(file) as db:
        before = list(stored_items(db))
    report = run_load(library, file, LoadSettings(seconds=0.3, items=10, reads_only=True))
    assert {one.kind for one in report.results} == {"read"}
    assert {one.name: one.items for one in report.results if one.requests}["member"] == 1.0
    with library.open(file) as db:
        assert list(stored_items(db)) == before


@pytest.mark.parametrize(
    ("target", "place"),
    [
        ("memory:", "memory"),
        ("shop.db", "file"),
        ("./aws:", "file"),
        ("http://127.0.0.1:8000", "loopback"),
        ("http://localhost:8000", "loopback"),
        ("http://[::1]:8000", "loopback"),
        ("http://10.0.0.1:8000", "remote"),
        ("https://localhost.example.com", "remote"),
        ("http://127.0.0.1.example.com", "remote"),
        ("http://user@192.0.2.1:8000", "remote"),
        ("aws:eu-central-1", "remote"),
        ("aws:", "remote"),
    ],
)
def test_what_is_on_this_machine_is_told_from_what_is_not(target: str, place: str) -> None:
    assert place_of(target) == place
    assert may_write(target, None) == (place != "remote")
    assert may_write(target, target)


def test_agreeing_to_another_target_is_agreeing_to_nothing(library: Table) -> None:
    with pytest.raises(ArgumentError, match="aws:eu-west-1"):
        run_load(library, "aws:eu-central-1", LoadSettings(yes_write_to="aws:eu-west-1"))


def test_writes_alone_to_a_foreign_target_are_refused_before_it_is_reached(library: Table) -> None:
    with pytest.raises(ArgumentError, match="no load to make"):
        run_load(library, "http://192.0.2.1:1", LoadSettings(only=("Loan",)))
    with pytest.raises(ArgumentError, match="not on this machine"):
        clean_up(library, "http://192.0.2.1:1")


def test_a_region_is_not_taken_for_a_file(library: Table) -> None:
    with pytest.raises(ConfigError, match="would make a file"):
        run_load(library, "eu-central-1")


def test_what_cannot_be_is_refused_before_anything_is_sent(library: Table, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="in memory and in files only"):
        run_load(library, "http://127.0.0.1:1", LoadSettings(limits=TIGHT))
    with pytest.raises(ArgumentError, match="no folder"):
        run_load(library, "memory:", save=tmp_path / "missing" / "seen.json")


def test_time_is_simulated_in_memory_only(library: Table, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="in memory only"):
        run_load(library, str(tmp_path / "x.db"), LoadSettings(simulated=True))


@pytest.mark.parametrize("wrong", [{"seconds": 0}, {"requests": 0}, {"concurrency": 0}, {"items": 0}, {"zipf": -1}])
def test_settings_without_an_end_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError, match="above 0"):
        LoadSettings(**wrong)
