"""`tablewright cost`: one estimate, and beside it whatever else was asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tablewright import cli
from tablewright.errors import ArgumentError
from tablewright.observe.snapshot import Minute, Snapshot, Traffic

MODEL = """
from tablewright import GSI, Entity, Get, Keys, Table, get

shop = Table("Shop", indexes=[GSI("GSI1")])


class Order(Entity, table=shop):
    keys = Keys("ORDER#{order}", "ORDER", GSI1=("STATUS#{status}", "{order}"))
    order: str
    status: str


@shop.pattern
def order(order: str) -> Get[Order]:
    return get(Order, Order.order == order)


shop.expect(Order, items=1_000_000, size=1_500, writes=10)
shop.expect(order, rate=100)
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    file = tmp_path / "cost_model.py"
    file.write_text(MODEL)
    return str(file)


def run(*arguments: str) -> str:
    done = CliRunner().invoke(cli.app, ["cost", *arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


def snapshot(path: Path, since: float) -> str:
    seen = Snapshot(table="Shop", spans=[(since, since + 600)])
    seen.traffic = [Traffic(operation="GetItem", pattern="order", entity="Order", requests=600, read_units=300.0)]
    seen.minutes[int(since // 60) + 1] = Minute(600, 300.0, 0.0)
    seen.save(path)
    return str(path)


def test_everything_at_once(model: str, tmp_path: Path) -> None:
    picture = tmp_path / "cost.svg"
    text = run(
        *(
            model,
            "--share",
            "0.5",
            "--profile",
            "0.2,0.5,1,0.5",
            "--what-if",
            "drop GSI1",
            "--what-if",
            "mode provisioned",
        ),
        *("--months", "24", "--traffic", "0.02", "--creates", "Order=1", "--lives", "Order=400"),
        *("--backups", "2", "--restores", "1", "--stream-readers", "1", "--kinesis", "--replicas", "1"),
        *("--plot", str(picture)),
    )
    for words in (
        "Shop, prices of us-east-1 since 2024-11",
        "streams ",
        "backups ",
        "replicas ",
        "Reads and writes of a month in USD, at 55% of the peak on average:",
        "What if 'drop GSI1': ",
        "What if 'mode provisioned': ",
        "  after 24 months: ",
    ):
        assert words in text, words
    assert picture.read_text().startswith("<svg ")


def test_programs_get_the_same_in_json(model: str, tmp_path: Path) -> None:
    plain = json.loads(run(model, "--json"))
    seen = [snapshot(tmp_path / f"{name}.json", 1_767_268_800.0 + 600 * name) for name in (0, 1)]
    asked = [
        "--what-if",
        "drop GSI1",
        "--months",
        "2",
        "--profile",
        "0.5,1",
        "--observed",
        seen[0],
        "--observed",
        seen[1],
    ]
    whole = json.loads(run(model, "--json", *asked))
    assert {key: whole[key] for key in plain} == plain
    assert whole.keys() - plain.keys() == {"modes", "observed", "observed_modes", "what_if", "growth"}
    (row,) = whole["observed"]["patterns"]
    assert (row["name"], row["observed_rate"], row["observed_units"]) == ("order()", 1.0, 0.5)
    assert len(whole["growth"]["months"]) == 3
    assert whole["what_if"][0]["unserved"] == []


def test_what_was_observed_stands_beside_what_is_declared(model: str, tmp_path: Path) -> None:
    text = run(model, "--observed", snapshot(tmp_path / "seen.json", 1_767_268_800.0))
    assert "Shop, a month on demand in USD, as declared and as observed:" in text
    assert "order(): 16.43 declared, 0.16 observed (100 requests a second declared, 1 observed" in text
    assert "Observed for 10 minutes between 2026-01-01 12:00 and 2026-01-01 12:10 UTC" in text


def test_everything_else_can_go_by_what_was_observed(model: str, tmp_path: Path) -> None:
    seen = snapshot(tmp_path / "seen.json", 1_767_268_800.0)
    asked = ["--observed", seen, "--as-observed", "--what-if", "class infrequent", "--months", "1"]
    found = json.loads(run(model, "--json", *asked))
    # 300 units in one minute of ten; half a unit each, and no writes at all.
    assert found["patterns"][0]["rate"] == pytest.approx(10)
    month = 730 * 3600 / 1e6
    on_demand = next(o for o in found["offers"] if (o["mode"], o["table_class"]) == ("on-demand", "standard"))
    assert on_demand["bill"]["reads"] == pytest.approx(0.5 * month * 0.125)
    assert on_demand["bill"]["writes"] == 0
    assert found["what_if"][0]["after"]["bill"]["reads"] == pytest.approx(0.5 * month * 0.155)
    assert found["growth"]["months"][1]["items"] == {"Order": 1_000_000}
    assert found["observed"]["declared"]["reads"] == pytest.approx(50 * month * 0.125)


def test_a_share_beside_what_was_observed_is_of_what_is_declared(model: str, tmp_path: Path) -> None:
    seen = snapshot(tmp_path / "seen.json", 1_767_268_800.0)
    text = run(model, "--observed", seen, "--as-observed", "--share", "0.25")
    assert "the average was 10% of it, and so is the whole month" in text
    assert "The share of 25% that was said is of the declared peak, and not used here." in text
    assert "say a share of it" not in text
    assert "reads: 4.11 declared" in text
    assert "that was said is of" not in run(model, "--observed", seen, "--as-observed")


def test_a_profile_says_what_it_was_divided_by_and_which_share_it_has(model: str) -> None:
    text = run(model, "--profile", "0.3,0.3", "--share", "0.25")
    assert "The greatest number of the profile is 0.3. It stands for the peak that was said" in text
    assert "at 100% of the peak on average; the share of 25% is used above" in text
    plain = run(model, "--profile", "0.3,1")
    assert "greatest number" not in plain
    assert "is used above" not in plain


def test_what_is_kept_ready_is_held_against_what_was_observed(tmp_path: Path) -> None:
    file = tmp_path / "kept_model.py"
    kept = "from tablewright import Deployment, Provisioned\n" + MODEL.replace(
        'GSI("GSI1")]', 'GSI("GSI1")], deployment=Deployment(billing=Provisioned(read=40, write=20))'
    )
    file.write_text(kept)
    text = run(str(file), "--observed", snapshot(tmp_path / "seen.json", 1_767_268_800.0))
    assert "Shop: provisioned, 26.57 USD a month for reads and writes" in text
    assert "of 40 provisioned (1% used)" in text
    assert "it saves" in text


def test_a_picture_as_png(model: str, tmp_path: Path) -> None:
    pytest.importorskip("resvg_py")
    run(model, "--plot", str(tmp_path / "cost.png"))
    assert (tmp_path / "cost.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--plot", "cost.pdf"], "no file of a picture"),
        (["--plot", "nowhere/cost.svg"], "no folder nowhere"),
        (["--creates", "Order"], "a name and a number"),
        (["--creates", "=2"], "a name and a number"),
        (["--lives", "Order=-1"], "a name and a number"),
        (["--lives", "Ordre=1", "--months", "2"], "no entity 'Ordre'"),
        (["--lives", "Order=1"], "about months to come"),
        (["--traffic", "0.1"], "about months to come"),
        (["--as-observed"], "needs files of what was observed"),
        (["--observed", "none.json"], "no file of observations none.json"),
        (["--what-if", "drop GSI7"], "no index 'GSI7'"),
        (["--profile", "none"], "no file of a profile"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_done_is_said(model: str, arguments: list[str], words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        run(model, *arguments)
