"""`tablewright move`: the whole way of a moving and back, by its commands, on files."""

from __future__ import annotations

import ast
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner, Result

from tablewright import cli
from tablewright.cli.move import move as cli_move
from tablewright.cli.move.hints import in_commands
from tablewright.engine import Engine, open_engine
from tablewright.errors import ArgumentError, ConfigError, ResourceNotFound, TablewrightError
from tablewright.evolve.jobs import checkpoints
from tablewright.evolve.moving import phases, planning, reading, retiring, session, settling
from tablewright.server import serve_in_thread
from tablewright.values.wire import to_wire_item

MARKET = """
from datetime import timedelta

from tablewright import Entity, Get, Keys, Query, Table, get, query
from tablewright.evolve.moving import LegacyGet, LegacyQuery, Move, Moving, Read

market = Table("Market")


class Merchant(Entity, table=market):
    keys = Keys("MERCHANT#{merchant_id}", "MERCHANT")
    merchant_id: int
    name: str


class Review(Entity, table=market):
    keys = Keys("MERCHANT#{merchant_id}", "REVIEW#{review_id}")
    merchant_id: int
    review_id: str
    stars: int


@market.pattern
def merchant(merchant_id: int) -> Get[Merchant]:
    return get(Merchant, Merchant.merchant_id == merchant_id)


@market.pattern
def reviews_of(merchant_id: int) -> Query[Review]:
    return query(Review, Review.merchant_id == merchant_id)


moving = Moving(
    "market",
    table=market,
    moves=[
        Move(
            table="Merchants",
            key=("id",),
            entity=Merchant,
            fields={"merchant_id": "id", "name": "name"},
            back=lambda m: {"id": m.merchant_id, "name": m.name},
        ),
        Move(
            table="Reviews",
            key=("merchant", "id"),
            entity=Review,
            fields={"merchant_id": "merchant", "review_id": "id", "stars": "stars"},
            back=lambda r: {"merchant": r.merchant_id, "id": r.review_id, "stars": r.stars},
        ),
    ],
    refresh=0.01,
    safety_period=timedelta(0),
)
one = Read(Merchant, lambda number: LegacyGet("Merchants", {"id": number}), merchant)
others = {"many": Read(Review, lambda number: LegacyQuery("Reviews", {"merchant": number}), reviews_of)}
"""


def define(engine: Engine, table: str, **keys: str) -> None:
    engine.execute(
        "CreateTable",
        {
            "TableName": table,
            "AttributeDefinitions": [{"AttributeName": n, "AttributeType": t} for n, t in keys.items()],
            "KeySchema": [{"AttributeName": n, "KeyType": k} for n, k in zip(keys, ("HASH", "RANGE"), strict=False)],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )


def fill(engine: Engine, merchants: int = 5) -> None:
    define(engine, "Merchants", id="N")  # keys that are no texts: checkpoints could not stand among these items
    define(engine, "Reviews", merchant="N", id="S")
    for number in range(merchants):
        put(engine, "Merchants", {"id": number, "name": "secret"})
        for review in range(2):
            put(engine, "Reviews", {"merchant": number, "id": f"r{review}", "stars": review})


def put(engine: Engine, table: str, item: dict[str, Any]) -> None:
    engine.execute("PutItem", {"TableName": table, "Item": to_wire_item(item)})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "market.py").write_text(MARKET)
    with open_engine("market.db") as engine:
        fill(engine)
    return tmp_path


@pytest.fixture
def file(folder: Path) -> Iterator[Engine]:
    """The same file, for who looks into it between two commands."""
    with open_engine("market.db") as engine:
        yield engine


def move(command: str, *words: str, on: str | None = "market.db", what: str = "market.py") -> Result:
    place = [] if on is None else ["--on", on]
    return CliRunner().invoke(cli.app, ["move", command, what, *words, *place])


def said(command: str, *words: str, on: str | None = "market.db", exit_code: int = 0) -> str:
    done = move(command, *words, on=on)
    assert done.exit_code == exit_code, (command, words, done.output, done.exception)
    assert "secret" not in done.output
    return done.output


def told(command: str, *words: str, on: str = "market.db", exit_code: int = 0) -> dict[str, Any]:
    done = move(command, *words, "--json", on=on)
    assert done.exit_code == exit_code, (command, words, done.output, done.exception)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def failed(command: str, *words: str, on: str | None = "market.db", what: str = "market.py") -> TablewrightError:
    done = move(command, *words, on=on, what=what)
    assert isinstance(done.exception, TablewrightError), (done.output, done.exception)
    return done.exception


def interrupted(*given: object) -> None:
    """Ctrl-C, just here."""
    raise KeyboardInterrupt


def from_dual_into_new() -> None:
    """Through the phases behind dual, with what each needs."""
    for phase in ("shadow", "switched"):
        said("backfill", "--write")
        said("verify")
        Path("reads.jsonl").write_text('{"read": "merchant", "with": {"merchant_id": 1}}')
        said("shadow", "--reads", "reads.jsonl", "--tell")
        said("advance", phase)
    said("switch", "100")
    said("verify")
    said("advance", "new")


def test_the_whole_way(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Nothing is wrong." in said("plan")
    assert "The table Market and the ledger market-moving are there." in said("prepare")
    assert said("status").startswith("legacy: legacy tables are read and written\nflag: 0 percent")
    dry = said("backfill")
    assert "looked at 5 items, 5 to write, 0 skipped" in dry
    assert "about 10 items to write" in dry
    assert dry.endswith("Nothing was written. --write does it.\n")
    assert "does not belong to the phase 'legacy'" in failed("backfill", "--write").message
    assert said("advance", "dual") == "dual: both are written, legacy tables are read.\n"
    wrong = failed("advance", "shadow")
    assert "no verification" in wrong.message
    assert wrong.hint == "Run `tablewright move backfill`, then `tablewright move verify`."
    assert "verified: not yet\n" in said("status")
    assert "Not all is well." in said("verify", exit_code=1)
    assert re.search(r"verified: not yet; the last verification, of \S+, found 15 differences\n", said("status"))
    assert told("status")["wrong"] == 15
    assert "found everything right; the last verification, of" in failed("advance", "shadow").message
    assert "5 written, 0 skipped" in said("backfill", "--write")
    again = said("backfill", "--write", "--max-write-units", "500", "--segments", "2")
    assert again.count("nothing to change") == 2
    assert said("repair", "--write") == "Nothing to do.\n"
    assert "Merchant: 5 expected, 5 found, checksums not compared, since applications" in said("verify", "--writing")
    said("advance", "shadow")
    assert "0 reads compared by applications" in said("shadow")
    untold = failed("advance", "switched")
    assert "no shadow reads were told of yet" in untold.message
    assert "told by `tablewright move shadow --reads FILE --tell`" in (untold.hint or "")
    Path("reads.jsonl").write_text(
        '{"read": "merchant", "with": {"merchant_id": 1}}\n\n{"read": "reviews_of", "with": {"merchant_id": "2"}}\n'
    )
    assert "2 reads compared, 0 differed." in said("shadow", "--reads", "reads.jsonl", "--tell")
    assert "2 reads compared by applications" in said("shadow")
    said("advance", "switched")
    late = said("shadow", "--reads", "reads.jsonl", "--tell")
    assert "The ledger keeps nothing of it: it counts in the phase 'shadow' only, and this is 'switched'." in late
    assert told("shadow", "--reads", "reads.jsonl", "--tell")["kept"] is False
    assert "10 percent of subjects" in said("switch", "10")
    assert "Everybody reads the legacy tables" in said("kill")
    assert "killed" in said("status")
    said("switch", "100")
    assert "no verification was made since the safety period was over" in failed("advance", "new").message
    said("verify")
    said("advance", "new")
    assert "there is nothing to send readers back to" in failed("kill").message
    assert said("restore-legacy", "--write") == "Nothing to do.\n"
    assert "Nothing was deleted" in said("retire", "archive")
    assert not Path("archive").exists()
    with monkeypatch.context() as patch:
        patch.setattr(retiring, "_unmark", interrupted)
        assert "Stopped. The same command goes on where it was." in said("retire", "archive", "--write", exit_code=130)
    assert "Merchants: 5 items in archive/Merchants.json.gz, and deleted" in said("retire", "archive", "--write")
    assert told("status")["retired"] == {"Merchants": "deleted", "Reviews": "deleted"}
    assert "market-moving: deleted" in said("retire", "archive", "--write", "--delete-ledger")
    over = said("status")
    assert over.startswith("The move is over: the legacy table Merchants, the legacy table Reviews and the ledger")
    assert "say where by --legacy" in over
    assert told("status") == {
        "phase": "over",
        "prepared": False,
        "missing": ["Merchants", "Reviews", "market-moving"],
    }


def test_all_items_are_planned_with(folder: Path) -> None:
    assert told("plan", "--sample", "2")["sampled"] == {"Merchants": 2, "Reviews": 2}
    assert told("plan", "--sample", "2", "--all")["sampled"] == {"Merchants": 5, "Reviews": 10}


def test_json(file: Engine) -> None:
    assert told("plan") == {
        "sampled": {"Merchants": 5, "Reviews": 10},
        "made": {"Merchant": 5, "Review": 10},
        "remarks": [],
        "problems": [],
        "well": True,
    }
    said("prepare")
    said("advance", "dual")
    done = told("backfill", "--write", "--move", "Reviews")
    assert [one["counts"]["written"] for one in done["reports"]] == [10]
    assert done["pending"] == {}
    status = told("status")
    assert (status["phase"], status["holds"], status["percent"], status["pending"]) == ("dual", True, 0, {})
    found = told("verify", exit_code=1)
    assert found["differences"] == [
        {"where": "Merchant", "what": "missing", "count": 5},
    ]
    assert told("mend", exit_code=1)["differences"] == found["differences"]
    mended = told("mend", "--write")
    assert (mended["settled"], mended["left"], mended["written"], mended["found"]["well"]) == (5, {}, True, True)
    assert told("mend")["well"]
    assert told("repair") == {"settled": 0, "left": {}, "written": False}


def test_what_is_wrong_is_told_by_plan_and_by_its_exit_code(file: Engine) -> None:
    put(file, "Merchants", {"id": 9, "name": "secret", "colour": "secret"})
    put(file, "Reviews", {"merchant": 9, "id": "r", "stars": "secret"})
    assert "the attribute 'colour' is neither mapped nor dropped, 1 time\n" in said("plan", exit_code=1)
    problems = told("plan", exit_code=1)["problems"]
    assert [one["where"] for one in problems] == ["Merchants", "Reviews"]
    said("prepare")
    said("advance", "dual")
    assert "skipped 1 item" in said("backfill", "--write", exit_code=1)
    assert "cannot be moved" in said("verify", "--writing", exit_code=1)


def rows(path: str = "bad.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def test_which_items_are_wrong_stands_in_a_file(file: Engine) -> None:
    file_of = ("--bad-rows", "bad.jsonl")
    put(file, "Merchants", {"id": 90909, "name": "secret", "colour": "secret"})
    put(file, "Reviews", {"merchant": 80808, "id": "r", "stars": "secret"})
    no_stars = "Review.stars: Input should be a valid integer, unable to parse string as an integer"
    unfit = {"side": "legacy", "table": "Reviews", "key": {"merchant": {"N": "80808"}, "id": {"S": "r"}}}
    colour = {"side": "legacy", "table": "Merchants", "key": {"id": {"N": "90909"}}, "where": "Merchants"}

    def quiet(*words: str) -> str:
        told = said(*words, *file_of, exit_code=1)
        assert "90909" not in told
        assert "80808" not in told
        return told

    Path("bad.jsonl").write_text("what was there before\n")
    quiet("plan")
    assert rows()[0] == {**colour, "reason": "the attribute 'colour' is neither mapped nor dropped"}
    assert rows()[1] == {**unfit, "where": "Reviews", "reason": rows()[1]["reason"]}
    assert no_stars.partition(":")[0] in rows()[1]["reason"]
    said("prepare")
    for words in (("backfill",), ("advance", "dual"), ("backfill", "--write")):
        if words[0] == "advance":
            said(*words)
            continue
        quiet(*words)
        assert [{n: row[n] for n in unfit} for row in rows()] == [unfit]
    put(file, "Merchants", {"id": 1, "name": "secret, by old code"})
    file.execute("DeleteItem", {"TableName": "Reviews", "Key": to_wire_item({"merchant": 2, "id": "r1"})})
    for words in (("verify", "--writing"), ("mend",)):
        quiet(*words)
        assert [(row["side"], row["table"], row["where"], row["key"]) for row in rows()] == [
            ("legacy", "Merchants", "Merchants", colour["key"]),
            ("legacy", "Merchants", "Merchant", {"id": {"N": "1"}}),
            ("legacy", "Reviews", "Reviews", unfit["key"]),
            ("new", "Market", "Review", {"PK": {"S": "MERCHANT#2"}, "SK": {"S": "REVIEW#r1"}}),
        ]
        assert [row["reason"] for row in (rows()[1], rows()[3])] == ["field name", "no origin"]
    left = quiet("mend", "--write")
    assert left.startswith("2 items put right.\n")
    assert "Reviews cannot be moved: Review.stars" in left
    assert left.endswith("Not all is well.\n")
    assert [row["key"] for row in rows()] == [colour["key"], unfit["key"]]
    again = quiet("mend", "--write")
    assert "Nothing to do" not in again
    assert "the attribute 'colour' is neither mapped nor dropped, 1 item\n" in again
    assert not told("mend", "--write", exit_code=1)["found"]["well"]
    file.execute("DeleteItem", {"TableName": "Reviews", "Key": unfit["key"]})
    put(file, "Merchants", {"id": 90909, "name": "secret"})
    assert said("mend", "--write", *file_of) == "Nothing to do.\n"
    assert rows() == []


def test_attributes_that_no_move_reads_are_told_until_they_are_dropped(file: Engine) -> None:
    put(file, "Merchants", {"id": 90909, "name": "secret", "colour": "secret", "size": 1})
    put(file, "Merchants", {"id": 90910, "name": "secret", "colour": "secret"})
    said("prepare")
    said("advance", "dual")
    moved = said("backfill", "--write")
    assert "  2 items: the attribute 'colour' is neither mapped nor dropped\n" in moved
    assert "  1 item: the attribute 'size' is neither mapped nor dropped\n" in moved
    lost = said("verify", exit_code=1)
    assert "Merchants: the attribute 'colour' is neither mapped nor dropped, 2 items\n" in lost
    assert "name it in dropped=" in lost
    assert [one["count"] for one in told("verify", exit_code=1)["unmapped"]] == [2, 1]
    assert "no verification" in failed("advance", "shadow").message
    text = Path("market.py").read_text()
    Path("market.py").write_text(text.replace('"name": "name"},', '"name": "name"}, dropped=("colour", "size"),', 1))
    sys.modules.pop("market", None)
    assert "All is well." in said("verify")
    assert "neither mapped" not in said("backfill", "--write")


def test_which_items_are_left_stands_in_a_file(file: Engine) -> None:
    apart = ("--legacy", "market.db", "--bad-rows", "bad.jsonl")
    said("prepare", *apart[:2], on="new.db")
    said("advance", "dual", *apart[:2], on="new.db")
    assert not Path("bad.jsonl").exists()
    assert "15 items to be written" in said("backfill", "--write", *apart, on="new.db")
    assert rows() == []
    assert stat.S_IMODE(Path("bad.jsonl").stat().st_mode) == 0o600
    said("repair", *apart, on="new.db", exit_code=1)
    assert {row["reason"] for row in rows()} == {"not written yet"}
    assert len({json.dumps(row["key"]) for row in rows()}) == 15
    put(file, "Reviews", {"merchant": 2, "id": "r1", "stars": "secret"})
    assert "left, 1 item: Review.stars" in said("repair", "--write", *apart, on="new.db", exit_code=1)
    (row,) = rows()
    assert (row["table"], row["key"]) == ("Reviews", {"merchant": {"N": "2"}, "id": {"S": "r1"}})
    assert row["reason"].startswith("Review.stars")
    said("mend", "--write", *apart, on="new.db", exit_code=1)
    assert rows() == [row]


def test_an_item_that_its_mark_makes_too_large_is_in_the_file_too(file: Engine) -> None:
    assert "none/bad.jsonl cannot be written" in failed("plan", "--bad-rows", "none/bad.jsonl").message
    put(file, "Merchants", {"id": 9, "name": "x" * 409_430})  # the mark of where it came from makes it too large
    said("prepare")
    said("advance", "dual")
    refused = said("backfill", "--write", "--bad-rows", "bad.jsonl", exit_code=1)
    assert "1 item skipped" in refused
    (row,) = rows()
    assert (row["table"], row["key"], row["where"]) == ("Merchants", {"id": {"N": "9"}}, "Merchants")
    assert row["reason"] == "with moved_from, which says where it came from, it is larger than 400 KB"


def test_differing_answers_are_told(file: Engine) -> None:
    said("prepare")
    said("advance", "dual")
    said("backfill", "--write")
    put(file, "Merchants", {"id": 1, "name": "secret, by old code"})
    Path("reads.jsonl").write_text('{"read": "merchant", "with": {"merchant_id": 1}}')
    assert "merchant: field name, 1 time\n" in said("shadow", "--reads", "reads.jsonl", exit_code=1)
    assert told("shadow", "--reads", "reads.jsonl", exit_code=1)["differences"] == [
        {"where": "merchant", "what": "field name", "count": 1}
    ]
    assert "2 items" not in said("mend", "--write")
    assert "1 read compared, 0 differed" in said("shadow", "--reads", "reads.jsonl")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "Line 1 of reads.jsonl is no read"),
        ('{"read": "nobody"}', "names 'nobody', which market does not hold"),
        ('{"read": "merchant", "with": {"id": 1}}', "merchant takes no id"),
        ('{"read": "merchant", "with": {"merchant_id": "secret"}}', "merchant_id: Input should be a valid integer"),
    ],
)
def test_reads_that_are_none(folder: Path, line: str, message: str) -> None:
    said("prepare")
    Path("reads.jsonl").write_text(line)
    error = failed("shadow", "--reads", "reads.jsonl")
    assert isinstance(error, ArgumentError)
    assert message in error.message
    assert "secret" not in error.message
    assert "cannot be read" in failed("shadow", "--reads", "none.jsonl").message


def test_the_way_back(file: Engine) -> None:
    said("prepare")
    assert "no phase before 'legacy'" in failed("back").message
    said("advance", "dual")
    assert said("back") == "legacy: legacy tables are read and written.\n"
    assert "in 0 seconds" in said("advance", "dual", "--no-wait")
    time.sleep(0.05)
    from_dual_into_new()
    file.execute(
        "UpdateItem",
        {
            "TableName": "Market",
            "Key": {"PK": {"S": "MERCHANT#1"}, "SK": {"S": "MERCHANT"}},
            "UpdateExpression": "SET #n = :n",
            "ExpressionAttributeNames": {"#n": "name"},
            "ExpressionAttributeValues": {":n": {"S": "written in the phase new"}},
        },
    )
    behind = failed("back")
    assert "Legacy tables are behind" in behind.message
    assert behind.hint is not None
    assert "`tablewright move restore-legacy`" in behind.hint
    assert "1 to be written, 0 items to be deleted" in said("restore-legacy")
    assert told("restore-legacy") == {"written": 1, "deleted": 0, "left": {}, "dry_run": True}
    said("restore-legacy", "--write")
    assert said("restore-legacy", "--write") == "Nothing to do.\n"
    said("verify")
    gone_back = said("back")
    assert gone_back.startswith("switched")
    assert "`tablewright move restore-legacy --write` until there is nothing to do" in gone_back
    assert "may lack what was written while the phase changed" in said("status")
    assert told("status")["legacy_behind"] is True
    assert "They may lack what was written" in said("kill")
    waits = failed("mend", "--write")
    assert "Mending has to wait" in waits.message
    assert waits.hint == "Run `tablewright move restore-legacy` until it does nothing; then they are up to date."
    assert said("restore-legacy", "--write") == "Nothing to do.\n"
    assert told("status")["legacy_behind"] is False
    assert "may lack" not in said("status")
    said("mend", "--write")


def test_what_was_noted_late_is_left_until_somebody_decides(file: Engine) -> None:
    said("prepare")
    said("advance", "dual")
    from_dual_into_new()
    key = {"id": {"N": "1"}}
    note = {"id": {"S": 'note#market#Merchants#{"M":{"id":{"N":"1"}}}'}, "move": {"S": "Merchants"}, "key": {"M": key}}
    note |= {"pending": {"BOOL": True}, "number": {"N": "1"}}
    file.execute("PutItem", {"TableName": "market-moving", "Item": note})
    put(file, "Merchants", {"id": 1, "name": "written late"})
    assert "left, 1 item: its last write has to be repaired first" in said("restore-legacy", exit_code=1)
    file.execute(
        "UpdateItem",
        {
            "TableName": "Market",
            "Key": {"PK": {"S": "MERCHANT#1"}, "SK": {"S": "MERCHANT"}},
            "UpdateExpression": "SET #u = :u",
            "ExpressionAttributeNames": {"#u": "UpdatedAt"},
            "ExpressionAttributeValues": {":u": {"S": "2999-01-01T00:00:00.000000Z"}},
        },
    )
    left = said("repair", "--write", exit_code=1)
    assert (
        "1 item: it was noted before the new table was written alone, which may have happened to the item since" in left
    )
    assert "--wins legacy or --wins new says which side is right." in left
    assert "pending in the ledger" in failed("retire", "archive", "--write").message
    assert said("repair", "--write", "--wins", "legacy") == "1 item written.\n"
    assert said("repair", "--write") == "Nothing to do.\n"


def test_a_stopped_backfill_is_gone_on_with(folder: Path) -> None:
    with open_engine("market.db") as engine:
        for number in range(5, 150):
            put(engine, "Merchants", {"id": number, "name": "secret"})
    said("prepare")
    said("advance", "dual")
    words = ["move", "backfill", "market.py", "--on", "market.db", "--write", "--move", "Merchants"]
    program = [sys.executable, "-c", "from tablewright.cli import main; main()", *words]
    # So slow that it is far from its end whenever this process gets its turn.
    process = subprocess.Popen(
        [*program, "--max-write-units", "5"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, text=True
    )
    with open_engine("market.db") as engine:
        while not engine.execute("Scan", {"TableName": "Market", "Select": "COUNT"})["Count"]:
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
    process.send_signal(signal.SIGTERM if os.name == "posix" else signal.SIGINT)
    _, complaint = process.communicate(timeout=300)
    assert process.returncode == 130, complaint
    assert "Stopped at a checkpoint. The same command goes on there." in complaint
    (report,) = told("backfill", "--write", "--move", "Merchants")["reports"]
    assert report["resumed"]
    assert report["counts"]["looked"] == 150
    said("backfill", "--write")
    said("verify")


def test_sides_that_are_elsewhere(folder: Path) -> None:
    both = ("--legacy", "market.db")
    typo = failed("prepare", "--legacy", "typo.db", on="new.db")
    assert "no file typo.db" in typo.message
    assert "the legacy tables (--legacy)" in (typo.hint or "")
    assert not Path("typo.db").exists()
    Path("new.db").unlink(missing_ok=True)
    missing = failed("status", *both, on="new.db")
    assert "no file new.db" in missing.message
    assert "`tablewright move prepare market.py --on new.db --legacy market.db` makes it" in (missing.hint or "")
    assert "Market" in said("prepare", *both, on="new.db")
    said("advance", "dual", *both, on="new.db")
    assert "15 items to be written" in said("backfill", "--write", *both, on="new.db")
    assert told("status", *both, on="new.db")["pending"] == {"not written yet": 15}
    assert "--write does it" in said("repair", *both, on="new.db", exit_code=1)
    assert said("repair", "--write", *both, on="new.db") == "15 items written.\n"
    assert "All is well" in said("verify", *both, on="new.db")


def test_over_http(folder: Path) -> None:
    with open_engine("memory:") as engine, serve_in_thread(engine) as server:
        fill(engine, 3)
        said("prepare", on=server.url)
        said("advance", "dual", on=server.url)
        assert told("backfill", "--dask", "tcp://127.0.0.1:1", on=server.url)["reports"][0]["dry_run"]
        said("backfill", "--write", on=server.url)
        assert "All is well" in said("verify", on=server.url)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
def test_on_a_cluster(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed: Any = pytest.importorskip("distributed")
    monkeypatch.syspath_prepend(folder)  # workers start with the path of this process
    with (
        open_engine("memory:") as engine,
        serve_in_thread(engine) as server,
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
    ):
        fill(engine, 40)
        said("prepare", on=server.url)
        said("advance", "dual", on=server.url)
        put(engine, "Merchants", {"id": 99, "name": 5, "colour": "secret"})
        there = ("--write", "--dask", cluster.scheduler_address)
        done = told("backfill", *there, "--bad-rows", "bad.jsonl", on=server.url, exit_code=1)
        assert [one["counts"]["written"] for one in done["reports"]] == [40, 80]
        assert [*done["reports"][0]["counts"]["remarks"].values()] == [1]
        assert [row["key"] for row in rows()] == [{"id": {"N": "99"}}]


def test_flags_in_a_file(folder: Path) -> None:
    said("prepare")
    said("kill", "--flags", "flags.json")
    assert told("status", "--flags", "flags.json")["killed"]
    assert not told("status")["killed"]


def test_wrong_arguments(folder: Path) -> None:
    Path("other.py").write_text("")
    assert "holds no Moving" in failed("status", what="other.py").message
    Path("two.py").write_text(MARKET + "\nother = Moving('other', table=market, moves=moving.moves)\n")
    several = failed("runbook", what="two.py", on=None)
    assert "holds several" in several.message
    assert "There are: moving, other." in (several.hint or "")
    assert said_runbook("two.py:other").startswith("# Moving Merchants, Reviews to Market")
    assert "no Moving called third" in failed("runbook", what="two.py:third", on=None).message
    assert "no file" in failed("plan", on="typo.db").message
    assert isinstance(failed("prepare", on="typo.db"), ConfigError)
    assert not Path("typo.db").exists()
    assert "There is no file nothing.py" in failed("plan", what="nothing.py").message
    said("prepare")
    assert "There is no phase 'double'" in failed("advance", "double").message
    assert "No move is called 'Nobody'" in failed("backfill", "--move", "Nobody").message
    assert "in the phase 'legacy'" in failed("retire", "archive").message
    assert "phase 'switched' only" in failed("switch", "5").message
    for words in (("switch", "101"), ("backfill", "--segments", "0"), ("plan", "--sample", "0"), ("advance",)):
        assert move(*words).exit_code == 2
    assert move("plan", on=None).exit_code == 2
    said("advance", "dual")
    assert "dry run" in failed("backfill", "--write", "--sample", "1").message


def test_what_is_not_there_is_named(folder: Path) -> None:
    assert said("status") == (
        "Not prepared yet. Still to be made: the ledger market-moving and the new table Market. Legacy tables are used as ever.\n"
        "Next: tablewright move prepare market.py --on market.db\n"
    )
    assert told("status") == {
        "phase": "legacy",
        "prepared": False,
        "missing": ["market-moving", "Market"],
        "next": "tablewright move prepare market.py --on market.db",
    }
    for words in (("verify",), ("backfill",), ("repair",), ("advance", "dual"), ("kill",)):
        error = failed(*words)
        assert isinstance(error, ResourceNotFound)
        assert error.message == "The ledger market-moving and the new table Market are not there.", words
        assert (error.hint or "").startswith("`tablewright move prepare market.py --on market.db` makes")
    said("prepare")
    assert told("status")["prepared"]
    said("advance", "dual")
    with open_engine("market.db") as engine:
        engine.execute("DeleteTable", {"TableName": "Market"})
    for words in (("verify",), ("backfill",)):
        assert failed(*words).message == "The new table Market is not there."
    with open_engine("market.db") as engine:
        engine.execute("DeleteTable", {"TableName": "Reviews"})
    for words in (("verify",), ("backfill", "--write")):
        error = failed(*words)
        assert error.message == "The legacy table Reviews and the new table Market are not there."
        assert "--legacy" in (error.hint or "")
    with open_engine("market.db") as engine:
        engine.execute("DeleteTable", {"TableName": "market-moving"})
    assert "the ledger market-moving and the new table Market are" in failed("status").message


def test_hints_name_commands() -> None:
    call = re.compile(r"\b[a-z_]+\((?:\d*|\.\.\.)\)|\b[a-z_]+=True")
    found = 0
    for module in (phases, planning, reading, retiring, session, settling, checkpoints):
        tree = ast.parse(Path(module.__file__ or "").read_text("utf-8"))
        documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents:
                found += bool(call.search(node.value))
                assert not call.search(in_commands(node.value)), node.value
    assert found > 5


def test_the_runbook_has_commands_that_can_be_typed(folder: Path) -> None:
    Path("market.py").write_text(
        MARKET.replace('"stars": "stars"},', '"stars": lambda item: item["stars"]}, uses=("stars",),')
    )
    text = said_runbook("market.py")
    assert "<lambda>" not in text
    assert "| `stars` | a function of `stars` |" in text
    typed = re.findall(r"`tablewright move (\S+) (market\.py [^`]*)`", text)
    assert {"prepare", "plan", "status", "advance", "back", "backfill", "repair", "verify", "mend"} < {
        n for n, _ in typed
    }
    assert any("--delete-ledger" in words for _, words in typed)
    commands: Any = get_command(cli_move)
    for name, words in typed:
        commands.commands[name].make_context(
            name, words.replace("TARGET", "market.db").split()
        )  # refuses what it does not know


def said_runbook(what: str) -> str:
    done = move("runbook", on=None, what=what)
    assert done.exit_code == 0
    return done.output


def test_keys_that_are_not_as_the_mapping_says(file: Engine, folder: Path) -> None:
    Path("market.py").write_text(MARKET.replace('key=("merchant", "id")', 'key=("merchant", "review")'))
    assert "Reviews: its key is id and merchant, not merchant and review, 1 time\n" in said("plan", exit_code=1)
    assert "Reviews: its key is id and merchant" in failed("prepare").message
