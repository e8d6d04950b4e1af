"""Capacity that was consumed against what is paid for: the bills of each mode, worked out by hand, and what is recommended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tablewright import GSI, Deployment, Entity, Keys, Provisioned, Table, cli
from tablewright.cost.capacity import Consumed, advise_capacity, shown_capacity
from tablewright.cost.entities import TABLE
from tablewright.cost.prices import HOURS, MONTH, load_prices
from tablewright.cost.scaling import Policy, follow
from tablewright.errors import ArgumentError

RATES = load_prices().classes["standard"]
WEEK = 7 * 24


def table(deployment: Deployment | None = None) -> Table:
    made = Table("Notes", indexes=[GSI("GSI1")], deployment=deployment)

    class Note(Entity, table=made):
        keys = Keys("NOTE#{note_id}", "NOTE", GSI1=("AUTHOR#{author}", "{note_id}"))
        note_id: str
        author: str

    return made


def steady(reads: float, writes: float, place: str = TABLE, periods: int = WEEK) -> Consumed:
    """So many units in each second of so many hours."""
    return Consumed(place, 3600, (reads * 3600,) * periods, (writes * 3600,) * periods)


def hours(reads: float, writes: float) -> float:
    return HOURS * (reads * RATES.read_hour + writes * RATES.write_hour)


def test_much_too_much_capacity_is_lowered() -> None:
    over = table(Deployment(billing=Provisioned(read=1000, write=500)))
    advice = advise_capacity(over, [steady(70, 35)])
    assert (advice.mode, advice.recommended_mode) == ("provisioned", "provisioned")
    assert advice.now == pytest.approx(hours(1000, 500))
    assert advice.recommended == pytest.approx(hours(100, 50))
    assert advice.saved == pytest.approx(advice.now - advice.recommended)
    (place,) = advice.places
    assert (place.reads.average, place.reads.peak, place.reads.provisioned, place.reads.wanted) == (70, 70, 1000, 100)
    assert place.reads.share == pytest.approx(0.07)
    assert "Recommended: provisioned" in shown_capacity(advice)
    assert "Read and write units: the table 100 and 50." in shown_capacity(advice)


def test_a_load_that_is_there_for_an_hour_a_day_is_paid_by_request() -> None:
    reads = tuple(360_000.0 if hour % 24 == 9 else 0.0 for hour in range(WEEK))
    kept = table(Deployment(billing=Provisioned(read=150, write=1)))
    advice = advise_capacity(kept, [Consumed(TABLE, 3600, reads, (0.0,) * WEEK)])
    month = 7 * 360_000 / (WEEK * 3600) * MONTH
    assert advice.modes["on-demand"] == pytest.approx(month / 1e6 * RATES.reads)
    assert (advice.recommended_mode, advice.recommended) == ("on-demand", advice.modes["on-demand"])
    assert any("uneven" in note for note in advice.notes)


def test_steady_use_on_demand_is_cheaper_with_capacity() -> None:
    advice = advise_capacity(table(), [steady(700, 70), steady(7, 70, "GSI1")])
    month = (707 * RATES.reads + 140 * RATES.writes) * MONTH / 1e6
    assert (advice.mode, advice.now) == ("on-demand", pytest.approx(month))
    assert advice.recommended_mode in ("provisioned", "scaled")
    assert advice.modes["provisioned"] == pytest.approx(hours(1010, 200))
    assert advice.saved > 0


def test_what_is_about_right_is_left_alone() -> None:
    right = table(Deployment(billing=Provisioned(read=100, write=50)))
    advice = advise_capacity(right, [steady(70, 35)])
    assert (advice.saved, advice.recommended) == (0, advice.now)
    assert "leave it as it is" in shown_capacity(advice)


def test_scaling_follows_the_load_between_its_bounds() -> None:
    billing = Provisioned(read=10, write=10, max_read=100, max_write=100, target=50)
    scaled = table(Deployment(billing=billing))
    reads = tuple(rate * 3600.0 for rate in (1, 20, 500) * 56)
    advice = advise_capacity(scaled, [Consumed(TABLE, 3600, reads, (0.0,) * WEEK)])
    assert advice.mode == "scaled"
    assert advice.now == pytest.approx(hours((10 + 40 + 100) / 3, 10))


def test_minutes_are_followed_as_dynamodb_does() -> None:
    """Two days that rise slowly to a peak of many times the average: of hours it looks uneven, of minutes it can be followed."""
    day = [50 + 950 * max(0.0, 1 - abs(minute - 720) / 290) for minute in range(1440)]
    reads = tuple(rate * 60 for rate in day * 2)
    measured = Consumed(TABLE, 60, reads, (0.0,) * len(reads))
    assert max(reads) > 4 * sum(reads) / len(reads)
    run = follow([r / 60 for r in reads], [0.0] * len(reads), Policy())
    advice = advise_capacity(table(), [measured])
    assert run.throttled == 0
    assert advice.modes["scaled"] == pytest.approx(hours(run.reads.average, 1))
    assert (advice.recommended_mode, advice.recommended) == ("scaled", advice.modes["scaled"])
    assert not any("uneven" in note for note in advice.notes)
    steep = tuple(60_000.0 if minute % 1440 < 20 else 600.0 for minute in range(60, 2940))
    late = advise_capacity(table(), [Consumed(TABLE, 60, steep, (0.0,) * len(steep))])
    assert late.recommended_mode == "on-demand"
    assert any("scaling would come too late" in note for note in late.notes)


def test_an_index_has_its_own_capacity() -> None:
    billing = Provisioned(read=100, write=100, indexes={"GSI1": Provisioned(read=5, write=7)})
    advice = advise_capacity(table(Deployment(billing=billing)), [steady(1, 1), steady(1, 20, "GSI1")])
    assert advice.now == pytest.approx(hours(105, 107))
    assert any(note.startswith("GSI1: the peak of writes is above") for note in advice.notes)


@pytest.mark.parametrize(
    ("consumed", "words"),
    [
        ([], "Nothing is said"),
        ([steady(1, 1, "GSI9")], "no global index 'GSI9'"),
        ([Consumed(TABLE, 60, (1.0,), ())], "not the same for reads and writes"),
    ],
    ids=["nothing", "index", "periods"],
)
def test_what_cannot_be_compared_is_refused(consumed: list[Consumed], words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        advise_capacity(table(), consumed)


MODEL = """
from tablewright import Deployment, Entity, GSI, Keys, Provisioned, Table

notes = Table("Notes", indexes=[GSI("GSI1")], deployment=Deployment(billing=Provisioned(read=500, write=100)))

class Note(Entity, table=notes):
    keys = Keys("NOTE#{note_id}", "NOTE", GSI1=("AUTHOR#{author}", "{note_id}"))
    note_id: str
    author: str
"""


def printed(metric: str, sums: dict[str, float]) -> str:
    return json.dumps(
        {"Label": metric, "Datapoints": [{"Timestamp": t, "Sum": s, "Unit": "Count"} for t, s in sums.items()]}
    )


def test_the_command_reads_what_cloudwatch_printed(tmp_path: Path) -> None:
    (tmp_path / "capacity_model.py").write_text(MODEL)
    (tmp_path / "reads.json").write_text(
        printed(
            "ConsumedReadCapacityUnits", {"2026-01-01T02:00:00+00:00": 7200.0, "2026-01-01T00:00:00+00:00": 36_000.0}
        )
    )
    (tmp_path / "writes.json").write_text(printed("ConsumedWriteCapacityUnits", {"2026-01-01T01:00:00Z": 3600.0}))
    (tmp_path / "idle.json").write_text(printed("ConsumedReadCapacityUnits", {}))
    files = [
        f"{place}{tmp_path / name}.json" for place in ("", "GSI1=") for name in ("idle" if place else "reads", "writes")
    ]
    done = CliRunner().invoke(cli.app, ["capacity", str(tmp_path / "capacity_model.py"), *files, "--json"])
    assert done.exit_code == 0, done.output
    advice = json.loads(done.stdout)
    first, second = advice["places"]
    assert (first["place"], second["place"]) == (TABLE, "GSI1")
    assert first["reads"] == {"average": 4.0, "peak": 10.0, "provisioned": 500, "wanted": 15}
    assert (second["reads"]["peak"], second["writes"]["peak"]) == (0.0, 1.0)
    assert advice["now"] == pytest.approx(2 * hours(500, 100))
    assert advice["saved"] == pytest.approx(advice["now"] - advice["recommended"])


def test_sums_of_another_period_are_refused(tmp_path: Path) -> None:
    (tmp_path / "capacity_model.py").write_text(MODEL)
    sums = {"2026-01-01T00:00:00Z": 300.0, "2026-01-01T00:05:00Z": 600.0, "2026-01-01T01:00:00Z": 300.0}
    (tmp_path / "reads.json").write_text(printed("ConsumedReadCapacityUnits", sums))
    (tmp_path / "writes.json").write_text(printed("ConsumedWriteCapacityUnits", {}))
    files = [str(tmp_path / name) for name in ("capacity_model.py", "reads.json", "writes.json")]
    command = ["capacity", *files, "--json"]
    refused = CliRunner().invoke(cli.app, command)
    assert isinstance(refused.exception, ArgumentError)
    assert "300 seconds apart, which are no periods of 3600 seconds" in str(refused.exception)
    done = CliRunner().invoke(cli.app, [*command, "--period", "300"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["places"][0]["reads"]["peak"] == 2.0


def test_what_was_not_given_is_not_taken_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "capacity_model.py").write_text(MODEL)
    (tmp_path / "reads.json").write_text(printed("ConsumedReadCapacityUnits", {"2026-01-01T00:00:00Z": 36_000.0}))
    (tmp_path / "writes.json").write_text(printed("ConsumedWriteCapacityUnits", {"2026-01-01T00:00:00Z": 3600.0}))
    (tmp_path / "idle.json").write_text(printed("ConsumedReadCapacityUnits", {}))
    (tmp_path / "none.json").write_text(printed("ConsumedWriteCapacityUnits", {}))

    def told(*files: str) -> str:
        paths = [f"{place}{mark}{tmp_path / name}" for place, mark, name in (f.rpartition("=") for f in files)]
        done = CliRunner().invoke(cli.app, ["capacity", str(tmp_path / "capacity_model.py"), *paths])
        return done.stdout if done.exception is None else str(done.exception)

    assert "No file tells of ConsumedWriteCapacityUnits of the table." in told("reads.json")
    assert "No file tells of ConsumedReadCapacityUnits of GSI1." in told(
        "reads.json", "writes.json", "GSI1=writes.json"
    )
    assert "another file told of ConsumedReadCapacityUnits" in told("reads.json", "reads.json", "writes.json")
    assert "no consumption at all" in told("idle.json", "none.json")
    assert "Nothing was said of GSI1, which is not counted." in told("reads.json", "writes.json")
    assert "Nothing was said" not in told("reads.json", "writes.json", "GSI1=idle.json", "GSI1=writes.json")


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "capacity_model.py").write_text(MODEL)
    (tmp_path / "other.json").write_text(printed("UserErrors", {}))
    for file, words in (("other.json", "another metric, UserErrors"), ("none.json", "There is no file")):
        done = CliRunner().invoke(cli.app, ["capacity", str(tmp_path / "capacity_model.py"), str(tmp_path / file)])
        assert words in str(done.exception)
